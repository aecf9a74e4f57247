//! File system access for checks: path resolution, existence, times, contents.

use std::{
    fmt, fs,
    io::{self, Read as _},
    path::{Component, Path, PathBuf},
    sync::Arc,
};

use artoo_types::Surroundings;
use chrono::{DateTime, FixedOffset, TimeDelta, Utc};
use sha2::{Digest as _, Sha256};

use crate::Content;

/// The maximum number of bytes of a file that a check searches in memory.
pub(crate) const MAX_SEARCHED: u64 = 8 * 1024 * 1024;
/// The maximum size of a file that a check hashes.
const MAX_HASHED: u64 = 1024 * 1024 * 1024;
/// The longest tick of a kernel's clock, with a margin.
const TICK: TimeDelta = TimeDelta::milliseconds(20);

/// Base folders for the paths in checks, and the start of the run.
#[derive(Clone, Debug)]
pub struct Filesystem {
    working_folder: PathBuf,
    workspace: Option<PathBuf>,
    tmpdir: Option<PathBuf>,
    home: PathBuf,
    run_started: DateTime<FixedOffset>,
    closed: ClosedFiles,
    originals: Originals,
}

/// What is known of files as they were before the run changed them. Nothing by default.
/// ```
/// use artoo_checks::{Original, Originals};
///
/// let originals = Originals::new(|path| path.ends_with("a").then(|| Original { is_same: true, changed: Default::default() }));
/// assert!(originals.of("/work/a".as_ref()).is_some() && originals.of("/work/b".as_ref()).is_none());
/// ```
#[derive(Clone, Default)]
pub struct Originals(Option<Arc<FindsOriginal>>);

/// What is known of the file at a real path.
type FindsOriginal = dyn Fn(&Path) -> Option<Original> + Send + Sync;

/// A file as somebody recorded it before the run changed it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Original {
    /// Whether it has the recorded content and permissions now.
    pub is_same: bool,
    /// When it had last been changed by then.
    pub changed: DateTime<Utc>,
}

impl Originals {
    /// Those that this finds, by the real path of a file. It may block.
    pub fn new(find: impl Fn(&Path) -> Option<Original> + Send + Sync + 'static) -> Self {
        Self(Some(Arc::new(find)))
    }

    /// What is known of the file at this real path. Blocks.
    pub fn of(&self, path: &Path) -> Option<Original> {
        self.0.as_ref().and_then(|find| find(path))
    }
}

impl fmt::Debug for Originals {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Originals").field(&self.0.is_some()).finish()
    }
}

/// Which files no check reads, by whatever name: those of protected places. None by default.
/// ```
/// use artoo_checks::{ClosedFiles, Filesystem};
/// use std::path::Path;
///
/// let home = tempfile::tempdir()?;
/// std::fs::write(home.path().join("key"), "secret")?;
/// std::os::unix::fs::symlink("key", home.path().join("link"))?;
/// let closed = ClosedFiles::new(|_, path| path.canonicalize().is_ok_and(|path| path.ends_with("key")));
/// let world = Filesystem::new(home.path(), home.path(), Default::default()).with_closed(closed);
/// assert!(world.content(Path::new("link"), 100).is_some_and(|content| !format!("{content:?}").contains("secret")));
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Clone, Default)]
pub struct ClosedFiles(Option<Arc<Closes>>);

/// Whether an open file is closed to checks, and the path at which it was opened.
type Closes = dyn Fn(&fs::File, &Path) -> bool + Send + Sync;

impl ClosedFiles {
    /// Those for which this is true: it is told the open file, and the path at which it was opened. It may block.
    pub fn new(closes: impl Fn(&fs::File, &Path) -> bool + Send + Sync + 'static) -> Self {
        Self(Some(Arc::new(closes)))
    }

    pub(crate) fn hold(&self, file: &fs::File, path: &Path) -> bool {
        self.0.as_ref().is_some_and(|closes| closes(file, path))
    }
}

impl fmt::Debug for ClosedFiles {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("ClosedFiles").field(&self.0.is_some()).finish()
    }
}

impl Filesystem {
    /// A relative path lies below `working_folder`, `~` is `home`, and "newer" means changed after `run_started`.
    pub fn new(
        working_folder: impl Into<PathBuf>,
        home: impl Into<PathBuf>,
        run_started: DateTime<FixedOffset>,
    ) -> Self {
        let (working_folder, home) = (working_folder.into(), home.into());
        let (closed, originals) = (ClosedFiles::default(), Originals::default());
        Self { working_folder, workspace: None, tmpdir: None, home, run_started, closed, originals }
    }

