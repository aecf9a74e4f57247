//! Answers from the model's knowledge: a request that needs no tool is answered without work, and nobody checks that. When
//! that is never allowed is decided by facts; the rest is the model's word, and the result says what it rests on.
//!
//! Source: `docs/design/direct-answers.md`.

use std::sync::Arc;

use artoo_llm_client::{LlmClient, Request, StopReason, strip_reasoning};
use artoo_text::{file_paths, last_part};

use crate::masked_names::is_named;
use crate::{PlanContext, PlanError, prompt};

/// The constant part of the prompt of a longer answer.
pub const ANSWER_PROMPT: &str = include_str!("../prompts/answer.md");

/// Output limit of a longer answer, in tokens.
const ANSWER_TOKENS: u32 = 4000;

/// Whether the request names something that lies in the working folder, or anything that looks like a file, a path or an
/// address: whoever names one wants it looked at.
pub(crate) fn names_a_place(cx: &PlanContext) -> bool {
    let request = cx.spec.in_full();
    let is_listed = || {
        let paths = cx.listing.listed.iter().map(|listed| listed.path.as_str());
        paths.flat_map(|path| [path, last_part(path)]).any(|name| is_named(&request, name))
    };
    let is_path = |word: &str| {
        let word = word.trim_start_matches(['"', '\'', '`', '(', '[', '<']);
        ["/", "~", "./", "../", "$"].iter().any(|start| word.starts_with(start)) || word.contains("://")
    };
    file_paths(&request).next().is_some() || request.split_whitespace().any(is_path) || is_listed()
}

/// The answer: the one that the model gave with its decision, or else the one that it is asked for now. `None` if there is no whole one.
pub(crate) async fn answer(
    given: Option<&str>,
    cx: &PlanContext,
    model: &Arc<dyn LlmClient>,
) -> Result<Option<String>, PlanError> {
    let whole = |text: &str| Some(text.trim().to_owned()).filter(|text| !text.is_empty());
    if let Some(given) = given.and_then(whole) {
        return Ok(Some(given));
    }
    let profile = model.profile();
    let request = Request::new("planner", ANSWER_PROMPT, prompt::answering(cx, &profile))
        .with_max_tokens(profile.room(ANSWER_TOKENS));
    let completion = model.complete(&request).await?;
    Ok(match completion.stop {
        StopReason::End => whole(&strip_reasoning(&completion.text)),
        StopReason::Length | StopReason::Refused => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{FolderListing, Listed, conformance};

    #[test]
    fn whoever_names_a_place_wants_it_looked_at() {
        let listed = ["docs", "docs/Größe.csv", "Makefile", "書類"];
        let listed = listed.map(|path| Listed { path: path.to_owned(), bytes: None }).to_vec();
        for (request, names) in [
            ("What does BOM mean in a text file?", false),
            ("Mitä eroa on TCP:llä ja UDP:llä (1.5 lausetta)?", false),
            ("Translate 'good morning' into French and/or Finnish", false),
            ("What does the Makefile do?", true),
            ("Was steht in Größe.csv?", true),
            ("書類里有什么?", true),
            ("Is docs large?", true),
            ("What is in notes.md?", true),
            ("What is /etc/hosts for?", true),
            ("Tidy up `~/Downloads`", true),
            ("What is $HOME?", true),
            ("Sum up https://example.org/a", true),
        ] {
            let mut cx = conformance::context(request);
            cx.listing = FolderListing { listed: listed.clone(), has_more: false, repository: None };
            assert_eq!(names_a_place(&cx), names, "{request}");
        }
    }
}
