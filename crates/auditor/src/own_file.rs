//! The auditor's files as it opens them: regular files of its owner alone, and no link in their place.

use std::fs::{File, Metadata, OpenOptions};
use std::io;
use std::path::Path;

/// Opens a file of the auditor, with mode 0600 where it is made. What bears its name and is no regular file, a link too, is
/// refused: whoever planted it decides what would be written or waited for.
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

/// Whether an open file is the one that this path names. One that was removed or moved away still takes what is written, and nobody
/// will read it.
pub(crate) fn is_named(file: &File, path: &Path) -> io::Result<bool> {
    match path.symlink_metadata() {
        Ok(named) => Ok(named.is_file() && is_same(&named, &file.metadata()?)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

fn not_regular() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, "it is a link or a folder, not a regular file")
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
