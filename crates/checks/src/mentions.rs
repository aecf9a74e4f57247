//! What a text names: what is there, and the files that are nowhere.

use std::path::{Path, PathBuf};

use artoo_text::{file_paths, is_name_pattern, is_unspaced, last_part};
use artoo_types::{FileChange, FileChangeKind, ToolCall};

use crate::{
    Filesystem, claim_support::reported_missing, claim_support::says_zero, name_search::is_mentioned,
    named_paths::Listing, same_answer::means_none,
};

/// What a text names, looked up once: it holds for the state of the files at that moment.
///
/// A file *is nowhere* if nothing is at its path, nothing below the working folder and the workspace has its name or
/// says it, and all of them could be looked at. A pattern (`*.txt`, `<name>.md`) is no file.
///
/// ```
/// use artoo_checks::{Filesystem, Mentions};
///
/// let home = tempfile::tempdir().unwrap();
/// std::fs::create_dir(home.path().join("docs")).unwrap();
/// std::fs::write(home.path().join("docs/plan.md"), "x").unwrap();
/// let world = Filesystem::new(home.path(), home.path(), Default::default());
/// let docs = home.path().canonicalize().unwrap().join("docs");
/// let paths = |text: &str| Mentions::of(text, &world).paths;
/// assert_eq!(paths("Montako tiedostoa docs-kansiossa on?"), [docs.clone()]);
/// assert_eq!(paths("What does `docs/plan.md` say of plans?"), [docs.join("plan.md")]);
/// assert_eq!(paths("Who wrote Plan.md?"), [docs.join("plan.md")]);
/// assert!(paths("What is in here?").is_empty());
/// assert_eq!(Mentions::of("Copy plan.md to list.txt", &world).unmade_file(&[]), Some("list.txt"));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Mentions {
    /// The files and folders that are there, as canonical paths, sorted and without duplicates. The working folder and
    /// its parents are never among them.
    pub paths: Vec<PathBuf>,
    /// The files that are not at the path by which they are named, as they are named and in their order.
    absent: Vec<AbsentFile>,
    /// Whether a file is at the path by which it is named.
    has_file_in_place: bool,
    /// The paths whose spelling in the text differs in case, each with the spelling of the text.
    otherwise: Vec<(PathBuf, String)>,
}

/// A named file that is not at its path.
#[derive(Clone, Debug, PartialEq, Eq)]
struct AbsentFile {
    path: String,
    is_nowhere: bool,
}

impl Mentions {
    /// Looks up what a text names. Blocks: it may walk the folders of the run and read small files in them.
    pub fn of(text: &str, world: &Filesystem) -> Self {
        Self::in_listing(text, &Listing::of(&[text], world), world)
    }

    /// The same of two texts, at one moment.
    pub fn of_both(texts: [&str; 2], world: &Filesystem) -> [Self; 2] {
        let listing = Listing::of(&texts, world);
        let [one, other] = texts;
        let first = Self::in_listing(one, &listing, world);
        let second = if one == other { first.clone() } else { Self::in_listing(other, &listing, world) };
        [first, second]
    }

    fn in_listing(text: &str, listing: &Listing, world: &Filesystem) -> Self {
        let (named, words) = listing.named(text, world);
        let otherwise = named.iter().filter_map(|named| Some((named.path.clone(), named.otherwise.clone()?)));
        let otherwise = otherwise.collect();
        let paths: Vec<PathBuf> = named.into_iter().map(|named| named.path).collect();
        // A path that cannot be examined is not known to be missing.
        let lacks = |path: &&str| matches!(world.exists(Path::new(path)), Ok(false));
        let (absent, in_place): (Vec<&str>, Vec<&str>) =
            file_paths(&words).filter(|path| !is_name_pattern(path)).partition(lacks);
        let absent = absent.into_iter().map(|path| AbsentFile {
            path: path.to_owned(),
            is_nowhere: !is_among(path, &paths) && is_mentioned(last_part(path), world) == Some(false),
        });
        Self { absent: absent.collect(), has_file_in_place: !in_place.is_empty(), paths, otherwise }
    }

