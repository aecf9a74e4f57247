//! Perturbed worlds for rehearsals: a command whose output differs in one depends on what was changed.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use artoo_sandbox::preview::Staging;
use artoo_types::{NotRehearsed, Perturbation};
use serde_json::value::RawValue;

/// Maximum number of places changed at a time.
const MOST_PLACES: usize = 64;
/// Maximum entries of a folder that are read.
const MOST_ENTRIES: usize = 1_000;
/// Maximum files of a folder that are rewritten.
const MOST_REWRITTEN: usize = 3;
/// Maximum bytes of a file that is rewritten.
const LONGEST: u64 = 4 * 1024 * 1024;
/// Maximum depth of objects in which a list is searched.
const DEEPEST: usize = 8;

/// How a world is built.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Staged {
    /// The changes in the layers.
    pub(super) staging: Staging,
    /// Outside of the layers: unreadable paths.
    pub(super) covered: Vec<PathBuf>,
}

impl Staged {
    /// The covered places: these, if they exist, and more.
    pub(super) fn hidden(&self, protected: &[PathBuf]) -> Vec<PathBuf> {
        let is_there = |place: &&PathBuf| {
            let place = real(place);
            !self.staging.absent.iter().any(|absent| place.starts_with(absent))
        };
        protected.iter().filter(is_there).chain(&self.covered).cloned().collect()
    }
}

/// Plans how to build a world. The command needs the folders `needed`; `roots` are the folders under layers.
/// Blocks.
pub(super) fn staged(
    world: &Perturbation,
    needed: &[PathBuf],
    roots: &[PathBuf],
) -> Result<Staged, NotRehearsed> {
    match world {
        Perturbation::AsIs => Ok(Staged::default()),
        Perturbation::Hidden(places) => hidden(&outermost(places)?, needed, roots),
        Perturbation::Emptied(places) => emptied(&outermost(places)?, needed, roots),
        Perturbation::Doubled(places) => doubled(&outermost(places)?, roots),
        Perturbation::Planted { places, line } => planted(&outermost(places)?, line, roots),
        Perturbation::Replaced { places, from, to } => replaced(&outermost(places)?, (from, to), roots),
    }
}

/// The real path of a folder, as far as it exists.
pub(super) fn real(folder: &Path) -> PathBuf {
    let there = folder.ancestors().find_map(|above| Some((above.canonicalize().ok()?, above)));
    let rest = there.as_ref().and_then(|(_, above)| folder.strip_prefix(above).ok());
    match there.as_ref().zip(rest) {
        Some(((real, _), rest)) => real.join(rest),
        None => folder.to_owned(),
    }
}

/// Resolves links, and drops places that lie in another one.
fn outermost(places: &[PathBuf]) -> Result<Vec<PathBuf>, NotRehearsed> {
    if places.is_empty() || places.len() > MOST_PLACES {
        return Err(NotRehearsed::because(format!("{} places, not 1 to {MOST_PLACES}", places.len())));
    }
    let found = places.iter().map(|place| {
        let gone = |error| NotRehearsed::because(format!("{} is not there: {error}", place.display()));
        place.canonicalize().map_err(gone)
    });
    let all: BTreeSet<PathBuf> = found.collect::<Result<_, _>>()?;
    let is_within = |path: &&PathBuf| path.ancestors().skip(1).any(|above| all.contains(above));
    Ok(all.iter().filter(|path| !is_within(path)).cloned().collect())
}

fn hidden(places: &[PathBuf], needed: &[PathBuf], roots: &[PathBuf]) -> Result<Staged, NotRehearsed> {
    let is_needed = |path: &Path| needed.iter().any(|folder| folder.starts_with(path));
    let mut staged = Staged::default();
    for place in places {
        let refused =
            |why: &str| NotRehearsed::because(format!("{} cannot be hidden: {why}", place.display()));
        match (roots.iter().any(|root| place.starts_with(root)), is_needed(place)) {
            (false, false) => staged.covered.push(place.clone()),
            (true, false) => staged.staging.absent.push(place.clone()),
            (false, true) => return Err(refused("the command runs in it")),
            (true, true) => {
                let entries =
                    entries(place).map_err(|why| refused(&format!("the command runs in it, and {why}")))?;
                let before = staged.staging.absent.len();
                staged.staging.absent.extend(entries.into_iter().filter(|entry| !is_needed(entry)));
                if staged.staging.absent.len() == before {
                    return Err(refused("there is nothing in it"));
                }
            }
        }
    }
    Ok(staged)
}

