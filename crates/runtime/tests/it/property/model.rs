//! A model that has lost its mind.

use std::{collections::VecDeque, sync::Mutex, time::Duration};

use artoo_llm_client::{Completion, LlmClient, LlmError, Request, StopReason, Usage};
use async_trait::async_trait;

use super::sayings::Saying;
use crate::house::unreachable;

/// Says one thing after the other, to whoever asks; at the end it is unreachable.
#[derive(Default)]
pub(super) struct Mad(Mutex<VecDeque<Saying>>);

impl Mad {
    pub(super) fn says(&self, script: Vec<Saying>) {
        *self.0.lock().unwrap() = script.into();
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

    async fn complete(&self, request: &Request) -> Result<Completion, LlmError> {
        let saying = self.0.lock().unwrap().pop_front();
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
        Ok(Completion { text, stop, usage: Usage::default(), model: "mad".to_owned() })
    }
}
