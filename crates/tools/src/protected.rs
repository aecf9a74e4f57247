//! Protected places: paths that no tool may read or write.

use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use artoo_consent::secrets_in;

use crate::{ToolContext, ToolError};

/// File names of private keys, in any folder.
const KEY_NAMES: [&str; 4] = ["id_rsa", "id_dsa", "id_ecdsa", "id_ed25519"];

/// A private key begins with such a line, whatever its file name.
const KEY_MARKS: [&[u8]; 2] = [b"PRIVATE KEY-----", b"PuTTY-User-Key-File-"];

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
    found: Arc<OnceLock<Arc<Protected>>>,
}

impl From<Vec<PathBuf>> for ProtectedPlaces {
    /// These absolute paths and everything below them.
    fn from(given: Vec<PathBuf>) -> Self {
        Self { given, found: Arc::default() }
    }
}

/// The protected places of one run, resolved.
#[derive(Debug)]
pub(crate) struct Protected {
    places: Vec<PathBuf>,
    /// Places that may be read and not changed.
    kept: Vec<PathBuf>,
}

impl Protected {
    /// The protected places of a context.
    pub(crate) fn of(cx: &ToolContext) -> &Arc<Self> {
        cx.protected.found.get_or_init(|| Arc::new(Self::look_up(cx)))
    }

    fn look_up(cx: &ToolContext) -> Self {
        let given = cx.protected.given.iter().cloned().chain([cx.evidence.folder().to_owned()]);
        let mut places: Vec<PathBuf> = secrets_in(&cx.home).chain(given).collect();
        // The real paths of the same places, to compare with resolved paths.
        let real: Vec<PathBuf> = places.iter().filter_map(|place| place.canonicalize().ok()).collect();
        if let Ok(home) = cx.home.canonicalize() {
            places.extend(secrets_in(&home));
        }
        places.extend(real);
        places.sort();
        places.dedup();
        let real = cx.read_only.iter().filter_map(|place| place.canonicalize().ok());
        Self { places, kept: cx.read_only.iter().cloned().chain(real).collect() }
    }

    /// The places that stay as they are, as given and by their real paths.
    pub(crate) fn kept(&self) -> &[PathBuf] {
        &self.kept
    }

    /// Refuses a change of a path without symlinks in a place that stays as it is.
    pub(crate) fn refuse_change(&self, path: &Path, shown: &str) -> Result<(), ToolError> {
        match self.kept.iter().find(|place| path.starts_with(place)) {
            None => Ok(()),
            Some(place) => {
                Err(ToolError::Kept { path: shown.to_owned(), place: place.display().to_string() })
            }
        }
    }

    /// All places, as given and by their real paths.
    pub(crate) fn places(&self) -> &[PathBuf] {
        &self.places
    }

    /// Whether a path without symlinks is protected.
    pub(crate) fn covers(&self, path: &Path) -> bool {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        self.places.iter().any(|place| path.starts_with(place))
            || KEY_NAMES.contains(&name)
            || (path.starts_with("/proc") && PROCESS_SECRETS.contains(&name))
    }

    /// The protected place around a folder. A command cannot see anything in it.
    pub(crate) fn around(&self, folder: &Path) -> Option<&Path> {
        let real = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
        self.places.iter().map(PathBuf::as_path).find(|place| real.starts_with(place))
    }
}

/// Whether a file's first bytes are those of a private key.
pub(crate) fn is_private_key(beginning: &[u8]) -> bool {
    KEY_MARKS.iter().any(|mark| beginning.windows(mark.len()).any(|part| part == *mark))
}

/// Whether a path is hidden, or lies in a hidden folder, below this root. Other programs read such files
/// automatically, and some execute them: shells, editors, git, desktops, service managers.
pub(crate) fn is_hidden_below(root: &Path, path: &Path) -> bool {
    let is_hidden = |part: std::path::Component<'_>| part.as_os_str().as_encoded_bytes().starts_with(b".");
    path.strip_prefix(root).is_ok_and(|below| below.components().any(is_hidden))
}
