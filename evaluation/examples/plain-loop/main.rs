//! The plain loop: a model with a shell, up to 12 turns, and nothing else. It takes the options of
//! `artoo run` and prints the same final line, so that `cargo xtask eval --plain` measures it with the same
//! homes and graders.
//!
//! There is no plan, no check and no judge: the model's answer is the claim. It can say that something is
//! impossible. Its commands are confined to the home and the workspace.

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "the last line is its output")]

mod options;
mod shell;
mod turns;

use std::{sync::Arc, time::Instant};

use artoo_llm_client::{LlmClient, LlmError};
use artoo_llm_http::{HttpConfig, OpenAiCompatible};
use artoo_llm_local::{LocalModel, LocalOptions};
use options::{Model, Options};
use serde_json::{Value, json};
use shell::Shell;
use turns::{End, Talk};

fn main() -> std::process::ExitCode {
    let options = match Options::read(std::env::args().skip(1)) {
        Ok(options) => options,
        Err(reason) => {
            eprintln!("plain-loop: {reason}");
            return std::process::ExitCode::from(2);
        }
    };
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
    match runtime {
        Ok(runtime) => {
            println!("{}", runtime.block_on(run(&options)));
            std::process::ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("plain-loop: {error}");
            std::process::ExitCode::FAILURE
        }
    }
}

/// Works on the request, and reports the end as artoo does.
async fn run(options: &Options) -> Value {
    let started = Instant::now();
    let mut talk = Talk::new(&options.request);
    let ended = match client(&options.model) {
        Ok(client) => {
            let shell = Shell::new(options.home.clone(), options.workspace.clone());
            match tokio::time::timeout(options.timeout, talk.work(&*client, &shell)).await {
                Ok(ended) => ended.map_err(|error| error.to_string()),
                Err(_) => Err("timed out".to_owned()),
            }
        }
        Err(error) => Err(error.to_string()),
    };
    let (directive, output) = match ended {
        Ok(End::Answered(text)) => (json!("accept"), text),
        Ok(End::GaveUp(reason)) => (json!("abandon"), reason),
        Err(reason) => (Value::Null, reason),
    };
    json!({"v": 1, "type": "run.finished", "run_id": "plain", "directive": directive, "output": output, "summary": "",
        "elapsed_ms": u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX),
        "usage": {"calls": talk.calls, "prompt_tokens": talk.prompt_tokens, "completion_tokens": talk.completion_tokens}})
}

fn client(model: &Model) -> Result<Arc<dyn LlmClient>, LlmError> {
    Ok(match model {
        Model::Served { address, name } => Arc::new(OpenAiCompatible::new(HttpConfig::new(address, name))?),
        Model::Embedded(file) => Arc::new(LocalModel::new(LocalOptions::new(file, "embedded"))),
    })
}

#[cfg(test)]
mod tests;
