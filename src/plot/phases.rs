//! Rate over time: what the machine's phases look like. Samples of runs, one run behind the other.

use super::axis::Axis;
use super::ink::{GRID, MUTED, PAPER, TEXT, series};
use super::svg::{Anchor, Canvas, Stroke, Style};

const WIDTH: f64 = 1920.0;
const HEIGHT: f64 = 640.0;
const LEFT: f64 = 140.0;
const RIGHT: f64 = 40.0;
const TOP: f64 = 130.0;
const BOTTOM: f64 = 80.0;

pub struct Phases {
    pub title: String,
    pub caption: String,
    /// Packets per second, all positive; one inner list per run, equally spaced.
    pub runs: Vec<Vec<f64>>,
    pub seconds_per_sample: f64,
}

impl Phases {
    pub fn svg(&self) -> String {
        let mut canvas = Canvas::new(WIDTH, HEIGHT, &self.title);
        canvas.rect(0.0, 0.0, WIDTH, HEIGHT, PAPER);
        canvas.text(LEFT, 56.0, Style::new(36.0, TEXT, Anchor::Start).bold(), &self.title);
        canvas.text(LEFT, 96.0, Style::new(24.0, MUTED, Anchor::Start), &self.caption);
        let count = self.runs.iter().map(Vec::len).sum::<usize>().max(1) as f64;
        let highest = self.runs.iter().flatten().copied().fold(0.0, f64::max).max(1.0) * 1.05;
        let x = |sample: f64| LEFT + (WIDTH - LEFT - RIGHT) * sample / count;
        let y = |rate: f64| HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * rate / highest;
        for (value, text) in Axis::new(highest, 5.0).ticks() {
            canvas.line((LEFT, y(value)), (WIDTH - RIGHT, y(value)), Stroke::dashed(GRID, 1.5, 6.0, 6.0));
            canvas.text(LEFT - 14.0, y(value) + 8.0, Style::new(23.0, TEXT, Anchor::End), &text);
        }
        let mut sample = 0.0;
        for (number, run) in self.runs.iter().enumerate() {
            for rate in run {
                canvas.circle((x(sample), y(*rate)), 1.6, series(number % 2));
                sample += 1.0;
            }
        }
        let whole = format!("{:.0} s of blasting, a dot per {:.0} ms; colours change with each run", count * self.seconds_per_sample, self.seconds_per_sample * 1e3);
        canvas.text(WIDTH / 2.0, HEIGHT - 28.0, Style::new(24.0, MUTED, Anchor::Middle), &whole);
        canvas.finish()
    }
}
