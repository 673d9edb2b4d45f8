use std::fs::{self, File};
use std::path::Path;
use std::process::{Command, Stdio};

use crate::text;

fn linerate(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_linerate"));
    command.args(arguments).current_dir(Path::new(env!("CARGO_MANIFEST_DIR"))).env_remove("NO_COLOR");
    command
}

const DEMO: [&str; 2] = ["plan", "experiments/early-demux.toml"];

// Colours when asked for, and never into a pipe unasked.
#[test]
fn colours_are_for_terminals_and_for_those_who_ask() {
    let escapes = |extra: &[&str]| text(&linerate(&[&DEMO, extra].concat()).output().unwrap().stdout).contains('\x1b');
    assert!(escapes(&["--color", "always"]));
    assert!(!escapes(&["--color", "auto"]) && !escapes(&["--color", "never"]) && !escapes(&[]));
}

// On a terminal NO_COLOR decides, and `--color always` overrules it. `script` makes the terminal.
#[test]
fn no_color_is_honoured() {
    let escapes = |no_color: &str, extra: &str| {
        let line = format!("'{}' {} {extra}", env!("CARGO_BIN_EXE_linerate"), DEMO.join(" "));
        let mut script = Command::new("script");
        script.args(["--quiet", "--return", "--command", &line, "/dev/null"]).env("NO_COLOR", no_color).env("TERM", "xterm");
        let output = script.current_dir(env!("CARGO_MANIFEST_DIR")).stdin(Stdio::null()).output().ok()?;
        output.status.success().then(|| text(&output.stdout).contains("\x1b[1m"))
    };
    let Some(on_a_terminal) = escapes("", "") else { return println!("skipped: needs script(1)") };
    assert!(on_a_terminal);
    assert_eq!((escapes("1", ""), escapes("1", "--color always")), (Some(false), Some(true)));
}

// A reader that has seen enough (`| head`) is no error; a full disk is one.
#[test]
fn output_that_cannot_be_written() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("long.toml");
    let long = fs::read_to_string("tests/experiment/everything.toml").unwrap().replace("iterations = 7", "iterations = 1000");
    fs::write(&file, long.replace("wrong/", concat!(env!("CARGO_MANIFEST_DIR"), "/tests/experiment/wrong/"))).unwrap();
    let arguments = ["plan", file.to_str().unwrap(), "--format", "json"];
    let mut child = linerate(&arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), text(&output.stderr)), (Some(0), ""));

    let Ok(full) = File::options().write(true).open("/dev/full") else { return println!("skipped: needs /dev/full") };
    let output = linerate(&arguments).stdout(full).output().unwrap();
    let expected = "error: cannot write to standard output\n  because  No space left on device (os error 28)\n";
    assert_eq!((output.status.code(), text(&output.stderr)), (Some(2), expected));
}

// A file name with a colour code in it does not colour the error.
#[test]
fn a_hostile_file_name_is_made_harmless() {
    let output = linerate(&["plan", "\x1b[31mx.toml"]).output().unwrap();
    assert!(text(&output.stderr).starts_with("error: \u{fffd}[31mx.toml: the file cannot be read"), "{output:?}");
}

// The codes in `--help` are the documented ones; a wrong option ends with the code for wrong usage.
#[test]
fn exit_codes_are_in_the_help() {
    let output = linerate(&["--help"]).output().unwrap();
    let help = text(&output.stdout);
    for line in ["    0  done", "    2  wrong usage", "  130  interrupted"] {
        assert!(help.contains(line), "{help}");
    }
    assert_eq!(linerate(&["plan", "--sede", "1"]).output().unwrap().status.code(), Some(2));
    assert_eq!(linerate(&["plan", "x.toml", "--seed", "9007199254740992"]).output().unwrap().status.code(), Some(2));
}
