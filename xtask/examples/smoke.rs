//! Smoke test of `cargo xtask ci`: `smoke ARTOO` starts a mock model server, runs the binary on a request in
//! an empty home, and checks its output, its actions and its record. `smoke --serve` is the mock server alone: it prints its address, and
//! ends with its standard input.

#![expect(clippy::print_stderr, clippy::print_stdout, reason = "it says what it saw, and where it serves")]

use std::{path::Path, process::Stdio};

use artoo_llm_http::doubles::{Call, MockServer, Reply};
use serde_json::{Value, json};
use tokio::process::Command;

type Failure = Box<dyn std::error::Error + Send + Sync>;

fn main() -> std::process::ExitCode {
    let Some(artoo) = std::env::args_os().nth(1) else {
        eprintln!("usage: smoke ARTOO | --serve");
        return std::process::ExitCode::from(2);
    };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let ended = runtime.map_err(Into::into).and_then(|runtime| {
        if artoo == "--serve" { runtime.block_on(serve()) } else { runtime.block_on(run(Path::new(&artoo))) }
    });
    match ended {
        Ok(()) => std::process::ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("smoke: {error}");
            std::process::ExitCode::FAILURE
        }
    }
}

/// The model: one subtask, one command whose output is the answer, yes to what the output supports.
fn model(call: &Call) -> Reply {
    if call.path.ends_with("/models") {
        return Reply::json(&json!({"data": [{"id": "mock"}]}));
    }
    let schema = call.body.pointer("/response_format/json_schema/name").and_then(Value::as_str);
    let answer = match schema.unwrap_or_default() {
        "plan" => {
            json!({"subtasks": [{"intent": "Count the .txt files in docs", "sequence": 1, "kind": "find_out",
            "criteria": [{"text": "The output is a number", "check": "output_number"}]}]})
        }
        "action" => json!({"tool": "shell", "output_is_answer": true,
            "arguments": {"command": "find docs -maxdepth 1 -name '*.txt' | wc -l"}}),
        // The judge of `cargo xtask learn`, which passes what an output supports.
        _ => return Reply::text(artoo_evaluation::learn::model::answer(&call.body)),
    };
    Reply::text(answer.to_string())
}

/// Serves until whoever started this closes its standard input.
async fn serve() -> Result<(), Failure> {
    let server = MockServer::start(model).await?;
    println!("{}", server.base_url());
    tokio::task::spawn_blocking(|| std::io::copy(&mut std::io::stdin(), &mut std::io::sink())).await??;
    Ok(())
}

async fn run(artoo: &Path) -> Result<(), Failure> {
    let place = tempfile::tempdir()?;
    let home = place.path().join("home");
    xtask::files::copy_folder(&xtask::files::root().join("fixtures/homes/sample"), &home)?;
    let server = MockServer::start(model).await?;
    let data = place.path().join("data");
    let mut command = Command::new(artoo);
    command
        .args(["run", "--json", "--model", "mock", "--base-url", &server.base_url(), "--data-dir"])
        .arg(&data);
    command.arg("--workspace").arg(place.path().join("workspace")).arg("--cwd").arg(&home);
    if !matches!(artoo_sandbox::probe(), artoo_sandbox::Support::Enforced { .. }) {
        eprintln!("smoke: this kernel cannot confine commands, so the run is not confined");
        command.args(["--sandbox", "full-access"]);
    }
    command.arg("How many .txt files are in docs?").env_clear().env("HOME", place.path());
    command.env("PATH", std::env::var_os("PATH").unwrap_or_default()).stdin(Stdio::null());
    let output = command.output().await?;
    let (stdout, stderr) =
        (String::from_utf8(output.stdout)?, String::from_utf8_lossy(&output.stderr).into_owned());
    let told = |what: &str| {
        format!("{what} (exit {:?})\nstdout:\n{stdout}\nstderr:\n{stderr}", output.status.code())
    };
    let lines: Vec<Value> = stdout
        .lines()
        .map(serde_json::from_str)
        .collect::<Result<_, _>>()
        .map_err(|_| told("not JSON Lines"))?;
    let last = lines.last().ok_or_else(|| told("no line"))?;
    let is = |pointer: &str, wanted: Value| last.pointer(pointer) == Some(&wanted);
    if !is("/type", json!("run.finished"))
        || !is("/directive", json!("accept"))
        || output.status.code() != Some(0)
    {
        return Err(told("the run was not accepted").into());
    }
    let files = std::fs::read_dir(home.join("docs"))?.filter_map(Result::ok);
    let truth =
        files.filter(|file| file.path().extension().is_some_and(|extension| extension == "txt")).count();
    if last.get("output").map(|output| output.to_string().contains(&truth.to_string())) != Some(true) {
        return Err(told(&format!("the output does not say {truth}")).into());
    }
    let id = last.get("run_id").and_then(Value::as_str).unwrap_or_default();
    let journal = data.join("runs").join(id).join("events.jsonl");
    if !journal.is_file() {
        return Err(told(&format!("no journal at {}", journal.display())).into());
    }
    let mut command = Command::new(artoo);
    command.args(["runs", "explain", "last", "--json", "--data-dir"]).arg(&data).env_clear();
    let page = command.env("HOME", place.path()).output().await?;
    let told = String::from_utf8_lossy(&page.stdout).into_owned();
    let explained: Value = serde_json::from_str(&told).map_err(|_| format!("no explanation: {page:?}"))?;
    if explained.pointer("/rounds/0/decided/follows") != Some(&json!("yes")) {
        return Err(format!("the directive does not follow from the record: {told}").into());
    }
    eprintln!(
        "smoke: accepted, {truth} files, {} model calls, {} lines, recorded and explained",
        server.stats().requests,
        lines.len()
    );
    Ok(())
}
