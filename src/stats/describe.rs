//! Moments, as every test needs them.

/// Arithmetic mean of a non-empty slice.
pub(super) fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// Sum of squared deviations from the mean, in two passes.
pub(super) fn squares_about_mean(values: &[f64]) -> f64 {
    let mean = mean(values);
    values.iter().map(|value| (value - mean).powi(2)).sum()
}

/// Variance with n - 1; `None` below two values. Exactly zero if and only if all values are the same: a mean that
/// does not come out exact would otherwise make noise out of rounding.
pub(super) fn variance(values: &[f64]) -> Option<f64> {
    if values.len() < 2 {
        return None;
    }
    if values.iter().all(|value| *value == values[0]) {
        return Some(0.0);
    }
    Some(squares_about_mean(values) / (values.len() - 1) as f64)
}

/// Standard deviation with n - 1; `None` below two values.
pub(super) fn stddev(values: &[f64]) -> Option<f64> {
    variance(values).map(f64::sqrt)
}
