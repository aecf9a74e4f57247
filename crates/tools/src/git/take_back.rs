//! Takes the commits of a run back: the branch goes to where it was, and what was staged is staged again. All or nothing.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use artoo_snapshot::{Hindrance, Obstacle, UndoError};
use serde::Serialize;

use super::carry_out::IndexLock;
use super::record::{self, CommitLine, Places};
use super::repository::{Repository, STAGED, branch_name, digest_of_staged};
use super::runner::Git;
use crate::{SystemProgram, ToolError};

/// What the caller of the snapshot keeps beside the record of a run.
const BESIDE: &str = "beside";
/// Where the system's git is.
const SYSTEM: [&str; 3] = ["/usr/bin", "/bin", "/usr/local/bin"];

/// The commits of a run that can be taken back; nothing is changed yet.
#[derive(Debug)]
pub struct CommitsUndo {
    git: Git,
    folder: PathBuf,
    /// The chains, the last working tree first.
    chains: Vec<Chain>,
}

/// A commit that is taken back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CommitTakenBack {
    /// The working tree of the repository.
    pub repository: String,
    /// The branch that goes back.
    pub branch: String,
    /// The commit, which stays in the repository as long as git keeps what no branch holds.
    pub commit: String,
    /// The first line of its message.
    pub subject: String,
}

/// The commits of a run in one working tree, oldest first, and whether the branch is back already.
#[derive(Debug)]
struct Chain {
    repository: Repository,
    first: CommitLine,
    last: CommitLine,
    taken: Vec<CommitTakenBack>,
    is_back: bool,
}

impl CommitsUndo {
    /// Checks that all commits of a run can be taken back. `record` is the folder of its undo record. `None` if it made none.
    ///
    /// # Errors
    ///
    /// [`UndoError::Refused`] with every obstacle, or why the record cannot be used.
    pub async fn prepare(record: &Path) -> Result<Option<Self>, UndoError> {
        let folder = record.join(BESIDE);
        let unreadable = |source| UndoError::Unreadable { path: folder.clone(), source };
        let lines = record::read(&folder).map_err(unreadable)?;
        if lines.is_empty() {
            return Ok(None);
        }
        let mut by_tree: BTreeMap<Places, Vec<CommitLine>> = BTreeMap::new();
        for line in lines {
            by_tree.entry(line.places().map_err(unreadable)?).or_default().push(line);
        }
        let search_path = SYSTEM.map(PathBuf::from);
        let refused = |path: &Path, error: String| UndoError::Refused {
            obstacles: vec![Obstacle { path: path.to_owned(), why: Hindrance::Unreadable { error } }],
        };
        let Some(program) = SystemProgram::find("git", &search_path) else {
            let top = by_tree.keys().next().map(|places| places.top.clone()).unwrap_or_default();
            return Err(refused(&top, "git is not on this machine".to_owned()));
        };
        let git = Git::plain(program, folder.join("git"), &search_path);
        let (mut chains, mut obstacles) = (Vec::new(), Vec::new());
        for (places, lines) in by_tree {
            let top = places.top.clone();
            match Chain::look(places, lines, &git).await {
                Ok(Ok(chain)) => chains.push(chain),
                Ok(Err(why)) => {
                    obstacles.extend(why.into_iter().map(|why| Obstacle { path: top.clone(), why }))
                }
                Err(error) => {
                    let error = error.failure().reason;
                    obstacles.push(Obstacle { path: top, why: Hindrance::Unreadable { error } });
                }
            }
        }
        if obstacles.is_empty() {
            Ok(Some(Self { git, folder, chains }))
        } else {
            Err(UndoError::Refused { obstacles })
        }
    }

    /// Whether the record of a run has commits, or something that cannot be read in their place. Blocks.
    pub fn is_needed(record: &Path) -> bool {
        record::read(&record.join(BESIDE)).map_or(true, |lines| !lines.is_empty())
    }

    /// The commits, the newest of each working tree first.
    pub fn commits(&self) -> Vec<CommitTakenBack> {
        self.chains.iter().flat_map(|chain| chain.taken.iter().rev().cloned()).collect()
    }

    /// Takes them back. A step that was done before an earlier try failed is not done again.
    ///
    /// # Errors
    ///
    /// [`UndoError::Step`], if a repository is another one than when it was checked, or cannot be written.
    pub async fn apply(self) -> Result<(), UndoError> {
        for chain in &self.chains {
            let failed = |error: ToolError| UndoError::Step {
                path: chain.repository.top.clone(),
                source: io::Error::other(error.failure().reason),
            };
            chain.take_back(&self.git, &self.folder).await.map_err(failed)?;
        }
        Ok(())
    }
}

