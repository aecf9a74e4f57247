//! The repository of the working folder, and the state that a commit starts from.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs;
use std::os::unix::ffi::OsStringExt as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use artoo_consent::REPOSITORY;
use artoo_types::{GitOperation, ToolKind};
use sha2::{Digest as _, Sha256};

use super::git_commit::GitCommit;
use super::problem::CommitProblem;
use super::record::Places;
use super::runner::{Call, Configuration, Git};
use super::settings::Settings;
use crate::blocking::blocking;
use crate::kept_places::refuse_change;
use crate::protected::Protected;
use crate::{ToolContext, ToolError, paths};

/// What the full name of a branch begins with.
pub(super) const BRANCHES: &str = "refs/heads/";
/// The hooks that a commit of the user's would run.
const HOOKS: [&str; 6] = [
    "pre-commit",
    "prepare-commit-msg",
    "commit-msg",
    "post-commit",
    "post-index-change",
    "reference-transaction",
];
/// What is under way where one of these is in the folder of the repository.
pub(super) const UNDER_WAY: [(&str, GitOperation); 6] = [
    ("MERGE_HEAD", GitOperation::Merge),
    ("CHERRY_PICK_HEAD", GitOperation::CherryPick),
    ("REVERT_HEAD", GitOperation::Revert),
    ("rebase-merge", GitOperation::Rebase),
    ("rebase-apply", GitOperation::Rebase),
    ("BISECT_START", GitOperation::Bisection),
];

/// Where the parts of a repository are. All are absolute; those of a linked working tree and of a submodule lie elsewhere.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Repository {
    /// The working tree.
    pub(crate) top: PathBuf,
    /// Its own data: HEAD and the index.
    pub(crate) own: PathBuf,
    /// What it shares with other working trees: branches and objects.
    pub(crate) common: PathBuf,
    pub(crate) objects: PathBuf,
    pub(crate) index: PathBuf,
    hooks: PathBuf,
}

/// What a commit starts from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Start {
    /// The branch that is checked out, as `refs/heads/...`.
    pub(crate) branch: String,
    /// Its last commit; `None` before the first one.
    pub(crate) commit: Option<String>,
    /// The digest of the index file; `None` where there is none.
    pub(crate) index: Option<[u8; 32]>,
}

/// The name of a branch as people write it.
pub(crate) fn branch_name(full: &str) -> &str {
    full.strip_prefix(BRANCHES).unwrap_or(full)
}

impl Repository {
    /// A repository that was committed to before.
    pub(crate) fn at(places: Places) -> Self {
        let Places { top, own, common, index } = places;
        Self { objects: common.join("objects"), hooks: common.join("hooks"), top, own, common, index }
    }

    /// The repository of the working folder.
    ///
    /// # Errors
    ///
    /// There is none, or not one that may be committed to.
    pub(crate) async fn of_folder(git: &Git, cx: &ToolContext) -> Result<Self, ToolError> {
        let asked = [
            "rev-parse",
            "--path-format=absolute",
            "--show-toplevel",
            "--absolute-git-dir",
            "--git-common-dir",
            "--git-path",
            "objects",
            "--git-path",
            "index",
            "--git-path",
            "hooks",
        ];
        let said = git.call(Call::looking(&cx.working_folder, asked)).await?;
        if !said.is_done() {
            let folder = cx.working_folder.clone();
            // Why a repository that is there cannot be used, git explains best.
            return Err(if GitCommit::has_use_in(&folder) {
                said.failed("look for the repository")
            } else {
                CommitProblem::NoRepository { folder }.into()
            });
        }
        let lines: Vec<PathBuf> = said
            .output
            .strip_suffix(b"\n")
            .unwrap_or(&said.output)
            .split(|byte| *byte == b'\n')
            .map(|line| OsString::from_vec(line.to_vec()).into())
            .collect();
        let Ok([top, own, common, objects, index, hooks]) = <[PathBuf; 6]>::try_from(lines) else {
            return Err(said.failed("look for the repository"));
        };
        let real = |path: PathBuf| path.canonicalize().unwrap_or(path);
        let repository = Self {
            top: real(top),
            own: real(own),
            common: real(common),
            objects: real(objects),
            index,
            hooks,
        };
        repository.check(cx)?;
        Ok(repository)
    }

