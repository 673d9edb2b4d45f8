//! A directory with an experiment in it, and linerate to run it.

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};

use linerate::store::event::{Cause, Event, Line, RunResult, RunVerdict};
use linerate::store::{EVENTS, Log, read};

/// Both families and a baseline; the shortest blasts there are, one attempt each.
pub const SHORT: &str = "iterations = 1\nwarmup = \"10 ms\"\nduration = \"0.1 s\"\nretries = 0\nseed = 1\n";
pub const BOTH_FAMILIES: &str =
    "[[traffic]]\nname = \"inet4\"\nfamily = \"inet4\"\n[[traffic]]\nname = \"inet6\"\nfamily = \"inet6\"\n";
pub const INET4: &str = "[[traffic]]\nname = \"inet4\"\nfamily = \"inet4\"\n";
pub const PLAIN: &str = "[[config]]\nname = \"forwarding\"\n";
pub const BASELINE: &str = "[[variant]]\nname = \"default\"\n";

/// Packets of two tests would take the CPU from each other. Nobody else may hold this while a test runs.
pub fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Whether namespaces can be made with root's own rights; says so when not.
pub fn root() -> bool {
    let root = fs::metadata("/proc/self").unwrap().uid() == 0;
    let works = root
        && Command::new("unshare")
            .args(["--mount", "--net", "--pid", "--fork", "true"])
            .status()
            .is_ok_and(|s| s.success());
    if !works {
        println!("skipped: needs root and CAP_SYS_ADMIN");
    }
    works
}

/// A directory that anybody may enter, with `x.toml` and linerate under a path of its own: its processes can be told
/// from all others.
pub struct Workshop {
    dir: tempfile::TempDir,
}

impl Workshop {
    /// `method` are the lines under `[method]`, `rest` the tables after it.
    pub fn new(method: &str, rest: &str) -> Workshop {
        let dir = tempfile::Builder::new().prefix("linerate-test-").tempdir().unwrap();
        fs::set_permissions(dir.path(), fs::Permissions::from_mode(0o777)).unwrap();
        let built = Path::new(env!("CARGO_BIN_EXE_linerate"));
        let ours = dir.path().join("linerate");
        fs::hard_link(built, &ours).or_else(|_| fs::copy(built, &ours).map(drop)).unwrap();
        let workshop = Workshop { dir };
        workshop.file("x.toml", &format!("title = \"test\"\n[method]\n{method}{rest}"));
        workshop
    }

    pub fn path(&self) -> &Path {
        self.dir.path()
    }

    pub fn binary(&self) -> PathBuf {
        self.path().join("linerate")
    }

    pub fn result(&self) -> PathBuf {
        self.path().join("result")
    }

    pub fn file(&self, name: &str, content: &str) {
        fs::write(self.path().join(name), content).unwrap();
    }

    /// linerate with these arguments, in this directory.
    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(self.binary());
        command
            .args(arguments)
            .current_dir(self.path())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    /// As `nobody`, when we are root; else as who we are. `None` where an ordinary user may not make namespaces.
    pub fn as_ordinary_user(&self, arguments: &[&str]) -> Option<Command> {
        let ordinary: &[&str] = match fs::metadata("/proc/self").unwrap().uid() {
            0 => &["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--"],
            _ => &["env", "--"],
        };
        let mut check = Command::new(ordinary[0]);
        check
            .args(&ordinary[1..])
            .args(["unshare", "--user", "--map-root-user", "--net", "true"])
            .stderr(Stdio::null());
        if !check.status().is_ok_and(|status| status.success()) {
            println!("skipped: needs setpriv, and user namespaces for ordinary users");
            return None;
        }
        let mut command = Command::new(ordinary[0]);
        command.args(&ordinary[1..]).arg(self.binary()).args(arguments).current_dir(self.path()).stdin(Stdio::null());
        // The PATH that Debian gives to ordinary users.
        command.env("PATH", "/usr/local/bin:/usr/bin:/bin").stdout(Stdio::piped()).stderr(Stdio::piped());
        Some(command)
    }

