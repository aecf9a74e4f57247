//! The agent's side of the connection: each request of the client has a method here.

use std::path::Path;
use std::sync::{Arc, OnceLock};

use agent_client_protocol::v1::schema::{
    AuthenticateRequest, AuthenticateResponse, CancelNotification, ClientCapabilities, CloseSessionRequest,
    CloseSessionResponse, InitializeRequest, ListSessionsRequest, ListSessionsResponse, LoadSessionRequest,
    LoadSessionResponse, McpServer, NewSessionRequest, NewSessionResponse, PromptRequest, PromptResponse,
    ResumeSessionRequest, ResumeSessionResponse, SessionId as ClientSessionId, SessionInfo,
    SetSessionModeRequest, SetSessionModeResponse,
};
use agent_client_protocol::v1::{ConnectionTo, Responder};
use agent_client_protocol::{Agent, Client, Error, JsonRpcResponse};
use artoo_front_end::Host;
use artoo_runtime::sessions::{Session, Sessions};
use artoo_types::SessionId;

use crate::error::{invalid, of_host, of_session};
use crate::open_sessions::OpenSessions;
use crate::turn::{SessionClient, work};
use crate::{AcpError, Transport, client_servers, commands, history, initialize, prompt};

/// How many sessions are listed at a time, and how many are looked at.
const PAGE: usize = 50;
const LOOKED_AT: usize = 1_000;

/// Serves one client until its connection ends. Runs that are active then are cancelled.
///
/// # Errors
/// [`AcpError`] if the connection fails; a client that leaves is no error.
pub async fn serve(host: Arc<dyn Host>, transport: Transport) -> Result<(), AcpError> {
    let agent = Arc::new(ArtooAgent { host, sessions: OpenSessions::default(), client: OnceLock::new() });
    // The protocol's crate handles one message after the other: whatever waits for something is a task of its own.
    macro_rules! handled {
        ($builder:expr, $($request:ty => $method:ident),+ $(,)?) => {{
            let builder = $builder;
            $(
                let this = Arc::clone(&agent);
                let builder = builder.on_receive_request(
                    async move |request: $request, responder, connection| {
                        this.$method(request, responder, connection);
                        Ok(())
                    },
                    agent_client_protocol::on_receive_request!(),
                );
            )+
            builder
        }};
    }
    let builder = handled!(
        Agent.v1().name("artoo"),
        InitializeRequest => initialize,
        AuthenticateRequest => authenticate,
        NewSessionRequest => new_session,
        LoadSessionRequest => load_session,
        ResumeSessionRequest => resume_session,
        ListSessionsRequest => list_sessions,
        CloseSessionRequest => close_session,
        SetSessionModeRequest => set_mode,
        PromptRequest => prompt,
    );
    let this = Arc::clone(&agent);
    let builder = builder.on_receive_notification(
        async move |notification: CancelNotification, _| {
            if let Ok(id) = read_id(&notification.session_id) {
                this.sessions.cancel(id);
            }
            Ok(())
        },
        agent_client_protocol::on_receive_notification!(),
    );
    Ok(builder.connect_to(transport.lines()).await?)
}

struct ArtooAgent {
    host: Arc<dyn Host>,
    sessions: OpenSessions,
    /// What the client can do; known after `initialize`.
    client: OnceLock<ClientCapabilities>,
}

impl ArtooAgent {
    fn initialize(
        self: &Arc<Self>,
        request: InitializeRequest,
        responder: Responder<agent_client_protocol::v1::schema::InitializeResponse>,
        _: ConnectionTo<Client>,
    ) {
        let response = initialize::response(self.host.set_up(), &request.client_capabilities);
        // A second `initialize` changes nothing.
        let _ = self.client.set(request.client_capabilities);
        respond(responder, Ok(response));
    }

    fn authenticate(
        self: &Arc<Self>,
        request: AuthenticateRequest,
        responder: Responder<AuthenticateResponse>,
        _: ConnectionTo<Client>,
    ) {
        let this = Arc::clone(self);
        tokio::spawn(async move {
            let is_known = request.method_id.to_string() == initialize::SET_UP;
            let ready = match is_known {
                true => this.host.ready().await.map_err(|error| of_host(&error)),
                false => Err(invalid("this method of authentication was not offered")),
            };
            respond(responder, ready.map(|()| AuthenticateResponse::new()));
        });
    }

