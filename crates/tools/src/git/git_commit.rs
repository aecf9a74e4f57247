//! `git_commit` tool: commits files to the branch that is checked out.

use std::path::{Path, PathBuf};

use artoo_consent::{ProposedEffects, Question, REPOSITORY, in_words};
use artoo_sandbox::SandboxMode;
use artoo_types::{
    Arguments, CommittedChange, Effect, EffectKind, FileChange, GitMoves, NewCommit, RefMove, ToolKind,
    ToolName,
};
use async_trait::async_trait;
use serde_json::{Value, json};

use super::own_folder::OwnFolder;
use super::proposal::{Proposal, Wish};
use super::runner::Git;
use crate::arguments::Given;
use crate::{SystemProgram, Tool, ToolContext, ToolEffect, ToolError, ToolReport};

/// The longest message, in bytes.
const MOST_MESSAGE: usize = 16 * 1024;
/// The most paths of one call.
const MOST_PATHS: usize = 500;
/// Files that the output names.
const FILES_NAMED: usize = 50;
/// The rule that asks: its name, and the rule in words.
const ASKS: (&str, &str) =
    ("consent-to-commits", "a commit becomes part of the history of your branch; nothing is pushed");

/// Commits files of the working folder's repository to the branch that is checked out, after consent to this very commit. It pushes
/// nothing, and runs neither hooks nor any program that a configuration of git names.
///
/// Not in [`Toolbox::standard`](crate::Toolbox::standard): it needs a git of the system.
/// ```
/// use artoo_tools::{GitCommit, Tool};
///
/// if let Some(tool) = GitCommit::probe(&["/usr/bin".into(), "/bin".into()]) {
///     assert_eq!(tool.name().as_str(), "git_commit");
/// }
/// ```
#[derive(Debug, Clone)]
pub struct GitCommit {
    git: SystemProgram,
}

impl GitCommit {
    /// The tool, if there is a git of the system. Blocks.
    pub fn probe(search_path: &[PathBuf]) -> Option<Self> {
        SystemProgram::find("git", search_path).map(|git| Self { git })
    }

    /// Where git is.
    pub fn program(&self) -> &Path {
        self.git.path()
    }

    /// Whether a folder lies in a repository, so that there is something to commit to. Blocks.
    pub fn has_use_in(folder: &Path) -> bool {
        let real = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
        real.ancestors().any(|around| around.join(REPOSITORY).symlink_metadata().is_ok())
    }
}

#[async_trait]
impl Tool for GitCommit {
    fn name(&self) -> ToolName {
        ToolKind::GitCommit.into()
    }

    fn summary(&self) -> &str {
        "commit files with git, after consent to exactly this commit"
    }

    fn description(&self) -> &str {
        "Make a git commit. The user sees it and must agree first. Rebase, merge and switch go through shell, with the user's consent."
    }

    fn effect(&self) -> ToolEffect {
        ToolEffect::Edits
    }

    fn output_is_answer(&self) -> bool {
        false
    }

    fn arguments(&self) -> Value {
        json!({
            "type": "object",
            "properties": {
                "message": { "type": "string", "maxLength": MOST_MESSAGE, "description": "message of the commit" },
                "paths": {
                    "type": "array",
                    "items": { "type": "string", "maxLength": 400 },
                    "maxItems": MOST_PATHS,
                    "description": "files and folders to commit as they are now, deleted ones too; without it, what is staged is committed",
                },
            },
            "required": ["message"],
            "additionalProperties": false,
        })
    }

    async fn call(&self, arguments: &Arguments, cx: &ToolContext) -> ToolReport {
        match self.commit(arguments, cx).await {
            Ok(report) => report,
            Err(error) => error.into(),
        }
    }
}

impl GitCommit {
    async fn commit(&self, arguments: &Arguments, cx: &ToolContext) -> Result<ToolReport, ToolError> {
        let wish = wish(arguments)?;
        if cx.mode == SandboxMode::ReadOnly {
            return Err(ToolError::ReadOnly { path: "the repository".to_owned() });
        }
        let folder = OwnFolder::make(cx)?;
        let git = Git::of(self.git.clone(), folder.path().to_owned(), cx);
        let proposal = Proposal::of(&wish, &git, cx).await?;
        self.consent(&proposal, cx).await?;
        if cx.cancel.is_cancelled() {
            return Err(ToolError::Cancelled);
        }
        // Not cancelled from here on, as in `write_file`: it is quick, and half of it is a branch without its index.
        proposal.carry_out(&git.uncancelled(), cx).await?;
        Ok(report(&proposal))
    }

