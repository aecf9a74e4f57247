//! Selection of the evidence for a verdict: the supporting call, and the part of its output to quote.

use std::cmp::Reverse;

use artoo_types::{EarlierResult, Evidence, ToolCall};

use crate::words::{distinctive, follow, shared, words};

/// The maximum length of a quotation, in bytes.
const QUOTED: usize = 200;
/// The part of a long line quoted before the first sought word, in bytes.
const BEFORE: usize = 60;
/// Pairs of quotation marks in a reason.
const MARKS: [(char, char); 5] = [('"', '"'), ('\'', '\''), ('`', '`'), ('“', '”'), ('「', '」')];

/// Possible evidence for a verdict.
#[derive(Clone, Copy, Debug)]
enum Source<'a> {
    Earlier(&'a EarlierResult),
    Call(&'a ToolCall),
}

/// Evidence for a statement about `answer`: the call among `calls` that supports it, or the result of an
/// earlier step, with the supporting part.
///
/// The order of preference: the output that contains most of what `reason` quotes; that equals or contains
/// the whole answer; that contains most of the words and numbers of the answer; most of those of the reason.
/// Among equals it is the last, and a call before an earlier result. `None` without either.
pub(crate) fn evidence(
    calls: &[&ToolCall],
    earlier: &[EarlierResult],
    answer: &str,
    reason: &str,
) -> Option<Evidence> {
    let quotes: Vec<Vec<String>> = quotes(reason).map(words).filter(|quote| !quote.is_empty()).collect();
    let whole = words(answer);
    let (answered, said) = (distinctive(answer), distinctive(reason));
    let rank = |source: &Source<'_>| {
        let put_out = match source {
            Source::Call(call) => words(&format!("{}\n{}", call.output.shown, call.stderr.shown)),
            Source::Earlier(result) => words(&result.output),
        };
        let quoted = quotes.iter().filter(|quote| follow(&put_out, quote)).count();
        let is_answer =
            usize::from(follow(&put_out, &whole)) + usize::from(!whole.is_empty() && put_out == whole);
        (quoted, is_answer, shared(&put_out, &answered), shared(&put_out, &said))
    };
    let sources = earlier
        .iter()
        .filter(|result| !result.output.trim().is_empty())
        .map(Source::Earlier)
        .chain(calls.iter().copied().map(Source::Call));
    let sought = format!("{answer}\n{reason}");
    Some(match sources.max_by_key(rank)? {
        Source::Call(call) => quoted(call, &sought),
        Source::Earlier(result) => {
            Evidence::Observation { text: part_of(result.output.trim(), &distinctive(&sought)) }
        }
    })
}

/// Whether a call shows anything to judge by: it succeeded, or it reported why not.
pub(crate) fn shows(call: &ToolCall) -> bool {
    let said = !call.output.shown.trim().is_empty() || !call.stderr.shown.trim().is_empty();
    call.succeeded() || (call.showed() && said)
}

/// Whether a judge's quotation occurs in the output of a call, regardless of spacing.
pub(crate) fn is_quoted(quote: &str, calls: &[&ToolCall]) -> bool {
    let quote = words(quote);
    let holds = |text: &str| follow(&words(text), &quote);
    calls.iter().any(|call| call.showed() && (holds(&call.output.shown) || holds(&call.stderr.shown)))
}

/// Evidence that points at this call, with the part of its record that shares most words with `sought`.
pub(crate) fn quoted(call: &ToolCall, sought: &str) -> Evidence {
    Evidence::ToolCall { call_id: call.call_id, excerpt: part(call, &distinctive(sought)) }
}

/// Whether a text occurs in the output or the arguments of a call.
pub(crate) fn stands_in(call: &ToolCall, text: &str) -> bool {
    let text = text.trim();
    !text.is_empty()
        && (call.output.shown.contains(text) || call.stderr.shown.contains(text) || made(call).contains(text))
}

/// A short output in full, of a longer one the line with most of these words. For a call without output, the
/// call itself.
fn part(call: &ToolCall, sought: &[String]) -> String {
    let shown = [&call.output.shown, &call.stderr.shown].map(|text| text.trim());
    let made = made(call);
    part_of(shown.into_iter().find(|text| !text.is_empty()).unwrap_or(made.trim()), sought)
}

