//! Noise for tests: seeded, the same on every machine.

use crate::random::Random;

pub struct Noise(Random);

impl Noise {
    pub fn new(seed: u64) -> Noise {
        Noise(Random::new(seed))
    }

    /// Heads or tails.
    pub fn coin(&mut self) -> bool {
        self.0.bits() >> 63 == 1
    }

    /// Uniform in [0, 1).
    pub fn uniform(&mut self) -> f64 {
        (self.0.bits() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Standard normal (Box and Muller).
    pub fn normal(&mut self) -> f64 {
        let radius = (-2.0 * (1.0 - self.uniform()).ln()).sqrt();
        radius * (std::f64::consts::TAU * self.uniform()).cos()
    }
}
