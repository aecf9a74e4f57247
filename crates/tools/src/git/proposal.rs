//! A commit that could be made: everything about it is known before anybody is asked, and nothing of it is in the user's repository.

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::{Path, PathBuf};

use artoo_consent::real;
use artoo_types::{CommittedChange, CommittedFile, ProposedCommit, ToolKind};

use super::problem::CommitProblem;
use super::repository::{Repository, STAGED, Start, branch_name, digest_of_staged};
use super::runner::{Call, Git};
use super::scratch::Scratch;
use super::settings::Settings;
use crate::blocking::blocking;
use crate::protected::Protected;
use crate::{ToolContext, ToolError, paths};

/// The index of artoo's own repository with the files as they would be committed.
const COMMITTED: &str = "committed";
/// The mode of another repository in a tree.
const SUBMODULE: &[u8] = b"160000";
/// Paths in the arguments of one process.
const MOST_ARGUMENTS: usize = 64 * 1024;

/// What a model wants committed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Wish {
    pub(crate) message: String,
    /// The paths; `None` for what is staged.
    pub(crate) paths: Option<Vec<String>>,
}

/// A commit in artoo's own repository.
#[derive(Debug)]
pub(crate) struct Proposal {
    pub(crate) repository: Repository,
    pub(crate) start: Start,
    pub(crate) scratch: Scratch,
    /// Its id.
    pub(crate) commit: String,
    /// Whether the index of the repository becomes another one.
    pub(crate) stages: bool,
    /// The digests of what is staged, before and after.
    pub(crate) staged: (String, String),
    /// The name and the address of who commits.
    pub(crate) committer: (String, String),
    /// As a person is shown it.
    pub(crate) shown: ProposedCommit,
}

/// One line of a raw difference.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Difference {
    mode: Vec<u8>,
    object: Vec<u8>,
    change: CommittedChange,
    path: PathBuf,
}

impl Proposal {
    /// Makes the commit in a repository of artoo's own.
    ///
    /// # Errors
    ///
    /// None can be made.
    pub(crate) async fn of(wish: &Wish, git: &Git, cx: &ToolContext) -> Result<Self, ToolError> {
        let repository = Repository::of_folder(git, cx).await?;
        let start = repository.start(git).await?;
        let settings = repository.settings(git).await?;
        let scratch = {
            let (private, from, plain) = (git.private().to_owned(), repository.clone(), settings.plain());
            blocking(ToolKind::GitCommit.into(), move || Scratch::make(&private, &from, &plain)).await?
        };
        let before = digest_of_staged(git, scratch.call("index", STAGED)).await?;
        let tree = repository.resolved(git, "HEAD^{tree}").await?;
        let paths = wish.paths.as_ref().map(|paths| below(paths, &repository, cx)).transpose()?;
        if let Some(paths) = &paths {
            stage(paths, &scratch, git).await?;
        }
        refuse_unmerged(&scratch, git).await?;
        let base = match tree {
            Some(tree) => tree,
            None => {
                scratch_line(git, scratch.call("index", ["hash-object", "-t", "tree", "/dev/null"])).await?
            }
        };
        let index = match &paths {
            Some(paths) => {
                only(paths, &base, &scratch, git).await?;
                COMMITTED
            }
            None => "index",
        };
        let tree = scratch_line(git, scratch.call(index, ["write-tree", "--missing-ok"])).await?;
        let files = differences(git, &scratch, &base, &tree).await?;
        if files.is_empty() {
            let what = match &wish.paths {
                Some(paths) => format!("{} is as in the last commit", paths.join(", ")),
                None => "nothing is staged".to_owned(),
            };
            return Err(CommitProblem::Nothing { what }.into());
        }
        let places: Vec<PathBuf> = files.iter().map(|file| repository.top.join(&file.path)).collect();
        let context = cx.clone();
        blocking(ToolKind::GitCommit.into(), move || {
            places.iter().try_for_each(|path| refuse_protected(path, &context))
        })
        .await?;
        if paths.is_some() {
            refuse_filtered(&files, &settings, &scratch, git).await?;
        }
        let (author, committer) = people(git, &scratch).await?;
        let message = scratch.file("message");
        write(&message, &(wish.message.clone() + "\n"))?;
        let made = scratch.call(index, ["commit-tree", "-F"]).with([message.as_os_str(), OsStr::new(&tree)]);
        let made = made.with(start.commit.iter().flat_map(|parent| ["-p", parent]));
        let commit = scratch_line(git, made).await?;
        let after = digest_of_staged(git, scratch.call("index", STAGED)).await?;
        let shown = ProposedCommit {
            repository: repository.top.clone(),
            branch: branch_name(&start.branch).to_owned(),
            author,
            message: wish.message.clone(),
            files: files.iter().map(committed).collect(),
            left_out: left_out(&repository, &settings),
        };
        Ok(Self {
            stages: paths.is_some(),
            repository,
            start,
            scratch,
            commit,
            staged: (before, after),
            committer,
            shown,
        })
    }
}

