//! What a text names of what is there: the things that an answer to it has to depend on.

use std::{
    collections::{BTreeMap, BTreeSet, VecDeque},
    fs,
    path::{Path, PathBuf},
};

use artoo_text::is_unspaced;

use crate::Filesystem;

/// How many entries of the folders in which files of a request lie are looked at, breadth first.
const MOST_ENTRIES: usize = 5_000;

/// The files and folders that a text names and that are there, by their real places, sorted and each once.
///
/// A name counts as it lies in the working folder or the workspace or below, in any case; or as a path. What stands behind it in the same
/// word is the language's ("docs-kansiossa", "docs文件夹"). Of a path and a part of it the longer counts. Neither the working folder itself nor what
/// it lies in is ever among them. It knows no words of any language.
///
/// ```
/// use artoo_checks::{Filesystem, named_paths};
///
/// let home = tempfile::tempdir().unwrap();
/// std::fs::create_dir(home.path().join("docs")).unwrap();
/// std::fs::write(home.path().join("docs/plan.md"), "x").unwrap();
/// let world = Filesystem::new(home.path(), home.path(), Default::default());
/// let docs = home.path().canonicalize().unwrap().join("docs");
/// assert_eq!(named_paths("Montako tiedostoa docs-kansiossa on?", &world), [docs.clone()]);
/// assert_eq!(named_paths("What does `docs/plan.md` say of plans?", &world), [docs.join("plan.md")]);
/// assert_eq!(named_paths("Who wrote Plan.md?", &world), [docs.join("plan.md")]);
/// assert!(named_paths("What is in here?", &world).is_empty());
/// ```
pub fn named_paths(text: &str, world: &Filesystem) -> Vec<PathBuf> {
    let listing = Listing::of(world);
    let mut found = BTreeSet::new();
    let mut rest = String::new();
    for word in text.split_whitespace() {
        let named = within(word).find_map(|part| {
            let paths = listing.meant(part, world);
            (!paths.is_empty()).then_some(paths)
        });
        match named {
            Some(paths) => found.extend(paths),
            // Kept apart, so that a name does not begin in one word and end in the next but one.
            None => {
                rest.push_str(word);
                rest.push(' ');
            }
        }
    }
    // Names with blanks in them, and of scripts without blanks, end at no word's end.
    let text = text.to_lowercase();
    for (name, paths) in &listing.by_name {
        let is_long = name.contains(char::is_whitespace);
        let is_run_together = name.contains(is_unspaced) && rest.to_lowercase().contains(name.as_str());
        if is_run_together || (is_long && stands_in(&text, name)) {
            found.extend(paths.iter().cloned());
        }
    }
    let roots = real(world.roots());
    found
        .into_iter()
        .filter_map(|path| path.canonicalize().ok())
        .filter(|path| !roots.iter().any(|root| root.starts_with(path)))
        .collect::<BTreeSet<_>>()
        .into_iter()
        .collect()
}

/// Whether a name stands in a text by itself, not within a longer word.
fn stands_in(text: &str, name: &str) -> bool {
    text.match_indices(name).any(|(at, _)| {
        let before = text.get(..at).and_then(|before| before.chars().next_back());
        let after = text.get(at + name.len()..).and_then(|after| after.chars().next());
        ![before, after].into_iter().flatten().any(char::is_alphanumeric)
    })
}

/// What of a word may be a name: the whole, and what remains of it when marks, and what is joined to it by one, are taken off its ends. The
/// longest first.
fn within(word: &str) -> impl Iterator<Item = &str> {
    let is_edge = |c: char| !c.is_alphanumeric() && !matches!(c, '.' | '_' | '~' | '/');
    let begins: Vec<usize> = std::iter::once(0)
        .chain(word.char_indices().filter(|(_, c)| is_edge(*c)).map(|(at, c)| at + c.len_utf8()))
        .collect();
    // A name also ends where another script begins.
    let mut ends: Vec<usize> = vec![word.len()];
    let mut before: Option<char> = None;
    for (at, c) in word.char_indices() {
        let changes = before.is_some_and(|before| before.is_ascii() && !c.is_ascii());
        if !c.is_alphanumeric() || changes {
            ends.push(at);
        }
        before = Some(c);
    }
    ends.sort_unstable_by(|a, b| b.cmp(a));
    let mut parts: Vec<&str> = Vec::new();
    for begin in &begins {
        for end in ends.iter().filter(|end| *end > begin) {
            if let Some(part) = word.get(*begin..*end)
                && part.contains(char::is_alphanumeric)
                && !parts.contains(&part)
            {
                parts.push(part);
            }
        }
    }
    parts.sort_by_key(|part| std::cmp::Reverse(part.len()));
    parts.into_iter()
}

