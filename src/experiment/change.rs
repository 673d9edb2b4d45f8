//! What a config or a variant changes on the DUT.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::{Component, Path};

use toml::de::{DeTable, DeValue};

use super::problem::{Findings, quoted};
use super::source::read_text;
use super::table::{Table, Value};
use super::{Change, Lab, TextFile};

pub(super) fn change(table: &Table, lab: Lab) -> Change {
    Change { sysctl: sysctls(table, lab), nft: ruleset(table), commands: commands(table), files: files(table), burn: 0 }
}

fn sysctls(table: &Table, lab: Lab) -> BTreeMap<String, String> {
    let mut settings = BTreeMap::new();
    let entries = table.entries("sysctl", "sysctl = { \"net.ipv4.ip_early_demux\" = 0 }");
    for (name, span, value) in entries.map(|entries| flat("", entries)).unwrap_or_default() {
        let report = |what: &str, advice: &str| table.findings.report(span.clone(), format!("the sysctl {} {what}", quoted(&name)), advice);
        let part_is_fit = |part: &str| !part.is_empty() && part.chars().all(|c| c.is_ascii_alphanumeric() || "_-".contains(c));
        if !name.split('.').all(|part| part.split('/').all(part_is_fit)) {
            report("is not a name", "names like \"net.ipv4.conf.all.rp_filter\"; a dot in an interface's name is written `/`");
        } else if lab == Lab::Netns && !name.starts_with("net.") {
            report("is not kept per network namespace: to set it would change this machine", "only sysctls under `net.` on the netns lab");
        }
        let text = match value.get_ref() {
            DeValue::String(text) if !text.is_empty() && !text.contains(char::is_control) => text.to_string(),
            DeValue::Integer(number) if number.radix() == 10 => number.as_str().to_owned(),
            DeValue::Boolean(on) => u8::from(*on).to_string(),
            _ => {
                let what = format!("the sysctl {} has no value to write", quoted(&name));
                table.findings.report(value.span(), what, "a decimal number, true or false, or a string of one line");
                continue;
            }
        };
        if settings.insert(name.clone(), text).is_some() {
            report("is set twice", "one of the two");
        }
    }
    settings
}

fn ruleset(table: &Table) -> Option<TextFile> {
    let path = table.text("nft", "nft = \"rules.nft\"")?;
    text_file(table.findings, path.span(), path.get_ref())
}

fn commands(table: &Table) -> Vec<Vec<String>> {
    const EXAMPLE: &str = "commands = [[\"ip\", \"route\", \"add\", \"blackhole\", \"192.0.2.0/24\"]]";
    let Some(value) = table.get("commands") else { return Vec::new() };
    let Some(list) = value.get_ref().as_array() else {
        table.wrong_type("commands", value, "a list of argument lists", EXAMPLE);
        return Vec::new();
    };
    let mut commands = Vec::new();
    for command in list.iter() {
        let arguments: Option<Vec<&str>> =
            command.get_ref().as_array().and_then(|list| list.iter().map(|word| word.get_ref().as_str()).collect());
        match (arguments, command.get_ref().as_str()) {
            (Some(arguments), _)
                if arguments.first().is_some_and(|program| !program.is_empty()) && !arguments.iter().any(|word| word.contains('\0')) =>
            {
                commands.push(arguments.into_iter().map(str::to_owned).collect());
            }
            (None, Some(line)) => {
                let words: Vec<&str> = line.split_whitespace().collect();
                table.findings.report(
                    command.span(),
                    "a command is a list of arguments: no shell takes a line apart",
                    format!("{words:?}"),
                );
            }
            _ => table.findings.report(command.span(), "a command is a list of strings, the program first", EXAMPLE),
        }
    }
    commands
}

fn files(table: &Table) -> BTreeMap<String, TextFile> {
    let example = "files = { \"/etc/example.conf\" = \"example.conf\" }";
    let mut files = BTreeMap::new();
    for (target, local) in table.entries("files", example).into_iter().flat_map(|entries| entries.iter()) {
        let path = target.get_ref().as_ref();
        let mut components = Path::new(path).components();
        let absolute = components.next() == Some(Component::RootDir) && components.all(|part| matches!(part, Component::Normal(_)));
        if !absolute || path.ends_with('/') || path.contains(char::is_control) {
            let what = format!("{} is no place for a file on the DUT", quoted(path));
            table.findings.report(target.span(), what, "an absolute path without `..`, like \"/etc/example.conf\"");
        }
        match local.get_ref().as_str() {
            Some(name) => files.extend(text_file(table.findings, local.span(), name).map(|file| (path.to_owned(), file))),
            None => table.wrong_type(path, local, "the name of a file", example),
        }
    }
    files
}

/// A file named by the experiment: looked for in the experiment file's directory.
fn text_file(findings: &Findings, span: Range<usize>, name: &str) -> Option<TextFile> {
    let directory = findings.path.parent().unwrap_or(Path::new(""));
    match read_text(&directory.join(name)) {
        Ok(content) => Some(TextFile { path: name.to_owned(), content }),
        Err((what, advice)) => {
            findings.report(span, format!("{} {what}", quoted(name)), format!("{advice} (names are relative to the experiment file)"));
            None
        }
    }
}

/// Names and values; a name with dots in it may be quoted or not: unquoted, TOML makes nested tables of it.
fn flat<'a>(prefix: &str, entries: &'a DeTable<'a>) -> Vec<(String, Range<usize>, &'a Value<'a>)> {
    let mut found = Vec::new();
    for (key, value) in entries.iter() {
        let name = format!("{prefix}{}", key.get_ref());
        match value.get_ref().as_table() {
            Some(inner) => found.extend(flat(&format!("{name}."), inner)),
            None => found.push((name, key.span(), value)),
        }
    }
    found
}
