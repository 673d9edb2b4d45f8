use std::collections::BTreeMap;
use std::fs;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Child, Command};
use std::time::{Duration, Instant};

use linerate::random::Random;
use linerate::store::EVENTS;
use linerate::store::event::{Event, RunVerdict};

use crate::workshop::{BASELINE, INET4, PLAIN, SHORT, Workshop, alone, root, shown};

fn workshop(blocks: u32) -> Workshop {
    let method =
        SHORT.replace("iterations = 1", &format!("iterations = {blocks}")).replace("retries = 0", "retries = 3");
    Workshop::new(&method, &[INET4, PLAIN, BASELINE].concat())
}

/// Begins, or goes on once there is a log with a whole line.
fn start(workshop: &Workshop) -> Child {
    let begun = whole_lines(workshop).is_some_and(|log| !log.is_empty());
    let mut command = match begun {
        true => workshop.command(&["run", "--resume", "result"]),
        false => {
            let _ = fs::remove_dir_all(workshop.result());
            workshop.command(&["run", "x.toml", "-o", "result"])
        }
    };
    // A process group of its own: Ctrl-C at a terminal goes to a whole group.
    command.process_group(0).spawn().unwrap()
}

/// The log without a line that was cut short.
fn whole_lines(workshop: &Workshop) -> Option<Vec<u8>> {
    let mut log = fs::read(workshop.result().join(EVENTS)).ok()?;
    log.truncate(log.iter().rposition(|&byte| byte == b'\n').map_or(0, |end| end + 1));
    Some(log)
}

/// PID namespaces in which agents live: everything they started is in there too.
fn inner_namespaces(workshop: &Workshop) -> Vec<PathBuf> {
    let own = fs::read_link("/proc/self/ns/pid").unwrap();
    let of = |pid: u32| fs::read_link(format!("/proc/{pid}/ns/pid")).ok();
    workshop.processes().into_iter().filter_map(of).filter(|namespace| *namespace != own).collect()
}

/// Nothing of a killed linerate lives on: no process of it, none in its namespaces, no name of a namespace.
fn assert_nothing_left(workshop: &Workshop, namespaces: &[PathBuf], names: &[u8]) {
    let deadline = Instant::now() + Duration::from_secs(5);
    loop {
        let inside = |pid: &str| {
            fs::read_link(format!("/proc/{pid}/ns/pid")).is_ok_and(|namespace| namespaces.contains(&namespace))
        };
        let processes =
            fs::read_dir("/proc").unwrap().flatten().filter_map(|entry| entry.file_name().into_string().ok());
        let left: Vec<String> =
            processes.filter(|pid| inside(pid)).chain(workshop.processes().iter().map(u32::to_string)).collect();
        if left.is_empty() {
            break;
        }
        assert!(Instant::now() < deadline, "processes {left:?} live on");
        std::thread::sleep(Duration::from_millis(10));
    }
    assert_eq!(names_of_namespaces(), names);
}

fn names_of_namespaces() -> Vec<u8> {
    Command::new("ip").args(["netns", "list"]).output().map(|output| output.stdout).unwrap_or_default()
}

/// Complete: each run has exactly one valid result, and none was begun again after it.
fn assert_complete(workshop: &Workshop, blocks: u32) {
    let log = workshop.log();
    assert!(log.complete);
    let mut valid = BTreeMap::<u32, usize>::new();
    for event in workshop.events() {
        match event {
            Event::RunStarted { run, .. } => assert!(!valid.contains_key(&run), "run {run} was repeated"),
            Event::RunFinished(result) if result.verdict == RunVerdict::Valid => {
                *valid.entry(result.run.id).or_default() += 1
            }
            _ => {}
        }
    }
    assert_eq!(valid, (0..blocks).map(|run| (run, 1)).collect());
}

// Killed ten times at moments drawn from a seed, in every phase of a run: what was finished stays byte for byte, what was in
// flight is done again, and nothing of linerate is left on the machine in between.
#[test]
fn killed_at_any_moment_it_goes_on_and_leaves_nothing() {
    if !root() {
        return;
    }
    let blocks = 10;
    let workshop = workshop(blocks);
    let _alone = alone();
    let names = names_of_namespaces();
    let mut random = Random::new(11);
    let mut kept = Vec::new();
    for _ in 0..10 {
        let mut child = start(&workshop);
        std::thread::sleep(Duration::from_millis(random.below(700)));
        let namespaces = inner_namespaces(&workshop);
        child.kill().unwrap();
        child.wait().unwrap();
        assert_nothing_left(&workshop, &namespaces, &names);
        let log = whole_lines(&workshop).unwrap_or_default();
        assert!(log.starts_with(&kept), "what was in the log has changed");
        kept = log;
    }
    let output = start(&workshop).wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", shown(&output));
    let log = whole_lines(&workshop).unwrap();
    assert!(log.starts_with(&kept));
    assert_complete(&workshop, blocks);
    assert_nothing_left(&workshop, &[], &names);
    workshop.assert_tidy(&[]);

    // There is nothing left to do: a complete log is not written to.
    let output = start(&workshop).wait_with_output().unwrap();
    assert_eq!((output.status.code(), whole_lines(&workshop).unwrap()), (Some(0), log));
}

// An ordinary user's linerate, killed, leaves as little.
#[test]
fn an_ordinary_users_agent_dies_with_its_linerate() {
    let blocks = 2;
    let workshop = workshop(blocks);
    let Some(mut command) = workshop.as_ordinary_user(&["run", "x.toml", "-o", "result"]) else { return };
    let _alone = alone();
    let names = names_of_namespaces();
    let mut child = command.spawn().unwrap();
    let deadline = Instant::now() + Duration::from_secs(10);
    while inner_namespaces(&workshop).is_empty() && Instant::now() < deadline {
        std::thread::sleep(Duration::from_millis(10));
    }
    let namespaces = inner_namespaces(&workshop);
    assert!(!namespaces.is_empty());
    child.kill().unwrap();
    child.wait().unwrap();
    assert_nothing_left(&workshop, &namespaces, &names);
    let output = workshop.as_ordinary_user(&["run", "--resume", "result"]).unwrap().output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", shown(&output));
    assert_complete(&workshop, blocks);
}

// Ctrl-C, and the signals of a closed terminal and of kill(1): an end in order, exit code 130, and the rest later.
#[test]
fn interrupted_it_ends_in_order_and_goes_on() {
    if !root() {
        return;
    }
    let blocks = 6;
    let workshop = workshop(blocks);
    let _alone = alone();
    let names = names_of_namespaces();
    for (signal, after_ms) in [("-INT", 700), ("-TERM", 450), ("-HUP", 900)] {
        let child = start(&workshop);
        std::thread::sleep(Duration::from_millis(after_ms));
        let namespaces = inner_namespaces(&workshop);
        let sent = Instant::now();
        assert!(Command::new("kill").args([signal, "--", &format!("-{}", child.id())]).status().unwrap().success());
        let output = child.wait_with_output().unwrap();
        assert!(sent.elapsed() < Duration::from_secs(5), "{signal} took {:?}", sent.elapsed());
        assert_eq!(output.status.code(), Some(130), "{signal}: {}", shown(&output));
        assert!(shown(&output).contains("linerate run --resume result"), "{}", shown(&output));
        assert_nothing_left(&workshop, &namespaces, &names);
        assert_eq!(workshop.log().stopped.as_deref(), Some("interrupted"));
    }
    let output = start(&workshop).wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", shown(&output));
    assert_complete(&workshop, blocks);
    workshop.assert_tidy(&[]);
}