/// The paths relative to the working tree.
fn below(given: &[String], repository: &Repository, cx: &ToolContext) -> Result<Vec<PathBuf>, ToolError> {
    let below = |text: &String| {
        let place = paths::resolve(text, cx);
        let is_folder = text.ends_with('/') || text == "." || text.ends_with("/.");
        let path = match (place.parent(), place.file_name()) {
            // The last part may be a link, which is committed as one.
            (Some(parent), Some(name)) if !is_folder => real(parent).join(name),
            _ => real(&place),
        };
        match path.strip_prefix(&repository.top) {
            Ok(below) if below.as_os_str().is_empty() => Ok(PathBuf::from(".")),
            Ok(below) => Ok(below.to_owned()),
            Err(_) => Err(CommitProblem::Outside { path: text.clone(), top: repository.top.clone() }.into()),
        }
    };
    given.iter().map(below).collect()
}

/// Stages the paths as they are in the working tree, in artoo's own index.
async fn stage(paths: &[PathBuf], scratch: &Scratch, git: &Git) -> Result<(), ToolError> {
    let said = git.call(scratch.call("index", ["add", "-A", "--"]).with(paths)).await?;
    if said.is_done() { Ok(()) } else { Err(CommitProblem::Paths { said: said.last_lines() }.into()) }
}

/// Makes the index of the last commit with these paths alone as they are staged: what the user has staged besides stays theirs.
async fn only(paths: &[PathBuf], base: &str, scratch: &Scratch, git: &Git) -> Result<(), ToolError> {
    const DOING: &str = "take the paths out of what is staged";
    git.call(scratch.call(COMMITTED, ["read-tree", base])).await?.done(DOING)?;
    let staged = ["diff-index", "--cached", "--raw", "-z", "--no-renames", "--no-abbrev", base, "--"];
    let staged = git.call(scratch.call("index", staged).with(paths)).await?.done(DOING)?;
    let mut differences = read_raw(&staged);
    // A file that becomes a folder goes before what is in the folder comes.
    differences.sort_by_key(|one| one.change != CommittedChange::Deleted);
    let mut info = Vec::new();
    for Difference { mode, object, change, path } in differences {
        let mode: &[u8] = if change == CommittedChange::Deleted { b"0" } else { &mode };
        info.extend([mode, b" ", &object, b"\t", path.as_os_str().as_bytes(), b"\0"].concat());
    }
    let input = scratch.file("index-info");
    write(&input, info)?;
    let call = scratch.call(COMMITTED, ["update-index", "-z", "--index-info"]);
    git.call(Call { input: Some(&input), ..call }).await?.done(DOING).map(drop)
}

