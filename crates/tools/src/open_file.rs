//! Opens a regular file whose content may be shown, and resolves its real path.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::fs::{FileTypeExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use rustix::fs::OFlags;

use crate::protected::Protected;
use crate::{ToolContext, ToolError};

/// Opens a regular, unprotected file and returns its real path. A pipe or device is not opened at all,
/// because opening it may block forever or have an effect.
pub(crate) fn open_file(path: &Path, shown: &str, cx: &ToolContext) -> Result<(File, PathBuf), ToolError> {
    open(path, shown, Protected::of(cx))
}

/// The same for what is protected here: a file in a protected place, by whatever name, and a private key.
pub(crate) fn open(path: &Path, shown: &str, protected: &Protected) -> Result<(File, PathBuf), ToolError> {
    let failed = |source| ToolError::Io { action: "read", path: shown.to_owned(), source };
    check_kind(&fs::metadata(path).map_err(failed)?, shown)?;
    // In case the file was exchanged in between: do not block, do not acquire a terminal, and check again.
    let flags = OFlags::NONBLOCK | OFlags::NOCTTY;
    let file =
        OpenOptions::new().read(true).custom_flags(flags.bits().cast_signed()).open(path).map_err(failed)?;
    let found = file.metadata().map_err(failed)?;
    check_kind(&found, shown)?;
    let real = real_path(&file, path).map_err(failed)?;
    if protected.closes(&file, &real, &found) {
        return Err(ToolError::Protected { path: shown.to_owned() });
    }
    Ok((file, real))
}

/// The path that was actually opened, after all links.
pub(crate) fn real_path(file: &File, path: &Path) -> io::Result<PathBuf> {
    fs::read_link(format!("/proc/self/fd/{}", file.as_raw_fd())).or_else(|_| path.canonicalize())
}

/// Refuses what is no regular file.
pub(crate) fn check_kind(metadata: &fs::Metadata, shown: &str) -> Result<(), ToolError> {
    let kind = metadata.file_type();
    let not_a_file = |kind| Err(ToolError::NotAFile { path: shown.to_owned(), kind });
    match kind {
        _ if kind.is_file() => Ok(()),
        _ if kind.is_dir() => Err(ToolError::Folder { path: shown.to_owned() }),
        _ if kind.is_fifo() => not_a_file("a pipe"),
        _ if kind.is_socket() => not_a_file("a socket"),
        _ => not_a_file("a device"),
    }
}
