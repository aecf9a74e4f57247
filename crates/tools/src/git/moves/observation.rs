//! Looks at what a command that ran over layers did to the repository that it worked in.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use artoo_consent::repository_of;
use artoo_sandbox::preview::{Change, Preview};
use artoo_types::{Effect, EffectKind, GitMoves, ToolKind};

use super::changes::RepositoryChanges;
use super::checked::{self, AFTER, READ_IN_PARTS};
use super::facts;
use super::problem::MoveProblem;
use crate::blocking::blocking;
use crate::git::own_folder::OwnFolder;
use crate::git::record::Places;
use crate::git::repository::{BRANCHES, Repository, branch_name};
use crate::git::runner::{Call, Git};
use crate::git::scratch::{Scratch, copy_if_there};
use crate::git::settings::Settings;
use crate::git::system_git::system_git;
use crate::system_program::search_path;
use crate::{CreatedPaths, SystemProgram, ToolContext, ToolError};

/// What a command did to repositories that were there before the run.
#[derive(Debug)]
pub(crate) enum Observation {
    /// Nothing.
    Nothing,
    /// What no command may do.
    Refused(ToolError),
    /// What it may do with consent.
    Moves(Box<Moves>),
}

/// Moves of branches, and what goes with them, that a person can agree to.
#[derive(Debug)]
pub(crate) struct Moves {
    pub(super) repository: Repository,
    pub(super) changes: RepositoryChanges,
    /// The digests of what is staged, before and after.
    pub(super) staged: (String, String),
    /// The new commits that follow no other new one.
    pub(super) made: Vec<String>,
    shown: GitMoves,
    /// Whether git stopped in the middle, for somebody to go on, which is where the command was to get.
    is_stopped: bool,
}

impl Moves {
    /// The `.git` that changes.
    pub(crate) fn folder(&self) -> &Path {
        &self.changes.git
    }

    /// All facts.
    pub(crate) fn shown(&self) -> &GitMoves {
        &self.shown
    }

    /// What needs consent. The facts say what it is.
    pub(crate) fn effect(&self) -> Effect {
        let first = self.shown.lines().into_iter().next();
        Effect {
            kind: EffectKind::Commits,
            what: self.repository.top.display().to_string(),
            word: String::new(),
            why: first.unwrap_or_else(|| "how the files look is written down anew".to_owned()),
        }
    }

    /// Whether git stopped in the middle, so that a failure does not mean that the work is half done.
    pub(crate) fn is_stopped(&self) -> bool {
        self.is_stopped
    }
}

/// Looks at what the command did to repositories. What it did elsewhere is not looked at.
///
/// # Errors
///
/// The call was cancelled, or a thread panicked.
pub(crate) async fn observe(preview: Preview, cx: &ToolContext) -> Result<(Preview, Observation), ToolError> {
    let repositories = repositories(preview.changes.iter(), &cx.created);
    let Some(git_folder) = repositories.first().cloned() else { return Ok((preview, Observation::Nothing)) };
    let refused = |error: ToolError| {
        let is_cancelled = matches!(error, ToolError::Cancelled);
        if is_cancelled { Err(error) } else { Ok(Observation::Refused(error)) }
    };
    if repositories.len() > 1 {
        return Ok((preview, refused(MoveProblem::Several.into())?));
    }
    let context = cx.clone();
    let (preview, looked) = blocking(ToolKind::Shell.into(), move || {
        let looked = look(&preview, &git_folder, &context);
        Ok((preview, looked))
    })
    .await?;
    let checked = match looked {
        Ok((changes, own, program)) => {
            let paths = changed_files(&preview, &changes);
            check(changes, &paths, &Git::of(program, own.path().to_owned(), cx), cx).await
        }
        Err(error) => Err(error),
    };
    match checked {
        Ok(moves) => Ok((preview, Observation::Moves(Box::new(moves)))),
        Err(error) => Ok((preview, refused(error)?)),
    }
}

/// The repositories that were there before the run and whose data changes. Blocks shortly.
fn repositories<'a>(changes: impl Iterator<Item = &'a Change>, created: &CreatedPaths) -> BTreeSet<PathBuf> {
    let around: BTreeSet<&Path> = changes.filter_map(|change| repository_of(&change.path)).collect();
    let is_somebodys = |git: &&&Path| git.symlink_metadata().is_ok() && !created.contains(git);
    around.iter().filter(is_somebodys).map(|git| git.to_path_buf()).collect()
}

fn look(
    preview: &Preview,
    git_folder: &Path,
    cx: &ToolContext,
) -> Result<(RepositoryChanges, OwnFolder, SystemProgram), ToolError> {
    let is_folder = git_folder.symlink_metadata().is_ok_and(|it| it.is_dir());
    let has_head = git_folder.join("HEAD").symlink_metadata().is_ok_and(|it| it.is_file());
    let is_whole = is_folder && has_head && git_folder.join("commondir").symlink_metadata().is_err();
    if !is_whole {
        return Err(ToolError::InRepository { path: git_folder.display().to_string() });
    }
    let own = OwnFolder::make(cx)?;
    let changes = RepositoryChanges::read(preview, git_folder, own.path())?;
    let program = system_git(&search_path(cx)).ok_or(MoveProblem::NoGit)?;
    refuse_checked_out(&changes)?;
    Ok((changes, own, program))
}

