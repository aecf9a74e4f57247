//! The record of a run as steps: its commits and its moves in the order in which they were made, in one form.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;

use super::moves::record::{self as move_record, KeptFile, MoveLine, MovedReference};
use super::record::{self, CommitLine, Places};
use super::repository::branch_name;
use super::take_back::CommitTakenBack;

/// What one call of a run did to a repository.
#[derive(Debug, Clone)]
pub(super) struct Step {
    pub(super) references: Vec<MovedReference>,
    /// What `HEAD` held before and after.
    pub(super) head: (String, String),
    /// The digests of what was staged, before and after.
    pub(super) staged: (String, String),
    /// The name under which the index file from before is kept; `None` where there was none.
    pub(super) index: Option<String>,
    pub(super) files: Vec<KeptFile>,
    /// The commits that it made.
    pub(super) made: Vec<String>,
    pub(super) told: CommitTakenBack,
}

impl Step {
    /// Whether it concerns what is checked out and staged, not other branches and tags alone.
    pub(super) fn is_of_working_tree(&self) -> bool {
        let branch = self.head.0.strip_prefix("ref: ");
        self.head.0 != self.head.1
            || self.staged.0 != self.staged.1
            || !self.files.is_empty()
            || self.references.iter().any(|moved| Some(moved.name.as_str()) == branch)
    }
}

/// The steps of a run by repository, the oldest first. Blocks.
///
/// # Errors
///
/// The record cannot be read, or was altered.
pub(super) fn read(folder: &Path) -> io::Result<BTreeMap<Places, Vec<Step>>> {
    let (commits, moves) = (record::read(folder)?, move_record::read(folder)?);
    let mut moves = moves.into_iter().peekable();
    let mut steps: BTreeMap<Places, Vec<Step>> = BTreeMap::new();
    let mut add = |places: Places, step: Step| steps.entry(places).or_default().push(step);
    for (number, commit) in commits.into_iter().enumerate() {
        while let Some(line) = moves.next_if(|line| line.commits_before <= number) {
            add(line.places()?, of_moves(line)?);
        }
        add(commit.places()?, of_commit(commit)?);
    }
    for line in moves {
        add(line.places()?, of_moves(line)?);
    }
    Ok(steps)
}

fn of_commit(line: CommitLine) -> io::Result<Step> {
    let head = format!("ref: {}", line.branch);
    Ok(Step {
        told: CommitTakenBack {
            repository: line.places()?.top.display().to_string(),
            branch: branch_name(&line.branch).to_owned(),
            commit: line.after.clone(),
            subject: line.subject,
            is_move: false,
        },
        head: (head.clone(), head),
        made: vec![line.after.clone()],
        references: vec![MovedReference { name: line.branch, before: line.before, after: Some(line.after) }],
        staged: line.staged,
        index: line.kept,
        files: Vec::new(),
    })
}

fn of_moves(line: MoveLine) -> io::Result<Step> {
    let moved = line.references.first();
    let branch = moved.map_or(line.head.1.as_str(), |moved| &moved.name);
    let commit = moved.and_then(|moved| moved.after.clone().or_else(|| moved.before.clone()));
    Ok(Step {
        told: CommitTakenBack {
            repository: line.places()?.top.display().to_string(),
            branch: branch_name(branch.strip_prefix("ref: ").unwrap_or(branch)).to_owned(),
            commit: commit.unwrap_or_default(),
            subject: line.words,
            is_move: true,
        },
        references: line.references,
        head: line.head,
        staged: line.staged,
        index: line.index,
        files: line.files,
        made: line.made,
    })
}
