use std::process::ExitCode;

use linerate::cli::{self, Exit};
use linerate::ui;

fn main() -> ExitCode {
    if let Some(arguments) = cli::ministat::called(std::env::args_os()) {
        return cli::ministat::main(arguments);
    }
    let args = cli::parse();
    ui::init(args.color, args.quiet);
    let exit = cli::run(args).unwrap_or_else(|error| {
        ui::error(&error);
        Exit::Error
    });
    exit.into()
}
