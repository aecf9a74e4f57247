//! Shared fixtures: a home folder, an artoo in it, and model answers.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    sync::{Arc, LazyLock},
};

use artoo_bus::{Clock as _, Observed, Refusal, SystemClock};
use artoo_llm_client::{
    LlmClient, LlmError, MessageRole, ModelProfile, Request, ToolCalling, Usage, doubles::ScriptedModel,
};
use artoo_runtime::{
    Artoo, Builder, Run, RunRequest,
    events::{self, Line},
    exit_code_with, journal,
};
use artoo_tools::Toolbox;
use artoo_types::{Envelope, FaultKind, FinalResult, Message, MessageKind, SubTaskOutcome, Surroundings};
use serde_json::{Value, json};

use crate::doubles::{Say, TokioClock};

/// A temporary home with `docs`, and a data folder.
pub(crate) struct House {
    pub(crate) folder: tempfile::TempDir,
}

/// A finished run with all its messages.
pub(crate) struct Seen {
    pub(crate) result: FinalResult,
    pub(crate) envelopes: Vec<Envelope>,
    pub(crate) folder: PathBuf,
}

impl House {
    pub(crate) fn new() -> Self {
        Self::of(tempfile::tempdir().unwrap())
    }

    /// In memory if the machine has such a file system, independent of disk speed.
    pub(crate) fn in_memory() -> Self {
        Self::of(tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap())
    }

    fn of(folder: tempfile::TempDir) -> Self {
        for (name, bytes) in [("a.txt", 10), ("b.txt", 300), ("sub/c.txt", 20), ("d.md", 999)] {
            let path = folder.path().join("home/docs").join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "x".repeat(bytes)).unwrap();
        }
        fs::create_dir_all(folder.path().join("workspace")).unwrap();
        Self { folder }
    }

    pub(crate) fn data_folder(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// With the standard tools.
    pub(crate) fn builder(&self, model: &Arc<ScriptedModel>) -> Builder {
        let path = std::ffi::OsString::from("/usr/local/bin:/usr/bin:/bin");
        Artoo::builder()
            .model(Arc::clone(model) as Arc<dyn LlmClient>)
            .task_judge(Arc::new(artoo_meta_validator::conformance::TakesTheWhole))
            .data_folder(self.data_folder())
            .environment(BTreeMap::from([("PATH".into(), path)]))
    }

    /// With one tool that needs no process, in tokio's time.
    pub(crate) fn quiet(&self, model: &Arc<ScriptedModel>) -> Builder {
        self.builder(model).clock(TokioClock::new()).toolbox(Toolbox::new().with(Say))
    }

    pub(crate) fn request(&self, text: &str) -> RunRequest {
        RunRequest::new(
            text,
            Surroundings {
                now: SystemClock::new().now(),
                zone: "UTC".to_owned(),
                working_folder: self.path("home"),
                workspace: self.path("workspace"),
                home: self.path("home"),
                platform: "linux".to_owned(),
            },
        )
    }

    /// Runs a request to its end and checks the invariants of every run.
    pub(crate) async fn run(&self, artoo: &Artoo, text: &str) -> Seen {
        watched(artoo.start(self.request(text)).unwrap()).await
    }
}

/// Waits for a run's end and checks the invariants of every run.
pub(crate) async fn watched(run: Run) -> Seen {
    let folder = run.folder().to_owned();
    let mut observer = run.observe(1);
    let run_id = run.id();
    let result = run.finished().await;
    let mut live = Vec::new();
    while let Some(seen) = observer.try_recv() {
        match seen {
            Observed::Message(envelope) => live.push(envelope),
            Observed::Lagged(lag) => panic!("{lag:?}"),
        }
    }
    let seen = recorded(result, &folder);
    assert!(seen.envelopes.iter().all(|envelope| envelope.run_id == run_id));
    let live: Vec<&Envelope> = live.iter().map(AsRef::as_ref).collect();
    let kept: Vec<&Envelope> = seen.envelopes.iter().collect();
    assert_eq!(live, kept, "the journal holds exactly what was said");
    seen
}

/// Reads a run's journal and checks the invariants of every run.
pub(crate) fn recorded(result: FinalResult, folder: &Path) -> Seen {
    let read = journal::read(&folder.join(journal::FILE_NAME)).unwrap();
    assert_eq!(read.damage, None);
    let seen = Seen { result, envelopes: read.envelopes, folder: folder.to_owned() };
    assert_eq!(seen.count(MessageKind::FinalResult), 1);
    assert!(seen.messages().any(|message| *message == Message::FinalResult(seen.result.clone())));
    let refusals: Vec<Refusal> = seen.envelopes.iter().filter_map(Refusal::of).collect();
    assert_eq!(refusals, [], "no role broke its contract");
    let lines = seen.lines();
    for line in &lines {
        let value = serde_json::to_value(line).unwrap();
        assert!(LINE.is_valid(&value), "{:#?} in {value:#}", LINE.iter_errors(&value).next());
    }
    let numbers: Vec<u64> = lines.iter().map(|line| line.seq).collect();
    assert_eq!(numbers, (1..=numbers.len() as u64).collect::<Vec<_>>());
    seen
}

