//! Errors of the connection, and errors that a client is told.

use agent_client_protocol::{Error as ProtocolError, ErrorCode};
use artoo_front_end::{HostError, HostErrorKind};
use artoo_runtime::sessions::SessionError;

/// The connection to the client failed.
#[derive(Debug, thiserror::Error)]
#[error("the connection to the client failed: {0}")]
pub struct AcpError(#[from] agent_client_protocol::Error);

/// What a client is told about an error of the host.
pub(crate) fn of_host(error: &HostError) -> ProtocolError {
    let code = match error.kind {
        HostErrorKind::Invalid => ErrorCode::INVALID_PARAMS,
        HostErrorKind::NoModel => ErrorCode::AUTH_REQUIRED,
        HostErrorKind::Failed | HostErrorKind::Gone => ErrorCode::INTERNAL_ERROR,
    };
    ProtocolError::new(code, error.to_string())
}

/// What a client is told about an error of a session.
pub(crate) fn of_session(error: &SessionError) -> ProtocolError {
    let code = match error {
        SessionError::Unknown { .. } | SessionError::Ambiguous { .. } | SessionError::Name { .. } => {
            ErrorCode::INVALID_PARAMS
        }
        SessionError::Io { .. } | SessionError::Newer { .. } | SessionError::Headless { .. } | _ => {
            ErrorCode::INTERNAL_ERROR
        }
    };
    ProtocolError::new(code, error.to_string())
}

/// A client asked for something that makes no sense.
pub(crate) fn invalid(message: impl Into<String>) -> ProtocolError {
    ProtocolError::new(ErrorCode::INVALID_PARAMS, message.into())
}
