//! An earlier session as updates, for a client that shows it again.

use agent_client_protocol::v1::schema::SessionUpdate;
use artoo_runtime::sessions::Session;

use crate::updates::{chunk, message};

/// The requests and results of a session, oldest first.
pub(crate) fn updates(session: &Session) -> Vec<SessionUpdate> {
    let turn = |turn: &artoo_runtime::sessions::SessionTurn| {
        let result = turn.end.as_ref().map_or("(this run did not come to an end)", |end| end.result.as_str());
        [SessionUpdate::UserMessageChunk(chunk(turn.request.clone())), message(result)]
    };
    session.turns.iter().flat_map(turn).collect()
}
