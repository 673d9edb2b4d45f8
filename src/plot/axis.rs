//! Numbers on axes.

/// A linear axis from 0: its ticks and how they are written.
pub struct Axis {
    step: f64,
    /// Ticks lie between 0 and this.
    max: f64,
}

impl Axis {
    /// Ticks at 1, 2, 2.5 or 5 times a power of ten, about `count` of them up to `max`, which is positive and finite.
    pub fn new(max: f64, count: f64) -> Axis {
        Axis { step: nice_step(max / count), max }
    }

    /// Value and text of every tick.
    pub fn ticks(&self) -> Vec<(f64, String)> {
        let count = (self.max / self.step + 1e-9).floor() as u32;
        let (scale, prefix) = prefix(self.max);
        let decimals = decimals(self.step / scale);
        let write = |value: f64| if value == 0.0 { "0".to_string() } else { format!("{:.decimals$}{prefix}", value / scale) };
        (0..=count).map(|n| f64::from(n) * self.step).map(|value| (value, write(value))).collect()
    }
}

/// The smallest of 1, 2, 2.5, 5 times a power of ten that is not below `raw`.
pub fn nice_step(raw: f64) -> f64 {
    let power = 10f64.powf(raw.log10().floor());
    [1.0, 2.0, 2.5, 5.0, 10.0].into_iter().map(|m| m * power).find(|&step| step >= raw * (1.0 - 1e-9)).unwrap_or(10.0 * power)
}

/// Decimals needed to tell multiples of `step` apart.
pub fn decimals(step: f64) -> usize {
    let whole = |decimals: &usize| {
        let shifted = step * 10f64.powi(*decimals as i32);
        (shifted - shifted.round()).abs() < 1e-6
    };
    (0..9).find(whole).unwrap_or(9)
}

/// A number in three digits: `2.65 M`, `413 k`, `973`.
pub fn short(value: f64) -> String {
    // 999.6 k is 1.00 M: round to three digits before the prefix is chosen.
    let magnitude = if value > 0.0 { 10f64.powf(value.log10().floor() - 2.0) } else { 1.0 };
    let value = (value / magnitude).round() * magnitude;
    let (scale, prefix) = prefix(value);
    let value = value / scale;
    match value {
        0.0 => "0".into(),
        v if v < 9.995 => format!("{v:.2}{prefix}"),
        v if v < 99.95 => format!("{v:.1}{prefix}"),
        v => format!("{v:.0}{prefix}"),
    }
}

/// Scale and SI prefix (with the blank before it) in which `value` is at least 1.
fn prefix(value: f64) -> (f64, &'static str) {
    const PREFIXES: [(f64, &str); 6] = [(1e18, " E"), (1e15, " P"), (1e12, " T"), (1e9, " G"), (1e6, " M"), (1e3, " k")];
    PREFIXES.into_iter().find(|(scale, _)| value >= scale * (1.0 - 1e-9)).unwrap_or((1.0, ""))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(max: f64, count: f64) -> Vec<String> {
        Axis::new(max, count).ticks().into_iter().map(|(_, text)| text).collect()
    }

    #[test]
    fn ticks_share_one_prefix_and_as_many_decimals_as_they_need() {
        assert_eq!(texts(2.9e6, 6.0), ["0", "0.5 M", "1.0 M", "1.5 M", "2.0 M", "2.5 M"]);
        assert_eq!(texts(1000.0, 4.0), ["0", "0.25 k", "0.50 k", "0.75 k", "1.00 k"]);
        assert_eq!(texts(0.7, 3.0), ["0", "0.25", "0.50"]);
    }

    #[test]
    fn short_numbers_have_three_digits() {
        for (value, text) in [
            (0.0, "0"),
            (0.5, "0.50"),
            (973.4, "973"),
            (999.6, "1.00 k"),
            (12_345.0, "12.3 k"),
            (2.654e6, "2.65 M"),
            (1.488e7, "14.9 M"),
            (3e18, "3.00 E"),
        ] {
            assert_eq!(short(value), text);
        }
    }
}
