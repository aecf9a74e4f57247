//! What a command did to a repository, as typed facts: what a person is asked about, and what the record keeps.

use std::collections::{BTreeMap, BTreeSet};

use artoo_types::{CheckedOut, Course, GitMoves, HeadMove, NewCommit, OperationMove, PathSample, RefMove};

use super::changes::{Operation, RefChange, RepositoryChanges};
use super::checked::{AFTER, IndexEntry, write};
use super::parts::{STASH, is_id};
use crate::ToolError;
use crate::git::repository::{BRANCHES, Repository, branch_name};
use crate::git::runner::{Call, Git};
use crate::git::scratch::Scratch;

/// The most new commits, and the most paths of a kind, that are named.
const COMMITS_NAMED: usize = 10;
const PATHS_NAMED: usize = 5;
/// The most commits that are looked through for new ones, or for lost ones.
const MOST_COMMITS: &str = "1000";

/// All facts, and the ids of the new commits that follow no other new one.
pub(super) async fn facts(
    changes: &RepositoryChanges,
    staged: [&BTreeSet<IndexEntry>; 2],
    repository: &Repository,
    (scratch, git): (&Scratch, &Git),
) -> Result<(GitMoves, Vec<String>), ToolError> {
    let mut references = Vec::new();
    for change in &changes.references {
        references.push(reference(change, scratch, git).await?);
    }
    let made = new_commits(changes, scratch, git).await?;
    let first = made.iter().filter(|commit| !commit.follows_new).map(|commit| commit.shown.id.clone());
    let first = first.collect();
    let [before, after] = staged;
    let moves = GitMoves {
        head: head(&changes.head),
        operations: changes.operations.iter().filter_map(operation).collect(),
        conflicts: sample(&new_conflicts(staged)),
        staged: sample(&before.symmetric_difference(after).map(|one| one.path.as_str()).collect()),
        more_commits: made.len().saturating_sub(COMMITS_NAMED) as u64,
        commits: made.into_iter().take(COMMITS_NAMED).map(|commit| commit.shown).collect(),
        unreachable: unreachable(&references, repository, (scratch, git)).await?,
        references,
        ..GitMoves::of(&repository.top)
    };
    Ok((moves, first))
}

/// The paths with conflicts, where the conflicts are others than before.
pub(super) fn new_conflicts(staged: [&BTreeSet<IndexEntry>; 2]) -> BTreeSet<&str> {
    let [before, after] =
        staged.map(|staged| staged.iter().filter(|one| one.is_conflict).collect::<BTreeSet<_>>());
    if before == after { BTreeSet::new() } else { after.into_iter().map(|one| one.path.as_str()).collect() }
}

fn sample(paths: &BTreeSet<&str>) -> PathSample {
    PathSample {
        named: paths.iter().take(PATHS_NAMED).map(|path| (*path).to_owned()).collect(),
        more: paths.len().saturating_sub(PATHS_NAMED) as u64,
    }
}

async fn reference(change: &RefChange, scratch: &Scratch, git: &Git) -> Result<RefMove, ToolError> {
    let RefChange { name, before, after } = change.clone();
    let (lost_commits, new_commits) = match (&before, &after) {
        (Some(before), Some(after)) => counts(before, after, scratch, git).await?.unzip(),
        (_, _) => (None, None),
    };
    let subject = match (&before, &after) {
        (Some(id), None) | (None, Some(id)) => subject(id, scratch, git).await?,
        (Some(_), Some(_)) | (None, None) => None,
    };
    Ok(RefMove { name, from: before, to: after, new_commits, lost_commits, subject })
}

/// The commits that only the first of two has, and those that only the second has; `None` for tags of other objects.
async fn counts(
    before: &str,
    after: &str,
    scratch: &Scratch,
    git: &Git,
) -> Result<Option<(u64, u64)>, ToolError> {
    let call = scratch.call(AFTER, ["rev-list", "--count", "--left-right"]);
    let said = git.call(call.with([format!("{before}...{after}")])).await?;
    if !said.is_done() {
        return Ok(None);
    }
    let line = said.line("count commits")?;
    let mut numbers = line.split_whitespace().map(|number| number.parse().ok());
    Ok(numbers.next().flatten().zip(numbers.next().flatten()))
}

/// The beginning of a text of a commit: a question is on record.
fn clip(text: &str) -> String {
    const MOST: usize = 120;
    if text.chars().count() <= MOST {
        text.to_owned()
    } else {
        text.chars().take(MOST).chain(['…']).collect()
    }
}

/// The first line of a commit; `None` for another object.
async fn subject(id: &str, scratch: &Scratch, git: &Git) -> Result<Option<String>, ToolError> {
    let said = git.call(scratch.call(AFTER, ["log", "-1", "--format=%s"]).with([id])).await?;
    let line = said.is_done().then(|| said.line("read a commit")).transpose()?;
    Ok(line.map(|line| clip(&line)))
}

