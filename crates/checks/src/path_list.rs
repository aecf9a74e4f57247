//! Comparison of a list of paths with the existing files.

use std::{
    collections::BTreeSet,
    fs, io,
    path::{Path, PathBuf},
};

use globset::{GlobBuilder, GlobMatcher};

use crate::{Filesystem, Flaw};

/// The maximum number of folder entries that a check examines, and the maximum depth.
const MOST_ENTRIES: usize = 50_000;
const DEEPEST: usize = 64;
/// The maximum length of a pattern, in bytes: patterns are written by a model.
const MAX_PATTERN: usize = 1024;

/// The difference between a list and the existing files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Difference {
    /// The number of files.
    pub(crate) files: usize,
    /// The first file that is not in the list.
    pub(crate) missing: Option<PathBuf>,
    /// The first line that is not one of the files.
    pub(crate) wrong: Option<String>,
}

/// Compares the lines of a text with the files of a folder that match a pattern. A link to a file counts; a
/// link to a folder is not followed.
///
/// # Errors
/// The folder cannot be read, or exceeds the limits (`FileTooLarge`); the pattern is invalid
/// (`InvalidInput`).
pub(crate) fn difference(
    text: &str,
    folder: &Path,
    pattern: &str,
    world: &Filesystem,
) -> Result<Difference, io::Error> {
    let pattern = glob(pattern).map_err(|flaw| io::Error::new(io::ErrorKind::InvalidInput, flaw))?;
    let root = world.resolve(folder);
    let files = files(&root, &pattern)?;
    let mut left: BTreeSet<&PathBuf> = files.iter().collect();
    let mut wrong = None;
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
        // Commands print paths relative to the folder they ran in, or to the folder they were asked to list.
        let plain = |path: PathBuf| path.components().collect::<PathBuf>();
        let meant = [plain(world.resolve(Path::new(line))), plain(root.join(line))];
        match meant.iter().find_map(|path| files.get(path)) {
            Some(file) => drop(left.remove(file)),
            None => wrong = wrong.or_else(|| Some(line.to_owned())),
        }
    }
    let missing = left.first().map(|file| file.strip_prefix(&root).unwrap_or(file).to_owned());
    Ok(Difference { files: files.len(), missing, wrong })
}

/// Compiles a pattern: `*` stays within a folder, `**` crosses folders.
pub(crate) fn glob(pattern: &str) -> Result<GlobMatcher, Flaw> {
    let flaw = |reason: String| Flaw::Glob { pattern: pattern.chars().take(80).collect(), reason };
    if pattern.trim().is_empty() {
        return Err(flaw("it is empty".to_owned()));
    }
    if pattern.len() > MAX_PATTERN {
        return Err(flaw(format!("longer than {MAX_PATTERN} bytes")));
    }
    let glob = GlobBuilder::new(pattern).literal_separator(true).build();
    glob.map(|glob| glob.compile_matcher()).map_err(|error| flaw(error.kind().to_string()))
}

fn files(root: &Path, pattern: &GlobMatcher) -> Result<BTreeSet<PathBuf>, io::Error> {
    let (mut found, mut seen) = (BTreeSet::new(), 0);
    let mut folders = vec![(root.to_owned(), 0)];
    while let Some((folder, depth)) = folders.pop() {
        for entry in fs::read_dir(&folder)? {
            let entry = entry?;
            seen += 1;
            if seen > MOST_ENTRIES || depth > DEEPEST {
                let said = format!("{} holds more than a check looks at", root.display());
                return Err(io::Error::new(io::ErrorKind::FileTooLarge, said));
            }
            let path = entry.path();
            if entry.file_type()?.is_dir() {
                folders.push((path, depth + 1));
            } else if path.strip_prefix(root).is_ok_and(|path| pattern.is_match(path)) && path.is_file() {
                found.insert(path.components().collect());
            }
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use chrono::DateTime;

    use super::*;

    fn scene() -> (tempfile::TempDir, Filesystem) {
        let folder = tempfile::tempdir().unwrap();
        for name in ["docs/a.md", "docs/日记.md", "docs/deep/c.md", "docs/d.txt", "docs/.hidden.md"] {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "x").unwrap();
        }
        let began = DateTime::parse_from_rfc3339("2026-01-01T00:00:00Z").unwrap();
        let world = Filesystem::new(folder.path(), folder.path(), began);
        (folder, world)
    }

    #[test]
    fn a_list_is_compared_as_a_set() {
        let (folder, world) = scene();
        let compare =
            |text: &str, pattern: &str| difference(text, Path::new("docs"), pattern, &world).unwrap();
        let same = |files: usize| Difference { files, missing: None, wrong: None };
        let absolute =
            format!("{0}/docs/a.md\n~/docs/日记.md\n{0}/docs/./.hidden.md", folder.path().display());
        for text in
            ["docs/a.md\n ./docs/日记.md \n\ndocs/.hidden.md", ".hidden.md\na.md\n日记.md\na.md", &absolute]
        {
            assert_eq!(compare(text, "*.md"), same(3), "{text}");
        }
        assert_eq!(compare("a.md\n日记.md\ndeep/c.md\n.hidden.md", "**/*.md"), same(4));
        assert_eq!(compare("", "*.pdf"), same(0));
        assert_eq!(
            compare("a.md\n.hidden.md", "*.md"),
            Difference { files: 3, missing: Some("日记.md".into()), wrong: None }
        );
        assert_eq!(
            compare("a.md\n.hidden.md\n日记.md\nd.txt", "*.md"),
            Difference { files: 3, missing: None, wrong: Some("d.txt".to_owned()) }
        );
        assert!(compare("deep", "*").wrong.is_some(), "a folder is no file");
    }

    #[test]
    fn a_link_counts_as_its_file_and_is_not_walked() {
        let (folder, world) = scene();
        std::os::unix::fs::symlink(folder.path().join("docs"), folder.path().join("docs/loop")).unwrap();
        std::os::unix::fs::symlink("a.md", folder.path().join("docs/link.md")).unwrap();
        std::os::unix::fs::symlink("nowhere", folder.path().join("docs/dead.md")).unwrap();
        let found =
            difference("a.md\nlink.md\n日记.md\n.hidden.md", Path::new("docs"), "*.md", &world).unwrap();
        assert_eq!(found, Difference { files: 4, missing: None, wrong: None });
    }

    #[test]
    fn what_cannot_be_read_is_an_error() {
        let (_folder, world) = scene();
        let kind = |folder: &str, pattern: &str| {
            difference("", Path::new(folder), pattern, &world).unwrap_err().kind()
        };
        assert_eq!(kind("absent", "*"), io::ErrorKind::NotFound);
        assert_eq!(kind("docs/a.md", "*"), io::ErrorKind::NotADirectory);
        assert_eq!(kind("docs", "[z-a]"), io::ErrorKind::InvalidInput);
        assert_eq!(kind("docs", &"*".repeat(2000)), io::ErrorKind::InvalidInput);
    }
}
