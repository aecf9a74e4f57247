//! Which new files of a call some program would run without being asked to.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use artoo_consent::{AskedBy, Neighbours, NewEntry, ProgramFolders, autorun, real};

use crate::ToolContext;
use crate::named_in_request::{names_file, names_path};
use crate::system_program::search_path;

/// The rule that asks about them: its name, and the rule in words.
pub(crate) const AUTORUN: (&str, &str) =
    ("autorun", "a new file that a program runs without being asked to needs consent");

/// The disk as a call leaves it.
pub(crate) struct AutorunFiles<'a> {
    cx: &'a ToolContext,
    /// The paths that it changes, and whether something is there afterwards.
    after: BTreeMap<&'a Path, bool>,
    search_path: Vec<PathBuf>,
    home_bin: PathBuf,
    /// The names in folders that were looked at.
    names: RefCell<BTreeMap<PathBuf, Vec<OsString>>>,
}

impl<'a> AutorunFiles<'a> {
    /// After a call that changes these paths, which have no links in them: whether something is there afterwards.
    pub(crate) fn of(cx: &'a ToolContext, after: BTreeMap<&'a Path, bool>) -> Self {
        let folders = search_path(cx).into_iter().filter(|folder| folder.is_absolute());
        let search_path = folders.flat_map(|folder| [real(&folder), folder]).collect();
        let home_bin = real(&cx.home.join("bin"));
        Self { cx, after, search_path, home_bin, names: RefCell::default() }
    }

    /// Who would run what is new at this path; `None` if nobody would, or if the request names it. Blocks.
    pub(crate) fn why(&self, path: &Path, entry: NewEntry) -> Option<String> {
        let folders = ProgramFolders { search_path: &self.search_path, home_bin: &self.home_bin };
        let found = autorun(path, entry, folders, self)?;
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let is_asked_for = match found.asked_by {
            AskedBy::Name => names_file(&self.cx.request, &name),
            AskedBy::Path => names_path(path, self.cx),
            AskedBy::Nothing => false,
        };
        (!is_asked_for).then_some(found.why)
    }

    /// Who finds a file that may now be executed, and could not before, in a folder of `PATH`. Blocks.
    pub(crate) fn why_executable(&self, path: &Path) -> Option<String> {
        let is_in_path = self.search_path.iter().any(|folder| path.parent() == Some(folder));
        is_in_path.then(|| self.why(path, NewEntry::File)).flatten()
    }
}

impl Neighbours for AutorunFiles<'_> {
    fn will_be(&self, path: &Path) -> bool {
        self.after.get(path).copied().unwrap_or_else(|| path.symlink_metadata().is_ok())
    }

    fn names_before(&self, folder: &Path) -> Vec<OsString> {
        let look = || {
            let names = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.file_name());
            names.filter(|name| !self.cx.created.contains(&folder.join(name))).collect()
        };
        self.names.borrow_mut().entry(folder.to_owned()).or_insert_with(look).clone()
    }
}
