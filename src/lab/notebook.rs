//! Commands on hosts of the lab. Each is an event of the log, with its exit status and output: a lab notebook that a
//! person can replay by hand.

use std::time::Duration;

use anyhow::Result;

use crate::agent::client::Agent;
use crate::store::event::{Cause, Command, Event};

/// Longer than any tool needs; a user's own command may take this long to prepare a DUT.
const TIMEOUT: Duration = Duration::from_secs(30);

/// A run that cannot go on, with its cause.
#[derive(Debug, thiserror::Error)]
#[error("{detail}")]
pub struct Broken {
    pub cause: Cause,
    pub detail: String,
}

impl Broken {
    pub fn new(cause: Cause, detail: impl Into<String>) -> Self {
        Broken { cause, detail: detail.into() }
    }
}

/// An agent, and where its commands are recorded.
pub struct Notebook<'a> {
    pub agent: &'a mut Agent,
    pub record: &'a mut dyn FnMut(Event) -> Result<()>,
}

impl Notebook<'_> {
    /// Runs a command whose failure is an answer too.
    pub fn try_run(&mut self, host: &str, argv: &[&str], stdin: &str) -> Result<Command> {
        let argv: Vec<String> = argv.iter().map(|&word| word.into()).collect();
        let done = self.agent.exec(host, &argv, stdin, TIMEOUT)?;
        (self.record)(Event::Command(done.clone()))?;
        Ok(done)
    }

    /// Runs a command that must succeed, or the run is invalid for `cause`. Returns its standard output.
    pub fn run(&mut self, cause: Cause, host: &str, argv: &[&str], stdin: &str) -> Result<String> {
        let done = self.try_run(host, argv, stdin)?;
        if done.exit != 0 {
            let said = [&done.stderr, &done.stdout].into_iter().map(|text| text.trim()).find(|text| !text.is_empty());
            let host = if host.is_empty() { "the lab" } else { host };
            let detail = format!("`{}` on {host} ended with {}: {}", argv.join(" "), done.exit, said.unwrap_or("it said nothing"));
            return Err(Broken::new(cause, detail).into());
        }
        Ok(done.stdout)
    }
}
