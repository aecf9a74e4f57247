//! Finds the existing paths that a text names.

use std::{
    cmp::Reverse,
    collections::{BTreeMap, VecDeque},
    ffi::OsString,
    fs,
    ops::Range,
    path::{Path, PathBuf},
};

use artoo_text::{is_unspaced, last_part};

use crate::{Filesystem, names_in::NamesIn};

/// The maximum number of entries examined in the folders of a request, breadth first.
const MOST_ENTRIES: usize = 5_000;

/// The places where a name occurs in a text as a separate word.
fn stands_at<'a>(text: &'a str, name: &'a str) -> impl Iterator<Item = Range<usize>> + 'a {
    text.match_indices(name).map(|(at, _)| at..at + name.len()).filter(|span| {
        let before = text.get(..span.start).and_then(|before| before.chars().next_back());
        let after = text.get(span.end..).and_then(|after| after.chars().next());
        ![before, after].into_iter().flatten().any(char::is_alphanumeric)
    })
}

/// A text in lower case and, for each of its bytes and its end, the position of the letter in the original
/// text: some letters get longer.
fn lowercase(text: &str) -> (String, Vec<usize>) {
    let (mut small, mut origins) = (String::with_capacity(text.len()), Vec::with_capacity(text.len() + 1));
    for (at, c) in text.char_indices() {
        small.extend(c.to_lowercase());
        origins.resize(small.len(), at);
    }
    origins.push(text.len());
    (small, origins)
}

/// The entries of a folder by name, each with whether it is a folder; none if it cannot be read.
fn entries(folder: &Path) -> Vec<(OsString, bool)> {
    let found = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut entries: Vec<(OsString, bool)> =
        found.map(|entry| (entry.file_name(), entry.file_type().is_ok_and(|kind| kind.is_dir()))).collect();
    entries.sort_unstable();
    entries
}

