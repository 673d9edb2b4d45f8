//! Many comparisons at once: p values adjusted to their number.
//!
//! A claim "no regression in any config" needs no adjustment: each part of it is tested at the full level, and all must
//! pass (intersection-union).

/// Holm's step-down: a comparison with an adjusted p below 0.05 may be called real, with at most 5 % of such families
/// holding a wrong one. For gates and sentences. In the order given; an empty family stays empty.
///
/// # Source
/// Holm, *Scandinavian Journal of Statistics* 6 (1979).
pub fn holm(p: &[f64]) -> Vec<f64> {
    let mut highest = 0.0f64;
    adjust(p, ascending(p), |rank, p, m| {
        highest = highest.max(p * (m - rank) as f64);
        highest
    })
}

/// Benjamini and Hochberg's step-up: of the comparisons with an adjusted p below 0.05 about 5 % are wrong. For tables to
/// explore. In the order given.
///
/// # Source
/// Benjamini and Hochberg, *J. Royal Statistical Society B* 57 (1995).
pub fn benjamini_hochberg(p: &[f64]) -> Vec<f64> {
    let mut lowest = 1.0f64;
    let descending: Vec<(usize, usize)> = ascending(p).into_iter().rev().collect();
    adjust(p, descending, |rank, p, m| {
        lowest = lowest.min(p * m as f64 / (rank + 1) as f64);
        lowest
    })
}

/// (rank from 0, place) from the smallest p on.
fn ascending(p: &[f64]) -> Vec<(usize, usize)> {
    let mut places: Vec<usize> = (0..p.len()).collect();
    places.sort_by(|one, other| p[*one].total_cmp(&p[*other]));
    places.into_iter().enumerate().collect()
}

fn adjust(p: &[f64], order: Vec<(usize, usize)>, mut step: impl FnMut(usize, f64, usize) -> f64) -> Vec<f64> {
    let mut adjusted = vec![1.0; p.len()];
    for (rank, place) in order {
        adjusted[place] = step(rank, p[place], p.len()).min(1.0);
    }
    adjusted
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn close(found: Vec<f64>, expected: &[f64]) {
        assert!(found.iter().zip(expected).all(|(one, other)| (one - other).abs() < 1e-12), "{found:?} {expected:?}");
    }

    // Four comparisons by hand.
    #[test]
    fn four_by_hand() {
        let p = [0.01, 0.04, 0.03, 0.005];
        close(holm(&p), &[0.03, 0.06, 0.06, 0.02]);
        close(benjamini_hochberg(&p), &[0.02, 0.04, 0.04, 0.02]);
        assert!(holm(&[]).is_empty());
        assert_eq!(holm(&[0.02]), [0.02]);
    }

    proptest! {
        // Adjusting never helps a comparison, keeps the order, and Holm is the stricter of the two.
        #[test]
        fn adjusted_p_are_larger(p in prop::collection::vec(0.0..1.0f64, 1..30)) {
            let (strict, lenient) = (holm(&p), benjamini_hochberg(&p));
            for i in 0..p.len() {
                prop_assert!(p[i] <= lenient[i] + 1e-15 && lenient[i] <= strict[i] + 1e-15 && strict[i] <= 1.0);
                for j in 0..p.len() {
                    prop_assert!(p[i] > p[j] || (strict[i] <= strict[j] && lenient[i] <= lenient[j]));
                }
            }
        }
    }
}
