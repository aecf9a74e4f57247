//! The time from the start of a process that speaks a protocol to its first answer.

use std::{path::Path, process::Stdio, time::Instant};

use serde_json::{Value, json};
use tokio::{
    io::{AsyncBufReadExt, AsyncWriteExt, BufReader},
    process::Command,
};

use crate::{Failure, stats};

/// Starts `artoo acp`, asks what it can do, and waits for the answer.
pub(crate) async fn of_an_editor(artoo: &Path, home: &Path) -> Result<f64, Failure> {
    let hello = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize",
        "params": {"protocolVersion": 1, "clientCapabilities": {}}});
    answered(artoo, &["acp"], home, &hello).await
}

/// Starts `artoo mcp serve`, introduces a client, and waits for the answer.
pub(crate) async fn of_an_agent(artoo: &Path, home: &Path) -> Result<f64, Failure> {
    let hello = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize",
        "params": {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}}});
    answered(artoo, &["mcp", "serve"], home, &hello).await
}

/// The floor: the same program, started for nothing but its version.
pub(crate) async fn of_nothing(artoo: &Path, home: &Path) -> Result<f64, Failure> {
    let started = Instant::now();
    let output = command(artoo, &["--version"], home).output().await?;
    if !output.status.success() {
        return Err(format!("{} --version ended with {}", artoo.display(), output.status).into());
    }
    Ok(stats::ms(started.elapsed()))
}

async fn answered(artoo: &Path, line: &[&str], home: &Path, hello: &Value) -> Result<f64, Failure> {
    let started = Instant::now();
    let mut child = command(artoo, line, home).stdin(Stdio::piped()).spawn()?;
    let (mut input, output) = child.stdin.take().zip(child.stdout.take()).ok_or("no pipes")?;
    input.write_all(format!("{hello}\n").as_bytes()).await?;
    let mut answer = String::new();
    BufReader::new(output).read_line(&mut answer).await?;
    let elapsed = started.elapsed();
    let answer: Value = serde_json::from_str(&answer)?;
    if answer.get("result").is_none() {
        return Err(format!("{} {} answered {answer}", artoo.display(), line.join(" ")).into());
    }
    drop(input);
    child.wait().await?;
    Ok(stats::ms(elapsed))
}

fn command(artoo: &Path, line: &[&str], home: &Path) -> Command {
    let mut command = Command::new(artoo);
    command.args(line).current_dir(home).env_clear().env("HOME", home);
    command.env("PATH", std::env::var_os("PATH").unwrap_or_default());
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null()).kill_on_drop(true);
    command
}
