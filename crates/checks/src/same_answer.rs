//! Equality of two answers in different words.

use std::collections::BTreeMap;

use artoo_text::is_unspaced;

use crate::number::{Figure, figures, standalone_numbers};

/// Words that mean "nothing" on their own, by language. They only exempt an answer from rules for positive
/// answers.
const NOTHING: [(&str, &[&str]); 15] = [
    ("English", &["no", "none", "not", "nothing", "false"]),
    ("German", &["nein", "kein", "keine", "keiner", "keines", "nichts"]),
    ("French", &["non", "aucun", "aucune", "rien"]),
    ("Spanish", &["ningún", "ninguno", "ninguna", "nada"]),
    ("Portuguese", &["não", "nenhum", "nenhuma"]),
    ("Italian", &["nessun", "nessuno", "nessuna", "niente"]),
    ("Dutch", &["nee", "geen", "niets"]),
    ("Finnish", &["ei", "eivät", "mitään", "yhtään"]),
    ("Swedish", &["nej", "ingen", "inget", "inga"]),
    ("Polish", &["nie", "brak", "żaden", "żadnych"]),
    ("Russian", &["нет", "ничего"]),
    ("Arabic", &["لا", "لم", "ليس"]),
    ("Chinese", &["没有", "无"]),
    ("Japanese", &["なし", "ない", "ありません"]),
    ("Korean", &["없음", "없습니다"]),
];

/// Whether a word is one of these. In scripts without blanks the word may occur within others.
fn is_nothing(word: &str) -> bool {
    NOTHING
        .iter()
        .flat_map(|(_, words)| *words)
        .any(|none| word == *none || (none.starts_with(is_unspaced) && word.contains(none)))
}

/// Printed forms of an empty list.
const EMPTY_LISTS: [&str; 3] = ["[]", "{}", "()"];

/// Whether two outputs give the same answer.
///
/// The standalone numbers must be the same, with the same counts; and so must the names (words with a dot or
/// a slash inside, by their last component). A number of three digits or more that is rounded to decimals
/// equals the longer one. The words themselves are only compared if neither output has a number or a name. An
/// empty answer agrees with nothing, so that two failures do not confirm each other; but "0", "no", "none
/// found" and "[]" are the same.
///
/// ```
/// use artoo_checks::same_answer;
/// assert!(same_answer("3\n", "There are 3 files."));
/// assert!(same_answer("docs/big.txt 120", "120 ./docs/big.txt"));
/// assert!(!same_answer("3", "4"));
/// assert!(!same_answer("", ""));
/// ```
pub fn same_answer(a: &str, b: &str) -> bool {
    let (a, b) = (Answer::read(a), Answer::read(b));
    if a.means_none() || b.means_none() {
        return a.means_none() && b.means_none();
    }
    if a.is_bare() && b.is_bare() {
        !a.words.is_empty() && a.words == b.words
    } else {
        same_numbers(&a.numbers, &b.numbers) && a.names == b.names
    }
}

/// Whether an answer is negative: "0", "no", "There is no such file".
///
/// ```
/// assert!(artoo_checks::means_none("No file was written."));
/// assert!(!artoo_checks::means_none("list.txt has 3 lines"));
/// ```
pub fn means_none(answer: &str) -> bool {
    Answer::read(answer).means_none()
}

/// The bare number of an answer that consists of a number and names from the question, such as the output of
/// `wc -l FILE`. `None` if the answer says anything else, or is a bare number already.
///
/// ```
/// use artoo_checks::plain_number;
/// let asked = "How many lines does logs/app.log have?";
/// assert_eq!(plain_number("48 logs/app.log\n", asked), Some("48"));
/// assert_eq!(plain_number("48 logs/other.log", asked), None);
/// assert_eq!(plain_number("48", asked), None);
/// ```
pub fn plain_number<'a>(answer: &'a str, asked: &str) -> Option<&'a str> {
    let read = Answer::read(answer);
    let is_plain = read.numbers.len() == 1 && read.words.is_empty() && !read.names.is_empty();
    let asked = Answer::read(asked);
    let known = read.names.iter().all(|(name, times)| *times == 1 && asked.names.contains_key(name));
    let number = answer.split_whitespace().find(|word| !standalone_numbers(word).is_empty());
    number.filter(|_| is_plain && known)
}

