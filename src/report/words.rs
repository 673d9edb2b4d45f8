//! How numbers, questions, verdicts, causes and changes are said, the same on every page and on the terminal.

use crate::experiment::{Change, Experiment};
use crate::judge::{Answer, Comparison, Name, Question, reference_config};
use crate::stats::Verdict;
use crate::store::event::Cause;

/// A whole number with its thousands set off: `2,653,112`; three digits below 100.
pub fn count(value: f64) -> String {
    if value.abs() < 100.0 && value != value.trunc() {
        return format!("{value:.*}", if value.abs() < 10.0 { 2 } else { 1 });
    }
    let digits = format!("{:.0}", value.abs());
    let mut text = String::new();
    for (n, digit) in digits.chars().enumerate() {
        if n > 0 && (digits.len() - n) % 3 == 0 {
            text.push(',');
        }
        text.push(digit);
    }
    if value < 0.0 && digits != "0" { format!("-{text}") } else { text }
}

/// An effect in percent with its sign: `+1.45 %`.
pub fn change(answer: &Answer) -> String {
    format!("{} %", signed(answer.interval.percent(), answer.decimals))
}

/// Its interval: `+0.87 to +2.04 %`.
pub fn range(answer: &Answer) -> String {
    let percent = |ratio: f64| signed((ratio - 1.0) * 100.0, answer.decimals);
    format!("{} to {} %", percent(answer.interval.low), percent(answer.interval.high))
}

/// Time per packet more or less, with half its interval: `+31.4 ± 0.6 ns`.
pub fn cost(answer: &Answer) -> String {
    let decimals = match answer.cost_half_ns {
        half if half < 0.095 => 2,
        half if half < 9.5 => 1,
        _ => 0,
    };
    format!("{} ± {:.decimals$} ns", signed(answer.cost_ns, decimals), answer.cost_half_ns)
}

/// A share as a percentage: `0`, `0.003 %`, `12.5 %`.
pub fn share(share: f64) -> String {
    let percent = share * 100.0;
    match percent.abs() {
        0.0 => "0".into(),
        x if x < 0.001 => "below 0.001 %".into(),
        x if x < 1.0 => format!("{percent:.3} %"),
        _ => format!("{percent:.1} %"),
    }
}

/// A number in its shortest form: `95`, `0.5`.
pub fn short(value: f64) -> String {
    let text = format!("{value:.6}");
    text.trim_end_matches('0').trim_end_matches('.').to_string()
}

/// `1 run`, `2 runs`.
pub fn plural(number: usize, one: &str) -> String {
    format!("{} {one}{}", count(number as f64), if number == 1 { "" } else { "s" })
}

/// `a`, `a and b`, `a, b and c`.
pub fn and(parts: &[String]) -> String {
    match parts {
        [] => String::new(),
        [one] => one.clone(),
        [all @ .., last] => format!("{} and {last}", all.join(", ")),
    }
}

/// What a question is called: `no-early-demux against default`.
pub fn title(experiment: &Experiment, question: Question) -> String {
    let variants = &experiment.variants;
    let reference = reference_config(experiment).unwrap_or_default();
    match (question, &variants[..]) {
        (Question::Change, [baseline, candidate]) => format!("{} against {}", candidate.name, baseline.name),
        (Question::Change, [baseline, ..]) => format!("Each variant against {}", baseline.name),
        (Question::Config, _) => format!("What each config costs, against {reference}"),
        (Question::Family | Question::Change, _) => "IPv6 against IPv4".into(),
    }
}

/// What tells a comparison from the others of its question: `nft-stateful, inet4`.
pub fn label(experiment: &Experiment, comparison: &Comparison) -> String {
    let Name { variant, config, traffic } = &comparison.candidate;
    match comparison.question {
        Question::Change if experiment.variants.len() > 2 => format!("{variant}: {config}, {traffic}"),
        Question::Change | Question::Config => format!("{config}, {traffic}"),
        Question::Family => config.clone(),
    }
}

/// The verdict in a word. A config that is slower than none, or IPv6 than IPv4, has not regressed: only a change can.
pub fn word(question: Question, verdict: Verdict) -> &'static str {
    match (question, verdict) {
        (Question::Config | Question::Family, Verdict::Improved) => "faster",
        (Question::Config | Question::Family, Verdict::Regressed) => "slower",
        (_, verdict) => verdict.word(),
    }
}

/// A cause by its name in the log: `sender-limited`.
pub fn cause(cause: Cause) -> String {
    cause.to_string()
}

/// What a cause means to somebody who reads the numbers.
pub fn meaning(cause: Cause) -> &'static str {
    match cause {
        Cause::SenderLimited => "the DUT took all that was offered, so the rate would be the sender's",
        Cause::NothingReceived => "no frame arrived at the receiver",
        Cause::FramesUnaccounted => "frames were lost where nothing counts them",
        Cause::ForeignFrames => "the receiver saw frames that were not the sender's",
        Cause::CpuShared => "somebody else ran on the DUT's CPU",
        Cause::WrongDutState => "the DUT did not forward as declared",
        Cause::LabFailed => "the lab itself broke",
    }
}

/// How the frames were made.
pub fn sender(name: &str) -> Option<&'static str> {
    match name {
        "xdp-live-frames" => Some("frames are made by an XDP program inside the kernel (BPF_PROG_TEST_RUN)"),
        "af-packet" => Some("frames are sent through AF_PACKET sockets: slower than XDP, so more of each rate is the sender's own cost"),
        _ => None,
    }
}

/// What a config or a variant changes, one phrase each, as it would be typed.
pub fn changes(change: &Change) -> Vec<String> {
    let files = change.files.iter().map(|(target, file)| format!("{} as {target}", file.path));
    let sysctls = change.sysctl.iter().map(|(name, value)| format!("{name}={value}"));
    let nft = change.nft.iter().map(|file| format!("nft -f {}", file.path));
    let commands = change.commands.iter().map(|argv| argv.join(" "));
    let burn = (change.burn > 0).then(|| format!("burn = {} (a known slow-down in front of the DUT)", change.burn));
    files.chain(sysctls).chain(nft).chain(commands).chain(burn).collect()
}

fn signed(value: f64, decimals: usize) -> String {
    if value.abs() >= 1e7 {
        return format!("{value:+.1e}");
    }
    let text = format!("{value:+.decimals$}");
    // -0.00 is no decrease.
    if text.trim_start_matches(['+', '-']).chars().all(|c| "0.".contains(c)) { text.replace(['+', '-'], "") } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_read_well_at_every_size() {
        for (value, text) in [
            (0.0, "0"),
            (7.25, "7.25"),
            (999.0, "999"),
            (2653112.4, "2,653,112"),
            (-1234.0, "-1,234"),
            (1e18, "1,000,000,000,000,000,000"),
            (-0.2, "-0.20"),
        ] {
            assert_eq!(count(value), text);
        }
    }

    // A decrease that rounds to nothing is not printed as "-0.00".
    #[test]
    fn zero_has_no_sign() {
        assert_eq!((signed(-0.01, 1), signed(-0.06, 1), signed(141.7, 0)), ("0.0".into(), "-0.1".into(), "+142".into()));
    }

    #[test]
    fn lists_end_with_and() {
        assert_eq!(and(&["a".into(), "b".into(), "c".into()]), "a, b and c");
    }
}
