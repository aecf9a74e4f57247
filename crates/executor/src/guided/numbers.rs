//! Whether the numbers that a request names make a difference to a command.
//!
//! A weak model drops conditions: asked for the errors between 13:00 and 14:00, it counts all of them, in the shell and
//! in Python alike. A command that keeps a condition with a number in it has the number, and does something else with
//! another number in its place. That is a fact about the command, whatever the language of the request.

use std::ops::Range;

use artoo_text::is_unspaced;

/// Factors between units: of time, of size, of counting. A command has hours as minutes, or megabytes as bytes.
const UNITS: [u64; 10] = [1, 7, 24, 60, 1000, 1024, 3600, 86_400, 1_000_000, 1_048_576];

/// The shortest word before a digit that the digit is a part of, in letters: `python3`, not `-n3`.
const SHORTEST_WORD: usize = 2;

/// The numbers of a request.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Numbers {
    /// Each group of them together: a date or a time is one. Of a group, any number will do.
    groups: Vec<Vec<u64>>,
    /// The names, the longest first, whose numbers are none of these.
    names: Vec<String>,
}

impl Numbers {
    /// The numbers of a text that stand alone, without those within `names` and those that number its items. 0 is left
    /// out: nothing tells it from the minutes of a full hour.
    pub(crate) fn of(text: &str, names: &[String]) -> Self {
        let mut text = text.to_owned();
        let mut names: Vec<String> = names.iter().filter(|name| !name.is_empty()).cloned().collect();
        names.sort_by_key(|name| std::cmp::Reverse(name.len()));
        for name in &names {
            text = text.replace(name.as_str(), "_");
        }
        let mut groups = Vec::new();
        for (token, after) in tokens(&text) {
            let is_item = after == Some(')') || (token.ends_with('.') && token.len() <= 3);
            if is_item || token.contains(is_letter) {
                continue;
            }
            let mut values: Vec<u64> = digits(token).into_iter().map(|(_, value)| value).collect();
            if values.len() > 1 {
                // Thousands may be set apart.
                let joined: String = token.chars().filter(char::is_ascii_digit).collect();
                values.extend(joined.parse::<u64>().ok());
            }
            values.retain(|value| *value > 0);
            if !values.is_empty() {
                groups.push(values);
            }
        }
        Self { groups, names }
    }

    /// For each group the command with other numbers in place of its own; none of a group that it does not have.
    pub(crate) fn changed(&self, command: &str) -> Vec<Vec<String>> {
        let named = self.names.iter().flat_map(|name| command.match_indices(name.as_str()));
        let named: Vec<Range<usize>> = named.map(|(at, name)| at..at + name.len()).collect();
        let is_number = |place: &Range<usize>| {
            !named.iter().any(|name| name.contains(&place.start)) && !ends_a_word(command, place.start)
        };
        let places: Vec<(Range<usize>, u64)> =
            digits(command).into_iter().filter(|(place, _)| is_number(place)).collect();
        let of_group =
            |group: &Vec<u64>| group.iter().flat_map(|value| others(command, &places, *value)).collect();
        self.groups.iter().map(of_group).collect()
    }
}

/// The runs of letters and digits of a text, and of what joins them, each with the character behind it.
fn tokens(text: &str) -> impl Iterator<Item = (&str, Option<char>)> {
    let is_joined =
        |c: char| is_letter(c) || c.is_ascii_digit() || matches!(c, '-' | '.' | ',' | '/' | ':' | '_');
    let mut rest = text;
    std::iter::from_fn(move || {
        rest = rest.get(rest.find(is_joined)?..)?;
        let end = rest.find(|c| !is_joined(c)).unwrap_or(rest.len());
        let (token, after) = rest.split_at_checked(end)?;
        rest = after;
        Some((token, after.chars().next()))
    })
}

/// Whether a character makes one word with a digit beside it. In Chinese or Japanese a number stands among the
/// characters.
fn is_letter(c: char) -> bool {
    c.is_alphabetic() && !is_unspaced(c)
}

/// Whether a digit that stands here belongs to the word before it.
fn ends_a_word(text: &str, at: usize) -> bool {
    let before = text.get(..at).unwrap_or_default();
    before.chars().rev().take_while(|c| is_letter(*c)).take(SHORTEST_WORD).count() >= SHORTEST_WORD
}

