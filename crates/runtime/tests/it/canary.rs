//! Secrets in every place that a run sees, and in nothing that it leaves behind.

use std::{
    collections::BTreeMap,
    ffi::OsString,
    fs,
    path::{Path, PathBuf},
    sync::Arc,
};

use artoo_llm_client::{
    LlmClient, LlmError, MessageRole, Request, Usage,
    cassette::{Recorder, Redaction},
    doubles::{Answer, Expect, ScriptedModel},
};
use artoo_redaction::{Redactor, secrets_of};
use artoo_runtime::{explain::explain, journal, runs};
use artoo_types::{MessageKind, TerminalState};
use serde_json::{Value, json};

use crate::{
    fixture::{House, verdicts},
    liars::script::{answer, ask, look, write},
};

/// Strings that no file left by the run may contain.
const CANARIES: [&str; 16] = [
    "canary-of-openai-3f9a",
    "canary in a coal mine",
    "canary-of-the-url",
    "canary-dotenv-password",
    "canary dotenv secret",
    "canary0dotenv0key0",
    "AKIACANARY7EXAMPLE12",
    "ghp_CANARY0123456789abcdefghij",
    "CANARYPEM04up8hoqzS1APIB0RhjXyObwHQnOzhAk5Bd7mhkSbPkyhP1iWlCLRX6",
    "CANARYPEM2jtCHkJHtEkGgVLo0w4TLaX5h3mhkSbPkyhP1APIB0RhjXyObwHQnOz",
    "CANARY-second-half",
    "sk-proj-CANARY0123456789",
    "canary-written-by-the-model",
    "eyJhbGciOiJIUzI1NiJ9.eyJjYW5hcnkiOjF9.c2lnbmF0dXJl",
    "canary-of-a-header-0001",
    "canary-said-by-the-provider",
];

fn environment() -> BTreeMap<OsString, OsString> {
    let variables = [
        ("PATH", "/usr/local/bin:/usr/bin:/bin"),
        ("OPENAI_API_KEY", "canary-of-openai-3f9a"),
        ("MINE_PASSPHRASE", "canary in a coal mine"),
        ("DATABASE_URL", "postgres://ada:canary-of-the-url@db/x"),
    ];
    variables.map(|(name, value)| (name.into(), value.into())).into()
}

fn redactor() -> Redactor {
    let environment = environment();
    let texts = environment.iter().map(|(name, value)| (name.to_str().unwrap(), value.to_str().unwrap()));
    secrets_of(texts).fold(Redactor::new(), Redactor::secret)
}

fn house() -> House {
    let house = House::new();
    let put = |name: &str, text: &str| fs::write(house.path("home").join(name), text).unwrap();
    put(
        ".env",
        "DB_PASSWORD=canary-dotenv-password\nSESSION_SECRET=\"canary dotenv secret\"\nSTRIPE_KEY=canary0dotenv0key0\n\
         AWS_ACCESS_KEY_ID=AKIACANARY7EXAMPLE12\nexport GH=ghp_CANARY0123456789abcdefghij\n",
    );
    put(
        "key.txt",
        "-----BEGIN RSA PRIVATE KEY-----\nCANARYPEM04up8hoqzS1APIB0RhjXyObwHQnOzhAk5Bd7mhkSbPkyhP1iWlCLRX6\n\
         CANARYPEM2jtCHkJHtEkGgVLo0w4TLaX5h3mhkSbPkyhP1APIB0RhjXyObwHQnOz\nqwXr3eA=\n-----END RSA PRIVATE KEY-----\n",
    );
    // Two writes, with time for the first to be read alone.
    put(
        "halves.sh",
        "printf 'a ghp_CANARY'; sleep 0.2; printf '0123456789abcdefghij b\\n'; printf 'sk-abc0'; sleep 0.1; echo 123456789CANARY-second-half\n",
    );
    put(
        "prose.txt",
        "He said canary in a coal mine, wrote canary-of-openai-3f9a and logged in with canary-of-the-url.\n",
    );
    put("token.txt", "ghp_CANARY0123456789abcdefghij\n");
    put(
        "log.txt",
        "curl -H 'Authorization: Bearer canary-of-a-header-0001' https://ada:canary-of-the-url@db\n\
         t=eyJhbGciOiJIUzI1NiJ9.eyJjYW5hcnkiOjF9.c2lnbmF0dXJl\n",
    );
    let line = "2026-03-01 all is well and nothing happened\n".repeat(2500);
    put("big.log", &format!("{line}key sk-proj-CANARY0123456789 used\n{line}last: AKIACANARY7EXAMPLE12\n"));
    house
}

/// Calls one after the other, then the answer.
fn model(calls: Vec<Value>, last: Value) -> ScriptedModel {
    let draft = ask(
        "Which token is in token.txt?",
        json!([{"check": "output_matches", "text": "It is a token of GitHub", "value": "^ghp_[A-Za-z0-9]{20,}$"}]),
    );
    let act = move |request: &Request| {
        let turns = request.messages.iter().filter(|message| message.role == MessageRole::User).count();
        calls.get(turns - 1).unwrap_or(&last).to_string()
    };
    ScriptedModel::new()
        .always(Expect::purpose("planner"), Answer::json(draft))
        .always(Expect::purpose("executor"), Answer::with(act))
        .always(
            Expect::purpose("meta_validator"),
            Answer::with(|request| verdicts(request, true).to_string()),
        )
}

fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { files(&path, found) } else { found.push(path) }
    }
}

/// Panics if a file below these folders contains a canary.
fn must_be_clean(folders: &[PathBuf]) -> usize {
    let mut found = Vec::new();
    folders.iter().for_each(|folder| files(folder, &mut found));
    for path in &found {
        let text = String::from_utf8_lossy(&fs::read(path).unwrap()).into_owned();
        for canary in CANARIES {
            let at = text.find(canary);
            let around = at.map(|at| {
                text.get(at.saturating_sub(60)..).unwrap_or(&text).chars().take(160).collect::<String>()
            });
            assert_eq!(around, None, "{canary} is in {}", path.display());
        }
    }
    found.len()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_secret_is_in_anything_that_a_run_leaves_behind() {
    let house = house();
    let tape = house.path("tape");
    let calls = vec![
        look("cat .env"),
        look("cat .env >&2; exit 3"),
        look("cat key.txt; echo; tail -n 4 key.txt"),
        look("sh ./halves.sh"),
        look("cat prose.txt log.txt"),
        look("cat big.log"),
        json!({"tool": "read_file", "arguments": {"path": ".env"}, "output_is_answer": false}),
        json!({"tool": "glob", "arguments": {"pattern": "*"}}),
        write("made.txt", "password=canary-written-by-the-model\n"),
    ];
    // The last call is the answer, and the check sees the original text.
    let last = json!({"tool": "shell", "arguments": {"command": "cat token.txt"}, "output_is_answer": true});
    let scripted = Arc::new(model(calls.clone(), last));
    let inner: Arc<dyn LlmClient> = Arc::clone(&scripted) as _;
    let recorder = Arc::new(Recorder::create(inner, &tape, Redaction::new(redactor())).unwrap());
    let artoo = house
        .builder(&scripted)
        .model(Arc::clone(&recorder) as _)
        .environment(environment())
        .build()
        .unwrap();
    let run = artoo.start(house.request("Which token is in token.txt?")).unwrap();
    let folder = run.folder().to_owned();
    let result = run.finished().await;
    artoo.close().await;
    assert_eq!(recorder.problems(), [""; 0]);

    // The run itself saw everything unredacted.
    assert_eq!(
        (result.directive, &result.output),
        (TerminalState::Accept, &json!("ghp_CANARY0123456789abcdefghij")),
        "{result:#?}"
    );
    let prompts: String = scripted
        .requests()
        .iter()
        .flat_map(|sent| &sent.messages)
        .map(|message| message.content.as_str())
        .collect();
    assert!(prompts.contains("canary-dotenv-password"), "the model sees the true text");

    let read = journal::read(&folder.join(journal::FILE_NAME)).unwrap();
    assert_eq!(read.damage, None);
    let finished =
        read.envelopes.iter().filter(|one| one.message.kind() == MessageKind::ToolFinished).count();
    assert!(finished > calls.len(), "every call is on record");
    assert!(must_be_clean(&[house.data_folder(), tape]) > 15);
    let record = fs::read_to_string(folder.join(journal::FILE_NAME)).unwrap();
    for kind in ["api key", "token", "password", "private key", "secret"] {
        assert!(record.contains(&format!("[redacted: {kind}]")), "no {kind} was taken out");
    }
    // Values computed from the record, and listings.
    let page = serde_json::to_string(&explain(&read)).unwrap();
    let list = format!("{:?}", runs::list(&house.data_folder()).unwrap());
    assert!(CANARIES.iter().all(|canary| !page.contains(canary) && !list.contains(canary)));
}

#[tokio::test]
async fn a_provider_that_repeats_the_key_does_not_put_it_on_record() {
    let house = House::new();
    let refused = || LlmError::Status {
        url: "https://ada:canary-of-the-url@models.example/v1".to_owned(),
        status: 401,
        message: "Incorrect API key provided: canary-of-openai-3f9a (or sk-proj-CANARY0123456789); \
                  {\"api_key\": \"canary-said-by-the-provider\"}"
            .to_owned(),
        usage: Usage::default(),
    };
    let model = Arc::new(ScriptedModel::new().always(Expect::any(), Answer::error(refused)));
    let artoo = house.builder(&model).environment(environment()).build().unwrap();
    let result = artoo.start(house.request("Count the files")).unwrap().finished().await;
    artoo.close().await;
    assert!(result.fault.is_some());
    must_be_clean(&[house.data_folder()]);
}

/// The request itself may contain a secret.
#[tokio::test]
async fn a_request_with_a_secret_is_recorded_without_it() {
    let house = house();
    let scripted = Arc::new(model(vec![look("cat token.txt")], answer("none")));
    let artoo = house.builder(&scripted).environment(environment()).build().unwrap();
    let text = "Log in with password=canary-dotenv-password and ghp_CANARY0123456789abcdefghij at \
                https://ada:canary-of-the-url@db, then say which token is in token.txt";
    artoo.start(house.request(text)).unwrap().finished().await;
    artoo.close().await;
    must_be_clean(&[house.data_folder()]);
}
