//! `linerate ministat`, or any link named `ministat`: FreeBSD's ministat(1), its command line and exit codes included.

mod command_line;
mod getopt;

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, BufWriter, IsTerminal, Read, Write};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::Path;
use std::process::ExitCode;

use crate::stats::ministat::{Column, Dataset, Refused, Rules, Table};
use command_line::Request;

/// The arguments, when `linerate` is asked to be ministat: as a subcommand, or by the name it was called by.
pub fn called(mut arguments: impl Iterator<Item = OsString>) -> Option<impl Iterator<Item = OsString>> {
    let program = arguments.next().unwrap_or_default();
    let by_name = Path::new(&program).file_name().is_some_and(|name| name == "ministat");
    (by_name || arguments.next().is_some_and(|command| command == "ministat")).then_some(arguments)
}

/// Runs ministat with `args`, which do not hold the program's name, and prints what it prints.
///
/// `--rules NAME` is the one option the original does not have. Exit codes are the original's: 0 for an answer, whatever
/// it says, 2 or (older rules, a file that cannot be opened) 1 for none.
pub fn main(args: impl Iterator<Item = OsString>) -> ExitCode {
    match run(args.map(OsString::into_vec).collect()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            // Nobody is left to tell when standard error is closed.
            let _ = io::stderr().write_all(&failure.message);
            ExitCode::from(failure.exit)
        }
    }
}

/// What goes to standard error, and the exit code.
struct Failure {
    message: Vec<u8>,
    exit: u8,
}

impl Failure {
    fn new(exit: u8, message: &[&[u8]]) -> Failure {
        Failure { message: [message.concat(), b"\n".to_vec()].concat(), exit }
    }
}

fn run(args: Vec<Vec<u8>>) -> Result<(), Failure> {
    let request = command_line::understand(args)?;
    let sets = read_all(&request)?;
    let table = Table::new(&sets, &request.options).map_err(|refused| refuse(refused, request.options.rules))?;
    let mut out = BufWriter::with_capacity(1 << 16, io::stdout().lock());
    match table.write(&mut out).and_then(|()| out.flush()) {
        // Whoever read our output has seen enough.
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(Failure::new(1, &[b"ministat: standard output: ", reason(&error).as_bytes()]))
        }
        _ => Ok(()),
    }
}

/// Debian's program dies of a segmentation fault where no plot is possible, and its rules promise its bytes: a script sees
/// that exit code and nothing else, a person at a terminal is told why.
fn refuse(refused: Refused, rules: Rules) -> Failure {
    let failure = Failure::new(2, &[b"ministat: ", refused.to_string().as_bytes()]);
    let crashes = matches!(refused, Refused::WidthOne | Refused::NotPlottable);
    if rules != Rules::Debian20150715 || !crashes {
        return failure;
    }
    let message = if io::stderr().is_terminal() { failure.message } else { Vec::new() };
    Failure { message, exit: 128 + 11 }
}

/// Modern rules open every file before they read one, older ones take file after file: it decides which error comes first.
fn read_all(request: &Request) -> Result<Vec<Dataset>, Failure> {
    let rules = request.options.rules;
    if request.files.is_empty() {
        return Ok(vec![read(b"<stdin>", Box::new(io::stdin()), request)?]);
    }
    if rules == Rules::Modern {
        let open = request.files.iter().map(|name| open(name, 2)).collect::<Result<Vec<_>, _>>()?;
        return request.files.iter().zip(open).map(|(name, input)| read(name, input, request)).collect();
    }
    let legend = |name| if name == b"-" { &b"<stdin>"[..] } else { name };
    request.files.iter().map(|name| read(legend(name), open(name, 1)?, request)).collect()
}

fn open(name: &[u8], exit: u8) -> Result<Box<dyn Read>, Failure> {
    if name == b"-" {
        return Ok(Box::new(io::stdin()));
    }
    match File::open(OsStr::from_bytes(name)) {
        Ok(file) => Ok(Box::new(file)),
        Err(error) => Err(Failure::new(exit, &[b"ministat: Cannot open ", name, b": ", reason(&error).as_bytes()])),
    }
}

/// Reads in pieces: memory for a whole text would cost more time than parsing it.
fn read(name: &[u8], mut input: Box<dyn Read>, request: &Request) -> Result<Dataset, Failure> {
    let mut column = Column::new(request.column, &request.delimiters);
    let mut buffer = vec![0; 1 << 17];
    let mut held = 0;
    loop {
        // What cannot be read further, a directory for one, ends there, as for the original: too few points, perhaps.
        let more = input.read(&mut buffer[held..]).unwrap_or(0);
        held += more;
        let used = column
            .take(&buffer[..held], more == 0)
            .map_err(|bad| Failure::new(2, &[b"ministat: ", bad.to_string().as_bytes(), b" in ", name]))?;
        buffer.copy_within(used..held, 0);
        held -= used;
        if more == 0 {
            break;
        }
    }
    Dataset::new(name, column.values)
        .ok_or_else(|| Failure::new(2, &[b"Dataset ", name, b" must contain at least 3 data points"]))
}

/// The system's words for an error, without Rust's number behind them.
fn reason(error: &io::Error) -> String {
    let text = error.to_string();
    text.split(" (os error").next().unwrap_or_default().to_string()
}