async fn refuse_unmerged(scratch: &Scratch, git: &Git) -> Result<(), ToolError> {
    const SHOWN: usize = 5;
    let unmerged =
        git.call(scratch.call("index", ["ls-files", "-u", "-z"])).await?.done("look for conflicts")?;
    let text = String::from_utf8_lossy(&unmerged);
    let names: BTreeSet<&str> =
        text.split('\0').filter_map(|line| line.split_once('\t')).map(|(_, name)| name).collect();
    let shown: Vec<&str> = names.into_iter().take(SHOWN).collect();
    if shown.is_empty() { Ok(()) } else { Err(CommitProblem::Unmerged { paths: shown.join(", ") }.into()) }
}

/// Refuses a file of a protected place: commands could read it from the history. Blocks.
fn refuse_protected(path: &Path, cx: &ToolContext) -> Result<(), ToolError> {
    let protected = Protected::of(cx);
    let is_closed = match path.symlink_metadata() {
        Ok(found) => protected.holds(path, &found),
        Err(_) => protected.covers(path),
    };
    if is_closed { Err(ToolError::Protected { path: paths::show(path, cx) }) } else { Ok(()) }
}

/// Refuses a file whose content goes through the program of a filter: without the program, another content would be committed.
async fn refuse_filtered(
    files: &[Difference],
    settings: &Settings,
    scratch: &Scratch,
    git: &Git,
) -> Result<(), ToolError> {
    let is_file =
        |file: &&Difference| file.change != CommittedChange::Deleted && file.mode.starts_with(b"100");
    let files: Vec<&OsStr> = files.iter().filter(is_file).map(|file| file.path.as_os_str()).collect();
    for some in in_arguments(&files) {
        let call = scratch.call("index", ["check-attr", "-z", "filter", "--"]).with(some);
        let said = git.call(call).await?.done("look for filters")?;
        let mut fields = said.split(|byte| *byte == 0).map(String::from_utf8_lossy);
        while let (Some(path), Some(_), Some(filter)) = (fields.next(), fields.next(), fields.next()) {
            if let Some(program) = settings.filter(&filter) {
                let (path, filter, program) = (path.into_owned(), filter.into_owned(), program.to_owned());
                return Err(CommitProblem::Filtered { path, filter, program }.into());
            }
        }
    }
    Ok(())
}

