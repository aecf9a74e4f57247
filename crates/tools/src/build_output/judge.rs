//! Decides which changed paths of a call are build output, and in which folder.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use artoo_consent::{REPOSITORY, is_in_git, real};
use artoo_sandbox::preview::{Change, Changes, Entry, EntryKind};

use super::git_ignores::WorkingTree;
use super::marks::is_marked;
use super::other_names::all_within;
use crate::ToolContext;
use crate::system_program::search_path;

/// Paths of build output, each with the folder of build output that it lies in.
pub(crate) type BuildPaths = BTreeMap<PathBuf, PathBuf>;

/// Tells build output from what is the user's, for one call.
pub(crate) struct BuildJudge<'a> {
    cx: &'a ToolContext,
    /// The folders in which the run may change files, by their real paths.
    roots: Vec<PathBuf>,
    /// The folders of `PATH`, and `~/bin`.
    program_folders: Vec<PathBuf>,
    /// The folders that the call makes.
    new_folders: BTreeSet<PathBuf>,
    /// The working trees that were looked at, by the folder at their top; `None` is one that does not count.
    trees: RefCell<BTreeMap<PathBuf, Option<Rc<WorkingTree>>>>,
    /// The folders that were looked at, and whether they are of build output.
    folders: RefCell<BTreeMap<PathBuf, bool>>,
}

impl<'a> BuildJudge<'a> {
    /// For a call that makes these folders. Blocks.
    pub(crate) fn of(new_folders: BTreeSet<PathBuf>, cx: &'a ToolContext) -> Self {
        let roots = cx.changeable().into_iter().filter_map(|folder| folder.canonicalize().ok());
        // Commands start in the working folder.
        let program_folders = search_path(cx).into_iter().map(|folder| cx.working_folder.join(folder));
        let program_folders = program_folders.chain([cx.home.join("bin")]);
        Self {
            cx,
            roots: roots.collect(),
            program_folders: program_folders.flat_map(|folder| [real(&folder), folder]).collect(),
            new_folders,
            trees: RefCell::default(),
            folders: RefCell::default(),
        }
    }

    /// For these changes of a command, which are not real yet. Blocks.
    pub(crate) fn of_changes(changes: &Changes, cx: &'a ToolContext) -> Self {
        let is_new = |change: &&Change| change.before.is_none() && is_folder(change.after.as_ref());
        Self::of(changes.iter().filter(is_new).map(|change| change.path.clone()).collect(), cx)
    }

    /// The folder of build output in which a change lies; `None` if the change is one of the user's files. Blocks.
    pub(crate) fn folder_of_change(&self, change: &Change) -> Option<PathBuf> {
        let [before, after] = [change.before.as_ref(), change.after.as_ref()];
        let is_folder = is_folder(before) || is_folder(after);
        let folder = self.folder_of(&change.path, is_folder)?;
        // What takes the place of the folder itself is not in it.
        let stays = |entry: Option<&Entry>| entry.is_none_or(|entry| entry.kind == EntryKind::Folder);
        let is_within = folder != change.path || (stays(before) && stays(after));
        let may_be = change.after.as_ref().is_none_or(|after| is_folder || !after.gives_rights());
        let is_joined =
            change.same_file_as.as_ref().is_none_or(|other| self.folder_of(other, false).is_some());
        (is_within && may_be && is_joined).then_some(folder)
    }

    /// The outermost folder of build output in which a path without links lies, or that it is; `None` if there is none. Blocks.
    pub(crate) fn folder_of(&self, path: &Path, is_folder: bool) -> Option<PathBuf> {
        if self.cx.build_rules.is_lost() || is_in_git(path) || self.finds_programs(path) {
            return None;
        }
        let root = self.roots.iter().find(|root| path.starts_with(root) && path != *root)?;
        let tree = self.tree_around(path)?;
        let ignored = tree.ignored(path, is_folder);
        // Where all that the user works on is ignored, that says nothing.
        if ignored.is_some_and(|ignored| root.starts_with(ignored)) {
            return None;
        }
        let around = path.ancestors().skip(usize::from(!is_folder));
        let below = around.take_while(|above| *above != root && *above != tree.top());
        let folder = below.filter(|folder| self.is_build_folder(folder, &tree)).last()?;
        let is_ignored = ignored.is_some() || (folder == path && tree.ignores_all_within(folder));
        (is_ignored && !tree.tracks(path)).then(|| folder.to_owned())
    }

    /// The first of these files with hard links that has a name elsewhere than in its folder of build output. Blocks.
    pub(crate) fn with_name_outside<'p>(&self, linked: &'p [PathBuf]) -> Option<&'p Path> {
        let mut folders: BTreeMap<PathBuf, Vec<&Path>> = BTreeMap::new();
        for path in linked {
            match self.folder_of(path, false) {
                Some(folder) => folders.entry(folder).or_default().push(path),
                None => return Some(path),
            }
        }
        let is_build_output = |path: &Path| self.folder_of(path, false).is_some();
        folders.iter().find_map(|(folder, paths)| all_within(folder, paths, is_build_output).err())
    }

    /// Whether programs are looked for there, around it, or deeper in it.
    fn finds_programs(&self, path: &Path) -> bool {
        self.program_folders.iter().any(|folder| path.starts_with(folder) || folder.starts_with(path))
    }

    /// The innermost working tree around a path.
    fn tree_around(&self, path: &Path) -> Option<Rc<WorkingTree>> {
        let is_top = |folder: &&Path| {
            let entry = folder.join(REPOSITORY);
            self.new_folders.contains(&entry)
                || self.trees.borrow().contains_key(*folder)
                || entry.symlink_metadata().is_ok()
        };
        let top = path.ancestors().skip(1).find(is_top)?;
        if let Some(known) = self.trees.borrow().get(top) {
            return known.clone();
        }
        let is_new = self.new_folders.contains(&top.join(REPOSITORY));
        let tree = WorkingTree::at(top, self.cx).filter(|_| !is_new).map(Rc::new);
        self.trees.borrow_mut().insert(top.to_owned(), tree.clone());
        tree
    }

    /// Whether a folder carries a mark from before the run, or was made by the run and is ignored with all that is in it.
    fn is_build_folder(&self, folder: &Path, tree: &WorkingTree) -> bool {
        if let Some(known) = self.folders.borrow().get(folder) {
            return *known;
        }
        let is_there = || fs::symlink_metadata(folder).is_ok_and(|found| found.is_dir());
        let is_one = (self.new_folders.contains(folder) || is_there())
            && (is_marked(folder, &self.cx.build_rules)
                || (self.is_made_by_run(folder) && tree.ignored(folder, true).is_some()));
        self.folders.borrow_mut().insert(folder.to_owned(), is_one);
        is_one
    }

    fn is_made_by_run(&self, folder: &Path) -> bool {
        let was_there = || self.cx.snapshot.as_ref().and_then(|snapshot| snapshot.was_there(folder));
        (self.new_folders.contains(folder) || self.cx.created.contains(folder)) && was_there() != Some(true)
    }
}

fn is_folder(entry: Option<&Entry>) -> bool {
    entry.is_some_and(|entry| entry.kind == EntryKind::Folder)
}
