//! Pictures: nothing overlaps, nothing leaves the paper, whatever is drawn.

use std::sync::{Arc, LazyLock};

use linerate::plot::bars::{Bar, Bars, Group, HEIGHT, Panel, Reference, WIDTH};
use linerate::plot::effects::{Effect, Effects, Mark};
use linerate::plot::png;
use proptest::prelude::*;
use resvg::usvg::fontdb::{Database, Source};
use resvg::usvg::{Node, Options, Rect, Tree};

/// A reader of its own, with the font that the pictures name.
static OPTIONS: LazyLock<Options> = LazyLock::new(|| {
    let mut fonts = Database::new();
    fonts.load_font_source(Source::Binary(Arc::new(dejavu::sans::regular())));
    fonts.load_font_source(Source::Binary(Arc::new(dejavu::sans::bold())));
    Options { fontdb: Arc::new(fonts), ..Options::default() }
});

fn chart() -> impl Strategy<Value = Bars> {
    let name = || prop_oneof!["[a-z]{1,9}(-[a-z]{1,9}){0,3}", ".{1,40}"];
    let names = |upto| proptest::collection::vec(name(), 1..upto);
    let rate = proptest::option::weighted(0.9, (0.0..1.0f64, 0.0..0.3f64));
    let scale = prop_oneof![Just(0.0), Just(1e-3), 1.0..1e8f64, Just(1e18)];
    (".{0,120}", names(4), names(7), names(5), scale, proptest::collection::vec(rate, 7 * 5 * 4)).prop_map(
        |(title, panels, groups, series, scale, rates)| {
            let mut rates = rates.into_iter().cycle();
            let mut bar = || {
                rates.next().flatten().map(|(x, spread)| Bar {
                    min: x * scale,
                    median: x * scale * (1.0 + spread),
                    max: x * scale * (1.0 + 2.0 * spread),
                })
            };
            let mut group = |name: &String| Group { name: name.clone(), bars: series.iter().map(|_| bar()).collect() };
            let mut panel = |name: &String| Panel { name: name.clone(), groups: groups.iter().map(&mut group).collect() };
            let panels = panels.iter().map(&mut panel).collect();
            let reference = Some(Reference { pps: scale / 2.0, name: "intended load".into() });
            Bars { title, panels, series, reference, note: "how it was measured".into() }
        },
    )
}

fn texts(node: &Node, found: &mut Vec<(String, Rect)>) {
    match node {
        Node::Group(group) => group.children().iter().for_each(|child| texts(child, found)),
        Node::Text(text) => {
            let said: String = text.chunks().iter().map(|chunk| chunk.text()).collect();
            found.push((said, text.abs_bounding_box()));
        }
        _ => {}
    }
}

fn effects() -> impl Strategy<Value = Effects> {
    let mark = prop_oneof![Just(Mark::Better), Just(Mark::Worse), Just(Mark::Same), Just(Mark::Open)];
    let row = (".{1,60}", -1.0..1.0f64, 0.0..1.0f64, 0.0..1.0f64, mark, ".{1,60}");
    let scale = prop_oneof![Just(0.001), Just(1.0), Just(100.0), Just(1e9)];
    (".{0,120}", ".{0,200}", 0.01..20.0f64, scale, proptest::collection::vec(row, 1..30)).prop_map(
        |(title, caption, margin, scale, rows)| {
            let row = |(name, percent, below, above, mark, text): (String, f64, f64, f64, Mark, String)| Effect {
                name,
                percent: percent * scale,
                low: (percent - below) * scale,
                high: (percent + above) * scale,
                mark,
                text,
            };
            Effects { title, caption, margin, rows: rows.into_iter().map(row).collect(), note: "how it was measured".into() }
        },
    )
}

/// Every text lies on the paper, and no two lie on each other; sloping ones are not looked at for the latter.
fn assert_readable(svg: &str) -> Tree {
    assert!(!svg.contains("NaN") && !svg.contains("inf\"") && !svg.contains("=\"-inf"));
    let tree = Tree::from_str(svg, &OPTIONS).unwrap();
    let mut found = Vec::new();
    tree.root().children().iter().for_each(|child| texts(child, &mut found));
    let (width, height) = (tree.size().width(), tree.size().height());
    let sloping = svg.contains("rotate(-35");
    for (n, (text, a)) in found.iter().enumerate() {
        assert!(a.left() >= 0.0 && a.right() <= width && a.top() >= 0.0 && a.bottom() <= height, "{text} at {a:?}");
        for (other, b) in found[n + 1..].iter().filter(|_| !sloping) {
            let beside = a.right() <= b.left() + 1.0 || b.right() <= a.left() + 1.0;
            let above = a.bottom() <= b.top() + 3.0 || b.bottom() <= a.top() + 3.0;
            assert!(beside || above, "{text:?} at {a:?} and {other:?} at {b:?}");
        }
    }
    tree
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    // Whatever the names, numbers and size of the matrix, no text lies on another or leaves the paper.
    #[test]
    fn no_two_texts_of_a_bar_chart_overlap(bars in chart()) {
        let tree = assert_readable(&bars.svg());
        prop_assert_eq!((tree.size().width(), tree.size().height()), (WIDTH as f32, HEIGHT as f32));
    }

    // The same for effects, from thousandths of a percent to millions.
    #[test]
    fn no_two_texts_of_an_effect_plot_overlap(effects in effects()) {
        assert_readable(&effects.svg());
    }
}

// A README shows the picture at the size the archive's have.
#[test]
fn a_picture_is_1920_by_1080_pixels() {
    let bars = Bars { title: "t".into(), series: vec!["a".into()], panels: Vec::new(), reference: None, note: String::new() };
    let png = png(&bars.svg());
    assert_eq!(&png[..8], b"\x89PNG\r\n\x1a\n");
    assert_eq!((&png[16..20], &png[20..24]), (&1920u32.to_be_bytes()[..], &1080u32.to_be_bytes()[..]));
}
