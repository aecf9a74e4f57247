//! What goes on in a run: it is told while it goes on, and the run is the same whether anybody looks or not.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use artoo_llm_client::{
    Completion, LlmClient, LlmError, Progress, Reporter, Request,
    doubles::{Answer, Expect, ScriptedModel},
};
use artoo_runtime::control::{AnsweredAt, Peer, listen};
use artoo_types::Role;
use async_trait::async_trait;
use serde_json::json;

use crate::{
    doubles::{Series, subtask},
    events::text,
    fixture::{House, Seen, say, watched},
};

/// A model that reports this often before it answers.
struct Telling(Arc<ScriptedModel>, u64);

#[async_trait]
impl LlmClient for Telling {
    fn model(&self) -> &str {
        self.0.model()
    }

    fn structured(&self) -> bool {
        self.0.structured()
    }

    async fn complete(&self, request: &Request) -> Result<Completion, LlmError> {
        for done in 0..self.1 {
            Reporter::current().report(Progress::ReadingPrompt { done, total: self.1 });
        }
        self.0.complete(request).await
    }
}

/// A run of two steps whose model reports this often, and how often somebody who looks all the time saw a report.
async fn run(reports: u64, is_looked_at: bool) -> (Seen, usize) {
    let house = House::new();
    let model = Arc::new(
        ScriptedModel::new()
            .expect(Expect::purpose("executor").user_contains("apples"), Answer::json(say("17 apples")))
            .expect(Expect::purpose("executor").user_contains("pears"), Answer::json(say("4 pears")))
            .always(Expect::purpose("answer"), crate::doubles::composed()),
    );
    let planner =
        Series::new([vec![subtask(1, "Count the apples", &["17"]), subtask(2, "Count the pears", &["4"])]]);
    let telling = Arc::new(Telling(Arc::clone(&model), reports));
    let artoo = house.quiet(&model).model(telling).planner(planner).build().unwrap();
    let run = artoo.start(house.request("How many apples and pears are there?")).unwrap();
    let (activities, is_over) = (run.activities(), Arc::new(AtomicBool::new(false)));
    let over = Arc::clone(&is_over);
    let looking = std::thread::spawn(move || {
        let mut seen = 0;
        while is_looked_at && !over.load(Ordering::Relaxed) {
            let now = activities.now();
            seen += now.iter().filter(|one| matches!(one.progress, Progress::ReadingPrompt { .. })).count();
        }
        seen
    });
    let seen = watched(run).await;
    is_over.store(true, Ordering::Relaxed);
    (seen, looking.join().unwrap())
}

/// The lines of a run without the real time that its tools took.
fn timeless(seen: &Seen) -> String {
    const TIME: &str = "\"duration_ms\":";
    let text = text(seen);
    let mut parts = text.split(TIME);
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |text, part| text + TIME + part.trim_start_matches(|c: char| c.is_ascii_digit()))
}

/// A law: what a run records does not depend on reports or on who reads them.
#[tokio::test(start_paused = true)]
async fn the_record_is_the_same_with_and_without_a_reader() {
    let (alone, none) = run(0, false).await;
    let (told, looked) = run(20_000, true).await;
    let (unread, _) = run(20_000, false).await;
    assert_eq!(none, 0);
    assert!(looked > 0, "the reports of a model are seen");
    assert_eq!(alone.kinds(), told.kinds());
    assert_eq!(timeless(&alone), timeless(&told));
    assert_eq!(timeless(&alone), timeless(&unread));
    assert!(!text(&told).contains("reading_prompt"));
}

/// Who works, for which subtask; over the control socket as well, and no longer than the call lasts.
#[tokio::test(flavor = "multi_thread")]
async fn what_goes_on_is_told_while_it_goes_on() {
    let house = House::new();
    let model = Arc::new(ScriptedModel::new().always(Expect::purpose("executor"), Answer::hang()));
    let planner = Series::new([vec![subtask(1, "Count the apples", &["17"])]]);
    let artoo = house.quiet(&model).planner(planner).build().unwrap();
    let run = artoo.start(house.request("How many apples are there?")).unwrap();
    let _listening = listen(&run, AnsweredAt::Elsewhere).unwrap();
    let mut peer = Peer::connect(run.folder()).await.unwrap();
    let report = loop {
        if let [report] = peer.progress().await.unwrap().as_slice()
            && report.role == Role::Executor
        {
            break report.clone();
        }
        tokio::task::yield_now().await;
    };
    assert_eq!(report.progress, Progress::WaitingForModel);
    assert!(report.subtask_id.is_some(), "{report:?}");
    let here = run.activities();
    let now = here.now();
    assert_eq!((now.len(), now[0].activity, now[0].subtask_id), (1, report.activity, report.subtask_id));
    let told = peer.into_progress();
    run.canceller().cancel();
    run.finished().await;
    assert_eq!(here.now(), []);
    drop(told);
    assert_eq!(serde_json::to_value(&report).unwrap()["progress"], json!("waiting_for_model"));
}