fn part_of(text: &str, sought: &[String]) -> String {
    if text.len() <= QUOTED {
        return text.to_owned();
    }
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    // The first of the best lines.
    let line = lines.min_by_key(|line| Reverse(shared(&words(line), sought))).unwrap_or(text);
    if line.len() <= QUOTED {
        return line.to_owned();
    }
    // The window begins shortly before the first word. Lower-casing may change lengths, so the position is
    // approximate.
    let lower = line.to_lowercase();
    let first = sought.iter().filter_map(|word| lower.find(word.as_str())).min().unwrap_or_default();
    let window = |start: usize| {
        let rest = line.get(line.floor_char_boundary(start)..).unwrap_or(line);
        rest.get(..rest.floor_char_boundary(QUOTED)).unwrap_or(rest).trim()
    };
    [window(first.saturating_sub(BEFORE)), window(0)]
        .into_iter()
        .find(|part| !part.is_empty())
        .unwrap_or(line)
        .to_owned()
}

fn made(call: &ToolCall) -> String {
    format!("{} {}", call.tool, call.target())
}

/// The quoted parts of a text. An apostrophe within a word is no quotation mark.
fn quotes(text: &str) -> impl Iterator<Item = &str> {
    MARKS.into_iter().flat_map(move |(open, close)| {
        let mut rest = text;
        std::iter::from_fn(move || {
            loop {
                let at = rest.find(open)?;
                let within = rest.get(..at).is_some_and(|before| before.ends_with(char::is_alphanumeric));
                let after = rest.get(at + open.len_utf8()..)?;
                if within {
                    rest = after;
                    continue;
                }
                let end = after.find(close)?;
                rest = after.get(end + close.len_utf8()..)?;
                return after.get(..end);
            }
        })
    })
}

#[cfg(test)]
mod tests {
    use artoo_types::CallId;
    use proptest::prelude::*;
    use uuid::Uuid;

    use super::*;
    use crate::conformance::call;

    fn found(calls: &[ToolCall], answer: &str, reason: &str) -> (u128, String) {
        let calls: Vec<&ToolCall> = calls.iter().collect();
        let Some(Evidence::ToolCall { call_id, excerpt }) = evidence(&calls, &[], answer, reason) else {
            panic!("no call")
        };
        let number = (1..99).find(|number| CallId::new(Uuid::from_u128(*number)) == call_id).unwrap();
        (number, excerpt)
    }

    /// Decision 9: a pass points at the call that shows it, at any position.
    #[test]
    fn the_call_that_holds_the_answer_is_found() {
        let calls = [
            call(1, "13 files\nfor 3 people\n", true),
            call(2, "3\n", true),
            call(3, "docs/plan.md\ndocs/a.txt\n", true),
            call(4, "ready\n", true),
        ];
        let table = [
            // An output that equals the answer beats one that contains it.
            ("3", "it is a number", 2, "3"),
            ("docs/plan.md", "it is a path", 3, "docs/plan.md\ndocs/a.txt"),
            // The output with most of the words.
            ("There are 13 of the files.", "it says how many", 1, "13 files\nfor 3 people"),
            // The judge's quotation has priority.
            ("3", "the first call says \"for 3 people\"", 1, "13 files\nfor 3 people"),
            ("", "the listing has `a.txt`", 3, "docs/plan.md\ndocs/a.txt"),
            // Nothing decides: the last call.
            ("blue", "it's a colour and it's nice", 4, "ready"),
        ];
        for (answer, reason, number, excerpt) in table {
            assert_eq!(found(&calls, answer, reason), (number, excerpt.to_owned()), "{answer} {reason}");
        }
        assert_eq!(evidence(&[], &[], "3", "it is there"), None);
    }

    #[test]
    fn of_a_long_output_the_line_is_quoted() {
        let listing: String = (0..200).map(|number| format!("{number} file{number}.txt\n")).collect();
        let calls = [call(1, &listing, true)];
        assert_eq!(found(&calls, "file77.txt", "it is listed").1, "77 file77.txt");
        let one_line = [call(1, &format!("{}needle{}", "ä ".repeat(500), " ö".repeat(500)), true)];
        let (_, excerpt) = found(&one_line, "needle", "it is there");
        assert!(excerpt.contains("needle") && excerpt.len() <= QUOTED, "{excerpt}");
        // A call without output still did something.
        assert_eq!(found(&[call(1, "\n", true)], "done", "it ran").1, "shell do 1");
    }

    proptest! {
        /// For any statement: the quotation occurs in the record of the call that is pointed at.
        #[test]
        fn what_is_quoted_is_on_record(
            shown in prop::collection::vec("\\PC{0,300}", 1..4),
            answer in "\\PC{0,40}",
            reason in "\\PC{0,80}",
        ) {
            let calls: Vec<ToolCall> = (1..).zip(&shown).map(|(number, shown)| call(number, shown, true)).collect();
            let (number, excerpt) = found(&calls, &answer, &reason);
            let call = calls.iter().find(|call| call.call_id == CallId::new(Uuid::from_u128(number))).unwrap();
            prop_assert!(stands_in(call, &excerpt), "{excerpt:?} of {call:?}");
        }
    }
}
