use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::{plan, text};

fn experiments() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("experiments")
}

/// Names of the files that come with linerate and end so.
fn names(ending: &str) -> Vec<String> {
    let names = fs::read_dir(experiments()).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    names.filter(|name| name.ends_with(ending)).collect()
}

// Every experiment that comes with linerate can be planned, by anybody.
#[test]
fn every_example_can_be_planned() {
    for name in names(".toml") {
        let output = plan(&experiments(), &[&name]);
        assert_eq!((output.status.code(), text(&output.stderr)), (Some(0), ""), "{name}");
    }
}

// The demo's 22 blocks of 6 duets take three minutes at most.
#[test]
fn the_demo_fits_its_time() {
    let output = plan(&experiments(), &["early-demux.toml", "--format", "json"]);
    let answer: serde_json::Value = serde_json::from_str(text(&output.stdout)).unwrap();
    assert_eq!(answer["plan"]["runs"].as_array().unwrap().len(), 132);
    assert!(answer["estimate_s"].as_f64().unwrap() <= 180.0);
}

// nft itself accepts every ruleset that comes with linerate.
#[test]
fn every_ruleset_is_one() {
    let nft = |arguments: &[&str]| Command::new("unshare").args(["-rn", "nft"]).args(arguments).current_dir(experiments()).output();
    if !nft(&["list", "ruleset"]).is_ok_and(|output| output.status.success()) {
        return println!("skipped: needs nft and a network namespace");
    }
    for name in names(".nft") {
        let output = nft(&["--check", "--file", &name]).unwrap();
        assert!(output.status.success(), "{name}: {}", text(&output.stderr));
    }
}

// The text of the demo's plan, whole: matrix, time, seed, order.
#[test]
fn the_demo_plan_reads_like_this() {
    let output = plan(Path::new(env!("CARGO_MANIFEST_DIR")), &["experiments/early-demux.toml"]);
    let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/experiment/early-demux.stdout");
    if std::env::var_os("LINERATE_BLESS").is_some() {
        fs::write(&golden, &output.stdout).unwrap();
    }
    assert_eq!(text(&output.stdout), fs::read_to_string(golden).unwrap());
}
