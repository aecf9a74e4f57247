//! The files of the workspace as the rules see them: paths and texts, read once.

use std::{collections::BTreeSet, fs, path::Path};

use crate::{Error, Result, files};

/// A text file.
#[derive(Clone, Debug)]
pub struct SourceFile {
    /// Path from the root, with `/`.
    pub path: String,
    /// Its content.
    pub text: String,
}

/// Every file of the workspace that is not built, downloaded or left over.
#[derive(Clone, Debug, Default)]
pub struct Tree {
    /// The text files.
    pub texts: Vec<SourceFile>,
    /// Every path, including files that are not text, and every folder that contains one.
    pub paths: BTreeSet<String>,
}

/// Folders that version control ignores, too. A fuzzer writes its findings to `corpus` and `artifacts`.
const LEFT_OUT: [&str; 5] = ["target", ".git", "node_modules", "corpus", "artifacts"];
const LEFT_OVER: [&str; 2] = [".snap.new", ".pending-snap"];

impl Tree {
    /// Reads the workspace.
    ///
    /// # Errors
    /// A folder or file cannot be read.
    pub fn read(root: &Path) -> Result<Self> {
        let mut tree = Self::default();
        let enter =
            |folder: &Path| !folder.file_name().is_some_and(|name| LEFT_OUT.iter().any(|out| name == *out));
        for file in files::walk(root, enter)? {
            let path = file.strip_prefix(root).unwrap_or(&file).to_string_lossy().replace('\\', "/");
            if LEFT_OVER.iter().any(|end| path.ends_with(end)) {
                continue;
            }
            match fs::read(&file) {
                Ok(bytes) => match String::from_utf8(bytes) {
                    Ok(text) => tree.add(&path, text),
                    Err(_) => tree.add_path(&path),
                },
                // Another program may remove its temporary file between the listing and the reading.
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
                Err(error) => return Err(Error::File { doing: "read", path: file, source: error }),
            }
        }
        Ok(tree)
    }

    /// A tree of the given paths and texts, for the tests of the rules.
    pub fn of<'a>(files: impl IntoIterator<Item = (&'a str, &'a str)>) -> Self {
        let mut tree = Self::default();
        for (path, text) in files {
            tree.add(path, text.to_owned());
        }
        tree
    }

    /// The text of one file.
    pub fn text(&self, path: &str) -> Option<&str> {
        self.texts.iter().find(|file| file.path == path).map(|file| file.text.as_str())
    }

    /// The files whose names have one of these suffixes.
    pub fn ending<'a>(&'a self, ends: &'a [&str]) -> impl Iterator<Item = &'a SourceFile> {
        self.texts.iter().filter(|file| ends.iter().any(|end| file.path.ends_with(end)))
    }

    fn add(&mut self, path: &str, text: String) {
        self.add_path(path);
        self.texts.push(SourceFile { path: path.to_owned(), text });
    }

    fn add_path(&mut self, path: &str) {
        self.paths.insert(path.to_owned());
        for (at, _) in path.match_indices('/') {
            self.paths.insert(path.get(..at).unwrap_or_default().to_owned());
        }
    }
}

impl SourceFile {
    /// The file's own name.
    pub fn name(&self) -> &str {
        self.path.rsplit('/').next().unwrap_or(&self.path)
    }

    /// The folder of the file's crate, if it belongs to one: `crates/bus`.
    pub fn member(&self) -> Option<&str> {
        let mut parts = self.path.split('/');
        match parts.next()? {
            "evaluation" => Some("evaluation"),
            "xtask" => Some("xtask"),
            first @ ("crates" | "bins") => self.path.get(..first.len() + 1 + parts.next()?.len()),
            _ => None,
        }
    }

    /// Whether the whole file is a test, an example or a bench.
    pub fn is_test(&self) -> bool {
        let inside = |folder: &str| self.path.contains(&format!("/{folder}/"));
        let name = self.name();
        inside("tests")
            || inside("examples")
            || inside("benches")
            || name == "tests.rs"
            || name.ends_with("_tests.rs")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_of_files_are_paths_too() {
        let tree = Tree::of([("docs/roles/ggs.md", "")]);
        assert!(["docs", "docs/roles", "docs/roles/ggs.md"].iter().all(|path| tree.paths.contains(*path)));
    }

    #[test]
    fn a_file_knows_its_crate_and_whether_it_is_a_test() {
        let file = |path: &str| SourceFile { path: path.to_owned(), text: String::new() };
        assert_eq!(file("crates/bus/src/lib.rs").member(), Some("crates/bus"));
        assert_eq!(file("xtask/src/lib.rs").member(), Some("xtask"));
        assert_eq!(file("docs/x.md").member(), None);
        assert!(file("crates/bus/tests/it/main.rs").is_test());
        assert!(file("crates/llm-client/src/extract_tests.rs").is_test());
        assert!(!file("crates/bus/src/bus.rs").is_test());
    }
}
