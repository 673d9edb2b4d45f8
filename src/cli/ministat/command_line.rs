//! ministat's options, with the original's messages for wrong ones.

use std::env;
use std::io::{self, IsTerminal};

use super::Failure;
use super::getopt::{Argument, Getopt};
use crate::stats::ministat::{Confidence, MOST_SETS, Options, Rules, strtod};

/// The command line, understood.
pub(super) struct Request {
    pub(super) options: Options,
    /// From 1.
    pub(super) column: usize,
    pub(super) delimiters: Vec<u8>,
    pub(super) files: Vec<Vec<u8>>,
}

pub(super) fn understand(mut args: Vec<Vec<u8>>) -> Result<Request, Failure> {
    let rules = take_rules(&mut args)?;
    let options = Options { rules, width: terminal_width(), ..Options::default() };
    let mut request = Request { options, column: 1, delimiters: b" \t".to_vec(), files: Vec::new() };
    let mut confidence = None;
    let options = &mut request.options;
    let usage = |complaint: &str| usage(rules, complaint.as_bytes());
    let letters = if rules == Rules::Modern { "AC:c:d:nPqsw:" } else { "AC:c:d:nsw:" };
    for argument in Getopt::new(args, letters, env::var_os("POSIXLY_CORRECT").is_some()) {
        match argument {
            Argument::Flag(b'A') => options.plot = false,
            Argument::Flag(b'n') => (options.plot, options.tests) = (false, false),
            Argument::Flag(b'P') => (options.population, options.tests) = (true, false),
            Argument::Flag(b'q') => options.heads = false,
            Argument::Flag(_s) => options.separate_bars = true,
            Argument::Option(b'C', value) => {
                let number = strtol(&value).ok_or_else(|| usage("Invalid column number."))?;
                let column = usize::try_from(number).ok().filter(|column| *column > 0);
                request.column = column.ok_or_else(|| usage("Column number should be positive."))?;
            }
            Argument::Option(b'c', value) => {
                let percent = strtod(&value).ok_or_else(|| usage("Not a floating point number"))?;
                confidence = Confidence::of_percent(percent).or(confidence);
                options.confidence = confidence.ok_or_else(|| usage("No support for confidence level"))?;
            }
            Argument::Option(b'd', value) => {
                if value.is_empty() {
                    return Err(usage("Can't use empty delimiter string"));
                }
                request.delimiters = value;
            }
            Argument::Option(_w, value) => {
                let number = strtol(&value).ok_or_else(|| usage("Invalid width, not a number."))?;
                options.width = number.try_into().map_err(|_| usage("Unable to move beyond left margin."))?;
            }
            Argument::Operand(file) => request.files.push(file),
            Argument::Wrong(complaint) => {
                let complaint = [b"ministat: ", complaint.as_slice(), b"\nUnknown option"].concat();
                return Err(self::usage(rules, &complaint));
            }
        }
    }
    if request.files.len() > MOST_SETS {
        return Err(usage("Too many datasets."));
    }
    Ok(request)
}

/// Takes `--rules NAME` or `--rules=NAME` out of the arguments; the last one wins.
fn take_rules(args: &mut Vec<Vec<u8>>) -> Result<Rules, Failure> {
    let mut rules = Rules::default();
    let end = |args: &[Vec<u8>]| args.iter().position(|arg| arg == b"--").unwrap_or(args.len());
    while let Some(place) = args[..end(args)].iter().position(|arg| arg == b"--rules" || arg.starts_with(b"--rules=")) {
        let argument = args.remove(place);
        let name = match argument.strip_prefix(b"--rules=") {
            Some(name) => name.to_vec(),
            None if place < args.len() => args.remove(place),
            None => Vec::new(),
        };
        let name = String::from_utf8_lossy(&name);
        rules = Rules::named(&name).ok_or_else(|| {
            let known = Rules::ALL.map(Rules::name).join(", ");
            Failure::new(2, &[format!("ministat: --rules `{name}` is none of {known}").as_bytes()])
        })?;
    }
    Ok(rules)
}

/// C's `strtol(text, .., 10)` in an int, when nothing is left over; an empty text is 0.
fn strtol(text: &[u8]) -> Option<i32> {
    if text.is_empty() {
        return Some(0);
    }
    let text = str::from_utf8(text).ok()?.trim_start_matches([' ', '\t', '\n', '\x0b', '\x0c', '\r']);
    let (sign, digits) = match text.strip_prefix('-') {
        Some(digits) => (-1, digits),
        None => (1, text.strip_prefix('+').unwrap_or(text)),
    };
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let size = digits.parse().unwrap_or(if sign < 0 { i64::MIN } else { i64::MAX });
    // The original keeps the low 32 bits, and so 2^32 + 40 is 40.
    Some(if size == i64::MIN { size } else { sign * size } as i32)
}

/// 74; on a terminal `$COLUMNS`, else its width less the frame.
fn terminal_width() -> usize {
    let usual = Options::default().width;
    if !io::stdout().is_terminal() {
        return usual;
    }
    match env::var("COLUMNS") {
        Ok(columns) if !columns.is_empty() => columns.trim().parse().unwrap_or(usual),
        _ => match terminal_size::terminal_size_of(io::stdout()) {
            Some((columns, _)) if columns.0 > 1 => usize::from(columns.0) - 2,
            _ => usual,
        },
    }
}

fn usage(rules: Rules, complaint: &[u8]) -> Failure {
    let flags = if rules == Rules::Modern { "AnPqs" } else { "Ans" };
    let text = format!(
        "\nUsage: ministat [-C column] [-c confidence] [-d delimiter(s)] [-{flags}] [-w width] [file [file ...]]
\tconfidence = {{80%, 90%, 95%, 98%, 99%, 99.5%}}
\t-A : print statistics only. suppress the graph.
\t-C : column number to extract (starts and defaults to 1)
\t-d : delimiter(s) string, default to \" \\t\"
\t-n : print summary statistics only, no graph/test
\t-s : print avg/median/stddev bars on separate lines
\t-w : width of graph/test output (default 74 or terminal width)"
    );
    Failure::new(2, &[complaint, text.as_bytes()])
}