/// The command with other numbers in place of this one, wherever of these places it has it, in whichever unit.
fn others(command: &str, numbers: &[(Range<usize>, u64)], value: u64) -> Vec<String> {
    let is_it = |found: u64| UNITS.iter().any(|unit| value.checked_mul(*unit) == Some(found));
    let places: Vec<&(Range<usize>, u64)> = numbers.iter().filter(|(_, found)| is_it(*found)).collect();
    if places.is_empty() {
        return Vec::new();
    }
    let with = |change: fn(u64) -> u64| {
        let mut out = String::with_capacity(command.len() + 16);
        let mut end = 0;
        for (place, found) in &places {
            out.push_str(command.get(end..place.start).unwrap_or_default());
            // The hour 08 becomes 09.
            out.push_str(&format!("{:0width$}", change(*found), width = place.len()));
            end = place.end;
        }
        out.push_str(command.get(end..).unwrap_or_default());
        out
    };
    vec![
        with(|_| 0),
        with(|found| found.wrapping_add(1)),
        with(|found| found.wrapping_mul(1000).wrapping_add(7)),
    ]
}

/// The runs of digits of a text with their values; what is longer than a number is none.
fn digits(text: &str) -> Vec<(Range<usize>, u64)> {
    let mut found = Vec::new();
    let mut start = None;
    for (at, c) in text.char_indices().chain([(text.len(), ' ')]) {
        match (c.is_ascii_digit(), start) {
            (true, None) => start = Some(at),
            (false, Some(begun)) => {
                let value = text.get(begun..at).and_then(|digits| digits.parse().ok());
                found.extend(value.map(|value| (begun..at, value)));
                start = None;
            }
            (true, Some(_)) | (false, None) => {}
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn numbers_of_a_request_are_those_that_stand_alone() {
        let names = ["2024 archive".to_owned(), "q3.csv".to_owned()];
        let of = |text: &str| Numbers::of(text, &names).groups;
        assert_eq!(of("quante voci tra 13:00 e 14:00?"), [[13, 1300], [14, 1400]]);
        assert_eq!(of("过去22小时内修改过的文件"), [[22]]);
        assert_eq!(
            of("alle Zeilen vom 2024-03-01 bis 2.4.2024"),
            [[2024, 3, 1, 20_240_301], [2, 4, 2024, 242_024]]
        );
        assert_eq!(
            of("files in 2024 archive, rows of q3.csv, a3.txt, *.mp3, v2, otterd-809"),
            [[0u64; 0]; 0]
        );
        assert_eq!(of("1) count the lines\n2. name the 3 largest"), [[3]]);
        assert_eq!(of("over 12,500 of 0"), [[12, 500, 12_500]]);
    }

    #[test]
    fn a_number_is_found_in_any_unit() {
        let changed = |request: &str, command: &str| Numbers::of(request, &[]).changed(command);
        assert_eq!(
            changed("in the last 22 hours", "find . -mmin -1320"),
            [["find . -mmin -0000", "find . -mmin -1321", "find . -mmin -1320007"]]
        );
        assert_eq!(changed("from 8:00 on", "awk '$1 >= \"08:00\"' log")[0][1], "awk '$1 >= \"09:00\"' log");
        assert_eq!(changed("between 13:00 and 14:00", "grep -c ERROR log"), [[""; 0], [""; 0]]);
    }

    /// Observed with the embedded model: asked for the 3 largest, each program was tried as `python4`, and as it failed there, it
    /// was said to have no such number.
    #[test]
    fn lesson_the_number_of_a_program_or_a_folder_is_none_of_the_request() {
        let names = ["2024 archive".to_owned()];
        let changed = |request: &str, command: &str| Numbers::of(request, &names).changed(command);
        let program = "python3 -c 'print(names[:3], \"utf8\")'";
        assert_eq!(changed("the 3 largest", program)[0][1], program.replace(":3", ":4"));
        assert_eq!(changed("the 8 largest", program), [[""; 0]]);
        assert_eq!(changed("the first 3", "head -n3 a")[0][1], "head -n4 a");
        let dated = "grep -c 2024-03 '2024 archive/log'";
        assert_eq!(changed("in March 2024", dated)[0][1], "grep -c 2025-03 '2024 archive/log'");
    }

    proptest! {
        #[test]
        fn any_text_is_read(request in any::<String>(), command in any::<String>(), name in any::<String>()) {
            for changed in Numbers::of(&request, &[name]).changed(&command).into_iter().flatten() {
                prop_assert_ne!(changed, command.clone());
            }
        }

        #[test]
        fn a_number_that_the_command_has_is_changed(number in 1u64..100_000, unit in prop::sample::select(UNITS.to_vec())) {
            let command = format!("head -n {} a", number * unit);
            let changed = Numbers::of(&format!("the first {number} lines"), &[]).changed(&command);
            prop_assert_eq!(changed[0].len(), 3);
        }
    }
}
