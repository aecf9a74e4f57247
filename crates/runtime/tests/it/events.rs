//! The event lines of whole runs, verbatim.

use std::sync::Arc;

use artoo_bus::Observed;
use artoo_llm_client::doubles::{Answer, Expect, ScriptedModel};
use artoo_runtime::events::{EventFold, Line};
use serde_json::json;

use crate::{
    doubles::{Series, subtask},
    fixture::{House, Seen, question, say, verdict},
};

/// One JSON object per line, with run-specific values replaced by the order of their appearance.
pub(crate) fn text(seen: &Seen) -> String {
    let mut text = String::new();
    let home = seen.folder.ancestors().nth(3).unwrap().to_str().unwrap().to_owned();
    let mut ids: Vec<String> = Vec::new();
    for line in seen.lines() {
        let line = serde_json::to_string(&line).unwrap().replace(&home, "~");
        let mut rest = line.as_str();
        while let Some((before, quoted)) = rest.split_once('"') {
            text.push_str(before);
            text.push('"');
            let end = quoted.find('"').unwrap_or(quoted.len());
            let word = &quoted[..end];
            if word.len() == 36
                && word.bytes().filter(|byte| *byte == b'-').count() == 4
                && !word.contains(' ')
            {
                let known = ids.iter().position(|id| id == word).unwrap_or_else(|| {
                    ids.push(word.to_owned());
                    ids.len() - 1
                });
                text.push_str(&format!("id-{known}"));
            } else {
                text.push_str(word);
            }
            rest = &quoted[end..];
            if let Some(after) = rest.strip_prefix('"') {
                text.push('"');
                rest = after;
            }
        }
        text.push_str(rest);
        text.push('\n');
    }
    text
}

fn snapshot(name: &str, seen: &Seen) {
    insta::with_settings!({
        filters => vec![
            (r#""(prompt_tokens|completion_tokens|cached_tokens)":\d+"#, r#""$1":0"#),
            (r#""(duration_ms|elapsed_ms)":\d+"#, r#""$1":0"#),
        ],
        omit_expression => true,
    }, {
        insta::assert_snapshot!(name, text(seen));
    });
}

#[tokio::test(start_paused = true)]
async fn the_lines_of_a_run_that_is_accepted() {
    let house = House::new();
    let model =
        Arc::new(ScriptedModel::new().expect(Expect::purpose("executor"), Answer::json(say("17 apples"))));
    let planner = Series::new([vec![subtask(1, "Count the apples", &["17"])]]);
    let artoo = house.quiet(&model).planner(planner).build().unwrap();
    snapshot("accept", &house.run(&artoo, "How many apples are there?").await);
}

#[tokio::test(start_paused = true)]
async fn the_lines_of_a_run_that_is_planned_twice() {
    let house = House::new();
    let model = Arc::new(
        ScriptedModel::new()
            .expect(
                Expect::purpose("executor").user_contains("Step: Count the apples"),
                Answer::json(say("17 apples")),
            )
            .expect(
                Expect::purpose("executor").user_contains("Step: Count the pears"),
                Answer::json(say("some")),
            )
            .expect(Expect::purpose("executor"), Answer::json(json!({"give_up": "there is no list"})))
            // Nothing shows that it is impossible.
            .expect(Expect::purpose("agent_validator"), Answer::json(verdict(false)))
            .expect(Expect::purpose("executor").user_contains("another way"), Answer::json(say("4 pears")))
            .expect(Expect::purpose("answer"), crate::doubles::composed()),
    );
    let planner = Series::new([
        vec![subtask(1, "Count the apples", &["17"]), subtask(2, "Count the pears", &["4"])],
        vec![subtask(1, "Find out in another way how many pears there are", &["4"])],
    ]);
    let artoo = house.quiet(&model).planner(planner).build().unwrap();
    let seen = house.run(&artoo, "How many apples and pears are there?").await;
    model.assert_finished();
    assert_eq!(seen.exit_code(), 0);
    snapshot("replan", &seen);
}

#[tokio::test(start_paused = true)]
async fn live_and_from_the_journal_the_lines_are_the_same_and_the_last_is_the_end() {
    let house = House::new();
    let model = Arc::new(
        ScriptedModel::new()
            .always(Expect::purpose("planner"), Answer::json(question("Count")))
            .always(Expect::purpose("executor"), Answer::json(say("1"))),
    );
    let artoo = house.quiet(&model).build().unwrap();
    let run = artoo.start(house.request("Count")).unwrap();
    let mut observer = run.observe(1000);
    let path = run.folder().join(artoo_runtime::journal::FILE_NAME);
    run.finished().await;
    let (mut fold, mut live) = (EventFold::new(), Vec::<Line>::new());
    while let Some(Observed::Message(envelope)) = observer.recv().await {
        live.extend(fold.on(&envelope));
    }
    let mut fold = EventFold::new();
    let read = artoo_runtime::journal::read(&path).unwrap();
    let replayed: Vec<Line> = read.envelopes.iter().flat_map(|envelope| fold.on(envelope)).collect();
    assert_eq!(live, replayed);
    let last = serde_json::to_value(live.last().unwrap()).unwrap();
    assert_eq!((last["type"].as_str(), last["usage"]["calls"].as_u64()), (Some("run.finished"), Some(2)));
    let mut again = read.envelopes.last().unwrap().clone();
    again.seq += 1;
    assert_eq!(fold.on(&again), [], "after the end nothing is shown");
    // A line can be parsed by the type that wrote it.
    for line in live {
        assert_eq!(serde_json::from_value::<Line>(serde_json::to_value(&line).unwrap()).unwrap(), line);
    }
}
