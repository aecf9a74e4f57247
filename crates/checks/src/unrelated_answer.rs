//! Answers that hold nothing of what the calls put out.

use std::collections::BTreeSet;

use artoo_text::is_unspaced;
use artoo_types::{CallEnding, ToolCall};

/// The shortest word that another one may begin with and be taken for it: `commit` and `commits`.
const SHORTEST_STEM: usize = 4;
/// Letters from here on belong to other scripts than Latin.
const BEYOND_LATIN: char = '\u{370}';

/// Whether an answer in several words shares no word with the outputs of these calls: a promise, a question in return, an
/// excuse. A word of the question that stands in each of several lines, such as the folder before each name, does not count.
///
/// It is `false` where an answer may follow from an output without sharing a word:
///
/// - it has a figure, which may be computed;
/// - it is one word, such as yes;
/// - a call failed or put out nothing, which shows that something is not there;
/// - an output is not recorded whole;
/// - answer and outputs are in different scripts.
///
/// ```
/// use artoo_checks::is_unrelated;
/// assert!(!is_unrelated("I will look into it.", &[], "How many?"), "no call put out anything");
/// ```
///
/// Source: `docs/design/acceptance.md`, "An answer holds something that was put out".
pub fn is_unrelated(answer: &str, calls: &[ToolCall], asked: &str) -> bool {
    let answered = words(answer);
    if answered.len() < 2 || answer.chars().any(char::is_numeric) || calls.is_empty() {
        return false;
    }
    let is_whole = |call: &ToolCall| {
        let has_failed = !call.succeeded()
            || matches!(call.ending, CallEnding::Exited { status } if status != 0)
            || !call.ran();
        !has_failed
            && !call.output.shown.trim().is_empty()
            && u64::try_from(call.output.shown.len()).is_ok_and(|shown| shown >= call.output.bytes)
    };
    if !calls.iter().all(is_whole) {
        return false;
    }
    let outputs: String = calls
        .iter()
        .flat_map(|call| [&call.output.shown, "\n", &call.stderr.shown, "\n"].map(str::to_owned))
        .collect();
    let shown = telling_words(&outputs, asked);
    let is_shown = |word: &String| shown.iter().any(|shown| is_alike(word, shown));
    scripts(answer).intersection(&scripts(&outputs)).next().is_some() && !answered.iter().any(is_shown)
}

/// The words of these lines, without those of the question that stand in each of several lines.
fn telling_words(outputs: &str, asked: &str) -> BTreeSet<String> {
    let lines: Vec<BTreeSet<String>> =
        outputs.lines().map(words).filter(|words: &BTreeSet<String>| !words.is_empty()).collect();
    let asked = words(asked);
    let is_everywhere = |word: &String| lines.iter().all(|line| line.contains(word));
    let tells = |word: &&String| lines.len() < 2 || !asked.contains(*word) || !is_everywhere(word);
    lines.iter().flatten().filter(tells).cloned().collect()
}

fn is_alike(one: &str, other: &str) -> bool {
    let (short, long) = if one.len() < other.len() { (one, other) } else { (other, one) };
    short == long || (short.chars().count() >= SHORTEST_STEM && long.starts_with(short))
}

/// The words of a text in lower case: names with their dots and dashes, and pairs of letters in scripts without blanks.
fn words(text: &str) -> BTreeSet<String> {
    let is_within = |c: char| c.is_alphanumeric() || matches!(c, '.' | '-' | '_');
    let mut words = BTreeSet::new();
    for word in text.split(|c: char| !is_within(c)) {
        let word = word.trim_matches(|c: char| !c.is_alphanumeric());
        if word.contains(is_unspaced) {
            let letters: Vec<char> = word.chars().collect();
            words.extend(letters.windows(2).map(|pair| pair.iter().collect::<String>()));
        } else if !word.is_empty() {
            words.insert(word.to_lowercase());
        }
    }
    words
}

/// Whether a text has Latin letters, others, or both.
fn scripts(text: &str) -> BTreeSet<bool> {
    text.chars().filter(|c| c.is_alphabetic()).map(|c| c < BEYOND_LATIN).collect()
}

#[cfg(test)]
mod tests {
    use artoo_types::{Arguments, CallId, OutputRecord, ToolName};
    use proptest::prelude::*;

    use super::*;

    fn call(output: &str, status: i32) -> ToolCall {
        let record =
            OutputRecord { shown: output.into(), bytes: output.len() as u64, ..OutputRecord::default() };
        let id = CallId::new(uuid::Uuid::nil());
        let ending = CallEnding::Exited { status };
        let new = ToolCall::new(id, ToolName::new("shell"), Arguments::default(), ending, Default::default());
        ToolCall { output: record, ..new }
    }

    #[test]
    fn an_answer_holds_something_that_was_put_out() {
        for (output, answer, is_unrelated_to_it) in [
            ("a.txt\nb.txt\n", "Shall I count the subfolders too?", true),
            ("a.txt\nb.txt\n", "I will count the .txt files in inbox now.", true),
            ("a.txt\nb.txt\n", "Lasken tiedostot ja palaan asiaan.", true),
            ("inbox/a.txt\ninbox/b.txt\n", "I will count the .txt files in inbox now.", true),
            ("inbox/a.txt\nnotes/b.txt\n", "It is the one in inbox", false),
            ("inbox\n", "They are in inbox", false),
            ("a.txt\nb.txt\n", "It is b.txt.", false),
            ("./inbox/a.txt\n", "The one in inbox", false),
            ("3 commits\n", "One commit more", false),
            ("milk\n", "No", false),
            ("milk\n", "Two bottles: 2", false),
            ("milk\n", "買牛奶", false),
            ("李明住在北京\n", "他住在北京", false),
            ("李明住在北京\n", "我稍后再回答", true),
            ("", "There is none of them", false),
        ] {
            assert_eq!(
                is_unrelated(answer, &[call(output, 0)], "Count the files in inbox"),
                is_unrelated_to_it,
                "{output:?} {answer:?}"
            );
        }
        let claim = "Nobody knows that";
        assert!(is_unrelated(claim, &[call("milk\n", 0)], ""));
        assert!(!is_unrelated(claim, &[call("milk\n", 0), call("error\n", 1)], ""), "a call failed");
        let mut cut = call("milk\n", 0);
        cut.output.bytes = 70_000;
        assert!(!is_unrelated(claim, &[cut], ""), "the rest is not recorded");
    }

    proptest! {
        #[test]
        fn a_quotation_is_related(output in "[a-zäö]{1,8}( [a-zäö.]{1,8}){1,5}", before in "\\PC{0,20}") {
            let calls = [call(&output, 0)];
            let answer = format!("{before} {output}");
            prop_assert!(!is_unrelated(&answer, &calls, ""));
        }

        #[test]
        fn any_texts_are_compared(answer in any::<String>(), output in any::<String>()) {
            let _ = is_unrelated(&answer, &[call(&output, 0)], &answer);
        }
    }
}
