//! A home folder, an artoo in it, and answers for its model.

use std::{collections::BTreeMap, fs, path::PathBuf, sync::Arc};

use artoo_bus::{Clock as _, Observed, SystemClock};
use artoo_llm_client::doubles::ScriptedModel;
use artoo_runtime::{Artoo, Builder, RunRequest, events::Line, journal};
use artoo_sandbox::SandboxMode;
use artoo_types::{Envelope, FinalResult, Limits, Message, MessageKind, Surroundings};
use serde_json::{Value, json};

/// A temporary home with `docs`, and a data folder.
pub(crate) struct House {
    pub(crate) folder: tempfile::TempDir,
}

/// A finished run with all that was said in it.
pub(crate) struct Seen {
    pub(crate) result: FinalResult,
    pub(crate) envelopes: Vec<Envelope>,
    pub(crate) folder: PathBuf,
}

impl House {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        for (name, bytes) in [("a.txt", 10), ("b.txt", 300), ("sub/c.txt", 20), ("d.md", 999)] {
            let path = folder.path().join("home/docs").join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "x".repeat(bytes)).unwrap();
        }
        fs::create_dir_all(folder.path().join("workspace")).unwrap();
        Self { folder }
    }

    pub(crate) fn builder(&self, model: &Arc<ScriptedModel>) -> Builder {
        let path = std::ffi::OsString::from("/usr/local/bin:/usr/bin:/bin");
        Artoo::builder()
            .model(Arc::clone(model) as _)
            .data_folder(self.folder.path().join("data"))
            .environment(BTreeMap::from([("PATH".into(), path)]))
    }

    pub(crate) fn request(&self, text: &str) -> RunRequest {
        RunRequest {
            text: text.to_owned(),
            turns: Vec::new(),
            surroundings: Surroundings {
                now: SystemClock::new().now(),
                zone: "UTC".to_owned(),
                working_folder: self.folder.path().join("home"),
                workspace: self.folder.path().join("workspace"),
                home: self.folder.path().join("home"),
                platform: "linux".to_owned(),
            },
            limits: Limits::default(),
            sandbox: SandboxMode::WorkspaceWrite,
            timeout: None,
        }
    }

    /// Runs a request to its end and reads its journal back.
    pub(crate) async fn run(&self, artoo: &Artoo, text: &str) -> Seen {
        let run = artoo.start(self.request(text)).unwrap();
        let folder = run.folder().to_owned();
        let mut observer = run.observe(4096);
        let result = run.finished().await;
        let read = journal::read(&folder.join(journal::FILE_NAME)).unwrap();
        assert_eq!(read.damage, None);
        let mut live = Vec::new();
        while let Some(seen) = observer.try_recv() {
            match seen {
                Observed::Message(envelope) => live.push(envelope.seq),
                Observed::Lagged(lag) => panic!("{lag:?}"),
            }
        }
        let kept: Vec<u64> = read.envelopes.iter().map(|envelope| envelope.seq).collect();
        assert_eq!(live, kept, "the journal holds exactly what was said");
        Seen { result, envelopes: read.envelopes, folder }
    }
}

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

    pub(crate) fn lines(&self) -> Vec<Line> {
        let mut fold = artoo_runtime::events::Fold::new();
        self.envelopes.iter().flat_map(|envelope| fold.on(envelope)).collect()
    }
}

/// A plan draft with one question.
pub(crate) fn question(intent: &str) -> Value {
    json!({"subtasks": [{
        "intent": intent, "sequence": 1, "kind": "find_out",
        "criteria": [{"text": "The output is one number", "check": "output_number"}],
    }]})
}

/// A shell call whose output is the answer.
pub(crate) fn shell(command: &str) -> Value {
    json!({"tool": "shell", "arguments": {"command": command}, "output_is_answer": true})
}
