//! Opens the auditor's files: regular files private to their owner, and no links.

use std::fs::{File, Metadata, OpenOptions};
use std::io;
use std::path::Path;

/// Opens a file of the auditor, with mode 0600 if it is created. Anything other than a regular file,
/// including a link, is rejected: it could redirect or block reads and writes.
pub(crate) fn open(options: &mut OpenOptions, path: &Path) -> io::Result<File> {
    private(options);
    match path.symlink_metadata() {
        Ok(found) if !found.is_file() => return Err(not_regular()),
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        Ok(_) | Err(_) => {}
    }
    let file = options.open(path)?;
    if is_named(&file, path)? { Ok(file) } else { Err(not_regular()) }
}

/// Whether an open file is still the one at this path. A file that was removed or moved still accepts writes,
/// which are then lost.
pub(crate) fn is_named(file: &File, path: &Path) -> io::Result<bool> {
    match path.symlink_metadata() {
        Ok(named) => Ok(named.is_file() && is_same(&named, &file.metadata()?)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

fn not_regular() -> io::Error {
    io::Error::new(
        io::ErrorKind::InvalidInput,
        "it is a link, a folder, a pipe or a device, and no regular file",
    )
}

#[cfg(unix)]
fn is_same(one: &Metadata, other: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    (one.dev(), one.ino()) == (other.dev(), other.ino())
}

#[cfg(not(unix))]
fn is_same(_one: &Metadata, _other: &Metadata) -> bool {
    true
}

#[cfg(unix)]
fn private(options: &mut OpenOptions) {
    use std::os::unix::fs::OpenOptionsExt as _;
    options.mode(0o600);
}

#[cfg(not(unix))]
fn private(_options: &mut OpenOptions) {}
