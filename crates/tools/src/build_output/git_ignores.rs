//! What git ignores in a working tree, by its rules as they were before the run.
//!
//! Source: `gitignore(5)`. Read are the `.gitignore` files, `info/exclude`, and the file of the user ([`user_ignores`]). A file
//! that the repository's own configuration names in its place is not read: what it alone ignores counts as not ignored, which is
//! the stricter way. So does everything below rules that cannot be understood.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io::Read as _;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use artoo_consent::REPOSITORY;
use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};

use super::BuildRules;
use super::git_index::tracked;
use super::user_ignores::{self, UserIgnores};
use crate::ToolContext;

/// How the paths of files with such rules end.
pub(super) const IGNORES: [&str; 2] = [".gitignore", "info/exclude"];
/// The longest index that is read.
const LONGEST_INDEX: u64 = 256 * 1024 * 1024;

/// A working tree of git. The data that git keeps of it are as they were before the run.
pub(super) struct WorkingTree {
    top: PathBuf,
    rules: BuildRules,
    /// The rules of `info/exclude`, then those of the user.
    general: Vec<Rules>,
    /// The rules of single folders.
    of_folders: RefCell<BTreeMap<PathBuf, Rc<Rules>>>,
    /// Whether git ignores these folders.
    folders: RefCell<BTreeMap<PathBuf, bool>>,
    index: PathBuf,
    /// What the index lists; the inner `None` if that cannot be told.
    tracked: RefCell<Option<Rc<Option<Tracked>>>>,
}

/// The paths that an index lists, as bytes.
type Tracked = BTreeSet<Vec<u8>>;

/// The rules of one file.
enum Rules {
    Known(Gitignore),
    /// They cannot be understood, so that nothing counts as ignored.
    Unknown,
}

impl WorkingTree {
    /// The one with this folder at its top; `None` if it is none, or the run made it. Blocks.
    pub(super) fn at(top: &Path, cx: &ToolContext) -> Option<Self> {
        let entry = top.join(REPOSITORY);
        let rules = cx.build_rules.clone();
        if rules.is_changed(&entry) || cx.created.contains(&entry) {
            return None;
        }
        let own = data_of(&entry)?;
        let common = match fs::read_to_string(own.join("commondir")) {
            Ok(common) => own.join(common.trim()),
            Err(_) => own.clone(),
        };
        let configuration = [common.join("config"), own.join("config.worktree")];
        let of_user = match rules.of_user() {
            Some(UserIgnores::Rules(content)) if user_ignores::name_none(&configuration, &cx.home) => {
                Rules::of(top, content.as_deref())
            }
            Some(UserIgnores::Rules(_) | UserIgnores::Unknown) | None => Rules::Unknown,
        };
        let of_repository = Rules::of(top, rules.content(&common.join("info/exclude")).as_deref());
        Some(Self {
            top: top.to_owned(),
            rules,
            general: vec![of_repository, of_user],
            of_folders: RefCell::default(),
            folders: RefCell::default(),
            index: own.join("index"),
            tracked: RefCell::default(),
        })
    }

    /// The folder at its top.
    pub(super) fn top(&self) -> &Path {
        &self.top
    }

    /// The outermost of the path and the folders around it that git ignores. Blocks.
    pub(super) fn ignored<'p>(&self, path: &'p Path, is_folder: bool) -> Option<&'p Path> {
        let mut around: Vec<&Path> = path.ancestors().take_while(|above| *above != self.top).collect();
        around.reverse();
        around.into_iter().find(|above| match *above == path {
            true => self.says(path, is_folder),
            false => self.ignores_folder(above),
        })
    }

    /// Whether the rules within a folder leave nothing of it to git. Blocks.
    pub(super) fn ignores_all_within(&self, folder: &Path) -> bool {
        let Rules::Known(rules) = &*self.of_folder(folder) else { return false };
        // Such a file ignores itself.
        rules.matched(folder.join(".gitignore"), false).is_ignore()
    }

    /// Whether git tracks something at this path, or that cannot be told. Blocks.
    pub(super) fn tracks(&self, path: &Path) -> bool {
        let known = self.tracked.borrow().clone();
        let known = known.unwrap_or_else(|| {
            let read = Rc::new(read_index(&self.index));
            *self.tracked.borrow_mut() = Some(Rc::clone(&read));
            read
        });
        let Ok(below) = path.strip_prefix(&self.top) else { return true };
        known.as_ref().as_ref().is_none_or(|tracked| tracked.contains(below.as_os_str().as_bytes()))
    }

    fn ignores_folder(&self, folder: &Path) -> bool {
        if let Some(known) = self.folders.borrow().get(folder) {
            return *known;
        }
        let is_ignored = self.says(folder, true);
        self.folders.borrow_mut().insert(folder.to_owned(), is_ignored);
        is_ignored
    }

    /// What the rules say of a path whose folders are not ignored: those nearest to it come first.
    fn says(&self, path: &Path, is_folder: bool) -> bool {
        for folder in path.ancestors().skip(1) {
            if let Some(says) = self.of_folder(folder).say(path, is_folder) {
                return says;
            }
            if folder == self.top {
                break;
            }
        }
        self.general.iter().find_map(|rules| rules.say(path, is_folder)).unwrap_or(false)
    }

    fn of_folder(&self, folder: &Path) -> Rc<Rules> {
        if let Some(known) = self.of_folders.borrow().get(folder) {
            return Rc::clone(known);
        }
        let content = self.rules.content(&folder.join(".gitignore"));
        let rules = Rc::new(Rules::of(folder, content.as_deref()));
        self.of_folders.borrow_mut().insert(folder.to_owned(), Rc::clone(&rules));
        rules
    }
}

