//! Pages: as a reader sees them.

mod made;

use std::path::Path;

use linerate::experiment::Experiment;
use linerate::report::Report;
use linerate::store::Log;
use linerate::store::event::{ArmResult, Cause, RunResult, RunVerdict};
use proptest::prelude::*;
use pulldown_cmark::{Event, Parser, Tag};

/// Compares with the file in `tests/goldens`; `GOLDENS=write cargo test` writes what is rendered now instead.
fn golden(name: &str, rendered: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/goldens").join(name);
    if std::env::var_os("GOLDENS").is_some_and(|what| what == "write") {
        std::fs::write(&path, rendered).unwrap();
    }
    let expected = std::fs::read_to_string(&path).unwrap();
    for (number, (found, expected)) in rendered.lines().zip(expected.lines()).enumerate() {
        assert_eq!(found, expected, "{name}, line {}", number + 1);
    }
    assert_eq!(rendered.len(), expected.len(), "{name}: one is longer");
}

// The page, the facts for machines and the terminal's table, to the letter.
#[test]
fn a_small_experiment_reads_as_it_should() {
    let log = made::log();
    let report = Report::new(&log);
    golden("README.md", &report.page().markdown());
    golden("report.json", &report.json());
    golden("terminal.txt", &report.terminal(str::to_string));
}

// An unfinished experiment with nothing valid says so everywhere and compares nothing.
#[test]
fn a_log_without_a_valid_run_is_a_page_too() {
    let mut log = made::log();
    log.results = log.plan.runs.iter().take(3).map(|run| made::invalid(run, 0, Cause::LabFailed, "ip: Operation not permitted")).collect();
    (log.complete, log.stopped) = (false, Some("Ctrl-C".into()));
    let report = Report::new(&log);
    let readme = report.page().markdown();
    for said in [
        "not complete: 0 of 60 runs",
        "Ctrl-C",
        "not judged in 6",
        "0 of 60 valid; 3 attempts invalid",
        "Operation not permitted",
        "lab-failed",
    ] {
        assert!(readme.contains(said), "{said} is not in:\n{readme}");
    }
    assert!(report.judgement().comparisons.iter().all(|comparison| comparison.answer.is_err()));
    let pictures: Vec<&str> = report.page().pictures().map(|(name, _)| name).collect();
    assert_eq!(pictures, ["graph"], "there is no effect to draw");
}

// Nothing is fetched, nothing is run: a page can be mailed, and opened in a browser without script.
#[test]
fn the_page_is_self_contained() {
    let html = Report::new(&made::log()).page().html();
    for foreign in ["<script", "src=", "@import", "url(", "href=\"http"] {
        assert!(!html.contains(foreign), "{foreign}");
    }
    assert_eq!(html.matches("<svg").count(), 2);
    let namespaces = html.matches("http://www.w3.org/2000/svg").count();
    assert_eq!(html.matches("://").count(), namespaces, "an address that is not the name of SVG itself");
}

const HOSTILE: [&str; 8] = [
    "<script>alert(1)</script>",
    "\"><img src=x onerror=alert(1)>",
    "a|b|c",
    "`` ` ``` ~~~ **x** _y_ [z](javascript:alert(1)) ![i](x)",
    "\u{1b}[31mred\u{1b}[0m \u{202e}desrever\0",
    "</title></style></svg></details><!--",
    "# heading\n\n- item\n\n| x |\n",
    "&lt;b&gt; &#60; $x$ \\",
];

/// The made-up log with every name that a user chooses replaced.
fn renamed(name: impl Fn(&str) -> String) -> Log {
    let mut log = made::log();
    let Experiment { title, question, variants, configs, traffic, .. } = &mut log.experiment;
    let variants = variants.iter_mut().map(|variant| &mut variant.name);
    let configs = configs.iter_mut().map(|config| &mut config.name);
    let mut names: Vec<&mut String> = vec![title, question];
    names.extend(variants.chain(configs).chain(traffic.iter_mut().map(|traffic| &mut traffic.name)));
    for run in &mut log.plan.runs {
        names.extend([&mut run.config, &mut run.traffic]);
        names.extend(&mut run.arms);
    }
    for result in &mut log.results {
        names.extend([&mut result.run.config, &mut result.run.traffic, &mut result.sender]);
        names.extend(&mut result.run.arms);
        names.extend(result.arms.iter_mut().map(|arm| &mut arm.variant));
        if let RunVerdict::Invalid { detail, .. } = &mut result.verdict {
            names.push(detail);
        }
    }
    names.into_iter().for_each(|text| *text = name(text));
    // Blank lines part the question into paragraphs; that is wanted.
    log.experiment.question = log.experiment.question.replace("\n\n", " ");
    log
}

