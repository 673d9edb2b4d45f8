//! Experiment files: right ones mean what they say, wrong ones are refused with what to do.

mod examples;
mod format;
mod limits;
mod meaning;
mod terminal;
mod wrong;

use std::path::Path;
use std::process::{Command, Output};

/// Runs `linerate plan` in a directory.
fn plan(directory: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_linerate")).arg("plan").args(arguments).current_dir(directory).output().unwrap()
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap()
}
