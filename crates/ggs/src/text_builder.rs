//! Text builder without repeated sentences.

use std::collections::BTreeSet;

/// Lines, without sentences that an earlier line contains.
#[derive(Debug, Default)]
pub(crate) struct Telling {
    lines: Vec<String>,
    said: BTreeSet<String>,
}

impl Telling {
    /// The first line: one sentence after its opening. Further sentences get their own line.
    pub(crate) fn open(&mut self, opening: &str, text: &str) {
        let new = self.new_of(text);
        let Some((first, rest)) = new.split_first() else {
            self.lines.push(format!("{opening}."));
            return;
        };
        self.lines.push(format!("{opening}: {}", ended(first)));
        if !rest.is_empty() {
            self.lines.push(rest.join(" "));
        }
    }

    /// A separate line.
    pub(crate) fn say(&mut self, text: &str) {
        let new = self.new_of(text);
        if !new.is_empty() {
            self.lines.push(new.join(" "));
        }
    }

    /// Items under a label, each with its description: one after the label, several in a list.
    pub(crate) fn list<'a>(&mut self, label: &str, items: impl IntoIterator<Item = (&'a str, &'a str)>) {
        let items: Vec<String> =
            items.into_iter().filter_map(|(what, of_it)| self.item(what, of_it)).collect();
        match items.as_slice() {
            [] => {}
            [only] => self.lines.push(format!("{label}: {}", ended(only))),
            several => {
                self.lines.push(format!("{label}:"));
                self.lines.extend(several.iter().map(|item| format!("- {item}")));
            }
        }
    }

    /// The whole text.
    pub(crate) fn text(self) -> String {
        self.lines.join("\n")
    }

    fn item(&mut self, what: &str, of_it: &str) -> Option<String> {
        let (what, of_it) = (self.new_of(what).join(" "), self.new_of(of_it).join(" "));
        match (what.is_empty(), of_it.is_empty()) {
            (true, true) => None,
            (false, true) => Some(what),
            (true, false) => Some(of_it),
            (false, false) => Some(format!("{} ({})", open_ended(&what), open_ended(&of_it))),
        }
    }

    /// The sentences of a text that were not added before.
    fn new_of(&mut self, text: &str) -> Vec<String> {
        let sentences = sentences(text).into_iter();
        sentences.filter(|sentence| self.said.insert(open_ended(sentence).to_lowercase())).collect()
    }
}

/// Sentence-ending characters.
const ENDS: [char; 6] = ['.', '!', '?', '。', '！', '？'];

/// The sentences of a text, each on one line. A dot within a word, as in a file name, ends none.
fn sentences(text: &str) -> Vec<String> {
    let mut sentences: Vec<String> = Vec::new();
    for line in text.lines() {
        let mut sentence = String::new();
        for word in line.split_whitespace() {
            if !sentence.is_empty() {
                sentence.push(' ');
            }
            sentence.push_str(word);
            if word.ends_with(ENDS) {
                sentences.push(std::mem::take(&mut sentence));
            }
        }
        sentences.extend(Some(sentence).filter(|sentence| !sentence.is_empty()));
    }
    sentences
}

fn open_ended(sentence: &str) -> &str {
    sentence.trim_end_matches(['.', '。'])
}

fn ended(sentence: &str) -> String {
    if sentence.ends_with(ENDS) { sentence.to_owned() } else { format!("{sentence}.") }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn what_was_said_is_not_said_again() {
        let mut telling = Telling::default();
        telling.open("Not finished", "docs/a.txt is not there. Nobody\nmoved it");
        telling.say("The replans are used.");
        telling.list("Done", [("count", ""), ("count", "")]);
        telling.list(
            "Missing",
            [
                ("the sum", "docs/a.txt is not there"),
                ("the name", "none. The replans are used."),
                ("the sum", ""),
            ],
        );
        telling.list("Next", [("The replans are used", "")]);
        let told = "Not finished: docs/a.txt is not there.\nNobody moved it\nThe replans are used.\nDone: count.\n\
                    Missing:\n- the sum\n- the name (none)";
        assert_eq!(telling.text(), told);
    }

    /// Sentences of which none is part of another.
    const SENTENCES: [&str; 6] =
        ["file is gone", "Käyttäjä kielsi sen", "没有这个文件", "a.txt: 3 not 4", "why?", "Stop!"];

    proptest! {
        #[test]
        fn nothing_is_told_twice(
            opening in prop::collection::vec(0usize..6, 0..3),
            lists in prop::collection::vec(prop::collection::vec((0usize..6, 0usize..6), 0..4), 0..4),
        ) {
            let sentence = |number: usize| SENTENCES[number % 6];
            let mut telling = Telling::default();
            let text: Vec<String> = opening.iter().map(|number| ended(sentence(*number))).collect();
            telling.open("Not finished", &text.join(" "));
            for list in &lists {
                telling.list("Missing", list.iter().map(|(what, of_it)| (sentence(*what), sentence(*of_it))));
            }
            let text = telling.text();
            let given = opening.iter().copied().chain(lists.iter().flatten().flat_map(|(a, b)| [*a, *b]));
            let given: BTreeSet<usize> = given.collect();
            for number in 0..6 {
                let times = usize::from(given.contains(&number));
                prop_assert_eq!(text.matches(sentence(number)).count(), times, "{}", text);
            }
        }
    }
}
