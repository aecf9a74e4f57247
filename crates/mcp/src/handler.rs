//! What a server may ask and tell of its own accord.
#![expect(deprecated, reason = "servers of the older versions ask for roots and write logs")]

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use artoo_consent::{Consent, PauseClock};
use artoo_tools::OnOutput;
use rmcp::ClientHandler;
use rmcp::model::{
    ClientCapabilities, ClientConfig, ElicitRequestParams, ElicitResult, ElicitationAction,
    ElicitationCapability, ErrorData, FormElicitationCapability, Implementation, ListRootsResult,
    LoggingMessageNotificationParam, ProgressNotificationParam, ProgressToken, ProtocolVersion, Root,
    RootsCapabilities, UrlElicitationCapability,
};
use rmcp::service::{NotificationContext, RequestContext, RoleClient};
use tokio_util::sync::CancellationToken;

use crate::elicitation;
use crate::{ServerName, definition::short};

/// State that the connection shares with what the server sends by itself.
pub(crate) struct Shared {
    pub(crate) name: ServerName,
    roots: Vec<PathBuf>,
    list_changed: AtomicBool,
    progress: Mutex<HashMap<ProgressToken, Arc<OnOutput>>>,
    /// The calls in progress, the latest last: a question of the server belongs to one of them.
    calls: Mutex<Vec<(u64, QuestionContext)>>,
}

/// Who answers questions during a call.
#[derive(Clone)]
pub(crate) struct QuestionContext {
    pub(crate) consent: Arc<dyn Consent>,
    pub(crate) pauses: PauseClock,
    pub(crate) cancel: CancellationToken,
}

impl Shared {
    pub(crate) fn new(name: ServerName, roots: Vec<PathBuf>) -> Self {
        Self {
            name,
            roots,
            list_changed: AtomicBool::new(false),
            progress: Mutex::default(),
            calls: Mutex::default(),
        }
    }

    /// Whether the server said that its tools changed, since this was last asked.
    pub(crate) fn take_list_changed(&self) -> bool {
        self.list_changed.swap(false, Ordering::AcqRel)
    }

    /// Notes that its tools changed, or that nobody knows.
    pub(crate) fn note_list_changed(&self) {
        self.list_changed.store(true, Ordering::Release);
    }

    /// Passes on the progress of a request as long as the guard lives.
    pub(crate) fn watch_progress(
        self: &Arc<Self>,
        token: ProgressToken,
        to: Arc<OnOutput>,
    ) -> impl Drop + use<> {
        lock(&self.progress).insert(token.clone(), to);
        let shared = Arc::clone(self);
        OnDrop(Some(move || drop(lock(&shared.progress).remove(&token))))
    }

    /// Lets this call answer the server's questions as long as the guard lives.
    pub(crate) fn watch_questions(self: &Arc<Self>, asked: QuestionContext) -> impl Drop + use<> {
        let mut calls = lock(&self.calls);
        let number = calls.last().map_or(0, |(number, _)| number.wrapping_add(1));
        calls.push((number, asked));
        let shared = Arc::clone(self);
        OnDrop(Some(move || lock(&shared.calls).retain(|(other, _)| *other != number)))
    }

    /// The answer of a person, or of nobody.
    pub(crate) async fn answer(&self, request: ElicitRequestParams) -> ElicitResult {
        // Of several calls nobody can tell which one asks; their person is the same.
        let asked = lock(&self.calls).last().map(|(_, asked)| asked.clone());
        let Some(QuestionContext { consent, pauses, cancel }) = asked else {
            return ElicitResult::new(ElicitationAction::Cancel);
        };
        let _resting = pauses.begin();
        tokio::select! {
            answer = elicitation::answer(&self.name, request, consent.as_ref()) => answer,
            () = cancel.cancelled() => ElicitResult::new(ElicitationAction::Cancel),
        }
    }

    /// The folders in which the server may write.
    pub(crate) fn roots(&self) -> ListRootsResult {
        let uri = |folder: &PathBuf| {
            reqwest::Url::from_file_path(folder).ok().map(|url| Root::new(url.to_string()))
        };
        ListRootsResult::new(self.roots.iter().filter_map(uri).collect())
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

struct OnDrop<F: FnOnce()>(Option<F>);

impl<F: FnOnce()> Drop for OnDrop<F> {
    fn drop(&mut self) {
        if let Some(act) = self.0.take() {
            act();
        }
    }
}

/// Answers what a server asks, and hears what it tells. Requests for a model (sampling) are refused: the library does that.
pub(crate) struct Handler(pub(crate) Arc<Shared>);

impl ClientHandler for Handler {
    fn get_info(&self) -> ClientConfig {
        let mut capabilities = ClientCapabilities::default();
        capabilities.roots = Some(RootsCapabilities::default());
        let elicitation = ElicitationCapability::new();
        let elicitation = elicitation.with_form(FormElicitationCapability::default());
        capabilities.elicitation = Some(elicitation.with_url(UrlElicitationCapability::default()));
        let artoo = Implementation::new("artoo", env!("CARGO_PKG_VERSION"));
        ClientConfig::new(capabilities, artoo).with_protocol_version(ProtocolVersion::V_2025_11_25)
    }

    async fn list_roots(&self, _: RequestContext<RoleClient>) -> Result<ListRootsResult, ErrorData> {
        Ok(self.0.roots())
    }

    async fn create_elicitation(
        &self,
        request: ElicitRequestParams,
        _: RequestContext<RoleClient>,
    ) -> Result<ElicitResult, ErrorData> {
        Ok(self.0.answer(request).await)
    }

    async fn on_progress(&self, told: ProgressNotificationParam, _: NotificationContext<RoleClient>) {
        let Some(to) = lock(&self.0.progress).get(&told.progress_token).cloned() else { return };
        let of = told.total.map(|total| format!(" of {total}")).unwrap_or_default();
        let message = told.message.map(|message| format!(": {}", short(&message))).unwrap_or_default();
        to(&format!("{}{of}{message}\n", told.progress));
    }

    async fn on_logging_message(
        &self,
        told: LoggingMessageNotificationParam,
        _: NotificationContext<RoleClient>,
    ) {
        let (level, said) = (format!("{:?}", told.level), short(&told.data.to_string()));
        tracing::debug!(server = %self.0.name, level, said, "a server of tools says something");
    }

    async fn on_tool_list_changed(&self, _: NotificationContext<RoleClient>) {
        self.0.note_list_changed();
    }
}
