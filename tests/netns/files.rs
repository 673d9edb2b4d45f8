use std::path::Path;

use linerate::store::event::{self, Event};

use crate::workshop::{BASELINE, INET4, PLAIN, SHORT, Workshop, alone, assert_accounted, root, shown};

/// Below existing directories of every machine; the second needs directories made.
const TARGETS: [&str; 3] = ["/etc/linerate-test.conf", "/etc/linerate-test/deep/er.conf", "/usr/lib/linerate-test.conf"];

/// A config whose command shows all three files, and two variants that each install their own.
fn workshop() -> Workshop {
    let [plain, deep, other] = TARGETS;
    let files = |name: &str| format!("files = {{ \"{plain}\" = \"{name}\", \"{other}\" = \"{name}\" }}\n");
    let configs = format!("[[config]]\nname = \"forwarding\"\nfiles = {{ \"{deep}\" = \"config.txt\", \"{plain}\" = \"config.txt\" }}\n");
    let show = format!("commands = [[\"cat\", \"{plain}\", \"{deep}\", \"{other}\"]]\n");
    let variants = ["default", "changed"].map(|name| format!("[[variant]]\nname = \"{name}\"\n{}{show}", files(&format!("{name}.txt"))));
    let workshop = Workshop::new(SHORT, &[INET4, &configs, &variants.concat()].concat());
    for name in ["config", "default", "changed"] {
        workshop.file(&format!("{name}.txt"), &format!("from {name}\n"));
    }
    workshop
}

fn commands(workshop: &Workshop) -> Vec<event::Command> {
    let command = |event| if let Event::Command(command) = event { Some(command) } else { None };
    workshop.events().into_iter().filter_map(command).collect()
}

/// Each DUT saw its own variant's files, the host none.
fn assert_private(workshop: &Workshop) {
    let log = workshop.log();
    let run = &log.plan.runs[0];
    assert_accounted(&log.results[0]);
    let mut seen = 0;
    for command in commands(workshop).iter().filter(|command| command.argv[0] == "cat" && command.argv[1] == TARGETS[0]) {
        let arm: usize = command.host.strip_prefix("dut").unwrap().parse().unwrap();
        let variant = if run.arms[arm] == "control" { "default" } else { &run.arms[arm] };
        // The variant's file lies over the config's of the same name.
        assert_eq!(command.stdout, format!("from {variant}\nfrom config\nfrom {variant}\n"), "{}", command.host);
        seen += 1;
    }
    assert_eq!(seen, 3);
    assert!(TARGETS.iter().all(|target| !Path::new(target).exists()));
    assert!(!Path::new("/etc/linerate-test").exists());
}

// Files are there for the DUT's own commands, differ between DUTs side by side, and never reach the host.
#[test]
fn files_are_each_duts_own() {
    if !root() {
        return;
    }
    let workshop = workshop();
    let _alone = alone();
    workshop.run();
    assert_private(&workshop);
}

// The same for an ordinary user, who could not write there at all.
#[test]
fn files_need_no_privileges() {
    let workshop = workshop();
    let Some(mut command) = workshop.as_ordinary_user(&["run", "x.toml", "-o", "result"]) else { return };
    let _alone = alone();
    let output = command.output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", shown(&output));
    assert_private(&workshop);
}

// A DUT without files, set up where another had some in the run before, sees none of them.
#[test]
fn files_end_with_their_run() {
    if !root() {
        return;
    }
    let [target, ..] = TARGETS;
    let variants = format!(
        "[[variant]]\nname = \"with\"\nfiles = {{ \"{target}\" = \"x.toml\" }}\ncommands = [[\"test\", \"-e\", \"{target}\"]]\n\
         [[variant]]\nname = \"without\"\ncommands = [[\"test\", \"!\", \"-e\", \"{target}\"]]\n"
    );
    let method = SHORT.replace("iterations = 1", "iterations = 3\ncompare = \"blocks\"");
    let workshop = Workshop::new(&method, &[INET4, PLAIN, &variants].concat());
    let _alone = alone();
    let log = workshop.run();
    assert_eq!(log.results.len(), 6);
    assert!(log.results.iter().all(|result| !result.arms.is_empty()), "{:?}", log.results);
}

// A command runs where linerate was started, and /sys shows it the DUT's interfaces.
#[test]
fn commands_see_the_duts_interfaces_and_the_users_directory() {
    let show = "commands = [[\"sh\", \"-c\", \"pwd; cat /sys/class/net/d0/address /sys/class/net/d1/address\"]]\n";
    let workshop = Workshop::new(SHORT, &[INET4, PLAIN, BASELINE, show].concat());
    let run = ["run", "x.toml", "-o", "result"];
    let Some(mut command) = (if root() { Some(workshop.command(&run)) } else { workshop.as_ordinary_user(&run) }) else { return };
    let _alone = alone();
    let output = command.output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", shown(&output));
    let expected = format!("{}\n02:00:00:00:00:02\n02:00:00:00:00:03\n", workshop.path().display());
    let shells: Vec<String> = commands(&workshop).into_iter().filter(|done| done.argv[0] == "sh").map(|done| done.stdout).collect();
    assert_eq!(shells, [expected.clone(), expected]);
}

// What a command leaves running ends with its run: the next run, of another variant perhaps, does not find it.
#[test]
fn what_a_command_leaves_running_ends_with_its_run() {
    if !root() {
        return;
    }
    let script = "./idle 600 >/dev/null 2>&1 & sleep 0.1; ls -l /proc/[0-9]*/exe 2>/dev/null | grep -c $PWD/idle";
    let leaving = format!("[[variant]]\nname = \"default\"\ncommands = [[\"sh\", \"-c\", \"{script}\"]]\n");
    let method = SHORT.replace("iterations = 1", "iterations = 3\ncompare = \"blocks\"");
    let workshop = Workshop::new(&method, &[INET4, PLAIN, &leaving].concat());
    std::fs::copy("/bin/sleep", workshop.path().join("idle")).unwrap();
    let _alone = alone();
    workshop.run();
    let counts: Vec<String> = commands(&workshop).into_iter().filter(|done| done.argv[0] == "sh").map(|done| done.stdout).collect();
    assert_eq!(counts, ["1\n"; 3]);
    assert_eq!(workshop.processes_of("idle"), [0; 0]);
}

// A file that cannot be put where it should go is the experiment's fault, and says so.
#[test]
fn a_file_for_the_root_directory_is_refused() {
    if !root() {
        return;
    }
    let config = "[[config]]\nname = \"forwarding\"\nfiles = { \"/linerate-test.conf\" = \"x.toml\" }\n";
    let workshop = Workshop::new(SHORT, &[INET4, config, BASELINE].concat());
    let _alone = alone();
    let log = workshop.run();
    let (cause, detail) = crate::workshop::invalid(&log.results[0]);
    assert_eq!(cause, event::Cause::WrongDutState);
    assert!(detail.contains("cannot be installed into `/` itself"), "{detail}");
}
