//! A model that follows a script and checks its requests.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;

use crate::doubles::{Answer, Expect};
use crate::{Completion, LlmClient, LlmError, ModelProfile, Request, ToolCalling};

/// A model that answers from a script and asserts what it was sent.
///
/// Each expectation is used once. A request takes the *first unused* expectation that it meets: those with
/// its purpose come first, then those for any purpose, then the [`always`](Self::always) ones, which are
/// never used up. So concurrent subtasks get their answers in any order, as long as their expectations
/// differ; equal ones are answered in the order of the script.
///
/// A request that meets none gets [`LlmError::Unscripted`] and is kept in [`mismatches`](Self::mismatches),
/// so it shows even if the code under test swallows errors.
/// ```
/// # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
/// use artoo_llm_client::doubles::{Answer, Expect, ScriptedModel};
/// use artoo_llm_client::{LlmClient, Request};
///
/// let model = ScriptedModel::new()
///     .expect(Expect::purpose("planner").user_contains("docs"), Answer::text("list docs"))
///     .always(Expect::purpose("judge"), Answer::text("pass"));
/// let answer = model.complete(&Request::new("planner", "Plan.", "count docs")).await?;
/// assert_eq!(answer.text, "list docs");
/// assert!(model.complete(&Request::new("planner", "Plan.", "more")).await.is_err());
/// assert_eq!(model.mismatches().len(), 1);
/// # Ok::<(), artoo_llm_client::LlmError>(())
/// # })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct ScriptedModel {
    name: String,
    structured: bool,
    profile: ModelProfile,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    once: VecDeque<(Expect, Answer)>,
    always: Vec<(Expect, Answer)>,
    requests: Vec<Request>,
    mismatches: Vec<String>,
}

impl ScriptedModel {
    /// A model named `scripted` that claims to constrain its answers and calls tools by JSON in its text,
    /// with an empty script.
    pub fn new() -> Self {
        let profile = ModelProfile { tool_calling: ToolCalling::Json, ..ModelProfile::default() };
        Self { name: "scripted".to_owned(), structured: true, profile, state: Mutex::default() }
    }

    /// Adds an expectation that is used once.
    #[must_use]
    pub fn expect(self, expect: Expect, answer: Answer) -> Self {
        self.add(expect, answer);
        self
    }

    /// Adds an expectation that answers any number of requests, none included, after those that are used
    /// once.
    #[must_use]
    pub fn always(self, expect: Expect, answer: Answer) -> Self {
        self.state().always.push((expect, answer));
        self
    }

    /// Sets the model's name.
    #[must_use]
    pub fn named(mut self, name: impl Into<String>) -> Self {
        self.name = name.into();
        self
    }

    /// A model that does not constrain its answers: [`ask`](crate::ask()) puts the schema into the prompt.
    #[must_use]
    pub fn unstructured(mut self) -> Self {
        self.structured = false;
        self
    }

    /// Sets the profile: guided, or with native tool calls.
    #[must_use]
    pub fn profiled(mut self, profile: ModelProfile) -> Self {
        self.profile = profile;
        self
    }

    /// Adds an expectation while the model is in use.
    pub fn add(&self, expect: Expect, answer: Answer) {
        self.state().once.push_back((expect, answer));
    }

    /// All requests so far, in the order they arrived, unexpected ones included.
    pub fn requests(&self) -> Vec<Request> {
        self.state().requests.clone()
    }

    /// One text for each request that met no expectation: the request, and what each open expectation missed
    /// in it.
    pub fn mismatches(&self) -> Vec<String> {
        self.state().mismatches.clone()
    }

    /// The expectations that no request has met yet.
    pub fn unused(&self) -> Vec<String> {
        self.state().once.iter().map(|(expect, _)| expect.to_string()).collect()
    }

    /// Asserts that the script was completed and that there was no other request.
    ///
    /// # Panics
    ///
    /// If an expectation is unused or a request met none.
    #[track_caller]
    pub fn assert_finished(&self) {
        let (mismatches, unused) = (self.mismatches(), self.unused());
        assert!(
            mismatches.is_empty() && unused.is_empty(),
            "the script was not followed\nunexpected requests:\n{}\nunused expectations:\n{}",
            mismatches.join("\n"),
            unused.join("\n"),
        );
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // A panic elsewhere in a test must not hide the requests.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn next(&self, request: &Request) -> Result<Answer, LlmError> {
        let mut state = self.state();
        state.requests.push(request.clone());
        let named = |expect: &Expect| expect.purpose.as_ref() == Some(&request.purpose);
        let any = |expect: &Expect| expect.purpose.is_none();
        let met = |(expect, _): &(Expect, Answer)| expect.unmet(request).is_none();

        let once = state.once.iter().position(|entry| named(&entry.0) && met(entry));
        let once = once.or_else(|| state.once.iter().position(|entry| any(&entry.0) && met(entry)));
        if let Some((_, answer)) = once.and_then(|index| state.once.remove(index)) {
            return Ok(answer);
        }
        let always = state.always.iter().find(|entry| named(&entry.0) && met(entry));
        let always = always.or_else(|| state.always.iter().find(|entry| any(&entry.0) && met(entry)));
        if let Some((_, answer)) = always {
            return Ok(answer.clone());
        }
        let reason = explain(request, &state);
        state.mismatches.push(reason.clone());
        Err(LlmError::Unscripted { reason })
    }
}

impl Default for ScriptedModel {
    fn default() -> Self {
        Self::new()
    }
}

#[async_trait]
impl LlmClient for ScriptedModel {
    fn model(&self) -> &str {
        &self.name
    }

    fn structured(&self) -> bool {
        self.structured
    }

    fn profile(&self) -> ModelProfile {
        self.profile.clone()
    }

    async fn complete(&self, request: &Request) -> Result<Completion, LlmError> {
        let answer = self.next(request)?;
        answer.give(request, &self.name).await
    }
}

/// The request, and why no open expectation matched it.
fn explain(request: &Request, state: &State) -> String {
    let user = request.messages.last().map(|m| m.content.as_str()).unwrap_or_default();
    let mut text = format!("{} asked {:?}", request.purpose, crate::schema::cut(user, 200));
    for (expect, _) in state.once.iter().chain(&state.always) {
        match &expect.purpose {
            Some(purpose) if *purpose != request.purpose => {}
            _ => {
                let unmet = expect.unmet(request).unwrap_or_default();
                text.push_str(&format!("\n  not ({expect}): unmet: {unmet}"));
            }
        }
    }
    text
}

#[cfg(test)]
#[path = "scripted_tests.rs"]
mod tests;
