//! Takes the commits and moves of a run back: references and `HEAD` go to where they were, and what was staged is staged again. All or
//! nothing.

use std::io;
use std::path::{Path, PathBuf};

use artoo_snapshot::{Hindrance, Obstacle, UndoError};
use serde::Serialize;

use super::chain::Chain;
use super::runner::Git;
use super::steps;
use super::system_git::{SYSTEM, system_git};
use crate::ToolError;

/// What the caller of the snapshot keeps beside the record of a run.
const BESIDE: &str = "beside";

/// The commits and moves of a run that can be taken back; nothing is changed yet.
#[derive(Debug)]
pub struct CommitsUndo {
    git: Git,
    folder: PathBuf,
    chains: Vec<Chain>,
}

/// A commit that is taken back, or what a git command of the run did to the repository.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CommitTakenBack {
    /// The working tree of the repository.
    pub repository: String,
    /// The branch that goes back.
    pub branch: String,
    /// The commit, which stays in the repository as long as git keeps what no branch holds.
    pub commit: String,
    /// The first line of its message, or what the command did, in words.
    pub subject: String,
    /// Whether a command did it, and not the tool that commits.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub is_move: bool,
}

impl CommitsUndo {
    /// Checks that all commits and moves of a run can be taken back. `record` is the folder of its undo record. `None` if it made none.
    ///
    /// # Errors
    ///
    /// [`UndoError::Refused`] with every obstacle, or why the record cannot be used.
    pub async fn prepare(record: &Path) -> Result<Option<Self>, UndoError> {
        let folder = record.join(BESIDE);
        let unreadable = |source| UndoError::Unreadable { path: folder.clone(), source };
        let by_tree = steps::read(&folder).map_err(unreadable)?;
        if by_tree.is_empty() {
            return Ok(None);
        }
        let search_path = SYSTEM.map(PathBuf::from);
        let refused = |path: &Path, error: String| UndoError::Refused {
            obstacles: vec![Obstacle { path: path.to_owned(), why: Hindrance::Unreadable { error } }],
        };
        let Some(program) = system_git(&search_path) else {
            let top = by_tree.keys().next().map(|places| places.top.clone()).unwrap_or_default();
            return Err(refused(&top, "git is not on this machine".to_owned()));
        };
        let git = Git::plain(program, folder.join("git"), &search_path);
        let (mut chains, mut obstacles) = (Vec::new(), Vec::new());
        for (places, steps) in by_tree {
            let top = places.top.clone();
            match Chain::look(places, steps, &git).await {
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

    /// Whether the record of a run has commits or moves, or something that cannot be read in their place. Blocks.
    pub fn is_needed(record: &Path) -> bool {
        steps::read(&record.join(BESIDE)).map_or(true, |steps| !steps.is_empty())
    }

    /// The commits, the newest of each working tree first.
    pub fn commits(&self) -> Vec<CommitTakenBack> {
        self.chains.iter().flat_map(|chain| chain.told.iter().rev().cloned()).collect()
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
