//! `linerate ministat` from outside: tables, messages and exit codes, and the cases collected beside this repository.

use std::fs::{self, File};
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::{Command, Output, Stdio};

fn ministat(directory: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_linerate"));
    command.arg("ministat").args(arguments).current_dir(directory).stdin(Stdio::null()).output().unwrap()
}

/// A directory with two sets of made-up rates.
fn rates() -> tempfile::TempDir {
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join("before"), "701250\n698400\n703100\n699900\n").unwrap();
    fs::write(directory.path().join("after"), "# patched\n712000 x\n715300\n\n709800\n713400\n").unwrap();
    directory
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap()
}

// Today's FreeBSD: the median of four is the mean of the middle two, the error in percent is that of a ratio.
#[test]
fn modern_table() {
    let output = ministat(rates().path(), &["-s", "before", "after"]);
    assert_eq!(text(&output.stdout), include_str!("ministat/modern.txt"));
    assert_eq!((text(&output.stderr), output.status.code()), ("", Some(0)));
}

// Debian's package, whose program printed this file.
#[test]
fn debian_table() {
    let output = ministat(rates().path(), &["--rules", "debian20150715", "before", "after", "-w", "40", "-c", "90"]);
    assert_eq!(text(&output.stdout), include_str!("ministat/debian.txt"));
}

// Four rule sets: the median of an even number, the error in percent, and a variance whose digits cancel in one pass.
#[test]
fn rule_sets_differ_as_they_should() {
    let directory = rates();
    fs::write(directory.path().join("flat"), "100000000.1\n100000000.2\n100000000.3\n").unwrap();
    for (rules, median, error, flat) in [
        ("debian20150715", "701250", "0.534563%", "-nan"),
        ("fbsd2015", "700575", "0.534563%", "-nan"),
        ("fbsd2016", "700575", "0.538473%", "-nan"),
        ("modern", "700575", "0.538473%", "0.1"),
    ] {
        let table = ministat(directory.path(), &["--rules", rules, "-A", "before", "after"]);
        let table = text(&table.stdout);
        assert_eq!(table.lines().nth(3).unwrap().split_whitespace().nth(4), Some(median), "{rules}\n{table}");
        assert!(table.contains(&format!("1.70731% +/- {error}")), "{rules}\n{table}");
        let table = ministat(directory.path(), &["--rules", rules, "-n", "flat"]);
        assert_eq!(text(&table.stdout).split_whitespace().last(), Some(flat), "{rules}");
    }
}

// No difference, and the plot's bug: five equal numbers in the first set, three rows because the second has three.
#[test]
fn flat_last_set_cuts_the_stack() {
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join("high"), "5\n5\n5\n5\n5\n9\n").unwrap();
    fs::write(directory.path().join("low"), "4\n4\n4\n8\n").unwrap();
    let output = ministat(directory.path(), &["--rules=debian20150715", "-w", "20", "high", "low"]);
    assert_eq!(text(&output.stdout), include_str!("ministat/cut.txt"));
}

// A link named ministat is ministat, standard input its default.
#[test]
fn answers_to_its_name() {
    let directory = rates();
    let link = directory.path().join("ministat");
    symlink(env!("CARGO_BIN_EXE_linerate"), &link).unwrap();
    let input = File::open(directory.path().join("before")).unwrap();
    let output = Command::new(link).args(["-qn"]).stdin(input).output().unwrap();
    assert_eq!(text(&output.stdout), "x   4        698400        703100        700575      700662.5      1998.906\n");
}

// What is wrong is said in the original's words, with its exit codes.
#[test]
fn complains_as_the_original_does() {
    let directory = rates();
    fs::write(directory.path().join("two"), "1\n2\n").unwrap();
    fs::write(directory.path().join("bad"), "1\n2x\n").unwrap();
    for (arguments, code, message) in [
        (&["absent"][..], 2, "ministat: Cannot open absent: No such file or directory\n"),
        (&["--rules", "fbsd2016", "absent"], 1, "ministat: Cannot open absent: No such file or directory\n"),
        (&["two", "absent"], 2, "ministat: Cannot open absent: No such file or directory\n"),
        (&["two"], 2, "Dataset two must contain at least 3 data points\n"),
        (&["-"], 2, "Dataset - must contain at least 3 data points\n"),
        (&["before", "bad"], 2, "ministat: Invalid data on line 2 in bad\n"),
        (&["-w", "x"], 2, "Invalid width, not a number.\nUsage: ministat [-C column]"),
        (&["-c", "97"], 2, "No support for confidence level\nUsage: ministat"),
        (&["-z"], 2, "ministat: invalid option -- 'z'\nUnknown option\nUsage: ministat"),
        (&["-C"], 2, "ministat: option requires an argument -- 'C'\nUnknown option\nUsage: ministat"),
    ] {
        let output = ministat(directory.path(), arguments);
        assert_eq!(output.status.code(), Some(code), "{arguments:?}");
        assert!(text(&output.stderr).starts_with(message), "{arguments:?}: {}", text(&output.stderr));
        assert_eq!(text(&output.stdout), "", "{arguments:?}");
    }
}

// Where the original crashes there is an error that says so; only under Debian's rules an exit as after its crash.
#[test]
fn refuses_what_crashes_the_original() {
    let directory = rates();
    fs::write(directory.path().join("infinite"), "1\ninf\n3\n").unwrap();
    fs::write(directory.path().join("nan"), "1\nnan\n3\n").unwrap();
    for (arguments, word) in [(&["-w", "1", "before"][..], "-w 2"), (&["infinite"], "infinite"), (&["nan"], "NaN")] {
        let output = ministat(directory.path(), arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(text(&output.stderr).contains(word), "{arguments:?}: {}", text(&output.stderr));
    }
    let output = ministat(directory.path(), &["--rules", "debian20150715", "infinite"]);
    assert_eq!((output.status.code(), text(&output.stderr)), (Some(139), ""));
    assert_eq!(ministat(directory.path(), &["-n", "infinite"]).status.code(), Some(0));
}

// The cases collected beside the repository, under Debian's rules and under the modern ones.
#[test]
fn agrees_with_the_collected_cases() {
    let cases = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/ministat-golden");
    let Ok(entries) = fs::read_dir(&cases) else {
        println!("skipped: needs the collected cases in ../shared/ministat-golden");
        return;
    };
    for directory in entries.map(|entry| entry.unwrap().path()).filter(|path| path.is_dir()) {
        for rules in ["debian20150715", "modern"] {
            if rules == "modern" && directory.join("undefined.modern").exists() {
                continue;
            }
            let expected = |name: &str| {
                let modern = directory.join(format!("{name}.modern"));
                fs::read(if rules == "modern" && modern.exists() { modern } else { directory.join(name) }).unwrap()
            };
            // The arguments are quoted for a shell.
            let line = fs::read_to_string(directory.join("cmd")).unwrap();
            let script = format!("exec \"$LINERATE\" ministat --rules {rules} {line}");
            let input = File::open(directory.join("stdin")).or_else(|_| File::open("/dev/null")).unwrap();
            let output = Command::new("sh")
                .args(["-c", &script])
                .env("LINERATE", env!("CARGO_BIN_EXE_linerate"))
                .current_dir(&directory)
                .stdin(input)
                .output()
                .unwrap();
            assert_eq!(text(&output.stderr), text(&expected("stderr")), "{directory:?} {rules}");
            assert!(output.stdout == expected("stdout"), "{directory:?} {rules}: {}", text(&output.stdout));
            let code = text(&expected("exit")).trim().parse().ok();
            assert_eq!(output.status.code(), code, "{directory:?} {rules}");
        }
    }
}
