//! The snapshot of a run while it runs.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::below::Below;
use super::record::{BEFORE, BeforeLine, CHANGES, ChangeLine, Lines, OBJECTS};
use super::root::{Root, Whose};
use super::store::Store;
use super::uncovered::{NotCovered, SnapshotLimits, Uncovered};

/// What a run finds, kept before its first change, and what it leaves. Clones share one snapshot; nothing is on disk
/// before the first call.
///
/// Every method blocks: it belongs on a thread that may.
///
/// ```
/// use artoo_sandbox::snapshot::{ChangeKind, Snapshot, SnapshotLimits};
///
/// let (run, workspace) = (tempfile::tempdir()?, tempfile::tempdir()?);
/// let root = workspace.path().canonicalize()?;
/// let snapshot = Snapshot::new(run.path().join("undo"), Vec::new(), SnapshotLimits::default());
/// let call = snapshot.before(std::slice::from_ref(&root))?;
/// std::fs::write(root.join("note.txt"), "hello")?;
/// let changes = call.after()?;
/// assert_eq!((changes[0].path.as_path(), changes[0].kind), (root.join("note.txt").as_path(), ChangeKind::Created));
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Snapshot(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    /// Calls under way. Apart from the rest, because a call that is dropped must not wait for a look at a large folder.
    open: AtomicUsize,
    /// Whether a call was dropped, so that what it changed is not looked at yet.
    dropped: AtomicBool,
    inner: Mutex<Inner>,
}

#[derive(Debug)]
struct Inner {
    folder: PathBuf,
    excluded: Vec<PathBuf>,
    limits: SnapshotLimits,
    lines: Option<(Lines, Lines)>,
    store: Store,
    roots: Vec<Root>,
    not_covered: BTreeSet<NotCovered>,
    /// Bytes that are kept.
    bytes: u64,
}

/// What a call did to one path.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Change {
    /// The path.
    pub path: PathBuf,
    /// What happened.
    pub kind: ChangeKind,
    /// Whether it is, or was, a folder. One is listed for itself only where nothing below it is listed.
    pub folder: bool,
}

/// What happened to a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ChangeKind {
    /// It was not there before.
    Created,
    /// It was there, and is different now.
    Changed,
    /// It is gone.
    Deleted,
}

/// A call under way. Dropped without [`after`](Self::after), the next look counts what changed as the run's.
#[derive(Debug)]
#[must_use = "what a call changed is not known before `after`"]
pub struct OpenCall {
    shared: Arc<Shared>,
    /// What a tool named; everything below the whole roots otherwise.
    named: Vec<(PathBuf, Vec<Below>)>,
    ended: bool,
}

impl Snapshot {
    /// A snapshot whose record goes to `folder`. `excluded` are absolute paths that are never looked at: artoo's own.
    pub fn new(folder: PathBuf, excluded: Vec<PathBuf>, limits: SnapshotLimits) -> Self {
        let store = Store::new(folder.join(OBJECTS));
        let inner = Inner {
            folder,
            excluded,
            limits,
            lines: None,
            store,
            roots: Vec::new(),
            not_covered: BTreeSet::new(),
            bytes: 0,
        };
        Self(Arc::new(Shared {
            open: AtomicUsize::new(0),
            dropped: AtomicBool::new(false),
            inner: Mutex::new(inner),
        }))
    }

    /// Looks at everything below the roots, and keeps what is not kept yet. To be called before a command that may write
    /// there. A root is the real path of a folder that exists; one that lies in another is looked at once.
    ///
    /// # Errors
    ///
    /// When a root cannot be opened or the record cannot be written. What cannot be kept is no error:
    /// see [`not_covered`](Self::not_covered).
    pub fn before(&self, roots: &[PathBuf]) -> io::Result<OpenCall> {
        let mut inner = self.0.lock();
        self.0.look_below(&mut inner, roots)?;
        self.0.open(&mut inner, Vec::new())
    }

    /// Looks as [`before`](Self::before) does, and no call begins: which files it has no room to keep.
    ///
    /// # Errors
    ///
    /// As for [`before`](Self::before).
    pub fn without_room(&self, roots: &[PathBuf]) -> io::Result<Vec<NotCovered>> {
        let mut inner = self.0.lock();
        self.0.look_below(&mut inner, roots)?;
        Ok(inner.without_room())
    }

    /// Looks as [`before_path`](Self::before_path) does, and no call begins: which files it has no room to keep.
    ///
    /// # Errors
    ///
    /// As for [`before_path`](Self::before_path).
    pub fn without_room_at(&self, root: &Path, path: &Path) -> io::Result<Vec<NotCovered>> {
        let mut inner = self.0.lock();
        self.0.look_at_path(&mut inner, root, path)?;
        Ok(inner.without_room())
    }

    /// How much it may hold.
    pub fn limits(&self) -> SnapshotLimits {
        self.0.lock().limits
    }

