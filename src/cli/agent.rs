//! `linerate agent`: what `linerate run` starts on a host of the lab. Not for people.

use super::Exit;
use crate::agent::serve;

pub fn run() -> anyhow::Result<Exit> {
    serve::serve()?;
    Ok(Exit::Done)
}
