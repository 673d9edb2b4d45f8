//! Quantities a user writes and reads: loads, durations, rates, frame sizes. Parse and Display, nothing else.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use serde::{Deserialize, Serialize};

/// Bits per second of Ethernet throughput that one packet per second of simple IMIX makes:
/// `(7*(40+14) + 4*(576+14) + (1500+14)) / 12 * 8`, the netbenches archive's second axis.
pub const IMIX_BITS_PER_PACKET: f64 = 34016.0 / 12.0;

/// A text that is not the quantity it should be, with what would have been.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct UnitError(pub String);

/// Intended load of a trial (RFC 2285): a number of frames per second, or as many as the DUT can be driven to.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum Load {
    Max,
    /// Frames per second, at least one.
    Pps(u64),
}

impl FromStr for Load {
    type Err = UnitError;

    fn from_str(text: &str) -> Result<Self, UnitError> {
        let wrong = |why: &str| UnitError(format!("`{text}` is not a load: {why}; write \"max\", \"500 kpps\" or \"1.2 Mpps\""));
        if text.trim() == "max" {
            return Ok(Load::Max);
        }
        let (number, unit) = split(text).ok_or_else(|| wrong("it needs a number and a unit"))?;
        let scale = match unit {
            "pps" => 1.0,
            "kpps" => 1e3,
            "Mpps" => 1e6,
            "" => return Err(wrong("the unit is missing")),
            _ => return Err(wrong(&format!("the unit `{unit}` is none of pps, kpps, Mpps"))),
        };
        let pps = (number * scale).round();
        if !(1.0..=1e9).contains(&pps) {
            return Err(wrong("it must lie between 1 pps and 1000 Mpps"));
        }
        Ok(Load::Pps(pps as u64))
    }
}

impl fmt::Display for Load {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Load::Max => f.write_str("max"),
            Load::Pps(pps) if pps % 1_000_000 == 0 => write!(f, "{} Mpps", pps / 1_000_000),
            Load::Pps(pps) if pps % 1_000 == 0 => write!(f, "{} kpps", pps / 1_000),
            Load::Pps(pps) => write!(f, "{pps} pps"),
        }
    }
}

impl TryFrom<String> for Load {
    type Error = UnitError;
    fn try_from(text: String) -> Result<Self, UnitError> {
        text.parse()
    }
}

impl From<Load> for String {
    fn from(load: Load) -> String {
        load.to_string()
    }
}

/// Parses a duration with its unit: `"600 ms"`, `"2 s"`, `"1.5 min"`.
pub fn parse_duration(text: &str) -> Result<Duration, UnitError> {
    let wrong = |why: &str| UnitError(format!("`{text}` is not a duration: {why}; write \"600 ms\", \"2 s\" or \"1 min\""));
    let (number, unit) = split(text).ok_or_else(|| wrong("it needs a number and a unit"))?;
    let seconds = match unit {
        "us" => number * 1e-6,
        "ms" => number * 1e-3,
        "s" => number,
        "min" => number * 60.0,
        "h" => number * 3600.0,
        "" => return Err(wrong("the unit is missing")),
        _ => return Err(wrong(&format!("the unit `{unit}` is none of us, ms, s, min, h"))),
    };
    if !(seconds > 0.0 && seconds <= 86_400.0) {
        return Err(wrong("it must be longer than nothing and at most 24 h"));
    }
    Ok(Duration::from_secs_f64(seconds))
}

/// Parses a share with its sign: `"1 %"` is 0.01. More than nothing, at most a half.
pub fn parse_percent(text: &str) -> Result<f64, UnitError> {
    let wrong = |why: &str| UnitError(format!("`{text}` is not a share: {why}; write \"1 %\" or \"0.25 %\""));
    let (number, unit) = split(text).ok_or_else(|| wrong("it needs a number and `%`"))?;
    match unit {
        "%" if number > 0.0 && number <= 50.0 => Ok(number / 100.0),
        "%" => Err(wrong("it must be more than nothing and at most 50 %")),
        "" => Err(wrong("the `%` is missing")),
        _ => Err(wrong(&format!("the unit `{unit}` is not `%`"))),
    }
}

