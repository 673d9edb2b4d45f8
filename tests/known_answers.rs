//! The five reference benchmarks of the netbenches archive, recomputed: answers that other programs found.

use std::fs;
use std::path::Path;

use linerate::stats::ministat::{self, Dataset, Options, Rules};
use linerate::stats::rank::{hodges_lehmann, mann_whitney};
use linerate::stats::verdict::equivalence_p;
use linerate::stats::{RatioInterval, judge, welch};

/// A unit of the last digit that a printed number has: the known answers come from means and deviations as published.
fn rounding(text: &str) -> f64 {
    let (digits, exponent) = text.split_once('e').unwrap_or((text, "0"));
    let decimals = digits.split_once('.').map_or(0, |(_, decimals)| decimals.len() as i32);
    1.01 * 10f64.powi(exponent.parse::<i32>().unwrap() - decimals)
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// Welch's test on the rates themselves, as the known degrees of freedom and p values are: exponentials whose logs are the
/// rates, in units of the baseline's mean.
fn welch_of_rates(before: &[f64], after: &[f64]) -> RatioInterval {
    let unit = mean(before);
    let exponentials = |rates: &[f64]| rates.iter().map(|rate| (rate / unit).exp()).collect::<Vec<_>>();
    welch(&exponentials(before), &exponentials(after), 0.95).unwrap()
}

// Sixteen comparisons: effect, Welch's degrees of freedom and p, interval, equivalence at 1 and 2 %, verdict, and both
// generations of ministat's error. The known intervals approximate the variance of a log by the squared CV, which is good
// to a few percent of their width.
#[test]
fn reference_benchmarks() {
    let archive = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/netbenches");
    if !archive.exists() {
        println!("skipped: needs the netbenches archive in ../shared/netbenches");
        return;
    }
    for line in include_str!("known_answers/benchmarks.tsv").lines().skip(1) {
        let fields: Vec<&str> = line.split('\t').collect();
        let read = |file: &str| {
            let text = fs::read(archive.join(fields[0]).join(file)).unwrap();
            ministat::parse(&text, 1, b" \t").unwrap()
        };
        let (before, after) = (read(fields[1]), read(fields[2]));
        let (rates, interval) = (welch_of_rates(&before, &after), welch(&before, &after, 0.95).unwrap());
        let width = (interval.high - interval.low) * 100.0;
        for (name, found, known, tolerance) in [
            ("percent", (mean(&after) / mean(&before) - 1.0) * 100.0, fields[3], 0.0),
            ("df", rates.df, fields[4], 0.0),
            ("p", rates.p, fields[5], 0.0),
            ("low", (interval.low - 1.0) * 100.0, fields[6], 0.02 * width),
            ("high", (interval.high - 1.0) * 100.0, fields[7], 0.02 * width),
            ("1 %", equivalence_p(&interval, 0.01), fields[8], 0.02 * equivalence_p(&interval, 0.01)),
            ("2 %", equivalence_p(&interval, 0.02), fields[9], 0.02 * equivalence_p(&interval, 0.02)),
        ] {
            let distance = (found - known.parse::<f64>().unwrap()).abs();
            assert!(distance <= rounding(known) + tolerance, "{line}\n{name}: {found}");
        }
        assert_eq!(judge(&interval, 0.01).word(), fields[10], "{line}");

        let table = |rules| {
            let sets =
                [("x", &before), ("+", &after)].map(|(name, values)| Dataset::new(name, values.clone()).unwrap());
            ministat::render(&sets, &Options { rules, ..Options::default() }).unwrap()
        };
        for (rules, column) in
            [(Rules::Modern, 12), (Rules::Fbsd2016, 12), (Rules::Debian20150715, 13), (Rules::Fbsd2015, 13)]
        {
            let table = table(rules);
            if fields[11] == "-" {
                continue;
            }
            assert!(table.contains(&format!(" +/- {}\n", fields[11])), "{line}\n{table}");
            assert!(table.contains(&format!("% +/- {}%\n", fields[column])), "{line}\n{table}");
        }
    }
}

// Raw data of two of them: exact Mann-Whitney and Hodges-Lehmann. The published bounds of the latter are differences over
// the baseline's mean and not ratios, which moves them by 0.01.
#[test]
fn rank_answers() {
    let vimage = (
        [473689.0, 475763.0, 479183.0, 477946.0, 477790.0],
        [481840.0, 484839.0, 482587.0, 484511.0, 485271.0],
        (25.0, 0.007937, [1.43, 0.82, 2.27]),
    );
    let mbuf = (
        [412598.0, 401991.0, 402364.0, 402003.0, 404563.0, 406098.0, 403727.0, 404960.0, 408335.0, 404058.5],
        [409288.0, 404869.0, 410221.0, 406747.0, 406878.0, 410739.0, 401911.0, 406173.0, 409420.0, 410553.0],
        (75.0, 0.0630, [0.76, -0.02, 1.43]),
    );
    let check = |before: &[f64], after: &[f64], (u, p, shift): (f64, f64, [f64; 3])| {
        let ranks = mann_whitney(before, after).unwrap();
        assert_eq!(ranks.u, u);
        assert!((ranks.p - p).abs() < 0.00005, "{ranks:?}");
        let found = hodges_lehmann(before, after, 0.95).unwrap();
        for (found, known) in [found.ratio, found.low, found.high].into_iter().zip(shift) {
            assert!(((found - 1.0) * 100.0 - known).abs() < 0.016, "{found} {known}");
        }
    };
    check(&vimage.0, &vimage.1, vimage.2);
    check(&mbuf.0, &mbuf.1, mbuf.2);
    assert!((welch_of_rates(&mbuf.0, &mbuf.1).p - 0.0758).abs() < 0.00005);
}
