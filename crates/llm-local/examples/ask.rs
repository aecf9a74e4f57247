//! Asks the embedded model one question and prints the answer and its cost.
//!
//! `cargo run --release -p artoo-llm-local --example ask -- MODEL.gguf [--schema schema.json] [--system FILE]
//! [--max-tokens N] [--temperature PERCENT] [--repeat N]
//! [--threads N] [--copy] PROMPT`
#![allow(clippy::print_stdout, reason = "an example talks to its user")]

use std::error::Error;
use std::time::Instant;

use artoo_llm_client::{JsonSchema, LlmClient, Request};
use artoo_llm_local::{LocalModel, LocalOptions};

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut file = None;
    let mut prompt = None;
    let mut system = String::from("You are a helpful assistant.");
    let mut schema = None;
    let mut max_tokens = 512;
    let mut temperature = 0;
    let mut repeat = 1;
    let mut threads = 0;
    let mut copy = false;
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        let mut value = || arguments.next().ok_or_else(|| format!("{argument} needs a value"));
        match argument.as_str() {
            "--schema" => schema = Some(serde_json::from_str(&std::fs::read_to_string(value()?)?)?),
            "--system" => system = std::fs::read_to_string(value()?)?,
            "--max-tokens" => max_tokens = value()?.parse()?,
            "--temperature" => temperature = value()?.parse()?,
            "--threads" => threads = value()?.parse()?,
            "--copy" => copy = true,
            "--repeat" => repeat = value()?.parse()?,
            _ if file.is_none() => file = Some(argument),
            _ => prompt = Some(argument),
        }
    }
    let file = file.ok_or("usage: ask MODEL.gguf [--schema FILE] [--system FILE] PROMPT")?;
    let mut request =
        Request::new("ask", system, prompt.ok_or("the prompt is missing")?).with_max_tokens(max_tokens);
    request.temperature_percent = temperature;
    request.schema =
        schema.map(|schema| JsonSchema { name: "answer".to_owned(), schema: std::sync::Arc::new(schema) });

    let mut options = LocalOptions::new(file, "embedded");
    options.threads = threads;
    options.copy_weights = copy;
    let model = LocalModel::new(options);
    for _ in 0..repeat {
        let started = Instant::now();
        let answer = model.complete(&request).await?;
        println!("{}", answer.text);
        println!(
            "-- {:?}; prompt {} tokens ({} cached), answer {} tokens; {} ms ({} ms with loading)",
            answer.stop,
            answer.usage.prompt_tokens,
            answer.usage.cached_tokens,
            answer.usage.completion_tokens,
            answer.usage.elapsed_ms,
            started.elapsed().as_millis(),
        );
    }
    Ok(())
}
