//! An experiment file's text, before it is understood.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use super::problem::{Problem, Problems, nearest};

/// Neither an experiment file nor a file it names may be larger.
pub const FILE_SIZE_MAX: u64 = 1 << 20;

/// The text of an experiment file and where it came from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    /// As given by the user. The files the experiment names are looked for in the same directory.
    pub path: PathBuf,
    pub text: String,
}

impl Source {
    /// # Errors
    /// When the file cannot be read, is larger than [`FILE_SIZE_MAX`], or is not UTF-8.
    pub fn read(path: &Path) -> Result<Source, Problems> {
        let path = path.to_owned();
        match read_text(&path) {
            Ok(text) => Ok(Source { path, text }),
            Err((what, advice)) => Err(Problems(vec![Problem { path, place: None, what: format!("the file {what}"), advice }])),
        }
    }
}

/// A text file whole; or what is wrong with it, as the rest of a sentence, and what to do.
pub(super) fn read_text(path: &Path) -> Result<String, (String, String)> {
    let wrong = |what: &str, advice: &str| (what.to_owned(), advice.to_owned());
    let mut bytes = Vec::new();
    match File::open(path).and_then(|file| Ok((file.metadata()?, file))) {
        Ok((metadata, _)) if !metadata.is_file() => return Err(wrong("is not a regular file", "the name of a text file")),
        Ok((_, file)) => file.take(FILE_SIZE_MAX + 1).read_to_end(&mut bytes).map_err(|error| unreadable(path, &error))?,
        Err(error) => return Err(unreadable(path, &error)),
    };
    if bytes.len() as u64 > FILE_SIZE_MAX {
        return Err(wrong("is larger than 1 MiB", "a smaller file: what an experiment needs is copied into every result"));
    }
    String::from_utf8(bytes).map_err(|error| {
        let valid = &error.as_bytes()[..error.utf8_error().valid_up_to()];
        let line = valid.iter().filter(|&&byte| byte == b'\n').count() + 1;
        wrong(&format!("is not UTF-8 text, first in line {line}"), "save it as UTF-8, for example with `iconv -t UTF-8`")
    })
}

fn unreadable(path: &Path, error: &io::Error) -> (String, String) {
    let text = error.to_string();
    let reason = text.split(" (os error").next().unwrap_or_default();
    let directory = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let names: Vec<String> =
        directory.read_dir().into_iter().flatten().flatten().filter_map(|e| e.file_name().into_string().ok()).collect();
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let advice = match nearest(&name, names.iter().map(String::as_str)) {
        Some(near) if near != name => format!("there is `{near}` in the same directory"),
        _ => "check the name and who may read it".to_owned(),
    };
    (format!("cannot be read: {reason}"), advice)
}