/// Refuses to move a branch that another working tree has checked out, or is rebasing. Blocks.
fn refuse_checked_out(changes: &RepositoryChanges) -> Result<(), ToolError> {
    let is_moved = |name: &str| {
        changes.references.iter().any(|moved| moved.name == name)
            || changes.rebased().any(|branch| branch == name)
    };
    match repository(changes).checked_out_elsewhere(is_moved) {
        None => Ok(()),
        Some((name, tree)) => {
            Err(MoveProblem::CheckedOut { branch: branch_name(&name).to_owned(), tree }.into())
        }
    }
}

/// The repository, whose parts all lie in its `.git`.
fn repository(changes: &RepositoryChanges) -> Repository {
    let git = &changes.git;
    let top = git.parent().unwrap_or(git).to_owned();
    Repository::at(Places { top, own: git.clone(), common: git.clone(), index: git.join("index") })
}

/// The files of the working tree that the command leaves other contents in, by their paths below it.
fn changed_files(preview: &Preview, changes: &RepositoryChanges) -> Vec<PathBuf> {
    let Some(top) = changes.git.parent() else { return Vec::new() };
    let files = preview.changes.iter().filter(|change| change.after.is_some());
    let files = files.filter(|change| !change.path.starts_with(&changes.git));
    files.filter_map(|change| change.path.strip_prefix(top).ok().map(Path::to_owned)).collect()
}

async fn check(
    changes: RepositoryChanges,
    changed: &[PathBuf],
    git: &Git,
    cx: &ToolContext,
) -> Result<Moves, ToolError> {
    let repository = repository(&changes);
    repository.check(cx)?;
    let settings = repository.settings(git).await?;
    let scratch = {
        let plain = settings.plain() + READ_IN_PARTS;
        let (private, from, has_index) = (git.private().to_owned(), repository.clone(), changes.has_index);
        blocking(ToolKind::Shell.into(), move || {
            let scratch = Scratch::make(&private, &from, &plain)?;
            let after = if has_index { private.join(AFTER) } else { from.index.clone() };
            let to = scratch.file(AFTER);
            let failed = |source| ToolError::Io { action: "copy", path: after.display().to_string(), source };
            copy_if_there(&after, &to).map_err(failed)?;
            Ok(scratch)
        })
        .await?
    };
    checked::check_objects(&changes, &scratch, git).await?;
    for moved in &changes.references {
        checked::check_reference(moved, &scratch, git).await?;
    }
    check_head(&changes, &scratch, git).await?;
    let (before, before_digest) = checked::staged("index", &scratch, git).await?;
    let (after, after_digest) = checked::staged(AFTER, &scratch, git).await?;
    refuse_programs(changed, &settings, &scratch, git).await?;
    let staged = [&before, &after];
    // git notes an operation that it leaves to somebody, and the index has the conflicts of a stash or of a patch.
    let is_stopped = changes.operations.iter().any(|one| one.after && one.is_changed)
        || !facts::new_conflicts(staged).is_empty();
    let (shown, made) = facts::facts(&changes, staged, &repository, (&scratch, git)).await?;
    Ok(Moves { repository, changes, staged: (before_digest, after_digest), made, shown, is_stopped })
}

/// What is checked out afterwards is a branch or a commit that is there.
async fn check_head(changes: &RepositoryChanges, scratch: &Scratch, git: &Git) -> Result<(), ToolError> {
    let (before, after) = &changes.head;
    match after.strip_prefix("ref: ") {
        _ if before == after => Ok(()),
        Some(name)
            if name.starts_with(BRANCHES) && !name.contains("..") && !name.contains(char::is_whitespace) =>
        {
            Ok(())
        }
        Some(_) => {
            let why = "it leads to no branch";
            Err(MoveProblem::Unsound { path: "HEAD".to_owned(), why }.into())
        }
        None => checked::check_id(after, "commit", "HEAD", scratch, git).await,
    }
}

/// Refuses a file whose content goes through a program of the configuration, a filter or a merge driver.
async fn refuse_programs(
    changed: &[PathBuf],
    settings: &Settings,
    scratch: &Scratch,
    git: &Git,
) -> Result<(), ToolError> {
    if changed.is_empty() || !settings.has_programs() {
        return Ok(());
    }
    let list = git.private().join("changed");
    let names: Vec<u8> =
        changed.iter().flat_map(|path| [path.as_os_str().as_bytes(), b"\0"].concat()).collect();
    fs::write(&list, names).map_err(|source| ToolError::Io {
        action: "write",
        path: list.display().to_string(),
        source,
    })?;
    // As the command left the attributes, and as those of the working tree were.
    for from in [&["--cached"][..], &[]] {
        let call = scratch.call(AFTER, ["check-attr"]).with(from).with(["--stdin", "-z", "filter", "merge"]);
        let said = git.call(Call { input: Some(&list), ..call }).await?.done("look for filters")?;
        let mut fields = said.split(|byte| *byte == 0).map(String::from_utf8_lossy);
        while let (Some(path), Some(attribute), Some(name)) = (fields.next(), fields.next(), fields.next()) {
            if settings.has_program(&attribute, &name) {
                let (path, attribute) = (path.into_owned(), attribute.into_owned());
                return Err(MoveProblem::Program { path, attribute, name: name.into_owned() }.into());
            }
        }
    }
    Ok(())
}
