//! Where everything in a bar chart goes: decided once, from measured text, before a line is drawn.

use super::axis::short;
use super::bars::{Bar, Bars, HEIGHT, Reference, WIDTH};
use super::font::{Ruler, Weight};

/// Slope of group names that do not fit below their group.
pub const TURN_DEGREES: f64 = 35.0;

const MARGIN: f64 = 44.0;
/// Room for the numbers of the two axes.
const LEFT: f64 = 130.0;
const RIGHT: f64 = 170.0;
const COLUMN_GAP: f64 = 44.0;
const LEGEND_LINE: f64 = 44.0;
const LEGEND_LINES: usize = 4;
/// Share of a group's width that its bars take.
const FILLED: f64 = 0.78;
const WIDEST_BAR: f64 = 170.0;

pub struct Layout {
    pub margin: f64,
    pub title: Vec<String>,
    pub legend: Vec<Entry>,
    pub caption_y: f64,
    pub panels: Vec<Panel>,
    pub labels: Labels,
    pub values: ValueLabels,
    pub note: Vec<String>,
    /// Top of the y axis, packets per second; above 0 even if all that was measured is 0.
    pub max: f64,
    /// Something above 0 was measured.
    pub has_scale: bool,
    pub reference: Option<f64>,
    /// Width of a group, and of a bar with the gap beside it.
    group: f64,
    pub slot: f64,
    series: usize,
}

/// A line of the legend: a name beside its sign.
pub struct Entry {
    pub sign: Sign,
    pub name: String,
    pub x: f64,
    pub y: f64,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Sign {
    /// The colour of a series.
    Series(usize),
    Reference,
    /// Stands for the series that have no room.
    More,
}

/// The area in which a panel's bars stand.
pub struct Panel {
    pub title: Vec<String>,
    pub left: f64,
    pub right: f64,
    pub top: f64,
    pub bottom: f64,
    pub begins_row: bool,
    pub ends_row: bool,
    /// Group names stand below the lowest panel of each column.
    pub names_groups: bool,
}

pub struct Labels {
    /// Lines of each group's name.
    pub texts: Vec<Vec<String>>,
    pub size: f64,
    pub turned: bool,
    height: f64,
}

/// Medians as numbers above their bars, at a font size, if they fit.
#[derive(Clone, Copy)]
pub enum ValueLabels {
    Flat(f64),
    Upright(f64),
    None,
}

impl Panel {
    pub fn y(&self, pps: f64, max: f64) -> f64 {
        self.bottom - (self.bottom - self.top) * pps / max
    }
}

impl Layout {
    pub fn new(bars: &Bars, ruler: &Ruler) -> Layout {
        let text_width = WIDTH - 2.0 * MARGIN;
        let title = ruler.fit(&bars.title, 40.0, Weight::Bold, text_width, 2);
        let note = if bars.note.is_empty() { Vec::new() } else { ruler.fit(&bars.note, 23.0, Weight::Regular, text_width, 2) };
        let below_title = 66.0 + 48.0 * (title.len() - 1) as f64;
        let legend = legend(bars, ruler, below_title);
        let caption_y = legend.last().map_or(below_title, |entry| entry.y) + 56.0;

        let (columns, labels) = columns(bars, ruler);
        let rows = bars.panels.len().div_ceil(columns);
        let width = panel_width(columns);
        let titled = bars.panels.iter().any(|panel| !panel.name.is_empty());
        let title_height = if titled { 50.0 } else { 0.0 };
        let top = caption_y + if titled { 26.0 } else { 38.0 };
        let bottom = HEIGHT - 26.0 - 30.0 * note.len() as f64 - 14.0 - labels.height;
        let row_gap = 22.0;
        let row = (bottom - top - row_gap * rows.saturating_sub(1) as f64) / rows.max(1) as f64;
        let panels: Vec<Panel> = (0..bars.panels.len())
            .map(|n| {
                let (line, column) = (n / columns, n % columns);
                let left = LEFT + column as f64 * (width + COLUMN_GAP);
                let row_top = top + line as f64 * (row + row_gap);
                Panel {
                    title: ruler
                        .fit(&bars.panels[n].name, 27.0, Weight::Bold, width, 1)
                        .into_iter()
                        .filter(|name| !name.is_empty())
                        .collect(),
                    left,
                    right: left + width,
                    top: row_top + title_height,
                    bottom: row_top + row,
                    begins_row: column == 0,
                    ends_row: column + 1 == columns || n + 1 == bars.panels.len(),
                    names_groups: n + columns >= bars.panels.len(),
                }
            })
            .collect();

        let series = bars.series.len().max(1);
        let group = width / labels.texts.len().max(1) as f64;
        let slot = (group * FILLED / series as f64).min(WIDEST_BAR);
        let height = panels.first().map_or(HEIGHT, |panel| panel.bottom - panel.top);
        let room = if series == 1 { group * 0.95 } else { slot };
        let (values, label_height) = value_labels(bars, ruler, room, slot, height);
        let reference = drawn_reference(bars).map(|reference| reference.pps);
        let highest = (highest(bars) / (1.0 - label_height / height)).max(reference.map_or(0.0, |pps| pps * 1.03));
        let has_scale = highest > 0.0;
        let max = if has_scale { highest } else { 1.0 };
        Layout { margin: MARGIN, title, legend, caption_y, panels, labels, values, note, max, has_scale, reference, group, slot, series }
    }

