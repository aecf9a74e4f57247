//! Listing of the working folder, for a planner that has not looked yet.

use std::path::{Path, PathBuf};

use artoo_planner::{FolderListing, ListFolder, Listed};
use artoo_tools::{ToolContext, repository_state};
use async_trait::async_trait;
use ignore::WalkBuilder;

/// Listing depth: the folder and its subfolders.
const DEPTH: usize = 2;
/// Maximum number of listed entries.
const LISTED: usize = 200;
/// Maximum number of visited entries.
const SEEN: usize = 5_000;

/// The working folder of a run.
#[derive(Debug)]
pub(crate) struct WorkingFolder {
    pub(crate) folder: PathBuf,
    /// Places that are not named to anybody.
    pub(crate) protected: Vec<PathBuf>,
    /// With which git looks at the repository around it.
    pub(crate) tools: ToolContext,
}

#[async_trait]
impl ListFolder for WorkingFolder {
    async fn list(&self) -> FolderListing {
        let (folder, protected) = (self.folder.clone(), self.protected.clone());
        let listed = tokio::task::spawn_blocking(move || folder_listing(&folder, &protected)).await;
        // A walk that panicked lists nothing.
        let listing = listed.unwrap_or_default();
        FolderListing { repository: repository_state(&self.tools).await, ..listing }
    }
}

/// Files and folders in `folder` and one level below it, sorted, with the entries of the folder itself first.
/// Hidden, git-ignored and protected entries are omitted; not even a protected name is shown.
fn folder_listing(folder: &Path, protected: &[PathBuf]) -> FolderListing {
    let protected = protected.to_vec();
    let is_shown = move |path: &Path| !protected.iter().any(|place| path.starts_with(place));
    let mut walk = WalkBuilder::new(folder);
    walk.max_depth(Some(DEPTH)).follow_links(false).require_git(false);
    walk.filter_entry(move |entry| is_shown(entry.path()));
    let mut found: Vec<(usize, Listed)> = Vec::new();
    let mut seen = 0_usize;
    for entry in walk.build().filter_map(Result::ok).filter(|entry| entry.depth() > 0).take(SEEN + 1) {
        seen += 1;
        let path = entry.path().strip_prefix(folder).unwrap_or(entry.path()).display().to_string();
        let is_folder = entry.file_type().is_some_and(|kind| kind.is_dir());
        let bytes = if is_folder { None } else { entry.metadata().ok().map(|metadata| metadata.len()) };
        found.push((entry.depth(), Listed { path, bytes }));
    }
    found
        .sort_by(|(depth, one), (other_depth, other)| depth.cmp(other_depth).then(one.path.cmp(&other.path)));
    let has_more = found.len() > LISTED || seen > SEEN;
    found.truncate(LISTED);
    FolderListing {
        listed: found.into_iter().map(|(_, listed)| listed).collect(),
        has_more,
        repository: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_levels_are_listed_and_what_is_protected_is_not_named() {
        let folder = tempfile::tempdir().unwrap();
        let at = |path: &str| folder.path().join(path);
        for path in ["docs/deep/x.txt", "docs/a.txt", "b.txt", ".hidden", "keys/id"] {
            std::fs::create_dir_all(at(path).parent().unwrap()).unwrap();
            std::fs::write(at(path), "12").unwrap();
        }
        let listed = |path: &str, bytes| Listed { path: path.to_owned(), bytes };
        let listing = folder_listing(folder.path(), &[at("keys")]);
        let expected = vec![
            listed("b.txt", Some(2)),
            listed("docs", None),
            listed("docs/a.txt", Some(2)),
            listed("docs/deep", None),
        ];
        assert_eq!(listing, FolderListing { listed: expected, has_more: false, repository: None });
        for number in 0..300 {
            std::fs::write(at(&format!("{number}.log")), "").unwrap();
        }
        let listing = folder_listing(folder.path(), &[]);
        assert_eq!((listing.listed.len(), listing.has_more), (LISTED, true));
        assert_eq!(folder_listing(&at("absent"), &[]), FolderListing::default());
    }
}
