//! Rendering of a model's Markdown for the terminal.
//!
//! Models also write text that is not Markdown: lists of files, one name per line, text with stars and
//! underscores. Therefore text stays unchanged unless it contains a construct that is not written by chance:
//! `**strong**`, a link, a fenced block, a table. Line breaks are kept.

mod table;

use std::ops::Range;

use pulldown_cmark::{CodeBlockKind, Event, HeadingLevel, Options, Parser, Tag, TagEnd};

use self::table::Table;
use super::frame::Frame;
use crate::terminal::{Style, neutral};

/// Renders the text if it is Markdown, otherwise returns it as it is. The result is neutral.
pub(super) fn markdown(text: &str, frame: Frame) -> String {
    let source = neutral(text);
    if !is_markdown(&source) {
        return source.into_owned();
    }
    let mut page = Page::new(&source, frame);
    for (event, range) in parser(&source) {
        page.on(event, range);
    }
    page.text.trim_matches('\n').to_owned()
}

fn parser(source: &str) -> impl Iterator<Item = (Event<'_>, Range<usize>)> {
    let options = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TASKLISTS;
    Parser::new_ext(source, options).into_offset_iter()
}

/// Whether the text contains a construct that is not written by chance.
fn is_markdown(source: &str) -> bool {
    parser(source).any(|(event, range)| match event {
        Event::Start(Tag::Strong) => !is_underlined(source, &range),
        Event::Start(Tag::Link { .. }) => source.get(range).is_some_and(|link| link.starts_with('[')),
        Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(_)) | Tag::Table(_)) => true,
        Event::Start(_)
        | Event::End(_)
        | Event::Text(_)
        | Event::Code(_)
        | Event::InlineMath(_)
        | Event::DisplayMath(_)
        | Event::Html(_)
        | Event::InlineHtml(_)
        | Event::FootnoteReference(_)
        | Event::SoftBreak
        | Event::HardBreak
        | Event::Rule
        | Event::TaskListMarker(_) => false,
    })
}

/// Whether the mark is `_`. It may be part of a name, as in `__init__.py`, so it is kept.
fn is_underlined(source: &str, range: &Range<usize>) -> bool {
    source.get(range.start..).is_some_and(|mark| mark.starts_with('_'))
}

/// The output so far and the stack of open elements.
struct Page<'a> {
    source: &'a str,
    frame: Frame,
    text: String,
    /// Line prefixes of the open containers: blanks for lists, a bar for quotations.
    indents: Vec<String>,
    /// The next number of each open list; `None` for a bulleted list.
    numbers: Vec<Option<u64>>,
    /// Whether a list mark was just written and the item's first line follows it.
    after_mark: bool,
    styles: Vec<Style>,
    /// Marks that are kept as written.
    literal: Vec<&'static str>,
    addresses: Vec<String>,
    /// Start of the innermost link's text.
    link_starts: Vec<usize>,
    is_code: bool,
    table: Option<Table>,
}

impl<'a> Page<'a> {
    fn new(source: &'a str, frame: Frame) -> Self {
        Self {
            source,
            frame,
            text: String::new(),
            indents: Vec::new(),
            numbers: Vec::new(),
            after_mark: false,
            styles: Vec::new(),
            literal: Vec::new(),
            addresses: Vec::new(),
            link_starts: Vec::new(),
            is_code: false,
            table: None,
        }
    }

    fn on(&mut self, event: Event<'a>, range: Range<usize>) {
        match event {
            Event::Start(tag) => self.start(tag, &range),
            Event::End(tag) => self.end(tag),
            Event::Text(text) if self.is_code => self.code(&text),
            Event::Text(text) => self.piece(&text),
            // The backquotes are kept: code is recognizable without colours, too.
            Event::Code(code) => {
                self.styles.push(Style::Code);
                self.piece(&format!("`{code}`"));
                self.styles.pop();
            }
            Event::SoftBreak | Event::HardBreak => self.line_break(range.end),
            Event::Rule => {
                self.block(&range);
                self.piece(self.frame.sign("────────", "---"));
            }
            Event::TaskListMarker(done) => self.piece(if done { "[x] " } else { "[ ] " }),
            Event::Html(text) | Event::InlineHtml(text) => self.verbatim(&text),
            Event::InlineMath(text) | Event::DisplayMath(text) | Event::FootnoteReference(text) => {
                self.piece(&text);
            }
        }
    }

