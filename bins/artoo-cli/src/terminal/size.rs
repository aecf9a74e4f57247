//! Size of the terminal; queried each time, because windows are resized.

/// The reported size; `None` for what the terminal does not report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Size {
    /// Width in columns.
    pub(crate) columns: Option<usize>,
    /// Height in lines.
    pub(crate) rows: Option<usize>,
}

/// The size of the terminal behind standard error, if it is one.
pub(crate) fn size_of_stderr() -> Option<Size> {
    let size = rustix::termios::tcgetwinsize(std::io::stderr()).ok()?;
    let told = |count: u16| Some(usize::from(count)).filter(|count| *count > 0);
    Some(Size { columns: told(size.ws_col), rows: told(size.ws_row) })
}