/// What lies in the folders of a request, by its name in small letters.
struct Listing {
    by_name: BTreeMap<String, Vec<PathBuf>>,
    by_path: BTreeMap<String, Vec<PathBuf>>,
}

impl Listing {
    fn of(world: &Filesystem) -> Self {
        let mut listing = Self { by_name: BTreeMap::new(), by_path: BTreeMap::new() };
        let mut seen = 0;
        for root in real(world.roots()) {
            let mut folders = VecDeque::from([root.clone()]);
            while let Some(folder) = folders.pop_front() {
                let Ok(entries) = fs::read_dir(&folder) else { continue };
                let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
                paths.sort_unstable();
                for path in paths {
                    seen += 1;
                    if seen > MOST_ENTRIES {
                        return listing;
                    }
                    listing.add(&root, &path);
                    if path.is_dir() && !path.is_symlink() {
                        folders.push_back(path);
                    }
                }
            }
        }
        listing
    }

    fn add(&mut self, root: &Path, path: &Path) {
        let mut note = |map: fn(&mut Self) -> &mut BTreeMap<String, Vec<PathBuf>>, name: String| {
            map(self).entry(name).or_default().push(path.to_owned());
        };
        if let Some(name) = path.file_name().and_then(|name| name.to_str()) {
            note(|listing| &mut listing.by_name, name.to_lowercase());
        }
        if let Some(below) = path.strip_prefix(root).ok().and_then(Path::to_str) {
            note(|listing| &mut listing.by_path, below.to_lowercase());
        }
    }

    /// What a part of a word means: a path, or a name wherever it lies.
    fn meant(&self, part: &str, world: &Filesystem) -> Vec<PathBuf> {
        let plain = part.trim_start_matches("./").trim_end_matches('/').to_lowercase();
        if let Some(paths) = self.by_path.get(&plain) {
            return paths.clone();
        }
        if part.contains('/') || part.starts_with('~') {
            let path = world.resolve(Path::new(part));
            return path.exists().then_some(path).into_iter().collect();
        }
        self.by_name.get(&plain).cloned().unwrap_or_default()
    }
}

fn real(paths: Vec<PathBuf>) -> Vec<PathBuf> {
    paths.into_iter().filter_map(|path| path.canonicalize().ok()).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn home() -> (tempfile::TempDir, Filesystem) {
        let home = tempfile::tempdir().unwrap();
        for folder in ["docs/old", "Reports 2024", "报告", "año"] {
            fs::create_dir_all(home.path().join(folder)).unwrap();
        }
        for file in [
            "docs/plan.md",
            "docs/old/plan.md",
            "sales.csv",
            "Reports 2024/q1 sales.csv",
            "报告/一.txt",
            "año/nóminas.csv",
            "data.v2.json",
        ] {
            fs::write(home.path().join(file), "x").unwrap();
        }
        let world = Filesystem::new(home.path(), home.path(), Default::default());
        (home, world)
    }

    #[test]
    fn names_are_found_in_any_language() {
        let (home, world) = home();
        let table: [(&str, &[&str]); 16] = [
            ("How many rows has sales.csv?", &["sales.csv"]),
            ("Montako riviä sales.csv:ssä on?", &["sales.csv"]),
            ("sales.csv里有多少行？", &["sales.csv"]),
            ("Which file in docs/old is the newest?", &["docs/old"]),
            ("Qué suma hay en año/nóminas.csv?", &["año/nóminas.csv"]),
            ("What does \"q1 sales.csv\" say?", &["Reports 2024/q1 sales.csv", "sales.csv"]),
            ("Read Reports 2024 and sum it up", &["Reports 2024"]),
            ("报告文件夹里有几个文件？", &["报告"]),
            ("Count the plans in DOCS.", &["docs"]),
            ("Compare docs/plan.md with docs/old/plan.md", &["docs/old/plan.md", "docs/plan.md"]),
            ("What is the version in data.v2.json?", &["data.v2.json"]),
            ("plan.md", &["docs/old/plan.md", "docs/plan.md"]),
            ("(sales.csv)", &["sales.csv"]),
            ("~/sales.csv", &["sales.csv"]),
            ("What is missing.csv?", &[]),
            (". ~ / .. ", &[]),
        ];
        let root = home.path().canonicalize().unwrap();
        for (text, expected) in table {
            let expected: Vec<PathBuf> = expected.iter().map(|path| root.join(path)).collect();
            assert_eq!(named_paths(text, &world), expected, "{text}");
        }
    }

    proptest! {
        #[test]
        fn whatever_is_named_is_there_and_never_the_folder_itself(text in "\\PC{0,60}") {
            let (home, world) = home();
            let root = home.path().canonicalize().unwrap();
            for path in named_paths(&text, &world) {
                prop_assert!(path.exists() && !root.starts_with(&path), "{path:?}");
            }
        }
    }
}
