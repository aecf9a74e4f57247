//! What a question says, before it is known how much of it fits.

use crate::terminal::{Style, width};
use crate::view::frame::Frame;

/// One line, and what may be shown below it.
#[derive(Debug)]
pub(super) struct Told<'a> {
    /// How far it is indented, in steps.
    pub(super) depth: usize,
    pub(super) style: Option<Style>,
    /// Neutral.
    pub(super) text: String,
    /// Whether something of it was left out.
    pub(super) is_cut: bool,
    /// The lines that differ, where they are to be shown.
    pub(super) diff: Option<&'a str>,
}

impl<'a> Told<'a> {
    /// A change or an effect.
    pub(super) fn new(text: String, is_cut: bool) -> Self {
        Self { depth: 1, style: None, text, is_cut, diff: None }
    }

    /// The same, further in or in another style.
    pub(super) fn styled(self, depth: usize, style: Style) -> Self {
        Self { depth, style: Some(style), ..self }
    }

    /// The lines of the terminal that it takes.
    pub(super) fn rows(&self, code: &str, frame: Frame) -> usize {
        rows(&self.line(code, frame.plain()), frame)
    }

    /// As it is written.
    pub(super) fn line(&self, code: &str, frame: Frame) -> String {
        frame.row(code, self.depth, self.style, &self.text)
    }
}

/// The lines of the terminal that a line without colours takes.
pub(super) fn rows(line: &str, frame: Frame) -> usize {
    width(line).div_ceil(frame.columns.max(1)).max(1)
}
