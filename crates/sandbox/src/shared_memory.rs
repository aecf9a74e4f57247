//! A `/dev/shm` of the command's own, for the semaphores and shared memory of its processes.
//!
//! Without it, programs that share memory (`multiprocessing` of Python, browsers) fail, because the real folder
//! is read-only for a command. It is empty at first, gone with the command, and holds at most [`SIZE`].

use std::ffi::CStr;
use std::path::{Path, PathBuf};

use rustix::io::Errno;

use crate::mounts::{file_system_in_memory, put_mount};

/// Where it is mounted.
pub(crate) const FOLDER: &CStr = c"/dev/shm";
const PATH: &str = "/dev/shm";
/// Writable by all, as the real one.
const MODE: &CStr = c"1777";
/// 256 MiB: more than a browser needs, and little beside the memory that a command may use.
const SIZE: &CStr = c"268435456";

/// Whether a command may get one: none of its folders lies in the real one, or holds it.
pub(crate) fn can_be_private<'a>(mut folders: impl Iterator<Item = &'a PathBuf>) -> bool {
    let shared = Path::new(PATH);
    let is_folder = shared.symlink_metadata().is_ok_and(|found| found.is_dir());
    is_folder && !folders.any(|folder| folder.starts_with(shared) || shared.starts_with(folder))
}

/// Mounts it. Bare system calls only.
pub(crate) fn mount() -> Result<(), Errno> {
    put_mount(&file_system_in_memory(MODE, SIZE)?, FOLDER)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_within_or_around_keeps_the_real_one() {
        let with = |folder: &str| can_be_private([PathBuf::from("/home/ada"), folder.into()].iter());
        assert_eq!(["/dev/shm", "/dev/shm/work", "/dev", "/"].map(with), [false; 4]);
        assert_eq!(with("/dev/shmem"), Path::new(PATH).is_dir());
    }
}
