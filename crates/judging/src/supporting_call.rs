//! Which call bears a verdict out, and which part of it.

use std::cmp::Reverse;

use artoo_types::{EarlierResult, Evidence, ToolCall};

use crate::words::{distinctive, follow, shared, words};

/// The most bytes of a quoted part.
const QUOTED: usize = 200;
/// The bytes of a long line that are quoted before its first word that was sought.
const BEFORE: usize = 60;
/// Pairs of marks between which a reason quotes.
const MARKS: [(char, char); 5] = [('"', '"'), ('\'', '\''), ('`', '`'), ('“', '”'), ('「', '」')];

/// Something that may bear a verdict out.
#[derive(Clone, Copy, Debug)]
enum Source<'a> {
    Earlier(&'a EarlierResult),
    Call(&'a ToolCall),
}

/// Evidence for what is said of `answer`: the call among `calls` that bears it out, or the result of an earlier step, with the part that
/// does.
///
/// In this order: the one whose output holds most of what `reason` quotes; that is, or holds, the whole answer; that holds most of
/// the words and numbers of the answer; most of those of the reason. Where that leaves several, it is the last, and a call before an earlier
/// result. `None` without either.
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

/// Whether a call shows anything that could be judged by: it did what it should, or put out why not.
pub(crate) fn shows(call: &ToolCall) -> bool {
    let said = !call.output.shown.trim().is_empty() || !call.stderr.shown.trim().is_empty();
    call.succeeded() || (call.showed() && said)
}

/// Whether a judge's quotation stands in what a call put out, however it is spaced.
pub(crate) fn is_quoted(quote: &str, calls: &[&ToolCall]) -> bool {
    let quote = words(quote);
    let holds = |text: &str| follow(&words(text), &quote);
    calls.iter().any(|call| call.showed() && (holds(&call.output.shown) || holds(&call.stderr.shown)))
}

/// A pointer to this call, with the part of its record that has most of the words of `sought`.
pub(crate) fn quoted(call: &ToolCall, sought: &str) -> Evidence {
    Evidence::ToolCall { call_id: call.call_id, excerpt: part(call, &distinctive(sought)) }
}

/// Whether a text is a part of what a call put out or was asked for.
pub(crate) fn stands_in(call: &ToolCall, text: &str) -> bool {
    let text = text.trim();
    !text.is_empty()
        && (call.output.shown.contains(text) || call.stderr.shown.contains(text) || made(call).contains(text))
}

/// Of a short output all, of a longer one the line with most of these words. Of a call that put out nothing, the call itself.
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
    // The first of the best.
    let line = lines.min_by_key(|line| Reverse(shared(&words(line), sought))).unwrap_or(text);
    if line.len() <= QUOTED {
        return line.to_owned();
    }
    // The window begins shortly before the first word. Lower case may have other lengths, so that is near enough.
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

/// What stands between quotation marks. An apostrophe within a word is none.
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

    /// Decision 9: a pass points at what shows it, wherever among the calls that is.
    #[test]
    fn the_call_that_holds_the_answer_is_found() {
        let calls = [
            call(1, "13 files\nfor 3 people\n", true),
            call(2, "3\n", true),
            call(3, "docs/plan.md\ndocs/a.txt\n", true),
            call(4, "ready\n", true),
        ];
        let table = [
            // It is the answer, and it is more than one that holds it.
            ("3", "it is a number", 2, "3"),
            ("docs/plan.md", "it is a path", 3, "docs/plan.md\ndocs/a.txt"),
            // Most of the words.
            ("There are 13 of the files.", "it says how many", 1, "13 files\nfor 3 people"),
            // What the judge quotes comes first.
            ("3", "the first call says \"for 3 people\"", 1, "13 files\nfor 3 people"),
            ("", "the listing has `a.txt`", 3, "docs/plan.md\ndocs/a.txt"),
            // Nothing decides: it is the last.
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
        // A call that puts out nothing did something all the same.
        assert_eq!(found(&[call(1, "\n", true)], "done", "it ran").1, "shell do 1");
    }

    proptest! {
        /// Whatever is said: what is quoted stands in the record of the call that is pointed at.
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
