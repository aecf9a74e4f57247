//! The state of the repository that the working folder lies in, for whoever plans work there.

use std::time::Duration;

use artoo_types::{RepositoryState, ToolKind};

use super::git_commit::GitCommit;
use super::own_folder::OwnFolder;
use super::repository::{Repository, branch_name};
use super::runner::Git;
use super::settings::Settings;
use super::system_git::system_git;
use crate::blocking::blocking;
use crate::system_program::search_path;
use crate::{ToolContext, ToolError};

/// How long a large working tree is compared.
const LONGEST: Duration = Duration::from_secs(3);

/// The branch of the working folder's repository, and whether tracked files have changes. `None` where there is no repository
/// that can be read.
pub async fn repository_state(cx: &ToolContext) -> Option<RepositoryState> {
    let context = cx.clone();
    let prepared = blocking(ToolKind::GitCommit.into(), move || {
        let program =
            GitCommit::has_use_in(&context.working_folder).then(|| system_git(&search_path(&context)));
        program.flatten().map(|program| Ok((program, OwnFolder::make(&context)?))).transpose()
    });
    let (program, own) = prepared.await.ok()??;
    let git = Git::of(program, own.path().to_owned(), cx);
    let repository = Repository::of_folder(&git, cx).await.ok()?;
    let branch = repository.branch(&git).await.ok()?;
    let compared = tokio::time::timeout(LONGEST, has_changes(&repository, &git)).await;
    Some(RepositoryState {
        branch: branch.map(|name| branch_name(&name).to_owned()),
        // What took too long, or did not work, is not known.
        has_changes: compared.ok().and_then(Result::ok).flatten(),
    })
}

/// Whether tracked files differ from the last commit. `None` where the repository has programs through which files go: they are not
/// run for this.
async fn has_changes(repository: &Repository, git: &Git) -> Result<Option<bool>, ToolError> {
    let listed = git.call(repository.reading(["config", "--list", "-z"])).await?;
    if Settings::read(&listed.done("read the configuration")?).has_programs() {
        return Ok(None);
    }
    let asked = ["status", "--porcelain", "-z", "-uno", "--no-renames", "--ignore-submodules=all"];
    let said = git.call(repository.reading(asked)).await?.done("look for changes")?;
    Ok(Some(!said.is_empty()))
}
