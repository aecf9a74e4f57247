//! An answer that states a number.

use super::{
    super::{answer, expected::Answer},
    Delivered, longest_first,
};

/// The number that is wanted.
pub(super) fn of(answer: &Answer) -> Option<f64> {
    match answer {
        Answer::Number(number) | Answer::Bytes(number) => Some(*number),
        Answer::Names { .. } | Answer::Whether(_) => None,
    }
}

/// The number must be stated, and no other that could be taken for it: numbers of the request, of the other questions and names of
/// files aside, and sizes of files that are named beside them.
pub(super) fn objection(wanted: &Answer, others: &[f64], delivered: Delivered<'_>) -> Option<String> {
    let number = of(wanted)?;
    let mut known: Vec<f64> = others.to_vec();
    known.push(number);
    known.extend(answer::numbers(delivered.request).into_iter().flat_map(|stated| stated.readings));
    known.extend(answer::numbers_in_words(delivered.request));
    let mut right = false;
    let mut rival = None;
    for line in delivered.answer.lines() {
        let Line { plain, sizes } = Line::read(line, delivered);
        let in_digits = match wanted {
            Answer::Bytes(_) => answer::bytes(&plain),
            Answer::Number(_) | Answer::Names { .. } | Answer::Whether(_) => answer::numbers(&plain),
        };
        let in_words = answer::numbers_in_words(&plain);
        let is_known = |found: &f64| known.iter().chain(&sizes).any(|known| same(*found, *known));
        right |= in_digits
            .iter()
            .flat_map(|stated| &stated.readings)
            .chain(&in_words)
            .any(|found| same(*found, number));
        let in_digits = in_digits.iter().filter(|stated| !stated.readings.iter().any(is_known));
        let in_words = in_words.iter().filter(|found| !is_known(found));
        rival =
            rival.or(in_digits.filter_map(|stated| stated.readings.first()).chain(in_words).next().copied());
    }
    match rival {
        _ if !right => Some(format!("does not state {number}")),
        Some(rival) => Some(format!("states {rival} beside {number}")),
        None => None,
    }
}

/// Whether any number is stated but those of the request.
pub(super) fn is_stated(delivered: Delivered<'_>) -> bool {
    let known: Vec<f64> =
        answer::numbers(delivered.request).into_iter().flat_map(|stated| stated.readings).collect();
    let is_known = |found: &f64| known.iter().any(|known| same(*found, *known));
    delivered.answer.lines().any(|line| {
        let Line { plain, sizes: _ } = Line::read(line, delivered);
        let in_digits = answer::numbers(&plain);
        let is_new = |stated: &answer::Stated| !stated.readings.iter().any(is_known);
        in_digits.iter().any(is_new) || answer::numbers_in_words(&plain).iter().any(|found| !is_known(found))
    })
}

/// A line of an answer.
#[derive(Debug)]
struct Line {
    /// Without the names and paths of the home's files, which may hold digits.
    plain: String,
    /// The sizes of the files that it names.
    sizes: Vec<f64>,
}

impl Line {
    fn read(line: &str, delivered: Delivered<'_>) -> Self {
        let paths: Vec<&String> = delivered.before.entries().keys().collect();
        let mut names: Vec<String> = paths.iter().map(|path| (*path).clone()).collect();
        names.extend(paths.iter().flat_map(|path| path.split('/')).map(str::to_owned));
        let mut plain = line.to_owned();
        let mut sizes = Vec::new();
        for name in longest_first(&names) {
            // A folder that is called 2 would take the digits out of every number.
            if name.parse::<f64>().is_err() && plain.contains(name) {
                plain = plain.replace(name, " ");
                let named = |path: &&&String| {
                    path.strip_suffix(name).is_some_and(|at| at.is_empty() || at.ends_with('/'))
                };
                sizes
                    .extend(paths.iter().filter(named).map(|path| delivered.before.bytes(path).len() as f64));
            }
        }
        Self { plain, sizes }
    }
}

/// Whether one is the other, rounded to two decimals either way.
pub(super) fn same(a: f64, b: f64) -> bool {
    (a - b).abs() < 0.005 + 1e-9
}
