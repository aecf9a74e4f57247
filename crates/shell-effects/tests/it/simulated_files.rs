//! A simulated file system for tests of effects. Nothing is on disk.

use std::path::{Component, Path, PathBuf};

use artoo_shell_effects::{Effects, Kind, Paths, Place, Seen, effects_of};

const HOME: &str = "/home/ada";
const FOLDER: &str = "/home/ada/project";
const FILES: [&str; 5] = ["notes.txt", "a.txt", "docs/notes.txt", "evil/csv.py", "copy/notes.txt"];
const FOLDERS: [&str; 8] = ["", "docs", "evil", "photos", "logs", "data", "copy", "old"];

/// Effects in the project folder, where creating is free as in the workspace.
pub(crate) fn effects(text: &str) -> Effects {
    let protected = [PathBuf::from("/home/ada/.ssh"), PathBuf::from("/home/ada/.artoo")];
    let place = Place {
        home: Path::new(HOME),
        working_folder: Path::new(FOLDER),
        workspace: Path::new("/home/ada/artoo_workspace"),
        protected: &protected,
        paths: &World,
    };
    effects_of(text, place)
}

/// Whether any reported effect changes, deletes, sends data off the machine, uses other rights or is unknown.
pub(crate) fn warns(effects: &Effects) -> bool {
    let kinds = [
        Kind::Overwrites,
        Kind::Deletes,
        Kind::Commits,
        Kind::OutsideMachine,
        Kind::Privilege,
        Kind::Unknown,
    ];
    kinds.into_iter().any(|kind| !effects.of(kind).is_empty())
}

struct World;

impl Paths for World {
    fn look(&self, path: &Path) -> Seen {
        let mut real = PathBuf::new();
        for part in path.components() {
            match part {
                Component::CurDir => {}
                Component::ParentDir => drop(real.pop()),
                Component::Prefix(_) | Component::RootDir | Component::Normal(_) => real.push(part),
            }
        }
        let project = Path::new(FOLDER);
        let known = ["/", "/etc", "/tmp", "/home", HOME, "/home/ada/artoo_workspace"];
        if FILES.iter().any(|file| real == project.join(file)) || real == Path::new("/dev/sda") {
            Seen::File(real)
        } else if known.iter().any(|folder| real == Path::new(folder))
            || FOLDERS.iter().any(|folder| real == project.join(folder))
        {
            Seen::Folder(real)
        } else {
            Seen::Nothing(real)
        }
    }
}
