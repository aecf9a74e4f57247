//! A repository of artoo's own in which a commit is made: it has the objects and the index of the user's, and nothing that makes
//! git start a program. The user's repository is not written.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use super::repository::Repository;
use super::runner::{Call, Configuration};
use crate::ToolError;

/// Files of the repository that decide which paths count and how, by their place in the shared folder.
const SHARED: [&str; 3] = ["info/exclude", "info/attributes", "shallow"];

/// The repository of artoo's own.
#[derive(Debug, Clone)]
pub(crate) struct Scratch {
    folder: PathBuf,
    top: PathBuf,
}

impl Scratch {
    /// Makes it in a folder that no command sees, with these settings. Blocks.
    pub(crate) fn make(private: &Path, repository: &Repository, settings: &str) -> Result<Self, ToolError> {
        let folder = private.join("repository");
        let made = make(&folder, repository, settings);
        let failed = |source| ToolError::Io {
            action: "prepare a commit in",
            path: folder.display().to_string(),
            source,
        };
        made.map_err(failed)?;
        Ok(Self { folder, top: repository.top.clone() })
    }

    /// A file in it.
    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    /// The index with what is staged.
    pub(crate) fn index(&self) -> PathBuf {
        self.file("index")
    }

    /// A process of git in it, with one of its indexes.
    pub(crate) fn call<const N: usize>(&self, index: &str, arguments: [&str; N]) -> Call<'_> {
        Call {
            configuration: Configuration::Outweighed,
            variables: vec![
                ("GIT_DIR", self.folder.clone().into()),
                ("GIT_WORK_TREE", self.top.clone().into()),
                ("GIT_INDEX_FILE", self.file(index).into()),
            ],
            ..Call::looking(&self.top, arguments)
        }
    }

    /// Makes the objects that came to be in it part of the user's repository. Each lies under the name of its content, so nothing
    /// that is there is replaced. Blocks.
    pub(crate) fn hand_over(&self, repository: &Repository) -> Result<(), ToolError> {
        let to = &repository.objects;
        let failed = |source| ToolError::Io {
            action: "write the objects of the commit to",
            path: to.display().to_string(),
            source,
        };
        copy_objects(&self.file("objects"), to).map_err(failed)
    }
}

fn make(folder: &Path, repository: &Repository, settings: &str) -> io::Result<()> {
    for name in ["objects/info", "refs", "info"] {
        fs::create_dir_all(folder.join(name))?;
    }
    fs::write(folder.join("HEAD"), "ref: refs/heads/artoo\n")?;
    fs::write(folder.join("config"), settings)?;
    fs::write(folder.join("objects/info/alternates"), alternate(&repository.objects))?;
    for name in SHARED {
        copy_if_there(&repository.common.join(name), &folder.join(name))?;
    }
    copy_if_there(&repository.index, &folder.join("index"))?;
    // Of an index in two files, both.
    if let Some(beside) = repository.index.parent() {
        for entry in fs::read_dir(beside)? {
            let entry = entry?;
            if entry.file_name().as_bytes().starts_with(b"sharedindex.") {
                copy_if_there(&entry.path(), &folder.join(entry.file_name()))?;
            }
        }
    }
    Ok(())
}

/// The line that names a folder of objects, in the quotes of C where it could be mistaken.
fn alternate(objects: &Path) -> Vec<u8> {
    let bytes = objects.as_os_str().as_bytes();
    let mut line = Vec::new();
    if bytes.starts_with(b"\"") || bytes.contains(&b'\n') {
        line.push(b'"');
        for byte in bytes {
            match byte {
                b'"' | b'\\' => line.extend([b'\\', *byte]),
                b'\n' => line.extend(b"\\n"),
                byte => line.push(*byte),
            }
        }
        line.push(b'"');
    } else {
        line.extend(bytes);
    }
    line.push(b'\n');
    line
}

/// Copies a file with its time, and says whether it is there.
pub(super) fn copy_if_there(from: &Path, to: &Path) -> io::Result<bool> {
    match fs::copy(from, to) {
        Ok(_) => {
            // git takes a file that was written at the time of the index, or later, for possibly changed.
            let times = fs::FileTimes::new().set_modified(fs::metadata(from)?.modified()?);
            // Opened for reading, because the copy of a read-only file is read-only too.
            fs::File::open(to)?.set_times(times)?;
            Ok(true)
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

/// Copies loose objects, and packs with their index last: git takes a pack for whole once its index is there.
fn copy_objects(from: &Path, to: &Path) -> io::Result<()> {
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let name = entry.file_name();
        if !entry.file_type()?.is_dir() || name == "info" {
            continue;
        }
        let folder = to.join(&name);
        let mut files = fs::read_dir(entry.path())?.collect::<io::Result<Vec<_>>>()?;
        if files.is_empty() {
            continue;
        }
        match fs::create_dir(&folder) {
            Ok(()) => fs::set_permissions(&folder, fs::metadata(entry.path())?.permissions())?,
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
        files.sort_by_key(|file| (file.path().extension() == Some(OsStr::new("idx")), file.file_name()));
        for file in files {
            place(&file.path(), &folder, &file.file_name())?;
        }
    }
    Ok(())
}

/// Puts one file there, whole, unless it is there.
fn place(from: &Path, folder: &Path, name: &OsStr) -> io::Result<()> {
    let to = folder.join(name);
    if to.exists() {
        return Ok(());
    }
    let mut temporary = OsString::from("tmp_obj_artoo_");
    temporary.push(name);
    let temporary = folder.join(temporary);
    let placed = fs::copy(from, &temporary)
        .and_then(|_| fs::File::open(&temporary)?.sync_all())
        .and_then(|()| fs::rename(&temporary, &to));
    if placed.is_err() {
        // What could not be placed is not left lying; git removes such a file by itself in the end.
        let _ = fs::remove_file(&temporary);
    }
    placed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_of_objects_is_named_as_git_reads_it() {
        for (path, line) in
            [("/a/b c", "/a/b c\n"), ("\"/x", "\"\\\"/x\"\n"), ("/a\nb\\", "\"/a\\nb\\\\\"\n")]
        {
            assert_eq!(alternate(Path::new(path)), line.as_bytes(), "{path:?}");
        }
    }
}