    /// The paths after these changes of the run. Where the run deleted or moved the very file that the text spells, that
    /// file was meant, and not another one that differs in case and is still there.
    pub fn paths_after<'a>(&self, changes: impl Iterator<Item = &'a FileChange>) -> Vec<PathBuf> {
        let left = |change: &'a FileChange| match change.change {
            FileChangeKind::Deleted => Some(change.path.as_path()),
            FileChangeKind::Created | FileChangeKind::Changed => change.moved_from.as_deref(),
        };
        let left: Vec<&Path> = changes.filter_map(left).collect();
        let is_of_another = |path: &PathBuf| {
            let mut written = self.otherwise.iter().filter(|(named, _)| named == path);
            written.any(|(_, written)| left.iter().any(|left| left.ends_with(written)))
        };
        self.paths.iter().filter(|path| !is_of_another(path)).cloned().collect()
    }

    /// The first file that is nowhere, besides those that are `gone`: removed or moved by the run. It was to be made, or
    /// was looked for in vain. Source: `docs/deviations.md`, "Confidence".
    pub fn unmade_file(&self, gone: &[PathBuf]) -> Option<&str> {
        let is_gone = |path: &&str| gone.iter().any(|gone| gone.ends_with(path));
        self.nowhere().find(|path| !is_gone(path))
    }

    /// The file that is nowhere although a call looked for it, so that no other plan can find it; `None` if the text
    /// names another file that is there. Source: `docs/deviations.md`, "Absence".
    pub fn missing_file(&self, calls: &[ToolCall]) -> Option<&str> {
        let mut missing = self.nowhere().filter(|path| reported_missing(last_part(path), calls));
        if self.has_file_in_place { None } else { missing.next() }
    }

    /// The missing file of a step whose answer is 0 nevertheless: a missing file has no count.
    ///
    /// Either a call reported it missing; or the step names it with its folder, nothing is at that path, no call
    /// shows its name, and the step names no existing file: a command that suppresses its error messages counts
    /// an empty input.
    ///
    /// ```
    /// # use artoo_checks::{Filesystem, Mentions};
    /// # let home = tempfile::tempdir().unwrap();
    /// # let world = Filesystem::new(home.path(), home.path(), Default::default());
    /// let asked = Mentions::of("How many lines does nowhere/a.txt have?", &world);
    /// assert!(asked.missing_subject("0", &[]).is_some());
    /// assert_eq!(asked.missing_subject("3", &[]), None);
    /// ```
    pub fn missing_subject(&self, answer: &str, calls: &[ToolCall]) -> Option<String> {
        if !says_zero(answer) && !means_none(answer) {
            return None;
        }
        let shown = |name: &str| calls.iter().any(|call| call.output.shown.contains(name));
        let mut paths = self.absent.iter().map(|file| file.path.as_str());
        let path = paths.find(|path| {
            let name = last_part(path);
            let in_a_folder = path.contains('/') && !path.starts_with('/');
            reported_missing(name, calls) || (in_a_folder && !self.has_file_in_place && !shown(name))
        })?;
        Some(format!("{path} is not there, so 0 is no figure of it"))
    }

    fn nowhere(&self) -> impl Iterator<Item = &str> {
        self.absent.iter().filter(|file| file.is_nowhere).map(|file| file.path.as_str())
    }
}

/// Whether a path ends in the name of one of these. In a script without blanks a name stands among other characters.
fn is_among(path: &str, named: &[PathBuf]) -> bool {
    let names = named.iter().filter_map(|one| one.file_name()?.to_str());
    names.into_iter().any(|name| {
        let before = path.strip_suffix(name).map(|before| before.chars().next_back());
        before.is_some_and(|before| before.is_none_or(|before| before == '/' || is_unspaced(before)))
    })
}

#[cfg(test)]
#[path = "mentions_tests.rs"]
mod tests;
