//! `artoo runs stop`: ends a run of another process.

use std::path::Path;
use std::time::Duration;

use artoo_runtime::control::{Order, Peer};
use artoo_runtime::journal::{self, Follow, RunState};
use artoo_runtime::runs::RunsError;

use super::runs::explained;
use crate::dispatch::Context;
use crate::error::{CommandError, Exit};
use crate::terminal::worded;
use crate::view::no_end;

/// Poll interval of the run's state.
const LOOK: Duration = Duration::from_millis(50);
/// Timeout: a run ends within seconds, and reports that.
const PATIENCE: Duration = Duration::from_secs(30);

/// Stops the run of this folder and waits until its end is recorded.
pub(super) async fn stop(context: &mut Context<'_>, folder: &Path) -> Result<Exit, CommandError> {
    let unreadable = |error| explained(RunsError::Journal(error));
    let mut follow = Follow::open(&folder.join(journal::FILE_NAME)).map_err(unreadable)?;
    match follow.read_on().map_err(unreadable)?.state {
        RunState::Running => {}
        // The run has already ended.
        state @ (RunState::Finished | RunState::Killed | RunState::Unrecorded) => {
            context.terminal.note(no_end(state).unwrap_or("this run has ended already"));
            return Ok(Exit::OK);
        }
        // The file system cannot tell whether the run is active; only its socket can.
        RunState::Unknown => {}
    }
    let failed = |error: artoo_runtime::control::ControlError| {
        CommandError::failed(format!("the run cannot be stopped from here: {error}"))
            .hint(worded(error.hint(), error.remedy()))
    };
    let mut peer = Peer::connect(folder).await.map_err(failed)?;
    peer.tell(&Order::Stop {}).await.map_err(failed)?;
    let ended = async {
        loop {
            let read = follow.read_on().map_err(unreadable)?;
            match read.state {
                RunState::Running | RunState::Unknown => tokio::time::sleep(LOOK).await,
                ended @ (RunState::Finished | RunState::Killed | RunState::Unrecorded) => {
                    return Ok::<_, CommandError>(ended);
                }
            }
        }
    };
    let ended = tokio::time::timeout(PATIENCE, ended).await.map_err(|_| {
        CommandError::failed("the run was told to end, and has not").hint("end its process with a signal")
    })??;
    match no_end(ended) {
        None => {
            context.terminal.note("stopped, and recorded");
            Ok(Exit::OK)
        }
        Some(sentence) => Err(CommandError::failed(sentence).hint("what it did: artoo runs show RUN")),
    }
}
