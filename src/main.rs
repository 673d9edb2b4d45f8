use std::path::Path;
use std::process::ExitCode;

fn main() -> ExitCode {
    let mut args = std::env::args_os();
    let program = args.next().unwrap_or_default();
    let named_ministat = Path::new(&program).file_name().is_some_and(|name| name == "ministat");
    if named_ministat || args.next().is_some_and(|command| command == "ministat") {
        return linerate::cli::ministat::main(args);
    }
    ExitCode::SUCCESS
}
