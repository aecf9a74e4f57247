//! Files that a request says must stay as they are.

use artoo_checks::file_paths;

/// What is not to be done to them. Not "delete" or "overwrite": what is added to changes, too, and a request may ask for that.
const CHANGING: [&str; 5] = ["changing", "modifying", "altering", "touching", "editing"];
const CHANGE: [&str; 5] = ["change", "modify", "alter", "touch", "edit"];
/// How they are to be left.
const AS_IT_IS: [&str; 7] =
    ["unchanged", "untouched", "unmodified", "alone", "intact", "as it is", "as they are"];
/// Words beside the names of files.
const BESIDE: [&str; 7] = ["the", "file", "files", "both", "original", "and", "or"];
/// Words before the place where something lies.
const IN: [&str; 6] = ["in", "inside", "within", "under", "below", "from"];
/// Words for such a place.
const PLACES: [&str; 5] = ["folder", "folders", "directory", "directories", "workspace"];

/// The paths of the files that a request tells to leave as they are, where it surely says so: "without changing a.txt", "do not change
/// a.txt", "leave a.txt as it is". English only. Nothing but files may follow ("do not change the title of a.txt" is about a title), and
/// a bare name counts only where the request names no folder in which the file could lie.
pub(crate) fn untouched(request: &str) -> Vec<&str> {
    let words: Vec<&str> = request.split_whitespace().collect();
    let mut found: Vec<&str> = Vec::new();
    for at in 0..words.len() {
        let (before, here) = words.split_at(at);
        for path in forbidden(before, here).into_iter().chain(left(before, here)) {
            let path = place_of(path, &words);
            found.extend(path.filter(|path| !found.contains(path)));
        }
    }
    found
}

/// The files of "without changing ..." and "do not change ...", where the words begin here.
fn forbidden<'a>(before: &[&str], here: &[&'a str]) -> Vec<&'a str> {
    let first: Vec<String> = here.iter().take(3).map(|word| bare(word)).collect();
    let first: Vec<&str> = first.iter().map(String::as_str).collect();
    let skipped = match first.as_slice() {
        ["without", verb, ..] if CHANGING.contains(verb) => 2,
        ["don't" | "never", verb, ..] if CHANGE.contains(verb) && begins_a_clause(before) => 2,
        ["do", "not", verb] if CHANGE.contains(verb) && begins_a_clause(before) => 3,
        _ => return Vec::new(),
    };
    let (files, run, rest) = files(here.get(skipped..).unwrap_or_default());
    let ends = rest.is_empty()
        || run.last().is_some_and(|last| ends_a_clause(last) || matches!(bare(last).as_str(), "and" | "or"));
    if ends { files } else { Vec::new() }
}

/// The files of "leave ... as it is", where the words begin here.
fn left<'a>(before: &[&str], here: &[&'a str]) -> Vec<&'a str> {
    let is_told = here.first().is_some_and(|word| matches!(bare(word).as_str(), "leave" | "keep"));
    if !is_told || !begins_a_clause(before) {
        return Vec::new();
    }
    let (files, _, rest) = files(here.get(1..).unwrap_or_default());
    let said = |count: usize| rest.iter().take(count).map(|word| bare(word)).collect::<Vec<_>>().join(" ");
    if [1, 3].into_iter().any(|count| AS_IT_IS.contains(&said(count).as_str())) { files } else { Vec::new() }
}

