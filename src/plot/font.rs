//! The embedded font: how wide a text is, where it breaks, how it is cut.

use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::{Arc, LazyLock};

use resvg::usvg::{self, fontdb};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Weight {
    Regular,
    Bold,
}

/// How SVG is read: with DejaVu Sans whatever fonts the machine has, so the same picture comes out everywhere.
pub static OPTIONS: LazyLock<usvg::Options> = LazyLock::new(|| {
    let mut fonts = fontdb::Database::new();
    for face in [dejavu::sans::regular(), dejavu::sans::bold()] {
        fonts.load_font_source(fontdb::Source::Binary(Arc::new(face)));
    }
    usvg::Options { fontdb: Arc::new(fonts), font_family: "DejaVu Sans".into(), ..usvg::Options::default() }
});

/// Measures text; remembers what it has measured.
#[derive(Default)]
pub struct Ruler {
    /// Width at size 1.
    known: RefCell<HashMap<(String, Weight), f64>>,
}

impl Ruler {
    /// Width in pixels of one line of text at a font size in pixels.
    pub fn width(&self, text: &str, size: f64, weight: Weight) -> f64 {
        let key = (visible(text), weight);
        let known = self.known.borrow().get(&key).copied();
        let width = known.unwrap_or_else(|| {
            let width = measure(&key.0, weight);
            self.known.borrow_mut().insert(key, width);
            width
        });
        width * size
    }

    /// Breaks `text` into at most `lines` lines none of which is wider than `width`: at blanks and after - _ / . ,
    /// `None` when it does not fit.
    pub fn wrap(&self, text: &str, size: f64, weight: Weight, width: f64, lines: usize) -> Option<Vec<String>> {
        let mut wrapped = vec![String::new()];
        for piece in pieces(text) {
            let last = wrapped.last_mut()?;
            let longer = format!("{last}{piece}");
            if self.width(longer.trim(), size, weight) <= width {
                *last = longer;
            } else if self.width(piece.trim(), size, weight) <= width {
                wrapped.push(piece.to_string());
            } else {
                return None;
            }
        }
        (wrapped.len() <= lines).then(|| wrapped.iter().map(|line| line.trim().to_string()).collect())
    }

    /// As [`Ruler::wrap`], and where the text does not fit in `lines` lines the end of it is cut.
    pub fn fit(&self, text: &str, size: f64, weight: Weight, width: f64, lines: usize) -> Vec<String> {
        if let Some(wrapped) = self.wrap(text, size, weight, width, lines) {
            return wrapped;
        }
        let length = text.chars().count();
        let shorter = |keep: usize| format!("{}…", text.chars().take(keep).collect::<String>().trim_end());
        let fits = |keep: &usize| self.wrap(&shorter(*keep), size, weight, width, lines).is_some();
        // Halve the interval: a longer beginning never fits where a shorter one did not.
        let (mut keep, mut too_long) = (0, length.min(400));
        while too_long - keep > 1 {
            let middle = (keep + too_long) / 2;
            if fits(&middle) { keep = middle } else { too_long = middle }
        }
        self.wrap(&shorter(keep), size, weight, width, lines).unwrap_or_else(|| vec!["…".into()])
    }

    /// One line, its end cut where it is wider than `width`.
    pub fn cut(&self, text: &str, size: f64, weight: Weight, width: f64) -> String {
        if self.width(text, size, weight) <= width {
            return text.to_string();
        }
        let ends: Vec<usize> = text.char_indices().map(|(at, _)| at).take(400).collect();
        let kept = ends.partition_point(|&end| self.width(&format!("{}…", &text[..end]), size, weight) <= width);
        format!("{}…", text[..ends[kept.max(1) - 1]].trim_end())
    }
}

/// User data as it may be shown: control characters, and characters that turn the direction of writing, become U+FFFD.
pub fn visible(text: &str) -> String {
    let shown = |c: char| match c {
        '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{fffe}' | '\u{ffff}' => '\u{fffd}',
        '\t' | '\n' => ' ',
        c if c.is_control() => '\u{fffd}',
        c => c,
    };
    text.chars().map(shown).collect()
}

/// `nft-stateful rules` -> `nft-`, `stateful `, `rules`.
fn pieces(text: &str) -> impl Iterator<Item = &str> {
    text.split_inclusive(|c: char| c.is_whitespace() || "-_/.,".contains(c))
}

/// Width at size 1.
fn measure(text: &str, weight: Weight) -> f64 {
    const SIZE: f64 = 100.0;
    let weight = if weight == Weight::Bold { "bold" } else { "normal" };
    let escaped = text.replace('&', "&amp;").replace('<', "&lt;");
    let svg = format!(
        r#"<svg xmlns="http://www.w3.org/2000/svg"><text font-size="{SIZE}" font-weight="{weight}" xml:space="preserve">{escaped}</text></svg>"#
    );
    let drawn = usvg::Tree::from_str(&svg, &OPTIONS).ok().and_then(|tree| match tree.root().children().first() {
        Some(usvg::Node::Text(text)) => Some(f64::from(text.bounding_box().width())),
        _ => None,
    });
    // Letters the font lacks are up to a full square wide in the fonts browsers fall back to.
    let square = text.chars().filter(|&c| c >= '\u{1100}' && !('\u{2000}'..'\u{2e80}').contains(&c)).count() as f64;
    (drawn.unwrap_or(0.0) / SIZE).max(square)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn widths_are_the_fonts_own() {
        let ruler = Ruler::default();
        // Advances of the digit 0 and of W in DejaVu Sans: 1303 and 2025 of 2048 units.
        assert!((ruler.width("0000", 20.0, Weight::Regular) - 80.0 * 1303.0 / 2048.0).abs() < 0.01);
        assert!((ruler.width("W", 1000.0, Weight::Regular) - 1000.0 * 2025.0 / 2048.0).abs() < 0.1);
        assert!(ruler.width("W", 10.0, Weight::Bold) > ruler.width("W", 10.0, Weight::Regular));
    }

    #[test]
    fn lines_break_at_hyphens_and_never_exceed_the_width() {
        let ruler = Ruler::default();
        let wrapped = ruler.wrap("nft-stateful with sets", 20.0, Weight::Regular, 100.0, 3).unwrap();
        assert_eq!(wrapped, ["nft-", "stateful", "with sets"]);
        assert_eq!(ruler.wrap("nft-stateful with sets", 20.0, Weight::Regular, 100.0, 2), None);
        assert_eq!(ruler.wrap("unbreakable_word_nowhere", 20.0, Weight::Regular, 60.0, 9), None);
    }

    #[test]
    fn what_does_not_fit_is_cut_with_an_ellipsis() {
        let ruler = Ruler::default();
        for text in ["a rather long name that has many words in it", "oneverylongwordwithoutanyplacetobreak", "日本語日本語日本語日本語"]
        {
            let cut = ruler.cut(text, 20.0, Weight::Regular, 150.0);
            assert!(cut.ends_with('…') && ruler.width(&cut, 20.0, Weight::Regular) <= 150.0, "{cut}");
            for line in ruler.fit(text, 20.0, Weight::Regular, 150.0, 2) {
                assert!(ruler.width(&line, 20.0, Weight::Regular) <= 150.0, "{line}");
            }
        }
    }

    #[test]
    fn control_and_direction_characters_do_not_reach_a_reader() {
        assert_eq!(visible("a\u{1b}[31m\u{202e}b\0c\nd"), "a\u{fffd}[31m\u{fffd}b\u{fffd}c d");
    }
}
