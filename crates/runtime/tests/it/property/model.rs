//! A model with arbitrary answers.

use std::{collections::VecDeque, sync::Mutex, time::Duration};

use artoo_llm_client::{Completion, LlmClient, LlmError, ModelProfile, Request, StopReason, Usage};
use async_trait::async_trait;

use super::sayings::Saying;
use crate::fixture::unreachable;

/// Returns one answer after the other, to any role; at the end it is unreachable.
pub(super) struct Mad {
    sayings: Mutex<VecDeque<Saying>>,
    profile: ModelProfile,
}

impl Mad {
    pub(super) fn new(profile: ModelProfile) -> Self {
        Self { sayings: Mutex::default(), profile }
    }

    pub(super) fn says(&self, script: Vec<Saying>) {
        *self.sayings.lock().unwrap() = script.into();
    }
}

#[async_trait]
impl LlmClient for Mad {
    fn model(&self) -> &str {
        "mad"
    }

    fn structured(&self) -> bool {
        false
    }

    fn profile(&self) -> ModelProfile {
        self.profile.clone()
    }

    async fn complete(&self, request: &Request) -> Result<Completion, LlmError> {
        let saying = self.sayings.lock().unwrap().pop_front();
        let mut stop = StopReason::End;
        let text = match saying {
            Some(Saying::Text(text)) => text,
            Some(Saying::To(sayings)) => sayings.for_purpose(&request.purpose).to_owned(),
            Some(Saying::Late(text)) => {
                tokio::time::sleep(Duration::from_secs(45)).await;
                text
            }
            Some(Saying::Cut(text)) => {
                stop = StopReason::Length;
                text
            }
            Some(Saying::Refused(text)) => {
                stop = StopReason::Refused;
                text
            }
            Some(Saying::Huge) => "{\"answer\": \"3 ".repeat(20_000),
            Some(Saying::Hang) => std::future::pending().await,
            Some(Saying::Panic) => panic!("mad"),
            Some(Saying::Misconfigured) => return Err(LlmError::Configuration { reason: "mad".to_owned() }),
            Some(Saying::Error) | None => return Err(unreachable()),
        };
        Ok(Completion { stop, ..Completion::of_text(text, Usage::default(), "mad") })
    }
}
