//! The snapshot of a run in progress.

mod beside;
mod original;

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use artoo_anchored_files::{Below, Lookout, Named, open_root};

use super::budget::fit;
use super::change::Change;
use super::content_store::Store;
use super::record::{BEFORE, BeforeLine, CHANGES, ChangeLine, Lines, OBJECTS};
use super::root::{Reach, Root, Whose};
use super::scope::Scope;
use super::uncovered::{NotCovered, SnapshotLimits, Uncovered};
pub use original::Original;

/// What a run finds, kept before its first change, and what it leaves. Clones share one snapshot; nothing is on disk
/// before the first call.
///
/// Every method blocks: it belongs on a thread that may.
///
/// ```
/// use artoo_snapshot::{ChangeKind, Snapshot, SnapshotLimits};
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
    /// Calls in progress. Outside of `inner`, because dropping a call must not wait for the scan of a large
    /// folder.
    open: AtomicUsize,
    /// What dropped calls may have changed, and no scan has covered yet.
    dropped: Mutex<Scope>,
    inner: Mutex<Inner>,
}

#[derive(Debug)]
struct Inner {
    folder: PathBuf,
    excluded: Vec<PathBuf>,
    limits: SnapshotLimits,
    lines: Option<(Lines, Lines)>,
    /// Whether the record says that something is kept beside it.
    has_beside: bool,
    store: Store,
    roots: Vec<Root>,
    not_covered: BTreeSet<NotCovered>,
    /// The bytes kept so far.
    bytes: u64,
}

/// A call in progress. If dropped without [`after`](Self::after), the next scan attributes what changed to
/// the run.
#[derive(Debug)]
#[must_use = "what a call changed is not known before `after`"]
pub struct OpenCall {
    shared: Arc<Shared>,
    scope: Scope,
    ended: bool,
}

impl Snapshot {
    /// A snapshot whose record is written to `folder`. `excluded` are absolute paths that are never scanned:
    /// artoo's own.
    pub fn new(folder: PathBuf, excluded: Vec<PathBuf>, limits: SnapshotLimits) -> Self {
        let store = Store::new(folder.join(OBJECTS));
        let inner = Inner {
            folder,
            excluded,
            limits,
            lines: None,
            has_beside: false,
            store,
            roots: Vec::new(),
            not_covered: BTreeSet::new(),
            bytes: 0,
        };
        Self(Arc::new(Shared {
            open: AtomicUsize::new(0),
            dropped: Mutex::default(),
            inner: Mutex::new(inner),
        }))
    }

    /// Scans everything below the roots, and keeps what is not kept yet. Call it before a command that may
    /// write there. A root is the real path of an existing folder; one inside another is scanned once.
    ///
    /// # Errors
    ///
    /// If a root cannot be opened or the record cannot be written. Content that cannot be kept is not an
    /// error: see [`not_covered`](Self::not_covered).
    pub fn before(&self, roots: &[PathBuf]) -> io::Result<OpenCall> {
        let mut inner = self.0.lock();
        self.0.look_below(&mut inner, roots)?;
        self.0.open(&mut inner, Scope::whole())
    }

    /// Looks at these paths, keeps them, and looks at the folders on their way: for a call whose changes are known beforehand, the
    /// commit of a trial or a tool that writes one file. Nothing else is looked at, however much there is.
    ///
    /// A file of the user's own that its mode does not let us read is opened all the same, by another mode for a moment.
    ///
    /// # Errors
    ///
    /// As for [`before`](Self::before), and when a path does not lie below its root.
    ///
    /// ```
    /// use artoo_snapshot::{Named, Snapshot, SnapshotLimits};
    ///
    /// let (run, workspace) = (tempfile::tempdir()?, tempfile::tempdir()?);
    /// let root = workspace.path().canonicalize()?;
    /// std::fs::write(root.join("note.txt"), "old")?;
    /// let snapshot = Snapshot::new(run.path().join("undo"), Vec::new(), SnapshotLimits::default());
    /// let call = snapshot.before_paths(&[Named { paths: vec![root.join("note.txt")], root: root.clone() }])?;
    /// std::fs::write(root.join("note.txt"), "new text")?;
    /// assert_eq!(call.after()?.len(), 1);
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn before_paths(&self, named: &[Named]) -> io::Result<OpenCall> {
        let mut inner = self.0.lock();
        let scope = Scope::of(named, &inner.roots)?;
        inner.begin()?;
        for (root, _) in scope.paths() {
            inner.root(root)?;
        }
        self.0.look(&mut inner, &scope)?;
        self.0.open(&mut inner, scope)
    }

    /// [`before_paths`](Self::before_paths) for one path.
    ///
    /// # Errors
    ///
    /// As for [`before_paths`](Self::before_paths).
    pub fn before_path(&self, root: &Path, path: &Path) -> io::Result<OpenCall> {
        self.before_paths(&[Named { root: root.to_owned(), paths: vec![path.to_owned()] }])
    }

