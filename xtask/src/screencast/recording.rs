//! Recording of a terminal, frame by frame.

use serde::{Deserialize, Serialize};

/// A recorded conversation.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Recording {
    /// Number of lines of the terminal.
    pub rows: u16,
    /// Number of columns of the terminal.
    pub columns: u16,
    /// The frames, in order.
    pub frames: Vec<Frame>,
}

/// A screen, shown for some time.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Frame {
    /// Its duration.
    pub milliseconds: u32,
    /// Its lines from the top, each as spans from the left.
    pub lines: Vec<Vec<Span>>,
    /// The row and column of the cursor, if visible.
    pub cursor: Option<(u16, u16)>,
}

/// A text in a single style.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Span {
    /// Its first column.
    pub column: u16,
    /// Its number of columns.
    pub columns: u16,
    /// Its text.
    pub text: String,
    /// Its style.
    pub style: Style,
}

/// The style of a text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(default)]
pub struct Style {
    /// Its colour; the terminal's default if `None`.
    pub colour: Option<Colour>,
    /// Its background colour.
    pub background: Option<Colour>,
    /// Bold.
    pub bold: bool,
    /// Dim.
    pub dim: bool,
    /// Italic.
    pub italic: bool,
    /// Underlined.
    pub underline: bool,
    /// Colour and background are swapped.
    pub inverse: bool,
}

/// A colour of a terminal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Colour {
    /// One of the 256 numbered colours; the terminal defines the first 16.
    Indexed(u8),
    /// A colour as red, green and blue.
    Rgb(u8, u8, u8),
}
