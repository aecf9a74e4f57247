//! Simulated disk with injected failures and power cuts, which lose unsynced data.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use artoo_memory_store::disk::{Disk, DiskFile, Lock, Stat};

/// The disk. Clones share it.
#[derive(Clone, Debug)]
pub(crate) struct FaultyDisk(Arc<Mutex<Machine>>);

#[derive(Debug, Default)]
struct Machine {
    files: Vec<Content>,
    names: BTreeMap<PathBuf, Node>,
    synced_names: BTreeMap<PathBuf, Node>,
    locked: BTreeSet<PathBuf>,
    calls: u64,
    fail_at: BTreeMap<u64, Fault>,
    no_locks: bool,
    read_only: bool,
    free: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Node {
    Folder,
    File(usize),
}

#[derive(Debug, Default)]
struct Content {
    now: Vec<u8>,
    synced: Vec<u8>,
    /// Unsynced writes.
    pending: Vec<Change>,
}

#[derive(Debug)]
enum Change {
    Write { at: usize, bytes: Vec<u8> },
    Cut(usize),
}

/// How a call fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// Nothing is done.
    Nothing,
    /// This percentage of a write is done. Other calls do nothing.
    Short(u8),
    /// Everything is done, but an error is returned.
    DoneAllTheSame,
    /// The calling thread panics.
    Panic,
}

impl FaultyDisk {
    /// An empty disk with one folder.
    pub(crate) fn new(folder: &Path) -> Self {
        let names: BTreeMap<_, _> = folder.ancestors().map(|path| (path.to_owned(), Node::Folder)).collect();
        let machine = Machine { synced_names: names.clone(), names, free: u64::MAX, ..Machine::default() };
        Self(Arc::new(Mutex::new(machine)))
    }

    /// The number of calls so far.
    pub(crate) fn calls(&self) -> u64 {
        self.machine().calls
    }

    /// Makes the call after this many others fail, once.
    pub(crate) fn fail_after(&self, calls: u64, fault: Fault) {
        let mut machine = self.machine();
        let at = machine.calls + calls;
        machine.fail_at.insert(at, fault);
    }

    /// Makes calls succeed from now on.
    pub(crate) fn heal(&self) {
        self.machine().fail_at.clear();
    }

    /// Sets the free bytes.
    pub(crate) fn set_free(&self, bytes: u64) {
        self.machine().free = bytes;
    }

    /// Disables locks.
    pub(crate) fn without_locks(&self) {
        self.machine().no_locks = true;
    }

    /// Makes every change fail.
    pub(crate) fn read_only(&self) {
        self.machine().read_only = true;
    }

    /// The files below a folder.
    pub(crate) fn files(&self, folder: &Path) -> Vec<PathBuf> {
        let machine = self.machine();
        let files =
            machine.names.iter().filter(|(path, node)| path.starts_with(folder) && **node != Node::Folder);
        files.map(|(path, _)| path.clone()).collect()
    }

    /// The content of a file.
    pub(crate) fn content(&self, path: &Path) -> Vec<u8> {
        let machine = self.machine();
        let number = machine.file(path).unwrap();
        machine.files[number].now.clone()
    }

    /// Changes a file without counting a call.
    pub(crate) fn set_content(&self, path: &Path, bytes: Vec<u8>) {
        let mut machine = self.machine();
        let number = machine.file(path).unwrap();
        machine.files[number] = Content { synced: bytes.clone(), now: bytes, pending: Vec::new() };
    }

    /// A disk with the same names and files.
    pub(crate) fn copied(&self) -> Self {
        let machine = self.machine();
        let files = machine.files.iter().map(|file| file.now.clone());
        let files = files.map(|now| Content { synced: now.clone(), now, pending: Vec::new() }).collect();
        let names = machine.names.clone();
        let copy =
            Machine { files, synced_names: names.clone(), names, free: u64::MAX, ..Machine::default() };
        Self(Arc::new(Mutex::new(copy)))
    }