    /// Scans as [`before`](Self::before) does, without starting a call: returns the files that there is no
    /// room to keep, and the roots that contain too much to be scanned, so that nothing in them can be
    /// undone.
    ///
    /// # Errors
    ///
    /// As for [`before`](Self::before).
    pub fn without_room(&self, roots: &[PathBuf]) -> io::Result<Vec<NotCovered>> {
        let mut inner = self.0.lock();
        self.0.look_below(&mut inner, roots)?;
        let is_reached = |path: &Path| roots.iter().any(|root| path.starts_with(root));
        let is_too_much = |one: &&NotCovered| match one.why {
            Uncovered::NoRoom { .. } => true,
            Uncovered::TooMany { .. } => is_reached(&one.path),
            Uncovered::Unreadable { .. }
            | Uncovered::TooDeep
            | Uncovered::Unsteady
            | Uncovered::Elsewhere => false,
        };
        Ok(inner.not_covered.iter().filter(is_too_much).cloned().collect())
    }

    /// Which of these paths [`before_paths`](Self::before_paths) would have no room to keep. Keeps and
    /// records nothing.
    ///
    /// # Errors
    ///
    /// As for [`before_paths`](Self::before_paths).
    pub fn without_room_for(&self, named: &[Named]) -> io::Result<Vec<NotCovered>> {
        let inner = self.0.lock();
        let mut sizes = Vec::new();
        for (path, paths) in Scope::of(named, &inner.roots)?.paths() {
            let known = inner.roots.iter().find(|root| root.path() == path);
            let folder = open_root(path)?;
            let mut lookout = Lookout::new(&folder);
            for below in paths {
                // A path that cannot be examined is not a question of room.
                let state = lookout.look(below).unwrap_or_default();
                let bytes = match known {
                    Some(root) => root.bytes_to_keep(below, state.as_ref()),
                    None => state.filter(|state| state.is_file()).map(|state| state.size),
                };
                sizes.extend(bytes.map(|bytes| (bytes, below.under(path))));
            }
        }
        let left_over = fit(sizes, inner.limits.bytes.saturating_sub(inner.bytes)).left_over;
        let not_covered =
            left_over.into_iter().map(|(bytes, path)| NotCovered { path, why: Uncovered::NoRoom { bytes } });
        Ok(not_covered.collect())
    }

    /// [`without_room_for`](Self::without_room_for) one path.
    ///
    /// # Errors
    ///
    /// As for [`before_paths`](Self::before_paths).
    pub fn without_room_at(&self, root: &Path, path: &Path) -> io::Result<Vec<NotCovered>> {
        self.without_room_for(&[Named { root: root.to_owned(), paths: vec![path.to_owned()] }])
    }

    /// The limits of the snapshot.
    pub fn limits(&self) -> SnapshotLimits {
        self.0.lock().limits
    }

    /// Records a path that commands may change and that is not scanned.
    pub fn leave_out(&self, path: PathBuf) -> io::Result<()> {
        let mut inner = self.0.lock();
        inner.begin()?;
        inner.leave_out([NotCovered { path, why: Uncovered::Elsewhere }])
    }

    /// What cannot be restored if the run changes it.
    pub fn not_covered(&self) -> Vec<NotCovered> {
        self.0.lock().not_covered.iter().cloned().collect()
    }

    /// The paths with this name below the roots of [`before`](Self::before) that existed before the run and
    /// still do; those that the run created are not included. `None` if not everything was scanned.
    pub fn found(&self, name: &OsStr) -> Option<Vec<PathBuf>> {
        let inner = self.0.lock();
        let whole = inner.roots.iter().filter(|root| root.is_whole);
        let found: Vec<_> = whole.map(|root| root.found(name)).collect::<Option<_>>()?;
        (!found.is_empty()).then(|| found.concat())
    }

    /// Whether something was at this path before the run; `None` if nobody looked.
    pub fn was_there(&self, path: &Path) -> Option<bool> {
        let inner = self.0.lock();
        let looked = inner.roots.iter().filter_map(|root| {
            let below = Below::new(path.strip_prefix(root.path()).ok()?).ok()?;
            root.was_there(&below)
        });
        looked.reduce(|one, other| one || other)
    }

    /// Ends the record, after the last call: scans once more if a call was dropped.
    ///
    /// # Errors
    ///
    /// If the record cannot be written.
    pub fn close(&self) -> io::Result<()> {
        let mut inner = self.0.lock();
        if inner.lines.is_none() {
            return Ok(());
        }
        if !self.0.dropped().is_nothing() {
            self.0.look(&mut inner, &Scope::whole())?;
        }
        inner.note(&[ChangeLine::Closed])?;
        // Releases the lock: from here on the run can be undone.
        inner.lines = None;
        Ok(())
    }
}

