//! How often equals are called different: 20,000 comparisons of two variants that are the same, per kind of noise and
//! number of iterations, with fixed seeds.

use super::ratio::{log_ratios, one_sample, trimmed, welch};
use super::simulate::Noise;

const REPETITIONS: u32 = 20_000;

/// Runs of both arms in blocks of two, the order inside a block drawn at random, as a plan makes them. `noise` gets the
/// arm and gives the run's relative deviation, in units of which 1 stands for 0.5 %.
fn experiment(n: usize, random: &mut Noise, mut noise: impl FnMut(usize, &mut Noise) -> f64) -> [Vec<f64>; 2] {
    let mut arms = [Vec::with_capacity(n), Vec::with_capacity(n)];
    for _ in 0..n {
        let first = usize::from(random.coin());
        for arm in [first, 1 - first] {
            arms[arm].push(1e6 * (0.005 * noise(arm, random)).exp());
        }
    }
    arms
}

/// Share of false verdicts of Welch's test, the paired t and the trimmed mean of pairs.
fn rates(n: usize, kind: Kind) -> [f64; 3] {
    let mut random = Noise::new(n as u64);
    let mut wrong = [0; 3];
    for _ in 0..REPETITIONS {
        let mut state = random.normal();
        let [before, after] = experiment(n, &mut random, |arm, random| kind.noise(arm, &mut state, random));
        let pairs = log_ratios(&before, &after).unwrap();
        let tests = [welch(&before, &after, 0.95), one_sample(&pairs, 0.95), trimmed(&pairs, 0.95)];
        for (wrong, test) in wrong.iter_mut().zip(tests) {
            *wrong += u32::from(test.unwrap().p < 0.05);
        }
    }
    wrong.map(|wrong| f64::from(wrong) / f64::from(REPETITIONS))
}

#[derive(Debug, Clone, Copy)]
enum Kind {
    Normal,
    /// Student's t with 3 degrees of freedom: heavy tails.
    T3,
    /// A fifth of the runs four standard deviations slower.
    Bimodal,
    /// One arm five times as noisy.
    OneToFive,
    /// Each run remembers half of the one before it.
    Ar1,
}

impl Kind {
    fn noise(self, arm: usize, state: &mut f64, random: &mut Noise) -> f64 {
        let normal = random.normal();
        match self {
            Kind::Normal => normal,
            Kind::T3 => {
                let chi_squared: f64 = (0..3).map(|_| random.normal().powi(2)).sum();
                normal / (chi_squared / 3.0).sqrt()
            }
            Kind::Bimodal if random.uniform() < 0.2 => normal - 4.0,
            Kind::Bimodal => normal,
            Kind::OneToFive if arm == 1 => 5.0 * normal,
            Kind::OneToFive => normal,
            Kind::Ar1 => {
                *state = 0.5 * *state + 0.75f64.sqrt() * normal;
                *state
            }
        }
    }
}

// At a level of 5 % the rates lie within 4 and 6 %, but where theory says otherwise:
// - Welch's test errs less with five runs of heavy-tailed or bimodal noise: a stray run widens the interval more than it
//   moves the mean.
// - Welch's test errs much less when neighbours in time are alike, for both arms then share what it takes for noise; in
//   pairs it cancels, which is what blocks are for.
// - The trimmed mean's variance is too small up to ten blocks or so, and it errs a little more.
#[test]
fn equals_are_called_different_in_five_percent() {
    for kind in [Kind::Normal, Kind::T3, Kind::Bimodal, Kind::OneToFive, Kind::Ar1] {
        for n in [5, 10, 20] {
            let usual = 0.04..0.06;
            let welch = match kind {
                Kind::T3 | Kind::Bimodal if n == 5 => 0.03..0.04,
                Kind::Ar1 => 0.005..0.02,
                _ => usual.clone(),
            };
            let paired = if n == 5 && matches!(kind, Kind::Bimodal) { 0.035..0.045 } else { usual.clone() };
            let trimmed = if n <= 10 { 0.04..0.066 } else { usual };
            let rates = rates(n, kind);
            for (range, (rate, name)) in
                [welch, paired, trimmed].iter().zip(rates.iter().zip(["Welch", "paired", "trimmed"]))
            {
                assert!(range.contains(rate), "{name}, {kind:?}, {n} runs: {rate}");
            }
        }
    }
}
