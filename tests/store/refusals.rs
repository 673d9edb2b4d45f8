use std::fs;
use std::path::Path;

use linerate::store::{EVENTS, StoreError, Writer, read};

use crate::fixture::{SOURCE, experiment, plan};

const GOLDEN: &str = include_str!("every-event.jsonl");

fn create(dir: &Path) -> Result<Writer, StoreError> {
    Writer::create(dir, SOURCE, &experiment(), &plan())
}

fn read_text(text: &str) -> String {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join(EVENTS), text).unwrap();
    let error = read(dir.path()).unwrap_err().to_string();
    error.replace(&dir.path().display().to_string(), "DIR")
}

// Evidence is never overwritten, and the refusal says what to do instead.
#[test]
fn an_existing_log_is_not_overwritten() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join(EVENTS), GOLDEN).unwrap();
    let error = create(dir.path()).unwrap_err().to_string();
    assert!(error.contains("already holds a log") && error.contains("linerate run --resume") && error.contains("-o"), "{error}");
    assert_eq!(fs::read_to_string(dir.path().join(EVENTS)).unwrap(), GOLDEN);
}

// A directory with other people's files is not written into: a README.md in it would be lost to the report.
#[test]
fn a_directory_in_other_use_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("README.md"), "mine").unwrap();
    assert!(matches!(create(dir.path()), Err(StoreError::NotEmpty(_))));
    assert!(!dir.path().join(EVENTS).exists());
}

// Two processes cannot write one log; when the first is gone the second can.
#[test]
fn a_log_has_one_writer() {
    let dir = tempfile::tempdir().unwrap();
    let first = create(dir.path()).unwrap();
    assert!(matches!(Writer::resume(dir.path()), Err(StoreError::Locked(_))));
    read(dir.path()).unwrap(); // reading needs no lock
    drop(first);
    Writer::resume(dir.path()).unwrap();
}

// Only the last line may be damaged; any other is an error that names its line.
#[test]
fn a_damaged_line_in_the_middle_is_an_error_with_its_number() {
    for (line, from, to, why) in [
        (3, "run_started", "run_strated", "unknown variant `run_strated`"),
        (4, "{\"time\":", "{\"time\":,", "expected value"),
        (4, "}", "", "EOF while parsing an object"),
        (5, "\"received\":", "\"recieved\":", "missing field `received`"),
        (8, "\"id\":", "\"di\":", "missing field `id`"),
    ] {
        let mut lines: Vec<String> = GOLDEN.lines().map(|line| format!("{line}\n")).collect();
        assert!(lines[line - 1].contains(from));
        lines[line - 1] = lines[line - 1].replacen(from, to, 1);
        let error = read_text(&lines.concat());
        assert!(error.starts_with(&format!("DIR/events.jsonl:{line}: not an event of format 1: {why}")), "{error}");
    }
}

// A result of a run that was never planned, or was planned otherwise, does not count for one that was.
#[test]
fn a_result_must_belong_to_the_plan() {
    for (from, to, run) in [("\"id\":1,\"block\"", "\"id\":4,\"block\"", 4), ("[\"default\"]", "[\"changed\"]", 1)] {
        let (before, last) = GOLDEN.split_at(GOLDEN.rfind("\"id\":1,").unwrap());
        let error = read_text(&(before.to_owned() + &last.replacen(from, to, 1)));
        assert!(error.contains(&format!("events.jsonl:9: run {run} is not the one of that number in the plan")), "{error}");
    }
}

// A log of a later format is not guessed at, whatever else its first line says.
#[test]
fn a_format_of_the_future_is_an_error_with_advice() {
    let error = read_text("{\"event\":\"begun\",\"format\":2}\n");
    assert_eq!(
        error,
        "`DIR/events.jsonl` is format version 2, this linerate reads version 1\n  try      the linerate that wrote it, or a newer one"
    );
}

// The first line declares, and no other does.
#[test]
fn the_declaration_is_first_and_only_once() {
    let (first, rest) = GOLDEN.split_at(GOLDEN.find('\n').unwrap() + 1);
    assert!(read_text(rest).contains("events.jsonl:1: the first event must declare the experiment"));
    assert!(read_text(&format!("{first}{first}")).contains("events.jsonl:2: the experiment is declared a second time"));
}

// Reading what is no result directory says so.
#[test]
fn no_log_is_an_error_of_its_own() {
    let dir = tempfile::tempdir().unwrap();
    assert!(matches!(read(dir.path()), Err(StoreError::Missing(_))));
    assert!(matches!(Writer::resume(&dir.path().join("nowhere")), Err(StoreError::Missing(_))));
    fs::write(dir.path().join(EVENTS), "").unwrap();
    assert!(matches!(read(dir.path()), Err(StoreError::Empty(_))));
}
