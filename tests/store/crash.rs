use std::fs;

use linerate::store::event::{Event, RunVerdict};
use linerate::store::{EVENTS, StoreError, Writer, read};

use crate::fixture::{SOURCE, events, experiment, plan, result};

fn whole_log() -> Vec<u8> {
    let dir = tempfile::tempdir().unwrap();
    let mut writer = Writer::create(dir.path(), SOURCE, &experiment(), &plan()).unwrap();
    for event in events().iter().filter(|event| **event != Event::Complete) {
        writer.append(event).unwrap();
    }
    fs::read(dir.path().join(EVENTS)).unwrap()
}

// Cut anywhere, byte by byte: every whole line is kept and the torn one is named; resuming mends the log.
#[test]
fn a_log_cut_at_any_byte_loses_at_most_its_last_line() {
    let whole = whole_log();
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join(EVENTS);
    let first = whole.iter().position(|&byte| byte == b'\n').unwrap() + 1;
    for cut in 0..=whole.len() {
        fs::write(&path, &whole[..cut]).unwrap();
        if cut < first {
            assert!(matches!(read(dir.path()), Err(StoreError::Empty(_))), "cut at {cut}");
            continue;
        }
        let kept = &whole[..whole[..cut].iter().rposition(|&byte| byte == b'\n').unwrap() + 1];
        let (log, torn) = read(dir.path()).unwrap();
        let finished = kept.split(|&byte| byte == b'\n').filter(|line| line.windows(12).any(|part| part == b"run_finished")).count();
        assert_eq!(log.results.len(), finished, "cut at {cut}");
        assert_eq!(
            torn.map(|torn| (torn.offset as usize, torn.length as usize)),
            (cut > kept.len()).then(|| (kept.len(), cut - kept.len()))
        );

        if cut % 41 != 0 && cut.abs_diff(kept.len()) > 1 {
            continue; // each resume waits for the disk
        }
        let (mut writer, resumed, _) = Writer::resume(dir.path()).unwrap();
        writer.append(&Event::RunFinished(result(3, 0, RunVerdict::Valid))).unwrap();
        assert_eq!(resumed.results.len(), finished);
        let mended = fs::read(&path).unwrap();
        assert!(mended.starts_with(kept) && String::from_utf8_lossy(&mended[kept.len()..]).contains("\"resumed\""));
        let (log, torn) = read(dir.path()).unwrap();
        assert_eq!((log.results.len(), torn), (finished + 1, None), "cut at {cut}");
    }
}

// The warning says which line and how much.
#[test]
fn a_torn_line_is_named() {
    let whole = whole_log();
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join(EVENTS), &whole[..whole.len() - 1]).unwrap();
    let (_, torn) = read(dir.path()).unwrap();
    let length = whole.split_inclusive(|&byte| byte == b'\n').next_back().unwrap().len() - 1;
    let expected = format!("events.jsonl:9: the last line was cut short and is left out ({length} bytes)");
    assert_eq!(torn.unwrap().to_string(), expected);
}

// A complete log is not touched by a resume: there is nothing to go on with.
#[test]
fn resuming_a_complete_log_writes_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let golden = include_str!("every-event.jsonl");
    fs::write(dir.path().join(EVENTS), golden).unwrap();
    let (_, log, _) = Writer::resume(dir.path()).unwrap();
    assert!(log.complete);
    assert_eq!(fs::read_to_string(dir.path().join(EVENTS)).unwrap(), golden);
}
