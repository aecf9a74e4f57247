//! Protected places: paths that no tool may read or write.

use std::fs::{File, Metadata};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use artoo_consent::secrets_in;

use crate::open_file::{open, real_path};
use crate::other_names::OtherNames;
use crate::{ToolContext, ToolError};

/// File names of private keys, in any folder.
const KEY_NAMES: [&str; 4] = ["id_rsa", "id_dsa", "id_ecdsa", "id_ed25519"];

/// A private key begins with such a line, whatever its file name.
const KEY_MARKS: [&[u8]; 2] = [b"PRIVATE KEY-----", b"PuTTY-User-Key-File-"];

/// Bytes from the beginning of a file that decide whether it is a key.
const BEGINNING: usize = 8 * 1024;

/// Below `/proc`: the environment and memory of a process, including artoo's own with the user's keys.
const PROCESS_SECRETS: [&str; 5] = ["environ", "mem", "auxv", "maps", "kcore"];

/// Folders and files that no tool may read or write, besides the keys, passwords and tokens in the home
/// folder, which are always protected.
///
/// Clones share what the first call of a run resolved: resolving the real paths takes many system calls.
/// ```
/// use artoo_tools::ProtectedPlaces;
///
/// let places = ProtectedPlaces::from(vec!["/home/ada/.artoo".into()]);
/// # let _ = places;
/// ```
#[derive(Debug, Clone, Default)]
pub struct ProtectedPlaces {
    given: Vec<PathBuf>,
    open: Option<PathBuf>,
    found: Arc<OnceLock<Arc<Protected>>>,
}

impl From<Vec<PathBuf>> for ProtectedPlaces {
    /// These absolute paths and everything below them.
    fn from(given: Vec<PathBuf>) -> Self {
        Self { given, ..Self::default() }
    }
}

impl ProtectedPlaces {
    /// Without this absolute folder and what is below it: the run's folder for temporary files, which commands write.
    #[must_use]
    pub fn without(self, open: PathBuf) -> Self {
        Self { open: Some(open), found: Arc::default(), ..self }
    }

    /// Opens a regular file that may be shown to a model, as `read_file` does: not one that lies in a protected place, by whatever
    /// name, and no private key. Blocks.
    ///
    /// # Errors
    ///
    /// [`ToolError::Protected`] for such a file, [`ToolError::NotAFile`] and [`ToolError::Folder`] for what is no regular file, and
    /// [`ToolError::Io`].
    pub fn open(&self, path: &Path, home: &Path) -> Result<File, ToolError> {
        open(path, &path.display().to_string(), self.resolved(home)).map(|(file, _)| file)
    }

    /// Whether an open file, opened at this path, may not be shown to a model. Blocks.
    pub fn hold(&self, file: &File, path: &Path, home: &Path) -> bool {
        let found = file.metadata().and_then(|found| Ok((real_path(file, path)?, found)));
        // What cannot be told apart from a protected file is treated like one.
        found.map_or(true, |(real, found)| self.resolved(home).closes(file, &real, &found))
    }

    pub(crate) fn resolved(&self, home: &Path) -> &Arc<Protected> {
        self.found.get_or_init(|| {
            Arc::new(Protected::look_up(home, self.given.iter().cloned(), self.open.as_deref()))
        })
    }
}

/// The protected places of one run, resolved.
#[derive(Debug)]
pub(crate) struct Protected {
    places: Vec<PathBuf>,
    /// The folder in one of these places that is open all the same, as given and by its real path.
    open: Vec<PathBuf>,
    other_names: OtherNames,
}

impl Protected {
    /// The protected places of a context.
    pub(crate) fn of(cx: &ToolContext) -> &Arc<Self> {
        let given = || cx.protected.given.iter().cloned().chain([cx.evidence.folder().to_owned()]);
        let open = cx.protected.open.as_deref();
        cx.protected.found.get_or_init(|| Arc::new(Self::look_up(&cx.home, given(), open)))
    }

    fn look_up(home: &Path, given: impl Iterator<Item = PathBuf>, open: Option<&Path>) -> Self {
        let mut places: Vec<PathBuf> = secrets_in(home).chain(given).collect();
        // The real paths of the same places, to compare with resolved paths.
        let real = artoo_sandbox::real_paths(&places);
        if let Ok(home) = home.canonicalize() {
            places.extend(secrets_in(&home));
        }
        places.extend(real);
        places.sort();
        places.dedup();
        // Its last folders may not be there yet; the ones above are.
        let open =
            open.map(|open| [Some(open.to_owned()), real_with_name(open)].into_iter().flatten().collect());
        Self { places, open: open.unwrap_or_default(), other_names: OtherNames::default() }
    }

    /// All places, as given and by their real paths.
    pub(crate) fn places(&self) -> &[PathBuf] {
        &self.places
    }

    /// Whether a path without symlinks is protected.
    pub(crate) fn covers(&self, path: &Path) -> bool {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let is_within = |places: &[PathBuf]| places.iter().any(|place| path.starts_with(place));
        (is_within(&self.places) && !is_within(&self.open))
            || KEY_NAMES.contains(&name)
            || (path.starts_with("/proc") && PROCESS_SECRETS.contains(&name))
    }

    /// Whether an existing file is protected by this path, which has no links in it, or by another name that it has.
    pub(crate) fn holds(&self, real: &Path, found: &Metadata) -> bool {
        self.covers(real) || self.has_another_name(found)
    }

    /// Whether this is another name of a file in a protected place.
    pub(crate) fn has_another_name(&self, found: &Metadata) -> bool {
        self.other_names.hold(found, &self.places)
    }

    /// Whether a file that had several names, by its device and number, is one in a protected place.
    pub(crate) fn has_number(&self, id: (u64, u64)) -> bool {
        self.other_names.hold_number(id, &self.places)
    }

    /// Whether an open file is protected, or begins like a private key.
    pub(crate) fn closes(&self, file: &File, real: &Path, found: &Metadata) -> bool {
        self.holds(real, found) || begins_like_a_key(file)
    }

    /// The protected place around a folder. A command cannot see anything in it.
    pub(crate) fn around(&self, folder: &Path) -> Option<&Path> {
        let real = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
        self.places.iter().map(PathBuf::as_path).find(|place| real.starts_with(place))
    }
}

/// The real path of a folder that may be missing in a folder that is there.
fn real_with_name(folder: &Path) -> Option<PathBuf> {
    Some(folder.parent()?.canonicalize().ok()?.join(folder.file_name()?))
}

/// Whether a file's first bytes are those of a private key.
pub(crate) fn is_private_key(beginning: &[u8]) -> bool {
    KEY_MARKS.iter().any(|mark| beginning.windows(mark.len()).any(|part| part == *mark))
}

/// The position of the file stays. What cannot be read shows nothing.
fn begins_like_a_key(file: &File) -> bool {
    let mut beginning = vec![0; BEGINNING];
    let read = file.read_at(&mut beginning, 0).unwrap_or_default();
    is_private_key(beginning.get(..read).unwrap_or_default())
}

/// Whether a path is hidden, or lies in a hidden folder, below this root. Other programs read such files
/// automatically, and some execute them: shells, editors, git, desktops, service managers.
pub(crate) fn is_hidden_below(root: &Path, path: &Path) -> bool {
    let is_hidden = |part: std::path::Component<'_>| part.as_os_str().as_encoded_bytes().starts_with(b".");
    path.strip_prefix(root).is_ok_and(|below| below.components().any(is_hidden))
}
