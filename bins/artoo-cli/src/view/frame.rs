//! What a view may use: columns, colours, detail.

use crate::terminal::{Look, Paint, Style, clip, neutral_line, width};

/// How to draw.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Frame {
    /// Columns of a line.
    pub(crate) columns: usize,
    /// Colours.
    pub(crate) paint: Paint,
    /// Whether nothing is shortened.
    pub(crate) verbose: bool,
}

/// Below this the code of the role gives way to the text.
const NARROW: usize = 40;

impl Frame {
    /// For a stream of this look.
    pub(crate) fn new(look: Look, verbose: bool) -> Self {
        Self { columns: look.columns, paint: Paint::new(look.colour), verbose }
    }

    /// The same, with nothing shortened: for what must not be missed.
    pub(super) fn whole(self) -> Self {
        Self { verbose: true, ..self }
    }

    /// A line of nobody, cut to fit.
    pub(super) fn bare(self, style: Style, text: &str) -> String {
        let text = neutral_line(text);
        let text = if self.verbose { text } else { clip(&text, self.columns.saturating_sub(1)) };
        self.paint.text(style, &text)
    }

    /// The same without colours.
    pub(super) fn plain(self) -> Self {
        Self { paint: Paint::new(false), ..self }
    }

    /// A line of a role: its code, then text on one line, indented by `depth` steps, cut to fit.
    pub(crate) fn line(self, code: &str, depth: usize, style: Option<Style>, text: &str) -> String {
        let text = neutral_line(text);
        let before = width(&self.code(code)) + self.indent(depth).len() + 1;
        let text = if self.verbose { text } else { clip(&text, self.columns.saturating_sub(before)) };
        self.row(code, depth, style, &text)
    }

    /// The same of a text that is neutral already, as it is.
    pub(super) fn row(self, code: &str, depth: usize, style: Option<Style>, text: &str) -> String {
        let text = style.map_or_else(|| text.to_owned(), |style| self.paint.text(style, text));
        let code = self.paint.text(Style::Faint, &self.code(code));
        format!("{code}{}{text}", self.indent(depth)).trim_end().to_owned()
    }

    fn code(self, code: &str) -> String {
        if self.columns < NARROW { String::new() } else { format!("{code:<4} ") }
    }

    fn indent(self, depth: usize) -> String {
        " ".repeat(if self.columns < NARROW { depth } else { depth * 2 })
    }
}
