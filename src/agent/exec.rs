//! Commands with a deadline, inside a namespace: the one place that starts processes on a host.

use std::io::{Read, Write};
use std::os::unix::process::ExitStatusExt;
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use crate::store::event;
use crate::sys::namespace::{Namespace, start_inside};
use crate::units::show_duration;

/// More output than this is cut: it goes into the log.
const MAX_OUTPUT: u64 = 4 << 20;
/// Exit status of a command that could not be started, as shells give it.
const NOT_STARTED: i32 = 127;
/// Exit status of a command that was killed at its deadline, as timeout(1) gives it.
const TIMED_OUT: i32 = 124;

/// Where a command runs: a network namespace and, when files were installed there, a mount namespace.
#[derive(Debug, Clone, Copy)]
pub struct Place<'a> {
    pub net: &'a Namespace,
    pub mount: Option<&'a Namespace>,
}

/// Runs `argv` to its end, or kills it after `timeout`. Never fails: what went wrong is in the exit status and stderr.
pub fn run(host: &str, place: Option<Place<'_>>, argv: &[String], stdin: &str, timeout: Duration) -> event::Command {
    let started = Instant::now();
    let mut done = event::Command {
        host: host.into(),
        argv: argv.to_vec(),
        stdin: stdin.into(),
        exit: NOT_STARTED,
        ms: 0,
        stdout: String::new(),
        stderr: String::new(),
    };
    let Some((program, arguments)) = argv.split_first() else {
        done.stderr = "empty command".into();
        return done;
    };
    let mut command = Command::new(program);
    command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    if let Some(place) = place {
        start_inside(&mut command, place.net, place.mount);
    }
    let mut child = match command.spawn() {
        Ok(child) => child,
        Err(error) => {
            done.stderr = format!("cannot start `{program}`: {error}");
            return done;
        }
    };
    let (tell, told) = mpsc::channel();
    for (stream, pipe) in [
        (0, child.stdout.take().map(|pipe| Box::new(pipe) as Box<dyn Read + Send>)),
        (1, child.stderr.take().map(|pipe| Box::new(pipe) as Box<dyn Read + Send>)),
    ] {
        let tell = tell.clone();
        std::thread::spawn(move || {
            let mut bytes = Vec::new();
            if let Some(mut pipe) = pipe {
                let _ = pipe.by_ref().take(MAX_OUTPUT).read_to_end(&mut bytes);
                let _ = std::io::copy(&mut pipe, &mut std::io::sink());
            }
            let _ = tell.send((stream, String::from_utf8_lossy(&bytes).into_owned()));
        });
    }
    if let Some(mut pipe) = child.stdin.take() {
        // A command that does not read its input closes it early; that is its business.
        let _ = pipe.write_all(stdin.as_bytes());
    }
    let deadline = Instant::now() + timeout;
    for _ in 0..2 {
        match told.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
            Ok((0, text)) => done.stdout = text,
            Ok((_, text)) => done.stderr = text,
            Err(_) => {
                let _ = child.kill();
                let _ = child.wait();
                done.exit = TIMED_OUT;
                done.ms = started.elapsed().as_millis() as u32;
                done.stderr.push_str(&format!(
                    "killed after {} (a command that goes on in the background must close its output)",
                    show_duration(timeout)
                ));
                return done;
            }
        }
    }
    let status = child.wait();
    done.ms = started.elapsed().as_millis() as u32;
    done.exit = match status {
        Ok(status) => status.code().unwrap_or_else(|| 128 + status.signal().unwrap_or(0)),
        Err(error) => {
            done.stderr.push_str(&error.to_string());
            NOT_STARTED
        }
    };
    done
}

#[cfg(test)]
mod tests {
    use super::*;

    fn done(argv: &[&str], stdin: &str, timeout_ms: u64) -> event::Command {
        let argv: Vec<String> = argv.iter().map(|&word| word.into()).collect();
        run("here", None, &argv, stdin, Duration::from_millis(timeout_ms))
    }

    // Input, both outputs and the exit status arrive where they belong.
    #[test]
    fn a_command_is_recorded_whole() {
        let done = done(&["sh", "-c", "cat; echo oops >&2; exit 3"], "some input", 5000);
        assert_eq!((done.exit, done.stdout.as_str(), done.stderr.as_str()), (3, "some input", "oops\n"));
        assert_eq!((done.host.as_str(), done.argv.len(), done.stdin.as_str()), ("here", 3, "some input"));
    }

    // A signal is told as shells tell it, and so is a program that is not there.
    #[test]
    fn what_did_not_end_by_itself_says_so() {
        assert_eq!(done(&["sh", "-c", "kill -9 $$"], "", 5000).exit, 137);
        let missing = done(&["no-such-program"], "", 5000);
        assert_eq!(missing.exit, 127);
        assert!(missing.stderr.starts_with("cannot start `no-such-program`: No such file"), "{}", missing.stderr);
        assert_eq!(done(&[], "", 5000).exit, 127);
    }

    // A command that hangs is killed at its deadline; one that leaves a child with its output open is not waited for.
    #[test]
    fn a_deadline_ends_what_hangs() {
        for argv in [["sleep", "60"].as_slice(), &["sh", "-c", "sleep 3 & exit 0"]] {
            let done = done(argv, "", 200);
            assert_eq!(done.exit, 124, "{argv:?}");
            assert!(done.stderr.starts_with("killed after 0.2 s"), "{}", done.stderr);
            assert!((200..2000).contains(&done.ms), "{} ms", done.ms);
        }
    }

    // A command that goes on in the background with its output closed ends at once.
    #[test]
    fn a_daemon_is_let_go() {
        let done = done(&["sh", "-c", "sleep 2 >/dev/null 2>&1 & echo started"], "", 1500);
        assert_eq!((done.exit, done.stdout.as_str()), (0, "started\n"));
    }

    // A command that never reads its input, and one that writes more than is kept.
    #[test]
    fn pipes_do_not_block() {
        assert_eq!(done(&["true"], &"x".repeat(1 << 20), 5000).exit, 0);
        let much = done(&["head", "-c", "6000000", "/dev/zero"], "", 5000);
        assert_eq!((much.exit, much.stdout.len() as u64), (0, MAX_OUTPUT));
    }
}
