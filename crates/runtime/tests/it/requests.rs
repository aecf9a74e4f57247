//! Requests that cannot be planned, and requests in every script.

use std::{fs, sync::Arc};

use artoo_llm_client::doubles::{Answer, Expect, ScriptedModel};
use artoo_runtime::StartError;
use artoo_types::{FaultKind, Limits, MessageKind};
use serde_json::json;

use crate::fixture::{House, question, say, shell};

#[tokio::test(start_paused = true)]
async fn an_empty_or_huge_request_is_answered_with_a_hint_and_asks_no_model() {
    for text in [String::new(), " \n\t".to_owned(), "!?…".to_owned(), "a ".repeat(512 * 1024)] {
        let house = House::new();
        let model = Arc::new(ScriptedModel::new());
        let artoo = house.quiet(&model).build().unwrap();
        let seen = house.run(&artoo, &text).await;
        let fault = seen.result.fault.clone().unwrap();
        assert_eq!((fault.kind, seen.exit_code()), (FaultKind::Request, 2));
        assert!(fault.hint.is_some());
        assert!(seen.result.summary.len() < 1000, "the request is not thrown back");
        assert_eq!(model.requests().len(), 0);
    }
}

#[tokio::test]
async fn every_script_survives_from_the_request_to_the_journal() {
    for (text, name) in [
        ("docs 文件夹里有多少个文件?", "文件 一.txt"),
        ("كم عدد الملفات في docs؟", "ملف.txt"),
        ("How many 📄 are in docs? 👩‍👩‍👧", "👩‍👩‍👧 e\u{301}.txt"),
    ] {
        let house = House::new();
        fs::write(house.path("home/docs").join(name), "x").unwrap();
        let model = Arc::new(
            ScriptedModel::new()
                .expect(Expect::purpose("planner").user_contains(text), Answer::json(question(text)))
                .expect(
                    Expect::purpose("executor").user_contains(text),
                    Answer::json(shell(&format!("wc -c < 'docs/{name}'"))),
                ),
        );
        let artoo = house.builder(&model).build().unwrap();
        let seen = house.run(&artoo, text).await;
        model.assert_finished();
        assert_eq!((seen.exit_code(), &seen.result.output), (0, &json!("1")), "{:#?}", seen.result);
        let line = serde_json::to_string(&seen.lines()[0]).unwrap();
        assert!(line.contains(text), "{line}");
    }
}

#[tokio::test(start_paused = true)]
async fn limits_that_make_no_sense_leave_nothing_behind() {
    let house = House::new();
    let artoo = house.quiet(&Arc::new(ScriptedModel::new())).build().unwrap();
    let mut request = house.request("Count");
    request.limits = Limits { time_budget_ms: 0, ..Limits::default() };
    let error = artoo.start(request).unwrap_err();
    assert!(matches!(error, StartError::Limits(_)), "{error}");
    assert!(error.hint().contains("time budget"));
    assert_eq!(fs::read_dir(house.data_folder().join("runs")).unwrap().count(), 0);
}

#[tokio::test(start_paused = true)]
async fn a_secret_stays_out_of_the_record_and_a_word_that_is_none_stays_in() {
    let house = House::new();
    let model = Arc::new(
        ScriptedModel::new()
            .always(Expect::purpose("planner"), Answer::json(question("Count")))
            .always(Expect::purpose("executor"), Answer::json(say("1"))),
    );
    // A local server accepts any word as a key; this one is in every line of the journal.
    let artoo = house.quiet(&model).secret("kind").secret("hunter2-hunter2").build().unwrap();
    let run = artoo.start(house.request("What kind of word is hunter2-hunter2?")).unwrap();
    let folder = run.folder().to_owned();
    let result = run.finished().await;
    assert_eq!(result.fault, None);
    let text = fs::read_to_string(folder.join(artoo_runtime::journal::FILE_NAME)).unwrap();
    assert!(!text.contains("hunter2") && text.contains("What kind of word is [redacted: secret]?"), "{text}");
    let read = artoo_runtime::journal::read(&folder.join(artoo_runtime::journal::FILE_NAME)).unwrap();
    assert_eq!(read.damage, None);
    assert!(read.envelopes.iter().any(|envelope| envelope.message.kind() == MessageKind::FinalResult));
}