    /// The folders and the beginning of a run.
    pub fn of(run: &Surroundings) -> Self {
        Self::new(&run.working_folder, &run.home, run.now).with_workspace(&run.workspace)
    }

    /// Which files are not read.
    pub(crate) fn closed(&self) -> &ClosedFiles {
        &self.closed
    }

    /// Sets which files are not read.
    #[must_use]
    pub fn with_closed(self, closed: ClosedFiles) -> Self {
        Self { closed, ..self }
    }

    /// Sets what is known of files as they were before the run.
    #[must_use]
    pub fn with_originals(self, originals: Originals) -> Self {
        Self { originals, ..self }
    }

    /// Sets the folder that a path names as `$WORKSPACE`.
    #[must_use]
    pub fn with_workspace(self, workspace: impl Into<PathBuf>) -> Self {
        Self { workspace: Some(workspace.into()), ..self }
    }

    /// Sets the folder that a path names as `$TMPDIR`.
    #[must_use]
    pub fn with_tmpdir(self, tmpdir: impl Into<PathBuf>) -> Self {
        Self { tmpdir: Some(tmpdir.into()), ..self }
    }

    /// The folders in which the files of a request are looked up by default: the working folder and the
    /// workspace.
    pub(crate) fn roots(&self) -> Vec<PathBuf> {
        std::iter::once(&self.working_folder).chain(&self.workspace).cloned().collect()
    }

    /// The absolute path that `path` denotes: below the working folder, unless it is absolute or begins with `~`,
    /// `$WORKSPACE` or `$TMPDIR`.
    ///
    /// ```
    /// # use artoo_checks::Filesystem;
    /// # use std::path::Path;
    /// let world = Filesystem::new("/work", "/home/ada", Default::default()).with_workspace("/space");
    /// let path = |text: &str| world.resolve(Path::new(text));
    /// assert_eq!(path("a.txt"), Path::new("/work/a.txt"));
    /// assert_eq!(path("~/a.txt"), Path::new("/home/ada/a.txt"));
    /// assert_eq!(path("$WORKSPACE/a.txt"), Path::new("/space/a.txt"));
    /// ```
    pub fn resolve(&self, path: &Path) -> PathBuf {
        let mut components = path.components();
        let folder = match components.next() {
            Some(Component::Normal(first)) if first == "~" => Some(&self.home),
            Some(Component::Normal(first)) if first == "$WORKSPACE" => self.workspace.as_ref(),
            Some(Component::Normal(first)) if first == "$TMPDIR" => self.tmpdir.as_ref(),
            _ => None,
        };
        match folder {
            // The components of an empty rest add no slash.
            Some(folder) => folder.join(components.as_path()).components().collect(),
            None => self.working_folder.join(path),
        }
    }

    /// The canonical path to which a path in a call or a text refers, as far as it exists.
    pub fn place(&self, path: &Path) -> PathBuf {
        let path = self.resolve(path);
        path.canonicalize().unwrap_or(path)
    }

