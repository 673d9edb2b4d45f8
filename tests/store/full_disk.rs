use std::fs;
use std::path::PathBuf;
use std::process::Command;

use linerate::store::event::{Event, RunVerdict};
use linerate::store::{EVENTS, StoreError, Writer, read};

use crate::fixture::{SOURCE, experiment, plan, result};

const DISK: &str = "LINERATE_TEST_FULL_DISK";

// On a full disk the writer says so by name, and the log ends with its last whole event. The disk is a file
// system of 64 KiB in a mount namespace of this test's own, for which it runs itself again.
#[test]
fn a_full_disk_loses_nothing_that_was_written() {
    if let Some(disk) = std::env::var_os(DISK) {
        return fill(PathBuf::from(disk).join("result"));
    }
    let dir = tempfile::tempdir().unwrap();
    let script = "mount -t tmpfs -o size=64k none \"$0\" && exec \"$@\"";
    let this = std::env::current_exe().unwrap();
    let output = Command::new("unshare")
        .args(["-rm", "sh", "-c", script])
        .arg(dir.path())
        .arg(this)
        .args(["--exact", "full_disk::a_full_disk_loses_nothing_that_was_written", "--nocapture"])
        .env(DISK, dir.path())
        .output();
    match output {
        Ok(output) if output.status.success() => assert!(String::from_utf8_lossy(&output.stdout).contains("the disk was full")),
        Ok(output) if String::from_utf8_lossy(&output.stdout).contains("running 1 test") => panic!("{output:?}"),
        other => println!("skipped: needs unshare and a mount namespace: {other:?}"),
    }
}

fn fill(dir: PathBuf) {
    let mut writer = Writer::create(&dir, SOURCE, &experiment(), &plan()).unwrap();
    let mut written = 0;
    let error = loop {
        match writer.append(&Event::RunFinished(result(written % 4, written / 4, RunVerdict::Valid))) {
            Ok(()) => written += 1,
            Err(error) => break error,
        }
    };
    assert!(matches!(error, StoreError::Full { .. }), "{error}");
    let text = error.to_string();
    assert!(text.contains("No space left on device") && text.contains("linerate run --resume"), "{text}");
    let (log, torn) = read(&dir).unwrap();
    assert_eq!((log.results.len() as u32, torn), (written, None));
    fs::metadata(dir.join(EVENTS)).unwrap();
    println!("the disk was full after {written} results");
}