    /// Refuses a repository to which a model redirected the folder: it is not the one that the user works in.
    pub(super) fn check(&self, cx: &ToolContext) -> Result<(), ToolError> {
        let entry = self.top.join(REPOSITORY);
        let unvouched = |why| Err(CommitProblem::NotVouchedFor { top: self.top.clone(), why }.into());
        if led_to(&entry).as_deref() != Some(&self.own) {
            return unvouched("its `.git` does not lead to it");
        }
        let is_elsewhere = self.own != entry || self.common != self.own;
        if is_elsewhere && cx.created.contains(&entry) {
            return unvouched("this run made its `.git`, which leads elsewhere");
        }
        if !self.objects.starts_with(&self.common) {
            return unvouched("its objects lie elsewhere");
        }
        for place in [&self.own, &self.common] {
            if Protected::of(cx).covers(place) {
                return Err(ToolError::Protected { path: paths::show(place, cx) });
            }
            refuse_change(place, &paths::show(place, cx), cx)?;
            if let Some(scope) = cx.scope.as_ref().filter(|scope| !place.starts_with(scope)) {
                let (path, scope) = (paths::show(place, cx), paths::show(scope, cx));
                return Err(ToolError::OutsideScope { path, scope });
            }
        }
        Ok(())
    }

    /// What a commit starts from now.
    ///
    /// # Errors
    ///
    /// None can be made in this state.
    pub(crate) async fn start(&self, git: &Git) -> Result<Start, ToolError> {
        self.refuse_work(|_| false)?;
        let Some(branch) = self.branch(git).await? else { return Err(CommitProblem::Detached.into()) };
        let commit = self.resolved(git, "HEAD^{commit}").await?;
        let index = self.index.clone();
        let index = blocking(ToolKind::GitCommit.into(), move || digest_of(&index)).await?;
        Ok(Start { branch, commit, index })
    }

    /// Refuses where another operation is under way, apart from some, or another git at work.
    ///
    /// # Errors
    ///
    /// [`CommitProblem::InProgress`] or [`CommitProblem::Locked`].
    pub(super) fn refuse_work(&self, is_spared: impl Fn(&str) -> bool) -> Result<(), ToolError> {
        let under_way = |(name, _): &(&str, GitOperation)| !is_spared(name) && self.own.join(name).exists();
        if let Some((_, what)) = UNDER_WAY.into_iter().find(under_way) {
            return Err(CommitProblem::InProgress { what: what.words() }.into());
        }
        let lock = lock_of(&self.index);
        if lock.symlink_metadata().is_ok() {
            return Err(CommitProblem::Locked { lock }.into());
        }
        Ok(())
    }

    /// One of these branches that another working tree has checked out or is rebasing, with the name of the tree. Blocks.
    pub(super) fn checked_out_elsewhere(&self, is_it: impl Fn(&str) -> bool) -> Option<(String, String)> {
        let trees = fs::read_dir(self.common.join("worktrees")).into_iter().flatten().flatten();
        let others = trees.filter(|tree| tree.path() != self.own);
        let mut found = others.flat_map(|tree| {
            ["HEAD", "rebase-merge/head-name", "rebase-apply/head-name"].map(|file| {
                let text = fs::read_to_string(tree.path().join(file)).unwrap_or_default();
                let name = text.trim();
                let name = name.strip_prefix("ref: ").unwrap_or(name).to_owned();
                (name, tree.file_name().to_string_lossy().into_owned())
            })
        });
        found.find(|(name, _)| is_it(name))
    }

    /// What `HEAD` holds.
    ///
    /// # Errors
    ///
    /// It cannot be read.
    pub(super) fn head(&self) -> Result<String, ToolError> {
        let path = self.own.join("HEAD");
        let read = fs::read_to_string(&path).map(|text| text.trim_end_matches('\n').to_owned());
        read.map_err(|source| ToolError::Io { action: "read", path: path.display().to_string(), source })
    }

