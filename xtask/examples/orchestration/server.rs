//! The mock server as a separate process, so that its work does not count in the figures.

use std::{io::Read, process::Stdio, time::Duration};

use artoo_llm_http::doubles::{MockServer, Reply};
use tokio::{
    io::{AsyncBufReadExt, BufReader},
    process::{Child, Command},
};

use crate::{Failure, job};

/// Serves until standard input is closed: the measuring process may die in any way.
pub(crate) async fn serve(latency: Duration) -> Result<(), Failure> {
    let server =
        MockServer::start(move |call| Reply::text(job::answer_http(&call.body)).after(latency)).await?;
    crate::print(&server.base_url());
    tokio::task::spawn_blocking(|| std::io::stdin().read_to_end(&mut Vec::new())).await??;
    Ok(())
}

/// The measuring process's handle. Dropping it ends the server.
pub(crate) struct Server {
    /// Its address.
    pub(crate) url: String,
    _process: Child,
}

impl Server {
    /// Starts this program again, as the server.
    pub(crate) async fn start(latency: Duration) -> Result<Self, Failure> {
        let mut command = Command::new(std::env::current_exe()?);
        command.arg("serve").arg(latency.as_millis().to_string());
        let mut process = command.stdin(Stdio::piped()).stdout(Stdio::piped()).kill_on_drop(true).spawn()?;
        let stdout = process.stdout.take().ok_or("the server has no output")?;
        let url = BufReader::new(stdout).lines().next_line().await?.ok_or("the server did not start")?;
        Ok(Self { url, _process: process })
    }
}