    /// Runs `x.toml` to its end: exit code 0, or 4 when some run never became valid.
    pub fn run(&self) -> Log {
        let output = self.command(&["run", "x.toml", "-o", "result"]).output().unwrap();
        assert!(matches!(output.status.code(), Some(0 | 4)), "{}", shown(&output));
        self.log()
    }

    pub fn log(&self) -> Log {
        let (log, torn) = read(&self.result()).unwrap();
        assert_eq!(torn, None);
        log
    }

    /// Every event of the log, commands included.
    pub fn events(&self) -> Vec<Event> {
        let text = fs::read_to_string(self.result().join(EVENTS)).unwrap();
        text.lines().map(|line| serde_json::from_str::<Line>(line).unwrap().event).collect()
    }

    /// When the first and the last event were written.
    pub fn times(&self) -> (String, String) {
        let text = fs::read_to_string(self.result().join(EVENTS)).unwrap();
        let time = |line: &str| serde_json::from_str::<Line>(line).unwrap().time;
        (time(text.lines().next().unwrap()), time(text.lines().next_back().unwrap()))
    }

    /// Processes of this linerate, agents included.
    pub fn processes(&self) -> Vec<u32> {
        self.processes_of("linerate")
    }

    /// Processes of a program in this directory.
    pub fn processes_of(&self, program: &str) -> Vec<u32> {
        let path = self.path().join(program);
        let processes = fs::read_dir("/proc").unwrap().flatten();
        let pids = processes.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
        pids.filter(|pid| fs::read_link(format!("/proc/{pid}/exe")).is_ok_and(|exe| exe == path)).collect()
    }

    /// What a run leaves is its result, the report in it, and nothing else.
    pub fn assert_tidy(&self, own_files: &[&str]) {
        let mut expected: Vec<&str> = [&["linerate", "result", "x.toml"], own_files].concat();
        expected.sort();
        assert_eq!(names(self.path()), expected);
        let extra: Vec<String> = names(&self.result())
            .into_iter()
            .filter(|name| ![EVENTS, "experiment.toml", "README.md", "index.html"].contains(&name.as_str()))
            .filter(|name| name.starts_with('.') || !(name.ends_with(".svg") || name.ends_with(".png")))
            .collect();
        assert_eq!(extra, [""; 0]);
    }
}

fn names(directory: &Path) -> Vec<String> {
    let mut names: Vec<String> =
        fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

/// What a process said, for a failed assertion.
pub fn shown(output: &Output) -> String {
    let text = |bytes| String::from_utf8_lossy(bytes).into_owned();
    format!("{}\n{}\n{}", output.status, text(&output.stdout), text(&output.stderr))
}

/// The result of a config under a traffic profile; the last attempt.
pub fn result<'a>(log: &'a Log, config: &str, traffic: &str) -> &'a RunResult {
    let found = log
        .results
        .iter()
        .rfind(|result| (result.run.config.as_str(), result.run.traffic.as_str()) == (config, traffic));
    found.unwrap_or_else(|| panic!("{config} {traffic} did not run"))
}

/// Cause and detail of an invalid run.
pub fn invalid(result: &RunResult) -> (Cause, &str) {
    match &result.verdict {
        RunVerdict::Invalid { cause, detail } => (*cause, detail),
        RunVerdict::Valid => panic!("{} {} is valid", result.run.config, result.run.traffic),
    }
}

/// Valid, and every frame of every arm received or lost at a named place.
pub fn assert_accounted(result: &RunResult) {
    assert_eq!(result.verdict, RunVerdict::Valid, "{} {}", result.run.config, result.run.traffic);
    assert_eq!(result.arms.len(), result.run.arms.len());
    for arm in &result.arms {
        assert!(arm.sent > 0 && arm.sent == arm.received + arm.drops.values().sum::<u64>(), "{arm:?}");
        assert!(arm.forwarding_rate_pps().unwrap() > 0.0);
    }
}