    /// Cuts the power: each unsynced write survives or not as `chance` decides, in any order. Everything that
    /// is open must be dropped.
    pub(crate) fn power_cut(&self, mut chance: impl FnMut() -> bool) {
        let mut machine = self.machine();
        let machine = &mut *machine;
        for file in &mut machine.files {
            for change in file.pending.drain(..) {
                match change {
                    Change::Cut(length) if chance() => file.synced.resize(length, 0),
                    Change::Cut(_) => {}
                    Change::Write { at, bytes } => {
                        for (index, block) in bytes.chunks(512).enumerate().filter(|_| chance()) {
                            let at = at + index * 512;
                            let end = (at + block.len()).max(file.synced.len());
                            file.synced.resize(end, 0);
                            file.synced[at..at + block.len()].copy_from_slice(block);
                        }
                    }
                }
            }
            file.now.clone_from(&file.synced);
        }
        let all: BTreeSet<_> = machine.names.keys().chain(machine.synced_names.keys()).cloned().collect();
        let mut names = BTreeMap::new();
        for path in all {
            let (now, synced) = (machine.names.get(&path), machine.synced_names.get(&path));
            let kept = if now == synced || chance() { now } else { synced };
            // The content of a missing folder is missing as well.
            let reached = path.parent().is_none_or(|parent| names.get(parent) == Some(&Node::Folder));
            names.extend(kept.filter(|_| reached).map(|node| (path, *node)));
        }
        machine.names.clone_from(&names);
        machine.synced_names = names;
        machine.locked.clear();
        machine.fail_at.clear();
    }

    fn machine(&self) -> MutexGuard<'_, Machine> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Counts a read-only call.
    fn look(&self) -> io::Result<MutexGuard<'_, Machine>> {
        let mut machine = self.machine();
        let at = machine.calls;
        machine.calls += 1;
        match machine.fail_at.remove(&at) {
            Some(_) => Err(io::Error::other("the disk failed")),
            None => Ok(machine),
        }
    }

    /// Counts a changing call, and performs it.
    fn change<T>(&self, change: impl FnOnce(&mut Machine, u8) -> io::Result<T>) -> io::Result<T> {
        let mut machine = self.machine();
        let at = machine.calls;
        machine.calls += 1;
        if machine.read_only {
            return Err(io::ErrorKind::ReadOnlyFilesystem.into());
        }
        match machine.fail_at.remove(&at) {
            None => return change(&mut machine, 100),
            Some(Fault::Nothing) => {}
            Some(Fault::Short(share)) => drop(change(&mut machine, share)),
            Some(Fault::DoneAllTheSame) => drop(change(&mut machine, 100)),
            Some(Fault::Panic) => panic!("the disk was told to"),
        }
        Err(io::Error::other("the disk failed"))
    }
}

impl Machine {
    fn file(&self, path: &Path) -> io::Result<usize> {
        match self.names.get(path) {
            Some(Node::File(number)) => Ok(*number),
            Some(Node::Folder) => Err(io::ErrorKind::IsADirectory.into()),
            None => Err(io::ErrorKind::NotFound.into()),
        }
    }
}

/// Short changes other than writes are not done at all.
fn whole(share: u8) -> io::Result<()> {
    if share < 100 { Err(io::Error::other("not done")) } else { Ok(()) }
}

impl Disk for FaultyDisk {
    fn create(&self, path: &Path) -> io::Result<Box<dyn DiskFile>> {
        let number = self.change(|machine, share| {
            whole(share)?;
            if machine.names.contains_key(path) {
                return Err(io::ErrorKind::AlreadyExists.into());
            }
            if machine.names.get(path.parent().unwrap()) != Some(&Node::Folder) {
                return Err(io::ErrorKind::NotFound.into());
            }
            machine.files.push(Content::default());
            let number = machine.files.len() - 1;
            machine.names.insert(path.to_owned(), Node::File(number));
            Ok(number)
        })?;
        Ok(Box::new(FaultyFile { disk: self.clone(), number }))
    }

    fn open(&self, path: &Path) -> io::Result<Box<dyn DiskFile>> {
        self.open_to_read(path)
    }

    fn open_to_read(&self, path: &Path) -> io::Result<Box<dyn DiskFile>> {
        let number = self.look()?.file(path)?;
        Ok(Box::new(FaultyFile { disk: self.clone(), number }))
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.change(|machine, share| {
            whole(share)?;
            let number = machine.file(from)?;
            machine.names.remove(from);
            machine.names.insert(to.to_owned(), Node::File(number));
            Ok(())
        })
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        self.change(|machine, share| {
            whole(share)?;
            machine.file(path)?;
            machine.names.remove(path);
            Ok(())
        })
    }