/// The paths in parts that fit into the arguments of a process.
fn in_arguments<'a>(paths: &'a [&'a OsStr]) -> impl Iterator<Item = Vec<&'a OsStr>> {
    let mut left = paths;
    std::iter::from_fn(move || {
        let mut bytes = 0;
        let fit = left.iter().take_while(|path| {
            bytes += path.len() + 1;
            bytes <= MOST_ARGUMENTS
        });
        let some = fit.count().max(1).min(left.len());
        let (part, rest) = left.split_at_checked(some)?;
        left = rest;
        (!part.is_empty()).then(|| part.to_vec())
    })
}

/// The author in one line, and the name and address of who commits.
async fn people(git: &Git, scratch: &Scratch) -> Result<(String, (String, String)), ToolError> {
    let committer = git.call(scratch.call("index", ["var", "GIT_COMMITTER_IDENT"])).await?;
    let author = git.call(scratch.call("index", ["var", "GIT_AUTHOR_IDENT"])).await?;
    if !committer.is_done() || !author.is_done() {
        return Err(CommitProblem::NoIdentity.into());
    }
    const DOING: &str = "read who the user is";
    let (author, committer) = (without_time(&author.line(DOING)?), without_time(&committer.line(DOING)?));
    let (name, address) = committer.split_once('<').unwrap_or((&committer, ""));
    let committer = (name.trim().to_owned(), address.trim_end_matches('>').to_owned());
    Ok((author, committer))
}

/// `Name <address>` of a line with a time behind it.
fn without_time(line: &str) -> String {
    let end = line.rfind('>').map_or(line.len(), |at| at + 1);
    line.get(..end).unwrap_or(line).to_owned()
}

async fn differences(
    git: &Git,
    scratch: &Scratch,
    base: &str,
    tree: &str,
) -> Result<Vec<Difference>, ToolError> {
    let call = ["diff-tree", "-r", "--raw", "-z", "--no-renames", "--no-abbrev", base, tree];
    git.call(scratch.call("index", call))
        .await?
        .done("compare with the last commit")
        .map(|said| read_raw(&said))
}

/// Reads `:OLDMODE MODE OLDOBJECT OBJECT STATUS`, each with its path, of a raw difference with zero bytes between.
fn read_raw(raw: &[u8]) -> Vec<Difference> {
    let mut fields = raw.split(|byte| *byte == 0);
    let mut found = Vec::new();
    while let (Some(head), Some(path)) = (fields.next(), fields.next()) {
        let head: Vec<&[u8]> = head.strip_prefix(b":").unwrap_or(head).split(|byte| *byte == b' ').collect();
        let [old_mode, mode, old_object, object, status] = head.as_slice() else { continue };
        let change = match status.first() {
            Some(b'A') => CommittedChange::Added,
            Some(b'D') => CommittedChange::Deleted,
            Some(b'T') => CommittedChange::Kind,
            _ if old_object == object && old_mode != mode => CommittedChange::Mode,
            _ => CommittedChange::Changed,
        };
        let path = OsString::from_vec(path.to_vec()).into();
        found.push(Difference { mode: mode.to_vec(), object: object.to_vec(), change, path });
    }
    found
}

fn committed(file: &Difference) -> CommittedFile {
    CommittedFile {
        path: file.path.to_string_lossy().into_owned(),
        change: file.change,
        is_repository: file.mode == SUBMODULE,
    }
}

/// What of the repository's own programs is not run, in words.
fn left_out(repository: &Repository, settings: &Settings) -> Vec<String> {
    let hooks = repository.hooks(settings).into_iter().map(|hook| format!("the hook {hook} is not run"));
    let signed = settings
        .signs()
        .then(|| "the commit is not signed, although the configuration asks for it".to_owned());
    hooks.chain(signed).collect()
}

async fn scratch_line(git: &Git, call: Call<'_>) -> Result<String, ToolError> {
    git.call(call).await?.line("prepare the commit")
}

fn write(path: &Path, content: impl AsRef<[u8]>) -> Result<(), ToolError> {
    let failed =
        |source| ToolError::Io { action: "prepare a commit in", path: path.display().to_string(), source };
    fs::write(path, content).map_err(failed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_raw_difference_is_read() {
        let raw =
            b":100644 100644 aa bb M\0a.txt\0:000000 160000 00 cc A\0sub\0:100644 100755 dd dd M\0run\0\
            :100644 000000 ee 00 D\0old\nname\0:100644 120000 ff 11 T\0link\0";
        let found: Vec<(String, CommittedChange, bool)> = read_raw(raw)
            .iter()
            .map(committed)
            .map(|file| (file.path, file.change, file.is_repository))
            .collect();
        use CommittedChange::{Added, Changed, Deleted, Kind, Mode};
        let expected = [
            ("a.txt", Changed, false),
            ("sub", Added, true),
            ("run", Mode, false),
            ("old\nname", Deleted, false),
            ("link", Kind, false),
        ];
        assert_eq!(
            found,
            expected.map(|(path, change, is_repository)| (path.to_owned(), change, is_repository))
        );
    }

    #[test]
    fn paths_are_cut_into_arguments() {
        let long = "x".repeat(MOST_ARGUMENTS + 10);
        let paths = [OsStr::new("a"), OsStr::new(&long), OsStr::new("b"), OsStr::new("c")];
        let parts: Vec<usize> = in_arguments(&paths).map(|part| part.len()).collect();
        assert_eq!(parts, [1, 1, 2]);
        assert_eq!(in_arguments(&[]).count(), 0);
    }
}