    /// Looks at one path below a root, and at the folders on the way: for a tool that writes there and nowhere else.
    ///
    /// # Errors
    ///
    /// As for [`before`](Self::before), and when the path does not lie below the root.
    pub fn before_path(&self, root: &Path, path: &Path) -> io::Result<OpenCall> {
        let mut inner = self.0.lock();
        let named = self.0.look_at_path(&mut inner, root, path)?;
        self.0.open(&mut inner, named)
    }

    /// Notes something that commands may change and nobody looks at.
    pub fn leave_out(&self, path: PathBuf) -> io::Result<()> {
        let mut inner = self.0.lock();
        inner.begin()?;
        inner.leave_out([NotCovered { path, why: Uncovered::Elsewhere }])
    }

    /// What cannot be put back, should the run change it.
    pub fn not_covered(&self) -> Vec<NotCovered> {
        self.0.lock().not_covered.iter().cloned().collect()
    }

    /// The paths of this name below the roots of [`before`](Self::before) that the run found and that are still there; what the run
    /// made itself is not among them. `None` where not everything was looked at.
    pub fn found(&self, name: &OsStr) -> Option<Vec<PathBuf>> {
        let inner = self.0.lock();
        let whole = inner.roots.iter().filter(|root| root.is_whole);
        let found: Vec<_> = whole.map(|root| root.found(name)).collect::<Option<_>>()?;
        (!found.is_empty()).then(|| found.concat())
    }

    /// Ends the record, after the last call: looks once more where a call was dropped.
    ///
    /// # Errors
    ///
    /// When the record cannot be written.
    pub fn close(&self) -> io::Result<()> {
        let mut inner = self.0.lock();
        if inner.lines.is_none() {
            return Ok(());
        }
        if self.0.dropped.load(Ordering::Acquire) {
            self.0.look(&mut inner, None)?;
        }
        inner.note(&[ChangeLine::Closed])?;
        // Gives the lock back: from here on the run can be undone.
        inner.lines = None;
        Ok(())
    }
}

impl OpenCall {
    /// Looks again, after the call, and says what changed.
    ///
    /// # Errors
    ///
    /// When a root cannot be looked at or the record cannot be written.
    pub fn after(mut self) -> io::Result<Vec<Change>> {
        let shared = Arc::clone(&self.shared);
        let mut inner = shared.lock();
        let named = if self.named.is_empty() { None } else { Some(self.named.as_slice()) };
        let changes = shared.look(&mut inner, named)?;
        inner.note(&[ChangeLine::End])?;
        self.ended = true;
        shared.open.fetch_sub(1, Ordering::AcqRel);
        Ok(changes)
    }
}

impl Drop for OpenCall {
    fn drop(&mut self) {
        if !self.ended {
            self.shared.dropped.store(true, Ordering::Release);
            self.shared.open.fetch_sub(1, Ordering::AcqRel);
        }
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Writes that a call begins. What changes from here on is the run's.
    fn open(self: &Arc<Self>, inner: &mut Inner, named: Vec<(PathBuf, Vec<Below>)>) -> io::Result<OpenCall> {
        inner.note(&[ChangeLine::Begin])?;
        self.open.fetch_add(1, Ordering::AcqRel);
        Ok(OpenCall { shared: Arc::clone(self), named, ended: false })
    }

    /// Looks at everything below the roots.
    fn look_below(&self, inner: &mut Inner, roots: &[PathBuf]) -> io::Result<()> {
        inner.begin()?;
        for root in roots {
            inner.root(root)?.make_whole();
        }
        self.look(inner, None).map(drop)
    }

    /// Looks at one path and the way to it; at all where its root is looked at as a whole. What was named.
    fn look_at_path(
        &self,
        inner: &mut Inner,
        root: &Path,
        path: &Path,
    ) -> io::Result<Vec<(PathBuf, Vec<Below>)>> {
        // A root inside this one has its own record of the path.
        let inside = inner.roots.iter().map(Root::path).filter(|known| path.starts_with(known));
        let root =
            inside.chain([root]).max_by_key(|root| root.components().count()).unwrap_or(root).to_owned();
        let below = path.strip_prefix(&root).ok().and_then(|below| Below::new(below).ok());
        let below = below
            .ok_or_else(|| io::Error::new(io::ErrorKind::InvalidInput, "the path is not below its root"))?;
        inner.begin()?;
        if inner.root(&root)?.is_whole {
            self.look(inner, None)?;
            return Ok(Vec::new());
        }
        let way: Vec<Below> = std::iter::successors(Some(below), Below::parent).collect();
        let named = vec![(root, way)];
        self.look(inner, Some(&named))?;
        Ok(named)
    }

    fn look(&self, inner: &mut Inner, named: Option<&[(PathBuf, Vec<Below>)]>) -> io::Result<Vec<Change>> {
        // A whole look sees to what a dropped call left. One that is dropped from here on waits for the next look.
        let dropped = match named {
            None => self.dropped.swap(false, Ordering::AcqRel),
            Some(_) => self.dropped.load(Ordering::Acquire),
        };
        let at_work = dropped || self.open.load(Ordering::Acquire) > 0;
        inner.look(named, if at_work { Whose::TheRuns } else { Whose::SomebodyElses })
    }
}

impl Inner {
    /// Opens the record and takes its lock.
    fn begin(&mut self) -> io::Result<()> {
        if self.lines.is_some() {
            return Ok(());
        }
        let changes = Lines::append(&self.folder, CHANGES)?;
        if !changes.lock()? {
            return Err(io::Error::new(io::ErrorKind::ResourceBusy, "somebody else writes this record"));
        }
        self.lines = Some((Lines::append(&self.folder, BEFORE)?, changes));
        Ok(())
    }

