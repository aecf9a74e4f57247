//! The width of the terminal, asked anew each time: windows are resized.

/// The columns of the terminal behind standard error, if it is one and tells.
pub(crate) fn columns_of_stderr() -> Option<usize> {
    let size = rustix::termios::tcgetwinsize(std::io::stderr()).ok()?;
    Some(usize::from(size.ws_col)).filter(|columns| *columns > 0)
}
