//! Requests whose answer is a text of one's own, which no second derivation confirms.

/// How much of a text is asked for.
const AMOUNTS: [&str; 12] =
    ["a", "an", "one", "two", "three", "four", "five", "few", "short", "single", "or", "to"];
/// What it is to be made of.
const PARTS: [&str; 6] = ["sentence", "sentences", "paragraph", "paragraphs", "words", "lines"];
/// What a request begins with that asks for one.
const VERBS: [&str; 5] = ["summarise", "summarize", "describe", "explain", "paraphrase"];

/// Whether a request asks for a text: "in one or two sentences", "summarize a.txt". English only. Two commands that print the same line
/// of a file agree about that line, not about what the file says.
pub(crate) fn is_asked_for(request: &str) -> bool {
    let words: Vec<String> = request
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect();
    let is_amount = |word: &&String| AMOUNTS.contains(&word.as_str()) || word.parse::<u32>().is_ok();
    let in_parts = words.iter().enumerate().filter(|(_, word)| *word == "in").any(|(at, _)| {
        let rest = words.get(at + 1..).unwrap_or_default();
        let amounts = rest.iter().take_while(is_amount).count();
        amounts > 0 && rest.get(amounts).is_some_and(|word| PARTS.contains(&word.as_str()))
    });
    let mut first = words.iter().filter(|word| !matches!(word.as_str(), "please" | "briefly" | "shortly"));
    in_parts || first.next().is_some_and(|word| VERBS.contains(&word.as_str()))
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
}