/// The parts of a word that may be a name: the whole word, and the rest after stripping punctuation and
/// joined parts from its ends. Longest first.
fn within(word: &str) -> impl Iterator<Item = &str> {
    let is_edge = |c: char| !c.is_alphanumeric() && !matches!(c, '.' | '_' | '~' | '/');
    let begins: Vec<usize> = std::iter::once(0)
        .chain(word.char_indices().filter(|(_, c)| is_edge(*c)).map(|(at, c)| at + c.len_utf8()))
        .collect();
    // A name also ends at a change of script.
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

/// The entries in the folders of a request whose names stand in one of its texts, by lower-case name.
pub(crate) struct Listing {
    by_name: BTreeMap<String, Vec<PathBuf>>,
    by_path: BTreeMap<String, Vec<PathBuf>>,
}

impl Listing {
    /// What these texts may name. A folder has thousands of entries, of which a text names a few.
    pub(crate) fn of(texts: &[&str], world: &Filesystem) -> Self {
        let names = NamesIn::of(texts);
        Self::of_names(world, |name| names.may_have(name))
    }

    /// The entries that have such a name.
    fn of_names(world: &Filesystem, is_wanted: impl Fn(&str) -> bool) -> Self {
        let mut listing = Self { by_name: BTreeMap::new(), by_path: BTreeMap::new() };
        let mut roots = real(world.roots());
        roots.dedup();
        let mut seen = 0;
        for (at, root) in roots.iter().enumerate() {
            let before = roots.get(..at).unwrap_or_default();
            let mut folders = VecDeque::from([root.clone()]);
            while let Some(folder) = folders.pop_front() {
                // The workspace may lie in the working folder: an entry has its name once, and a path from each.
                let is_listed = before.iter().any(|other| folder.starts_with(other));
                for (name, is_folder) in entries(&folder) {
                    seen += 1;
                    if seen > MOST_ENTRIES {
                        return listing;
                    }
                    if let Some(name) = name.to_str().filter(|name| is_wanted(name)) {
                        let path = folder.join(name);
                        if !is_listed {
                            listing.by_name.entry(name.to_lowercase()).or_default().push(path.clone());
                        }
                        listing.add_below(root, path);
                    }
                    if is_folder {
                        folders.push_back(folder.join(name));
                    }
                }
            }
        }
        listing
    }

    /// The existing files and folders that a text names, as canonical paths, sorted and without duplicates; and the text
    /// without the names and paths that contain blanks, so that the rest consists of single words.
    ///
    /// A name is matched, ignoring case, against everything in or below the working folder and the workspace; or
    /// as a path. Where something is spelled exactly so, it alone is meant: names that differ in case are different
    /// files. A suffix in the same word belongs to the language ("docs-kansiossa", "docs文件夹"). Of a path and
    /// a part of it the longer counts. The working folder itself and its parents are never included. No words of any
    /// language are known.
    pub(crate) fn named(&self, text: &str, world: &Filesystem) -> (Vec<NamedPath>, String) {
        let (mut found, words) = self.take_spaced(text);
        let (mut rest, mut rest_as_written) = (String::new(), String::new());
        for word in words.split_whitespace() {
            match within(word).find_map(|part| self.meant(part, world)) {
                Some(paths) => found.extend(paths),
                // The separator keeps a name from spanning words that are not adjacent.
                None => {
                    rest.push_str(&word.to_lowercase());
                    rest.push(' ');
                    rest_as_written.push_str(word);
                    rest_as_written.push(' ');
                }
            }
        }
        // Names in scripts without blanks do not end at word boundaries.
        for (name, paths) in &self.by_name {
            if name.contains(is_unspaced) && rest.contains(name.as_str()) {
                let is_written = |path: &&PathBuf| {
                    path.file_name()
                        .and_then(|name| name.to_str())
                        .is_some_and(|name| rest_as_written.contains(name))
                };
                let written: Vec<PathBuf> = paths.iter().filter(is_written).cloned().collect();
                let meant = if written.is_empty() { paths.clone() } else { written };
                found.extend(meant.into_iter().map(NamedPath::exact));
            }
        }
        let roots = real(world.roots());
        let mut by_path: BTreeMap<PathBuf, Option<String>> = BTreeMap::new();
        for NamedPath { path, otherwise } in found {
            let Ok(path) = path.canonicalize() else { continue };
            if roots.iter().any(|root| root.starts_with(&path)) {
                continue;
            }
            // A path that the text spells exactly in one place is meant, however the text spells it in others.
            let known = by_path.entry(path).or_insert_with(|| otherwise.clone());
            *known = known.take().and(otherwise);
        }
        (by_path.into_iter().map(|(path, otherwise)| NamedPath { path, otherwise }).collect(), words)
    }

    fn add_below(&mut self, root: &Path, path: PathBuf) {
        if let Some(below) = path.strip_prefix(root).ok().and_then(Path::to_str) {
            self.by_path.entry(below.to_lowercase()).or_default().push(path);
        }
    }

    /// The paths to which the names and paths with blanks in a text refer, and the text without them. The
    /// longest counts: a path does not also count as the names of its parts.
    fn take_spaced(&self, text: &str) -> (Vec<NamedPath>, String) {
        let (small, origins) = lowercase(text);
        let names = self.by_path.iter().chain(&self.by_name);
        let mut spaced: Vec<_> = names.filter(|(name, _)| name.contains(char::is_whitespace)).collect();
        spaced.sort_by_key(|(name, _)| Reverse(name.len()));
        let (mut found, mut taken) = (Vec::<NamedPath>::new(), Vec::<Range<usize>>::new());
        let origin = |at: usize| origins.get(at).copied().unwrap_or(text.len());
        for (name, paths) in spaced {
            for span in stands_at(&small, name) {
                if taken.iter().all(|other| span.end <= other.start || other.end <= span.start) {
                    let written = text.get(origin(span.start)..origin(span.end)).unwrap_or_default();
                    found.extend(as_spelled(paths, written));
                    taken.push(span);
                }
            }
        }
        taken.sort_by_key(|span| span.start);
        let (mut rest, mut from) = (String::new(), 0);
        for span in taken {
            rest.push_str(text.get(from..origin(span.start)).unwrap_or_default());
            rest.push(' ');
            from = origin(span.end);
        }
        rest.push_str(text.get(from..).unwrap_or_default());
        (found, rest)
    }

    /// The paths to which a part of a word refers: a path, or a name at any place. Where nothing is at a relative path,
    /// the one entry of its name is meant: files are moved. If several entries have the name, none is meant. The folder
    /// in the path is never meant. `None` if the part refers to nothing here.
    fn meant(&self, part: &str, world: &Filesystem) -> Option<Vec<NamedPath>> {
        let written = part.trim_start_matches("./").trim_end_matches('/');
        let small = written.to_lowercase();
        let is_name = !part.contains('/') && !part.starts_with('~');
        let places = self.by_path.get(&small);
        let names = if is_name { self.by_name.get(&small) } else { None };
        // An exact spelling counts before one that differs in case.
        let mut spelled = [places, names].into_iter().flatten().filter_map(|paths| spelled(paths, written));
        if let Some(paths) = spelled.next() {
            return Some(paths.into_iter().map(NamedPath::exact).collect());
        }
        if let Some(paths) = places.or(names) {
            return Some(as_spelled(paths, written));
        }
        if is_name {
            return None;
        }
        let path = world.resolve(Path::new(part));
        if path.exists() {
            return Some(vec![NamedPath::exact(path)]);
        }
        if part.starts_with(['/', '~']) {
            return None;
        }
        let elsewhere = as_spelled(self.by_name.get(last_part(&small))?, last_part(written));
        Some(if elsewhere.len() == 1 { elsewhere } else { Vec::new() })
    }
}

/// An existing path that a text names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct NamedPath {
    pub(crate) path: PathBuf,
    /// How the text writes it, if it differs in case.
    pub(crate) otherwise: Option<String>,
}

impl NamedPath {
    /// A path that the text spells as it is.
    fn exact(path: PathBuf) -> Self {
        Self { path, otherwise: None }
    }
}

/// Those of these paths that end in a name or path exactly as it is written; `None` if none does.
fn spelled(paths: &[PathBuf], written: &str) -> Option<Vec<PathBuf>> {
    let spelled: Vec<PathBuf> = paths.iter().filter(|path| path.ends_with(written)).cloned().collect();
    if spelled.is_empty() { None } else { Some(spelled) }
}

/// The same, and all of them if none does.
fn as_spelled(paths: &[PathBuf], written: &str) -> Vec<NamedPath> {
    match spelled(paths, written) {
        Some(paths) => paths.into_iter().map(NamedPath::exact).collect(),
        None => {
            let other_case =
                |path: &PathBuf| NamedPath { path: path.clone(), otherwise: Some(written.to_owned()) };
            paths.iter().map(other_case).collect()
        }
    }
}

fn real(paths: Vec<PathBuf>) -> Vec<PathBuf> {
    paths.into_iter().filter_map(|path| path.canonicalize().ok()).collect()
}

#[cfg(test)]
#[path = "named_paths_tests.rs"]
mod tests;
