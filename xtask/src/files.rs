//! File operations in the workspace, with errors that name the path.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use crate::{Error, Result};

/// The root of the workspace.
pub fn root() -> PathBuf {
    let xtask = Path::new(env!("CARGO_MANIFEST_DIR"));
    xtask.parent().unwrap_or(xtask).to_path_buf()
}

/// The text of a file.
///
/// # Errors
/// It cannot be read or is not UTF-8.
pub fn read(path: impl AsRef<Path>) -> Result<String> {
    fs::read_to_string(path.as_ref()).map_err(Error::file("read", path.as_ref()))
}

/// Writes a file, and creates its folder if missing.
///
/// # Errors
/// An I/O error.
pub fn write(path: impl AsRef<Path>, text: impl AsRef<[u8]>) -> Result<()> {
    let path = path.as_ref();
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).map_err(Error::file("create", folder))?;
    }
    fs::write(path, text).map_err(Error::file("write", path))
}

/// Every file below a folder, sorted, without following links. `enter` selects the folders to descend into.
///
/// # Errors
/// A folder cannot be read.
pub fn walk(folder: &Path, enter: impl Fn(&Path) -> bool) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    let mut open = vec![folder.to_path_buf()];
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(&folder).map_err(Error::file("list", &folder))? {
            let entry = entry.map_err(Error::file("list", &folder))?;
            let kind = entry.file_type().map_err(Error::file("inspect", entry.path()))?;
            if kind.is_dir() && enter(&entry.path()) {
                open.push(entry.path());
            } else if kind.is_file() {
                found.push(entry.path());
            }
        }
    }
    found.sort();
    Ok(found)
}

/// Copies a folder recursively to a path that must not exist yet.
///
/// # Errors
/// Something cannot be read or written, or the target exists.
pub fn copy_folder(from: &Path, to: &Path) -> Result<()> {
    if to.exists() {
        let there = io::Error::from(io::ErrorKind::AlreadyExists);
        return Err(Error::File { doing: "create", path: to.to_path_buf(), source: there });
    }
    fs::create_dir_all(to).map_err(Error::file("create", to))?;
    for file in walk(from, |_| true)? {
        let target = to.join(file.strip_prefix(from).unwrap_or(&file));
        write(&target, fs::read(&file).map_err(Error::file("read", &file))?)?;
    }
    Ok(())
}

/// Removes a folder if it exists.
///
/// # Errors
/// An I/O error.
pub fn remove_folder(folder: &Path) -> Result<()> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            Err(Error::File { doing: "remove", path: folder.to_path_buf(), source: error })
        }
        Ok(()) | Err(_) => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_copy_holds_the_same_files() {
        let place = tempfile::tempdir().unwrap();
        let (from, to) = (place.path().join("from"), place.path().join("to"));
        write(from.join("a/b.txt"), "b").unwrap();
        write(from.join("c é.txt"), "c").unwrap();
        copy_folder(&from, &to).unwrap();
        let names: Vec<_> = walk(&to, |_| true)
            .unwrap()
            .iter()
            .map(|path| path.strip_prefix(&to).unwrap().to_owned())
            .collect();
        assert_eq!(names, [PathBuf::from("a/b.txt"), PathBuf::from("c é.txt")]);
        assert!(copy_folder(&from, &to).is_err(), "a second copy must not mix with the first");
        remove_folder(&to).unwrap();
        remove_folder(&to).unwrap();
        assert!(!to.exists());
    }

    #[test]
    fn the_root_is_the_workspace() {
        assert!(read(root().join("Cargo.toml")).unwrap().contains("[workspace]"));
    }
}
