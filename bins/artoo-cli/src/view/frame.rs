//! What a view may use: columns, colours, detail.

use crate::terminal::{Look, Paint, Style, clip, neutral_line};

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

    /// A line of a role: its code, then text on one line, indented by `depth` steps, cut to fit.
    pub(crate) fn line(self, code: &str, depth: usize, style: Option<Style>, text: &str) -> String {
        let narrow = self.columns < NARROW;
        let code = if narrow { String::new() } else { format!("{code:<4} ") };
        let indent = " ".repeat(if narrow { depth } else { depth * 2 });
        let text = neutral_line(text);
        let text = if self.verbose {
            text
        } else {
            clip(&text, self.columns.saturating_sub(code.len() + indent.len() + 1))
        };
        let text = style.map_or(text.clone(), |style| self.paint.text(style, &text));
        format!("{}{indent}{text}", self.paint.text(Style::Faint, &code)).trim_end().to_owned()
    }
}
