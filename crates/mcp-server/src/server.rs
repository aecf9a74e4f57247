//! The server: its tools, over standard input and output or HTTP.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use artoo_front_end::{Form, Host, HostRequest, Inquiry, RunMode};
use artoo_types::RunId;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, CancelTaskParams, ContentBlock,
    CreateTaskResult, GetTaskParams, GetTaskResult, Implementation, ListToolsResult, PaginatedRequestParams,
    ServerCapabilities, ServerConfig, Tool, UpdateTaskParams,
};
use rmcp::service::RequestContext;
use rmcp::task_manager::{TaskContext, TaskExit, TaskManager, TaskOptions};
use rmcp::transport::async_rw::AsyncRwTransport;
use rmcp::{ErrorData, RoleServer, ServerHandler};
use serde_json::Value;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio_util::sync::CancellationToken;

use crate::ServeError;
use crate::arguments::{Call, RunTask};
use crate::ask::{Asks, choices_of_agent, give};
use crate::definitions;
use crate::follow::{FollowEnd, FollowedRun, follow};
use crate::progress::Progress;
use crate::report::Report;
use crate::waiting::{WaitingRun, WaitingRuns};

/// How long a line of a client may be.
const MOST_BYTES: usize = 16 * 1024 * 1024;

/// How long a task is kept.
const TASK_LIFE: Duration = Duration::from_secs(24 * 60 * 60);

/// How many characters of a reply a result has; the command line shows all of it.
const MOST_SHOWN: usize = 200_000;

/// artoo as a server. Clones share the runs that wait.
#[derive(Clone)]
pub struct McpServer {
    host: Arc<dyn Host>,
    /// The folders that runs may work in; all, where there are none.
    folders: Arc<[PathBuf]>,
    waiting: WaitingRuns,
    tasks: TaskManager,
    /// The runs that this server began.
    begun: Arc<Mutex<HashSet<RunId>>>,
}

impl McpServer {
    /// A server whose runs may work in every folder of the user.
    pub fn new(host: Arc<dyn Host>) -> Self {
        Self {
            host,
            folders: Arc::default(),
            waiting: WaitingRuns::default(),
            tasks: TaskManager::new(),
            begun: Arc::default(),
        }
    }

    /// Lets runs work in these folders and below them alone. Real paths.
    #[must_use]
    pub fn within(self, folders: Vec<PathBuf>) -> Self {
        Self { folders: folders.into(), ..self }
    }

    /// Serves one client on standard input and output until it leaves. Its runs end then.
    ///
    /// # Errors
    /// [`ServeError::Connection`]. A client that leaves is no error.
    pub async fn serve_stdio(self) -> Result<(), ServeError> {
        self.serve(tokio::io::stdin(), tokio::io::stdout()).await
    }

    /// Serves one client on a pair of streams until it leaves. Its runs end then.
    ///
    /// # Errors
    /// As [`serve_stdio`](Self::serve_stdio).
    pub async fn serve(
        self,
        input: impl AsyncRead + Send + Unpin + 'static,
        output: impl AsyncWrite + Send + Unpin + 'static,
    ) -> Result<(), ServeError> {
        let failed = |error: &dyn std::fmt::Display| ServeError::Connection(error.to_string());
        let transport = AsyncRwTransport::new_server(input, output).with_max_line_length(MOST_BYTES);
        match rmcp::serve_server(self, transport).await {
            Ok(running) => running.waiting().await.map(drop).map_err(|error| failed(&error)),
            // Who leaves before the first message has done nothing wrong.
            Err(rmcp::service::ServerInitializeError::ConnectionClosed(_)) => Ok(()),
            Err(error) => Err(failed(&error)),
        }
    }

    /// Begins a run, or says in words for the caller why not.
    async fn begin(&self, task: RunTask, can_ask: bool) -> Result<FollowedRun, String> {
        let folder = self.checked(&task.folder)?;
        let session = match task.session {
            Some(session) => session,
            None => self.host.begin_session(folder.clone()).await.map_err(|error| error.to_string())?,
        };
        let request = HostRequest {
            session: Some(session),
            mode: task.mode,
            user_present: can_ask && task.mode != RunMode::Never,
            ..HostRequest::new(task.request, folder)
        };
        let run = self.host.begin(request).await.map_err(|error| error.to_string())?;
        self.begun.lock().unwrap_or_else(PoisonError::into_inner).insert(run.id());
        let report = Report::new(run.id(), Some(session));
        Ok(FollowedRun { run, report })
    }

