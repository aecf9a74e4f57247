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
    // What took too long, or did not work, is not known.
    let compared = tokio::time::timeout(LONGEST, compared(&repository, &git)).await;
    let Compared { branch, has_changes } = compared.ok().and_then(Result::ok).unwrap_or_default();
    let branch = match branch {
        Some(name) => Some(name),
        None => repository.branch(&git).await.ok()?.map(|name| branch_name(&name).to_owned()),
    };
    Some(RepositoryState { branch, has_changes })
}

/// What a comparison of the working tree with the last commit says.
#[derive(Debug, Default, PartialEq, Eq)]
struct Compared {
    /// The branch that is checked out, if there is one for certain.
    branch: Option<String>,
    /// Whether tracked files have changes.
    has_changes: Option<bool>,
}

impl Compared {
    /// Reads the output of `git status --porcelain=v2 --branch -z`.
    fn read(output: &[u8]) -> Self {
        let text = String::from_utf8_lossy(output);
        let (headers, changes): (Vec<&str>, Vec<&str>) =
            text.split('\0').filter(|entry| !entry.is_empty()).partition(|entry| entry.starts_with("# "));
        let head = headers.iter().find_map(|header| header.strip_prefix("# branch.head "));
        // git writes "(detached)" or "(null)" where there is none, and a branch may have such a name.
        let branch = head.filter(|name| !name.starts_with('(')).map(str::to_owned);
        Self { branch, has_changes: Some(!changes.is_empty()) }
    }
}

/// Compares the working tree with the last commit. Nothing is known where the repository has programs through which files go: they
/// are not run for this.
async fn compared(repository: &Repository, git: &Git) -> Result<Compared, ToolError> {
    let listed = git.call(repository.reading(["config", "--list", "-z"])).await?;
    if Settings::read(&listed.done("read the configuration")?).has_programs() {
        return Ok(Compared::default());
    }
    let asked = [
        "status",
        "--porcelain=v2",
        "--branch",
        "--no-ahead-behind",
        "-z",
        "-uno",
        "--no-renames",
        "--ignore-submodules=all",
    ];
    let said = git.call(repository.reading(asked)).await?.done("look for changes")?;
    Ok(Compared::read(&said))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_status_is_read() {
        let known = |branch: Option<&str>, has_changes| Compared {
            branch: branch.map(str::to_owned),
            has_changes: Some(has_changes),
        };
        for (output, expected) in [
            ("# branch.oid 12\0# branch.head main\0", known(Some("main"), false)),
            (
                "# branch.oid 12\0# branch.head a/b\0# branch.upstream o/m\0# branch.ab +0 -0\0",
                known(Some("a/b"), false),
            ),
            ("# branch.oid 12\0# branch.head (detached)\0", known(None, false)),
            ("# branch.oid 12\0# branch.head (null)\0", known(None, false)),
            ("# branch.head main\x001 .M N... 100644 100644 100644 1 1 # a\0", known(Some("main"), true)),
            ("", known(None, false)),
        ] {
            assert_eq!(Compared::read(output.as_bytes()), expected, "{output:?}");
        }
    }
}