impl Chain {
    /// The inner error has everything that is in the way.
    async fn look(
        places: Places,
        lines: Vec<CommitLine>,
        git: &Git,
    ) -> Result<Result<Self, Vec<Hindrance>>, ToolError> {
        let (Some(first), Some(last)) = (lines.first().cloned(), lines.last().cloned()) else {
            return Ok(Err(Vec::new()));
        };
        let repository = Repository::at(places);
        let mut obstacles = Vec::new();
        let branch = || branch_name(&last.branch).to_owned();
        let follows = |pair: &[CommitLine]| match pair {
            [one, next] => next.branch == one.branch && next.before.as_ref() == Some(&one.after),
            _ => true,
        };
        let staged_alike = |pair: &[CommitLine]| match pair {
            [one, next] => next.staged.0 == one.staged.1,
            _ => true,
        };
        let state = repository.start(git).await?;
        let is_back = state.commit == first.before;
        let is_left = state.commit.as_ref() == Some(&last.after);
        if state.branch != last.branch || !(is_back || is_left) || !lines.windows(2).all(follows) {
            obstacles.push(Hindrance::Moved { branch: branch() });
        }
        let staged = digest_of_staged(git, repository.reading(STAGED)).await?;
        let is_staged = staged == last.staged.1 || (is_back && staged == first.staged.0);
        if !is_staged || !lines.windows(2).all(staged_alike) {
            obstacles.push(Hindrance::StagedSince);
        }
        if !is_back {
            let holders = holders(&repository, &first.after, &last.branch, git).await?;
            obstacles.extend(holders.into_iter().map(|by| Hindrance::BuiltOn { by }));
        }
        let taken = lines.iter().map(|line| CommitTakenBack {
            repository: repository.top.display().to_string(),
            branch: branch(),
            commit: line.after.clone(),
            subject: line.subject.clone(),
        });
        let taken = taken.collect();
        Ok(if obstacles.is_empty() {
            Ok(Self { repository, first, last, taken, is_back })
        } else {
            Err(obstacles)
        })
    }

    async fn take_back(&self, git: &Git, folder: &Path) -> Result<(), ToolError> {
        let Self { repository, first, last, is_back, taken: _ } = self;
        let failed = |source| ToolError::Io {
            action: "restore the index of",
            path: repository.top.display().to_string(),
            source,
        };
        let lock = IndexLock::take(&repository.index)?;
        if let Some(kept) = &first.kept {
            lock.fill(&folder.join(kept)).map_err(failed)?;
        }
        if !is_back {
            let mut moved = match &first.before {
                Some(before) => {
                    let moved = repository.writing(["update-ref", "-m", "artoo: taken back"]);
                    moved.with([OsStr::new(&last.branch), OsStr::new(before), OsStr::new(&last.after)])
                }
                None => repository.writing(["update-ref", "-d"]).with([&last.branch, &last.after]),
            };
            moved.variables.push(("GIT_COMMITTER_NAME", "artoo".into()));
            moved.variables.push(("GIT_COMMITTER_EMAIL", "artoo@localhost".into()));
            git.call(moved).await?.done("move the branch back")?;
        }
        match &first.kept {
            Some(_) => lock.put_in_place().map_err(failed),
            None => match fs::remove_file(&repository.index) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => Err(failed(error)),
                Ok(()) | Err(_) => Ok(()),
            },
        }
    }
}

/// What holds a commit besides the branch: other branches, tags, what was sent to or fetched from elsewhere, a stash, and what other
/// working trees have checked out without a branch.
async fn holders(
    repository: &Repository,
    commit: &str,
    branch: &str,
    git: &Git,
) -> Result<Vec<String>, ToolError> {
    const DOING: &str = "look for what holds the commit";
    let containing = format!("--contains={commit}");
    let refs =
        git.call(repository.reading(["for-each-ref", "--format=%(refname)"]).with([&containing])).await?;
    let refs = refs.line(DOING)?;
    let mut holders: Vec<String> =
        refs.lines().filter(|name| !name.is_empty() && *name != branch).map(str::to_owned).collect();
    let trees = git.call(repository.reading(["worktree", "list", "--porcelain", "-z"])).await?.line(DOING)?;
    for tree in trees.split("\0\0") {
        let field = |name: &str| tree.split('\0').find_map(|line| line.strip_prefix(name)).map(str::trim);
        if let (Some(path), Some(head), Some(_)) = (field("worktree "), field("HEAD "), field("detached")) {
            let call = repository.reading(["merge-base", "--is-ancestor"]).with([commit, head]);
            if git.call(call).await?.is_done() {
                holders.push(format!("the working tree {path}"));
            }
        }
    }
    Ok(holders)
}