    fn new_session(
        self: &Arc<Self>,
        request: NewSessionRequest,
        responder: Responder<NewSessionResponse>,
        connection: ConnectionTo<Client>,
    ) {
        let this = Arc::clone(self);
        tokio::spawn(async move {
            let opened = async {
                folder_exists(&request.cwd)?;
                let servers = client_servers::read(request.mcp_servers)?;
                this.host.ready().await.map_err(|error| of_host(&error))?;
                let begun = this.host.begin_session(request.cwd.clone()).await;
                let id = begun.map_err(|error| of_host(&error))?;
                this.sessions.open(id, request.cwd, servers, None).map(|mode| (id, mode))
            };
            match opened.await {
                Ok((id, mode)) => {
                    let response = NewSessionResponse::new(id.to_string()).modes(initialize::modes(mode));
                    respond(responder, Ok(response));
                    // After the answer: a client knows the session only then.
                    this.client(id, connection).tell(commands::available());
                }
                Err(error) => respond(responder, Err(error)),
            }
        });
    }

    fn load_session(
        self: &Arc<Self>,
        request: LoadSessionRequest,
        responder: Responder<LoadSessionResponse>,
        connection: ConnectionTo<Client>,
    ) {
        let this = Arc::clone(self);
        tokio::spawn(async move {
            match this.reopen(&request.session_id, &request.cwd, request.mcp_servers).await {
                Ok((session, mode)) => {
                    let client = this.client(session.id, connection);
                    // Before the answer: the protocol says that the history comes first.
                    history::updates(&session).into_iter().for_each(|update| client.tell(update));
                    respond(responder, Ok(LoadSessionResponse::new().modes(initialize::modes(mode))));
                    client.tell(commands::available());
                }
                Err(error) => respond(responder, Err(error)),
            }
        });
    }

    fn resume_session(
        self: &Arc<Self>,
        request: ResumeSessionRequest,
        responder: Responder<ResumeSessionResponse>,
        connection: ConnectionTo<Client>,
    ) {
        let this = Arc::clone(self);
        tokio::spawn(async move {
            match this.reopen(&request.session_id, &request.cwd, request.mcp_servers).await {
                Ok((session, mode)) => {
                    respond(responder, Ok(ResumeSessionResponse::new().modes(initialize::modes(mode))));
                    this.client(session.id, connection).tell(commands::available());
                }
                Err(error) => respond(responder, Err(error)),
            }
        });
    }

    fn list_sessions(
        self: &Arc<Self>,
        request: ListSessionsRequest,
        responder: Responder<ListSessionsResponse>,
        _: ConnectionTo<Client>,
    ) {
        let this = Arc::clone(self);
        tokio::spawn(async move {
            let listed = async {
                let begin = match request.cursor.as_deref() {
                    None => 0,
                    Some(cursor) => cursor.parse().map_err(|_| invalid("the cursor is none of artoo's"))?,
                };
                list(&this.stored().await?, request.cwd.as_deref(), begin)
            };
            respond(responder, listed.await);
        });
    }

    fn close_session(
        self: &Arc<Self>,
        request: CloseSessionRequest,
        responder: Responder<CloseSessionResponse>,
        _: ConnectionTo<Client>,
    ) {
        let closed = read_id(&request.session_id).and_then(|id| self.sessions.close(id));
        respond(responder, closed.map(|()| CloseSessionResponse::new()));
    }

    fn set_mode(
        self: &Arc<Self>,
        request: SetSessionModeRequest,
        responder: Responder<SetSessionModeResponse>,
        _: ConnectionTo<Client>,
    ) {
        let set = || {
            let id = read_id(&request.session_id)?;
            let name = request.mode_id.to_string();
            let mode =
                initialize::mode(&name).ok_or_else(|| invalid(format!("there is no mode {name:?}")))?;
            self.sessions.set_mode(id, mode)
        };
        respond(responder, set().map(|()| SetSessionModeResponse::new()));
    }

