//! A rendered item of a question, before it is known how much fits.

use crate::terminal::{Style, width};
use crate::view::frame::Frame;

/// One line, with an optional diff below it.
#[derive(Debug)]
pub(super) struct Told<'a> {
    /// Indentation, in steps.
    pub(super) depth: usize,
    pub(super) style: Option<Style>,
    /// Already neutral.
    pub(super) text: String,
    /// Whether the text was cut.
    pub(super) is_cut: bool,
    /// The diff, if it is to be shown.
    pub(super) diff: Option<&'a str>,
}

impl<'a> Told<'a> {
    /// A change or an effect.
    pub(super) fn new(text: String, is_cut: bool) -> Self {
        Self { depth: 1, style: None, text, is_cut, diff: None }
    }

    /// The same with another indentation and style.
    pub(super) fn styled(self, depth: usize, style: Style) -> Self {
        Self { depth, style: Some(style), ..self }
    }

    /// Number of lines of the terminal that it takes.
    pub(super) fn rows(&self, code: &str, frame: Frame) -> usize {
        rows(&self.line(code, frame.plain()), frame)
    }

    /// The line as it is written.
    pub(super) fn line(&self, code: &str, frame: Frame) -> String {
        frame.row(code, self.depth, self.style, &self.text)
    }
}

/// Number of lines of the terminal that a line without colours takes.
pub(super) fn rows(line: &str, frame: Frame) -> usize {
    width(line).div_ceil(frame.columns.max(1)).max(1)
}
