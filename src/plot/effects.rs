//! A dot and an interval per comparison: how large each effect is, how sure we are, and whether it matters.
//! What bars from 0 cannot show, effects of a percent, is plain here.

use super::axis::{decimals, nice_step};
use super::font::{Ruler, Weight};
use super::ink::{BAND, BETTER, GRID, Ink, MUTED, TEXT, WORSE};
use super::svg::{Anchor, Canvas, Stroke, Style};

const WIDTH: f64 = 1920.0;
const MARGIN: f64 = 44.0;
/// Names and texts beside the dots are cut beyond this width.
const LONGEST_NAME: f64 = 620.0;

#[derive(Debug, Clone, PartialEq)]
pub struct Effects {
    pub title: String,
    /// What is compared with what, and what the interval is.
    pub caption: String,
    /// Effects within plus or minus this do not matter; percent.
    pub margin: f64,
    pub rows: Vec<Effect>,
    pub note: String,
}

/// One comparison; percent, finite, `low <= percent <= high`.
#[derive(Debug, Clone, PartialEq)]
pub struct Effect {
    pub name: String,
    pub percent: f64,
    pub low: f64,
    pub high: f64,
    pub mark: Mark,
    /// The same in words and digits, at the right.
    pub text: String,
}

/// What the dot says: by colour, and by shape for those who do not see the colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mark {
    /// Up-pointing triangle.
    Better,
    /// Down-pointing triangle.
    Worse,
    /// Dot.
    Same,
    /// Ring.
    Open,
}

impl Mark {
    fn ink(self) -> Ink {
        match self {
            Mark::Better => BETTER,
            Mark::Worse => WORSE,
            Mark::Same => TEXT,
            Mark::Open => MUTED,
        }
    }
}

/// The x axis: percent to pixels.
struct Scale {
    low: f64,
    high: f64,
    left: f64,
    right: f64,
}

impl Scale {
    fn x(&self, percent: f64) -> f64 {
        self.left + (self.right - self.left) * (percent - self.low) / (self.high - self.low)
    }

    /// Covers every dot, the margin and the intervals; an interval much longer than the others is cut at the edge.
    fn new(effects: &Effects, left: f64, right: f64) -> Scale {
        let mut ends: Vec<f64> = effects.rows.iter().flat_map(|row| [row.low.abs(), row.high.abs()]).collect();
        ends.sort_by(f64::total_cmp);
        let typical = ends.get(ends.len() / 2).copied().unwrap_or(0.0);
        let largest = effects.rows.iter().map(|row| row.percent.abs()).fold(0.0, f64::max);
        let limit = (typical * 3.0).max(largest * 1.3).max(effects.margin * 2.0).max(1e-6);
        let low = effects.rows.iter().map(|row| row.low.max(-limit)).fold(-effects.margin * 1.5, f64::min);
        let high = effects.rows.iter().map(|row| row.high.min(limit)).fold(effects.margin * 1.5, f64::max);
        let rim = (high - low).max(1e-6) * 0.03;
        Scale { low: low - rim, high: high + rim, left, right }
    }
}

impl Effects {
    /// Draws the chart: 1920 wide, as high as its rows need.
    pub fn svg(&self) -> String {
        let ruler = Ruler::default();
        let row_height = if self.rows.len() > 24 { 44.0 } else { 62.0 };
        let regular = |text: &str, size| ruler.width(text, size, Weight::Regular);
        let longest = self.rows.iter().map(|row| regular(&row.name, 26.0)).fold(0.0, f64::max);
        let size = if self.rows.len() > 24 || longest > LONGEST_NAME { 22.0 } else { 26.0 };
        let text_width = WIDTH - 2.0 * MARGIN;
        let title = ruler.fit(&self.title, 40.0, Weight::Bold, text_width, 2);
        let caption = ruler.fit(&self.caption, 24.0, Weight::Regular, text_width, 2);
        let note = if self.note.is_empty() { Vec::new() } else { ruler.fit(&self.note, 23.0, Weight::Regular, text_width, 2) };

        let names = self.rows.iter().map(|row| regular(&row.name, size)).fold(0.0, f64::max).min(LONGEST_NAME);
        let texts = self.rows.iter().map(|row| regular(&row.text, size)).fold(0.0, f64::max).min(LONGEST_NAME);
        let scale = Scale::new(self, MARGIN + names + 40.0, WIDTH - MARGIN - texts - 40.0);

        let caption_y = 66.0 + 48.0 * (title.len() - 1) as f64 + 48.0;
        let top = caption_y + 32.0 * (caption.len() - 1) as f64 + 36.0;
        let bottom = top + row_height * self.rows.len() as f64;
        let height = bottom + 84.0 + 30.0 * note.len() as f64 + 12.0;

        let mut canvas = Canvas::new(WIDTH, height, &self.title);
        for (line, text) in title.iter().enumerate() {
            canvas.text(MARGIN, 66.0 + 48.0 * line as f64, Style::new(40.0, TEXT, Anchor::Start).bold(), text);
        }
        for (line, text) in caption.iter().enumerate() {
            canvas.text(MARGIN, caption_y + 32.0 * line as f64, Style::new(24.0, MUTED, Anchor::Start), text);
        }
        self.axis(&mut canvas, &ruler, &scale, (top, bottom));
        for (n, row) in self.rows.iter().enumerate() {
            let y = top + row_height * (n as f64 + 0.5);
            let style = Style::new(size, TEXT, Anchor::Start);
            canvas.text(MARGIN, y + size * 0.36, style, &ruler.cut(&row.name, size, Weight::Regular, names));
            canvas.text(WIDTH - MARGIN - texts, y + size * 0.36, style, &ruler.cut(&row.text, size, Weight::Regular, texts));
            canvas.group(&format!("{}: {}", row.name, row.text), |canvas| effect(canvas, &scale, row, y));
        }
        for (line, text) in note.iter().enumerate() {
            canvas.text(MARGIN, bottom + 108.0 + 30.0 * line as f64, Style::new(23.0, MUTED, Anchor::Start), text);
        }
        canvas.finish()
    }

