//! The folders that a command may write, and the version control data in them that it may not.

use std::path::{Path, PathBuf};

use artoo_sandbox::reduced_mode;

use artoo_consent::{REPOSITORY, is_in_git};

/// The writable folders of a command, minus what is sealed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Granted {
    pub(crate) writable: Vec<PathBuf>,
    /// Version control data that the run found in them, file or folder; read-only for the command.
    pub(crate) sealed: Vec<PathBuf>,
    /// Version control data of folders that are not granted because this machine could not seal it.
    pub(crate) withheld: Vec<PathBuf>,
}

impl Granted {
    /// Grants these folders to a command that somebody agreed to. Where nothing can be sealed, the repositories
    /// in them are granted as well: the question says so.
    pub(crate) fn agreed(folders: Vec<PathBuf>, found: Option<Vec<PathBuf>>) -> Self {
        let found = if seals() { found } else { Some(Vec::new()) };
        Self::of(folders, found)
    }

    /// Grants these folders. `found` are the repositories that the run found in them; without such a record,
    /// those at the top of each folder.
    pub(crate) fn of(folders: Vec<PathBuf>, found: Option<Vec<PathBuf>>) -> Self {
        let found = found.unwrap_or_else(|| {
            let tops = folders.iter().map(|folder| folder.join(REPOSITORY));
            tops.filter(|path| path.symlink_metadata().is_ok()).collect()
        });
        Self::sorted(folders, found, seals())
    }

    /// If something cannot be sealed, the folder around it is not granted: stricter, never looser.
    fn sorted(folders: Vec<PathBuf>, found: Vec<PathBuf>, seals: bool) -> Self {
        let (sealed, open): (Vec<_>, Vec<_>) =
            found.into_iter().partition(|path| seals && can_be_sealed(path));
        let mut granted = Self { sealed, ..Self::default() };
        for folder in folders {
            let real = folder.canonicalize().unwrap_or_else(|_| folder.clone());
            let within = is_in_git(&real).then(|| real.clone());
            let open =
                open.iter().filter(|path| path.starts_with(&real) || path.starts_with(&folder)).cloned();
            let withheld: Vec<_> = within.into_iter().chain(open).collect();
            if withheld.is_empty() {
                granted.writable.push(folder);
            }
            granted.withheld.extend(withheld);
        }
        granted
    }
}

/// A symlink cannot be sealed: its target would be, and the name could be replaced.
fn can_be_sealed(path: &Path) -> bool {
    path.symlink_metadata().is_ok_and(|found| !found.is_symlink())
}

/// Whether the kernel can keep parts of a folder that is granted.
pub(crate) fn seals() -> bool {
    reduced_mode().is_none()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn what_cannot_be_sealed_makes_the_grant_stricter() {
        let root = tempfile::tempdir().unwrap();
        let folder = |name: &str| {
            let folder = root.path().canonicalize().unwrap().join(name);
            fs::create_dir_all(&folder).unwrap();
            folder
        };
        let (plain, repository, linked) = (folder("plain"), folder("repository"), folder("linked"));
        let found = folder("repository/.git");
        let link = linked.join(".git");
        std::os::unix::fs::symlink(&found, &link).unwrap();
        let folders = || vec![plain.clone(), repository.clone(), linked.clone()];
        let both = || vec![found.clone(), link.clone()];
        assert_eq!(
            Granted::sorted(folders(), both(), true),
            Granted {
                writable: vec![plain.clone(), repository.clone()],
                sealed: vec![found.clone()],
                withheld: vec![link.clone()]
            }
        );
        assert_eq!(
            Granted::sorted(folders(), both(), false),
            Granted { writable: vec![plain.clone()], sealed: vec![], withheld: both() }
        );
        // A workspace inside a repository's own data.
        let hooks = folder("repository/.git/hooks");
        assert_eq!(
            Granted::sorted(vec![hooks.clone()], vec![], true),
            Granted { writable: vec![], sealed: vec![], withheld: vec![hooks] }
        );
    }

    #[test]
    fn without_a_record_the_top_of_a_folder_is_looked_at() {
        let root = tempfile::tempdir().unwrap();
        let git = root.path().join(".git");
        let granted = || {
            let Granted { writable: _, sealed, withheld } = Granted::of(vec![root.path().to_owned()], None);
            [sealed, withheld].concat()
        };
        assert_eq!(granted(), Vec::<PathBuf>::new());
        fs::create_dir(&git).unwrap();
        assert_eq!(granted(), [git]);
    }
}
