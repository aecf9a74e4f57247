//! Tar archive of small outputs.

use std::collections::HashMap;
use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::PathBuf;

use artoo_types::EvidenceId;

use super::SMALL;

/// Tar block size in bytes; entries are padded to it.
const BLOCK: u64 = 512;

/// Outputs as entries of a tar archive, each named by its id: a run has hundreds, and a file for each would
/// cost more than its content. The archive has no end marker, which every `tar` accepts. Its only writer is
/// its run; a killed writer leaves an incomplete entry, which is ignored and overwritten by the next one.
#[derive(Debug)]
pub(super) struct Archive {
    path: PathBuf,
    file: Option<File>,
    entries: HashMap<EvidenceId, Extent>,
    /// Offset of the next entry.
    end: u64,
}

/// Position of an output in the file.
#[derive(Debug, Clone, Copy)]
struct Extent {
    begins: u64,
    bytes: usize,
}

impl Archive {
    /// The archive at this path, which need not exist.
    pub(super) fn at(path: PathBuf) -> Self {
        Self { path, file: None, entries: HashMap::new(), end: 0 }
    }

    /// Stores an output once; an existing entry of that name is compared with it.
    pub(super) fn keep(&mut self, id: &EvidenceId, bytes: &[u8]) -> io::Result<()> {
        if self.get(id)?.is_some_and(|kept| kept == bytes) {
            return Ok(());
        }
        let file = match &mut self.file {
            Some(file) => file,
            none => none.insert(private().create_new(true).open(&self.path)?),
        };
        // Remains of a killed writer.
        if file.metadata()?.len() > self.end {
            file.set_len(self.end)?;
        }
        if let Err(error) = file.write_all_at(&entry(id, bytes)?, self.end) {
            // An incomplete entry is ignored, so it is harmless if truncating fails as well.
            let _ = file.set_len(self.end);
            return Err(error);
        }
        let begins = self.end + BLOCK;
        self.entries.insert(id.clone(), Extent { begins, bytes: bytes.len() });
        self.end = begins + padded(bytes.len() as u64);
        Ok(())
    }

    /// The bytes stored under this name, whether or not they match it.
    pub(super) fn get(&mut self, id: &EvidenceId) -> io::Result<Option<Vec<u8>>> {
        self.look()?;
        let Some((file, extent)) = self.file.as_ref().zip(self.entries.get(id)) else {
            return Ok(None);
        };
        let mut bytes = vec![0; extent.bytes];
        file.read_exact_at(&mut bytes, extent.begins)?;
        Ok(Some(bytes))
    }

    /// The ids of all outputs.
    pub(super) fn ids(&mut self) -> io::Result<impl Iterator<Item = &EvidenceId>> {
        self.look()?;
        Ok(self.entries.keys())
    }

    /// Indexes the file, unless it is indexed already.
    fn look(&mut self) -> io::Result<()> {
        let file = match &mut self.file {
            Some(file) => file,
            none => match private().open(&self.path) {
                Ok(file) => none.insert(file),
                Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
                Err(error) => return Err(error),
            },
        };
        let length = file.metadata()?.len();
        if length != self.end {
            (self.entries, self.end) = whole_entries(file, length);
        }
        Ok(())
    }
}

fn private() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.read(true).write(true).mode(0o600);
    options
}

/// An entry as stored: header, bytes, zero padding.
fn entry(id: &EvidenceId, bytes: &[u8]) -> io::Result<Vec<u8>> {
    let mut header = tar::Header::new_ustar();
    header.set_path(id.as_str())?;
    header.set_mode(0o600);
    header.set_size(bytes.len() as u64);
    header.set_cksum();
    let mut entry = header.as_bytes().to_vec();
    entry.extend_from_slice(bytes);
    entry.resize(entry.len().next_multiple_of(header.as_bytes().len()), 0);
    Ok(entry)
}

/// The entries up to the first foreign or incomplete one, and the offset of that one.
fn whole_entries(file: &File, length: u64) -> (HashMap<EvidenceId, Extent>, u64) {
    let (mut entries, mut end) = (HashMap::new(), 0);
    let mut archive = tar::Archive::new(Reading { file, at: 0 });
    // Raw entries: extensions of the format are not ours.
    for entry in archive.entries_with_seek().into_iter().flat_map(|entries| entries.raw(true)) {
        let Some((id, extent)) = entry.ok().and_then(|entry| ours(&entry)) else { break };
        let behind = extent.begins.saturating_add(padded(extent.bytes as u64));
        if behind > length {
            break;
        }
        entries.insert(id, extent);
        end = behind;
    }
    (entries, end)
}

fn ours(entry: &tar::Entry<'_, Reading<'_>>) -> Option<(EvidenceId, Extent)> {
    let path = entry.path().ok()?;
    let id = EvidenceId::parse(path.to_str()?)?;
    let bytes = usize::try_from(entry.header().entry_size().ok()?).ok().filter(|bytes| *bytes <= SMALL)?;
    let begins = entry.raw_file_position();
    entry.header().entry_type().is_file().then_some((id, Extent { begins, bytes }))
}

fn padded(bytes: u64) -> u64 {
    bytes.next_multiple_of(BLOCK)
}

/// Reads a file from its beginning, independent of the shared file offset.
struct Reading<'a> {
    file: &'a File,
    at: u64,
}

impl io::Read for Reading<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.file.read_at(buffer, self.at)?;
        self.at += read as u64;
        Ok(read)
    }
}

impl io::Seek for Reading<'_> {
    fn seek(&mut self, to: io::SeekFrom) -> io::Result<u64> {
        let (from, by) = match to {
            io::SeekFrom::Start(at) => (at, 0),
            io::SeekFrom::Current(by) => (self.at, by),
            io::SeekFrom::End(by) => (self.file.metadata()?.len(), by),
        };
        self.at = from.checked_add_signed(by).ok_or(io::ErrorKind::InvalidInput)?;
        Ok(self.at)
    }
}