/// Everything between < and > in order, without what names may stand in: attributes.
fn tags(html: &str) -> Vec<&str> {
    html.split('<').skip(1).map(|tag| tag.split([' ', '>']).next().unwrap()).collect()
}

/// What a Markdown reader sees, without the words: titles, lists, tables and their cells, code, pictures, HTML.
fn structure(markdown: &str) -> Vec<String> {
    let events = Parser::new_ext(markdown, pulldown_cmark::Options::ENABLE_TABLES | pulldown_cmark::Options::ENABLE_STRIKETHROUGH);
    let seen = events.filter_map(|event| match event {
        Event::Text(_) => None,
        Event::Code(_) => Some("code".to_string()),
        Event::Html(html) | Event::InlineHtml(html) => Some(tags(&html).join(" ")),
        Event::Start(Tag::Image { dest_url, .. }) => Some(format!("image {dest_url}")),
        other => Some(format!("{other:?}")),
    });
    seen.collect()
}

// Whatever a name holds, the page has the structure it has with harmless names.
#[test]
fn hostile_names_change_no_structure() {
    let harmless = renamed(|name| format!("x{}", name.len()));
    let expected = Report::new(&harmless).page();
    let before_pictures = |html: &str| tags(html.split("<svg").next().unwrap()).join(" ");
    for hostile in HOSTILE {
        let log = renamed(|name| format!("{hostile} {}", name.len()));
        let report = Report::new(&log);
        let (page, terminal) = (report.page(), report.terminal(str::to_string));
        let (html, readme) = (page.html(), page.markdown());
        assert_eq!(before_pictures(&html), before_pictures(&expected.html()), "{hostile}");
        for unwanted in ["<script", "<img", "<!--", "</title></style>"] {
            assert!(!html.contains(unwanted), "{unwanted} of {hostile}");
        }
        let (found, expected) = (structure(&readme), structure(&expected.markdown()));
        let differing = found.iter().zip(&expected).position(|(found, expected)| found != expected);
        assert!(differing.is_none() && found.len() == expected.len(), "{hostile}: at {differing:?} {:?}", differing.map(|n| &found[n]));
        for page in [&html, &readme, &terminal] {
            assert!(page.chars().all(|c| c == '\n' || !c.is_control() && c != '\u{202e}'), "{hostile}");
        }
        serde_json::from_str::<serde_json::Value>(&report.json()).unwrap();
    }
}

/// Attempts of any kind at the runs of the made-up plan; most of them at its first few, so that cells fill up.
fn any_results() -> impl Strategy<Value = Vec<RunResult>> {
    let frames = || prop_oneof![Just(0), 1..10_000_000u64, Just(u64::MAX)];
    let elapsed = prop_oneof![Just(0), Just(1), Just(2_000_000_000), Just(u64::MAX)];
    let attempt = (0..60usize, any::<bool>(), frames(), frames(), frames(), elapsed);
    proptest::collection::vec(attempt, 0..90).prop_map(|attempts| {
        let plan = made::plan(&made::experiment());
        let result = |(run, is_valid, sent, received, lost, elapsed_ns): (usize, bool, u64, u64, u64, u64)| {
            let run = &plan.runs[run];
            if !is_valid {
                return made::invalid(run, 0, Cause::FramesUnaccounted, "");
            }
            let drops = [("dut".to_string(), lost)].into();
            let arms = vec![ArmResult { variant: run.arms[0].clone(), sent, received, drops, elapsed_ns, ..ArmResult::default() }];
            RunResult { arms, ..made::valid(run, 0, 1.0, 0) }
        };
        attempts.into_iter().map(result).collect()
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    // No number that is none reaches a reader, whatever the runs gave.
    #[test]
    fn no_page_shows_nan_or_infinity(results in any_results()) {
        let log = Log { results, ..made::log() };
        let report = Report::new(&log);
        let page = report.page();
        // The pictures are inside the HTML.
        let pages = [report.json(), report.terminal(str::to_string), page.markdown(), page.html()];
        for page in pages {
            let bad = page.split(|c: char| !c.is_alphanumeric()).find(|word| ["nan", "inf", "infinity"].contains(&word.to_lowercase().as_str()));
            prop_assert!(bad.is_none(), "{:?}", bad);
        }
    }
}
