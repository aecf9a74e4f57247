//! Default judge of task criteria: asks a model.

use std::sync::Arc;

use artoo_judging::{JudgeError, Seen, WHOLE, WholeRequest, ask_continued, ask_verdicts, ask_whole};
use artoo_llm_client::{LlmClient, Request};
use artoo_types::{Criterion, Finding};
use async_trait::async_trait;

use crate::{TaskContext, TaskJudge, after_the_work, prompt};

/// The constant part of the prompt.
pub const SYSTEM_PROMPT: &str =
    concat!(include_str!("../prompts/system.md"), "\n", include_str!("../prompts/parts.md"));
/// The constant part of the message with which the judge goes on with the executor's conversation.
pub const CONTINUED_PROMPT: &str =
    concat!(include_str!("../prompts/continued.md"), "\n", include_str!("../prompts/parts.md"));
/// The constant part where only criteria are judged, and not the whole request.
pub const CRITERIA_PROMPT: &str = include_str!("../prompts/criteria.md");
/// The constant part for a guided model, which is asked about one criterion at a time.
pub const GUIDED_PROMPT: &str = include_str!("../prompts/guided.md");

/// Asks a model about all criteria at once; for the whole request, it asks which evidence meets which part. Where the
/// executor's conversation is at hand, it goes on with that first.
#[derive(Clone, Copy, Debug, Default)]
pub struct ModelTaskJudge;

#[async_trait]
impl TaskJudge for ModelTaskJudge {
    async fn judge(
        &self,
        criteria: &[Criterion],
        cx: &TaskContext<'_>,
        model: &Arc<dyn LlmClient>,
    ) -> Result<Vec<Finding>, JudgeError> {
        let profile = model.profile();
        let told = prompt::told(cx);
        let seen = Seen { calls: prompt::calls(cx).collect(), earlier: &[], answer: &told };
        let is_whole = |criterion: &&Criterion| criterion.text == WHOLE;
        // A weak model quotes the first part only, and takes that for all.
        let by_parts = !profile.guided && criteria.iter().any(|criterion| is_whole(&criterion));
        let system = match (profile.guided, by_parts) {
            (true, _) => GUIDED_PROMPT,
            (false, true) => SYSTEM_PROMPT,
            (false, false) => CRITERIA_PROMPT,
        };
        let question = |criteria: &[Criterion]| {
            Request::new("meta_validator", system, prompt::case(criteria, cx, &told, &profile))
        };
        if !by_parts {
            return ask_verdicts(model.as_ref(), &seen, criteria, &question).await;
        }
        let further: Vec<Criterion> =
            criteria.iter().filter(|criterion| !is_whole(criterion)).cloned().collect();
        let words = cx.spec.in_full();
        let request = WholeRequest { text: &words, laws: cx.laws, grounds: cx.grounds };
        let continued = match after_the_work::question(&further, cx, &told, &profile) {
            Some(asked) => ask_continued(model.as_ref(), &seen, request, further.len(), asked).await?,
            None => None,
        };
        let (whole, findings) = match continued {
            Some(found) => found,
            None => ask_whole(model.as_ref(), &seen, request, &further, &question).await?,
        };
        let mut findings = findings.into_iter();
        let found = |criterion: &Criterion| {
            if is_whole(&criterion) { Some(whole.clone()) } else { findings.next() }
        };
        Ok(criteria.iter().filter_map(found).collect())
    }
}