    /// The folder, if runs may work there.
    fn checked(&self, folder: &Path) -> Result<PathBuf, String> {
        let shown = folder.display();
        if !folder.is_absolute() {
            return Err(format!("the folder {shown} is not absolute"));
        }
        let real =
            folder.canonicalize().map_err(|error| format!("the folder {shown} cannot be used: {error}"))?;
        if !real.is_dir() {
            return Err(format!("{shown} is no folder"));
        }
        let is_within = self.folders.is_empty() || self.folders.iter().any(|within| real.starts_with(within));
        if is_within {
            return Ok(real);
        }
        let folders: Vec<String> = self.folders.iter().map(|one| one.display().to_string()).collect();
        Err(format!("{shown} is outside of the folders that this server works in: {}", folders.join(", ")))
    }

    /// Follows a run and words what became of it.
    async fn follow(
        &self,
        followed: FollowedRun,
        asks: &Asks,
        progress: &Progress,
        cancel: &CancellationToken,
    ) -> CallToolResult {
        match follow(&self.host, followed, asks, progress, cancel).await {
            FollowEnd::Ended(report) => report.ended(),
            FollowEnd::Asking(followed, question) => {
                let result = followed.report.asking(&question);
                self.waiting.keep(WaitingRun { followed: *followed, question });
                result
            }
        }
    }

    /// Gives an answer to a run that waits, and goes on with it.
    async fn answer(
        &self,
        run: RunId,
        answer: &str,
        progress: &Progress,
        cancel: &CancellationToken,
    ) -> CallToolResult {
        let Some(WaitingRun { followed, question }) = self.waiting.take(run) else {
            return failure(format!(
                "run {run} asks nothing here: it has ended, or its question was answered"
            ));
        };
        if let Err(why) =
            give(&self.host, &followed.run.answerer(), &question, (answer, choices_of_agent(&question))).await
        {
            self.waiting.keep(WaitingRun { followed, question });
            return failure(why);
        }
        self.follow(followed, &Asks::Later, progress, cancel).await
    }

    /// Whether a run may be undone here: where folders limit the server, it must be one of its own.
    fn may_undo(&self, run: &str) -> bool {
        let begun = self.begun.lock().unwrap_or_else(PoisonError::into_inner);
        self.folders.is_empty() || run.parse().is_ok_and(|run| begun.contains(&run))
    }

    async fn inquire(&self, inquiry: Inquiry) -> CallToolResult {
        if let Inquiry::Undo(run) = &inquiry
            && !self.may_undo(run)
        {
            return failure(format!(
                "the run {run} is not undone: this server works in some folders alone, and undoes the runs that it began, by their whole ids"
            ));
        }
        let form = match &inquiry {
            // A page for a person: its lines as JSON are events by the thousand.
            Inquiry::Run(_) => Form::Text,
            Inquiry::Runs { .. }
            | Inquiry::Explanation(_)
            | Inquiry::Changes(_)
            | Inquiry::Recall(_)
            | Inquiry::Undo(_) => Form::Json,
        };
        match self.host.inquire(inquiry, form).await {
            Ok(reply) => {
                let make = if reply.done { CallToolResult::success } else { CallToolResult::error };
                let mut result = make(vec![ContentBlock::text(cut(&reply.text))]);
                result.structured_content = if form == Form::Json { structure(&reply.text) } else { None };
                result
            }
            Err(error) => failure(error.to_string()),
        }
    }

    /// Works on a request as a task of the protocol.
    fn as_task(&self, task: RunTask) -> CreateTaskResult {
        let life = u64::try_from(TASK_LIFE.as_millis()).unwrap_or(u64::MAX);
        let server = self.clone();
        let made = self.tasks.spawn(TaskOptions::new().with_ttl_ms(life), move |context| {
            Box::pin(async move { server.in_task(task, context).await })
        });
        CreateTaskResult::new(made)
    }

