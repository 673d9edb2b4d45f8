//! `linerate doctor`: what works here, what is missing, and the command that fixes it.

use std::fmt::Write;

use super::Exit;
use crate::experiment::SenderKind;
use crate::lab::checkup::{self, Checkup, Finding, State};
use crate::ui::{self, Style};

/// Tell what works on this machine, what is missing and how to fix it; makes a tiny run to prove it
#[derive(Debug, clap::Args)]
pub struct Args {}

pub fn run(_: Args) -> anyhow::Result<Exit> {
    let checkup = checkup::examine();
    ui::out(&text(&checkup))?;
    Ok(if checkup.sender.is_some() { Exit::Done } else { Exit::Error })
}

fn text(checkup: &Checkup) -> String {
    let mut text = String::new();
    for Finding { state, what, means, fix } in &checkup.findings {
        let (style, word) = match state {
            State::Ok => (Style::Good, "ok     "),
            State::Worse => (Style::Doubtful, "worse  "),
            State::Missing => (Style::Bad, "missing"),
        };
        let means = means.lines().map(str::trim).collect::<Vec<_>>().join("; ");
        writeln!(text, "  {}  {what:13}  {means}", ui::paint_out(style, word)).expect("a String takes any text");
        if let Some(fix) = fix {
            writeln!(text, "  {:7}  {:13}  try  {fix}", "", "").expect("a String takes any text");
        }
    }
    let (style, verdict) = match checkup.sender {
        Some(SenderKind::XdpLiveFrames) => (
            Style::Good,
            "Runs work here, with the sender xdp-live-frames: frames made inside the kernel, the fastest there is.",
        ),
        Some(SenderKind::AfPacket) => (
            Style::Doubtful,
            "Runs work here, with the sender af-packet: frames through system calls. It sees differences about half as finely, in \
             ns per packet, as live frames do.",
        ),
        None => (Style::Bad, "Runs do not work here yet: see what is missing above."),
    };
    text + "\n" + &ui::paint_out(style, verdict) + "\n"
}
