//! Opening a regular file by its path, without ever waiting for what may lie in its place.

use std::fs::File;
use std::io::{self, Read as _};
use std::path::Path;

use rustix::fs::{self, FileType, Mode, OFlags};
use rustix::io::Errno;

/// Opens a regular file for reading; links are followed. What is no regular file is refused, and opening it does not
/// wait: a named pipe would block until somebody writes to it, and a device may answer without end.
///
/// ```
/// let folder = tempfile::tempdir()?;
/// let error = artoo_anchored_files::open_regular(folder.path()).unwrap_err();
/// assert_eq!(error.to_string(), "it is a folder, and no regular file");
/// # Ok::<(), std::io::Error>(())
/// ```
///
/// # Errors
/// The kernel's, or [`io::ErrorKind::InvalidInput`] that says what is there.
pub fn open_regular(path: &Path) -> io::Result<File> {
    let file = open_at_once(path)?;
    match irregular(&file)? {
        None => Ok(file),
        Some(kind) => Err(no_regular_file(kind)),
    }
}

/// The content of a regular file of at most `most` bytes.
///
/// # Errors
/// As [`open_regular`], and [`io::ErrorKind::FileTooLarge`] if it is longer.
pub fn read_regular(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    open_regular(path)?.take(most.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most {
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, format!("it is longer than {most} bytes")));
    }
    Ok(bytes)
}

/// Opens whatever is there for reading, without waiting for it and without making it the controlling terminal. Reading
/// from a pipe or a device does not wait either.
///
/// # Errors
/// The kernel's; a socket cannot be opened.
pub fn open_at_once(path: &Path) -> io::Result<File> {
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    match fs::open(path, flags, Mode::empty()) {
        Ok(file) => Ok(file.into()),
        Err(Errno::NXIO) => Err(no_regular_file("a socket, or a device that is not there")),
        Err(error) => Err(error.into()),
    }
}

/// What an open file is, in words, unless it is a regular one.
fn irregular(file: &File) -> io::Result<Option<&'static str>> {
    Ok(match FileType::from_raw_mode(fs::fstat(file)?.st_mode) {
        FileType::RegularFile => None,
        FileType::Directory => Some("a folder"),
        FileType::Fifo => Some("a pipe"),
        FileType::Socket => Some("a socket"),
        FileType::CharacterDevice | FileType::BlockDevice => Some("a device"),
        FileType::Symlink | FileType::Unknown => Some("something else"),
    })
}

fn no_regular_file(kind: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, format!("it is {kind}, and no regular file"))
}

#[cfg(test)]
mod tests {
    use std::os::unix::net::UnixListener;

    use super::*;

    #[test]
    fn what_is_no_regular_file_is_refused_at_once() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        std::fs::write(at("file"), "text").unwrap();
        std::os::unix::fs::symlink(at("file"), at("link")).unwrap();
        fs::mknodat(fs::CWD, at("pipe"), FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
        let _socket = UnixListener::bind(at("socket")).unwrap();
        for name in ["file", "link"] {
            assert_eq!(read_regular(&at(name), 4).unwrap(), b"text");
        }
        assert_eq!(read_regular(&at("file"), 3).unwrap_err().kind(), io::ErrorKind::FileTooLarge);
        assert_eq!(open_regular(&at("gone")).unwrap_err().kind(), io::ErrorKind::NotFound);
        let refused = |path: &Path| open_regular(path).unwrap_err().to_string();
        assert_eq!(refused(&at("pipe")), "it is a pipe, and no regular file");
        assert!(refused(&at("socket")).starts_with("it is a socket"));
        assert_eq!(refused(folder.path()), "it is a folder, and no regular file");
        assert_eq!(refused(Path::new("/dev/zero")), "it is a device, and no regular file");
    }
}
