use std::fs;
use std::path::Path;

use linerate::experiment::Source;
use proptest::prelude::*;

use crate::{plan, text};

const VALID: &str = include_str!("everything.toml");

/// What `linerate plan` says about a file with this content.
fn complaint(content: &[u8]) -> String {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("x.toml"), content).unwrap();
    let output = plan(dir.path(), &["x.toml"]);
    assert_eq!(output.status.code(), Some(2));
    text(&output.stderr).to_owned()
}

// A file that is no experiment at all is refused before it is understood.
#[test]
fn what_is_no_text_file_is_refused() {
    assert_eq!(
        complaint(&[VALID.as_bytes(), &b"\n# \xff\xfe\n"[..]].concat()),
        format!(
            "error: x.toml: the file is not UTF-8 text, first in line {}\n  try      save it as UTF-8, for example with `iconv -t UTF-8`\n",
            VALID.lines().count() + 2
        )
    );
    assert_eq!(
        complaint(&vec![b'#'; (1 << 20) + 1]),
        "error: x.toml: the file is larger than 1 MiB\n  \
         try      a smaller file: what an experiment needs is copied into every result\n"
    );
    let output = plan(Path::new("/"), &["."]);
    assert!(text(&output.stderr).starts_with("error: .: the file is not a regular file\n"), "{output:?}");
}

// A name typed wrong is answered with the one that is there.
#[test]
fn a_missing_experiment_file_is_named_and_its_neighbour_offered() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("experiments");
    let output = plan(&directory, &["early-demix.toml"]);
    let expected = "error: early-demix.toml: the file cannot be read: No such file or directory\n  \
                    try      there is `early-demux.toml` in the same directory\n";
    assert_eq!((output.status.code(), text(&output.stderr)), (Some(2), expected));
}

// Nesting without end overflows no stack.
#[test]
fn nesting_without_end_is_refused() {
    for open in ["[", "{a=", "a.", "[a."] {
        let count = ((1 << 20) - 100) / open.len();
        let head = if open == "[" || open == "{a=" { "title = " } else { "" };
        let error = complaint(format!("{head}{}", open.repeat(count)).as_bytes());
        assert!(error.starts_with("error: x.toml:"), "{}", &error[..error.len().min(300)]);
    }
    let deep = format!("[[config]]\nname = \"x\"\nsysctl.{}a = 1\n", "a.".repeat(500_000));
    assert!(complaint(deep.as_bytes()).starts_with("error: x.toml:"));
}

proptest! {
    // Whatever is done to a file, it is an experiment or it is refused with a place inside it; nothing panics.
    #[test]
    fn a_damaged_file_is_refused_with_a_place(from in 0..VALID.len(), length in 0usize..20, insert in ".{0,3}|[\\[\\]{}\"=,.\n\\\\]") {
        let start = VALID.floor_char_boundary(from);
        let end = VALID.floor_char_boundary((from + length).min(VALID.len()));
        let text = [&VALID[..start], &insert, &VALID[end..]].concat();
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/experiment/damaged.toml");
        if let Err(problems) = (Source { path, text: text.clone() }).parse(1) {
            prop_assert!(!problems.0.is_empty());
            for problem in problems.0 {
                let place = problem.place.unwrap();
                let line = text.split('\n').nth(place.line - 1).unwrap();
                prop_assert!(place.column <= line.chars().count() + 1, "{}:{} in {line:?}", place.line, place.column);
            }
        }
    }
}