/// A duration as a person says it: `50 ms`, `0.6 s`, `48 s`, `2 min 30 s`, `3 h 5 min`.
pub fn show_duration(duration: Duration) -> String {
    let seconds = duration.as_secs_f64();
    let whole = seconds.round() as u64;
    match whole {
        _ if seconds < 0.0995 => format!("{:.0} ms", seconds * 1e3),
        _ if seconds < 9.95 => format!("{:.1} s", seconds),
        0..=119 => format!("{whole} s"),
        120..=7199 if whole.is_multiple_of(60) => format!("{} min", whole / 60),
        120..=7199 => format!("{} min {} s", whole / 60, whole % 60),
        _ => format!("{} h {} min", whole / 3600, whole % 3600 / 60),
    }
}

/// A rate as a person says it: `973 pps`, `412.6 kpps`, `2.65 Mpps`.
pub fn show_pps(pps: f64) -> String {
    match pps.abs() {
        x if x < 1e3 => format!("{pps:.0} pps"),
        x if x < 1e6 => format!("{:.1} kpps", pps / 1e3),
        _ => format!("{:.3} Mpps", pps / 1e6),
    }
}

/// The number in front and the unit behind it, blanks between them allowed.
fn split(text: &str) -> Option<(f64, &str)> {
    let text = text.trim();
    let end = text.find(|c: char| !(c.is_ascii_digit() || c == '.' || c == '_')).unwrap_or(text.len());
    let number = text[..end].replace('_', "").parse().ok()?;
    Some((number, text[end..].trim()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loads_parse_and_print_the_same() {
        for (text, load) in
            [("max", Load::Max), ("500 kpps", Load::Pps(500_000)), ("1.25Mpps", Load::Pps(1_250_000)), ("7 pps", Load::Pps(7))]
        {
            assert_eq!(text.parse::<Load>().unwrap(), load);
            assert_eq!(load.to_string().parse::<Load>().unwrap(), load);
        }
    }

    #[test]
    fn a_load_without_a_known_unit_is_refused_with_an_example() {
        for text in ["500", "500 kbps", "fast", "0 pps", "-3 kpps", "", "1e9 pps", "nan pps"] {
            let error = text.parse::<Load>().unwrap_err().to_string();
            assert!(error.contains("500 kpps"), "{error}");
        }
    }

    #[test]
    fn durations_need_a_unit_and_a_length() {
        assert_eq!(parse_duration("600 ms").unwrap(), Duration::from_millis(600));
        assert_eq!(parse_duration("1.5 min").unwrap(), Duration::from_secs(90));
        for text in ["5", "0 s", "2 parsecs", "25 h", "-1 s", ""] {
            assert!(parse_duration(text).is_err(), "{text}");
        }
    }

    // Short ones do not round to nothing, long ones need no calculator.
    #[test]
    fn durations_are_said_as_people_say_them() {
        for (ms, text) in [
            (10, "10 ms"),
            (99, "99 ms"),
            (100, "0.1 s"),
            (650, "0.7 s"),
            (9_960, "10 s"),
            (119_000, "119 s"),
            (120_000, "2 min"),
            (149_200, "2 min 29 s"),
            (11_100_000, "3 h 5 min"),
        ] {
            assert_eq!(show_duration(Duration::from_millis(ms)), text);
        }
    }

    #[test]
    fn shares_need_a_percent_sign_and_sense() {
        assert_eq!(parse_percent("1 %").unwrap(), 0.01);
        assert_eq!(parse_percent("0.25%").unwrap(), 0.0025);
        for text in ["1", "0 %", "51 %", "1 permille", "-1 %", "%"] {
            assert!(parse_percent(text).is_err(), "{text}");
        }
    }
}
