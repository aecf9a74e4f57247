//! Rule against word lists of a language: a decision by them holds in no other language, and is fitted to
//! known requests. Facts decide instead. A heuristic, which finds only constants.

use super::{Finding, Tree, strip};

/// The crates that decide what is planned, done and accepted.
const DECIDING: [&str; 9] = [
    "crates/perceiver",
    "crates/planner",
    "crates/executor",
    "crates/checks",
    "crates/judging",
    "crates/agent-validator",
    "crates/meta-validator",
    "crates/ggs",
    "crates/ggs-core",
];

/// Files that may contain such a list, with its languages and what a word in it decides.
const MAY: [(&str, &str); 10] = [
    (
        "crates/perceiver/src/dangling_request.rs",
        "English, and courtesy in German, French, Spanish, Chinese: what refers to nothing is asked back",
    ),
    (
        "crates/checks/src/same_answer.rs",
        "spellings of none in fifteen languages: they keep an answer from a rule, and a judge decides",
    ),
    ("crates/checks/src/claim_support.rs", "what the C library and programs of the C locale say of an error"),
    ("crates/checks/src/content.rs", "what files are called that are no text, for a reader"),
    ("crates/meta-validator/src/file_endings.rs", "endings of file names, which no language has words for"),
    ("crates/checks/src/lint.rs", "samples of texts on which a pattern is tried"),
    (
        "crates/executor/src/provenance.rs",
        "words of commands and programs, which nobody brings in: what is marked is only told",
    ),
    ("crates/agent-validator/src/verdicts.rs", "names of artoo's own tools"),
    ("crates/judging/src/dependence.rs", "names of artoo's own tools"),
    ("crates/planner/src/schema.rs", "the words of the answer's format, which the schema names to the model"),
];

/// Finds constants with two or more words, in the crates that decide.
pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in tree.ending(&[".rs"]).filter(|file| !file.is_test()) {
        let decides = file.member().is_some_and(|member| DECIDING.contains(&member));
        // A conformance suite's questions to an implementation decide nothing.
        let is_suite = file.path.contains("/conformance");
        if !decides || is_suite || MAY.iter().any(|(path, _)| *path == file.path) {
            continue;
        }
        let source: Vec<char> = file.text.chars().collect();
        let code: Vec<char> = strip::without_tests(&file.text).chars().collect();
        for (begin, end) in constants(&code) {
            let item = source.get(begin..end).unwrap_or_default();
            let words =
                literals(item).iter().flat_map(|text| text.split('|')).filter(|text| is_word(text)).count();
            if words >= 2 {
                let line = source.iter().take(begin).filter(|c| **c == '\n').count();
                let message = format!(
                    "a list of {words} words of a language decides; a fact could, or tidy names the file"
                );
                findings.push(Finding::line("word lists", &file.path, line, message));
            }
        }
    }
    findings
}

/// The ranges of string constants.
fn constants(code: &[char]) -> Vec<(usize, usize)> {
    let text: String = code.iter().collect();
    let mut found = Vec::new();
    for (at, _) in text.match_indices("const ").chain(text.match_indices("static ")) {
        let rest = text.get(at..).unwrap_or_default();
        let item =
            rest.split_once(" = ").filter(|(head, _)| head.contains("&str") && !head.contains(['{', '=']));
        if let Some((head, value)) = item {
            let begin = text.get(..at).unwrap_or_default().chars().count();
            let length = head.chars().count() + 3 + value.chars().take_while(|c| *c != ';').count();
            found.push((begin, begin + length));
        }
    }
    found
}

/// The string literals, without those in comments.
fn literals(item: &[char]) -> Vec<String> {
    let mut found = Vec::new();
    let mut open: Option<String> = None;
    let mut chars = item.iter().copied().peekable();
    while let Some(c) = chars.next() {
        match (open.as_mut(), c) {
            (None, '"') => open = Some(String::new()),
            (None, '/') if chars.peek() == Some(&'/') => while chars.next_if(|c| *c != '\n').is_some() {},
            (None, _) => {}
            (Some(_), '"') => found.extend(open.take()),
            (Some(_), '\\') => drop(chars.next()),
            (Some(text), c) => text.push(c),
        }
    }
    found
}

/// Whether it consists of words, in lower case or in a script without case: no name with special characters,
/// and no single letter.
fn is_word(text: &str) -> bool {
    let text = text.trim();
    let is_letter =
        |c: char| (c.is_alphabetic() && !c.is_uppercase()) || matches!(c, ' ' | '\'' | '\u{2019}');
    text.chars().count() > 1 && text.chars().all(is_letter)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(path: &str, text: &str) -> usize {
        check(&Tree::of([(path, text)])).len()
    }

    #[test]
    fn lists_of_words_are_found() {
        for list in [
            "const VERBS: [&str; 2] = [\"create\", \"write\"];",
            "const VERBS: &[&str] = &[\n    // which\n    \"cr\\u{e9}er\", \"\u{e9}crire\", \"faire\",\n];",
            "fn f() {\n    const BEFORE: [&str; 2] = [\"into\", \"does not show\"];\n}",
            "static NOUNS: &str = \"|file|folder|\";",
            "const WORDS: [&str; 2] = [\"\u{6ca1}\u{6709}\", \"\u{6587}\u{4ef6}\"];",
            "const PAIRS: [(&str, u8); 2] = [(\"one\", 1), (\"two\", 2)];",
        ] {
            assert_eq!(found("crates/planner/src/x.rs", list), 1, "{list}");
            assert_eq!(found("crates/tools/src/x.rs", list), 0, "{list}");
            assert_eq!(found("crates/planner/tests/it/x.rs", list), 0, "{list}");
            assert_eq!(found("crates/perceiver/src/dangling_request.rs", list), 0, "{list}");
        }
        for other in [
            "const CHECKS: [&str; 3] = [\"file_json\", \"same_lines\", \"table\"];",
            "const MARKS: [&str; 2] = [\"*.md\", \"a/b\"];",
            "const TEXT: &str = \"All of it, and more\";",
            "// const VERBS: [&str; 2] = [\"create\", \"write\"];",
            "#[cfg(test)]\nmod tests {\n    const VERBS: [&str; 2] = [\"create\", \"write\"];\n}",
        ] {
            assert_eq!(found("crates/planner/src/x.rs", other), 0, "{other}");
        }
    }
}
