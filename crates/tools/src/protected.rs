//! What no tool may read or write.

use std::path::{Path, PathBuf};

use crate::ToolContext;

/// Below the home folder: keys, passwords and tokens of other programs.
const IN_HOME: [&str; 13] = [
    ".ssh",
    ".gnupg",
    ".aws",
    ".azure",
    ".kube",
    ".config/gcloud",
    ".config/gh",
    ".docker/config.json",
    ".netrc",
    ".pgpass",
    ".git-credentials",
    ".password-store",
    ".local/share/keyrings",
];

/// Private keys have these names wherever they lie.
const KEY_NAMES: [&str; 4] = ["id_rsa", "id_dsa", "id_ecdsa", "id_ed25519"];

/// A private key begins with such a line, whatever its file is called.
const KEY_MARKS: [&[u8]; 2] = [b"PRIVATE KEY-----", b"PuTTY-User-Key-File-"];

/// Below `/proc`: the environment and the memory of a process, artoo's own with the user's keys among them.
const PROCESS_SECRETS: [&str; 5] = ["environ", "mem", "auxv", "maps", "kcore"];

/// The protected places of one context, looked up once.
#[derive(Debug, Clone)]
pub(crate) struct Protected {
    places: Vec<PathBuf>,
}

impl Protected {
    pub(crate) fn new(cx: &ToolContext) -> Self {
        let in_home = IN_HOME.iter().map(|part| cx.home.join(part));
        let given = cx.protected.iter().cloned().chain([cx.evidence.folder().to_owned()]);
        let mut places: Vec<PathBuf> = in_home.chain(given).collect();
        // The same places by their real names, for paths whose symlinks are resolved.
        let real: Vec<PathBuf> = places.iter().filter_map(|place| place.canonicalize().ok()).collect();
        let real_home =
            cx.home.canonicalize().into_iter().flat_map(|home| IN_HOME.map(|part| home.join(part)));
        places.extend(real_home.chain(real));
        places.sort();
        places.dedup();
        Self { places }
    }

    /// Whether a path, free of symlinks, may not be touched.
    pub(crate) fn covers(&self, path: &Path) -> bool {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        self.places.iter().any(|place| path.starts_with(place))
            || KEY_NAMES.contains(&name)
            || (path.starts_with("/proc") && PROCESS_SECRETS.contains(&name))
    }

    /// The first protected place that exists below a folder. The kernel's rules cannot leave out a part of a folder.
    pub(crate) fn inside(&self, folder: &Path) -> Option<&Path> {
        let real = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
        self.places.iter().find(|place| place.starts_with(&real) && place.exists()).map(PathBuf::as_path)
    }
}

/// Whether the first bytes of a file are those of a private key.
pub(crate) fn is_private_key(beginning: &[u8]) -> bool {
    KEY_MARKS.iter().any(|mark| beginning.windows(mark.len()).any(|part| part == *mark))
}

/// Whether a path lies in version control's own folder, where a new file may be a program that runs later.
pub(crate) fn is_in_git(path: &Path) -> bool {
    path.components().any(|part| part.as_os_str() == ".git")
}
