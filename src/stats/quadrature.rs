//! Integrals of smooth functions.

/// Nodes and weights of Gauss and Legendre's 12-point rule on each panel between two neighbours of `edges`, which ascend:
/// the sum of weight * f(node) is the integral of f. Exact for polynomials up to degree 23 on each panel.
pub(super) fn gauss_legendre(edges: &[f64]) -> impl Iterator<Item = (f64, f64)> {
    edges.windows(2).flat_map(|panel| {
        let (middle, half) = ((panel[0] + panel[1]) / 2.0, (panel[1] - panel[0]) / 2.0);
        NODES.into_iter().flat_map(move |(node, weight)| {
            [(middle - half * node, half * weight), (middle + half * node, half * weight)]
        })
    })
}

/// Positive nodes and weights of the 12-point rule on [-1, 1] (Abramowitz & Stegun, table 25.4).
const NODES: [(f64, f64); 6] = [
    (0.125_233_408_511_468_9, 0.249_147_045_813_402_77),
    (0.367_831_498_998_180_2, 0.233_492_536_538_354_8),
    (0.587_317_954_286_617_5, 0.203_167_426_723_065_92),
    (0.769_902_674_194_304_7, 0.160_078_328_543_346_22),
    (0.904_117_256_370_474_9, 0.106_939_325_995_318_43),
    (0.981_560_634_246_719_2, 0.047_175_336_386_511_83),
];

#[cfg(test)]
mod tests {
    use super::*;

    // A polynomial of the highest exact degree, over two panels, and a smooth function.
    #[test]
    fn integrates() {
        let integral = |f: &dyn Fn(f64) -> f64| -> f64 {
            gauss_legendre(&[0.0, 0.3, 1.0]).map(|(node, weight)| weight * f(node)).sum()
        };
        assert!((integral(&|x| x.powi(23)) - 1.0 / 24.0).abs() < 1e-15);
        assert!((integral(&f64::exp) - (std::f64::consts::E - 1.0)).abs() < 1e-14);
    }
}