    pub fn group_centre(&self, panel: &Panel, place: usize) -> f64 {
        panel.left + self.group * (place as f64 + 0.5)
    }

    pub fn bar_centre(&self, panel: &Panel, place: usize, series: usize) -> f64 {
        self.group_centre(panel, place) + self.slot * (series as f64 + 0.5 - self.series as f64 / 2.0)
    }
}

fn all(bars: &Bars) -> impl Iterator<Item = &Bar> {
    bars.panels.iter().flat_map(|panel| &panel.groups).flat_map(|group| group.bars.iter().flatten())
}

/// Width of the widest value label.
fn value_width(bars: &Bars, ruler: &Ruler, size: f64) -> f64 {
    all(bars).map(|bar| ruler.width(&short(bar.median), size, Weight::Regular)).fold(0.0, f64::max)
}

fn highest(bars: &Bars) -> f64 {
    all(bars).map(|bar| bar.max).fold(0.0, f64::max)
}

/// The reference line, unless it lies so far above the bars that it would shrink them.
fn drawn_reference(bars: &Bars) -> Option<&Reference> {
    bars.reference.as_ref().filter(|reference| reference.pps <= highest(bars) * 1.4)
}

/// The largest value labels that fit `room` beside each other, or standing on end in a panel that is high enough;
/// with the height they take, the gap to the whisker included.
fn value_labels(bars: &Bars, ruler: &Ruler, room: f64, slot: f64, panel: f64) -> (ValueLabels, f64) {
    const GAP: f64 = 18.0;
    let flat = [26.0, 23.0, 20.0].into_iter().find(|&size| value_width(bars, ruler, size) <= room - 12.0 && panel > 4.0 * size);
    if let Some(size) = flat {
        return (ValueLabels::Flat(size), size + GAP);
    }
    let upright = [22.0, 19.0, 16.0].into_iter().map(|size| (size, value_width(bars, ruler, size)));
    match upright.into_iter().find(|&(size, width)| size <= slot && width < panel * 0.35) {
        Some((size, width)) => (ValueLabels::Upright(size), width + GAP),
        None => (ValueLabels::None, GAP),
    }
}

fn panel_width(columns: usize) -> f64 {
    (WIDTH - LEFT - RIGHT - COLUMN_GAP * (columns - 1) as f64) / columns as f64
}

/// As many panels side by side as leaves the group names readable below their groups.
fn columns(bars: &Bars, ruler: &Ruler) -> (usize, Labels) {
    let panels = bars.panels.len().max(1);
    let names: Vec<&str> = bars.panels.first().map_or(Vec::new(), |panel| panel.groups.iter().map(|group| group.name.as_str()).collect());
    let series = bars.series.len().max(1);
    let group = |columns| panel_width(columns) / names.len().max(1) as f64;
    let full_rows = (1..=panels).rev().filter(|columns| panels.is_multiple_of(*columns));
    for columns in full_rows.clone() {
        // Bars narrower than this are better off in a panel that has the whole width.
        let wide_enough = columns == 1 || group(columns) * FILLED / series as f64 >= 24.0;
        if wide_enough && let Some(labels) = straight(&names, group(columns), ruler) {
            return (columns, labels);
        }
    }
    // Beyond three rows panels get too low: then two columns.
    let columns = full_rows.filter(|columns| panels / columns <= 3).min().unwrap_or(1);
    (columns, turned(&names, group(columns), ruler))
}

/// Names in up to three level lines below their groups; `None` if one of them does not fit.
fn straight(names: &[&str], group: f64, ruler: &Ruler) -> Option<Labels> {
    [27.0, 24.0, 21.0].into_iter().find_map(|size| {
        let wrap = |name: &&str| ruler.wrap(name, size, Weight::Regular, group - 14.0, 3);
        let texts = names.iter().map(wrap).collect::<Option<Vec<_>>>()?;
        let lines = texts.iter().map(Vec::len).max().unwrap_or(0);
        Some(Labels { texts, size, turned: false, height: size * (0.7 + 1.2 * lines as f64) })
    })
}

/// Names sloping up towards their groups, cut so that the first one stays on the paper.
fn turned(names: &[&str], group: f64, ruler: &Ruler) -> Labels {
    let size = (group * 0.9).clamp(13.0, 23.0);
    let turn = TURN_DEGREES.to_radians();
    let longest = ((LEFT + group / 2.0 - 20.0) / turn.cos()).clamp(100.0, 320.0);
    let texts: Vec<Vec<String>> = names.iter().map(|name| vec![ruler.cut(name, size, Weight::Regular, longest)]).collect();
    let width = texts.iter().map(|text| ruler.width(&text[0], size, Weight::Regular)).fold(0.0, f64::max);
    Labels { texts, size, turned: true, height: width * turn.sin() + size * 1.8 }
}

/// Series and reference line, from left to right, in as many lines as needed but no more than would leave room to draw.
fn legend(bars: &Bars, ruler: &Ruler, title_y: f64) -> Vec<Entry> {
    let series = bars.series.iter().enumerate().map(|(n, name)| (Sign::Series(n), name)).filter(|_| bars.series.len() > 1);
    let reference = drawn_reference(bars).map(|reference| (Sign::Reference, &reference.name));
    let wanted: Vec<(Sign, &String)> = reference.into_iter().chain(series).collect();
    let mut entries: Vec<Entry> = Vec::new();
    let first_line = title_y + 62.0;
    let (mut x, mut y) = (MARGIN, first_line);
    for (n, (sign, name)) in wanted.iter().enumerate() {
        let name = ruler.cut(name, 26.0, Weight::Regular, WIDTH - 2.0 * MARGIN - 38.0);
        let width = 38.0 + ruler.width(&name, 26.0, Weight::Regular);
        if x + width > WIDTH - MARGIN {
            (x, y) = (MARGIN, y + LEGEND_LINE);
        }
        if y > first_line + LEGEND_LINE * (LEGEND_LINES - 1) as f64 {
            let name = format!("and {} more, see the table", wanted.len() - n);
            entries.push(Entry { sign: Sign::More, name, x: MARGIN - 38.0, y });
            break;
        }
        entries.push(Entry { sign: *sign, name, x, y });
        x += width + 48.0;
    }
    entries
}
