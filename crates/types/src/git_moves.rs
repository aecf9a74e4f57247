//! What a call does to a git repository: facts that were observed, for the question, the record and the prompts.

use std::fmt;
use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Moves in one repository: proposed where somebody is asked, made where they stand with a call that ended.
///
/// ```
/// use artoo_types::{GitMoves, RefMove};
///
/// let (from, to) = (Some("1a2b3c4d5e6f".to_owned()), Some("5d6e7f8a9b0c".to_owned()));
/// let main = RefMove { from, to, new_commits: Some(3), ..RefMove::of("refs/heads/main") };
/// let moves = GitMoves { references: vec![main], ..GitMoves::of("/home/ada/notes") };
/// assert_eq!(moves.lines(), ["branch main: 1a2b3c4 -> 5d6e7f8 (3 commits)"]);
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct GitMoves {
    /// The working tree of the repository.
    pub repository: PathBuf,
    /// Branches, tags and the stash that lead elsewhere.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub references: Vec<RefMove>,
    /// What is checked out, where that is another branch or commit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub head: Option<HeadMove>,
    /// Merges, rebases and the like that begin, go on or end.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub operations: Vec<OperationMove>,
    /// Files with conflicts to resolve, where these are others than before.
    #[serde(default, skip_serializing_if = "PathSample::is_empty")]
    pub conflicts: PathSample,
    /// Files of which something else is staged.
    #[serde(default, skip_serializing_if = "PathSample::is_empty")]
    pub staged: PathSample,
    /// Commits that are made, the newest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub commits: Vec<NewCommit>,
    /// How many more are made.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub more_commits: u64,
    /// How many commits were on a branch or a tag, and are on none any more. The reflog leads to them.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub unreachable: u64,
}

/// A reference that leads elsewhere.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RefMove {
    /// Its full name, for example `refs/heads/main`.
    pub name: String,
    /// The id before; none where it comes to be.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// The id after; none where it goes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<String>,
    /// How many commits it leads to that it did not lead to before; none where that was not counted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub new_commits: Option<u64>,
    /// How many it led to and does not any more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lost_commits: Option<u64>,
    /// Where it comes or goes, the first line of the commit that it leads or led to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subject: Option<String>,
}

/// Another branch or commit is checked out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct HeadMove {
    /// What was checked out.
    pub from: CheckedOut,
    /// What is.
    pub to: CheckedOut,
}

/// What is checked out in a working tree.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CheckedOut {
    /// A branch, by the name that people call it.
    Branch(String),
    /// A commit without a branch, by its id.
    Commit(String),
}

/// An operation that begins, goes on or ends.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct OperationMove {
    /// Which.
    pub operation: GitOperation,
    /// Where it is afterwards.
    pub course: Course,
    /// The branch that a rebase moves when it ends.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub branch: Option<String>,
    /// The id of the commit that it builds on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub onto: Option<String>,
}

/// What git has under way between two commands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum GitOperation {
    /// A merge.
    Merge,
    /// A cherry-pick.
    CherryPick,
    /// A revert.
    Revert,
    /// A rebase.
    Rebase,
    /// A bisection.
    Bisection,
}

/// What becomes of an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Course {
    /// It is under way, and was not before.
    Begins,
    /// It was under way, and still is.
    GoesOn,
    /// It was under way.
    Ends,
}

/// Some of many paths.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PathSample {
    /// The first of them, below the working tree.
    pub named: Vec<String>,
    /// How many more there are.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub more: u64,
}

/// A commit that is made.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct NewCommit {
    /// Its id.
    pub id: String,
    /// The first line of its message.
    pub subject: String,
    /// Who it is by, with the address.
    pub author: String,
    /// Whether it has several parents.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_merge: bool,
}

const BRANCHES: &str = "refs/heads/";
const TAGS: &str = "refs/tags/";
const STASH: &str = "refs/stash";

impl GitMoves {
    /// In this repository, nothing yet.
    pub fn of(repository: impl Into<PathBuf>) -> Self {
        Self {
            repository: repository.into(),
            references: Vec::new(),
            head: None,
            operations: Vec::new(),
            conflicts: PathSample::default(),
            staged: PathSample::default(),
            commits: Vec::new(),
            more_commits: 0,
            unreachable: 0,
        }
    }