fn emptied(places: &[PathBuf], needed: &[PathBuf], roots: &[PathBuf]) -> Result<Staged, NotRehearsed> {
    let mut staging = Staging::default();
    for place in places {
        let refused =
            |why: &str| NotRehearsed::because(format!("{} cannot be emptied: {why}", place.display()));
        if !roots.iter().any(|root| place.starts_with(root)) {
            return Err(refused("it lies elsewhere than where commands may change files"));
        }
        if needed.iter().any(|folder| folder.starts_with(place)) {
            return Err(refused("the command runs in it"));
        }
        if place.is_file() {
            staging.written.push((place.clone(), Vec::new()));
        } else {
            staging.absent.extend(entries(place).map_err(|why| refused(&why))?);
        }
    }
    Ok(Staged { staging, covered: Vec::new() })
}

/// The entries of a folder, unless there are too many of them.
fn entries(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let entries = fs::read_dir(folder).map_err(|error| error.to_string())?;
    let entries: Vec<_> = entries.flatten().map(|entry| entry.path()).take(MOST_ENTRIES + 1).collect();
    if entries.len() > MOST_ENTRIES { Err("there is too much in it".to_owned()) } else { Ok(entries) }
}

fn doubled(places: &[PathBuf], roots: &[PathBuf]) -> Result<Staged, NotRehearsed> {
    let texts = texts(places, roots);
    let copies = places.iter().filter(|place| place.is_dir()).filter_map(|folder| {
        let (path, text) = texts.iter().find(|(path, _)| path.parent() == Some(folder.as_path()))?;
        Some((another_name(path)?, text.clone()))
    });
    let copies: Vec<_> = copies.collect();
    let twice =
        texts.into_iter().map(|(path, text)| (path, item_twice(&text).unwrap_or_else(|| line_twice(&text))));
    written(copies.into_iter().chain(twice).collect())
}

fn planted(places: &[PathBuf], line: &str, roots: &[PathBuf]) -> Result<Staged, NotRehearsed> {
    let with_line = |(path, mut text): (PathBuf, Vec<u8>)| {
        if !text.ends_with(b"\n") {
            text.push(b'\n');
        }
        text.extend_from_slice(line.as_bytes());
        text.push(b'\n');
        (path, text)
    };
    written(texts(places, roots).into_iter().map(with_line).collect())
}

fn replaced(places: &[PathBuf], (from, to): (&str, &str), roots: &[PathBuf]) -> Result<Staged, NotRehearsed> {
    if from.is_empty() {
        return Err(NotRehearsed::because("nothing is to be replaced"));
    }
    let with_other = |(path, text): (PathBuf, Vec<u8>)| {
        let text = String::from_utf8(text).ok().filter(|text| text.contains(from))?;
        Some((path, text.replace(from, to).into_bytes()))
    };
    written(texts(places, roots).into_iter().filter_map(with_other).collect())
}

/// The text files among these places and, of a folder, the first few that lie in it, as far as commands may change them.
fn texts(places: &[PathBuf], roots: &[PathBuf]) -> Vec<(PathBuf, Vec<u8>)> {
    let mut texts = Vec::new();
    for place in places.iter().filter(|place| roots.iter().any(|root| place.starts_with(root))) {
        if place.is_file() {
            texts.extend(text_of(place).map(|text| (place.clone(), text)));
            continue;
        }
        let entries = fs::read_dir(place).into_iter().flatten().take(MOST_ENTRIES);
        let mut files: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
        files.sort();
        let files =
            files.into_iter().filter(|path| path.symlink_metadata().is_ok_and(|found| found.is_file()));
        texts.extend(files.filter_map(|path| text_of(&path).map(|text| (path, text))).take(MOST_REWRITTEN));
    }
    texts
}

fn written(files: Vec<(PathBuf, Vec<u8>)>) -> Result<Staged, NotRehearsed> {
    if files.is_empty() {
        return Err(NotRehearsed::because("there is no text in it where commands may change files"));
    }
    Ok(Staged { staging: Staging { absent: Vec::new(), written: files }, covered: Vec::new() })
}

