//! The values that a request names, where they stand in what it is about.
//!
//! A weak model drops conditions, and misreads names in a language that inflects them: asked for "Turun myynti", it adds up the sales
//! of all cities. Which words of a request are values of a table is a fact about the table. The model is told where they
//! stand, as they stand there, and a command to which none of them makes a difference has left the condition out.
//! (Known as value linking in the translation of questions to SQL: Lin et al., "Bridging Textual and Tabular Data", 2020.)

use std::collections::{BTreeMap, BTreeSet};

use artoo_text::{alphanumeric_words, is_unspaced};

use super::compared::is_number;
use super::table::{Field, Values};

/// The maximum number of values that are told and tried.
const MOST: usize = 4;
/// The lengths of a value, in characters; what is shorter stands in texts by chance.
const SHORTEST: usize = 3;
const SHORTEST_UNSPACED: usize = 2;
const LONGEST: usize = 40;
/// The characters with which an inflected word begins as its stem does, and that it and the stem may have beyond these.
const SHORTEST_STEM: usize = 3;
const LONGEST_ENDING: usize = 5;
const LONGEST_LOST: usize = 2;

/// A value that a request names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct NamedValue {
    /// As it stands in the table.
    pub(crate) value: String,
    /// Where it stands.
    pub(crate) field: Field,
}

/// The values of these fields that a request names outside of the names of files, those that are spelt alike first. A value
/// that all of its field have tells nothing apart, and is left out; so are words that may stand for more than one value.
pub(super) fn named(request: &str, names: &[String], cells: Values) -> Vec<NamedValue> {
    let request = without_names(request, names);
    let words: Vec<&str> = alphanumeric_words(&request).collect();
    let mut fields: BTreeMap<Field, BTreeSet<String>> = BTreeMap::new();
    for (field, value) in cells {
        fields.entry(field).or_default().insert(value.trim().to_owned());
    }
    let (mut spelt, mut inflected) = (Vec::new(), Vec::new());
    for (field, values) in fields.into_iter().filter(|(_, values)| values.len() > 1) {
        let values: BTreeMap<String, String> =
            values.into_iter().map(|value| (value.to_lowercase(), value)).collect();
        let alike: BTreeSet<&String> =
            values.keys().filter(|value| is_spelt(&request, &words, value)).collect();
        let stems: BTreeSet<&String> = words
            .iter()
            .filter(|word| !alike.iter().any(|value| value == *word))
            .filter_map(|word| {
                let mut stems = values.keys().filter(|value| is_inflected(word, value));
                stems.next().filter(|_| stems.next().is_none())
            })
            .collect();
        let value =
            |lower: &&String| Some(NamedValue { value: values.get(*lower)?.clone(), field: field.clone() });
        spelt.extend(alike.iter().filter_map(value));
        inflected.extend(stems.difference(&alike).filter_map(value));
    }
    spelt.into_iter().chain(inflected).take(MOST).collect()
}

/// A request in lower case without these names.
pub(super) fn without_names(request: &str, names: &[String]) -> String {
    let names = names.iter().filter(|name| !name.is_empty());
    names.fold(request.to_lowercase(), |request, name| request.replace(&name.to_lowercase(), " / "))
}

/// Another text of the same length, which does not hold this one.
pub(super) fn another(value: &str) -> String {
    let other = |c: char| match c {
        'a'..='y' | 'A'..='Y' => char::from_u32(u32::from(c) + 1).unwrap_or('q'),
        'z' => 'a',
        'Z' => 'A',
        _ if c.is_alphabetic() => 'q',
        _ => c,
    };
    value.chars().map(other).collect()
}

/// Whether a request names a value as it is spelt; all in lower case.
fn is_spelt(request: &str, words: &[&str], value: &str) -> bool {
    if !may_be_named(value) {
        return false;
    }
    if value.chars().any(is_unspaced) {
        return request.contains(value);
    }
    let parts: Vec<&str> = alphanumeric_words(value).collect();
    !parts.is_empty() && words.windows(parts.len()).any(|some| some == parts)
}

/// Whether a word may be an inflected form of a value, in lower case: most of it is how the word begins.
fn is_inflected(word: &str, value: &str) -> bool {
    if word == value || !may_be_named(value) || !value.chars().all(char::is_alphabetic) {
        return false;
    }
    let shared = word.chars().zip(value.chars()).take_while(|(one, other)| one == other).count();
    let (word, value) = (word.chars().count(), value.chars().count());
    shared >= SHORTEST_STEM
        && shared * 5 >= value * 3
        && value - shared <= LONGEST_LOST
        && word - shared <= LONGEST_ENDING
}

/// Whether a value is a word, or some, and not so short that it stands in texts by chance.
fn may_be_named(value: &str) -> bool {
    let shortest = if value.chars().any(is_unspaced) { SHORTEST_UNSPACED } else { SHORTEST };
    (shortest..=LONGEST).contains(&value.chars().count())
        && !is_number(value)
        && value.chars().any(char::is_alphabetic)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn cells(values: &[&str]) -> Values {
        values.iter().map(|value| (Field::Column("city".to_owned()), (*value).to_owned())).collect()
    }

    fn of(request: &str, values: &[&str]) -> Vec<String> {
        named(request, &["sales of oulu.csv".to_owned()], cells(values))
            .into_iter()
            .map(|named| named.value)
            .collect()
    }

    /// Observed with the embedded model: "Turun myyntien summa" was the sum of all cities, in both languages, and accepted.
    #[test]
    fn lesson_a_value_is_named_in_any_form_and_language() {
        let cities = ["Turku", "Oulu", "北京", "São Paulo", "Lyon", "12", "of"];
        for (request, expected) in [
            ("Mikä on Turun myyntien summa?", &["Turku"][..]),
            ("the sum of turku", &["Turku"]),
            ("Kuinka paljon Oulussa ja Turussa?", &["Oulu", "Turku"]),
            ("Enemmän Oulussa kuin turku?", &["Turku", "Oulu"]),
            ("Oulu ja Turku", &["Oulu", "Turku"]),
            ("北京的销售额是多少?", &["北京"]),
            ("Wie viel in São Paulo?", &["São Paulo"]),
            ("Paljonko Lyonissa ostettiin?", &["Lyon"]),
            ("more than 12 of them", &[]),
            ("the sum of sales of Oulu.csv", &[]),
        ] {
            assert_eq!(of(request, &cities), expected, "{request}");
        }
    }

    #[test]
    fn what_tells_nothing_apart_is_left_out() {
        assert_eq!(of("the sum of Turku", &["Turku", "Turku"]), [""; 0], "all have it");
        assert_eq!(of("Kuinka monta kissaa?", &["kissan", "kissat"]), [""; 0], "either may be meant");
    }

    proptest! {
        #[test]
        fn any_request_and_table_are_read(request in any::<String>(), values in prop::collection::vec(any::<String>(), 0..6)) {
            let values: Vec<&str> = values.iter().map(String::as_str).collect();
            prop_assert!(of(&request, &values).len() <= MOST);
        }

        #[test]
        fn another_value_is_another(value in "[a-zA-Zäöå京 ]{1,12}") {
            prop_assume!(value.chars().any(char::is_alphabetic));
            prop_assert!(!another(&value).contains(&value));
        }
    }
}
