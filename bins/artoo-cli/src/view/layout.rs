//! Layout parameters of a view (width, colours, detail) and the formatting of its lines.

use crate::terminal::{Look, Paint, Style, clip, neutral_line, width};

/// How to draw.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Frame {
    /// Width in columns.
    pub(crate) columns: usize,
    /// Painter.
    pub(crate) paint: Paint,
    /// Whether text is shown in full.
    pub(crate) verbose: bool,
    /// Screen reader mode: marks are words.
    pub(crate) words: bool,
    /// Whether Markdown is rendered.
    pub(crate) markdown: bool,
}

/// Below this width, role codes are left out.
const NARROW: usize = 40;

impl Frame {
    /// A frame for a stream of this look.
    pub(crate) fn new(look: Look, verbose: bool) -> Self {
        let paint = Paint::new(look.colour);
        Self { columns: look.columns, paint, verbose, words: look.words, markdown: false }
    }

    /// The same, with Markdown rendered.
    pub(crate) fn rendering(self) -> Self {
        Self { markdown: true, ..self }
    }

    /// A sign, or its words in screen reader mode.
    pub(super) const fn sign(self, sign: &'static str, words: &'static str) -> &'static str {
        if self.words { words } else { sign }
    }

    /// The same, with nothing shortened: for text that must not be missed.
    pub(super) fn whole(self) -> Self {
        Self { verbose: true, ..self }
    }

    /// A line without a role, cut to fit.
    pub(super) fn bare(self, style: Style, text: &str) -> String {
        let text = neutral_line(text);
        let text = if self.verbose { text } else { clip(&text, self.columns.saturating_sub(1)) };
        self.paint.text(style, &text)
    }

    /// The same without colours.
    pub(super) fn plain(self) -> Self {
        Self { paint: Paint::new(false), ..self }
    }

    /// A line of a role: its code, if it has one, then the text on one line, indented by `depth` steps and cut to fit.
    pub(crate) fn line(self, code: &str, depth: usize, style: Option<Style>, text: &str) -> String {
        let text = neutral_line(text);
        let before = width(&self.code(code)) + self.indent(depth).len() + 1;
        let text = if self.verbose { text } else { clip(&text, self.columns.saturating_sub(before)) };
        self.row(code, depth, style, &text)
    }

    /// The same for text that is already neutral; it is not cut.
    pub(super) fn row(self, code: &str, depth: usize, style: Option<Style>, text: &str) -> String {
        let text = style.map_or_else(|| text.to_owned(), |style| self.paint.text(style, text));
        let code = self.paint.text(Style::Faint, &self.code(code));
        format!("{code}{}{text}", self.indent(depth)).trim_end().to_owned()
    }

    fn code(self, code: &str) -> String {
        if code.is_empty() || self.columns < NARROW {
            return String::new();
        }
        let code = if code == "·" { self.sign("·", "") } else { code };
        format!("{code:<4} ")
    }

    fn indent(self, depth: usize) -> String {
        " ".repeat(if self.columns < NARROW { depth } else { depth * 2 })
    }
}
