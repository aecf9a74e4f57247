//! Segment files of the journal: names, reading, creation and replacement as a whole.

use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::JournalError;
use super::frame::{FORMAT, HEADER, Header, NoHeader};
use crate::disk::{Disk, DiskFile};

/// A segment of this length gets no more frames.
pub(super) const FULL_AT: u64 = 4 << 20;
/// Maximum bytes read of a file: far more than any written segment has.
const MOST_READ: u64 = 64 << 20;
const CHUNK: usize = 1 << 20;

/// The folders of a journal.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    pub(crate) disk: Arc<dyn Disk>,
    /// The memory's folder.
    pub(crate) memory: PathBuf,
    journal: PathBuf,
}

impl Place {
    pub(crate) fn new(disk: Arc<dyn Disk>, memory: &Path) -> Self {
        Self { disk, memory: memory.to_owned(), journal: memory.join("journal") }
    }

    /// The lock file of its owner.
    pub(crate) fn lock(&self) -> PathBuf {
        self.memory.join("owner.lock")
    }

    /// The path of the segment that begins with a sequence number.
    pub(super) fn segment(&self, first: u64) -> PathBuf {
        self.journal.join(format!("{first:020}.log"))
    }

    /// The first sequence numbers of all segments, in order. Files with other names are ignored.
    pub(super) fn segments(&self) -> Result<BTreeSet<u64>, JournalError> {
        let names = match self.disk.list(&self.journal) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(BTreeSet::new()),
            names => names.map_err(JournalError::io("list", &self.journal))?,
        };
        let number = |name: &str| {
            let digits = name.strip_suffix(".log").filter(|digits| digits.len() == 20)?;
            digits.bytes().all(|byte| byte.is_ascii_digit()).then(|| digits.parse().ok())?
        };
        Ok(names.iter().filter_map(|name| number(name.to_str()?)).collect())
    }

    /// Refuses a journal with a segment of a newer format.
    pub(crate) fn check_formats(&self) -> Result<(), JournalError> {
        for first in self.segments()? {
            let path = self.segment(first);
            let Some(file) = self.open_to_read(&path)? else { continue };
            let start = read(file.as_ref(), 0, HEADER as u64).map_err(JournalError::io("read", &path))?;
            if let Err(NoHeader::Newer(found)) = Header::decode(&start) {
                return Err(JournalError::Newer { path, found, newest: FORMAT });
            }
        }
        Ok(())
    }

    /// A file's bytes from an offset on; `None` if it is gone.
    pub(super) fn load(&self, path: &Path, from: u64) -> Result<Option<Vec<u8>>, JournalError> {
        let Some(file) = self.open_to_read(path)? else { return Ok(None) };
        let length = file.len().map_err(JournalError::io("measure", path))?;
        if length > MOST_READ {
            return Err(JournalError::Damaged { path: path.to_owned(), offset: MOST_READ });
        }
        read(file.as_ref(), from, MOST_READ).map(Some).map_err(JournalError::io("read", path))
    }

    fn open_to_read(&self, path: &Path) -> Result<Option<Box<dyn DiskFile>>, JournalError> {
        match self.disk.open_to_read(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            file => file.map(Some).map_err(JournalError::io("open", path)),
        }
    }

    /// Atomically replaces a segment: after a crash either the old one exists, or all of this.
    pub(super) fn put(&self, header: Header, frames: &[u8]) -> Result<(), JournalError> {
        self.make_folders(&self.journal)?;
        let temporary = self.journal.join("segment.tmp");
        let path = self.segment(header.first);
        match self.disk.remove(&temporary) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                return Err(JournalError::io("remove", &temporary)(error));
            }
            Ok(()) | Err(_) => {}
        }
        let file = self.disk.create(&temporary).map_err(JournalError::io("make", &temporary))?;
        let mut bytes = header.encode().to_vec();
        bytes.extend_from_slice(frames);
        file.append(&bytes).map_err(JournalError::io("write", &temporary))?;
        file.sync().map_err(JournalError::io("sync", &temporary))?;
        self.disk.rename(&temporary, &path).map_err(JournalError::io("name", &path))?;
        self.sync_names()
    }

    /// Syncs the names of the segments to the disk.
    pub(super) fn sync_names(&self) -> Result<(), JournalError> {
        self.sync_folder(&self.journal)
    }

    /// Permanently removes a segment.
    pub(super) fn remove(&self, first: u64) -> Result<(), JournalError> {
        let path = self.segment(first);
        self.disk.remove(&path).map_err(JournalError::io("remove", &path))?;
        self.sync_names()
    }

    /// Copies a file to `damaged/`, under a new name.
    pub(super) fn set_aside(&self, path: &Path) -> Result<PathBuf, JournalError> {
        let folder = self.memory.join("damaged");
        self.make_folders(&folder)?;
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        for number in 1..u32::MAX {
            let copy = folder.join(format!("{name}.{number}"));
            let to = match self.disk.create(&copy) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => continue,
                file => file.map_err(JournalError::io("make", &copy))?,
            };
            let from = self.disk.open_to_read(path).map_err(JournalError::io("open", path))?;
            let mut offset = 0;
            loop {
                let chunk =
                    read(from.as_ref(), offset, CHUNK as u64).map_err(JournalError::io("read", path))?;
                if chunk.is_empty() {
                    break;
                }
                to.append(&chunk).map_err(JournalError::io("write", &copy))?;
                offset = offset.saturating_add(chunk.len() as u64);
            }
            to.sync().map_err(JournalError::io("sync", &copy))?;
            self.sync_folder(&folder)?;
            return Ok(copy);
        }
        Err(JournalError::io("make", &folder)(io::ErrorKind::AlreadyExists.into()))
    }

    /// Creates a folder of the memory. An existing one is synced as well: its creator may have failed right
    /// after creating it.
    fn make_folders(&self, folder: &Path) -> Result<(), JournalError> {
        self.disk.make_folder(folder).map_err(JournalError::io("make", folder))?;
        self.sync_folder(&self.memory)?;
        let parent = self.memory.parent().filter(|parent| !parent.as_os_str().is_empty());
        self.sync_folder(parent.unwrap_or(Path::new(".")))
    }

    fn sync_folder(&self, folder: &Path) -> Result<(), JournalError> {
        self.disk.sync_folder(folder).map_err(JournalError::io("sync", folder))
    }
}

fn read(file: &dyn DiskFile, from: u64, most: u64) -> io::Result<Vec<u8>> {
    let there = file.len()?.saturating_sub(from).min(most);
    let mut bytes = vec![0; usize::try_from(there).unwrap_or(usize::MAX)];
    let mut filled = 0;
    while let Some(rest) = bytes.get_mut(filled..).filter(|rest| !rest.is_empty()) {
        match file.read_at(rest, from.saturating_add(filled as u64)) {
            Ok(0) => break,
            Ok(count) => filled += count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    bytes.truncate(filled);
    Ok(bytes)
}