    fn axis(&self, canvas: &mut Canvas, ruler: &Ruler, scale: &Scale, (top, bottom): (f64, f64)) {
        let (from, to) = (scale.x(-self.margin), scale.x(self.margin));
        canvas.rect(from, top, to - from, bottom - top, BAND);
        let tick = |value: f64, step: f64| format!("{value:+.*} %", decimals(step)).replace('-', "−");
        let width = scale.right - scale.left;
        let per_percent = width / (scale.high - scale.low);
        // The closest ticks whose texts stand clear of each other.
        let steps = [130.0, 180.0, 240.0, 320.0, 480.0].map(|pixels| nice_step(pixels / per_percent));
        let clear = |step: &f64| {
            let widest = [scale.low, scale.high].map(|end| ruler.width(&tick(end, *step), 23.0, Weight::Regular));
            widest.into_iter().fold(0.0, f64::max) + 16.0 <= step * per_percent
        };
        let step = steps.into_iter().find(clear).unwrap_or(steps[4]);
        let first = (scale.low / step).ceil() as i64;
        for n in first..=(scale.high / step).floor() as i64 {
            let value = n as f64 * step;
            let x = scale.x(value);
            if n != 0 {
                canvas.line((x, top), (x, bottom), Stroke::dashed(GRID, 1.5, 6.0, 6.0));
            }
            let text = if n == 0 { "0".into() } else { tick(value, step) };
            canvas.text(x, bottom + 36.0, Style::new(23.0, TEXT, Anchor::Middle), &text);
        }
        canvas.line((scale.x(0.0), top), (scale.x(0.0), bottom), Stroke::solid(TEXT, 2.0));
        canvas.line((scale.left, bottom), (scale.right, bottom), Stroke::solid(TEXT, 2.0));
        let hint = |anchor| Style::new(22.0, MUTED, anchor);
        canvas.text(scale.left, bottom + 70.0, hint(Anchor::Start), "← slower");
        canvas.text(scale.right, bottom + 70.0, hint(Anchor::End), "faster →");
    }
}

/// Interval and dot, around the line `y`.
fn effect(canvas: &mut Canvas, scale: &Scale, row: &Effect, y: f64) {
    let ink = row.mark.ink();
    let line = Stroke::solid(ink, 4.0);
    let (from, to) = (scale.x(row.low).max(scale.left), scale.x(row.high).min(scale.right));
    canvas.line((from, y), (to, y), line);
    for (end, cut, outwards) in [(from, row.low < scale.low, -1.0), (to, row.high > scale.high, 1.0)] {
        if cut {
            // An arrow: the interval goes on beyond the edge.
            canvas.polygon(&[(end, y - 9.0), (end, y + 9.0), (end + 14.0 * outwards, y)], ink);
        } else {
            canvas.line((end, y - 9.0), (end, y + 9.0), line);
        }
    }
    let x = scale.x(row.percent);
    match row.mark {
        Mark::Better => canvas.polygon(&[(x - 12.0, y + 9.0), (x + 12.0, y + 9.0), (x, y - 13.0)], ink),
        Mark::Worse => canvas.polygon(&[(x - 12.0, y - 9.0), (x + 12.0, y - 9.0), (x, y + 13.0)], ink),
        Mark::Same => canvas.circle((x, y), 10.0, ink),
        Mark::Open => canvas.ring((x, y), 10.0, line),
    }
}
