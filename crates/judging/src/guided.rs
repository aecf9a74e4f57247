//! Questions for guided models: one criterion per request.

use artoo_llm_client::LlmClient;
use artoo_types::{Criterion, Finding};

use crate::{JudgeError, Question, Seen, verdict::ask_together};

/// One request for each criterion, since a weak model answers only the first of several questions. It costs
/// the evidence once more for each criterion.
pub(crate) async fn one_by_one(
    model: &dyn LlmClient,
    seen: &Seen<'_>,
    criteria: &[Criterion],
    question: Question<'_>,
) -> Result<Vec<Finding>, JudgeError> {
    let mut findings = Vec::with_capacity(criteria.len());
    for criterion in criteria {
        findings.extend(ask_together(model, seen, std::slice::from_ref(criterion), question).await?);
    }
    Ok(findings)
}