    fn prompt(
        self: &Arc<Self>,
        request: PromptRequest,
        responder: Responder<PromptResponse>,
        connection: ConnectionTo<Client>,
    ) {
        // In the order of the messages: a cancellation that follows finds the turn.
        let begun = read_id(&request.session_id).and_then(|id| {
            let prompt = prompt::read(request.prompt)?;
            Ok((id, prompt, self.sessions.begin(id)?))
        });
        let (id, prompt, turn) = match begun {
            Ok(begun) => begun,
            Err(error) => return respond(responder, Err(error)),
        };
        let (this, client, number) = (Arc::clone(self), self.client(id, connection.clone()), turn.number);
        let worked = async move {
            let ended = work(&this.host, &client, turn, prompt, |run| this.sessions.began(id, run)).await;
            let (response, waiting) = match ended {
                Ok(end) => (Ok(PromptResponse::new(end.reason)), end.waiting),
                Err(error) => (Err(error), None),
            };
            this.sessions.end(id, number, waiting);
            respond(responder, response);
            Ok(())
        };
        // A task of the connection: when that ends, the run is dropped, which cancels it.
        if let Err(error) = connection.spawn(worked) {
            tracing::debug!(%error, "the connection ended before the prompt began");
        }
    }

    fn client(&self, id: SessionId, connection: ConnectionTo<Client>) -> SessionClient {
        let known = self.client.get();
        let has_forms =
            known.and_then(|known| known.elicitation.as_ref()).is_some_and(|one| one.supports_form());
        let files = known.map(|known| known.fs.clone()).unwrap_or_default();
        let session = ClientSessionId::new(id.to_string());
        SessionClient { id, session, connection, has_forms, files }
    }

    async fn stored(&self) -> Result<Sessions, Error> {
        self.host.sessions().await.map_err(|error| of_host(&error))
    }

    /// Opens a session that is on record.
    async fn reopen(
        &self,
        id: &ClientSessionId,
        folder: &Path,
        servers: Vec<McpServer>,
    ) -> Result<(Session, artoo_front_end::RunMode), Error> {
        let id = read_id(id)?;
        folder_exists(folder)?;
        let session = self.stored().await?.read(id).map_err(|error| of_session(&error))?;
        let last_run = session.turns.last().map(|turn| turn.run_id);
        let mode = self.sessions.open(id, folder.to_owned(), client_servers::read(servers)?, last_run)?;
        Ok((session, mode))
    }
}

/// A page of the sessions on record, the newest first.
fn list(sessions: &Sessions, folder: Option<&Path>, begin: usize) -> Result<ListSessionsResponse, Error> {
    let all = sessions.list(LOOKED_AT).map_err(|error| of_session(&error))?;
    // One that cannot be read is left out: the command line lists it with the reason.
    let fitting =
        all.into_iter().flatten().filter(|session| folder.is_none_or(|folder| folder == session.folder));
    let mut page: Vec<Session> = fitting.skip(begin).take(PAGE + 1).collect();
    let next = (page.len() > PAGE).then(|| (begin + PAGE).to_string());
    page.truncate(PAGE);
    let info = |session: &Session| {
        SessionInfo::new(session.id.to_string(), session.folder.clone())
            .title(session.title().to_owned())
            .updated_at(session.last_at().to_rfc3339())
    };
    Ok(ListSessionsResponse::new(page.iter().map(info).collect()).next_cursor(next))
}

fn folder_exists(folder: &Path) -> Result<(), Error> {
    match (folder.is_absolute(), folder.is_dir()) {
        (true, true) => Ok(()),
        (false, _) => Err(invalid(format!("{} is not absolute", folder.display()))),
        (true, false) => Err(invalid(format!("{} is no folder", folder.display()))),
    }
}

fn read_id(id: &ClientSessionId) -> Result<SessionId, Error> {
    id.to_string().parse().map_err(|_| invalid(format!("there is no session {id}")))
}

fn respond<T: JsonRpcResponse>(responder: Responder<T>, result: Result<T, Error>) {
    // A client that is gone needs no answer.
    if let Err(error) = responder.respond_with_result(result) {
        tracing::debug!(%error, "an answer was not sent");
    }
}
