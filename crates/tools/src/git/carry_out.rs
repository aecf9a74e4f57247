//! Makes a proposed commit part of the user's repository: its objects, the branch, the index.

use std::ffi::OsStr;
use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use artoo_types::ToolKind;

use super::problem::CommitProblem;
use super::proposal::Proposal;
use super::record::{self, Entry, NewCommit, Places};
use super::repository::{Repository, digest_of, lock_of};
use super::runner::Git;
use crate::blocking::blocking;
use crate::{ToolContext, ToolError};

/// The id of no object: the branch must not be there.
const NONE: &str = "";

/// The lock on an index, or on another file of a repository, as git takes it. It is given back when it is dropped.
#[derive(Debug)]
pub(super) struct IndexLock {
    lock: PathBuf,
    index: PathBuf,
    is_held: bool,
}

impl Proposal {
    /// Carries the commit out, exactly as it was shown.
    ///
    /// # Errors
    ///
    /// The repository is another one than when the commit was proposed, or git refuses.
    pub(crate) async fn carry_out(&self, git: &Git, cx: &ToolContext) -> Result<(), ToolError> {
        let repository = &self.repository;
        let index = repository.index.clone();
        let (lock, digest) = blocking(ToolKind::GitCommit.into(), move || {
            let lock = IndexLock::take(&index)?;
            Ok((lock, digest_of(&index)?))
        })
        .await?;
        if digest != self.start.index {
            return Err(CommitProblem::Meanwhile { what: "index" }.into());
        }
        let is_same_branch = repository.branch(git).await?.as_ref() == Some(&self.start.branch);
        if !is_same_branch || repository.resolved(git, "HEAD^{commit}").await? != self.start.commit {
            return Err(CommitProblem::Meanwhile { what: "branch" }.into());
        }
        let (stages, scratch, to) = (self.stages, self.scratch.clone(), repository.clone());
        let lock = blocking(ToolKind::GitCommit.into(), move || {
            if stages {
                lock.fill(&scratch.index()).map_err(|source| failed("write the index of", &to, source))?;
            }
            scratch.hand_over(&to)?;
            Ok(lock)
        })
        .await?;
        let entry = self
            .record(cx)
            .map_err(|source| failed("keep an undo record of the commit in", repository, source))?;
        let old = self.start.commit.as_deref().unwrap_or(NONE);
        let subject = self.subject();
        let moved = repository.writing(["update-ref", "--create-reflog", "-m"]);
        let kind = if self.start.commit.is_some() { "commit" } else { "commit (initial)" };
        let moved = moved.with([OsStr::new(&format!("{kind}: {subject}")), OsStr::new("HEAD")]);
        let mut moved = moved.with([self.commit.as_str(), old]);
        let (name, address) = &self.committer;
        moved.variables.push(("GIT_COMMITTER_NAME", name.into()));
        moved.variables.push(("GIT_COMMITTER_EMAIL", address.into()));
        if let Err(error) = git.call(moved).await.and_then(|reply| reply.done("move the branch")) {
            self.forget(entry, git).await;
            return Err(error);
        }
        if stages {
            lock.put_in_place().map_err(|source| failed("write the index of", repository, source))?;
        }
        Ok(())
    }

    /// Takes the commit out of the record if the branch has not moved: undo would take it for one that somebody moved away.
    async fn forget(&self, entry: Option<Entry>, git: &Git) {
        let (Some(entry), Ok(now)) = (entry, self.repository.resolved(git, "HEAD^{commit}").await) else {
            return;
        };
        if now.as_ref() != Some(&self.commit) {
            // The error that led here is the one that matters.
            let _ = entry.remove();
        }
    }

    /// The first line of the message.
    pub(crate) fn subject(&self) -> &str {
        self.shown.message.lines().next().unwrap_or_default()
    }

    fn record(&self, cx: &ToolContext) -> io::Result<Option<Entry>> {
        let Some(snapshot) = &cx.snapshot else { return Ok(None) };
        let places = Places {
            top: self.repository.top.clone(),
            own: self.repository.own.clone(),
            common: self.repository.common.clone(),
            index: self.repository.index.clone(),
        };
        let commit = NewCommit {
            places: &places,
            branch: &self.start.branch,
            before: self.start.commit.as_deref(),
            after: &self.commit,
            subject: self.subject(),
            staged: (&self.staged.0, &self.staged.1),
        };
        record::record(&snapshot.beside()?, &commit).map(Some)
    }
}

fn failed(action: &'static str, repository: &Repository, source: io::Error) -> ToolError {
    ToolError::Io { action, path: repository.top.display().to_string(), source }
}

impl IndexLock {
    /// Takes it, or says that somebody has it. Blocks.
    pub(super) fn take(index: &Path) -> Result<Self, ToolError> {
        let lock = lock_of(index);
        match fs::File::create_new(&lock) {
            Ok(_) => Ok(Self { lock, index: index.to_owned(), is_held: true }),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                Err(CommitProblem::Locked { lock }.into())
            }
            Err(source) => Err(ToolError::Io { action: "lock", path: index.display().to_string(), source }),
        }
    }

    /// Writes what becomes the index, with the time of the file: git compares the times of files with it.
    pub(super) fn fill(&self, with: &Path) -> io::Result<()> {
        let mut file = fs::File::options().write(true).truncate(true).open(&self.lock)?;
        file.write_all(&fs::read(with)?)?;
        if let Ok(there) = fs::metadata(&self.index) {
            file.set_permissions(there.permissions())?;
        }
        file.set_times(fs::FileTimes::new().set_modified(fs::metadata(with)?.modified()?))?;
        file.sync_all()
    }

    /// Writes what becomes the file, by its bytes.
    pub(super) fn write(&self, content: &[u8]) -> io::Result<()> {
        let mut file = fs::File::options().write(true).truncate(true).open(&self.lock)?;
        file.write_all(content)?;
        file.sync_all()
    }

    /// Makes what was written the index.
    pub(super) fn put_in_place(mut self) -> io::Result<()> {
        fs::rename(&self.lock, &self.index)?;
        self.is_held = false;
        Ok(())
    }
}

impl Drop for IndexLock {
    fn drop(&mut self) {
        if self.is_held {
            // Where it cannot be removed, the next git says so.
            let _ = fs::remove_file(&self.lock);
        }
    }
}