    fn start(&mut self, tag: Tag<'a>, range: &Range<usize>) {
        match tag {
            Tag::Paragraph => {
                self.block(range);
                self.indentation(range.start);
            }
            Tag::HtmlBlock => self.block(range),
            Tag::Heading { level, .. } => {
                self.block(range);
                self.styles.push(Style::Strong);
                self.piece(&format!("{} ", "#".repeat(depth(level))));
            }
            Tag::BlockQuote(_) => {
                self.block(range);
                self.indents.push(self.frame.sign("│ ", "> ").to_owned());
                self.text.push_str(self.frame.sign("│ ", "> "));
                self.after_mark = true;
            }
            Tag::CodeBlock(_) => {
                self.block(range);
                self.is_code = true;
                self.after_mark = true;
            }
            Tag::List(first) => {
                // A nested list begins on a line of its own, without a blank line before it.
                self.block(range);
                self.after_mark = true;
                self.numbers.push(first);
            }
            Tag::Item => {
                self.block(range);
                let mark = match self.numbers.last_mut() {
                    Some(Some(number)) => {
                        let mark = format!("{number}. ");
                        *number = number.saturating_add(1);
                        mark
                    }
                    Some(None) | None => self.frame.sign("• ", "- ").to_owned(),
                };
                self.text.push_str(&mark);
                self.indents.push(" ".repeat(crate::terminal::width(&mark)));
                self.after_mark = true;
            }
            Tag::Emphasis => self.emphasis(
                range,
                Style::Emphasis,
                if is_underlined(self.source, range) { "_" } else { "*" },
            ),
            Tag::Strong => self.emphasis(
                range,
                Style::Strong,
                if is_underlined(self.source, range) { "__" } else { "**" },
            ),
            Tag::Strikethrough => self.emphasis(range, Style::Faint, "~~"),
            Tag::Link { dest_url, .. } => {
                self.link_starts.push(self.written().len());
                self.addresses.push(dest_url.into_string());
            }
            Tag::Image { dest_url, .. } => {
                self.piece("image: ");
                self.link_starts.push(self.written().len());
                self.addresses.push(dest_url.into_string());
            }
            Tag::Table(_) => {
                self.block(range);
                self.table = Some(Table::default());
            }
            Tag::TableHead | Tag::TableRow => {
                if let Some(table) = &mut self.table {
                    table.row();
                }
            }
            Tag::TableCell => {
                if let Some(table) = &mut self.table {
                    table.cell();
                }
            }
            // These extensions are not enabled.
            Tag::FootnoteDefinition(_)
            | Tag::DefinitionList
            | Tag::DefinitionListTitle
            | Tag::DefinitionListDefinition
            | Tag::Superscript
            | Tag::Subscript
            | Tag::MetadataBlock(_) => {}
        }
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Heading(_) => {
                self.styles.pop();
            }
            TagEnd::Item | TagEnd::BlockQuote(_) => {
                self.indents.pop();
                self.after_mark = false;
            }
            TagEnd::List(_) => {
                self.numbers.pop();
                self.after_mark = false;
            }
            TagEnd::CodeBlock => {
                self.is_code = false;
                self.after_mark = false;
            }
            TagEnd::Emphasis | TagEnd::Strong | TagEnd::Strikethrough => {
                let mark = self.literal.pop().unwrap_or_default();
                self.piece(mark);
                self.styles.pop();
            }
            TagEnd::Link | TagEnd::Image => self.link(),
            TagEnd::Table => {
                if let Some(table) = self.table.take() {
                    let before: usize =
                        self.indents.iter().map(|indent| crate::terminal::width(indent)).sum();
                    let room = self.frame.columns.saturating_sub(before + 1);
                    let lines = table.lines(room, self.frame);
                    self.lines(&lines);
                }
            }
            TagEnd::Paragraph
            | TagEnd::HtmlBlock
            | TagEnd::TableHead
            | TagEnd::TableRow
            | TagEnd::TableCell
            | TagEnd::FootnoteDefinition
            | TagEnd::DefinitionList
            | TagEnd::DefinitionListTitle
            | TagEnd::DefinitionListDefinition
            | TagEnd::Superscript
            | TagEnd::Subscript
            | TagEnd::MetadataBlock(_) => {}
        }
    }
}

fn depth(level: HeadingLevel) -> usize {
    match level {
        HeadingLevel::H1 => 1,
        HeadingLevel::H2 => 2,
        HeadingLevel::H3 => 3,
        HeadingLevel::H4 => 4,
        HeadingLevel::H5 => 5,
        HeadingLevel::H6 => 6,
    }
}

mod write;

#[cfg(test)]
mod tests;
