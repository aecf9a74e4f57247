//! What was seen at a terminal, frame by frame.

use serde::{Deserialize, Serialize};

/// A conversation as it was seen.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Recording {
    /// Lines of the terminal.
    pub rows: u16,
    /// Columns of the terminal.
    pub columns: u16,
    /// What was on the screen, in order.
    pub frames: Vec<Frame>,
}

/// A screen, for a while.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Frame {
    /// For how many milliseconds.
    pub milliseconds: u32,
    /// Its lines from the top, each as texts from the left.
    pub lines: Vec<Vec<Span>>,
    /// The row and the column of the cursor, where it is seen.
    pub cursor: Option<(u16, u16)>,
}

/// A text that looks the same from its first column to its last.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Span {
    /// Where it begins.
    pub column: u16,
    /// How many columns it takes.
    pub columns: u16,
    /// What it says.
    pub text: String,
    /// How it looks.
    pub style: Style,
}

/// How a text looks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(default)]
pub struct Style {
    /// Its colour; the terminal's own where none is said.
    pub colour: Option<Colour>,
    /// What is behind it.
    pub background: Option<Colour>,
    /// Thick.
    pub bold: bool,
    /// Pale.
    pub dim: bool,
    /// Slanted.
    pub italic: bool,
    /// Underlined.
    pub underline: bool,
    /// Colour and background change places.
    pub inverse: bool,
}

/// A colour of a terminal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Colour {
    /// One of the 256 that have numbers; what the first 16 look like, is the terminal's.
    Indexed(u8),
    /// Any, as red, green and blue.
    Rgb(u8, u8, u8),
}
