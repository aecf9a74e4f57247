//! What artoo can do, told without any configuration or key.

use agent_client_protocol::schema::ProtocolVersion;
use agent_client_protocol::v1::schema::{
    AgentCapabilities, AuthMethod, AuthMethodAgent, AuthMethodTerminal, ClientCapabilities, Implementation,
    InitializeResponse, McpCapabilities, PromptCapabilities, SessionCapabilities, SessionCloseCapabilities,
    SessionListCapabilities, SessionMode, SessionModeState, SessionResumeCapabilities,
};
use artoo_front_end::{RunMode, SetUp};

/// The id of the way to sign in that every client has: a model that is set up.
pub(crate) const SET_UP: &str = "artoo-setup";

/// The id of the same in a terminal of the client.
const SET_UP_IN_TERMINAL: &str = "artoo-setup-in-terminal";

/// The answer to `initialize`. `set_up` says how a user chooses a model.
pub(crate) fn response(set_up: SetUp, client: &ClientCapabilities) -> InitializeResponse {
    let sessions = SessionCapabilities::new()
        .list(SessionListCapabilities::new())
        .resume(SessionResumeCapabilities::new())
        .close(SessionCloseCapabilities::new());
    let capabilities = AgentCapabilities::new()
        .load_session(true)
        .prompt_capabilities(PromptCapabilities::new().image(true).embedded_context(true))
        .mcp_capabilities(McpCapabilities::new().http(true))
        .session_capabilities(sessions);
    let by_user = AuthMethodAgent::new(SET_UP, "Choose a model").description(set_up.words.to_owned());
    // The client starts the agent once more, in a terminal and with this argument.
    let in_terminal = AuthMethodTerminal::new(SET_UP_IN_TERMINAL, "Choose a model in a terminal")
        .description(set_up.words.to_owned())
        .args(vec![set_up.in_terminal.to_owned()]);
    let mut methods = vec![AuthMethod::Agent(by_user)];
    if client.auth.terminal {
        methods.push(AuthMethod::Terminal(in_terminal));
    }
    InitializeResponse::new(ProtocolVersion::V1)
        .agent_capabilities(capabilities)
        .auth_methods(methods)
        .agent_info(Implementation::new("artoo", env!("CARGO_PKG_VERSION")).title("artoo".to_owned()))
}

/// The modes that a session offers.
const MODES: [RunMode; 3] = [RunMode::ReadOnly, RunMode::Ask, RunMode::Auto];

/// The mode of this id, if a session offers it.
pub(crate) fn mode(id: &str) -> Option<RunMode> {
    RunMode::named(id).filter(|mode| MODES.contains(mode))
}

/// The modes of a session.
pub(crate) fn modes(current: RunMode) -> SessionModeState {
    SessionModeState::new(current.name(), MODES.into_iter().map(described).collect())
}

fn described(mode: RunMode) -> SessionMode {
    let (name, description) = match mode {
        RunMode::ReadOnly => ("Read only", "Changes nothing."),
        RunMode::Ask => ("Ask", "Asks before each effect, new files included."),
        RunMode::Auto | RunMode::Never => {
            ("Auto", "Asks before what cannot be taken back or cannot be known.")
        }
    };
    SessionMode::new(mode.name(), name).description(description.to_owned())
}