impl Rules {
    fn of(folder: &Path, content: Option<&[u8]>) -> Self {
        let mut builder = GitignoreBuilder::new(folder);
        let content = content.unwrap_or_default();
        let content = content.strip_prefix(b"\xef\xbb\xbf").unwrap_or(content);
        for line in content.split(|byte| *byte == b'\n') {
            let line = line.strip_suffix(b"\r").unwrap_or(line);
            let is_added = std::str::from_utf8(line)
                .is_ok_and(|line| builder.add_line(None, &without_alternatives(line)).is_ok());
            // A rule that is lost ignores less. An exception that is lost ignores more.
            if !is_added && line.starts_with(b"!") {
                return Self::Unknown;
            }
        }
        builder.build().map_or(Self::Unknown, Self::Known)
    }

    fn say(&self, path: &Path, is_folder: bool) -> Option<bool> {
        match self {
            Self::Unknown => Some(false),
            Self::Known(rules) => match rules.matched(path, is_folder) {
                Match::None => None,
                Match::Ignore(_) => Some(true),
                Match::Whitelist(_) => Some(false),
            },
        }
    }
}

/// A rule in which braces mean themselves, as they do to git.
fn without_alternatives(line: &str) -> String {
    let mut text = String::with_capacity(line.len());
    let mut is_escaped = false;
    for c in line.chars() {
        if matches!(c, '{' | '}') && !is_escaped {
            text.push('\\');
        }
        is_escaped = c == '\\' && !is_escaped;
        text.push(c);
    }
    text
}

/// The folder of data of a working tree, to which a file leads in a linked one.
fn data_of(entry: &Path) -> Option<PathBuf> {
    if entry.is_dir() {
        return entry.canonicalize().ok();
    }
    let text = fs::read_to_string(entry).ok()?;
    let folder = text.strip_prefix("gitdir:")?.trim();
    entry.parent()?.join(folder).canonicalize().ok()
}

/// The paths that an index lists: none where there is no index, `None` if they cannot be told.
fn read_index(index: &Path) -> Option<BTreeSet<Vec<u8>>> {
    match fs::symlink_metadata(index) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Some(BTreeSet::new()),
        Ok(found) if found.is_file() && found.len() <= LONGEST_INDEX => {}
        Ok(_) | Err(_) => return None,
    }
    let mut bytes = Vec::new();
    File::open(index).ok()?.take(LONGEST_INDEX).read_to_end(&mut bytes).ok()?;
    tracked(&bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn say(rules: &str, path: &str, is_folder: bool) -> Option<bool> {
        Rules::of(Path::new("/w"), Some(rules.as_bytes())).say(Path::new(path), is_folder)
    }

    #[test]
    fn rules_mean_what_they_mean_to_git() {
        for (rules, path, is_folder, expected) in [
            ("target/\n", "/w/target", true, Some(true)),
            ("target/\n", "/w/target", false, None),
            ("/target", "/w/a/target", true, None),
            ("*.o\n!keep.o\n", "/w/a/keep.o", false, Some(false)),
            ("\u{feff}out\r\n", "/w/out", true, Some(true)),
            ("a/**/b", "/w/a/x/y/b", true, Some(true)),
            // git knows no alternatives.
            ("*.{o,a}\n", "/w/x.o", false, None),
            ("*.{o,a}\n", "/w/x.{o,a}", false, Some(true)),
            ("*\n!{a,b}\n", "/w/a", false, Some(true)),
            ("", "/w/a", false, None),
        ] {
            assert_eq!(say(rules, path, is_folder), expected, "{rules:?} {path}");
        }
    }

    #[test]
    fn an_exception_that_cannot_be_understood_ignores_nothing() {
        assert_eq!(say("*\n![z-a]\n", "/w/x", false), Some(false));
        assert_eq!(say("[z-a]\n*.o\n", "/w/x.o", false), Some(true), "a rule alone is lost");
        let not_text = Rules::of(Path::new("/w"), Some(b"*\n!caf\xe9\n"));
        assert_eq!(not_text.say(Path::new("/w/x"), false), Some(false));
    }
}