    /// Each fact in a line, the moves of references first; none where the index alone is written anew. Names and messages in
    /// them are foreign text.
    pub fn lines(&self) -> Vec<String> {
        let Self {
            repository: _,
            references,
            head,
            operations,
            conflicts,
            staged,
            commits,
            more_commits,
            unreachable,
        } = self;
        let mut lines: Vec<String> = references.iter().map(ToString::to_string).collect();
        lines.extend(head.iter().map(ToString::to_string));
        lines.extend(operations.iter().map(ToString::to_string));
        lines.extend((!conflicts.is_empty()).then(|| format!("conflicts to resolve: {conflicts}")));
        lines.extend((!staged.is_empty()).then(|| format!("staged anew: {staged}")));
        lines.extend(commits.iter().map(ToString::to_string));
        lines.extend((*more_commits > 0).then(|| format!("and {more_commits} more new commits")));
        lines.extend(
            (*unreachable > 0).then(|| format!("{} on no branch or tag any more", counted(*unreachable))),
        );
        lines
    }

    /// The moves of references, what is checked out and what is under way, in one line; `None` where nothing of it differs.
    pub fn summary(&self) -> Option<String> {
        let Self { references, head, operations, .. } = self;
        let references = references.iter().map(ToString::to_string);
        let head = head.iter().map(ToString::to_string);
        let told: Vec<String> =
            references.chain(head).chain(operations.iter().map(ToString::to_string)).collect();
        (!told.is_empty()).then(|| told.join("; "))
    }

    /// What these and later moves in the same repository come to. Where two moves of a reference come together, their commits
    /// are not counted.
    #[must_use]
    pub fn then(self, later: Self) -> Self {
        let mut references = self.references;
        for next in later.references {
            match references.iter_mut().find(|one| one.name == next.name) {
                Some(one) => *one = RefMove { from: one.from.take(), to: next.to, ..RefMove::of(&next.name) },
                None => references.push(next),
            }
        }
        references.retain(|one| one.from != one.to);
        let head = match (self.head, later.head) {
            (Some(one), Some(next)) => Some(HeadMove { from: one.from, to: next.to }),
            (one, next) => one.or(next),
        };
        Self { references, head: head.filter(|head| head.from != head.to), ..Self::of(self.repository) }
    }
}

impl RefMove {
    /// A reference of this full name, of which no more is known.
    pub fn of(name: impl Into<String>) -> Self {
        Self { name: name.into(), ..Self::default() }
    }

    /// As people call it.
    pub fn called(&self) -> String {
        match (self.name.strip_prefix(BRANCHES), self.name.strip_prefix(TAGS)) {
            (Some(branch), _) => format!("branch {branch}"),
            (None, Some(tag)) => format!("tag {tag}"),
            (None, None) if self.name == STASH => "stash".to_owned(),
            (None, None) => self.name.clone(),
        }
    }
}

impl fmt::Display for RefMove {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let called = self.called();
        let subject = self.subject.as_ref().map(|subject| format!(" ({subject})")).unwrap_or_default();
        match (&self.from, &self.to) {
            (Some(from), Some(to)) => {
                write!(f, "{called}: {} -> {}", short(from), short(to))?;
                match (self.new_commits, self.lost_commits.unwrap_or_default()) {
                    (None, _) => Ok(()),
                    (Some(new), 0) => write!(f, " ({})", counted(new)),
                    (Some(new), lost) => write!(f, " ({}, without {lost} that it had)", counted(new)),
                }
            }
            (None, Some(to)) => write!(f, "{called}: new at {}{subject}", short(to)),
            (Some(from), None) => write!(f, "{called}: deleted from {}{subject}", short(from)),
            (None, None) => write!(f, "{called}: as it was"),
        }
    }
}

impl fmt::Display for HeadMove {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "checked out: {} -> {}", self.from, self.to)
    }
}

impl fmt::Display for CheckedOut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Branch(name) => write!(f, "branch {name}"),
            Self::Commit(id) => write!(f, "{} without a branch", short(id)),
        }
    }
}

impl GitOperation {
    /// Its name with an article.
    pub const fn words(self) -> &'static str {
        match self {
            Self::Merge => "a merge",
            Self::CherryPick => "a cherry-pick",
            Self::Revert => "a revert",
            Self::Rebase => "a rebase",
            Self::Bisection => "a bisection",
        }
    }
}

