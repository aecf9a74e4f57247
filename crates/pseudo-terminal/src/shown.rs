//! The output of a terminal: its screen and the raw bytes.

use std::time::Instant;

use crate::Size;

/// The query of the cursor position (DSR 6).
const ASKS_FOR_CURSOR: &[u8] = b"\x1b[6n";

/// The screen and every received byte.
pub struct Shown {
    parser: vt100::Parser,
    bytes: Vec<u8>,
    at: Instant,
}

impl Shown {
    pub(crate) fn nothing(size: Size) -> Self {
        let parser = vt100::Parser::new(size.rows, size.columns, 0);
        Self { parser, bytes: Vec::new(), at: Instant::now() }
    }

    /// The screen.
    pub fn screen(&self) -> &vt100::Screen {
        self.parser.screen()
    }

    /// The text on the screen.
    pub fn text(&self) -> String {
        self.screen().contents()
    }

    /// All bytes received since the start.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Time of the last output.
    pub fn at(&self) -> Instant {
        self.at
    }

    /// Processes output. Returns the terminal's reply if the output contains a query of the cursor position.
    pub(crate) fn show(&mut self, piece: &[u8]) -> Option<String> {
        self.at = Instant::now();
        self.parser.process(piece);
        self.bytes.extend_from_slice(piece);
        let is_asked = piece.windows(ASKS_FOR_CURSOR.len()).any(|bytes| bytes == ASKS_FOR_CURSOR);
        is_asked.then(|| {
            let (row, column) = self.screen().cursor_position();
            format!("\x1b[{};{}R", row.saturating_add(1), column.saturating_add(1))
        })
    }

    pub(crate) fn resize(&mut self, size: Size) {
        self.parser.screen_mut().set_size(size.rows, size.columns);
    }
}
