//! FORMAT.md is held to the code.

use std::path::Path;

use linerate::experiment::{KEYS, Source};

const FORMAT: &str = include_str!("../../FORMAT.md");

// The table under each heading lists exactly the keys the parser knows, in its order.
#[test]
fn every_key_is_documented_and_no_other() {
    for (table, keys) in KEYS {
        let (_, section) = FORMAT.split_once(&format!("\n### {table}\n")).unwrap_or_else(|| panic!("no section {table}"));
        let section = &section[..section.find("\n#").unwrap()];
        let documented: Vec<&str> = section.lines().filter_map(|line| line.strip_prefix("| `")?.split('`').next()).collect();
        assert_eq!(documented, keys, "{table}");
    }
}

// The example is one.
#[test]
fn the_example_is_an_experiment() {
    let (_, example) = FORMAT.split_once("```toml\n").unwrap();
    let text = example.split("```").next().unwrap().to_owned();
    let experiment = Source { path: Path::new("FORMAT.md").to_owned(), text }.parse(1).unwrap();
    assert_eq!(experiment.variants[1].change.commands.len(), 1);
}
