//! What a command did to a repository, in the words that a person is asked with: facts that were observed, the moves of branches first.

use std::collections::BTreeSet;

use artoo_types::{Effect, EffectKind};

use super::checked::{AFTER, Staged};
use super::found::{Found, Moved};
use super::parts::{STASH, is_id};
use crate::ToolError;
use crate::git::repository::{BRANCHES, branch_name};
use crate::git::runner::Git;
use crate::git::scratch::Scratch;

/// The most new commits, and the most paths with conflicts, that are named.
const COMMITS_NAMED: usize = 10;
const PATHS_NAMED: usize = 5;
/// The most commits that are looked through for new ones.
const MOST_COMMITS: &str = "1000";
const TAGS: &str = "refs/tags/";

/// All facts, each as an effect on the repository.
pub(super) async fn facts(
    found: &Found,
    staged: [&BTreeSet<Staged>; 2],
    new_commits: &[NewCommit],
    (scratch, git): (&Scratch, &Git),
) -> Result<Vec<Effect>, ToolError> {
    let mut facts = Vec::new();
    for moved in &found.references {
        facts.push(reference(moved, scratch, git).await?);
    }
    facts.extend(head(&found.head));
    facts.extend(operations(found));
    facts.extend(conflicts(staged));
    facts.extend(index(staged));
    facts.extend(told(new_commits));
    if facts.is_empty() {
        facts.push("write down anew how the files look; nothing else is staged".to_owned());
    }
    let what = found.git.parent().unwrap_or(&found.git).display().to_string();
    let effect = |why| Effect { kind: EffectKind::Commits, what: what.clone(), word: String::new(), why };
    Ok(facts.into_iter().map(effect).collect())
}

/// The beginning of an id, as people write it.
pub(super) fn short(id: &str) -> &str {
    id.get(..10).unwrap_or(id)
}

/// A reference as people call it.
pub(super) fn called(name: &str) -> String {
    match name.strip_prefix(TAGS) {
        Some(tag) => format!("the tag {tag}"),
        None if name == STASH => "the stash".to_owned(),
        None => format!("the branch {}", branch_name(name)),
    }
}

async fn reference(moved: &Moved, scratch: &Scratch, git: &Git) -> Result<String, ToolError> {
    let it = called(&moved.name);
    Ok(match (&moved.before, &moved.after) {
        (Some(before), Some(after)) => {
            let (lost, new) = counts(before, after, scratch, git).await?;
            let lost = match lost {
                0 => String::new(),
                lost => format!(", and without {} that it had", counted(lost)),
            };
            let new = if new == 0 { "nothing new".to_owned() } else { format!("{} new to it", counted(new)) };
            format!("move {it} from {} to {}, with {new}{lost}", short(before), short(after))
        }
        (None, Some(after)) => {
            format!("make {it} at {}: {}", short(after), subject(after, scratch, git).await?)
        }
        (Some(before), None) => {
            format!("delete {it}, which is at {}: {}", short(before), subject(before, scratch, git).await?)
        }
        (None, None) => format!("leave {it} as it is"),
    })
}

