//! Requests whose answer is a text of one's own, which no second derivation confirms.

/// How much of a text is asked for.
const AMOUNTS: [&str; 15] = [
    "a", "an", "one", "two", "three", "four", "five", "few", "short", "single", "or", "to", "at", "most",
    "exactly",
];
/// What it is to be made of.
const PARTS: [&str; 6] = ["sentence", "sentences", "paragraph", "paragraphs", "words", "lines"];
/// What a request begins with that asks for one.
const VERBS: [&str; 5] = ["summarise", "summarize", "describe", "explain", "paraphrase"];
/// More sentences are no limit that anybody meant to the letter.
const FEW_SENTENCES: u32 = 10;

/// Whether a request asks for a text: "in one or two sentences", "summarize a.txt". English only. Two commands that print the same line
/// of a file agree about that line, not about what the file says.
pub(crate) fn is_asked_for(request: &str) -> bool {
    let words = words(request);
    let mut first = words.iter().filter(|word| !matches!(word.as_str(), "please" | "briefly" | "shortly"));
    amount(&words).is_some() || first.next().is_some_and(|word| VERBS.contains(&word.as_str()))
}

/// How many sentences a request allows: 2 of "in one or two sentences". None where it says nothing about it, or nothing exact.
pub(crate) fn most_sentences(request: &str) -> Option<u32> {
    let words = words(request);
    let (amounts, part) = amount(&words)?;
    let number = |word: &String| match word.as_str() {
        "a" | "an" | "single" | "one" => Some(1),
        "two" => Some(2),
        "three" => Some(3),
        "four" => Some(4),
        "five" => Some(5),
        digits => digits.parse().ok(),
    };
    let is_exact = part.starts_with("sentence") && !amounts.iter().any(|word| word == "few");
    amounts.iter().filter_map(number).max().filter(|most| is_exact && (1..=FEW_SENTENCES).contains(most))
}

/// An expression that a text of at most so many sentences matches, and no empty one. A sentence ends in a mark before a blank; the point
/// of 3.5 is none.
pub(crate) fn at_most_sentences(most: u32) -> String {
    let inside = r"(?:[^.!?]|[.!?]+[^\s.!?])*";
    format!(r"\A[.!?\s]*[^\s.!?]{inside}(?:[.!?]+\s+{inside}){{0,{}}}[.!?]*\s*\z", most.saturating_sub(1))
}

/// What follows "in" and says how much: the words of the amount, and what it counts.
fn amount(words: &[String]) -> Option<(&[String], &str)> {
    let is_amount = |word: &&String| AMOUNTS.contains(&word.as_str()) || word.parse::<u32>().is_ok();
    words.iter().enumerate().filter(|(_, word)| *word == "in").find_map(|(at, _)| {
        let rest = words.get(at + 1..)?;
        let (amounts, rest) = rest.split_at(rest.iter().take_while(is_amount).count());
        let part = rest.first().filter(|word| PARTS.contains(&word.as_str()))?;
        (!amounts.is_empty()).then_some((amounts, part.as_str()))
    })
}

fn words(request: &str) -> Vec<String> {
    let words = request.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.map(str::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_asked_for() {
        for request in [
            "Tell me in one or two sentences what docs/onboarding.txt says about the first week.",
            "Please summarize notes.md",
            "Briefly explain what build.sh does",
            "What is the plan about, in 3 sentences?",
            "Say in a short paragraph what changed.",
        ] {
            assert!(is_asked_for(request), "{request}");
        }
        for request in [
            "How many sentences are in docs/a.txt?",
            "How many words are in two files of docs?",
            "Which file in docs describes the printer?",
            "What is the sum of the amount column in data/sales.csv?",
            "",
        ] {
            assert!(!is_asked_for(request), "{request}");
        }
    }

    #[test]
    fn a_number_of_sentences_is_a_limit() {
        let table = [
            ("Tell me in one or two sentences what it says.", Some(2)),
            ("Say in a sentence what it is.", Some(1)),
            ("Describe it in at most 3 sentences.", Some(3)),
            ("Tell it in a few sentences.", None),
            ("Tell it in two paragraphs.", None),
            ("Tell it in 0 sentences, or in 500 sentences.", None),
            ("Summarize a.txt", None),
        ];
        for (request, expected) in table {
            assert_eq!(most_sentences(request), expected, "{request}");
        }
    }

    #[test]
    fn sentences_are_counted_by_their_ends() {
        let two = regex::Regex::new(&at_most_sentences(2)).unwrap();
        for text in [
            "One sentence",
            "It costs 3.5 euros at example.org.",
            "Is it? It is!",
            "First you read.\nThen you write...\n",
            "... and so it goes.",
        ] {
            assert!(two.is_match(text), "{text:?}");
        }
        for text in ["", "...", "One. Two. Three.", "One! Two? three", "Day 1: a.\nDay 2: b.\nDay 3: c."] {
            assert!(!two.is_match(text), "{text:?}");
        }
    }
}
