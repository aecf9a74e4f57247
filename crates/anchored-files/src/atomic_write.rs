//! Atomic replacement of a user's file.

use std::fs::{self, OpenOptions, Permissions};
use std::io::{self, ErrorKind, Write};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::Path;

use rustix::fs::{Access, access};

/// Replaces a file atomically, keeping its mode; a new file is accessible to its owner alone. The text is first written beside it,
/// under a name that ends in `.toml.new`.
pub fn replace(target: &Path, text: &[u8]) -> io::Result<()> {
    let mode = match target.metadata() {
        Ok(found) => {
            // Renaming over a file needs no write permission on the file
            // itself, so that is checked separately.
            access(target, Access::WRITE_OK)?;
            found.permissions().mode() & 0o777
        }
        Err(error) if error.kind() == ErrorKind::NotFound => 0o600,
        Err(error) => return Err(error),
    };
    let unfinished = target.with_extension("toml.new");
    let written = write(&unfinished, text, mode).and_then(|()| fs::rename(&unfinished, target));
    if written.is_err() {
        // The original error is returned.
        let _ = fs::remove_file(&unfinished);
    }
    written
}

fn write(path: &Path, text: &[u8], mode: u32) -> io::Result<()> {
    // A leftover of an earlier attempt is removed, not written to: it may be a symbolic link.
    match fs::remove_file(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
        Ok(()) | Err(_) => {}
    }
    let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)?;
    file.write_all(text)?;
    file.set_permissions(Permissions::from_mode(mode))?;
    file.sync_all()
}
