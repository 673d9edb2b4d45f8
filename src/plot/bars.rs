//! Grouped bars in the manner of the netbenches plots: median with whiskers from minimum to maximum, packets per
//! second from 0, and what that would be in bits per second of IMIX on a second axis.

use super::axis::{Axis, short};
use super::font::Ruler;
use super::ink::{self, GRID, MUTED, TEXT};
use super::layout::{Labels, Layout, Panel as Area, Sign, ValueLabels};
use super::svg::{Anchor, Canvas, Stroke, Style};
use crate::units::IMIX_BITS_PER_PACKET;

pub const WIDTH: f64 = 1920.0;
pub const HEIGHT: f64 = 1080.0;

const REFERENCE: Stroke = Stroke { ink: TEXT, width: 2.5, dash: Some((12.0, 7.0)) };

/// A chart: panels side by side or one below the other, groups in a panel, in a group one bar per series.
#[derive(Debug, Clone, PartialEq)]
pub struct Bars {
    pub title: String,
    /// Names in the legend; with one series there is none.
    pub series: Vec<String>,
    /// All with the same groups.
    pub panels: Vec<Panel>,
    pub reference: Option<Reference>,
    /// How it was measured, below the picture.
    pub note: String,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Panel {
    /// Empty for none.
    pub name: String,
    pub groups: Vec<Group>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Group {
    pub name: String,
    /// One per series; `None` where nothing valid was measured.
    pub bars: Vec<Option<Bar>>,
}

/// Packets per second: finite and not negative.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bar {
    pub min: f64,
    pub median: f64,
    pub max: f64,
}

/// A horizontal line to compare with: an intended load, a line rate.
#[derive(Debug, Clone, PartialEq)]
pub struct Reference {
    pub pps: f64,
    pub name: String,
}

impl Bars {
    /// Draws the chart, 1920 x 1080.
    pub fn svg(&self) -> String {
        let ruler = Ruler::default();
        let layout = Layout::new(self, &ruler);
        let mut canvas = Canvas::new(WIDTH, HEIGHT, &self.title);
        self.head(&mut canvas, &layout);
        for (panel, area) in self.panels.iter().zip(&layout.panels) {
            axes(&mut canvas, &layout, area);
            for line in &area.title {
                canvas.text(area.left, area.top - 16.0, Style::new(27.0, TEXT, Anchor::Start).bold(), line);
            }
            if let Some(pps) = layout.reference {
                let y = area.y(pps, layout.max);
                canvas.line((area.left, y), (area.right, y), REFERENCE);
            }
            for (place, group) in panel.groups.iter().enumerate() {
                self.bars(&mut canvas, &layout, area, place, group);
            }
            canvas.line((area.left, area.bottom), (area.right, area.bottom), Stroke::solid(TEXT, 2.0));
            group_names(&mut canvas, &layout, area);
        }
        for (line, text) in layout.note.iter().enumerate() {
            let y = HEIGHT - 26.0 - 30.0 * (layout.note.len() - 1 - line) as f64;
            canvas.text(layout.margin, y, Style::new(23.0, MUTED, Anchor::Start), text);
        }
        canvas.finish()
    }

    fn head(&self, canvas: &mut Canvas, layout: &Layout) {
        for (line, text) in layout.title.iter().enumerate() {
            canvas.text(layout.margin, 66.0 + 48.0 * line as f64, Style::new(40.0, TEXT, Anchor::Start).bold(), text);
        }
        for entry in &layout.legend {
            match entry.sign {
                Sign::Series(n) => canvas.rect(entry.x, entry.y - 22.0, 26.0, 26.0, ink::series(n)),
                Sign::Reference => canvas.line((entry.x, entry.y - 9.0), (entry.x + 28.0, entry.y - 9.0), REFERENCE),
                Sign::More => {}
            }
            canvas.text(entry.x + 38.0, entry.y, Style::new(26.0, TEXT, Anchor::Start), &entry.name);
        }
        let small = |anchor| Style::new(23.0, MUTED, anchor);
        canvas.text(
            layout.margin,
            layout.caption_y,
            small(Anchor::Start),
            "packets per second: bars are medians, whiskers minimum and maximum",
        );
        canvas.text(WIDTH - layout.margin, layout.caption_y, small(Anchor::End), "IMIX throughput");
    }