impl OpenCall {
    /// Scans again, after the call, and returns what changed.
    ///
    /// # Errors
    ///
    /// If a root cannot be scanned or the record cannot be written.
    pub fn after(mut self) -> io::Result<Vec<Change>> {
        let shared = Arc::clone(&self.shared);
        let mut inner = shared.lock();
        let changes = shared.look(&mut inner, &self.scope)?;
        inner.note(&[ChangeLine::End])?;
        self.ended = true;
        shared.open.fetch_sub(1, Ordering::AcqRel);
        Ok(changes)
    }
}

impl Drop for OpenCall {
    fn drop(&mut self) {
        if !self.ended {
            self.shared.dropped().add(std::mem::take(&mut self.scope));
            self.shared.open.fetch_sub(1, Ordering::AcqRel);
        }
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn dropped(&self) -> MutexGuard<'_, Scope> {
        self.dropped.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Records the start of a call. Changes from here on belong to the run.
    fn open(self: &Arc<Self>, inner: &mut Inner, scope: Scope) -> io::Result<OpenCall> {
        inner.note(&[ChangeLine::Begin])?;
        self.open.fetch_add(1, Ordering::AcqRel);
        Ok(OpenCall { shared: Arc::clone(self), scope, ended: false })
    }

    /// Scans everything below the roots.
    fn look_below(&self, inner: &mut Inner, roots: &[PathBuf]) -> io::Result<()> {
        inner.begin()?;
        for root in roots {
            inner.root(root)?.make_whole();
        }
        self.look(inner, &Scope::whole()).map(drop)
    }

    /// Scans, and covers what dropped calls left: the paths that they named, and whole roots if these are
    /// scanned. A call dropped from here on waits for the next scan.
    fn look(&self, inner: &mut Inner, scope: &Scope) -> io::Result<Vec<Change>> {
        let left = {
            let mut dropped = self.dropped();
            let left = dropped.clone();
            *dropped = if left.whole && !scope.whole { Scope::whole() } else { Scope::default() };
            left
        };
        let at_work = !left.is_nothing() || self.open.load(Ordering::Acquire) > 0;
        let mut all = scope.clone();
        all.add(left.clone().without_whole());
        let looked = inner.look(&all, if at_work { Whose::TheRuns } else { Whose::SomebodyElses });
        if looked.is_err() {
            self.dropped().add(left);
        }
        looked
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

    fn look(&mut self, scope: &Scope, whose: Whose) -> io::Result<Vec<Change>> {
        let mut changes = Vec::new();
        let excluded: Vec<_> = self.roots.iter().map(|root| self.excluded_in(root.path())).collect();
        let mut roots = std::mem::take(&mut self.roots);
        let done = roots.iter_mut().zip(&excluded).enumerate().try_for_each(|(number, (root, excluded))| {
            let Some(reach) = scope.of_root(root) else { return Ok(()) };
            if !root.is_written {
                let excluded = excluded.iter().cloned().collect();
                let line = ChangeLine::Root { path: root.path().into(), whole: root.is_whole, excluded };
                self.note(&[line])?;
                root.is_written = true;
            }
            let found = root.look(reach, whose, excluded, self.limits)?;
            self.leave_out(found.not_covered)?;
            self.keep(number, root, &found.new, matches!(reach, Reach::Only(_)))?;
            changes.extend(root.changes(&found.touched, &self.store));
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

    /// What is not scanned below a root: artoo's own folders, and other roots.
    fn excluded_in(&self, root: &Path) -> BTreeSet<Below> {
        let roots = self.roots.iter().filter(|other| other.path() != root && other.is_whole).map(Root::path);
        let all = self.excluded.iter().map(PathBuf::as_path).chain(roots);
        all.filter_map(|path| Below::new(path.strip_prefix(root).ok()?).ok()).collect()
    }

    /// Keeps the original contents, and records their state.
    fn keep(
        &mut self,
        number: usize,
        root: &mut Root,
        new: &[Below],
        about_to_change: bool,
    ) -> io::Result<()> {
        if new.is_empty() {
            return Ok(());
        }
        let left = self.limits.bytes.saturating_sub(self.bytes);
        let kept = root.keep(new, left, &mut self.store, about_to_change);
        self.bytes = self.bytes.saturating_add(kept.bytes);
        self.leave_out(kept.not_covered)?;
        let covered: BTreeSet<PathBuf> = root.kept(new).collect();
        self.not_covered.retain(|one| !covered.contains(&one.path));
        let lines: Vec<BeforeLine> = new.iter().map(|path| root.before_line(number, path)).collect();
        let Some((before, _)) = &mut self.lines else { return Err(io::Error::other("the record is closed")) };
        before.write(&lines)?;
        // The mtime of the record, taken after writing this line: all contents were kept before it.
        root.note_racy(new, artoo_anchored_files::look_at(before.file())?.mtime);
        Ok(())
    }
}
