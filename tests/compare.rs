//! `linerate compare` from outside: every format as it is printed, and every exit code of a gate.

use std::fs::{self, File};
use std::path::Path;
use std::process::{Command, Output, Stdio};

/// Made-up rates: a baseline, one that is 3 % slower, one that is the same, one too noisy to say, one that failed.
const FILES: [(&str, &str); 5] = [
    ("base", "701250\n698400\n703100\n699900\n700800\n697700\n"),
    ("slower", "# with the patch\n680100\n677300\n681900\n\n678200\n679500\n676800\n"),
    ("same", "700900\n698800\n702300\n700100\n697900\n701600\n"),
    ("noisy", "701250\n648400\n753100\n699900\n735000\n661000\n"),
    ("failed", "701250\n0\n698400\n"),
];

fn directory() -> tempfile::TempDir {
    let directory = tempfile::tempdir().unwrap();
    for (name, text) in FILES {
        fs::write(directory.path().join(name), text).unwrap();
    }
    directory
}

fn compare(directory: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_linerate"));
    command.arg("compare").args(arguments).current_dir(directory).stdin(Stdio::null()).output().unwrap()
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap()
}

// Every format of the same three files, byte for byte.
#[test]
fn formats() {
    let directory = directory();
    for (format, golden) in [
        ("text", include_str!("compare/golden.txt")),
        ("markdown", include_str!("compare/golden.md")),
        ("json", include_str!("compare/golden.json")),
        ("csv", include_str!("compare/golden.csv")),
        ("benchfmt", include_str!("compare/golden.bench")),
        ("junit", include_str!("compare/golden.xml")),
    ] {
        let output = compare(directory.path(), &["base", "slower", "noisy", "failed", "--format", format]);
        assert_eq!(text(&output.stdout), golden, "{format}");
        assert_eq!((text(&output.stderr), output.status.code()), ("", Some(0)), "{format}");
    }
}

// Pass, regression, infrastructure, inconclusive; without --gate a verdict is no failure.
#[test]
fn a_gate_exits_with_four_codes() {
    let directory = directory();
    for (files, code) in [
        (&["base", "same"][..], 0),
        (&["base", "slower"], 1),
        (&["base", "failed"], 2),
        (&["base", "absent"], 2),
        (&["base", "noisy"], 3),
        (&["slower", "base"], 0),
        (&["base", "same", "noisy"], 3),
        (&["base", "failed", "slower"], 1),
    ] {
        let arguments: Vec<&str> = files.iter().copied().chain(["--gate"]).collect();
        assert_eq!(compare(directory.path(), &arguments).status.code(), Some(code), "{files:?}");
    }
    assert_eq!(compare(directory.path(), &["base", "slower"]).status.code(), Some(0));
}

// A wider margin lets a regression of 3 % pass, a named baseline turns the ratio round, `-` is standard input.
#[test]
fn options() {
    let directory = directory();
    let wide = compare(directory.path(), &["base", "slower", "--gate", "--margin", "5%"]);
    assert_eq!(wide.status.code(), Some(0));
    assert!(text(&wide.stdout).contains("real, but smaller than 5 %"), "{}", text(&wide.stdout));

    let turned = compare(directory.path(), &["slower", "base", "--baseline", "base"]);
    assert!(text(&turned.stdout).contains("slower against base: slower by 3.0 %"), "{}", text(&turned.stdout));

    let input = File::open(directory.path().join("slower")).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_linerate"));
    let piped = command.args(["compare", "base", "-"]).current_dir(directory.path()).stdin(input).output().unwrap();
    assert!(text(&piped.stdout).contains("- against base: slower by 3.0 %"), "{}", text(&piped.stdout));
}

// What is wrong is named, with the place and what to do, and nothing is printed as a result.
#[test]
fn complains_clearly() {
    let directory = directory();
    fs::write(directory.path().join("words"), "701250\nfast\n").unwrap();
    for (arguments, message) in [
        (&["base"][..], "`base` alone has nothing to be compared with"),
        (&["base", "base"], "`base` is there twice"),
        (&["base", "absent"], "cannot read absent"),
        (&["base", "words"], "words, line 2: the first word is no number"),
        (&["base", "."], ". is a directory"),
        (&["base", "same", "--baseline", "other"], "there is no variant `other`"),
        (&["base", "same", "--margin", "nothing"], "write a percentage such as `0.5 %`"),
        (&["base", "same", "--confidence", "40 %"], "it must lie between 50 and 100 %"),
        (&[], "required"),
    ] {
        let output = compare(directory.path(), arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(text(&output.stderr).contains(message), "{arguments:?}: {}", text(&output.stderr));
        assert_eq!(text(&output.stdout), "", "{arguments:?}");
    }
}
