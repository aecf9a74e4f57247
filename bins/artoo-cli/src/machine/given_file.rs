//! Reading a file that the user names and that may be a process substitution of the shell: `<(...)` is a pipe.

use std::cell::OnceCell;
use std::fs::File;
use std::io::{self, Read as _};
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

use artoo_anchored_files::{open_at_once, read_regular};
use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::retry_on_intr;

/// The content of a regular file, of a pipe of the shell, or of `/dev/null`. Everything else is refused at once: a
/// named pipe or a terminal would be waited for, for ever if nobody writes. What came through a pipe is kept in
/// `piped`, since it can be read but once.
///
/// # Errors
/// The kernel's; or the file is of another kind, or longer than `most` bytes.
pub(crate) fn read(path: &Path, most: u64, piped: &OnceCell<Vec<u8>>) -> io::Result<Vec<u8>> {
    if let Some(known) = piped.get() {
        return Ok(known.clone());
    }
    let refused = match read_regular(path, most) {
        Err(error) if error.kind() == io::ErrorKind::InvalidInput => error,
        read => return read,
    };
    let file = open_at_once(path)?;
    if is_null(&file)? {
        return Ok(Vec::new());
    }
    if !is_pipe_of_the_shell(&file, path) {
        return Err(refused);
    }
    let bytes = through(file, most)?;
    Ok(piped.get_or_init(|| bytes).clone())
}

fn is_null(file: &File) -> io::Result<bool> {
    let (found, null) = (file.metadata()?, Path::new("/dev/null").metadata()?);
    Ok((found.mode(), found.rdev()) == (null.mode(), null.rdev()))
}

/// Whether a pipe has no name: its other end belongs to a program that is there, or was.
#[cfg(target_os = "linux")]
fn is_pipe_of_the_shell(file: &File, _: &Path) -> bool {
    /// `PIPEFS_MAGIC`.
    const PIPES: u64 = 0x5049_5045;
    rustix::fs::fstatfs(file).is_ok_and(|found| u64::try_from(found.f_type).is_ok_and(|kind| kind == PIPES))
}

#[cfg(not(target_os = "linux"))]
fn is_pipe_of_the_shell(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::FileTypeExt as _;
    path.starts_with("/dev/fd") && file.metadata().is_ok_and(|found| found.file_type().is_fifo())
}

/// Reads a pipe to its end. The program at the other end may take its time: it may ask for a password.
fn through(mut pipe: File, most: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let mut piece = [0; 8192];
    loop {
        match pipe.read(&mut piece) {
            Ok(0) => return Ok(bytes),
            Ok(count) => bytes.extend_from_slice(piece.get(..count).unwrap_or_default()),
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                retry_on_intr(|| poll(&mut [PollFd::new(&pipe, PollFlags::IN)], None))?;
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
        if bytes.len() as u64 > most {
            return Err(io::Error::new(
                io::ErrorKind::FileTooLarge,
                format!("it is longer than {most} bytes"),
            ));
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;
    use std::os::fd::AsRawFd as _;

    use rustix::fs::{CWD, FileType, Mode, mknodat};

    use super::*;

    fn once(path: &Path) -> io::Result<Vec<u8>> {
        read(path, 16, &OnceCell::new())
    }

    #[test]
    fn a_pipe_of_the_shell_is_read_to_its_end_and_once() {
        let (reader, mut writer) = io::pipe().unwrap();
        let path = format!("/dev/fd/{}", reader.as_raw_fd());
        writer.write_all(b"a = 1\n").unwrap();
        drop(writer);
        let piped = OnceCell::new();
        for _ in 0..2 {
            assert_eq!(read(Path::new(&path), 16, &piped).unwrap(), b"a = 1\n");
        }
    }

    #[test]
    fn what_nobody_may_ever_write_to_is_not_waited_for() {
        let folder = tempfile::tempdir().unwrap();
        let pipe = folder.path().join("pipe");
        mknodat(CWD, &pipe, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
        let refused = |path: &Path| once(path).unwrap_err().to_string();
        assert_eq!(refused(&pipe), "it is a pipe, and no regular file");
        assert_eq!(refused(Path::new("/dev/zero")), "it is a device, and no regular file");
        assert_eq!(refused(folder.path()), "it is a folder, and no regular file");
        assert_eq!(once(Path::new("/dev/null")).unwrap(), b"");
        assert_eq!(once(&folder.path().join("gone")).unwrap_err().kind(), io::ErrorKind::NotFound);
    }

    #[test]
    fn no_pipe_and_no_file_fills_the_memory() {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), [b'a'; 17]).unwrap();
        assert_eq!(once(file.path()).unwrap_err().kind(), io::ErrorKind::FileTooLarge);
        let (reader, mut writer) = io::pipe().unwrap();
        writer.write_all(&[b'a'; 17]).unwrap();
        let path = format!("/dev/fd/{}", reader.as_raw_fd());
        assert_eq!(once(Path::new(&path)).unwrap_err().kind(), io::ErrorKind::FileTooLarge);
    }
}
