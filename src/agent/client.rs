//! The side that asks: starts an agent and talks to it.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, anyhow, bail};

use super::protocol::{Answer, Capabilities, Request};
use crate::experiment::Traffic;
use crate::store::event;
use crate::sys::namespace::{is_privileged, own_session_until_parent_dies};
use crate::sys::signal;
use crate::traffic::probe::ProbeReport;
use crate::traffic::{Blast, BlastReport};

/// How long an answer may take beyond what the request itself asks for.
const PATIENCE: Duration = Duration::from_secs(20);
/// More of what a dying agent says is not kept.
const MAX_LAST_WORDS: u64 = 4096;

/// The user asked to stop (Ctrl-C, SIGTERM, SIGHUP).
#[derive(Debug, thiserror::Error)]
#[error("interrupted")]
pub struct Interrupted;

/// A running agent. Dropping it ends the agent and all that it made.
pub struct Agent {
    child: Child,
    requests: Option<ChildStdin>,
    answers: Receiver<std::io::Result<String>>,
    /// What it, or `unshare` in front of it, says on standard error.
    last_words: Option<JoinHandle<String>>,
}

/// Where programs are looked for: Debian leaves the directories of ip, nft and sysctl out of an ordinary user's PATH.
pub fn search_path() -> String {
    let path = std::env::var("PATH").unwrap_or_else(|_| "/usr/bin:/bin".into());
    format!("{path}:/usr/local/sbin:/usr/sbin:/sbin")
}

impl Agent {
    /// Starts an agent in fresh mount, network and PID namespaces on this machine, and without root in a user
    /// namespace as well.
    pub fn start_in_namespaces() -> Result<Self> {
        let binary = std::env::current_exe().context("cannot find linerate's own binary")?;
        let mut command = Command::new("unshare");
        if !is_privileged() {
            command.args(["--user", "--map-root-user"]);
        }
        command.args(["--mount", "--net", "--pid", "--fork", "--kill-child"]).arg(binary).arg("agent");
        command.env("PATH", search_path());
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        own_session_until_parent_dies(&mut command);
        let mut child =
            command.spawn().context("`unshare`, which makes namespaces, cannot be started; try `apt-get install util-linux`")?;
        let requests = child.stdin.take();
        let mut complaints = child.stderr.take().context("the agent has no standard error")?;
        let last_words = std::thread::spawn(move || {
            let mut bytes = Vec::new();
            let _ = complaints.by_ref().take(MAX_LAST_WORDS).read_to_end(&mut bytes);
            let _ = std::io::copy(&mut complaints, &mut std::io::sink());
            String::from_utf8_lossy(&bytes).trim().to_owned()
        });
        let output = child.stdout.take().context("the agent has no output")?;
        let (tell, answers) = channel();
        std::thread::spawn(move || {
            for line in BufReader::new(output).lines() {
                if tell.send(line).is_err() {
                    break;
                }
            }
        });
        Ok(Agent { child, requests, answers, last_words: Some(last_words) })
    }

    pub fn capabilities(&mut self) -> Result<Capabilities> {
        match self.ask(&Request::Capabilities, Duration::ZERO)? {
            Answer::Capabilities(capabilities) => Ok(capabilities),
            other => bail!("the agent answered out of turn: {other:?}"),
        }
    }

    /// Runs a command in a namespace of the lab; its failure is in the result, not an error.
    pub fn exec(&mut self, host: &str, argv: &[String], stdin: &str, timeout: Duration) -> Result<event::Command> {
        let request = Request::Exec {
            host: host.into(),
            argv: argv.to_vec(),
            stdin: stdin.into(),
            timeout_s: timeout.as_secs_f64(),
        };
        match self.ask(&request, timeout)? {
            Answer::Exec(command) => Ok(command),
            other => bail!("the agent answered out of turn: {other:?}"),
        }
    }

    pub fn install(&mut self, host: &str, files: std::collections::BTreeMap<String, String>) -> Result<()> {
        self.done(&Request::Install { host: host.into(), files })
    }

    pub fn prime(&mut self, traffic: &Traffic, arm: usize) -> Result<()> {
        self.done(&Request::Prime { traffic: traffic.clone(), arm })
    }

    pub fn probe(&mut self, traffic: &Traffic, arm: usize) -> Result<ProbeReport> {
        match self.ask(&Request::Probe { traffic: traffic.clone(), arm }, Duration::ZERO)? {
            Answer::Probe(report) => Ok(report),
            other => bail!("the agent answered out of turn: {other:?}"),
        }
    }

    pub fn blast(&mut self, blast: Blast) -> Result<BlastReport> {
        let planned = blast.warmup + blast.duration;
        match self.ask(&Request::Blast(blast), planned * 2)? {
            Answer::Blast(report) => Ok(report),
            other => bail!("the agent answered out of turn: {other:?}"),
        }
    }

    /// Ends what commands left running.
    pub fn end_leftovers(&mut self) -> Result<()> {
        self.done(&Request::EndLeftovers)
    }

    fn done(&mut self, request: &Request) -> Result<()> {
        match self.ask(request, Duration::ZERO)? {
            Answer::Done => Ok(()),
            other => bail!("the agent answered out of turn: {other:?}"),
        }
    }

    fn ask(&mut self, request: &Request, expected: Duration) -> Result<Answer> {
        let mut line = serde_json::to_vec(request)?;
        line.push(b'\n');
        let requests = self.requests.as_mut().context("the agent was ended")?;
        if requests.write_all(&line).is_err() {
            return Err(self.died());
        }
        let deadline = Instant::now() + expected + PATIENCE;
        loop {
            match self.answers.recv_timeout(Duration::from_millis(50)) {
                Ok(line) => match serde_json::from_str(&line.context("cannot read the agent's answer")?)? {
                    Answer::Failed(why) => bail!(why),
                    answer => return Ok(answer),
                },
                Err(RecvTimeoutError::Disconnected) => return Err(self.died()),
                Err(RecvTimeoutError::Timeout) if signal::stop_requested() => return Err(Interrupted.into()),
                Err(RecvTimeoutError::Timeout) if Instant::now() > deadline => {
                    bail!("the agent did not answer within {} s", (expected + PATIENCE).as_secs())
                }
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
    }
}

impl Agent {
    /// Why the agent does not answer any more.
    fn died(&mut self) -> anyhow::Error {
        let _ = self.child.kill();
        let said = self.last_words.take().and_then(|thread| thread.join().ok()).unwrap_or_default();
        match said.as_str() {
            "" => anyhow!("the agent died and said nothing"),
            said => anyhow!("the agent died: {said}"),
        }
    }
}

impl Drop for Agent {
    fn drop(&mut self) {
        drop(self.requests.take());
        let deadline = Instant::now() + Duration::from_millis(200);
        while Instant::now() < deadline {
            if let Ok(Some(_)) = self.child.try_wait() {
                return;
            }
            std::thread::sleep(Duration::from_millis(2));
        }
        // Busy in a blast or a command: unshare's --kill-child takes the agent down with it.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