/// Whether two lists of numbers are equal up to rounding.
fn same_numbers(a: &[Figure], b: &[Figure]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.is_same(*b))
}

struct Answer {
    numbers: Vec<Figure>,
    names: BTreeMap<String, usize>,
    words: Vec<String>,
    is_empty_list: bool,
}

impl Answer {
    fn read(text: &str) -> Self {
        let mut numbers = Vec::new();
        let is_empty_list = EMPTY_LISTS.contains(&text.trim());
        let mut names = BTreeMap::new();
        let mut words = Vec::new();
        for token in text.split_whitespace() {
            let token = token.trim_matches(|c: char| {
                matches!(c, '"' | '\'' | '`' | ',' | ';' | ':' | '(' | ')' | '[' | ']' | '!' | '?')
            });
            let token = token.trim_end_matches('.');
            let inner = token.trim_start_matches("./").trim_end_matches('/');
            let found = figures(token);
            let is_number = !found.is_empty();
            numbers.extend(found);
            if !is_number && (inner.contains('/') || inner.trim_start_matches('.').contains('.')) {
                let last = inner.rsplit('/').next().unwrap_or(inner);
                *names.entry(last.to_owned()).or_insert(0) += 1;
            } else if token.chars().any(char::is_alphanumeric) && !is_number {
                words.push(token.to_lowercase());
            }
        }
        numbers.sort_unstable_by(|a: &Figure, b| a.value.total_cmp(&b.value));
        words.sort_unstable();
        Self { numbers, names, words, is_empty_list }
    }

    /// Whether the answer is negative: a single 0, an empty list, or a word for "nothing" and neither a
    /// number nor a name.
    fn means_none(&self) -> bool {
        match self.numbers.as_slice() {
            [only] => only.value == 0.0 && self.names.is_empty(),
            [] if self.is_empty_list => true,
            [] => self.names.is_empty() && self.words.iter().any(|word| is_nothing(word)),
            _ => false,
        }
    }

    fn is_bare(&self) -> bool {
        self.numbers.is_empty() && self.names.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn agreement() {
        let table = [
            ("3", "3", true),
            ("3 files", "3", true),
            ("a.txt\nb.txt", "./docs/b.txt ./docs/a.txt", true),
            ("a.txt", "b.txt", false),
            ("a.txt a.txt", "a.txt", false),
            ("yes", "Yes", true),
            ("yes", "no", false),
            ("", "", false),
            ("3 big.txt", "3 small.txt", false),
            ("5366.719999999999", "5366.72", true),
            ("5366.71", "5366.72", false),
            ("No .docx files found.", "0", true),
            ("none", "no", true),
            ("No .docx files found.", "[]", true),
            ("[]", "docs/a.txt", false),
            ("['docs/a.txt', 'docs/travel policy.txt']", "docs/travel policy.txt\ndocs/a.txt", true),
            ("2.94", "2.94117647058824", true),
            ("2.94118", "2.9411764705882355", true),
            ("2.95", "2.94117647058824", false),
            ("3", "2.94117647058824", false),
            ("0.3", "0.27", false),
            ("no", "3", false),
            ("0 a.txt", "no", false),
            ("日记.txt 5", "5 日记.txt", true),
        ];
        for (a, b, expected) in table {
            assert_eq!(same_answer(a, b), expected, "{a:?} and {b:?}");
        }
    }

    proptest! {
        #[test]
        fn symmetric_and_reflexive(a in ".{0,40}", b in ".{0,40}") {
            prop_assert_eq!(same_answer(&a, &b), same_answer(&b, &a));
            if a.chars().any(char::is_alphanumeric) {
                prop_assert!(same_answer(&a, &a));
            }
        }
    }
}
