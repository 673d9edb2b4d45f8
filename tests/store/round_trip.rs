use std::fs;

use linerate::plan::Run;
use linerate::store::event::{ArmResult, Cause, Command, Event, Line, RunResult, RunVerdict};
use linerate::store::{EVENTS, EXPERIMENT, Writer, read};
use proptest::collection::{btree_map, vec};
use proptest::prelude::*;

use crate::fixture::{SOURCE, events, experiment, plan};

// A log with one of every event reads back as what was written.
#[test]
fn every_event_is_read_back() {
    let dir = tempfile::tempdir().unwrap();
    let mut writer = Writer::create(dir.path(), SOURCE, &experiment(), &plan()).unwrap();
    for event in events() {
        writer.append(&event).unwrap();
    }
    writer.sync().unwrap();
    let (log, torn) = read(dir.path()).unwrap();
    let finished: Vec<RunResult> =
        events().into_iter().filter_map(|event| if let Event::RunFinished(result) = event { Some(result) } else { None }).collect();
    assert_eq!(torn, None);
    assert_eq!((log.experiment, log.plan, log.results), (experiment(), plan(), finished));
    assert_eq!(log.facts["dut"]["kernel"], "6.18.44");
    assert!(log.complete && log.stopped.is_none() && log.linerate == env!("CARGO_PKG_VERSION"));
    assert_eq!(fs::read_to_string(dir.path().join(EXPERIMENT)).unwrap(), SOURCE);
}

// The wire format is a contract with old logs: this text must stay readable, and stay what is written.
#[test]
fn the_lines_are_what_format_1_says() {
    let golden = include_str!("every-event.jsonl");
    let lines: Vec<Line> = golden.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines[1..].iter().map(|line| line.event.clone()).collect::<Vec<_>>(), events());
    for (line, text) in lines.iter().zip(golden.lines()) {
        assert_eq!(serde_json::to_string(line).unwrap(), text);
    }
}

// One event is one write(2), so that a crash can only ever cut the last line.
#[test]
fn one_event_is_one_write() {
    let writes = || -> Option<u64> {
        let io = fs::read_to_string("/proc/thread-self/io").ok()?;
        io.lines().find_map(|line| line.strip_prefix("syscw: "))?.parse().ok()
    };
    let dir = tempfile::tempdir().unwrap();
    let mut writer = Writer::create(dir.path(), SOURCE, &experiment(), &plan()).unwrap();
    let Some(before) = writes() else { return println!("skipped: needs /proc/thread-self/io") };
    for event in events() {
        writer.append(&event).unwrap();
    }
    assert_eq!(writes().unwrap() - before, events().len() as u64);
}

// A later linerate may add fields anywhere; the log stays readable.
#[test]
fn unknown_fields_are_passed_over() {
    let dir = tempfile::tempdir().unwrap();
    let golden = include_str!("every-event.jsonl");
    let path = dir.path().join(EVENTS);
    fs::write(&path, golden).unwrap();
    let (as_it_was, _) = read(dir.path()).unwrap();
    let extended = golden.replace("{\"time\":", "{\"mood\":{\"deep\":[1,null]},\"time\":").replace("\"sent\":", "\"cwr\":0,\"sent\":");
    fs::write(&path, extended).unwrap();
    assert_eq!(read(dir.path()).unwrap().0, as_it_was);
}

fn run_result() -> impl Strategy<Value = RunResult> {
    let text = || any::<String>();
    let verdict =
        prop_oneof![Just(RunVerdict::Valid), text().prop_map(|detail| RunVerdict::Invalid { cause: Cause::FramesUnaccounted, detail })];
    let counts = (any::<u64>(), any::<u64>(), any::<u64>(), any::<u64>(), any::<u64>());
    let arm = (text(), counts, btree_map(text(), any::<u64>(), 0..3), vec(any::<(u64, u64)>(), 0..4)).prop_map(
        |(variant, (sent, received, foreign, forwarded, elapsed_ns), drops, samples)| ArmResult {
            variant,
            sent,
            received,
            foreign,
            drops,
            forwarded,
            elapsed_ns,
            samples,
        },
    );
    let run = (any::<(u32, u32, u64)>(), text(), text(), vec(text(), 0..3)).prop_map(|((id, block, seed), config, traffic, arms)| Run {
        id,
        block,
        config,
        traffic,
        arms,
        seed,
    });
    let busy = proptest::option::of(0.0..1.0);
    let slots = vec(any::<(u64, u8, u32, u64)>(), 0..4);
    (run, any::<u32>(), verdict, text(), vec(text(), 0..3), (0.0..1e6, 0.0..1e6, busy), vec(arm, 0..3), slots).prop_map(
        |(run, attempt, verdict, sender, warnings, (wall_s, blast_s, dut_busy), arms, slots)| RunResult {
            run,
            attempt,
            verdict,
            sender,
            warnings,
            wall_s,
            blast_s,
            dut_busy,
            arms,
            slots,
        },
    )
}

fn command() -> impl Strategy<Value = Command> {
    let text = || any::<String>();
    let status = (any::<i32>(), any::<u32>());
    (text(), vec(text(), 0..4), text(), status, text(), text()).prop_map(|(host, argv, stdin, (exit, ms), stdout, stderr)| Command {
        host,
        argv,
        stdin,
        exit,
        ms,
        stdout,
        stderr,
    })
}

proptest! {
    // Any counts, any text in names and outputs, any finite times: the bits read are the bits written.
    #[test]
    fn any_event_survives_its_line(result in run_result(), command in command()) {
        for event in [Event::RunFinished(result.clone()), Event::Command(command.clone())] {
            let line = Line { time: "2026-11-21T09:30:00.250Z".into(), event };
            let text = serde_json::to_string(&line).unwrap();
            prop_assert!(!text.contains('\n'));
            prop_assert_eq!(serde_json::from_str::<Line>(&text).unwrap(), line);
        }
    }
}
