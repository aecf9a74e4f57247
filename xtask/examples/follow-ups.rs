//! Runs the follow-up suite against the embedded model: `follow-ups MODEL.gguf`. `cargo xtask follow-ups`
//! finds the model and starts this.

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "it prints the sums")]

use std::{collections::BTreeMap, sync::Arc};

use artoo_llm_client::LlmClient;
use artoo_llm_local::{LocalModel, LocalOptions};
use artoo_perceiver::{DefaultPerceiver, Dialogue, Perceived, Perceiver as _, conformance::SaidNext};

type Failure = Box<dyn std::error::Error + Send + Sync>;

/// The cases of one language: how many were understood.
#[derive(Default)]
struct Sum {
    resolved: u32,
    open: u32,
    kept: u32,
    whole: u32,
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Failure> {
    let file = std::env::args_os().nth(1).ok_or("usage: follow-ups MODEL.gguf")?;
    let model: Arc<dyn LlmClient> = Arc::new(LocalModel::new(LocalOptions::new(file, "embedded")));
    let cases = std::fs::read(xtask::files::root().join("fixtures/follow-ups/cases.json"))?;
    let cases: Vec<SaidNext> = serde_json::from_slice(&cases)?;
    let mut sums = BTreeMap::<String, Sum>::new();
    for case in cases {
        let right = match DefaultPerceiver.perceive(&case.request(), &Dialogue::new(false), &model).await {
            Ok(Perceived::Task(task)) => case.check(&task.intent),
            Ok(Perceived::Unclear(questions)) => Err(format!("{}: asked back {questions:?}", case.id)),
            Err(error) => Err(format!("{}: {error}", case.id)),
        };
        if let Err(wrong) = &right {
            eprintln!("{wrong}");
        }
        for sum in ["all", &case.language] {
            let sum = sums.entry(sum.to_owned()).or_default();
            let (good, of) =
                if case.open { (&mut sum.resolved, &mut sum.open) } else { (&mut sum.kept, &mut sum.whole) };
            *good += u32::from(right.is_ok());
            *of += 1;
        }
    }
    println!("| language | resolved | kept word for word |\n|---|---|---|");
    for (language, Sum { resolved, open, kept, whole }) in sums {
        println!("| {language} | {resolved} of {open} | {kept} of {whole} |");
    }
    Ok(())
}
