use resvg::{tiny_skia, usvg};

use super::font::OPTIONS;

/// A picture of an SVG of ours, one pixel per SVG unit.
///
/// # Panics
/// On text that is not SVG, or has no size: ours always is and has.
pub fn png(svg: &str) -> Vec<u8> {
    let tree = usvg::Tree::from_str(svg, &OPTIONS).expect("our own SVG is well-formed");
    let size = tree.size().to_int_size();
    let mut pixels = tiny_skia::Pixmap::new(size.width(), size.height()).expect("our own SVG has a size");
    resvg::render(&tree, tiny_skia::Transform::identity(), &mut pixels.as_mut());
    pixels.encode_png().expect("memory is written without errors")
}
