use std::fs;
use std::path::Path;

use crate::{plan, text};

// Every file in `wrong/` is refused with exit code 2, nothing on standard output, and word for word the text beside
// it. `LINERATE_BLESS=1` writes the texts anew, to be read before they are committed.
#[test]
fn every_wrong_file_gets_its_advice() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/experiment/wrong");
    let mut files: Vec<_> = fs::read_dir(&directory).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "toml"));
    assert!(files.len() >= 12);
    for file in files {
        let name = file.file_name().unwrap().to_str().unwrap();
        let output = plan(&directory, &[name]);
        let golden = file.with_extension("stderr");
        if std::env::var_os("LINERATE_BLESS").is_some() {
            fs::write(&golden, &output.stderr).unwrap();
        }
        assert_eq!((output.status.code(), text(&output.stdout)), (Some(2), ""), "{name}");
        assert_eq!(text(&output.stderr), fs::read_to_string(&golden).unwrap_or_default(), "{name}");
    }
}