    async fn in_task(self, task: RunTask, context: TaskContext) -> Result<CallToolResult, TaskExit> {
        let followed = match self.begin(task, true).await {
            Ok(followed) => followed,
            Err(why) => return Ok(failure(why)),
        };
        let cancel = CancellationToken::new();
        let (asks, progress) = (Asks::Task(context.clone()), Progress::Task(context.clone()));
        let followed = self.follow(followed, &asks, &progress, &cancel);
        tokio::pin!(followed);
        tokio::select! {
            result = &mut followed => return Ok(result),
            () = context.cancelled() => cancel.cancel(),
        }
        // The run is on record before the task is settled.
        followed.await;
        Err(TaskExit::Cancelled)
    }
}

impl ServerHandler for McpServer {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder().enable_tools().enable_tasks().build();
        ServerConfig::new(capabilities)
            .with_server_info(Implementation::new("artoo", env!("CARGO_PKG_VERSION")))
            .with_instructions(
                "artoo works on requests in a folder of the user: it plans, runs tools, checks each result, and says what is \
                 confirmed. `run_task` begins; a result with the status `asking` waits for the user's word through `answer`; `undo` \
                 takes back what a run did to files.",
            )
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(definitions::tools()))
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        definitions::tools().into_iter().find(|tool| tool.name == name)
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let call = match Call::read(&request.name, request.arguments) {
            Ok(call) => call,
            Err(Some(why)) => return Ok(failure(why).into()),
            Err(None) => {
                return Err(ErrorData::invalid_params(format!("there is no tool {}", request.name), None));
            }
        };
        let progress = progress(&context);
        let result = match call {
            Call::Run(task) if supports_tasks(&context) => return Ok(self.as_task(task).into()),
            Call::Run(task) => match self.begin(task, true).await {
                Ok(followed) => self.follow(followed, &asks(&context), &progress, &context.ct).await,
                Err(why) => failure(why),
            },
            Call::Answer { run, answer } => self.answer(run, &answer, &progress, &context.ct).await,
            Call::Inquire(inquiry) => self.inquire(inquiry).await,
        };
        Ok(result.into())
    }

    async fn get_task(
        &self,
        request: GetTaskParams,
        _: RequestContext<RoleServer>,
    ) -> Result<GetTaskResult, ErrorData> {
        Ok(GetTaskResult::new(self.tasks.get_task(&request.task_id)?))
    }

    async fn update_task(
        &self,
        request: UpdateTaskParams,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.tasks.update_task(&request.task_id, request.input_responses)
    }

    async fn cancel_task(
        &self,
        request: CancelTaskParams,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.tasks.cancel_task(&request.task_id)
    }
}

fn supports_tasks(context: &RequestContext<RoleServer>) -> bool {
    context.client_capabilities().is_some_and(|capabilities| capabilities.supports_tasks())
}

/// A client that shows forms is asked while it waits; the newest protocol lets a server ask nothing of a client.
fn asks(context: &RequestContext<RoleServer>) -> Asks {
    let has_forms = !context.peer.supported_elicitation_modes().is_empty();
    let may_ask = context.protocol_version().is_none_or(|version| version.as_str() < "2026-07-28");
    if has_forms && may_ask { Asks::Form(context.peer.clone()) } else { Asks::Later }
}

fn progress(context: &RequestContext<RoleServer>) -> Progress {
    match context.meta.get_progress_token() {
        Some(token) => Progress::Call { peer: context.peer.clone(), token, told: AtomicU64::new(0) },
        None => Progress::Nobody,
    }
}

/// A call that failed, in words that the caller sees.
fn failure(why: impl Into<String>) -> CallToolResult {
    CallToolResult::error(vec![ContentBlock::text(why.into())])
}

/// One JSON object, or several lines of them as a list: a structured result is an object.
fn structure(text: &str) -> Option<Value> {
    if let Ok(value) = serde_json::from_str::<Value>(text) {
        return value.is_object().then_some(value);
    }
    let items: Vec<Value> = text.lines().map(serde_json::from_str).collect::<Result<_, _>>().ok()?;
    Some(serde_json::json!({ "items": items }))
}

fn cut(text: &str) -> String {
    match text.char_indices().nth(MOST_SHOWN) {
        Some((end, _)) => format!("{}\n… (cut)", text.get(..end).unwrap_or_default()),
        None => text.to_owned(),
    }
}
