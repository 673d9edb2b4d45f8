//! The command line: arguments as typed, then one small file per subcommand.

#[cfg(target_os = "linux")]
mod agent;
#[cfg(target_os = "linux")]
mod calibrate;
mod compare;
#[cfg(target_os = "linux")]
mod doctor;
mod exit;
pub mod ministat;
mod plan;
mod question;
mod report;
#[cfg(target_os = "linux")]
mod run;

use clap::{Parser, Subcommand};

pub use exit::Exit;

use crate::ui::Color;

/// Did this change make the router or firewall forward packets faster or slower, by how much, and how sure are we?
#[derive(Debug, Parser)]
#[command(version, after_help = exit::help())]
pub struct Args {
    /// Colours: auto (on a terminal, unless NO_COLOR is set), always, never
    #[arg(long, global = true, value_enum, default_value_t = Color::Auto, value_name = "WHEN", hide_possible_values = true)]
    pub color: Color,
    /// Say nothing but results, warnings and errors
    #[arg(short, long, global = true)]
    pub quiet: bool,
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    #[cfg(target_os = "linux")]
    Run(run::Args),
    Plan(plan::Args),
    Report(report::Args),
    Compare(compare::Args),
    #[cfg(target_os = "linux")]
    Calibrate(calibrate::Args),
    #[cfg(target_os = "linux")]
    Doctor(doctor::Args),
    /// FreeBSD's ministat(1), byte for byte; also when called through a link of that name
    #[command(disable_help_flag = true)]
    Ministat {
        #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "ARGUMENTS")]
        _arguments: Vec<std::ffi::OsString>,
    },
    #[cfg(target_os = "linux")]
    #[command(hide = true)]
    Agent,
}

/// The command line, taken apart; ends the process on `--help` and on a usage error.
pub fn parse() -> Args {
    Args::parse()
}

/// Does what was asked.
pub fn run(args: Args) -> anyhow::Result<Exit> {
    match args.command {
        #[cfg(target_os = "linux")]
        Command::Run(args) => run::run(args),
        Command::Plan(args) => plan::run(args),
        Command::Report(args) => report::run(args),
        Command::Compare(args) => compare::run(args),
        #[cfg(target_os = "linux")]
        Command::Calibrate(args) => calibrate::run(args),
        #[cfg(target_os = "linux")]
        Command::Doctor(args) => doctor::run(args),
        Command::Ministat { .. } => unreachable!("main has seen to it before"),
        #[cfg(target_os = "linux")]
        Command::Agent => agent::run(),
    }
}