    fn bars(&self, canvas: &mut Canvas, layout: &Layout, area: &Area, place: usize, group: &Group) {
        for (series, bar) in group.bars.iter().enumerate() {
            let centre = layout.bar_centre(area, place, series);
            let Some(bar) = bar else {
                let size = (layout.slot * 0.8).min((area.bottom - area.top) / 8.0).clamp(8.0, 22.0);
                let style = Style::new(size, MUTED, Anchor::Start).turned(-90.0);
                canvas.text(centre + size * 0.35, area.bottom - 10.0, style, "no valid run");
                continue;
            };
            let y = |pps: f64| area.y(pps, layout.max);
            let name = self.series.get(series).map_or("", String::as_str);
            let tooltip = format!("{} {name}: median {:.0}, minimum {:.0}, maximum {:.0} pps", group.name, bar.median, bar.min, bar.max);
            canvas.group(&tooltip, |canvas| {
                let width = layout.slot * 0.86;
                let top = y(bar.median);
                canvas.rect(centre - width / 2.0, top, width, area.bottom - top, ink::series(series));
                let cap = (width * 0.22).min(16.0);
                let line = Stroke::solid(TEXT, if width > 20.0 { 2.5 } else { 1.5 });
                canvas.line((centre, y(bar.min)), (centre, y(bar.max)), line);
                for end in [bar.min, bar.max] {
                    canvas.line((centre - cap, y(end)), (centre + cap, y(end)), line);
                }
                let style = |size| Style::new(size, TEXT, Anchor::Middle).halo();
                match layout.values {
                    ValueLabels::Flat(size) => canvas.text(centre, y(bar.max) - 12.0, style(size), &short(bar.median)),
                    ValueLabels::Upright(size) => {
                        let style = Style::new(size, TEXT, Anchor::Start).turned(-90.0).halo();
                        canvas.text(centre + size * 0.36, y(bar.max) - 10.0, style, &short(bar.median));
                    }
                    ValueLabels::None => {}
                }
            });
        }
    }
}

/// Names stand below the lowest panel of each column.
fn group_names(canvas: &mut Canvas, layout: &Layout, area: &Area) {
    if !area.names_groups {
        return;
    }
    let Labels { size, turned, .. } = layout.labels;
    for (place, label) in layout.labels.texts.iter().enumerate() {
        let centre = layout.group_centre(area, place);
        if turned {
            let style = Style::new(size, TEXT, Anchor::End).turned(-super::layout::TURN_DEGREES);
            canvas.text(centre + size * 0.4, area.bottom + size * 1.1, style, &label.concat());
            continue;
        }
        for (line, text) in label.iter().enumerate() {
            let y = area.bottom + size * (1.35 + 1.2 * line as f64);
            canvas.text(centre, y, Style::new(size, TEXT, Anchor::Middle), text);
        }
    }
}

/// Grid and numbers: packets per second where a row of panels begins, bits per second where it ends.
fn axes(canvas: &mut Canvas, layout: &Layout, area: &Area) {
    let count = ((area.bottom - area.top) / 75.0).clamp(2.0, 8.0);
    // Where nothing above 0 was measured a scale would be made up: only its 0 is true.
    let shown = |tick: &(f64, String)| layout.has_scale || tick.0 == 0.0;
    for (pps, text) in Axis::new(layout.max, count).ticks().into_iter().filter(shown) {
        let y = area.y(pps, layout.max);
        if pps > 0.0 {
            canvas.line((area.left, y), (area.right, y), Stroke::dashed(GRID, 1.5, 6.0, 6.0));
        }
        if area.begins_row {
            canvas.text(area.left - 16.0, y + 9.0, Style::new(25.0, TEXT, Anchor::End), &text);
        }
    }
    if area.ends_row {
        for (bits, text) in Axis::new(layout.max * IMIX_BITS_PER_PACKET, count).ticks().into_iter().filter(shown) {
            let y = area.y(bits / IMIX_BITS_PER_PACKET, layout.max);
            let text = if bits == 0.0 { text } else { format!("{text}b/s") };
            canvas.line((area.right, y), (area.right + 9.0, y), Stroke::solid(MUTED, 1.5));
            canvas.text(area.right + 18.0, y + 8.0, Style::new(23.0, MUTED, Anchor::Start), &text);
        }
        canvas.line((area.right, area.top), (area.right, area.bottom), Stroke::solid(GRID, 1.5));
    }
    if area.begins_row {
        canvas.line((area.left, area.top), (area.left, area.bottom), Stroke::solid(TEXT, 2.0));
    }
}
