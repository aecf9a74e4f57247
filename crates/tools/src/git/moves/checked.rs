//! Lets git check what a command left in a repository, in a repository of artoo's own: that each new object is what its name says
//! and refers to what is there, and that each reference leads to an object.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs;
use std::path::Path;

use sha2::{Digest as _, Sha256};

use super::changes::{RefChange, RepositoryChanges};
use super::problem::MoveProblem;
use crate::ToolError;
use crate::git::repository::STAGED;
use crate::git::runner::{Call, Git};
use crate::git::scratch::Scratch;

/// The index of artoo's own repository as the command left it.
pub(super) const AFTER: &str = "index-after";
/// The plain settings of it: an object is read in parts, however large it is.
pub(super) const READ_IN_PARTS: &str = "[core]\n\tbigFileThreshold = 1m\n";

/// What is staged: one entry of the index.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct IndexEntry {
    pub(super) path: String,
    /// Mode, id, flags, and the side of a conflict, as git lists them.
    pub(super) rest: String,
    pub(super) is_conflict: bool,
}

/// Checks the new objects, then puts them into artoo's own repository.
///
/// # Errors
///
/// [`MoveProblem::Objects`] if they are not sound.
pub(super) async fn check_objects(
    changes: &RepositoryChanges,
    scratch: &Scratch,
    git: &Git,
) -> Result<(), ToolError> {
    if changes.objects.is_empty() {
        return Ok(());
    }
    let own = git.private();
    let (new, list, pack) = (own.join("new"), own.join("new-ids"), own.join("new-pack"));
    let names: String = changes.objects.iter().map(|id| format!("{id}\n")).collect();
    write(&list, &names)?;
    // Each object by the name that the command gave it, and no other object.
    let packing = ["pack-objects", "-q", "--window=0", "--depth=0", "--no-reuse-object"];
    let mut packed = scratch.call(AFTER, packing).with([&pack]);
    packed.variables.push(("GIT_OBJECT_DIRECTORY", new.clone().into()));
    let packed = git.call(Call { input: Some(&list), ..packed }).await?;
    if !packed.is_done() {
        return Err(MoveProblem::Objects { said: packed.last_lines() }.into());
    }
    let mut file = OsString::from(&pack);
    file.push(format!("-{}.pack", packed.line("check the new objects")?));
    // The names by their contents, and whether what they refer to is there.
    let index = own.join("new.idx");
    let indexed = scratch.call(AFTER, ["index-pack", "--strict", "-o"]).with([index.as_os_str(), &file]);
    let indexed = git.call(indexed).await?;
    if !indexed.is_done() {
        return Err(MoveProblem::Objects { said: indexed.last_lines() }.into());
    }
    let shown = Call { input: Some(&index), ..scratch.call(AFTER, ["show-index"]) };
    let shown = git.call(shown).await?.done("check the new objects")?;
    let shown = String::from_utf8_lossy(&shown).into_owned();
    let by_content: BTreeSet<&str> = shown.lines().filter_map(|line| line.split(' ').nth(1)).collect();
    if by_content != changes.objects.iter().map(String::as_str).collect() {
        let said = "the name of an object is not that of its content".to_owned();
        return Err(MoveProblem::Objects { said }.into());
    }
    let moved = fs::read_dir(&new).and_then(|folders| {
        let to = scratch.file("objects");
        folders.into_iter().try_for_each(|folder| {
            let folder = folder?;
            fs::rename(folder.path(), to.join(folder.file_name()))
        })
    });
    moved.map_err(|source| ToolError::Io {
        action: "check the objects in",
        path: new.display().to_string(),
        source,
    })
}

/// Checks that a reference leads to an object of its kind.
///
/// # Errors
///
/// [`MoveProblem::Unsound`] if it does not.
pub(super) async fn check_reference(
    moved: &RefChange,
    scratch: &Scratch,
    git: &Git,
) -> Result<(), ToolError> {
    let Some(after) = &moved.after else { return Ok(()) };
    let kind = if moved.name.starts_with("refs/tags/") { "object" } else { "commit" };
    check_id(after, kind, &moved.name, scratch, git).await
}

/// Checks that an id names an object of a kind.
pub(super) async fn check_id(
    id: &str,
    kind: &str,
    path: &str,
    scratch: &Scratch,
    git: &Git,
) -> Result<(), ToolError> {
    let named = format!("{id}^{{{kind}}}");
    let found = git.call(scratch.call(AFTER, ["rev-parse", "-q", "--verify"]).with([named.as_str()])).await?;
    // A tag of a commit leads to that commit; a branch leads to it without one between.
    let is_it = found.is_done() && (kind == "object" || String::from_utf8_lossy(&found.output).trim() == id);
    let why = "there is no such object, or it is of another kind";
    if is_it { Ok(()) } else { Err(MoveProblem::Unsound { path: path.to_owned(), why }.into()) }
}

/// What an index of artoo's own repository has staged, with its digest.
pub(super) async fn staged(
    index: &str,
    scratch: &Scratch,
    git: &Git,
) -> Result<(BTreeSet<IndexEntry>, String), ToolError> {
    let listed = git.call(scratch.call(index, STAGED)).await?.done("read what is staged")?;
    let text = String::from_utf8_lossy(&listed);
    let entry = |line: &str| {
        let (rest, path) = line.split_once('\t')?;
        let is_conflict = rest.rsplit(' ').next().is_some_and(|side| side != "0");
        Some(IndexEntry { path: path.to_owned(), rest: rest.to_owned(), is_conflict })
    };
    let entries = text.split('\0').filter_map(entry).collect();
    Ok((entries, hex::encode(Sha256::digest(&listed))))
}

pub(super) fn write(path: &Path, content: &str) -> Result<(), ToolError> {
    let failed = |source| ToolError::Io { action: "write", path: path.display().to_string(), source };
    fs::write(path, content).map_err(failed)
}