/// How many commits a branch or a tag led to, and none does any more. The log of the stash holds what was stashed.
async fn unreachable(
    references: &[RefMove],
    repository: &Repository,
    (scratch, git): (&Scratch, &Git),
) -> Result<u64, ToolError> {
    const DOING: &str = "look for commits that are left behind";
    let may_lose = |one: &&RefMove| one.name != STASH && one.lost_commits != Some(0);
    let lost: Vec<&String> = references.iter().filter(may_lose).filter_map(|one| one.from.as_ref()).collect();
    if lost.is_empty() {
        return Ok(0);
    }
    let listed = git.call(repository.reading(["for-each-ref", "--format=%(refname) %(objectname)"])).await?;
    let listed = listed.done(DOING)?;
    let listed = String::from_utf8_lossy(&listed);
    let mut kept: BTreeMap<&str, &str> = listed.lines().filter_map(|line| line.split_once(' ')).collect();
    for one in references {
        match &one.to {
            Some(to) => kept.insert(&one.name, to),
            None => kept.remove(one.name.as_str()),
        };
    }
    let lost = lost.into_iter().map(|id| format!("{id}\n"));
    let revisions: String = lost.chain(kept.values().map(|id| format!("^{id}\n"))).collect();
    let input = git.private().join("left-behind");
    write(&input, &revisions)?;
    let call = scratch.call(AFTER, ["rev-list", "--count", "-n", MOST_COMMITS, "--stdin"]);
    let said = git.call(Call { input: Some(&input), ..call }).await?;
    Ok(said.line(DOING)?.trim().parse().unwrap_or(0))
}

fn head((before, after): &(String, String)) -> Option<HeadMove> {
    let read = |head: &str| match head.strip_prefix("ref: ").and_then(|name| name.strip_prefix(BRANCHES)) {
        Some(branch) => CheckedOut::Branch(branch.to_owned()),
        None => CheckedOut::Commit(head.to_owned()),
    };
    (before != after).then(|| HeadMove { from: read(before), to: read(after) })
}

fn operation(one: &Operation) -> Option<OperationMove> {
    let course = match (one.before, one.after) {
        (false, true) => Course::Begins,
        (true, false) => Course::Ends,
        (true, true) if one.is_changed => Course::GoesOn,
        (true, true) | (false, false) => return None,
    };
    let rebase = one.rebase.clone();
    let branch = rebase.as_ref().and_then(|rebase| rebase.branch.as_deref()).map(branch_name);
    let branch = branch.map(str::to_owned);
    Some(OperationMove { operation: one.what, course, branch, onto: rebase.and_then(|rebase| rebase.onto) })
}

/// A commit that the command made, of those that something leads to now.
struct Made {
    shown: NewCommit,
    /// Whether it follows another new one.
    follows_new: bool,
}

/// The commits that the command made, the newest first.
async fn new_commits(
    changes: &RepositoryChanges,
    scratch: &Scratch,
    git: &Git,
) -> Result<Vec<Made>, ToolError> {
    let made: BTreeSet<&str> = changes.objects.iter().map(String::as_str).collect();
    let afters = tips(changes);
    if made.is_empty() || afters.is_empty() {
        return Ok(Vec::new());
    }
    let befores = changes.references.iter().filter_map(|change| change.before.clone());
    let format = "--format=%H%x00%P%x00%s%x00%an <%ae>";
    let call = scratch.call(AFTER, ["log", format, "-n", MOST_COMMITS]).with(afters);
    let said = git.call(call.with(["--not".to_owned()]).with(befores)).await?.done("read the new commits")?;
    let said = String::from_utf8_lossy(&said);
    Ok(said.lines().filter_map(|line| new_commit(line, &made)).collect())
}

fn new_commit(line: &str, made: &BTreeSet<&str>) -> Option<Made> {
    let mut fields = line.split('\0');
    let (id, parents, subject, author) = (fields.next()?, fields.next()?, fields.next()?, fields.next()?);
    made.contains(id).then(|| Made {
        shown: NewCommit {
            id: id.to_owned(),
            subject: clip(subject),
            author: clip(author),
            is_merge: parents.contains(' '),
        },
        follows_new: parents.split(' ').any(|parent| made.contains(parent)),
    })
}

/// The ids that something leads to after the command, and did not before.
fn tips(changes: &RepositoryChanges) -> Vec<String> {
    let heads = (changes.head.0 != changes.head.1).then(|| changes.head.1.clone());
    let heads = heads.filter(|head| is_id(head));
    changes.references.iter().filter_map(|change| change.after.clone()).chain(heads).collect()
}
