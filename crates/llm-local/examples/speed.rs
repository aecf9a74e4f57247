//! Measures the embedded model on this machine: load time, prompt and generated tokens per second, four
//! samples against one, three questions at once against one after the other, resident memory.
//!
//! `cargo run --release -p artoo-llm-local --example speed -- MODEL.gguf [ROUNDS]`
//!
//! Every round processes a prompt of some 500 tokens, and a short one for 1 and for 33 tokens of answer. The
//! best round of each counts, since other work on the machine only ever makes a round slower; the time of 32
//! tokens is the difference of the two.
#![allow(clippy::print_stdout, reason = "an example talks to its user")]

use std::error::Error;
use std::time::Instant;

use artoo_llm_client::{LlmClient, Request};
use artoo_llm_local::{LocalModel, LocalOptions};

/// One paragraph of the prompt.
const PARAGRAPH: &str = "The folder holds invoices of three years, letters, notes and photographs. Each file is \
named after its date and its sender, but the names were typed by several people over time. ";
/// Tokens generated in a round, besides the first.
const GENERATED: u32 = 32;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let file = arguments.next().ok_or("usage: speed MODEL.gguf [ROUNDS]")?;
    let rounds: u32 = arguments.next().map_or(Ok(3), |n| n.parse())?;
    let mut options = LocalOptions::new(file, "embedded");
    options.repetition_penalty_percent = 100;
    let model = LocalModel::new(options);
    let ask = |text: &str, tokens| {
        let question = format!("{text}\nWrite a long essay about order.");
        Request::new("speed", "You are terse.", question).with_max_tokens(tokens)
    };

    let started = Instant::now();
    let first = model.complete(&Request::new("speed", "", "Hi").with_max_tokens(1)).await?;
    let load = started.elapsed().as_secs_f64() - first.usage.elapsed_ms as f64 / 1e3;
    println!("load: {load:.2} s");
    let (mut prompt, mut one, mut many) = (u64::MAX, u64::MAX, u64::MAX);
    let mut length = 0;
    for round in 0..rounds {
        // Another beginning each time: the states of the last prompts are kept.
        let long = model.complete(&ask(&format!("{round}. {}", PARAGRAPH.repeat(14)), 1)).await?.usage;
        length = long.prompt_tokens - long.cached_tokens;
        prompt = prompt.min(long.elapsed_ms);
        one = one.min(model.complete(&ask("", 1)).await?.usage.elapsed_ms);
        many = many.min(model.complete(&ask("", 1 + GENERATED)).await?.usage.elapsed_ms);
    }
    println!("prompt: {:.1} tokens/s ({length} tokens)", length as f64 / prompt as f64 * 1e3);
    println!("generation: {:.1} tokens/s", f64::from(GENERATED) / many.saturating_sub(one) as f64 * 1e3);
    // The short prompt again, and a long prompt: the cost of the other three samples beside the first.
    for (name, text) in [("short", String::new()), ("long", PARAGRAPH.repeat(14))] {
        let question = ask(&text, 1 + GENERATED);
        let samples: Vec<Request> = (0..4).map(|number| question.sample(number)).collect();
        let (mut single, mut several) = (f64::MAX, f64::MAX);
        for _ in 0..rounds {
            let started = Instant::now();
            model.complete(&question).await?;
            single = single.min(started.elapsed().as_secs_f64());
            let started = Instant::now();
            for answer in model.complete_several(&samples).await {
                answer?;
            }
            several = several.min(started.elapsed().as_secs_f64());
        }
        println!("4 samples for 1, {name} prompt: {:.2} x the time", several / single);
    }
    // Different constant texts, as a step is asked for in several languages; another question each time, so that no prompt is known.
    let questions = |round: u32| -> Vec<Request> {
        let about = |kind| format!("You write {kind}.");
        let ask =
            |kind| Request::new("speed", about(kind), format!("{round}: write a long essay about order."));
        ["letters", "poems", "reports"].map(|kind| ask(kind).with_max_tokens(1 + GENERATED)).into()
    };
    let (mut in_turn, mut at_once) = (f64::MAX, f64::MAX);
    for round in 0..=rounds {
        let started = Instant::now();
        for question in questions(2 * round) {
            model.complete(&question).await?;
        }
        in_turn = in_turn.min(started.elapsed().as_secs_f64());
        let started = Instant::now();
        for answer in model.complete_several(&questions(2 * round + 1)).await {
            answer?;
        }
        at_once = at_once.min(started.elapsed().as_secs_f64());
    }
    println!("3 questions at once: {:.2} x the time of one after the other", at_once / in_turn);
    for line in std::fs::read_to_string("/proc/self/status")?.lines() {
        if line.starts_with("VmRSS") || line.starts_with("VmHWM") || line.starts_with("RssAnon") {
            println!("{line}");
        }
    }
    Ok(())
}