impl fmt::Display for OperationMove {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.operation.words())?;
        if let Some(branch) = &self.branch {
            write!(f, " of branch {branch}")?;
        }
        if let Some(onto) = &self.onto {
            write!(f, " onto {}", short(onto))?;
        }
        f.write_str(match self.course {
            Course::Begins => ": under way, to be continued or aborted",
            Course::GoesOn => ": still under way",
            Course::Ends => ": ended",
        })
    }
}

impl PathSample {
    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.named.is_empty() && self.more == 0
    }
}

impl fmt::Display for PathSample {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.named.join(", "))?;
        if self.more > 0 { write!(f, " and {} more", self.more) } else { Ok(()) }
    }
}

impl fmt::Display for NewCommit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = if self.is_merge { "merge commit" } else { "commit" };
        write!(f, "new {kind} {}: {} ({})", short(&self.id), self.subject, self.author)
    }
}

/// The beginning of an id, as git abbreviates it.
fn short(id: &str) -> &str {
    id.get(..7).unwrap_or(id)
}

fn counted(commits: u64) -> String {
    if commits == 1 { "1 commit".to_owned() } else { format!("{commits} commits") }
}

fn is_zero(number: &u64) -> bool {
    *number == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(digit: char) -> Option<String> {
        Some(digit.to_string().repeat(40))
    }

    #[test]
    fn each_fact_is_a_line() {
        let head =
            HeadMove { from: CheckedOut::Branch("main".into()), to: CheckedOut::Commit("c".repeat(40)) };
        let rebase = OperationMove {
            operation: GitOperation::Rebase,
            course: Course::Begins,
            branch: Some("topic".to_owned()),
            onto: id('a'),
        };
        let subject = Some("Sort".to_owned());
        let moved = RefMove { from: id('a'), to: id('b'), ..RefMove::of("refs/heads/topic") };
        let moves = GitMoves {
            references: vec![
                RefMove { new_commits: Some(1), lost_commits: Some(2), ..moved.clone() },
                RefMove { name: "refs/stash".to_owned(), ..moved },
                RefMove { to: id('b'), subject: subject.clone(), ..RefMove::of("refs/tags/v1") },
                RefMove { from: id('b'), subject, ..RefMove::of("refs/heads/old") },
            ],
            head: Some(head),
            operations: vec![rebase],
            conflicts: PathSample { named: vec!["a.txt".to_owned()], more: 0 },
            staged: PathSample { named: vec!["a.txt".to_owned(), "b.txt".to_owned()], more: 7 },
            commits: vec![NewCommit {
                id: "d".repeat(40),
                subject: "Merge".to_owned(),
                author: "Ada <ada@example.org>".to_owned(),
                is_merge: true,
            }],
            more_commits: 4,
            unreachable: 2,
            ..GitMoves::of("/home/ada/notes")
        };
        let lines = [
            "branch topic: aaaaaaa -> bbbbbbb (1 commit, without 2 that it had)",
            "stash: aaaaaaa -> bbbbbbb",
            "tag v1: new at bbbbbbb (Sort)",
            "branch old: deleted from bbbbbbb (Sort)",
            "checked out: branch main -> ccccccc without a branch",
            "a rebase of branch topic onto aaaaaaa: under way, to be continued or aborted",
            "conflicts to resolve: a.txt",
            "staged anew: a.txt, b.txt and 7 more",
            "new merge commit ddddddd: Merge (Ada <ada@example.org>)",
            "and 4 more new commits",
            "2 commits on no branch or tag any more",
        ];
        assert_eq!(moves.lines(), lines);
        assert!(GitMoves::of("/").lines().is_empty());
    }

    #[test]
    fn moves_of_a_run_come_to_one() {
        let step = |from, to| RefMove { from, to, new_commits: Some(1), ..RefMove::of("refs/heads/main") };
        let of = |reference| GitMoves { references: vec![reference], ..GitMoves::of("/r") };
        let both = of(step(id('a'), id('b'))).then(of(step(id('b'), id('c'))));
        assert_eq!(both.lines(), ["branch main: aaaaaaa -> ccccccc"]);
        assert!(both.then(of(step(id('c'), id('a')))).references.is_empty());
    }
}