    /// The content of a file for a reader, at most this many bytes; `None` if there is no file. Of a closed one only its size is
    /// told.
    pub fn content(&self, path: &Path, bytes: usize) -> Option<Content> {
        let (file, size) = match self.open(path) {
            Ok(open) => open,
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
                let bytes = fs::metadata(self.resolve(path)).ok()?.len();
                return Some(Content::Other { kind: "not shown: it cannot be read, or is protected", bytes });
            }
            Err(_) => return None,
        };
        let mut head = Vec::new();
        file.take(u64::try_from(bytes).ok()?).read_to_end(&mut head).ok()?;
        Some(Content::of(&head, size.max(head.len() as u64)))
    }

    /// Whether something exists at the path, without following a final link.
    pub(crate) fn exists(&self, path: &Path) -> Result<bool, io::Error> {
        match fs::symlink_metadata(self.resolve(path)) {
            Ok(_) => Ok(true),
            Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
                Ok(false)
            }
            Err(error) => Err(error),
        }
    }

    /// Whether a file was created or modified after the run began.
    pub(crate) fn newer(&self, path: &Path) -> Result<bool, io::Error> {
        let metadata = fs::metadata(self.resolve(path))?;
        // A copy that preserves the modification time is still a new file. Not every file system records the
        // creation time.
        let made = metadata.created().is_ok_and(|made| self.in_this_run(made.into()));
        Ok(made || self.in_this_run(metadata.modified()?.into()))
    }

    /// Whether a file is another than when the run began: by its content, where that was recorded before the run changed it.
    /// Otherwise its times tell: the modification time can be set back, the change time cannot.
    pub(crate) fn changed(&self, path: &Path) -> Result<bool, io::Error> {
        let path = self.resolve(path);
        let metadata = fs::metadata(&path)?;
        let is_touched =
            self.in_this_run(metadata.modified()?.into()) || self.in_this_run(last_change(&metadata)?);
        if !is_touched {
            return Ok(false);
        }
        let original = self.originals.of(&path.canonicalize()?);
        // What was recorded after a change of this time is not what the run began with.
        let original = original.filter(|original| !self.in_this_run(original.changed));
        Ok(!original.is_some_and(|original| original.is_same))
    }

    /// File systems store times in ticks of the kernel's clock, which may be slightly before the actual
    /// moment, and some store whole seconds; those are compared by the second.
    fn in_this_run(&self, moment: DateTime<Utc>) -> bool {
        let whole_seconds = moment.timestamp_subsec_nanos() == 0;
        (whole_seconds && moment.timestamp() == self.run_started.timestamp())
            || moment + TICK >= self.run_started
    }

    /// Whether a regular file contains a text within its first 8 MiB; beyond that it is undecided
    /// (`FileTooLarge`).
    pub(crate) fn contains(&self, path: &Path, text: &str) -> Result<bool, io::Error> {
        let (file, bytes) = self.open(path)?;
        let found = read_up_to(&file, MAX_SEARCHED)?.contains(text);
        if found || bytes <= MAX_SEARCHED { Ok(found) } else { Err(too_large(bytes, MAX_SEARCHED)) }
    }

    /// The bytes of a regular file of at most `limit` (else `FileTooLarge`), without a byte order mark.
    pub(crate) fn read(&self, path: &Path, limit: u64) -> Result<Vec<u8>, io::Error> {
        let (file, bytes) = self.open(path)?;
        if bytes > limit {
            return Err(too_large(bytes, limit));
        }
        let mut content = Vec::new();
        file.take(limit).read_to_end(&mut content)?;
        Ok(content.strip_prefix(b"\xef\xbb\xbf").map(<[u8]>::to_vec).unwrap_or(content))
    }

    /// The SHA-256 of a regular file of at most 1 GiB (else `FileTooLarge`), in hexadecimal digits.
    pub(crate) fn sha256(&self, path: &Path) -> Result<String, io::Error> {
        let (file, bytes) = self.open(path)?;
        if bytes > MAX_HASHED {
            return Err(too_large(bytes, MAX_HASHED));
        }
        let (mut file, mut digest) = (file.take(MAX_HASHED), Sha256::new());
        let mut piece = vec![0; 64 * 1024];
        loop {
            match file.read(&mut piece)? {
                0 => return Ok(hex::encode(digest.finalize())),
                read => digest.update(piece.get(..read).unwrap_or_default()),
            }
        }
    }

    /// Opens a regular file and returns its length. Endless and closed files are not read.
    fn open(&self, path: &Path) -> Result<(fs::File, u64), io::Error> {
        let path = self.resolve(path);
        let metadata = fs::metadata(&path)?;
        if !metadata.is_file() {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "not a regular file"));
        }
        let file = fs::File::open(&path)?;
        if self.closed.hold(&file, &path) {
            return Err(io::Error::new(io::ErrorKind::PermissionDenied, "it is protected"));
        }
        Ok((file, metadata.len()))
    }
}

/// The beginning of a file, lossily converted to UTF-8.
fn read_up_to(file: &fs::File, limit: u64) -> Result<String, io::Error> {
    let mut bytes = Vec::new();
    file.take(limit).read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

fn too_large(bytes: u64, limit: u64) -> io::Error {
    let said = format!("it has {bytes} bytes, more than the {limit} that a check looks at");
    io::Error::new(io::ErrorKind::FileTooLarge, said)
}

/// The change time of a file.
#[cfg(unix)]
fn last_change(metadata: &fs::Metadata) -> Result<DateTime<Utc>, io::Error> {
    use std::os::unix::fs::MetadataExt as _;
    let nanos = u32::try_from(metadata.ctime_nsec()).unwrap_or_default();
    DateTime::from_timestamp(metadata.ctime(), nanos)
        .ok_or_else(|| io::Error::other("a time beyond all calendars"))
}

/// The change time of a file.
#[cfg(not(unix))]
fn last_change(metadata: &fs::Metadata) -> Result<DateTime<Utc>, io::Error> {
    Ok(metadata.modified()?.into())
}