/// The commits that only the first of two has, and those that only the second has.
async fn counts(before: &str, after: &str, scratch: &Scratch, git: &Git) -> Result<(u64, u64), ToolError> {
    let call = scratch.call(AFTER, ["rev-list", "--count", "--left-right"]);
    let said = git.call(call.with([format!("{before}...{after}")])).await?;
    // Of tags of other objects nothing can be counted.
    let line = if said.is_done() { said.line("count commits")? } else { String::new() };
    let mut numbers = line.split_whitespace().map(|number| number.parse().unwrap_or(0));
    Ok((numbers.next().unwrap_or(0), numbers.next().unwrap_or(0)))
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

async fn subject(id: &str, scratch: &Scratch, git: &Git) -> Result<String, ToolError> {
    let said = git.call(scratch.call(AFTER, ["log", "-1", "--format=%s"]).with([id])).await?;
    if said.is_done() {
        said.line("read a commit").map(|line| clip(&line))
    } else {
        Ok("no commit".to_owned())
    }
}

fn head((before, after): &(String, String)) -> Option<String> {
    let branch =
        |head: &str| Some(branch_name(head.strip_prefix("ref: ")?.strip_prefix(BRANCHES)?).to_owned());
    let was =
        branch(before).map_or_else(|| short(before).to_owned(), |branch| format!("the branch {branch}"));
    match branch(after) {
        _ if before == after => None,
        Some(branch) => Some(format!("check out the branch {branch} instead of {was}")),
        None => Some(format!("check out {} without a branch, instead of {was}", short(after))),
    }
}

fn operations(found: &Found) -> impl Iterator<Item = String> {
    found.operations.iter().filter_map(|one| match (one.before, one.after) {
        (false, true) => Some(format!("leave {} under way, to be continued or aborted", one.what)),
        (true, false) => Some(format!("end {} that is under way", one.what)),
        (true, true) if one.is_changed => Some(format!("go on with {}, which stays under way", one.what)),
        (true, true) | (false, false) => None,
    })
}

fn conflicts([before, after]: [&BTreeSet<Staged>; 2]) -> Option<String> {
    let paths = |staged: &BTreeSet<Staged>| -> BTreeSet<String> {
        staged.iter().filter(|one| one.is_conflict).map(|one| one.path.clone()).collect()
    };
    let (before, after) = (paths(before), paths(after));
    if after.is_empty() || before == after {
        return None;
    }
    Some(format!("conflicts to resolve: {}", named(&after)))
}

fn index([before, after]: [&BTreeSet<Staged>; 2]) -> Option<String> {
    let paths: BTreeSet<String> = before.symmetric_difference(after).map(|one| one.path.clone()).collect();
    (!paths.is_empty()).then(|| format!("stage other contents: {}", named(&paths)))
}

fn named(paths: &BTreeSet<String>) -> String {
    let mut text = paths.iter().take(PATHS_NAMED).cloned().collect::<Vec<_>>().join(", ");
    match paths.len().saturating_sub(PATHS_NAMED) {
        0 => {}
        more => text.push_str(&format!(" and {more} more")),
    }
    text
}

/// A commit that the command made, of those that something leads to now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct NewCommit {
    pub(super) id: String,
    /// Whether it follows another new one.
    pub(super) follows_new: bool,
    words: String,
}

/// The commits that the command made, the newest first.
pub(super) async fn new_commits(
    found: &Found,
    scratch: &Scratch,
    git: &Git,
) -> Result<Vec<NewCommit>, ToolError> {
    let made: BTreeSet<&str> = found.objects.iter().map(String::as_str).collect();
    let afters = tips(found);
    if made.is_empty() || afters.is_empty() {
        return Ok(Vec::new());
    }
    let befores = found.references.iter().filter_map(|moved| moved.before.clone());
    let format = "--format=%H%x00%P%x00%s%x00%an <%ae>";
    let call = scratch.call(AFTER, ["log", format, "-n", MOST_COMMITS]).with(afters);
    let said = git.call(call.with(["--not".to_owned()]).with(befores)).await?.done("read the new commits")?;
    let said = String::from_utf8_lossy(&said);
    Ok(said.lines().filter_map(|line| new_commit(line, &made)).collect())
}

fn new_commit(line: &str, made: &BTreeSet<&str>) -> Option<NewCommit> {
    let mut fields = line.split('\0');
    let (id, parents, subject, author) = (fields.next()?, fields.next()?, fields.next()?, fields.next()?);
    made.contains(id).then(|| NewCommit {
        id: id.to_owned(),
        follows_new: parents.split(' ').any(|parent| made.contains(parent)),
        words: format!("new commit {}: {} ({})", short(id), clip(subject), clip(author)),
    })
}

fn told(commits: &[NewCommit]) -> impl Iterator<Item = String> {
    let more = commits.len().saturating_sub(COMMITS_NAMED);
    let rest = (more > 0).then(|| format!("and {} more that are new", counted(more as u64)));
    commits.iter().take(COMMITS_NAMED).map(|commit| commit.words.clone()).chain(rest)
}

/// The ids that something leads to after the command, and did not before.
fn tips(found: &Found) -> Vec<String> {
    let heads = (found.head.0 != found.head.1).then(|| found.head.1.clone());
    let heads = heads.filter(|head| is_id(head));
    found.references.iter().filter_map(|moved| moved.after.clone()).chain(heads).collect()
}

fn counted(commits: u64) -> String {
    if commits == 1 { "1 commit".to_owned() } else { format!("{commits} commits") }
}
