//! The folders of a run, and what may be left in them.

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

use crate::{Error, Result, files};

/// What stands in the file that no run may change.
const KEPT: &str = "kept\n";
/// What a home may hold after a run.
const OF_A_HOME: [&str; 4] = [".artoo", "artoo_workspace", "outside", "work"];

/// The folders of one run, or of several that follow one another.
#[derive(Clone, Debug)]
pub(super) struct Place {
    root: PathBuf,
}

impl Place {
    /// Makes it in this folder, which must not exist yet.
    ///
    /// # Errors
    /// The system refuses.
    pub(super) fn make(root: PathBuf) -> Result<Self> {
        let place = Self { root };
        for (name, text) in [("a.txt", "one\n"), ("b.txt", "one\ntwo\nthree\n"), ("c.txt", "three\n")] {
            files::write(place.work().join("docs").join(name), text)?;
        }
        files::write(place.work().join("notes.md"), "# Notes\n\nThe harbour is closed until May.\n")?;
        files::write(place.outside().join("kept.txt"), KEPT)?;
        for folder in [place.temporary(), place.root.join("run")] {
            fs::create_dir_all(&folder).map_err(Error::file("create", &folder))?;
        }
        Ok(place)
    }

    /// The folder of it all: what each process of the run has in its environment.
    pub(super) fn root(&self) -> &Path {
        &self.root
    }

    /// The home.
    pub(super) fn home(&self) -> PathBuf {
        self.root.join("home")
    }

    /// Where artoo works.
    pub(super) fn work(&self) -> PathBuf {
        self.home().join("work")
    }

    /// Where temporary files go.
    pub(super) fn temporary(&self) -> PathBuf {
        self.root.join("tmp")
    }

    fn outside(&self) -> PathBuf {
        self.home().join("outside")
    }

    /// The environment of artoo there.
    pub(super) fn environment(&self) -> Vec<(&'static str, String)> {
        let text = |path: PathBuf| path.to_string_lossy().into_owned();
        vec![
            ("HOME", text(self.home())),
            ("TMPDIR", text(self.temporary())),
            ("XDG_RUNTIME_DIR", text(self.root.join("run"))),
            ("PATH", "/usr/local/bin:/usr/bin:/bin".to_owned()),
            ("LANG", "C.UTF-8".to_owned()),
            ("TZ", "UTC".to_owned()),
        ]
    }

    /// What is left in the folders for temporary files.
    pub(super) fn left(&self) -> Vec<String> {
        ["tmp", "run"]
            .into_iter()
            .flat_map(|name| {
                names(&self.root.join(name)).into_iter().map(move |left| format!("{name}/{left}"))
            })
            .collect()
    }

    /// What differs where no run may change anything.
    pub(super) fn changed(&self) -> Vec<String> {
        let mut found: Vec<String> =
            names(&self.home()).into_iter().filter(|name| !OF_A_HOME.contains(&name.as_str())).collect();
        found.extend(
            names(&self.root).into_iter().filter(|name| !["home", "run", "tmp"].contains(&name.as_str())),
        );
        let kept = fs::read_to_string(self.outside().join("kept.txt")).unwrap_or_default();
        if kept != KEPT || names(&self.outside()).len() != 1 {
            found.push("outside/kept.txt".to_owned());
        }
        found
    }

    /// The names in the folder where artoo works.
    pub(super) fn made(&self) -> BTreeSet<String> {
        names(&self.work())
    }

    /// The lines that answers appended.
    pub(super) fn lines(&self) -> Vec<String> {
        let text = fs::read_to_string(self.work().join("lines.log")).unwrap_or_default();
        text.lines().map(str::to_owned).collect()
    }

    /// How many runs have a folder of their record.
    pub(super) fn runs(&self) -> usize {
        names(&self.home().join(".artoo/runs")).len()
    }

    /// Removes it.
    ///
    /// # Errors
    /// The system refuses, even after the folders were unlocked.
    pub(super) fn remove(&self) -> Result<()> {
        if files::remove_folder(&self.root).is_ok() {
            return Ok(());
        }
        unlock(&self.root);
        files::remove_folder(&self.root)
    }
}

fn names(folder: &Path) -> BTreeSet<String> {
    let Ok(entries) = fs::read_dir(folder) else { return BTreeSet::new() };
    entries.filter_map(|entry| Some(entry.ok()?.file_name().to_string_lossy().into_owned())).collect()
}

/// Lets the owner into each folder below. What cannot be unlocked makes the removal fail.
fn unlock(folder: &Path) {
    use std::os::unix::fs::PermissionsExt;
    // See above.
    let _ = fs::set_permissions(folder, fs::Permissions::from_mode(0o700));
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.filter_map(|entry| entry.ok()) {
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            unlock(&entry.path());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_and_what_was_changed_is_found() {
        let folder = tempfile::tempdir().unwrap();
        let place = Place::make(folder.path().join("p")).unwrap();
        assert_eq!((place.left(), place.changed()), (vec![], vec![]));
        files::write(place.temporary().join("artoo-x/y"), "").unwrap();
        files::write(place.home().join(".bashrc"), "").unwrap();
        files::write(place.home().join("outside/kept.txt"), "other").unwrap();
        assert_eq!(place.left(), ["tmp/artoo-x"]);
        assert_eq!(place.changed(), [".bashrc", "outside/kept.txt"]);
        place.remove().unwrap();
        assert!(!place.root().exists());
    }
}
