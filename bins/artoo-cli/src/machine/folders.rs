//! Home and working folder, private files, and a check whether a folder is writable.

use std::fs::{self, DirBuilder, File, OpenOptions, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use rustix::fs::OFlags;

use super::{Environment, expand_home};
use crate::error::CommandError;

/// The folders that the program starts with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Folders {
    /// The user's home.
    pub(crate) home: PathBuf,
    /// The working folder at the start, or why there is none.
    current: Result<PathBuf, String>,
}

/// The path, or its nearest ancestor that is an existing folder.
pub(crate) fn nearest_folder(path: &Path) -> PathBuf {
    path.ancestors().find(|path| path.is_dir()).unwrap_or(Path::new("/")).to_owned()
}

impl Folders {
    /// The folders of this process.
    ///
    /// # Errors
    /// There is no home folder.
    pub(crate) fn of_process(environment: &Environment) -> Result<Self, CommandError> {
        // `HOME` first; if it is not set, the user database.
        let home = environment.home().or_else(|| std::env::home_dir().filter(|home| home.is_absolute()));
        let home = home.ok_or_else(|| {
            CommandError::configuration("there is no home folder").hint("set HOME to an absolute path")
        })?;
        let current = std::env::current_dir().map_err(|error| error.to_string());
        Ok(Self { home, current })
    }

    /// These folders.
    #[cfg(test)]
    pub(crate) fn of(home: &Path, current: &Path) -> Self {
        Self { home: home.to_owned(), current: Ok(current.to_owned()) }
    }

    /// The working folder at the start. A command that has no need of one does not ask for it.
    ///
    /// # Errors
    /// It was deleted, or may not be entered.
    pub(crate) fn current(&self) -> Result<&Path, CommandError> {
        self.current.as_deref().map_err(|why| {
            CommandError::configuration("the working folder cannot be used")
                .because(why.clone())
                .hint("it may have been deleted: go to another folder")
        })
    }

    /// The whole path of one that the user named, which may begin with `~` or in the working folder.
    ///
    /// # Errors
    /// It begins in a working folder that is gone.
    pub(crate) fn whole(&self, path: &Path) -> Result<PathBuf, CommandError> {
        let path = expand_home(path, &self.home);
        if path.is_absolute() { Ok(path) } else { Ok(self.current()?.join(path)) }
    }
}

/// Creates a folder with its parents, readable by the user only.
pub(crate) fn make_private(path: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(path)
}

/// Opens a file to append lines, readable by the user only: created with mode 0600, and tightened if it
/// exists. Symbolic links are not followed.
pub(crate) fn private_log(path: &Path) -> io::Result<File> {
    // Opening a named pipe without a reader must not block.
    let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK;
    let flags = i32::try_from(flags.bits()).map_err(io::Error::other)?;
    let file = OpenOptions::new().append(true).create(true).mode(0o600).custom_flags(flags).open(path)?;
    if !file.metadata()?.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is not a regular file"));
    }
    file.set_permissions(Permissions::from_mode(0o600))?;
    Ok(file)
}

/// Creates a file readable by the user only, replacing an existing one. A
/// symbolic link is replaced, not followed.
pub(crate) fn private_file(path: &Path, text: &[u8]) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        Ok(()) | Err(_) => {}
    }
    OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)?.write_all(text)
}

/// Checks whether files can be created in a folder or, if it does not exist, in its nearest existing
/// ancestor. Leaves nothing behind; on a file system with unnamed files (`O_TMPFILE`), the folder's
/// modification time stays, too.
pub(crate) fn writable(path: &Path) -> io::Result<()> {
    let nearest = path.ancestors().find(|path| path.exists()).unwrap_or(Path::new("/"));
    if !nearest.is_dir() {
        return Err(io::Error::new(
            io::ErrorKind::NotADirectory,
            format!("{} is no folder", nearest.display()),
        ));
    }
    if let Some(writable) = takes_a_nameless_file(nearest) {
        return writable;
    }
    let trial = nearest.join(format!(".artoo-trial-{}", std::process::id()));
    OpenOptions::new().write(true).create_new(true).open(&trial)?;
    fs::remove_file(&trial)
}

/// Whether an unnamed file can be created in a folder; `None` if the file system does not support them.
#[cfg(target_os = "linux")]
fn takes_a_nameless_file(folder: &Path) -> Option<io::Result<()>> {
    use rustix::fs::Mode;
    use rustix::io::Errno;
    let nameless = OFlags::TMPFILE | OFlags::WRONLY | OFlags::CLOEXEC;
    match rustix::fs::open(folder, nameless, Mode::RUSR | Mode::WUSR) {
        Ok(_) => Some(Ok(())),
        Err(Errno::OPNOTSUPP | Errno::ISDIR | Errno::INVAL | Errno::NOENT) => None,
        Err(error) => Some(Err(error.into())),
    }
}

#[cfg(not(target_os = "linux"))]
fn takes_a_nameless_file(_: &Path) -> Option<io::Result<()>> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_that_is_still_to_be_made_is_judged_by_the_one_above() {
        let folder = tempfile::tempdir().unwrap();
        assert!(writable(&folder.path().join("a/b")).is_ok());
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
        fs::write(folder.path().join("file"), "").unwrap();
        assert!(writable(&folder.path().join("file/b")).is_err());
        assert!(writable(Path::new("/proc/artoo")).is_err());
    }
}
