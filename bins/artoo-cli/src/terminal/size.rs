//! The size of the terminal, asked anew each time: windows are resized.

/// What a terminal tells of its size; none of either where it does not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Size {
    /// Columns of a line.
    pub(crate) columns: Option<usize>,
    /// Lines.
    pub(crate) rows: Option<usize>,
}

/// The size of the terminal behind standard error, if it is one.
pub(crate) fn size_of_stderr() -> Option<Size> {
    let size = rustix::termios::tcgetwinsize(std::io::stderr()).ok()?;
    let told = |count: u16| Some(usize::from(count)).filter(|count| *count > 0);
    Some(Size { columns: told(size.ws_col), rows: told(size.ws_row) })
}