    async fn consent(&self, proposal: &Proposal, cx: &ToolContext) -> Result<(), ToolError> {
        let shown = &proposal.shown;
        let effects = vec![Effect {
            kind: EffectKind::Commits,
            what: shown.repository.display().to_string(),
            word: String::new(),
            why: format!("a commit of {} to the branch {}", counted(shown.files.len()), shown.branch),
        }];
        let proposed = ProposedEffects { effects: &effects, ..ProposedEffects::default() };
        if let Some(reason) = cx.consent.forbids(proposed) {
            return Err(ToolError::NotAllowed { effects: in_words(&effects), reason });
        }
        let (rule, reason) = cx.demanded(proposed)?.unwrap_or_else(|| (ASKS.0.to_owned(), ASKS.1.to_owned()));
        let unkept = || "nothing is kept of this run: a yes cannot be undone".to_owned();
        let question = Question {
            tool: self.name(),
            command: format!("{} {}", self.name(), proposal.subject()),
            programs: Vec::new(),
            effects,
            free: Vec::new(),
            changes: Vec::new(),
            commit: Some(shown.clone()),
            moves: None,
            rule,
            reason,
            beyond_undo: cx.snapshot.is_none().then(unkept),
            always: None,
        };
        cx.consented(question).await
    }
}

fn wish(arguments: &Arguments) -> Result<Wish, ToolError> {
    let given = Given::new(arguments, &["message", "paths"])?;
    let message = given.text("message")?.trim();
    if message.len() > MOST_MESSAGE {
        let problem = format!("has {} bytes; at most {MOST_MESSAGE}", message.len());
        return Err(ToolError::argument("message", problem));
    }
    if message.contains('\0') {
        return Err(ToolError::argument("message", "contains a zero byte"));
    }
    let paths = given.list("paths")?.map(|paths| {
        let path = |path: &Value| match path.as_str() {
            Some(path) if !path.is_empty() && !path.contains('\0') => Ok(path.to_owned()),
            Some(_) | None => Err(ToolError::argument("paths", "must have a path in each place")),
        };
        paths.iter().map(path).collect::<Result<Vec<_>, _>>()
    });
    let paths = paths.transpose()?.filter(|paths| !paths.is_empty());
    if paths.as_ref().is_some_and(|paths| paths.len() > MOST_PATHS) {
        return Err(ToolError::argument("paths", format!("has more than {MOST_PATHS}; name their folder")));
    }
    // git ends a line with a newline alone.
    let message = message.replace("\r\n", "\n").replace('\r', "\n");
    Ok(Wish { message, paths })
}

fn report(proposal: &Proposal) -> ToolReport {
    let shown = &proposal.shown;
    let id: String = proposal.commit.chars().take(12).collect();
    let mut text = format!("committed {id} to the branch {}: {}\n", shown.branch, proposal.subject());
    for file in shown.files.iter().take(FILES_NAMED) {
        text.push_str(&format!("{} {}\n", word(file.change), file.path));
    }
    if let Some(more) = shown.files.len().checked_sub(FILES_NAMED).filter(|more| *more > 0) {
        text.push_str(&format!("and {more} more files\n"));
    }
    for left_out in &shown.left_out {
        text.push_str(&format!("{left_out}\n"));
    }
    let mut report = ToolReport::text(text);
    // The data of the repository, a folder.
    let moves = moves(proposal);
    report.files = vec![FileChange::in_repository(proposal.repository.own.join(""), moves)];
    report
}

/// The branch with its new commit.
fn moves(proposal: &Proposal) -> GitMoves {
    let Proposal { start, shown, commit, .. } = proposal;
    let branch = RefMove {
        from: start.commit.clone(),
        to: Some(commit.clone()),
        new_commits: Some(1),
        lost_commits: Some(0),
        ..RefMove::of(&start.branch)
    };
    let commit = NewCommit {
        id: commit.clone(),
        subject: proposal.subject().to_owned(),
        author: shown.author.clone(),
        is_merge: false,
    };
    GitMoves { references: vec![branch], commits: vec![commit], ..GitMoves::of(&shown.repository) }
}

fn word(change: CommittedChange) -> &'static str {
    match change {
        CommittedChange::Added => "added",
        CommittedChange::Changed => "changed",
        CommittedChange::Deleted => "deleted",
        CommittedChange::Kind => "changed type:",
        CommittedChange::Mode => "changed mode:",
    }
}

fn counted(files: usize) -> String {
    if files == 1 { "1 file".to_owned() } else { format!("{files} files") }
}
