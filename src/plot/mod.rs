//! Data -> SVG, and PNG from the same SVG. Pure: same data, same bytes.
//!
//! We write SVG ourselves: text is measured with the font that draws it, so nothing overlaps, and every shape carries
//! a class, so that a page can show the same picture in dark colours.

/// Numbers on axes: nice steps, and k, M, G.
mod axis;
/// Grouped bars: median with minimum and maximum, the archive's picture.
pub mod bars;
/// Dots with intervals: how large each effect is and how sure we are.
pub mod effects;
/// The embedded font: widths, line breaks.
mod font;
/// Colours, and what becomes of them in the dark.
pub mod ink;
/// Where everything in a bar chart goes.
mod layout;
/// Rate over time.
pub mod phases;
/// SVG -> PNG.
mod png;
/// A canvas that writes SVG.
mod svg;

pub use font::visible;
pub use png::png;
