//! Output functions of the Markdown renderer: text, line breaks, blocks, emphasis, links.

use std::ops::Range;

use super::Page;
use crate::terminal::{Style, neutral};

impl Page<'_> {
    /// Text in the current style. It is sanitized here, after entities are decoded.
    pub(super) fn piece(&mut self, text: &str) {
        let text = neutral(text).replace('\n', " ");
        match (&mut self.table, self.styles.last()) {
            (Some(table), _) => table.push(&text),
            (None, Some(style)) => self.text.push_str(&self.frame.paint.text(*style, &text)),
            (None, None) => self.text.push_str(&text),
        }
        self.after_mark = false;
    }

    /// Lines unchanged, such as HTML, which has no meaning here.
    pub(super) fn verbatim(&mut self, text: &str) {
        for (number, line) in text.trim_end_matches('\n').split('\n').enumerate() {
            if number > 0 {
                self.new_line();
            }
            self.piece(line);
        }
    }

    /// Indented lines of code.
    pub(super) fn code(&mut self, text: &str) {
        for line in text.trim_end_matches('\n').split('\n') {
            if !self.after_mark {
                self.new_line();
            }
            let line = neutral(line);
            self.text.push_str(&self.frame.paint.text(Style::Code, &format!("    {line}")));
            self.after_mark = false;
        }
    }

    /// Lines that are already rendered.
    pub(super) fn lines(&mut self, lines: &[String]) {
        for (number, line) in lines.iter().enumerate() {
            if number > 0 {
                self.new_line();
            }
            self.text.push_str(line);
        }
        self.after_mark = false;
    }

    /// A line break within a paragraph. Outside of containers, the next
    /// line's indentation in the source is kept.
    pub(super) fn line_break(&mut self, end: usize) {
        if let Some(table) = &mut self.table {
            table.push(" ");
            return;
        }
        self.new_line();
        if self.indents.is_empty() {
            let next = self.source.get(end..).unwrap_or_default();
            let blanks = next.len() - next.trim_start_matches([' ', '\t']).len();
            self.text.push_str(next.get(..blanks).unwrap_or_default());
        }
    }

    /// Keeps the indentation of a paragraph's first line.
    pub(super) fn indentation(&mut self, start: usize) {
        if self.indents.is_empty() {
            let before = self.source.get(..start).unwrap_or_default();
            let blanks = before.trim_end_matches([' ', '\t']).len();
            self.text.push_str(before.get(blanks..).unwrap_or_default());
        }
    }

    /// Begins a block: on a new line, after a blank line if the source has one.
    pub(super) fn block(&mut self, range: &Range<usize>) {
        if std::mem::take(&mut self.after_mark) || self.text.is_empty() {
            return;
        }
        let before = self.source.get(..range.start).unwrap_or_default();
        // Container marks may stand between the blank line and the block.
        let before = before.trim_end_matches([' ', '\t', '>']);
        if before.ends_with("\n\n")
            || before.trim_end_matches([' ', '\t', '>', '\n']).len() + 1 < before.len()
        {
            self.new_line();
        }
        self.new_line();
    }

    /// An emphasis mark: a style, or the mark itself if it is part of a word.
    pub(super) fn emphasis(&mut self, range: &Range<usize>, style: Style, mark: &'static str) {
        let joined = mark == "*" && {
            let before = self.source.get(..range.start).and_then(|text| text.chars().next_back());
            let after = self.source.get(range.end..).and_then(|text| text.chars().next());
            before.is_some_and(char::is_alphanumeric) || after.is_some_and(char::is_alphanumeric)
        };
        let is_literal = joined || mark.starts_with('_');
        let literal = if is_literal { mark } else { "" };
        let around = self.styles.last().copied().unwrap_or(Style::Plain);
        self.piece(literal);
        self.literal.push(literal);
        self.styles.push(if is_literal { around } else { style });
    }

    /// The address of a link after its text, unless the text is the address.
    pub(super) fn link(&mut self) {
        let (Some(address), Some(start)) = (self.addresses.pop(), self.link_starts.pop()) else { return };
        let is_told = self.written().get(start..).is_some_and(|text| text.contains(&address));
        if !is_told && !address.is_empty() {
            self.piece(&format!(" ({address})"));
        }
    }

    /// The text of the current paragraph or cell so far.
    pub(super) fn written(&self) -> &str {
        self.table.as_ref().map_or(self.text.as_str(), super::Table::written)
    }

    fn new_line(&mut self) {
        let trimmed = self.text.trim_end_matches(' ').len();
        self.text.truncate(trimmed);
        self.text.push('\n');
        for indent in &self.indents {
            self.text.push_str(indent);
        }
    }
}
