//! Selects and opens the memory that belongs to a folder.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use artoo_bus::{Clock, SystemClock};
use artoo_ggs_core::Profile;
use artoo_memory_store::{Operator, Options, ReadOnly, Store};
use artoo_mkct_memory::{MemoryService, Rules};
use artoo_types::MegramId;
use sha2::{Digest, Sha256};
use uuid::Uuid;

use crate::commands::memory::explained;
use crate::config::{FolderMemory, MemoryMode, Settings};
use crate::dispatch::Context;
use crate::error::CommandError;

/// The memory of a folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    /// Where it is stored.
    pub(crate) folder: PathBuf,
    /// The folder that it belongs to exclusively; `None` for the shared memory.
    pub(crate) own: Option<PathBuf>,
    /// How runs use it.
    pub(crate) mode: MemoryMode,
}

/// The memory of runs in this folder. Of the configured folders that contain it, the innermost applies.
pub(crate) fn place(settings: &Settings, working_folder: &Path) -> Place {
    let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let here = real(working_folder);
    let around = settings
        .memory_of_folders
        .iter()
        .map(|(named, word)| (real(named), *word))
        .filter(|(named, _)| here.starts_with(named))
        .max_by_key(|(named, _)| named.components().count());
    let shared = Place { folder: settings.memory_folder.clone(), own: None, mode: settings.memory };
    match around {
        None => shared,
        Some((_, FolderMemory::Off)) => Place { mode: MemoryMode::Off, ..shared },
        Some((named, FolderMemory::Separate)) => {
            let folder = settings.data_dir.join("memory-folders").join(name_of(&named));
            Place { folder, own: Some(named), ..shared }
        }
    }
}

/// The memory of runs in the working folder. Without one it is that of no folder in particular.
pub(crate) fn place_here(context: &Context<'_>, settings: &Settings) -> Place {
    place(settings, context.folders.current().unwrap_or(Path::new("/")))
}

/// A folder name derived from a path.
fn name_of(path: &Path) -> String {
    let digest = Sha256::digest(path.as_os_str().as_encoded_bytes());
    digest.iter().take(16).map(|byte| format!("{byte:02x}")).collect()
}

/// Opens the memory at a place.
pub(crate) fn open(place: &Place, rules: Profile) -> Result<Arc<dyn Operator>, CommandError> {
    let rules = match rules {
        Profile::Default => Rules::default(),
        Profile::SpecV08 => Rules::spec_v0_8(),
    };
    let clock = SystemClock::new();
    let options = Options::new(&place.folder, move || clock.now(), || MegramId::new(Uuid::now_v7()));
    Ok(Arc::new(Store::open(options.rules(rules)).map_err(explained)?))
}

/// The memory of a run; `None` if memory is off.
pub(crate) fn for_run(
    settings: &Settings,
    working_folder: &Path,
) -> Result<Option<Arc<dyn MemoryService>>, CommandError> {
    let place = place(settings, working_folder);
    Ok(match place.mode {
        MemoryMode::Off => None,
        MemoryMode::On => Some(open(&place, settings.rules)?),
        MemoryMode::ReadOnly => Some(Arc::new(ReadOnly::new(open(&place, settings.rules)?))),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{Merged, resolve};
    use crate::machine::Folders;

    #[test]
    fn the_innermost_named_folder_counts() {
        let root = tempfile::tempdir().unwrap();
        let root = root.path().canonicalize().unwrap();
        let below = root.join("clients/acme/plans");
        std::fs::create_dir_all(&below).unwrap();
        std::os::unix::fs::symlink(root.join("clients"), root.join("link")).unwrap();
        let (usual, _) = resolve(&Merged::default(), &Folders::of(&root, &root)).unwrap();
        let settings = Settings {
            memory_of_folders: vec![
                (root.join("link"), FolderMemory::Separate),
                (root.join("clients/acme"), FolderMemory::Off),
                (root.join("not/there"), FolderMemory::Off),
            ],
            ..usual
        };
        let shared = Place { folder: settings.memory_folder.clone(), own: None, mode: MemoryMode::On };
        assert_eq!(place(&settings, &root), shared);
        assert_eq!(place(&settings, &below), Place { mode: MemoryMode::Off, ..shared.clone() });
        let own = place(&settings, &root.join("clients"));
        assert_eq!(own.own, Some(root.join("clients")), "a link is looked through");
        assert_eq!(own.folder.parent(), Some(settings.data_dir.join("memory-folders").as_path()));
        assert_eq!(own.folder.file_name().map(std::ffi::OsStr::len), Some(32));
        assert_eq!(
            place(&settings, &root.join("clients2")),
            shared,
            "a name that begins alike is another folder"
        );
    }
}