    /// The branch that is checked out, by its full name; `None` if HEAD is detached.
    pub(crate) async fn branch(&self, git: &Git) -> Result<Option<String>, ToolError> {
        let said = git.call(self.reading(["symbolic-ref", "-q", "HEAD"])).await?;
        if said.status == Some(1) {
            return Ok(None);
        }
        let branch = said.line("read which branch is checked out")?;
        Ok(Some(branch).filter(|branch| branch.starts_with(BRANCHES)))
    }

    /// The object that a revision names; `None` if there is no such.
    pub(crate) async fn resolved(&self, git: &Git, revision: &str) -> Result<Option<String>, ToolError> {
        let said = git.call(self.reading(["rev-parse", "-q", "--verify", revision])).await?;
        match said.status {
            Some(1) => Ok(None),
            _ => said.line("read a revision").map(Some),
        }
    }

    /// git's settings for this working tree.
    pub(crate) async fn settings(&self, git: &Git) -> Result<Settings, ToolError> {
        let said = git.call(Call::looking(&self.top, ["config", "--list", "-z"])).await?;
        said.done("read the configuration").map(|listed| Settings::read(&listed))
    }

    /// The hooks of the repository that a commit of the user's would run.
    pub(crate) fn hooks(&self, settings: &Settings) -> BTreeSet<String> {
        let is_program = |name: &&str| {
            let found = fs::metadata(self.hooks.join(name));
            found.is_ok_and(|it| it.is_file() && it.permissions().mode() & 0o111 != 0)
        };
        let files = HOOKS.into_iter().filter(is_program).map(str::to_owned);
        files.chain(settings.hooks()).collect()
    }

    /// A process of git that reads this repository, and none but it.
    pub(crate) fn reading<const N: usize>(&self, arguments: [&str; N]) -> Call<'_> {
        Call {
            configuration: Configuration::Outweighed,
            variables: vec![("GIT_DIR", self.own.clone().into()), ("GIT_WORK_TREE", self.top.clone().into())],
            ..Call::looking(&self.top, arguments)
        }
    }

    /// One that writes its branches.
    pub(crate) fn writing<const N: usize>(&self, arguments: [&str; N]) -> Call<'_> {
        let mut writable = vec![self.common.clone()];
        if !self.own.starts_with(&self.common) {
            writable.push(self.own.clone());
        }
        let kept = ["hooks", "config", "info", "objects"].map(|name| self.common.join(name));
        let sealed = kept.into_iter().chain([self.own.join("config.worktree")]);
        Call {
            writable,
            sealed: sealed.filter(|path| path.symlink_metadata().is_ok_and(|it| !it.is_symlink())).collect(),
            ..self.reading(arguments)
        }
    }
}

/// The file by which processes of git keep each other from an index.
pub(crate) fn lock_of(index: &Path) -> PathBuf {
    let mut lock = index.as_os_str().to_owned();
    lock.push(".lock");
    lock.into()
}

/// The folder of data that a `.git` leads to, by its real path.
fn led_to(entry: &Path) -> Option<PathBuf> {
    if entry.is_dir() {
        return entry.canonicalize().ok();
    }
    let text = fs::read_to_string(entry).ok()?;
    let folder = text.strip_prefix("gitdir:")?.trim();
    entry.parent()?.join(folder).canonicalize().ok()
}

/// The arguments that list what is staged.
pub(crate) const STAGED: [&str; 4] = ["ls-files", "-s", "-v", "-z"];

/// The digest of what is staged, apart from how the files look on the disk. The call has the arguments [`STAGED`].
pub(crate) async fn digest_of_staged(git: &Git, call: Call<'_>) -> Result<String, ToolError> {
    let listed = git.call(call).await?.done("read what is staged")?;
    Ok(hex::encode(Sha256::digest(listed)))
}

/// The digest of a file; `None` where there is none. Blocks.
pub(crate) fn digest_of(file: &Path) -> Result<Option<[u8; 32]>, ToolError> {
    match fs::read(file) {
        Ok(bytes) => Ok(Some(Sha256::digest(bytes).into())),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(source) => Err(ToolError::Io { action: "read", path: file.display().to_string(), source }),
    }
}
