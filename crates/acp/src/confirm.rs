//! Questions before a run, as requests for permission.

use agent_client_protocol::Client;
use agent_client_protocol::v1::ConnectionTo;
use agent_client_protocol::v1::schema::{
    PermissionOption, PermissionOptionKind, RequestPermissionOutcome, RequestPermissionRequest, SessionId,
    SessionNotification,
};
use artoo_front_end::{Confirm, Confirmation};
use async_trait::async_trait;
use uuid::Uuid;

use crate::updates::thought;
use crate::{diffs, permission};

/// The user of a session.
pub(crate) struct ConfirmInEditor {
    pub(crate) session: SessionId,
    pub(crate) connection: ConnectionTo<Client>,
}

impl std::fmt::Debug for ConfirmInEditor {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ConfirmInEditor").field("session", &self.session).finish_non_exhaustive()
    }
}

#[async_trait]
impl Confirm for ConfirmInEditor {
    async fn confirm(&self, confirmation: Confirmation) -> bool {
        let Confirmation { about, lines, question } = confirmation;
        let content = vec![diffs::noted(format!("{about}\n\n{}", lines.join("\n")))];
        let id = format!("before-{}", Uuid::new_v4());
        let call = permission::asking(id, &question, content);
        let options = vec![
            PermissionOption::new("yes", "Yes", PermissionOptionKind::AllowOnce),
            PermissionOption::new("no", "No", PermissionOptionKind::RejectOnce),
        ];
        let request = RequestPermissionRequest::new(self.session.clone(), call, options);
        match self.connection.send_request(request).block_task().await.map(|response| response.outcome) {
            Ok(RequestPermissionOutcome::Selected(selected)) => selected.option_id.to_string() == "yes",
            // A client that is gone says nothing.
            Ok(_) | Err(_) => false,
        }
    }

    fn notice(&self, text: &str) {
        let told = SessionNotification::new(self.session.clone(), thought(text));
        if let Err(error) = self.connection.send_notification(told) {
            tracing::debug!(%error, "a notice was not sent");
        }
    }
}
