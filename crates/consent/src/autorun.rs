//! New files that a program runs without anybody asking for it, for their name or their place.
//!
//! Source: `docs/design/consent.md`, "What is run later".

mod folder_rule;
mod python_modules;
mod repository;
mod table;

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use folder_rule::FolderRule;

/// A file that would be run without anybody asking for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Autorun {
    /// By whom and when, for a question.
    pub why: String,
    /// How a request must name the file, so that somebody has asked for it.
    pub asked_by: AskedBy,
}

/// How a request must name a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AskedBy {
    /// By its name: it means this file and nothing else.
    Name,
    /// With its folder: the name alone is a word, or that of another file.
    Path,
    /// It is part of something larger, which no name of a file means.
    Nothing,
}

/// What is new at a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NewEntry {
    /// A file.
    File,
    /// A folder.
    Folder,
    /// A symbolic link, to a file or a folder.
    Link,
}

/// What lies around a new file.
pub trait Neighbours {
    /// Whether something is at this path when the call is done.
    fn will_be(&self, path: &Path) -> bool;

    /// The names of what was in a folder before the run; none if there was no such folder.
    fn names_before(&self, folder: &Path) -> Vec<OsString>;
}

/// Where programs look for other programs.
#[derive(Clone, Copy, Debug)]
pub struct ProgramFolders<'a> {
    /// The folders of `PATH`, as they are named and without links.
    pub search_path: &'a [PathBuf],
    /// `~/bin`, without links.
    pub home_bin: &'a Path,
}

/// Who would run what is new at this path, which has no links in it, without being asked to; `None` if nobody would.
///
/// Asked about are files that a program takes although it was started for something else: in addition to what is there, in its
/// place, or for the folder alone. Free is what runs when somebody names it or starts what it belongs to: scripts, sources, tests,
/// the first `Makefile` of a folder, the files of a new project.
///
/// ```
/// use artoo_consent::{AskedBy, Neighbours, NewEntry, ProgramFolders, autorun};
/// use std::{ffi::OsString, path::Path};
///
/// /// A folder with a Makefile.
/// struct Project;
/// impl Neighbours for Project {
///     fn will_be(&self, _: &Path) -> bool {
///         false
///     }
///     fn names_before(&self, folder: &Path) -> Vec<OsString> {
///         if folder == Path::new("/home/ada/p") { vec!["Makefile".into()] } else { Vec::new() }
///     }
/// }
/// let folders = ProgramFolders { search_path: &["/home/ada/tools".into()], home_bin: "/home/ada/bin".as_ref() };
/// let new = |path: &str| autorun(path.as_ref(), NewEntry::File, folders, &Project);
/// let found = new("/home/ada/p/GNUmakefile").unwrap();
/// assert_eq!(found.why, "this file will be run by make, in place of the Makefile beside it");
/// assert_eq!(found.asked_by, AskedBy::Name);
/// assert_eq!(new("/home/ada/q/GNUmakefile"), None);
/// assert_eq!(new("/home/ada/tools/ls").map(|found| found.asked_by), Some(AskedBy::Path));
/// ```
pub fn autorun(
    path: &Path,
    entry: NewEntry,
    folders: ProgramFolders<'_>,
    neighbours: &dyn Neighbours,
) -> Option<Autorun> {
    if let Some(found) = repository::part(path, neighbours) {
        return Some(found);
    }
    match entry {
        NewEntry::Folder => None,
        NewEntry::File => in_path(path, folders).or_else(|| table::find(path, neighbours)),
        // What a link to a folder leads to is in that place at once.
        NewEntry::Link => in_path(path, folders)
            .or_else(|| table::find(path, neighbours))
            .or_else(|| around_path(path, folders))
            .or_else(|| table::find_by_folder(&path.join("any"), neighbours)),
    }
}

/// A program in a folder in which shells look for programs.
fn in_path(path: &Path, folders: ProgramFolders<'_>) -> Option<Autorun> {
    let parent = path.parent()?;
    let why = if folders.search_path.iter().any(|folder| folder == parent) {
        "this file will be run by whoever types its name: its folder is in PATH"
    } else if parent == folders.home_bin {
        "this file will be run by whoever types its name: many systems put ~/bin into PATH where it exists"
    } else {
        return None;
    };
    Some(Autorun { why: why.to_owned(), asked_by: AskedBy::Path })
}

/// A link in place of a folder of `PATH`, or of a folder around one.
fn around_path(path: &Path, folders: ProgramFolders<'_>) -> Option<Autorun> {
    let mut all = folders.search_path.iter().map(PathBuf::as_path).chain([folders.home_bin]);
    let why =
        "what this link leads to will be run by whoever types its name: the folder is in PATH".to_owned();
    all.any(|folder| folder.starts_with(path)).then_some(Autorun { why, asked_by: AskedBy::Path })
}

/// An entry of the table.
struct Entry {
    names: Names,
    folder: FolderRule,
    /// Goes on with "this file will be run by".
    by: &'static str,
}

/// The names that an entry is about.
enum Names {
    /// Any of these, in each of which a star stands for anything.
    Any(&'static [&'static str]),
    /// A module of the standard library of Python.
    PythonModule,
}

impl Entry {
    fn found(&self, name: &str) -> Autorun {
        let is_a_word = !name.contains('.') && !name.contains(|c: char| c.is_ascii_uppercase());
        let asked_by = match &self.names {
            Names::Any(names) if names.contains(&"*") => AskedBy::Path,
            Names::Any(_) | Names::PythonModule if is_a_word || self.folder.needs_namesake(name) => {
                AskedBy::Path
            }
            Names::Any(_) | Names::PythonModule => AskedBy::Name,
        };
        Autorun { why: format!("this file will be run by {}", self.by), asked_by }
    }
}

/// Whether a name fits a pattern, in which one star stands for anything.
fn fits(pattern: &str, name: &str) -> bool {
    match pattern.split_once('*') {
        Some((front, back)) => {
            name.len() >= front.len() + back.len() && name.starts_with(front) && name.ends_with(back)
        }
        None => pattern == name,
    }
}

#[cfg(test)]
mod tests;
