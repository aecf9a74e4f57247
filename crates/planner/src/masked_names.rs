//! Names of files and folders in a request, covered so that a weak model cannot translate or shorten them.

use std::cmp::Reverse;

use artoo_text::is_unspaced;

use crate::FolderListing;

/// The maximum number of names covered.
const MOST: usize = 9;

/// The names that a request has in common with a folder, and the words that cover them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct MaskedNames(Vec<Mask>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct Mask {
    name: String,
    word: String,
}

impl MaskedNames {
    /// Covers the paths of this listing, and their last parts, wherever the request has them as words.
    pub(crate) fn of(request: &str, listing: &FolderListing) -> Self {
        let mut names: Vec<(&str, bool)> = Vec::new();
        for listed in &listing.listed {
            let last = listed.path.rsplit('/').next().unwrap_or_default();
            for name in [listed.path.as_str(), last] {
                if !name.is_empty() && !names.iter().any(|(known, _)| *known == name) {
                    names.push((name, listed.bytes.is_none()));
                }
            }
        }
        names.sort_by_key(|(name, _)| Reverse(name.len()));
        let (mut masks, mut parts) = (Vec::new(), vec![Part::Open(request)]);
        for (name, is_folder) in names {
            let stands = |part: &Part<'_>| matches!(part, Part::Open(text) if find(text, name).is_some());
            if masks.len() == MOST || !parts.iter().any(stands) {
                continue;
            }
            let number = masks.len() + 1;
            let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending);
            let word = match (is_folder, ending) {
                (true, _) => format!("DIR{number}"),
                (false, "") => format!("FILE{number}"),
                (false, ending) => format!("FILE{number}.{ending}"),
            };
            parts = covered(parts, name, masks.len());
            masks.push(Mask { name: name.to_owned(), word });
        }
        // Nobody could tell the words of the request from those that cover.
        let is_taken = masks.iter().any(|mask| request.contains(stem(&mask.word)));
        Self(if is_taken { Vec::new() } else { masks })
    }

    /// The text with every name covered.
    pub(crate) fn cover(&self, text: &str) -> String {
        let masks = self.0.iter().enumerate();
        let parts =
            masks.fold(vec![Part::Open(text)], |parts, (number, mask)| covered(parts, &mask.name, number));
        let word = |part: Part<'_>| match part {
            Part::Open(text) => text.to_owned(),
            Part::Covered(number) => self.0.get(number).map(|mask| mask.word.clone()).unwrap_or_default(),
        };
        parts.into_iter().map(word).collect()
    }

    /// The text with every name as it is.
    pub(crate) fn uncover(&self, text: &str) -> String {
        let whole = self.0.iter().fold(text.to_owned(), |text, mask| text.replace(&mask.word, &mask.name));
        // A model may leave the ending out.
        self.0.iter().fold(whole, |text, mask| text.replace(stem(&mask.word), &mask.name))
    }
}

/// Whether a text, with the names as they are, still has a word that covers: a weak model copies one from the examples of its
/// prompt. What the request has itself is a name.
pub(crate) fn is_invented(text: &str, request: &str) -> bool {
    let words = (1..=MOST).flat_map(|number| [format!("DIR{number}"), format!("FILE{number}")]);
    words.into_iter().any(|word| text.contains(&word) && !request.contains(&word))
}

/// A word that covers, without the ending of the file.
fn stem(word: &str) -> &str {
    word.split_once('.').map_or(word, |(stem, _)| stem)
}

/// A part of a text: as it is, or covered by the mask of this number, in whose word no other name is looked for.
#[derive(Clone, Copy, Debug)]
enum Part<'a> {
    Open(&'a str),
    Covered(usize),
}

/// The parts with a name covered wherever it stands.
fn covered<'a>(parts: Vec<Part<'a>>, name: &str, number: usize) -> Vec<Part<'a>> {
    let mut done = Vec::with_capacity(parts.len());
    for part in parts {
        let Part::Open(mut rest) = part else {
            done.push(part);
            continue;
        };
        while let Some(at) = find(rest, name) {
            let (before, found) = rest.split_at(at);
            done.extend([Part::Open(before), Part::Covered(number)]);
            rest = found.get(name.len()..).unwrap_or_default();
        }
        done.push(Part::Open(rest));
    }
    done
}

/// Whether a text has a name as a word.
pub(crate) fn is_named(text: &str, name: &str) -> bool {
    !name.is_empty() && find(text, name).is_some()
}

/// Where a name stands in a text as a word. Words of scripts without blanks may stand beside it.
fn find(text: &str, name: &str) -> Option<usize> {
    let joins = |inner: Option<char>, outer: Option<char>| {
        outer.is_none_or(|outer| {
            !outer.is_alphanumeric() || is_unspaced(outer) || inner.is_some_and(is_unspaced)
        })
    };
    text.match_indices(name).map(|(at, _)| at).find(|at| {
        let (before, found) = text.split_at(*at);
        let after = found.get(name.len()..).unwrap_or_default();
        joins(name.chars().next(), before.chars().next_back())
            && joins(name.chars().next_back(), after.chars().next())
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::Listed;

    fn listing(paths: &[&str]) -> FolderListing {
        let listed = |path: &&str| Listed {
            path: path.trim_end_matches('/').to_owned(),
            bytes: (!path.ends_with('/')).then_some(1),
        };
        FolderListing { listed: paths.iter().map(listed).collect(), has_more: false, repository: None }
    }

    #[test]
    fn names_are_covered_in_any_language_and_come_back() {
        let listing =
            listing(&["rapporter/", "書類/", "team notes/backup.tar", "team notes/", "a/", "Größe.csv"]);
        for (request, covered) in [
            (
                "Siirrä kaikki kansiosta rapporter kansioon 書類.",
                "Siirrä kaikki kansiosta DIR1 kansioon DIR2.",
            ),
            ("Montako on rapporter-kansiossa?", "Montako on DIR1-kansiossa?"),
            ("書類里有多少个文件?", "DIR1里有多少个文件?"),
            ("What is in team notes/backup.tar?", "What is in FILE1.tar?"),
            ("Is a backup.tar a file?", "Is DIR2 FILE1.tar DIR2 file?"),
            ("Summe in Größe.csv?", "Summe in FILE1.csv?"),
            ("What time is it?", "What time is it?"),
            // Covering would be ambiguous.
            ("Is DIR1 in rapporter?", "Is DIR1 in rapporter?"),
        ] {
            let names = MaskedNames::of(request, &listing);
            assert_eq!(names.cover(request), covered);
            assert_eq!(names.uncover(covered), request);
        }
        let names = MaskedNames::of("Sum of Größe.csv", &listing);
        assert_eq!(names.uncover("Sum the first column of FILE1"), "Sum the first column of Größe.csv");
    }

    proptest! {
        #[test]
        fn what_is_covered_comes_back(request in "[ab项目. /-]{0,30}", paths in prop::collection::vec("[ab项目]{1,3}(\\.[ab]{1,2})?", 0..5)) {
            let paths: Vec<&str> = paths.iter().map(String::as_str).collect();
            let names = MaskedNames::of(&request, &listing(&paths));
            prop_assert_eq!(names.uncover(&names.cover(&request)), request);
        }
    }
}
