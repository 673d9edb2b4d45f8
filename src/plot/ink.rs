//! Colours. Series colours are Okabe and Ito's, distinguishable with every common form of colour blindness and, in
//! this order, by lightness as well.
//!
//! # Source
//! Okabe, Ito, *Color Universal Design* (2008), <https://jfly.uni-koeln.de/color/>.

/// A colour: `light` on white paper, `dark` on a dark page, which finds the shapes by `class`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ink {
    pub class: &'static str,
    pub light: &'static str,
    pub dark: &'static str,
}

pub const PAPER: Ink = Ink { class: "paper", light: "#ffffff", dark: "#14171a" };
pub const TEXT: Ink = Ink { class: "text", light: "#1b1f24", dark: "#e6e9ec" };
pub const MUTED: Ink = Ink { class: "muted", light: "#57606a", dark: "#a0a9b2" };
pub const GRID: Ink = Ink { class: "grid", light: "#c3c9cf", dark: "#3d444b" };
pub const BAND: Ink = Ink { class: "band", light: "#eceff2", dark: "#23282d" };
pub const BETTER: Ink = Ink { class: "better", light: "#0072b2", dark: "#4aa8e0" };
pub const WORSE: Ink = Ink { class: "worse", light: "#c04a00", dark: "#f0813a" };

const SERIES: [Ink; 7] = [
    Ink { class: "s0", light: "#0072b2", dark: "#3c96d2" },
    Ink { class: "s1", light: "#e69f00", dark: "#e69f00" },
    Ink { class: "s2", light: "#009e73", dark: "#1fb48a" },
    Ink { class: "s3", light: "#cc79a7", dark: "#cc79a7" },
    Ink { class: "s4", light: "#56b4e9", dark: "#86cdf5" },
    Ink { class: "s5", light: "#d55e00", dark: "#e8742a" },
    Ink { class: "s6", light: "#6b7280", dark: "#8b93a1" },
];

/// Colour of the n-th series; they come round again after seven.
pub fn series(n: usize) -> Ink {
    SERIES[n % SERIES.len()]
}

/// CSS that turns a picture on a page dark; the page decides when it applies.
pub fn dark_css() -> String {
    let fixed = [PAPER, TEXT, MUTED, GRID, BAND, BETTER, WORSE];
    let rule = |ink: &Ink| format!(".f-{0}{{fill:{1}}}.s-{0}{{stroke:{1}}}", ink.class, ink.dark);
    fixed.iter().chain(&SERIES).map(rule).collect()
}
