//! A TOML table taken apart key by key; whatever is wrong is noted with its place, and reading goes on.

use std::ops::{Range, RangeInclusive};

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::keys;
use super::problem::{Findings, nearest, quoted};
use crate::units::UnitError;

pub(super) type Value<'a> = Spanned<DeValue<'a>>;

/// One table of the file. The getters give `None` both for an absent key and for a wrong value, which they have
/// noted then: the caller goes on with a default, and the default is never used.
pub(super) struct Table<'a> {
    pub findings: &'a Findings<'a>,
    /// As a user writes it: `[method]`.
    title: &'static str,
    /// The header, or the whole of an inline table; empty for the file itself.
    pub span: Range<usize>,
    entries: &'a DeTable<'a>,
}

impl<'a> Table<'a> {
    /// The file itself.
    pub fn root(findings: &'a Findings<'a>, entries: &'a DeTable<'a>) -> Table<'a> {
        Table { findings, title: keys::TOP, span: 0..0, entries }.checked()
    }

    /// The table under `key`: `[key]`.
    pub fn table(&self, key: &'static str, title: &'static str) -> Option<Table<'a>> {
        let entries = self.entries(key, title)?;
        let span = self.get(key)?.span();
        Some(Table { findings: self.findings, title, span, entries }.checked())
    }

    /// A table whose keys are the user's own.
    pub fn entries(&self, key: &'static str, example: &str) -> Option<&'a DeTable<'a>> {
        let value = self.get(key)?;
        let entries = value.get_ref().as_table();
        if entries.is_none() {
            self.wrong_type(key, value, "a table", example);
        }
        entries
    }

    /// The tables under `key`: `[[key]]`, as often as needed.
    pub fn tables(&self, key: &'static str, title: &'static str) -> Vec<Table<'a>> {
        let value = self.get(key);
        let elements = match value.map(|value| (value, value.get_ref().as_array())) {
            Some((_, Some(array))) => array.iter().collect(),
            Some((value, None)) => vec![value],
            None => Vec::new(),
        };
        if elements.is_empty() {
            let span = value.map_or(self.span.clone(), Spanned::span);
            self.findings.report(span, format!("there is no {title}"), format!("at least one {title}: without it there is nothing to run"));
        }
        let mut tables = Vec::new();
        for element in elements {
            match element.get_ref().as_table() {
                Some(entries) if value.is_some_and(|value| value.get_ref().is_array()) => {
                    tables.push(Table { findings: self.findings, title, span: element.span(), entries }.checked());
                }
                _ => self.wrong_type(key, element, "a list of tables", &format!("{title} in double brackets, once for each")),
            }
        }
        tables
    }

    pub fn get(&self, key: &'static str) -> Option<&'a Value<'a>> {
        debug_assert!(keys::of(self.title).contains(&key), "`{key}` is not among the keys of {}", self.title);
        self.entries.get(key)
    }

    /// A string; `example` is how one is written.
    pub fn text(&self, key: &'static str, example: &str) -> Option<Spanned<&'a str>> {
        let value = self.get(key)?;
        let text = value.get_ref().as_str();
        if text.is_none() {
            self.wrong_type(key, value, "a string", example);
        }
        Some(Spanned::new(value.span(), text?))
    }

    /// A string that must be there.
    pub fn required(&self, key: &'static str, example: &str) -> Option<Spanned<&'a str>> {
        if self.get(key).is_none() {
            let what = if self.title == keys::TOP { format!("there is no `{key}`") } else { format!("this {} has no `{key}`", self.title) };
            self.findings.report(self.span.clone(), what, format!("{key} = {example}"));
        }
        self.text(key, example)
    }

    /// A quantity with its unit.
    pub fn quantity<T>(&self, key: &'static str, example: &str, parse: impl Fn(&str) -> Result<T, UnitError>) -> Option<T> {
        let text = self.text(key, example)?;
        let UnitError(wrong) = match parse(text.get_ref()) {
            Ok(value) => return Some(value),
            Err(wrong) => wrong,
        };
        let (what, advice) = wrong.rsplit_once("; ").unwrap_or((&wrong, example));
        self.findings.report(text.span(), what, advice);
        None
    }

    /// A whole number between two bounds; `why` says where they come from.
    pub fn whole(&self, key: &'static str, bounds: RangeInclusive<u64>, why: &str) -> Option<u64> {
        let value = self.get(key)?;
        let (low, high) = (bounds.start(), bounds.end());
        let Some(integer) = value.get_ref().as_integer() else {
            self.wrong_type(key, value, "a whole number", &format!("{key} = {low}"));
            return None;
        };
        match i128::from_str_radix(integer.as_str(), integer.radix()).ok().and_then(|number| u64::try_from(number).ok()) {
            Some(number) if bounds.contains(&number) => Some(number),
            _ => {
                let what = format!("`{key}` is {integer}: {why}");
                self.findings.report(value.span(), what, format!("a number from {low} to {high}"));
                None
            }
        }
    }

    /// One of a few words, each with its meaning.
    pub fn one_of<T: Copy>(&self, key: &'static str, words: &[(&'static str, T)]) -> Option<T> {
        let list = words.iter().map(|(word, _)| format!("\"{word}\"")).collect::<Vec<_>>().join(" or ");
        let text = self.text(key, &list)?;
        let found = words.iter().find(|(word, _)| word == text.get_ref());
        if found.is_none() {
            self.findings.report(text.span(), format!("`{key}` cannot be {}", quoted(text.get_ref())), list);
        }
        found.map(|(_, meaning)| *meaning)
    }

    pub fn wrong_type(&self, key: &str, value: &Value, expected: &str, example: &str) {
        let article = if matches!(value.get_ref(), DeValue::Integer(_) | DeValue::Array(_)) { "an" } else { "a" };
        let what = format!("`{key}` is {article} {}, it must be {expected}", value.get_ref().type_str());
        self.findings.report(value.span(), what, example);
    }

    /// Notes the keys that no table of this kind has.
    fn checked(self) -> Table<'a> {
        let known = keys::of(self.title);
        for key in self.entries.keys() {
            let word = key.get_ref().as_ref();
            if !known.contains(&word) {
                let what = format!("{} is not a key of {}", quoted(word), self.title);
                self.findings.report(key.span(), what, advice(word, known));
            }
        }
        self
    }
}

/// What was probably meant by a key that is unknown where it stands.
fn advice(word: &str, known: &[&str]) -> String {
    if let Some(near) = nearest(word, known.iter().copied()) {
        return format!("`{near}`");
    }
    match keys::home(word) {
        Some(keys::TOP) => format!("`{word}` belongs to {}, above the first line in brackets", keys::TOP),
        Some(title) => format!("`{word}` belongs under {title}"),
        None => format!("one of {}", known.join(", ")),
    }
}
