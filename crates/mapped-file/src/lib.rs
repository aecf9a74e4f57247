//! Memory-mapped files for reading: how the embedded model reads a gigabyte of weights without copying it.
//!
//! ```
//! let folder = tempfile::tempdir()?;
//! let path = folder.path().join("weights");
//! std::fs::write(&path, b"GGUF")?;
//! assert_eq!(artoo_mapped_file::map_file(&path)?.as_ref(), b"GGUF");
//! # Ok::<(), std::io::Error>(())
//! ```
//!
//! *Architecture invariant*: this crate maps files for reading and does nothing else. Mapping is unsafe, so it
//! stands here alone, where it can be audited in a minute, without the sandbox.

use std::fs::File;
use std::io;
use std::path::Path;

/// A file mapped for reading. The pages belong to the system's cache, are shared with other processes, and
/// may be evicted and read again.
#[derive(Debug)]
pub struct MappedFile {
    map: memmap2::Mmap,
}

impl AsRef<[u8]> for MappedFile {
    fn as_ref(&self) -> &[u8] {
        &self.map
    }
}

/// Maps a whole file for reading. An empty file gives no bytes.
///
/// The file must not be written to or cut while it is mapped: use it for files that are installed by renaming and never
/// changed in place. Where the file is cut all the same, reading behind its new end ends the process (SIGBUS).
///
/// # Errors
///
/// What the system says when the file cannot be opened or mapped; a folder, too, cannot be mapped.
pub fn map_file(path: &Path) -> io::Result<MappedFile> {
    let file = File::open(path)?;
    if !file.metadata()?.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is not a regular file"));
    }
    let mut options = memmap2::MmapOptions::new();
    // Reading the pages in now costs less than a page fault for each later.
    options.populate();
    #[expect(unsafe_code, reason = "mapping a file is unsafe because another process may change it")]
    // SAFETY: the mapping is read-only and private to this value. The contract above makes the caller
    // responsible for bytes that change underneath; model files are installed by renaming, and nothing in
    // artoo writes to an installed one.
    let map = unsafe { options.map(&file) }?;
    Ok(MappedFile { map })
}
