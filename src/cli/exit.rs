//! Exit codes, all of them, in one place.

use std::fmt::Write;
use std::process::ExitCode;

/// How a command ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    Done = 0,
    Regressed = 1,
    Error = 2,
    Inconclusive = 3,
    TooFewValid = 4,
    Interrupted = 130,
}

const MEANINGS: [(Exit, &str); 6] = [
    (Exit::Done, "done"),
    (Exit::Regressed, "a regression was found, under --gate"),
    (Exit::Error, "wrong usage, a wrong experiment file, or an environment that does not allow it"),
    (Exit::Inconclusive, "the answer is inconclusive, under --gate"),
    (Exit::TooFewValid, "complete, but some cells have too few valid runs"),
    (Exit::Interrupted, "interrupted; `linerate run --resume` goes on"),
];

/// The codes as `--help` shows them.
pub(super) fn help() -> String {
    MEANINGS.iter().fold("Exit codes:".to_owned(), |mut text, (exit, meaning)| {
        write!(text, "\n  {:>3}  {meaning}", *exit as u8).expect("a String takes any text");
        text
    })
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> ExitCode {
        ExitCode::from(exit as u8)
    }
}
