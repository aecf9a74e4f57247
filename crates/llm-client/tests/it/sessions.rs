//! Recording and replaying a session.

use std::sync::Arc;
use std::time::Duration;

use artoo_llm_client::cassette::{Recorder, Redaction, Replayer};
use artoo_llm_client::doubles::{Answer, Expect, ScriptedModel};
use artoo_llm_client::{LlmClient, LlmError, Request, Usage};
use artoo_redaction::Redactor;

const CANARY: &str = "canary-9f3b-not-to-be-seen";

fn request(user: &str) -> Request {
    Request::new("executor", format!("Use the key {CANARY}."), user)
}

fn redaction() -> Redaction {
    Redaction::new(Redactor::new().secret(CANARY)).replace("/home/recorder", "~")
}

#[tokio::test]
async fn a_session_replays_as_it_was_on_another_machine() {
    let folder = tempfile::tempdir().unwrap();
    let timed_out = || LlmError::TimedOut {
        url: "http://localhost".into(),
        phase: "stopped sending",
        waited: Duration::from_secs(60),
        usage: Usage { prompt_tokens: 40, requests: 2, ..Usage::default() },
    };
    let model = ScriptedModel::new()
        .named("real")
        .unstructured()
        .expect(Expect::any().user_contains("one"), Answer::text("first"))
        .expect(Expect::any().user_contains("one"), Answer::text("second"))
        .expect(Expect::any().user_contains("two"), Answer::error(timed_out));
    let recorder = Recorder::create(Arc::new(model), folder.path(), redaction()).unwrap();
    let mut recorded = Vec::new();
    for user in ["one in /home/recorder", "one in /home/recorder", "two"] {
        recorded.push(
            recorder.complete(&request(user)).await.map_err(|error| (error.to_string(), error.usage())),
        );
    }
    assert_eq!(recorder.problems(), Vec::<String>::new());

    let redaction = Redaction::new(Redactor::new().secret(CANARY)).replace("/home/replayer", "~");
    let replayer = Replayer::open(folder.path(), redaction).unwrap();
    assert_eq!((replayer.model(), replayer.structured()), ("real", false));
    let mut replayed = Vec::new();
    for user in ["one in /home/replayer", "one in /home/replayer", "two"] {
        replayed.push(
            replayer.complete(&request(user)).await.map_err(|error| (error.to_string(), error.usage())),
        );
    }
    assert_eq!(replayed, recorded);

    for unknown in ["one in /home/replayer", "three"] {
        let error = replayer.complete(&request(unknown)).await.unwrap_err();
        assert!(matches!(error, LlmError::Unscripted { .. }), "{error}");
    }
}

#[tokio::test]
async fn no_secret_reaches_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let echo = Answer::with(|request| format!("{} sk-0123456789abcdefghij", request.system));
    let denied = || LlmError::Status {
        url: "http://localhost".into(),
        status: 401,
        message: format!("bad key {CANARY}"),
        usage: Usage::default(),
    };
    let model = ScriptedModel::new()
        .named(format!("model-{CANARY}"))
        .expect(Expect::any(), echo)
        .expect(Expect::any(), Answer::error(denied));
    let recorder = Recorder::create(Arc::new(model), folder.path(), redaction()).unwrap();
    for user in [CANARY, "OPENAI_API_KEY=verysecret1"] {
        // The caller's result is unchanged.
        if let Ok(completion) = recorder.complete(&request(user)).await {
            assert!(completion.text.contains(CANARY));
        }
    }
    let files: Vec<String> = std::fs::read_dir(folder.path())
        .unwrap()
        .map(|entry| std::fs::read_to_string(entry.unwrap().path()).unwrap())
        .collect();
    assert_eq!(files.len(), 2);
    for file in files {
        for secret in [CANARY, "sk-0123456789abcdefghij", "verysecret1"] {
            assert!(!file.contains(secret), "{secret} in {file}");
        }
        assert!(file.contains("[redacted: secret]"));
    }
}

#[tokio::test]
async fn two_sessions_never_mix_and_a_full_disk_costs_no_answer() {
    let folder = tempfile::tempdir().unwrap();
    let always = || ScriptedModel::new().always(Expect::any(), Answer::text("ok"));
    let first = Recorder::create(Arc::new(always()), folder.path(), redaction()).unwrap();
    first.complete(&request("x")).await.unwrap();
    assert!(Recorder::create(Arc::new(always()), folder.path(), redaction()).is_err());

    std::fs::remove_dir_all(folder.path()).unwrap();
    assert_eq!(first.complete(&request("x")).await.unwrap().text, "ok");
    assert_eq!(first.problems().len(), 1);
}

#[test]
fn a_folder_without_recordings_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    assert!(Replayer::open(folder.path(), Redaction::default()).is_err());
    std::fs::write(folder.path().join("a.json"), "{\"format\": 99}").unwrap();
    assert!(Replayer::open(folder.path(), Redaction::default()).is_err());
}
