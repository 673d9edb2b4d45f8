//! Every byte against Debian's ministat, which is another program of the same rules.

use std::fmt::Write;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};

const CASES: u32 = 2000;

// Two thousand random inputs: sets, distributions, layouts, options. Output, messages and exit code agree.
#[test]
fn agrees_with_debian_on_random_input() {
    if Command::new("ministat").args(["-n", "/dev/null"]).output().is_err() {
        println!("skipped: needs Debian's ministat 20150715 (apt install ministat)");
        return;
    }
    let directory = tempfile::tempdir().unwrap();
    let mut crashed = 0;
    for seed in 0..CASES {
        let mut random = Random(u64::from(seed + 1) << 32 | 0x9e37_79b9);
        let arguments = case(&mut random, directory.path());
        let theirs = run("ministat", &[], &arguments, directory.path());
        // Some plots of width 0 crash it, and then there is nothing to agree with.
        if theirs.status.code().is_none() {
            crashed += 1;
            continue;
        }
        let ours = run(
            env!("CARGO_BIN_EXE_linerate"),
            &["ministat", "--rules", "debian20150715"],
            &arguments,
            directory.path(),
        );
        let show = |output: &Output| {
            format!(
                "{:?}\n{}{}",
                output.status,
                String::from_utf8_lossy(&output.stdout),
                String::from_utf8_lossy(&output.stderr)
            )
        };
        let same =
            theirs.status.code() == ours.status.code() && theirs.stdout == ours.stdout && theirs.stderr == ours.stderr;
        assert!(same, "seed {seed}, {arguments:?}\ntheirs: {}\nours: {}", show(&theirs), show(&ours));
    }
    assert!(crashed < CASES / 20, "{crashed} cases compare nothing");
}

fn run(program: &str, first: &[&str], arguments: &[String], directory: &Path) -> Output {
    Command::new(program).args(first).args(arguments).current_dir(directory).env("LC_ALL", "C").output().unwrap()
}

/// Writes the files of a case and returns its arguments.
fn case(random: &mut Random, directory: &Path) -> Vec<String> {
    let mut arguments = Vec::new();
    for option in ["-s", "-A", "-n"] {
        if random.below(4) == 0 {
            arguments.push(option.to_string());
        }
    }
    if random.below(2) == 0 {
        arguments.push(format!("-c{}", ["80", "90", "95", "98", "99", "99.5"][random.below(6)]));
    }
    if random.below(2) == 0 {
        // One column wide crashes the original.
        arguments.extend(["-w".to_string(), [0, 2, 3, 5, 17, 40, 74, 80, 133][random.below(9)].to_string()]);
    }
    let column = 1 + random.below(3);
    let separator = ["\t", "  ", ",", ";,"][random.below(4)];
    if column > 1 {
        arguments.push(format!("-C{column}"));
    }
    if separator.contains(',') {
        arguments.extend(["-d".to_string(), ";,".to_string()]);
    }
    let kind = random.below(8);
    for set in 0..1 + random.below(7) {
        let name = format!("set{set}");
        fs::write(directory.join(&name), text(random, kind, column, separator)).unwrap();
        arguments.push(name);
    }
    arguments
}

fn text(random: &mut Random, kind: usize, column: usize, separator: &str) -> String {
    let count = [3, 4, 5, 10, 30, 2, 120][random.below(7)];
    let centre = 1e5 * (1.0 + 0.01 * random.below(9) as f64);
    let mut text = String::new();
    for _ in 0..count {
        if random.below(20) == 0 {
            text.push_str(["\n", "# comment\n", "   \n", "\r\n", "#\n"][random.below(5)]);
        }
        for field in 1..column {
            write!(text, "field{field}{separator}").unwrap();
        }
        let normal = random.normal();
        match kind {
            0 => write!(text, "{:.0}", centre + 1000.0 * normal),
            1 => write!(text, "{:.3}", centre + 1000.0 * normal),
            2 => write!(text, "{}", random.below(9)),
            3 => write!(text, "{}", 100.0 * normal),
            4 => write!(text, "{:e}", normal * 10f64.powi(random.below(60) as i32 - 30)),
            5 => write!(text, "{}", 7 * random.below(2) + 12345),
            6 => write!(text, "0x{:x}", random.below(100_000)),
            _ => write!(text, "{:.0}.5", 1e7 * centre),
        }
        .unwrap();
        text.push_str(["\n", "\n", "\n", "\r\n", " \t\n"][random.below(5)]);
    }
    // Now and then a line that is no number.
    if random.below(40) == 0 {
        text.push_str(["12,5x\n", "1e\n", "7#8\n", "1.2.3\n"][random.below(4)]);
    }
    if random.below(3) == 0 {
        text.truncate(text.trim_end().len());
    }
    text
}

/// xorshift64*: the same cases on every machine.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    fn below(&mut self, limit: usize) -> usize {
        ((u128::from(self.next()) * limit as u128) >> 64) as usize
    }

    /// A sum of twelve uniform numbers: near enough to normal here.
    fn normal(&mut self) -> f64 {
        (0..12).map(|_| self.next() as f64 / 2f64.powi(64)).sum::<f64>() - 6.0
    }
}
