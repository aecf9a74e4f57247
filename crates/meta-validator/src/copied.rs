//! Texts that a run wrote into a file almost as the request says them.

use artoo_types::ToolCall;

/// How many words in a row make a text that was copied.
const COPIED: usize = 2;
/// The fewest letters of a word that another one can be taken for.
const SHORTEST: usize = 4;

/// The first word that was written beside words of the request, and that is almost the one which stands beside them
/// there: `Grüß` where the request says `Grüße von Oulu`. First the request's, then what was written.
///
/// A weak model garbles what it copies, in all its samples alike. A request may want just that, when it asks to mend a
/// word, so that this is a doubt and no more.
pub(crate) fn almost_copied(request: &str, calls: &[ToolCall]) -> Option<(String, String)> {
    let said: Vec<&str> = words(request).collect();
    let diffs = calls.iter().flat_map(|call| &call.files).filter_map(|file| file.diff.as_deref());
    let added = diffs.flat_map(str::lines).filter(|line| !line.starts_with("+++"));
    added.filter_map(|line| line.strip_prefix('+')).find_map(|line| {
        let written: Vec<&str> = words(line).collect();
        beside(&said, &written).map(|(one, other)| (one.to_owned(), other.to_owned()))
    })
}

/// Two words that are almost the same, each beside the same words.
fn beside<'a>(said: &[&'a str], written: &[&'a str]) -> Option<(&'a str, &'a str)> {
    let pairs =
        said.windows(COPIED + 1).flat_map(|one| written.windows(COPIED + 1).map(move |other| (one, other)));
    pairs.into_iter().find_map(|(one, other)| {
        let (first, behind) = (one.split_first()?, other.split_first()?);
        if first.1 == behind.1 && is_almost(first.0, behind.0) {
            return Some((*first.0, *behind.0));
        }
        let (last, before) = (one.split_last()?, other.split_last()?);
        (last.1 == before.1 && is_almost(last.0, before.0)).then_some((*last.0, *before.0))
    })
}

/// Whether two words begin and end alike, by at least half of the longer one, and are not the same. Capitals aside.
fn is_almost(one: &str, other: &str) -> bool {
    let (one, other): (Vec<char>, Vec<char>) =
        (one.to_lowercase().chars().collect(), other.to_lowercase().chars().collect());
    let (short, long) = (one.len().min(other.len()), one.len().max(other.len()));
    let begin = one.iter().zip(&other).take_while(|(one, other)| one == other).count();
    let end = one.iter().rev().zip(other.iter().rev()).take_while(|(one, other)| one == other).count();
    one != other && short >= SHORTEST && begin > 0 && (begin + end.min(short - begin)) * 2 >= long
}

/// The words of a text, without the marks around them.
fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split_whitespace()
        .map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()))
        .filter(|word| !word.is_empty())
}

#[cfg(test)]
mod tests {
    use artoo_judging::conformance::call;
    use artoo_types::{FileChange, FileChangeKind};
    use proptest::prelude::*;

    use super::*;

    fn almost(request: &str, line: &str) -> Option<(String, String)> {
        let file = FileChange {
            diff: Some(format!("--- /dev/null\n+++ b/x.txt\n@@ -0,0 +1 @@\n+{line}\n")),
            ..FileChange::new("/home/ada/x.txt", FileChangeKind::Created)
        };
        almost_copied(request, &[ToolCall { files: vec![file], ..call(1, "", true) }])
    }

    /// Observed with the embedded model, in every sample.
    #[test]
    fn lesson_a_text_is_copied_almost() {
        let request = "Cria-me o ficheiro Gruß.txt com exatamente esta linha: Grüße von vastaanotto 70";
        let pair = |one: &str, other: &str| Some((one.to_owned(), other.to_owned()));
        assert_eq!(almost(request, "Grüß von vastaanotto 70"), pair("Grüße", "Grüß"));
        assert_eq!(almost(request, "Grüße von vastanotto 70"), pair("vastaanotto", "vastanotto"));
        for other in ["Grüße von vastaanotto 70", "grüße von vastaanotto 70", "Grüße", "Hola a todos", ""]
        {
            assert_eq!(almost(request, other), None, "{other}");
        }
        assert_eq!(almost("Write the total of all orders into sum.txt", "Total of all: 121"), None);
    }

    proptest! {
        #[test]
        fn what_is_copied_whole_is_no_doubt(text in "[a-zäö]{1,8}( [a-zäö]{1,8}){0,5}") {
            // A word may stand there twice in two forms.
            let own: Vec<&str> = words(&text).collect();
            prop_assume!(beside(&own, &own).is_none());
            prop_assert_eq!(almost(&format!("Write \u{201c}{text}\u{201d}"), &text), None);
        }

        #[test]
        fn any_text_is_read(request in any::<String>(), line in any::<String>()) {
            let _ = almost(&request, &line);
        }
    }
}
