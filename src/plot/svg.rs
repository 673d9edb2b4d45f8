//! A canvas that writes SVG: rectangles, lines, polygons, text; coordinates in pixels, y downwards.

use std::fmt::Write;

use super::font::{Weight, visible};
use super::ink::{Ink, PAPER};

/// DejaVu draws the PNG and gives the widths. Where a browser lacks it, Verdana is its near twin and the rest are narrower.
const FAMILY: &str = "DejaVu Sans, Verdana, Segoe UI, Helvetica, Arial, sans-serif";

pub struct Canvas {
    body: String,
}

#[derive(Debug, Clone, Copy)]
pub enum Anchor {
    Start,
    Middle,
    End,
}

/// How text looks and which point of it (on the baseline) is placed; `turn` is clockwise, in degrees.
#[derive(Debug, Clone, Copy)]
pub struct Style {
    pub size: f64,
    pub weight: Weight,
    pub ink: Ink,
    pub anchor: Anchor,
    pub turn: f64,
    /// A rim in the colour of the paper keeps text readable on top of lines.
    pub halo: bool,
}

impl Style {
    pub fn new(size: f64, ink: Ink, anchor: Anchor) -> Style {
        Style { size, weight: Weight::Regular, ink, anchor, turn: 0.0, halo: false }
    }

    pub fn bold(self) -> Style {
        Style { weight: Weight::Bold, ..self }
    }

    pub fn halo(self) -> Style {
        Style { halo: true, ..self }
    }

    pub fn turned(self, degrees: f64) -> Style {
        Style { turn: degrees, ..self }
    }
}

/// A line's width and dashes.
#[derive(Debug, Clone, Copy)]
pub struct Stroke {
    pub ink: Ink,
    pub width: f64,
    /// Lengths of dash and gap.
    pub dash: Option<(f64, f64)>,
}

impl Stroke {
    pub fn solid(ink: Ink, width: f64) -> Stroke {
        Stroke { ink, width, dash: None }
    }

    pub fn dashed(ink: Ink, width: f64, dash: f64, gap: f64) -> Stroke {
        Stroke { ink, width, dash: Some((dash, gap)) }
    }
}

impl Canvas {
    /// An empty sheet of paper; `label` tells those who cannot see it what is on it.
    pub fn new(width: f64, height: f64, label: &str) -> Canvas {
        let mut canvas = Canvas { body: String::new() };
        let _ = writeln!(
            canvas.body,
            r#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {w} {h}" width="{w}" height="{h}" role="img" aria-label="{label}" font-family="{FAMILY}">"#,
            w = number(width),
            h = number(height),
            label = escape(label),
        );
        canvas.rect(0.0, 0.0, width, height, PAPER);
        canvas
    }

    pub fn rect(&mut self, x: f64, y: f64, width: f64, height: f64, ink: Ink) {
        let (x, y, width, height) = (number(x), number(y), number(width), number(height));
        let _ = writeln!(self.body, r#"<rect x="{x}" y="{y}" width="{width}" height="{height}" {}/>"#, fill(ink));
    }

    pub fn line(&mut self, (x1, y1): (f64, f64), (x2, y2): (f64, f64), stroke: Stroke) {
        let (x1, y1, x2, y2) = (number(x1), number(y1), number(x2), number(y2));
        let _ = writeln!(self.body, r#"<line x1="{x1}" y1="{y1}" x2="{x2}" y2="{y2}" {}/>"#, self::stroke(stroke));
    }

    pub fn polygon(&mut self, points: &[(f64, f64)], ink: Ink) {
        let points: Vec<String> = points.iter().map(|&(x, y)| format!("{},{}", number(x), number(y))).collect();
        let _ = writeln!(self.body, r#"<polygon points="{}" {}/>"#, points.join(" "), fill(ink));
    }

    pub fn circle(&mut self, (x, y): (f64, f64), radius: f64, ink: Ink) {
        let _ = writeln!(self.body, r#"<circle cx="{}" cy="{}" r="{}" {}/>"#, number(x), number(y), number(radius), fill(ink));
    }

    pub fn ring(&mut self, (x, y): (f64, f64), radius: f64, line: Stroke) {
        let (x, y, radius) = (number(x), number(y), number(radius));
        let _ = writeln!(
            self.body,
            r#"<circle cx="{x}" cy="{y}" r="{radius}" fill="{}" class="f-{} s-{}" {}/>"#,
            PAPER.light,
            PAPER.class,
            line.ink.class,
            stroke_only(line)
        );
    }

    pub fn text(&mut self, x: f64, y: f64, style: Style, text: &str) {
        let (x, y) = (number(x), number(y));
        let anchor = match style.anchor {
            Anchor::Start => "",
            Anchor::Middle => r#" text-anchor="middle""#,
            Anchor::End => r#" text-anchor="end""#,
        };
        let bold = if style.weight == Weight::Bold { r#" font-weight="bold""# } else { "" };
        let turn = if style.turn == 0.0 { String::new() } else { format!(r#" transform="rotate({} {x} {y})""#, number(style.turn)) };
        let rim = format!(r#" stroke="{}" stroke-width="{}" paint-order="stroke""#, PAPER.light, number(style.size * 0.2));
        let (class, halo) = if style.halo { (format!(" s-{}", PAPER.class), rim) } else { Default::default() };
        let _ = writeln!(
            self.body,
            r#"<text x="{x}" y="{y}" font-size="{}"{anchor}{bold}{turn}{halo} class="f-{}{class}" fill="{}">{}</text>"#,
            number(style.size),
            style.ink.class,
            style.ink.light,
            escape(text)
        );
    }

    /// Everything `draw` adds shows `tooltip` under a resting pointer.
    pub fn group(&mut self, tooltip: &str, draw: impl FnOnce(&mut Canvas)) {
        let _ = writeln!(self.body, "<g><title>{}</title>", escape(tooltip));
        draw(self);
        self.body.push_str("</g>\n");
    }

    pub fn finish(mut self) -> String {
        self.body.push_str("</svg>\n");
        self.body
    }
}

fn fill(ink: Ink) -> String {
    format!(r#"fill="{}" class="f-{}""#, ink.light, ink.class)
}

fn stroke(stroke: Stroke) -> String {
    format!(r#"class="s-{}" {}"#, stroke.ink.class, stroke_only(stroke))
}

fn stroke_only(stroke: Stroke) -> String {
    let dash = stroke.dash.map(|(on, off)| format!(r#" stroke-dasharray="{} {}""#, number(on), number(off)));
    format!(r#"stroke="{}" stroke-width="{}"{}"#, stroke.ink.light, number(stroke.width), dash.unwrap_or_default())
}

/// A coordinate with two decimals at most.
fn number(value: f64) -> String {
    let text = format!("{value:.2}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" { "0".into() } else { text.into() }
}

/// Text as XML: markup characters as entities, what XML forbids made visible.
fn escape(text: &str) -> String {
    visible(text).replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