    fn list(&self, folder: &Path) -> io::Result<Vec<OsString>> {
        let machine = self.look()?;
        if machine.names.get(folder) != Some(&Node::Folder) {
            return Err(io::ErrorKind::NotFound.into());
        }
        let inside = machine.names.keys().filter(|path| path.parent() == Some(folder));
        Ok(inside.filter_map(|path| path.file_name()).map(OsString::from).collect())
    }

    fn make_folder(&self, folder: &Path) -> io::Result<()> {
        self.change(|machine, share| {
            whole(share)?;
            for path in folder.ancestors() {
                machine.names.entry(path.to_owned()).or_insert(Node::Folder);
            }
            Ok(())
        })
    }

    fn sync_folder(&self, folder: &Path) -> io::Result<()> {
        self.change(|machine, share| {
            whole(share)?;
            let inside = |path: &Path| path.parent() == Some(folder);
            machine.synced_names.retain(|path, _| !inside(path));
            let names: Vec<_> = machine.names.iter().filter(|(path, _)| inside(path)).collect();
            machine.synced_names.extend(names.into_iter().map(|(path, node)| (path.clone(), *node)));
            Ok(())
        })
    }

    fn free_bytes(&self, _path: &Path) -> io::Result<u64> {
        Ok(self.look()?.free)
    }

    fn stat(&self, path: &Path) -> io::Result<Option<Stat>> {
        let machine = self.look()?;
        Ok(machine.names.get(path).map(|node| match node {
            Node::Folder => Stat { identity: u64::MAX, len: 0 },
            Node::File(number) => {
                Stat { identity: *number as u64, len: machine.files[*number].now.len() as u64 }
            }
        }))
    }

    fn try_lock(&self, path: &Path) -> io::Result<Option<Box<dyn Lock>>> {
        self.change(|machine, share| {
            whole(share)?;
            if machine.no_locks {
                return Err(io::ErrorKind::Unsupported.into());
            }
            let taken = machine.locked.insert(path.to_owned());
            Ok(taken
                .then(|| Box::new(FaultyLock { disk: self.clone(), path: path.to_owned() }) as Box<dyn Lock>))
        })
    }
}

#[derive(Debug)]
struct FaultyLock {
    disk: FaultyDisk,
    path: PathBuf,
}

impl Lock for FaultyLock {}

impl Drop for FaultyLock {
    fn drop(&mut self) {
        self.disk.machine().locked.remove(&self.path);
    }
}

struct FaultyFile {
    disk: FaultyDisk,
    number: usize,
}

impl DiskFile for FaultyFile {
    fn append(&self, bytes: &[u8]) -> io::Result<()> {
        self.disk.change(|machine, share| {
            let file = &mut machine.files[self.number];
            let bytes = bytes[..bytes.len() * usize::from(share) / 100].to_vec();
            let at = file.now.len();
            file.now.extend_from_slice(&bytes);
            file.pending.push(Change::Write { at, bytes });
            Ok(())
        })
    }

    fn read_at(&self, into: &mut [u8], offset: u64) -> io::Result<usize> {
        let machine = self.disk.look()?;
        let rest = machine.files[self.number].now.get(offset as usize..).unwrap_or_default();
        let count = rest.len().min(into.len());
        into[..count].copy_from_slice(&rest[..count]);
        Ok(count)
    }

    fn len(&self) -> io::Result<u64> {
        Ok(self.disk.look()?.files[self.number].now.len() as u64)
    }

    fn truncate(&self, length: u64) -> io::Result<()> {
        self.disk.change(|machine, share| {
            whole(share)?;
            let file = &mut machine.files[self.number];
            file.now.resize(length as usize, 0);
            file.pending.push(Change::Cut(length as usize));
            Ok(())
        })
    }

    fn sync(&self) -> io::Result<()> {
        self.disk.change(|machine, share| {
            whole(share)?;
            let file = &mut machine.files[self.number];
            for change in file.pending.drain(..) {
                match change {
                    Change::Write { at, bytes } => {
                        file.synced.resize(at, 0);
                        file.synced.extend(bytes);
                    }
                    Change::Cut(length) => file.synced.resize(length, 0),
                }
            }
            Ok(())
        })
    }
}
