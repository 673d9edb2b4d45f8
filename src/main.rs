use std::process::ExitCode;

use linerate::cli::{self, Exit};
use linerate::ui;

fn main() -> ExitCode {
    let args = cli::parse();
    ui::init(args.color, args.quiet);
    let exit = cli::run(args).unwrap_or_else(|error| {
        ui::error(&error);
        Exit::Error
    });
    exit.into()
}
