//! The questions of a request that asks several things, as far as its form shows them.

use crate::{AnswerKind, CriterionDraft, PlanDraft, SubTaskDraft};

/// Words with which a question begins.
const ASKING: [&str; 8] = ["how", "what", "which", "who", "where", "when", "why", "whose"];

/// A request, cut before "and" with a question word, and behind question marks. At least one part; together they are the request.
pub(crate) fn parts(request: &str) -> Vec<&str> {
    let mut cuts = vec![0];
    let words = request.split_inclusive(|c: char| !c.is_alphanumeric());
    let places = words.scan(0, |end, word| {
        let start = *end;
        *end += word.len();
        Some((start, word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase()))
    });
    let places: Vec<(usize, String)> = places.filter(|(_, word)| !word.is_empty()).collect();
    let mut pairs = places.windows(2);
    while let Some([(and, first), (_, second)]) = pairs.next() {
        if first == "and" && ASKING.contains(&second.as_str()) {
            cuts.push(*and);
        }
    }
    cuts.extend(request.match_indices(['?', '？']).map(|(at, mark)| at + mark.len()));
    cuts.push(request.len());
    cuts.sort_unstable();
    cuts.dedup();
    // What asks nothing belongs to what comes before it: "Which is the newest? Give its name."
    let asks = |start: usize, end: usize| request.get(start..end).is_some_and(is_question);
    let mut starts: Vec<usize> = Vec::new();
    for pair in cuts.windows(2) {
        if let [start, end] = pair
            && (starts.is_empty() || asks(*start, *end))
        {
            starts.push(*start);
        }
    }
    starts.push(request.len());
    let found: Vec<&str> =
        starts.windows(2).filter_map(|pair| request.get(*pair.first()?..*pair.get(1)?)).collect();
    if found.is_empty() { vec![request] } else { found }
}

fn is_question(part: &str) -> bool {
    let part = part.trim();
    let mut words = part.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    let first = words.find(|word| !word.eq_ignore_ascii_case("and"));
    let begins = first.is_some_and(|word| ASKING.contains(&word.to_lowercase().as_str()));
    first.is_some() && (begins || part.ends_with(['?', '？']))
}

/// A plan with a step for each part, where there are several. Each step is told the request that it is a part of.
pub(crate) fn planned(request: &str) -> Option<PlanDraft> {
    let parts = parts(request);
    let step = |part: &&str| {
        let intent = part.trim_matches(|c: char| c.is_whitespace() || c == ',');
        let intent = intent.strip_prefix("and ").unwrap_or(intent);
        let counts = ["how many ", "how much "].iter().any(|words| intent.to_lowercase().starts_with(words));
        let text = "The output answers the question".to_owned();
        SubTaskDraft {
            intent: intent.to_owned(),
            sequence: 1,
            kind: AnswerKind::FindOut,
            criteria: vec![if counts {
                CriterionDraft::OutputNumber { text: "The output is one number".to_owned() }
            } else {
                CriterionDraft::None { text }
            }],
        }
    };
    (parts.len() > 1).then(|| PlanDraft::of(parts.iter().map(step).collect()))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_form_of_a_request_shows_what_it_asks() {
        let table: [(&str, &[&str]); 7] = [
            ("Which is the newest? Give its name.", &["Which is the newest? Give its name."]),
            (
                "How many files are in docs, and which is the largest?",
                &["How many files are in docs, ", "and which is the largest?"],
            ),
            ("How many files are in docs and notes?", &["How many files are in docs and notes?"]),
            ("Is a there? Is b there?", &["Is a there?", " Is b there?"]),
            ("有几个文件？最大的是哪个？", &["有几个文件？", "最大的是哪个？"]),
            ("Sort the list", &["Sort the list"]),
            ("", &[""]),
        ];
        for (request, expected) in table {
            assert_eq!(parts(request), expected, "{request}");
        }
    }

    #[test]
    fn each_part_is_a_step() {
        let draft = planned("How many files are in docs, and which is the largest?").unwrap();
        let steps: Vec<_> =
            draft.subtasks.iter().map(|step| (step.intent.as_str(), &step.criteria[0])).collect();
        assert!(matches!(
            steps.as_slice(),
            [
                ("How many files are in docs", CriterionDraft::OutputNumber { .. }),
                ("which is the largest?", CriterionDraft::None { .. })
            ]
        ));
        assert_eq!(planned("How many files are in docs?"), None);
    }

    proptest! {
        #[test]
        fn any_request_is_cut_between_its_words(request in "(and how|which|\\?|？|, |[a-z]{1,4} |日){0,12}") {
            let parts = parts(&request);
            prop_assert!(!parts.is_empty());
            let kept: usize = parts.iter().map(|part| part.chars().filter(|c| c.is_alphanumeric()).count()).sum();
            prop_assert_eq!(kept, request.chars().filter(|c| c.is_alphanumeric()).count());
        }
    }
}
