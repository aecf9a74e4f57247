//! The host as a front end sees it: jobs for the main thread.

use std::path::PathBuf;
use std::sync::mpsc::Sender;

use artoo_front_end::{Form, Host, HostError, HostErrorKind, HostRequest, HostedRun, Inquiry, Reply, SetUp};
use artoo_runtime::sessions::Sessions;
use artoo_types::{ProposedRule, SessionId};
use async_trait::async_trait;
use tokio::sync::oneshot;

use crate::error::Exit;

/// A job for the main thread, and where its result goes.
pub(super) enum Job {
    Ready(oneshot::Sender<Result<(), HostError>>),
    Begin(Box<HostRequest>, oneshot::Sender<Result<HostedRun, HostError>>),
    BeginSession(PathBuf, oneshot::Sender<Result<SessionId, HostError>>),
    Sessions(oneshot::Sender<Result<Sessions, HostError>>),
    Inquire(Inquiry, Form, oneshot::Sender<Result<Reply, HostError>>),
    AllowAlways(ProposedRule, String, oneshot::Sender<Result<(), HostError>>),
    /// The front end has ended, or a signal has come: the program ends with this code.
    End(Exit),
}

/// The front end's side.
pub(super) struct Seat {
    jobs: Sender<Job>,
}

impl Seat {
    pub(super) fn new(jobs: Sender<Job>) -> Self {
        Self { jobs }
    }

    async fn ask<T>(
        &self,
        job: impl FnOnce(oneshot::Sender<Result<T, HostError>>) -> Job + Send,
    ) -> Result<T, HostError> {
        let gone = || HostError::new(HostErrorKind::Gone, "artoo is ending");
        let (send, result) = oneshot::channel();
        self.jobs.send(job(send)).map_err(|_| gone())?;
        result.await.map_err(|_| gone())?
    }
}

#[async_trait]
impl Host for Seat {
    fn set_up(&self) -> SetUp {
        SetUp {
            words: "Run `artoo setup` in a terminal once: a local server, a key, or the embedded model.",
            in_terminal: "--setup",
        }
    }

    async fn ready(&self) -> Result<(), HostError> {
        self.ask(Job::Ready).await
    }

    async fn begin(&self, request: HostRequest) -> Result<HostedRun, HostError> {
        self.ask(|send| Job::Begin(Box::new(request), send)).await
    }

    async fn begin_session(&self, folder: PathBuf) -> Result<SessionId, HostError> {
        self.ask(|send| Job::BeginSession(folder, send)).await
    }

    async fn sessions(&self) -> Result<Sessions, HostError> {
        self.ask(Job::Sessions).await
    }

    async fn inquire(&self, inquiry: Inquiry, form: Form) -> Result<Reply, HostError> {
        self.ask(|send| Job::Inquire(inquiry, form, send)).await
    }

    async fn allow_always(&self, rule: ProposedRule, reason: String) -> Result<(), HostError> {
        self.ask(|send| Job::AllowAlways(rule, reason, send)).await
    }
}