    fn without_room(&self) -> Vec<NotCovered> {
        let is_large = |one: &&NotCovered| matches!(one.why, Uncovered::NoRoom { .. });
        self.not_covered.iter().filter(is_large).cloned().collect()
    }

    fn note(&mut self, lines: &[ChangeLine]) -> io::Result<()> {
        match (&mut self.lines, lines) {
            (_, []) => Ok(()),
            (Some((_, changes)), lines) => changes.write(lines),
            (None, _) => Err(io::Error::other("the record is closed")),
        }
    }

    fn root(&mut self, path: &Path) -> io::Result<&mut Root> {
        let at = match self.roots.iter().position(|root| root.path() == path) {
            Some(at) => at,
            None => {
                let root = Root::open(path.to_owned())?;
                self.roots.push(root);
                self.roots.len().saturating_sub(1)
            }
        };
        self.roots.get_mut(at).ok_or_else(|| io::ErrorKind::NotFound.into())
    }

    fn leave_out(&mut self, found: impl IntoIterator<Item = NotCovered>) -> io::Result<()> {
        for one in found {
            if !self.not_covered.contains(&one) {
                self.note(&[ChangeLine::NotCovered((&one).into())])?;
                self.not_covered.insert(one);
            }
        }
        Ok(())
    }

    fn look(&mut self, named: Option<&[(PathBuf, Vec<Below>)]>, whose: Whose) -> io::Result<Vec<Change>> {
        let mut changes = Vec::new();
        let excluded: Vec<_> = self.roots.iter().map(|root| self.excluded_in(root.path())).collect();
        let mut roots = std::mem::take(&mut self.roots);
        let done = roots.iter_mut().zip(&excluded).enumerate().try_for_each(|(number, (root, excluded))| {
            let names = named.map(|named| {
                named.iter().find(|(path, _)| path == root.path()).map(|(_, names)| names.as_slice())
            });
            match names {
                None if !root.is_whole => return Ok(()),
                Some(None) => return Ok(()),
                None | Some(Some(_)) => {}
            }
            if !root.is_written {
                let excluded = excluded.iter().cloned().collect();
                let line = ChangeLine::Root { path: root.path().into(), whole: root.is_whole, excluded };
                self.note(&[line])?;
                root.is_written = true;
            }
            let found = root.look(names.flatten(), whose, excluded, self.limits)?;
            self.leave_out(found.not_covered)?;
            self.keep(number, root, &found.new)?;
            changes.extend(root.changes(&found.touched));
            let mut lines: Vec<ChangeLine> = found
                .touched
                .iter()
                .map(|(path, _)| ChangeLine::After {
                    root: number,
                    path: path.clone(),
                    state: root.now(path).cloned(),
                })
                .collect();
            lines.extend(found.foreign.into_iter().map(|path| ChangeLine::Foreign { root: number, path }));
            self.note(&lines)
        });
        self.roots = roots;
        done.map(|()| changes)
    }

    /// What is not looked at below a root: artoo's own, and other roots.
    fn excluded_in(&self, root: &Path) -> BTreeSet<Below> {
        let roots = self.roots.iter().filter(|other| other.path() != root && other.is_whole).map(Root::path);
        let all = self.excluded.iter().map(PathBuf::as_path).chain(roots);
        all.filter_map(|path| Below::new(path.strip_prefix(root).ok()?).ok()).collect()
    }

    /// Keeps what the run found, and writes down what it was.
    fn keep(&mut self, number: usize, root: &mut Root, new: &[Below]) -> io::Result<()> {
        if new.is_empty() {
            return Ok(());
        }
        let left = self.limits.bytes.saturating_sub(self.bytes);
        let kept = root.keep(new, left, &mut self.store);
        self.bytes = self.bytes.saturating_add(kept.bytes);
        self.leave_out(kept.not_covered)?;
        let lines: Vec<BeforeLine> = new.iter().map(|path| root.before_line(number, path)).collect();
        let Some((before, _)) = &mut self.lines else { return Err(io::Error::other("the record is closed")) };
        before.write(&lines)?;
        // The time of this line is the kernel's own: contents were kept before it.
        root.note_racy(new, super::anchored::look_at(before.file())?.mtime);
        Ok(())
    }
}
