use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use linerate::experiment::{Change, Compare, Config, Experiment, Family, Lab, Layout, Method, SenderKind, Source, TextFile, Traffic, Variant};
use linerate::units::Load;

use crate::{plan, text};

const SEED: u64 = 77;

fn parse(text: &str) -> Experiment {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/experiment/x.toml");
    Source { path, text: text.to_owned() }.parse(SEED).unwrap()
}

fn sysctls(settings: &[(&str, &str)]) -> BTreeMap<String, String> {
    settings.iter().map(|(name, value)| (name.to_string(), value.to_string())).collect()
}

// Every key arrives where it belongs, with its unit; files arrive with their content.
#[test]
fn every_key_means_what_it_says() {
    let ruleset = TextFile { path: "wrong/ruleset.nft".into(), content: include_str!("wrong/ruleset.nft").into() };
    let all = Change {
        sysctl: sysctls(&[
            ("net.core.bpf_jit_enable", "1"),
            ("net.ipv4.conf.all.rp_filter", "0"),
            ("net.ipv4.ip_local_port_range", "1024 65000"),
        ]),
        nft: Some(ruleset.clone()),
        commands: vec![["ip", "route", "add", "blackhole", "192.0.2.0/24"].map(String::from).to_vec(), vec!["true".into()]],
        files: BTreeMap::from([("/etc/x/y.conf".into(), ruleset)]),
        burn: 0,
    };
    let slower = Change { sysctl: sysctls(&[("net.ipv4.ip_early_demux", "0")]), burn: 16, ..Change::default() };
    let expected = Experiment {
        title: "Every key there is — with an ünusual letter".into(),
        question: "More than\none line.".into(),
        lab: Lab::Netns,
        method: Method {
            compare: Compare::Blocks,
            layout: Layout::Inline,
            sender: Some(SenderKind::AfPacket),
            iterations: 7,
            seed: (1 << 53) - 1,
            warmup: Duration::from_millis(250),
            duration: Duration::from_millis(600),
            retries: 0,
            margin: 0.005,
        },
        traffic: vec![
            Traffic { name: "plain".into(), family: Family::Inet4, frame_size: 64, sources: 20, destinations: 100, load: Load::Max },
            Traffic {
                name: "big 6".into(),
                family: Family::Inet6,
                frame_size: 1518,
                sources: 1,
                destinations: 250,
                load: Load::Pps(1_500_000),
            },
        ],
        configs: vec![Config { name: "forwarding".into(), change: Change::default() }, Config { name: "all".into(), change: all }],
        variants: vec![
            Variant { name: "default".into(), change: Change::default() },
            Variant { name: "other".into(), change: slower },
        ],
    };
    assert_eq!(parse(include_str!("everything.toml")), expected);
}

// What FORMAT.md calls the defaults.
#[test]
fn everything_but_names_and_families_has_a_default() {
    let text = "title = \"t\"\n[[traffic]]\nname = \"six\"\nfamily = \"inet6\"\n[[config]]\nname = \"c\"\n[[variant]]\nname = \"v\"\n";
    let experiment = parse(text);
    let (warmup, duration) = (Duration::from_millis(50), Duration::from_millis(600));
    let duet = Method {
        compare: Compare::Duet,
        layout: Layout::Inline,
        sender: None,
        iterations: 30,
        seed: SEED,
        warmup,
        duration,
        retries: 3,
        margin: 0.01,
    };
    assert_eq!(experiment.method, duet);
    let (warmup, duration) = (Duration::from_millis(200), Duration::from_secs(1));
    let blocks = Method { compare: Compare::Blocks, iterations: 5, warmup, duration, ..duet };
    assert_eq!(parse(&format!("{text}[method]\ncompare = \"blocks\"\n")).method, blocks);
    let (name, family) = ("six".into(), Family::Inet6);
    assert_eq!(experiment.traffic, [Traffic { name, family, frame_size: 66, sources: 20, destinations: 100, load: Load::Max }]);
    assert!(experiment.question.is_empty() && experiment.configs[0].change.is_empty());
}

// Without a seed anywhere two plans differ; the seed that is printed repeats the plan.
#[test]
fn a_drawn_seed_can_be_repeated() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/experiment");
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("x.toml");
    std::fs::write(
        &file,
        include_str!("everything.toml").replace("seed = ", "# ").replace("wrong/", &format!("{}/wrong/", directory.display())),
    )
    .unwrap();
    let json = |arguments: &[&str]| -> serde_json::Value {
        let output = plan(dir.path(), &[&["x.toml", "--format", "json"], arguments].concat());
        serde_json::from_str(text(&output.stdout)).unwrap()
    };
    let (first, second) = (json(&[]), json(&[]));
    assert_ne!(first["plan"], second["plan"]);
    let seed = first["experiment"]["method"]["seed"].to_string();
    assert_eq!(json(&["--seed", &seed]), first);
    assert_eq!(json(&["--seed", "5"])["experiment"]["method"]["seed"], 5);
}