/// The files at the beginning of some words, the words that name them, and the rest. A mark at the end of a word ends them.
fn files<'a, 'w>(words: &'w [&'a str]) -> (Vec<&'a str>, &'w [&'a str], &'w [&'a str]) {
    let is_named = |word: &str| BESIDE.contains(&bare(word).as_str()) || file(word).is_some();
    let named = words.iter().take_while(|word| is_named(word)).count();
    let marked = words.iter().take(named).position(|word| ends_a_clause(word)).map(|at| at + 1);
    let (run, rest) = words.split_at(marked.unwrap_or(named));
    (run.iter().filter_map(|word| file(word)).collect(), run, rest)
}

/// The one file that a word names.
fn file(word: &str) -> Option<&str> {
    file_paths(word).next().filter(|path| !path.contains(['*', '?', '[', '{']))
}

/// The path that the request means by a path in it: itself, or for a bare name the one longer path that ends in it. None where the file
/// may lie in a folder that is named elsewhere.
fn place_of<'a>(path: &'a str, words: &[&'a str]) -> Option<&'a str> {
    if path.contains('/') {
        return Some(path);
    }
    let mut longer = words.iter().filter_map(|word| file(word)).filter(|other| {
        other.rsplit_once('/').is_some_and(|(folder, name)| !folder.is_empty() && name == path)
    });
    match longer.next() {
        Some(first) => longer.all(|other| other == first).then_some(first),
        None => (!names_a_folder(words)).then_some(path),
    }
}

fn names_a_folder(words: &[&str]) -> bool {
    const ON_THE_WAY: [&str; 8] = ["the", "a", "an", "new", "file", "files", "called", "named"];
    let leads_to_a_folder = |at: usize| {
        let mut behind = words.iter().skip(at + 1);
        let object = behind.find(|word| !ON_THE_WAY.contains(&bare(word).as_str()));
        object.is_some_and(|word| file(word).is_none())
    };
    words.iter().enumerate().any(|(at, word)| {
        let word = bare(word);
        PLACES.contains(&word.as_str()) || (IN.contains(&word.as_str()) && leads_to_a_folder(at))
    })
}

/// Whether what comes next is told to the reader, not said of something: "which do not change a.txt" tells nobody anything.
fn begins_a_clause(before: &[&str]) -> bool {
    before.last().is_none_or(|word| {
        ends_a_clause(word) || matches!(bare(word).as_str(), "and" | "but" | "please" | "then")
    })
}

fn ends_a_clause(word: &str) -> bool {
    word.ends_with(['.', ',', ';', ':', '!', '?', ')'])
}

/// A word without the marks around it, in small letters.
fn bare(word: &str) -> String {
    word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase().replace('\u{2019}', "'")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_request_says_which_files_stay_as_they_are() {
        for (request, files) in [
            ("Sort docs/a.txt into docs/b.txt without changing docs/a.txt", &["docs/a.txt"][..]),
            ("Without modifying ~/a.txt, copy it to b.txt", &["~/a.txt"]),
            ("Do not change `data/a.csv`. Write its sum to sum.txt", &["data/a.csv"]),
            ("Copy x/a.md to b.md, but don\u{2019}t touch x/a.md and x/c.md.", &["x/a.md", "x/c.md"]),
            ("Append a line to log.txt and leave the file conf/a.ini as it is", &["conf/a.ini"]),
            ("Keep x/a.txt and x/b.txt unchanged; merge them into c.txt", &["x/a.txt", "x/b.txt"]),
            ("Copy docs/plan.md to b.md without editing plan.md", &["docs/plan.md"]),
            ("Write the lines of a.txt in reverse into b.txt without changing x/a.txt", &["x/a.txt"]),
            ("Copy a.txt to b.txt. Never alter a.txt!", &["a.txt"]),
            ("Without changing x/a.txt and without a sound copy it", &["x/a.txt"]),
            // It lies in a folder, or may.
            ("In docs, copy a.txt to b.txt without changing a.txt", &[]),
            ("Copy a.txt of the folder docs without changing a.txt", &[]),
            ("Copy docs/a.md and old/a.md here without changing a.md", &[]),
            // About something else than the file, or not told.
            ("Do not change the title of x/a.txt", &[]),
            ("Change x/a.txt without changing x/a.txt's owner", &[]),
            ("Sort x/a.txt; do not change x/a.txt if it is sorted", &[]),
            ("Without changing x/a.txt or x/b.txt gets the rest", &[]),
            ("Delete the scripts which do not change x/a.txt", &[]),
            ("Do not delete x/a.txt", &[]),
            ("Leave x/a.txt in the folder", &[]),
            ("Without changing x/*.txt, list them", &[]),
            ("", &[]),
            ("不要改 a.txt", &[]),
        ] {
            assert_eq!(untouched(request), files, "{request}");
        }
    }

    proptest! {
        #[test]
        fn what_stays_is_named_by_the_request(
            request in "(without changing|do not change|leave|as it is|and|the file|[a-c]/x\\.txt|[a-c]\\.md|in|,|\\.| ){0,14}",
        ) {
            for path in untouched(&request) {
                prop_assert!(request.contains(path) && file(path) == Some(path));
            }
        }
    }
}
