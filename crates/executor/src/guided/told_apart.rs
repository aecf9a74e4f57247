//! The word of a request that stands in the texts of some files of a folder.
//!
//! A weak model takes "the files that mention ginger" for files of that name. Whether the word stands in texts or in names is a
//! fact about the folder. A name survives the planner's translation, which most words do not; of the words that do, only one
//! may tell the files apart, or nothing is said.

use std::collections::{BTreeMap, BTreeSet};

use artoo_text::{alphanumeric_words, is_unspaced};

use super::subject::quoted;
use super::values::without_names;

/// The shortest word that is looked for, in characters, and the most words.
const SHORTEST: usize = 3;
const MOST: usize = 24;
/// What is looked at: small files, as many as are found in a second.
const WALK: &str = "timeout 1 find";
const FILES: &str = "-type f -size -64k";
const MOST_FILES: usize = 200;
/// Stands between the hits and the names; no hit is a line like it, since each has a path before it.
const BREAK: &str = "//";

/// The words of a request outside of these names that stand in its translation, too, in lower case.
pub(super) fn kept(request: &str, names: &[String], translation: &str) -> Vec<String> {
    let request = without_names(request, names);
    let translation = translation.to_lowercase();
    let translated: BTreeSet<&str> = words(&translation).collect();
    let mut kept: Vec<String> = Vec::new();
    for word in words(&request) {
        let is_name = word.chars().count() >= SHORTEST && word.chars().all(char::is_alphabetic);
        let survives = translated.is_empty() || translated.contains(word);
        if is_name && survives && kept.iter().all(|other| other != word) {
            kept.push(word.to_owned());
        }
    }
    kept.truncate(MOST);
    kept
}

/// A command that says in which files of a folder these words stand, and then how the files are called.
pub(super) fn search(folder: &str, words: &[String]) -> String {
    let files = format!("{WALK} {folder} {FILES} -print0 | head -z -n {MOST_FILES}");
    let words: Vec<String> = words.iter().map(|word| format!("-e {}", quoted(word))).collect();
    format!(
        "{files} | xargs -0 -r grep -IowiFH {} -- | sort -u; echo {BREAK}; {files} | tr '\\n\\0' ' \\n'",
        words.join(" ")
    )
}

/// The one word that stands in the text of some of the files, at most half of them, and in the name of none.
pub(super) fn told_apart(output: &str) -> Option<String> {
    let (hits, names) = output.split_once(&format!("{BREAK}\n"))?;
    let paths: Vec<&str> = names.lines().collect();
    let mut found: BTreeMap<String, BTreeSet<&str>> = BTreeMap::new();
    for (path, word) in hits.lines().filter_map(|hit| hit.rsplit_once(':')) {
        found.entry(word.to_lowercase()).or_default().insert(path);
    }
    let called = |path: &&str| path.rsplit('/').next().unwrap_or(path).to_lowercase();
    let file_names: Vec<String> = paths.iter().map(called).collect();
    let mut apart = found.into_iter().filter(|(word, files)| {
        files.len() * 2 <= paths.len() && file_names.iter().all(|name| !name.contains(word.as_str()))
    });
    apart.next().filter(|_| apart.next().is_none()).map(|(word, _)| word)
}

/// Words, where scripts without blanks are none.
fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(is_unspaced).flat_map(alphanumeric_words)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn what_survives_a_translation_is_a_name() {
        let names = ["rapporter".to_owned()];
        let of = |request: &str, translation: &str| kept(request, &names, translation);
        assert_eq!(
            of("I vilka filer i rapporter nämns lanterna?", "Which files in rapporter mention lanterna?"),
            ["lanterna"]
        );
        assert_eq!(of("rapporter里哪些文件提到了lanterna?", "Which files mention lanterna?"), ["lanterna"]);
        assert_eq!(of("Which files mention it?", ""), ["which", "files", "mention"]);
    }

    #[test]
    fn one_word_tells_files_apart_by_their_texts() {
        let of = |hits: &[&str], names: &[&str]| {
            told_apart(&format!(
                "{}//\n{}\n",
                hits.iter().map(|hit| format!("{hit}\n")).collect::<String>(),
                names.join("\n")
            ))
        };
        let files = ["n/a.txt", "n/b.txt", "n/c:d.txt", "n/e.txt"];
        assert_eq!(of(&["n/a.txt:Lanterna", "n/c:d.txt:lanterna"], &files), Some("lanterna".to_owned()));
        assert_eq!(of(&["n/a.txt:which", "n/a.txt:lanterna"], &files), None, "two do");
        assert_eq!(
            of(&["n/a.txt:b", "n/b.txt:x", "n/e.txt:x", "n/c:d.txt:x"], &files),
            None,
            "a name, and most files"
        );
        assert_eq!(of(&[], &files), None);
        assert_eq!(told_apart("sh: find: not found"), None);
    }

    proptest! {
        #[test]
        fn any_words_and_output_are_read(request in any::<String>(), other in any::<String>(), output in any::<String>()) {
            let words = kept(&request, std::slice::from_ref(&other), &other);
            prop_assert!(words.len() <= MOST);
            let _ = told_apart(&output);
        }
    }
}
