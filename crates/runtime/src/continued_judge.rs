//! Whether the judge of the whole request goes on with the executor's conversation, and how much of each output a judge
//! is shown.

use artoo_llm_client::{Contender, KeptConversation, LlmClient};
use artoo_meta_validator::Excerpts;

use crate::artoo::Parts;

/// The place where the executor leaves its conversation for the judge; `None` if the judge has another model, or is to
/// begin anew.
pub(crate) fn kept_conversation(parts: &Parts) -> Option<KeptConversation> {
    let is_same = is_same(&parts.models.meta_validator, &parts.models.executor);
    (is_same && parts.options.acceptance.continued_judge).then(KeptConversation::default)
}

/// How much of each output the judge with this model is shown.
pub(crate) fn excerpts(judge: &dyn LlmClient, parts: &Parts) -> Excerpts {
    if is_same(judge, &parts.models.executor) { Excerpts::Long } else { Excerpts::Short }
}

fn is_same(one: &dyn LlmClient, other: &dyn LlmClient) -> bool {
    Contender::of(one) == Contender::of(other)
}