/// The content of a non-empty text file.
fn text_of(path: &Path) -> Option<Vec<u8>> {
    path.metadata().ok().filter(|found| found.is_file() && (1..=LONGEST).contains(&found.len()))?;
    let bytes = fs::read(path).ok()?;
    (std::str::from_utf8(&bytes).is_ok() && !bytes.contains(&0)).then_some(bytes)
}

/// A JSON with the middle item of its longest list duplicated, so that it is read as one; `None` of what is no JSON or has no list.
fn item_twice(text: &[u8]) -> Option<Vec<u8>> {
    let text = std::str::from_utf8(text).ok()?;
    let item = middle_item(text, DEEPEST)?;
    let end = (item.as_ptr().addr() - text.as_ptr().addr()) + item.len();
    let (before, after) = text.split_at_checked(end)?;
    Some([before, ",", item, after].concat().into_bytes())
}

/// The middle item of a list or, of an object, of the longest list in it, `depth` objects deep at most.
fn middle_item(json: &str, depth: usize) -> Option<&str> {
    if let Ok(items) = serde_json::from_str::<Vec<&RawValue>>(json) {
        return items.get(items.len() / 2).map(|item| item.get());
    }
    let depth = depth.checked_sub(1)?;
    let fields: BTreeMap<Cow<'_, str>, &RawValue> = serde_json::from_str(json).ok()?;
    let mut values: Vec<&str> = fields.into_values().map(RawValue::get).collect();
    values.sort_by_key(|value| Reverse(value.len()));
    values.into_iter().find_map(|value| middle_item(value, depth))
}

/// The text with its middle line duplicated.
fn line_twice(text: &[u8]) -> Vec<u8> {
    let lines: Vec<&[u8]> = text.split_inclusive(|byte| *byte == b'\n').collect();
    let middle = lines.len() / 2;
    let mut twice = Vec::with_capacity(text.len().saturating_mul(2));
    for (number, line) in lines.into_iter().enumerate() {
        twice.extend_from_slice(line);
        if number == middle {
            if !line.ends_with(b"\n") {
                twice.push(b'\n');
            }
            twice.extend_from_slice(line);
        }
    }
    twice
}

/// An unused name with the same extension.
fn another_name(path: &Path) -> Option<PathBuf> {
    let mut name = path.file_stem()?.to_owned();
    name.push("-2");
    if let Some(ending) = path.extension() {
        name.push(".");
        name.push(ending);
    }
    let copy = path.with_file_name(name);
    copy.symlink_metadata().is_err().then_some(copy)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Observed with the embedded model: with a line twice a JSON is none, and whatever reads it says the same.
    #[test]
    fn lesson_a_json_has_an_item_twice() {
        let of = |text: &str| item_twice(text.as_bytes()).map(|twice| String::from_utf8(twice).unwrap());
        for (json, twice) in [
            ("[1, 2, 3]", Some("[1, 2,2, 3]")),
            (
                "{\"a\": [1], \"all\": [\n {\"x\": [4, 5]},\n {}\n]}\n",
                Some("{\"a\": [1], \"all\": [\n {\"x\": [4, 5]},\n {},{}\n]}\n"),
            ),
            (r#"{"n": {"\u00e4": ["é"]}}"#, Some(r#"{"n": {"\u00e4": ["é","é"]}}"#)),
            ("{\"n\": 4}", None),
            ("[]", None),
            ("4", None),
            ("{\"a\": 1}\n{\"a\": 2}\n", None),
        ] {
            assert_eq!(of(json).as_deref(), twice, "{json}");
        }
        let deep = "{\"a\":".repeat(100_000);
        assert_eq!(of(&deep), None);
    }

    proptest! {
        #[test]
        fn a_list_is_one_longer(items in prop::collection::vec(any::<String>(), 1..6), key in any::<String>()) {
            let json = serde_json::json!({ key.clone(): items });
            let twice = item_twice(json.to_string().as_bytes()).unwrap();
            let twice: serde_json::Value = serde_json::from_slice(&twice).unwrap();
            prop_assert_eq!(twice[&key].as_array().unwrap().len(), items.len() + 1);
        }

        #[test]
        fn any_text_is_read(text in any::<Vec<u8>>()) {
            let _ = item_twice(&text);
        }
    }
}
