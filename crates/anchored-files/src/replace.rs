//! Files of the user that appear whole or not at all.

use std::fs::{self, OpenOptions, Permissions};
use std::io::{self, ErrorKind, Write};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::Path;

use rustix::fs::{Access, access};

/// Puts the whole text there at once, with the mode of what was there; a new file is its owner's alone. It is written beside it first, under a name
/// that ends in `.toml.new`.
pub fn replace(target: &Path, text: &[u8]) -> io::Result<()> {
    let mode = match target.metadata() {
        Ok(found) => {
            // A name may be replaced where the file itself may not be written.
            access(target, Access::WRITE_OK)?;
            found.permissions().mode() & 0o777
        }
        Err(error) if error.kind() == ErrorKind::NotFound => 0o600,
        Err(error) => return Err(error),
    };
    let unfinished = target.with_extension("toml.new");
    let written = write(&unfinished, text, mode).and_then(|()| fs::rename(&unfinished, target));
    if written.is_err() {
        // What is wrong is said already.
        let _ = fs::remove_file(&unfinished);
    }
    written
}

fn write(path: &Path, text: &[u8], mode: u32) -> io::Result<()> {
    // What an earlier attempt left is not written into: it may be a link.
    match fs::remove_file(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
        Ok(()) | Err(_) => {}
    }
    let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)?;
    file.write_all(text)?;
    file.set_permissions(Permissions::from_mode(mode))?;
    file.sync_all()
}
