//! Why a program failed that works through a socket of another program, such as `docker`.
//!
//! Commands reach no such socket unless the user named it ([`artoo_sandbox::Confinement::sockets`]), and the
//! program says only that it could not connect. Facts decide: the command failed, it is known to start such a
//! program, and its socket is there and was not named.

use std::path::PathBuf;

use artoo_consent::needs_socket;
use artoo_sandbox::bound_sockets;

use super::off_the_async_thread;
use crate::{ToolContext, ToolError, ToolReport};

/// The report with the reason, if that is it.
pub(super) async fn explained(
    mut report: ToolReport,
    programs: Vec<String>,
    cx: &ToolContext,
) -> Result<ToolReport, ToolError> {
    let Some(failure) = &mut report.failure else { return Ok(report) };
    if programs.is_empty() {
        return Ok(report);
    }
    let named = cx.sockets.to_vec();
    if let Some((program, socket)) = off_the_async_thread(move || out_of_reach(&programs, &named)).await? {
        failure.hint = Some(format!(
            "`{program}` works through the socket {} of another program, and commands reach no socket that this run did not \
             make; only the user can grant it (`tools.sockets` in the configuration), so do without",
            socket.display()
        ));
    }
    Ok(report)
}

/// One of the programs that does nothing without a socket, and that socket, unless the user named one for it.
/// Blocks.
fn out_of_reach(programs: &[String], named: &[PathBuf]) -> Option<(String, PathBuf)> {
    let is_granted =
        |program: &str| named.iter().any(|socket| needs_socket(socket, programs) == Some(program));
    bound_sockets().into_iter().find_map(|socket| {
        let program = needs_socket(&socket, programs)?;
        (!is_granted(program)).then(|| (program.to_owned(), socket))
    })
}
