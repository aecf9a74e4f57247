//! Detects whether a request names a file.

use std::path::Path;

use unicode_segmentation::UnicodeSegmentation;

use crate::ToolContext;

/// Whether a name occurs in the request as a whole word, in any script. `data.csv` occurs in "data.csv:hen",
/// "data.csv를" and "到data.csv里", and not in "old-data.csv", "docs/data.csv" or "data.csv.gz".
pub(crate) fn names_file(request: &str, name: &str) -> bool {
    let (Some(first), Some(last)) = (name.chars().next(), name.chars().next_back()) else { return false };
    request.match_indices(name).any(|(at, _)| {
        let (before, after) = (request.get(..at), request.get(at + name.len()..));
        let (before, after) = (before.unwrap_or_default(), after.unwrap_or_default());
        begins(before.chars().next_back(), first) && ends(last, after)
    })
}

/// Whether the request names the file at this path, which has no links in it, with its folder: by the path, or by its name and
/// the path of its folder.
pub(crate) fn names_path(path: &Path, cx: &ToolContext) -> bool {
    let is_named = |path: &Path| ways_to_write(path, cx).iter().any(|way| names_file(&cx.request, way));
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    is_named(path) || (names_file(&cx.request, &name) && path.parent().is_some_and(is_named))
}

/// How a person writes a path: whole, from the home folder, from the working folder. One word alone is no path.
fn ways_to_write(path: &Path, cx: &ToolContext) -> Vec<String> {
    let below = |folder: &Path, front: &str| {
        let folder = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
        let rest = path.strip_prefix(folder).ok()?.to_str()?;
        Some(format!("{front}{rest}")).filter(|way| way.contains('/') && !rest.is_empty())
    };
    let (home, here) = (&cx.home, &cx.working_folder);
    let ways = [path.to_str().map(str::to_owned), below(home, "~/"), below(here, ""), below(here, "./")];
    // A folder may be written with a slash behind it, which is part of no other name.
    ways.into_iter().flatten().flat_map(|way| [format!("{way}/"), way]).collect()
}

/// Whether a name can begin between these characters.
fn begins(before: Option<char>, first: char) -> bool {
    match before {
        None => true,
        // Part of another name or path.
        Some('/' | '\\' | '-' | '_' | '.' | '~' | '$') => false,
        Some(before) => is_apart(before, first),
    }
}

/// Whether a name can end before this text.
fn ends(last: char, after: &str) -> bool {
    let mut after = after.chars();
    match (after.next(), after.next()) {
        (None, _) => true,
        (Some('/' | '\\' | '_'), _) => false,
        // The end of a sentence, or another file extension.
        (Some('.'), next) => !next.is_some_and(char::is_alphanumeric),
        (Some(next), _) => is_apart(last, next),
    }
}

/// Whether two adjacent characters belong to different words. In many languages suffixes in another script
/// follow a Latin name without a space, and some scripts use no spaces at all.
fn is_apart(one: char, other: char) -> bool {
    if !one.is_alphanumeric() || !other.is_alphanumeric() {
        return true;
    }
    is_latin(one) != is_latin(other) || String::from_iter([one, other]).split_word_bounds().count() > 1
}

fn is_latin(c: char) -> bool {
    c.is_ascii() || matches!(c, '\u{c0}'..='\u{24f}' | '\u{1e00}'..='\u{1eff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_whole_word_of_any_script_is_named() {
        let named = [
            ("write it to data.csv", "data.csv"),
            ("data.csv, please", "data.csv"),
            ("Make `data.csv`.", "data.csv"),
            ("Kirjoita tulos tiedostoon data.csv.", "data.csv"),
            ("Lisää rivi data.csv:hen", "data.csv"),
            ("Tee data.csv-tiedosto", "data.csv"),
            ("data.csv를 만들어", "data.csv"),
            ("写到data.csv里", "data.csv"),
            ("写到报告.md里", "报告.md"),
            ("в data.csv", "data.csv"),
            ("اكتب في تقرير.txt الآن", "تقرير.txt"),
            ("fix the Makefile", "Makefile"),
            ("old-data.csv and data.csv", "data.csv"),
            ("in \"my notes.txt\"", "my notes.txt"),
        ];
        for (request, name) in named {
            assert!(names_file(request, name), "{name} in {request}");
        }
        let unnamed = [
            ("", "data.csv"),
            ("write it to data.csv", ""),
            ("write it to old-data.csv", "data.csv"),
            ("write it to docs/data.csv", "data.csv"),
            ("unpack data.csv.gz", "data.csv"),
            ("mydata.csv", "data.csv"),
            ("data.csvx", "data.csv"),
            ("data.csv/x", "data.csv"),
            ("résumé.md", "sumé.md"),
            ("a report of the data", "data.csv"),
            ("Data.csv", "data.csv"),
        ];
        for (request, name) in unnamed {
            assert!(!names_file(request, name), "{name} in {request}");
        }
    }
}
