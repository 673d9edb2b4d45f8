//! Log -> README.md, index.html, pictures, JSON and a table for the terminal. Pure; only [`Page::files`] draws pixels.

use crate::judge::Judgement;
use crate::plot;
use crate::store::Log;

/// What was found, in sentences and tables.
mod answers;
/// What the experiment says about its own error.
mod controls;
/// What a page says, before it is Markdown or HTML.
mod doc;
mod html;
mod json;
mod markdown;
/// What stands on the page, in which order.
mod page;
/// The data of the pictures.
mod pictures;
/// How it was measured.
mod setup;
mod terminal;
/// How numbers and causes are said.
mod words;

use doc::{Block, Doc};

/// A log and what it says; everything below is rendered from these two.
pub struct Report<'a> {
    log: &'a Log,
    judgement: Judgement,
}

impl<'a> Report<'a> {
    pub fn new(log: &'a Log) -> Report<'a> {
        Report { log, judgement: Judgement::of(log) }
    }

    pub fn judgement(&self) -> &Judgement {
        &self.judgement
    }

    /// The verdicts as a table of plain characters. `paint` may colour a verdict, say `improved` or `not judged`; it is
    /// the last thing on its line.
    pub fn terminal(&self, paint: impl Fn(&str) -> String) -> String {
        terminal::render(self.log, &self.judgement, paint)
    }

    /// The facts for machines; the shape is told in this module's `json.rs` and in FORMAT.md.
    pub fn json(&self) -> String {
        json::render(self.log, &self.judgement)
    }

    /// The page with its pictures, for people.
    pub fn page(&self) -> Page {
        Page(page::doc(self.log, &self.judgement))
    }
}

/// What people read: text, tables and pictures, drawn but not yet in pixels.
pub struct Page(Doc);

impl Page {
    /// `README.md`; it shows `graph.png`, and `effects.png` where there is a comparison to show.
    pub fn markdown(&self) -> String {
        markdown::render(&self.0)
    }

    /// `index.html`: one file, pictures inside, nothing fetched, no script.
    pub fn html(&self) -> String {
        html::render(&self.0)
    }

    /// The pictures, each with its file name without ending, as SVG.
    pub fn pictures(&self) -> impl Iterator<Item = (&'static str, &str)> {
        self.0.blocks.iter().filter_map(|block| match block {
            Block::Picture(picture) => Some((picture.name, picture.svg.as_str())),
            _ => None,
        })
    }

    /// Everything above, and each picture as PNG too: the files of a result directory that can be rendered again.
    pub fn files(&self) -> Vec<File> {
        let file = |name: String, content: Vec<u8>| File { name, content };
        let mut files = vec![file("README.md".into(), self.markdown().into()), file("index.html".into(), self.html().into())];
        for (name, svg) in self.pictures() {
            files.push(file(format!("{name}.svg"), svg.into()));
            files.push(file(format!("{name}.png"), plot::png(svg)));
        }
        files
    }
}

/// A file's name and content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct File {
    pub name: String,
    pub content: Vec<u8>,
}
