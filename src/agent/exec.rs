//! Commands with a deadline, inside a namespace: the one place that starts processes on a host.

use std::io::{Read, Write};
use std::os::unix::process::ExitStatusExt;
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use crate::store::event;
use crate::sys::namespace::{Namespace, start_inside};

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
                done.stderr.push_str(&format!(
                    "killed after {} s (a command that goes on in the background must close its output)",
                    timeout.as_secs()
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
