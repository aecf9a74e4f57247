//! How far a call is: the weights, the prompt in percent, the tokens.

use std::sync::{Arc, Mutex};

use artoo_llm_client::{LlmClient, Progress, Reporter, Request};

use crate::tiny::Tiny;

/// The reports of a call.
async fn reports(model: &impl LlmClient, request: &Request) -> Vec<Progress> {
    let heard: Arc<Mutex<Vec<Progress>>> = Arc::default();
    let listener = Arc::clone(&heard);
    let reporter = Reporter::new(move |progress| listener.lock().unwrap().push(progress));
    reporter.during(model.complete(request)).await.unwrap();
    heard.lock().unwrap().clone()
}

#[tokio::test]
async fn the_weights_the_prompt_and_the_tokens_are_reported() {
    let tiny = Tiny::new();
    let model = tiny.model();
    // The vocabulary is of bytes, so this prompt takes several chunks.
    let request = Request::new("test", "You are noise.", "Go on. ".repeat(45)).with_max_tokens(6);
    let first = reports(&model, &request).await;
    let total = std::fs::metadata(tiny.path()).unwrap().len();
    assert_eq!(first[..2], [Progress::Queued, Progress::LoadingModel { done: 0, total }]);
    let read = |reports: &[Progress]| -> Vec<(u64, u64)> {
        let of = |report: &Progress| {
            if let Progress::ReadingPrompt { done, total } = *report { Some((done, total)) } else { None }
        };
        reports.iter().filter_map(of).collect()
    };
    let prompt = read(&first);
    assert!(prompt.len() >= 4 && prompt.is_sorted(), "{prompt:?}");
    assert!(prompt.iter().all(|(done, total)| done <= total && *total > 315), "{prompt:?}");
    assert!(prompt.last().is_some_and(|(done, total)| done * 2 > *total), "{prompt:?}");
    let of = |report: &Progress| {
        if let Progress::ReceivingAnswer { tokens, .. } = report { Some(*tokens) } else { None }
    };
    let tokens: Vec<u64> = first.iter().filter_map(of).collect();
    assert!(tokens.is_sorted() && tokens.last().is_some_and(|last| *last > 1), "{tokens:?}");
    // The weights are in memory, and the prompt is known but for its last token.
    let second = reports(&model, &request).await;
    assert!(!second.iter().any(|report| matches!(report, Progress::LoadingModel { .. })), "{second:?}");
    let again = read(&second);
    assert!(again.iter().all(|(done, total)| done + 2 > *total), "{again:?}");
}