static LINE: LazyLock<jsonschema::Validator> =
    LazyLock::new(|| jsonschema::validator_for(&events::schema()).unwrap());

impl Seen {
    pub(crate) fn kinds(&self) -> Vec<MessageKind> {
        self.envelopes.iter().map(|envelope| envelope.message.kind()).collect()
    }

    pub(crate) fn count(&self, kind: MessageKind) -> usize {
        self.kinds().into_iter().filter(|seen| *seen == kind).count()
    }

    pub(crate) fn messages(&self) -> impl Iterator<Item = &Message> {
        self.envelopes.iter().map(|envelope| envelope.message.as_ref())
    }

    pub(crate) fn outcomes(&self) -> Vec<SubTaskOutcome> {
        self.messages()
            .filter_map(|message| {
                if let Message::SubTaskOutcome(outcome) = message { Some(outcome.clone()) } else { None }
            })
            .collect()
    }

    pub(crate) fn lines(&self) -> Vec<Line> {
        let mut fold = events::EventFold::new();
        self.envelopes.iter().flat_map(|envelope| fold.on(envelope)).collect()
    }

    pub(crate) fn exit_code(&self) -> u8 {
        exit_code_with(&self.result, &self.outcomes())
    }

    pub(crate) fn fault(&self) -> Option<FaultKind> {
        self.result.fault.as_ref().map(|fault| fault.kind)
    }
}

/// A plan draft with one question.
pub(crate) fn question(intent: &str) -> Value {
    steps(&[(intent, 1)])
}

/// A plan draft with questions in groups, each answered by a number.
pub(crate) fn steps(steps: &[(&str, u32)]) -> Value {
    let step = |(intent, sequence): &(&str, u32)| {
        json!({
            "intent": intent, "sequence": sequence, "kind": "find_out",
            "criteria": [{"text": "The output is one number", "check": "output_number"}],
        })
    };
    json!({"subtasks": steps.iter().map(step).collect::<Vec<_>>()})
}

/// A plan draft with one question whose answer a model judges.
pub(crate) fn open_question(intent: &str) -> Value {
    json!({"subtasks": [{
        "intent": intent, "sequence": 1, "kind": "find_out",
        "criteria": [{"text": "The answer is friendly and names a colour", "check": "none"}],
    }]})
}

/// A shell call whose output is the answer.
pub(crate) fn shell(command: &str) -> Value {
    json!({"tool": "shell", "arguments": {"command": command}, "output_is_answer": true})
}

/// A call of [`Say`] whose output is the answer.
pub(crate) fn say(text: &str) -> Value {
    json!({"tool": "say", "arguments": {"text": text}, "output_is_answer": true})
}

/// A judge's verdict.
pub(crate) fn verdict(pass: bool) -> Value {
    json!({"reason": "because", "verdict": if pass { "pass" } else { "fail" }, "class": "logical"})
}

/// The same verdict on every criterion that a judge is asked about.
pub(crate) fn verdicts(request: &Request, pass: bool) -> Value {
    verdicts_of(request, &mut || verdict(pass)).unwrap_or_else(|| verdict(pass))
}

/// Consecutive verdicts for a judge that is asked about several criteria; `None` if it is asked about one.
pub(crate) fn verdicts_of(request: &Request, next: &mut dyn FnMut() -> Value) -> Option<Value> {
    let schema = &request.schema.as_ref()?.schema;
    let count = schema.pointer("/properties/verdicts/minItems").and_then(Value::as_u64)?;
    let numbered = (1..=count).map(|criterion| {
        let mut verdict = next();
        verdict["criterion"] = json!(criterion);
        verdict
    });
    Some(json!({"verdicts": numbered.collect::<Vec<_>>()}))
}

/// An unreachable server.
pub(crate) fn unreachable() -> LlmError {
    LlmError::Unreachable {
        url: "http://model.test".to_owned(),
        reason: "connection refused".to_owned(),
        usage: Usage::default(),
    }
}

/// A weak model: it is guided, and derives answers twice if requested.
pub(crate) fn guided() -> ModelProfile {
    ModelProfile { guided: true, tool_calling: ToolCalling::Json, ..ModelProfile::default() }
}

/// Where an executor's conversation is.
pub(crate) struct Progress {
    /// Whether the attempt corrects another one.
    pub(crate) corrects: bool,
    /// How many turns this attempt has had.
    pub(crate) turns: usize,
}

/// Where the executor is by what it is sent. A correction goes on with the conversation; a weak model's begins anew.
pub(crate) fn progress(request: &Request) -> Progress {
    let told = request.messages.iter().filter(|message| message.role == MessageRole::User);
    let told: Vec<&str> = told.map(|message| message.content.as_str()).collect();
    let corrected = told.iter().rposition(|text| text.contains("Your result was not accepted"));
    Progress {
        corrects: corrected.is_some() || told.iter().any(|text| text.contains("Earlier call: ")),
        turns: told.len() - 1 - corrected.unwrap_or_default(),
    }
}
