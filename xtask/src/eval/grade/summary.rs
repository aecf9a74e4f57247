//! An answer that tells in a few words what a file says. Code cannot say that a summary is good; it can say that one is not.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
};

use super::answer;
use crate::{Error, Result};

/// A summary needs at least so many words of the file that the request does not hold.
const SHARED: usize = 4;

/// What a summary is held against.
#[derive(Clone, Debug)]
pub(super) struct Source {
    file: String,
    /// The words of each text of the home, the request's left out.
    words: BTreeMap<String, BTreeSet<String>>,
    /// The figures of the file and of the request.
    figures: Vec<f64>,
    most_words: usize,
}

#[cfg(test)]
impl std::fmt::Display for Source {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let words = self.words.get(&self.file).map_or(0, BTreeSet::len);
        write!(f, "{words} words of {}, figures {:?}", self.file, self.figures)
    }
}

/// Reads what is to be summarised, and what could be mistaken for it.
///
/// # Errors
/// The file is not there or no text.
pub(super) fn source(
    held: &BTreeMap<String, Vec<u8>>,
    file: &Path,
    most_words: usize,
    request: &str,
) -> Result<Source> {
    let asked = stems(request);
    let text = |held: &Vec<u8>| String::from_utf8(held.clone()).ok();
    let words = held.iter().filter_map(|(path, held)| {
        let words = stems(&text(held)?).difference(&asked).cloned().collect();
        Some((path.clone(), words))
    });
    let name = file.to_string_lossy().into_owned();
    let own = held.get(&name).and_then(text).ok_or_else(|| Error::Content {
        path: file.to_path_buf(),
        reason: "is no text of the home".to_owned(),
    })?;
    let figures = [own.as_str(), request]
        .into_iter()
        .flat_map(|text| answer::numbers(text).into_iter().chain(answer::numbers_in_words(text)));
    Ok(Source { words: words.collect(), figures: figures.collect(), file: name, most_words })
}

/// What is wrong with a summary.
pub(super) fn objection(source: &Source, given: &str) -> Option<String> {
    let length = given.split_whitespace().count();
    if length > source.most_words {
        return Some(format!("takes {length} words"));
    }
    let given_stems = stems(given);
    let shared = |words: &BTreeSet<String>| words.intersection(&given_stems).count();
    let own = source.words.get(&source.file).map_or(0, shared);
    if own < SHARED {
        return Some(format!("shares {own} words with {}", source.file));
    }
    let others = source.words.iter().filter(|(path, _)| **path != source.file);
    if let Some((other, _)) =
        others.map(|(path, words)| (path, shared(words))).find(|(_, shared)| *shared >= own)
    {
        return Some(format!("could be about {other}"));
    }
    let invented = answer::numbers(given)
        .into_iter()
        .find(|number| !source.figures.iter().any(|known| (known - number).abs() < 0.005))?;
    Some(format!("states {invented}, which {} does not", source.file))
}

/// The longer words of a text, cut so that `train` and `trains` are one.
fn stems(text: &str) -> BTreeSet<String> {
    answer::words(text)
        .filter(|word| word.chars().count() > 3)
        .map(|word| word.chars().take(5).collect())
        .collect()
}
