//! `LocalModel`: the embedded model as an `LlmClient`.

use std::sync::mpsc::Sender;
use std::sync::{Arc, Mutex, PoisonError};

use artoo_llm_client::{
    Completion, LlmClient, LlmError, ModelProfile, ProfileOverrides, Progress, Reporter, Request,
    calls_in_text, with_tools_in_prompt,
};
use async_trait::async_trait;
use tokio::sync::oneshot;

use crate::engine_thread::{self, Job, Reply};
use crate::options::LocalOptions;

/// A model that runs in this process, on the CPU.
///
/// Creating one costs nothing: the file is opened at the first request. Requests from any number of tasks are
/// answered one at a time in the order of arrival. Dropping the future of a request stops it at the next
/// token.
/// ```no_run
/// # async fn demo() -> Result<(), artoo_llm_client::LlmError> {
/// use artoo_llm_client::{LlmClient, Request};
/// let model = artoo_llm_local::LocalModel::new(artoo_llm_local::LocalOptions::new("/models/qwen.gguf", "qwen"));
/// let answer = model.complete(&Request::new("demo", "You are terse.", "Say hello.")).await?;
/// # let _ = answer; Ok(())
/// # }
/// ```
pub struct LocalModel {
    options: LocalOptions,
    jobs: Mutex<Option<Sender<Job>>>,
}

impl LocalModel {
    /// A model that will be loaded from `options.file` at its first request.
    pub fn new(options: LocalOptions) -> Self {
        Self { options, jobs: Mutex::new(None) }
    }

    /// Loads the model and processes these system texts in advance, so that the first request of each role is
    /// faster.
    ///
    /// # Errors
    ///
    /// Those of a request: a bad file, or a text longer than the context. Texts before the failing one are
    /// kept.
    pub async fn warm(&self, system_texts: &[Arc<str>]) -> Result<(), LlmError> {
        for text in system_texts {
            self.submit(|reply| Job::Warm(Arc::clone(text), reply)).await?;
        }
        Ok(())
    }

    fn silent(&self) -> LlmError {
        LlmError::Engine { model: self.options.name.clone(), reason: "it answered nothing".to_owned() }
    }

    /// Answers requests in a batch: at least the first of them, and as many as can be begun.
    async fn answer(&self, requests: &[Request]) -> Result<Vec<Completion>, LlmError> {
        let told = requests.iter().map(|request| with_tools_in_prompt(request).into_owned()).collect();
        let reporter = Reporter::current();
        // The engine answers one after the other, and reports as soon as it begins.
        reporter.report(Progress::Queued);
        let mut completions = self.submit(|reply| Job::Answer(told, reporter, reply)).await?;
        for (completion, request) in completions.iter_mut().zip(requests) {
            if let Some(found) = calls_in_text(&completion.text, &request.tools) {
                (completion.text, completion.calls) = (found.text, found.calls);
            }
        }
        Ok(completions)
    }

    /// Queues a job and waits for its result. Dropping the future tells the engine to stop.
    async fn submit<T>(&self, job: impl FnOnce(Reply<T>) -> Job) -> Result<T, LlmError> {
        let failed = |reason: String| LlmError::Engine { model: self.options.name.clone(), reason };
        let (reply, result) = oneshot::channel();
        self.sender()
            .map_err(|e| failed(format!("cannot start its thread: {e}")))?
            .send(job(reply))
            .map_err(|_| failed("its thread has ended".to_owned()))?;
        result.await.unwrap_or_else(|_| Err(failed("its thread ended before it answered".to_owned())))
    }

    /// The channel to the engine's thread, which is started at the first use.
    fn sender(&self) -> std::io::Result<Sender<Job>> {
        let mut jobs = self.jobs.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(sender) = &*jobs {
            return Ok(sender.clone());
        }
        let sender = engine_thread::start(self.options.clone())?;
        *jobs = Some(sender.clone());
        Ok(sender)
    }
}

#[async_trait]
impl LlmClient for LocalModel {
    fn model(&self) -> &str {
        &self.options.name
    }

    fn server(&self) -> Option<&str> {
        None
    }

    fn structured(&self) -> bool {
        true
    }

    fn profile(&self) -> ModelProfile {
        let context_tokens = u32::try_from(self.options.context).ok();
        let said = ProfileOverrides { context_tokens, ..self.options.profile.clone() };
        ModelProfile::embedded().with(&said)
    }

    async fn complete(&self, request: &Request) -> Result<Completion, LlmError> {
        let mut completions = self.answer(std::slice::from_ref(request)).await?;
        completions.pop().ok_or_else(|| self.silent())
    }

    /// All are decoded in a batch: every weight is read once per step, and the prompt of samples of one question is
    /// processed once.
    async fn complete_several(&self, requests: &[Request]) -> Vec<Result<Completion, LlmError>> {
        let mut results = Vec::with_capacity(requests.len());
        while results.last().is_none_or(Result::is_ok)
            && let Some(rest) = requests.get(results.len()..).filter(|rest| !rest.is_empty())
        {
            match self.answer(rest).await {
                Ok(completions) if !completions.is_empty() => results.extend(completions.into_iter().map(Ok)),
                Ok(_) => results.push(Err(self.silent())),
                Err(error) => results.push(Err(error)),
            }
        }
        results
    }
}

impl std::fmt::Debug for LocalModel {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("LocalModel").field("options", &self.options).finish_non_exhaustive()
    }
}
