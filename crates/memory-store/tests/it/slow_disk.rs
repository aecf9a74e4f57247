//! The machine's own disk with slow syncs, so that events are still queued when a test goes on.

use std::ffi::OsString;
use std::io;
use std::path::Path;
use std::time::Duration;

use artoo_memory_store::disk::{Disk, DiskFile, Lock, RealDisk, Stat};

/// How long a sync takes: longer than a test takes to write its events.
const SYNC: Duration = Duration::from_millis(400);

#[derive(Debug)]
pub(crate) struct SlowDisk;

struct SlowFile(Box<dyn DiskFile>);

impl SlowDisk {
    fn slow(file: io::Result<Box<dyn DiskFile>>) -> io::Result<Box<dyn DiskFile>> {
        file.map(|file| Box::new(SlowFile(file)) as Box<dyn DiskFile>)
    }
}

impl Disk for SlowDisk {
    fn create(&self, path: &Path) -> io::Result<Box<dyn DiskFile>> {
        Self::slow(RealDisk.create(path))
    }

    fn open(&self, path: &Path) -> io::Result<Box<dyn DiskFile>> {
        Self::slow(RealDisk.open(path))
    }

    fn open_to_read(&self, path: &Path) -> io::Result<Box<dyn DiskFile>> {
        RealDisk.open_to_read(path)
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        RealDisk.rename(from, to)
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        RealDisk.remove(path)
    }

    fn list(&self, folder: &Path) -> io::Result<Vec<OsString>> {
        RealDisk.list(folder)
    }

    fn make_folder(&self, folder: &Path) -> io::Result<()> {
        RealDisk.make_folder(folder)
    }

    fn sync_folder(&self, folder: &Path) -> io::Result<()> {
        RealDisk.sync_folder(folder)
    }

    fn free_bytes(&self, path: &Path) -> io::Result<u64> {
        RealDisk.free_bytes(path)
    }

    fn stat(&self, path: &Path) -> io::Result<Option<Stat>> {
        RealDisk.stat(path)
    }

    fn try_lock(&self, path: &Path) -> io::Result<Option<Box<dyn Lock>>> {
        RealDisk.try_lock(path)
    }
}

impl DiskFile for SlowFile {
    fn append(&self, bytes: &[u8]) -> io::Result<()> {
        self.0.append(bytes)
    }

    fn read_at(&self, into: &mut [u8], offset: u64) -> io::Result<usize> {
        self.0.read_at(into, offset)
    }

    fn len(&self) -> io::Result<u64> {
        self.0.len()
    }

    fn truncate(&self, length: u64) -> io::Result<()> {
        self.0.truncate(length)
    }

    fn sync(&self) -> io::Result<()> {
        std::thread::sleep(SYNC);
        self.0.sync()
    }
}
