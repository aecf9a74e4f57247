//! An answer that states a number.

use super::{Before, Fact, Unit, answer, longest_first};

/// The number must be stated, and no other that could be taken for it: numbers of the request, of the other questions and names of
/// files aside, and sizes of files where something else is counted or where the file is named beside its size.
pub(super) fn objection(
    request: &str,
    before: &Before,
    number: f64,
    unit: Unit,
    given: &str,
) -> Option<String> {
    let known: Vec<f64> = before
        .facts
        .iter()
        .filter_map(|fact| if let Fact::Number { number, .. } = fact { Some(*number) } else { None })
        .chain(answer::numbers(request))
        .chain(answer::numbers_in_words(request))
        .collect();
    let mut right = false;
    let mut rival = None;
    for line in given.lines() {
        let line = Line::read(before, line, unit);
        let no_rival = |found: &f64| known.iter().chain(&line.sizes).any(|known| same(*found, *known));
        // "One" is a pronoun more often than a number.
        let in_words = line.in_words.iter().filter(|found| !same(**found, 1.0));
        right |= line.in_digits.iter().chain(&line.in_words).any(|found| same(*found, number))
            || (number == 0.0 && answer::says_none(&line.plain, request));
        rival = rival.or(line.in_digits.iter().chain(in_words).find(|found| !no_rival(found)).copied());
    }
    match rival {
        _ if !right => Some(format!("does not state {number}")),
        Some(rival) => Some(format!("states {rival} beside {number}")),
        None => None,
    }
}

/// A line of an answer.
#[derive(Debug)]
struct Line {
    /// Without the names and paths of the home's files, which may hold digits.
    plain: String,
    in_digits: Vec<f64>,
    in_words: Vec<f64>,
    /// The sizes of the files that it names.
    sizes: Vec<f64>,
}

impl Line {
    fn read(before: &Before, line: &str, unit: Unit) -> Self {
        let mut names: Vec<String> = before.held.keys().cloned().collect();
        names.extend(before.held.keys().filter_map(|path| path.rsplit('/').next()).map(str::to_owned));
        let mut plain = line.to_owned();
        let mut sizes = Vec::new();
        for name in longest_first(&names) {
            if plain.contains(name) {
                plain = plain.replace(name, " ");
                let is_named =
                    |path: &str| path.strip_suffix(name).is_some_and(|at| at.is_empty() || at.ends_with('/'));
                let named = before.held.iter().filter(|(path, _)| is_named(path));
                sizes.extend(named.map(|(_, held)| held.len() as f64));
            }
        }
        let in_digits = match unit {
            Unit::Things => answer::numbers(&plain),
            Unit::Bytes => answer::bytes(&plain),
        };
        Self { in_words: answer::numbers_in_words(&plain), in_digits, plain, sizes }
    }
}

fn same(a: f64, b: f64) -> bool {
    (a - b).abs() < 0.005
}
