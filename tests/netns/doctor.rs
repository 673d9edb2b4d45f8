use std::path::Path;
use std::process::{Command, Output};

use crate::workshop::{BASELINE, INET4, PLAIN, SHORT, Workshop, alone, root, shown};

fn workshop() -> Workshop {
    Workshop::new(SHORT, &[INET4, PLAIN, BASELINE].concat())
}

fn text(output: &Output) -> &str {
    assert!(output.stderr.is_empty(), "{}", shown(output));
    std::str::from_utf8(&output.stdout).unwrap()
}

/// The state of the line about `what`, and the rest of the line with what to try.
fn line<'a>(text: &'a str, what: &str) -> (&'a str, String) {
    let mut lines = text.lines();
    let about = |line: &&str| line.get(11..).is_some_and(|rest| rest.starts_with(&format!("{what} ")));
    let line = lines.find(about).unwrap_or_else(|| panic!("no {what} in {text}"));
    let fix = lines.next().filter(|line| line.contains("  try  ")).unwrap_or_default();
    (line[2..9].trim(), format!("{}{fix}", &line[11..]))
}

// Root: all works, proved by a run over each family, and the sender is named.
#[test]
fn root_is_told_that_all_works() {
    if !root() {
        return;
    }
    let workshop = workshop();
    let _alone = alone();
    let output = workshop.command(&["doctor"]).output().unwrap();
    let text = text(&output);
    assert_eq!(output.status.code(), Some(0), "{text}");
    for what in ["privileges", "unshare", "ip", "sysctl", "nft", "namespaces", "run over IPv4", "run over IPv6"] {
        assert_eq!(line(text, what).0, "ok", "{what} in {text}");
    }
    let run = line(text, "run over IPv4").1;
    assert!(run.contains("pps, valid"), "{run}");
    let sender = if line(text, "live frames").0 == "ok" { "xdp-live-frames" } else { "af-packet" };
    assert!(text.contains(&format!("Runs work here, with the sender {sender}")) && run.contains(sender), "{text}");
}

// An ordinary user: works, worse, and how to get the rest.
#[test]
fn an_ordinary_user_is_told_what_root_would_gain() {
    let workshop = workshop();
    let Some(mut command) = workshop.as_ordinary_user(&["doctor"]) else { return };
    let _alone = alone();
    let output = command.output().unwrap();
    let text = text(&output);
    assert_eq!(output.status.code(), Some(0), "{text}");
    for what in ["privileges", "live frames"] {
        let (state, rest) = line(text, what);
        assert!(state == "worse" && rest.contains("sudo linerate"), "{text}");
    }
    assert!(line(text, "namespaces").1.contains("user, network, mount and PID namespaces"), "{text}");
    assert!(line(text, "run over IPv6").1.contains("af-packet through nft-stateful"), "{text}");
    assert!(text.contains("Runs work here, with the sender af-packet"), "{text}");
}

// Root in a container may be root by name only: a user namespace then serves, as for an ordinary user.
#[test]
fn root_without_roots_rights_gets_a_user_namespace() {
    let workshop = workshop();
    if !root() || workshop.as_ordinary_user(&[]).is_none() {
        return;
    }
    let _alone = alone();
    for rights in ["-sys_admin", "-net_admin"] {
        let mut command = Command::new("setpriv");
        command.args(["--bounding-set", rights, "--inh-caps", rights, "--"]).arg(workshop.binary()).arg("doctor");
        let output = command.output().unwrap();
        let text = text(&output);
        assert_eq!((output.status.code(), line(text, "privileges").0), (Some(0), "worse"), "{text}");
        assert!(line(text, "run over IPv4").1.contains("af-packet through nft-stateful"), "{text}");
    }
}

/// `linerate` where these programs do not exist: /dev/null lies over them in a mount namespace of its own.
fn without(workshop: &Workshop, programs: &[&str], arguments: &str) -> Output {
    let mut script = String::new();
    for program in programs {
        for directory in ["/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin", "/bin"] {
            let path = format!("{directory}/{program}");
            if Path::new(&path).exists() {
                script += &format!("mount --bind /dev/null {path} && ");
            }
        }
    }
    let mut command = Command::new("unshare");
    command.args(["--mount", "sh", "-c", &format!("{script}exec ./linerate {arguments}")]).current_dir(workshop.path());
    command.env("PATH", "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin").output().unwrap()
}

// A missing program is named with its package; without it a run does not begin, and says the same.
#[test]
fn a_missing_program_is_named_with_its_package() {
    if !root() {
        return;
    }
    let workshop = workshop();
    let _alone = alone();
    for (program, package) in [("ip", "iproute2"), ("sysctl", "procps")] {
        let output = without(&workshop, &[program], "doctor");
        let text = text(&output);
        assert_eq!(output.status.code(), Some(2), "{text}");
        let (state, rest) = line(text, program);
        assert!(state == "missing" && rest.ends_with(&format!("try  apt-get install {package}")), "{text}");
        assert!(text.contains("Runs do not work here yet"), "{text}");

        let output = without(&workshop, &[program], "run x.toml -o result");
        let said = shown(&output);
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(
            said.contains(&format!("error: `{program}`, which "))
                && said.contains(&format!("try `apt-get install {package}`")),
            "{said}"
        );
        std::fs::remove_dir_all(workshop.result()).unwrap();
    }
}

// Without nft the kernel's own forwarding can still be measured by live frames, and nothing else can.
#[test]
fn without_nft_a_plain_router_can_be_measured() {
    if !root() {
        return;
    }
    let workshop = workshop();
    let _alone = alone();
    let output = without(&workshop, &["nft"], "doctor");
    let text = text(&output);
    assert!(line(text, "nft").1.ends_with("try  apt-get install nftables"), "{text}");
    if text.contains("af-packet is used") {
        assert_eq!((output.status.code(), line(text, "nft").0), (Some(2), "missing"), "{text}");
        return;
    }
    assert_eq!((output.status.code(), line(text, "nft").0), (Some(0), "worse"), "{text}");
    let (state, rest) = line(text, "run over IPv4");
    assert!(
        state == "worse" && rest.contains("through a plain router: ") && rest.contains("cannot start `nft`"),
        "{text}"
    );
}

// Nothing to be found at all: every line still stands, and nothing panics.
#[test]
fn with_an_empty_path_it_says_what_is_missing() {
    let workshop = workshop();
    let output = workshop.command(&["doctor"]).env("PATH", "/nonexistent").output().unwrap();
    let text = text(&output);
    assert_eq!(output.status.code(), Some(2), "{text}");
    assert_eq!(line(text, "unshare").0, "missing", "{text}");
    let (state, rest) = line(text, "namespaces");
    assert!(state == "missing" && rest.ends_with("try  apt-get install util-linux"), "{text}");
}
