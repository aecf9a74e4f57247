//! Shared test setup: a run with its folders, a person who answers, and servers that behave as they are told.

use std::collections::{BTreeMap, VecDeque};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use artoo_consent::{Answer, Consent, Question, Rules};
use artoo_mcp::{Connection, McpError, McpTool, ServerConfig, ServerTable, ServerTools, StartContext};
use artoo_redaction::Redactor;
use artoo_snapshot::{Snapshot, SnapshotLimits};
use artoo_test_needs::{Ability, has, skip};
use artoo_tools::{EvidenceStore, RunFolders, ToolContext, Toolbox};
use artoo_types::{Arguments, CallId, ToolCall, ToolName};
use serde_json::Value;
use tokio_util::sync::CancellationToken;

/// A person who answers as told, and remembers what they were asked.
#[derive(Default)]
pub(crate) struct Person {
    pub(crate) says_no: bool,
    pub(crate) words: Mutex<VecDeque<String>>,
    pub(crate) questions: Mutex<Vec<Question>>,
    pub(crate) asked_for_words: Mutex<Vec<String>>,
    pub(crate) rules: Rules,
}

#[async_trait::async_trait]
impl Consent for Person {
    fn rules(&self) -> Rules {
        self.rules.clone()
    }

    fn takes_rules(&self) -> bool {
        self.rules.file().is_some()
    }

    async fn ask(&self, question: Question) -> Answer {
        let ruled = self.rules.ruling(question.proposed()).map(|ruled| (ruled.allows(), ruled.words()));
        self.questions.lock().unwrap().push(question);
        match ruled {
            Some((true, _)) => Answer::Yes,
            _ if self.says_no => Answer::No { reason: "no".to_owned() },
            _ => Answer::Yes,
        }
    }

    async fn ask_words(&self, question: String) -> Option<String> {
        self.asked_for_words.lock().unwrap().push(question);
        self.words.lock().unwrap().pop_front().filter(|words| !words.is_empty())
    }
}

pub(crate) struct Scene {
    root: tempfile::TempDir,
    /// What all processes of its servers have among their arguments.
    pub(crate) mark: String,
    pub(crate) person: Arc<Person>,
    pub(crate) cx: ToolContext,
    pub(crate) start: StartContext,
}

/// A scene, or `None` (with a message) where no server can be confined, or none can be run.
pub(crate) fn scene() -> Option<Scene> {
    scene_with(Person::default())
}

pub(crate) fn scene_with(person: Person) -> Option<Scene> {
    if !has("python3") {
        return None;
    }
    if let artoo_sandbox::Support::Missing(reason) = artoo_sandbox::probe() {
        skip(Ability::Landlock, reason);
        return None;
    }
    let root = tempfile::tempdir().unwrap();
    Some(Scene::below(root, person))
}

impl Scene {
    fn below(root: tempfile::TempDir, person: Person) -> Self {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let real = root.path().canonicalize().unwrap();
        let folder = |name: &str| {
            let path = real.join(name);
            fs::create_dir_all(&path).unwrap();
            path
        };
        let (home, data) = (folder("home"), folder("data"));
        let environment = BTreeMap::from([
            ("PATH".into(), artoo_test_needs::path().into()),
            ("HUB_TOKEN".into(), "t-secret-of-the-hub".into()),
            ("OTHER_TOKEN".into(), "t-secret-of-others".into()),
        ]);
        let folders = RunFolders {
            working_folder: folder("work"),
            workspace: folder("home/artoo_workspace"),
            home: home.clone(),
            private_tmp: folder("tmp"),
        };
        let person = Arc::new(person);
        let cx = ToolContext {
            protected: vec![data.clone()].into(),
            environment: environment.clone(),
            consent: Arc::clone(&person) as Arc<dyn Consent>,
            snapshot: Some(Snapshot::new(
                real.join("data/undo"),
                vec![data.clone()],
                SnapshotLimits::default(),
            )),
            ..ToolContext::new(folders, EvidenceStore::open(real.join("data/evidence")).unwrap())
        };
        let start = StartContext {
            home,
            folder: cx.working_folder.clone(),
            private_tmp: cx.private_tmp.clone(),
            protected: vec![data].into(),
            read_only: Vec::new(),
            environment,
            redactor: Redactor::new(),
            logins: Some(real.join("data/logins")),
            cancel: CancellationToken::new(),
        };
        Self { mark: format!("mark-{}-{number}", std::process::id()), person, cx, start, root }
    }

    /// A folder for files, which is there.
    pub(crate) fn folder(&self, name: &str) -> PathBuf {
        let folder = self.root.path().canonicalize().unwrap().join(name);
        fs::create_dir_all(&folder).unwrap();
        folder
    }

    /// A server that behaves like this.
    pub(crate) fn config(&self, mode: &str, table: ServerTable) -> ServerConfig {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/server.py");
        let args = [script.to_str().unwrap(), mode, &self.mark].map(str::to_owned).to_vec();
        let table = ServerTable { command: Some("python3".into()), args, ..table };
        table.into_config("fake".parse().unwrap(), &self.start.home).unwrap()
    }

    pub(crate) async fn start(&self, mode: &str, table: ServerTable) -> Result<Arc<Connection>, McpError> {
        Connection::start(self.config(mode, table), &self.start).await
    }

    /// All tools of a server, as a toolbox of a run has them.
    pub(crate) fn toolbox(&self, server: &Arc<Connection>) -> Toolbox {
        let tools = ServerTools::new(McpTool::of(server, &server.definitions()));
        tools.offered(100).into_iter().fold(Toolbox::standard(), Toolbox::with_shared)
    }

    pub(crate) async fn call(&self, server: &Arc<Connection>, tool: &str, arguments: Value) -> ToolCall {
        self.call_in(&self.toolbox(server), tool, arguments).await
    }

    pub(crate) async fn call_in(&self, toolbox: &Toolbox, tool: &str, arguments: Value) -> ToolCall {
        let arguments: Arguments = arguments.as_object().unwrap().clone();
        let id = CallId::new(uuid::Uuid::from_u128(7));
        toolbox.call(id, &ToolName::new(tool), arguments, &self.cx).await
    }

    /// Waits until no process of its servers is left.
    pub(crate) async fn nothing_is_left(&self) {
        until(|| processes(&self.mark).is_empty().then_some(())).await;
    }
}

/// A table with these folders.
pub(crate) fn folders(folders: &[&Path]) -> ServerTable {
    ServerTable {
        folders: folders.iter().map(|folder| folder.to_path_buf()).collect(),
        ..ServerTable::default()
    }
}

/// A table with few seconds to start.
pub(crate) fn soon() -> ServerTable {
    ServerTable { start_timeout: Some(3), ..ServerTable::default() }
}

/// The reason of a call that must have failed.
pub(crate) fn reason(call: &ToolCall) -> &str {
    &call.failure.as_ref().unwrap_or_else(|| panic!("it succeeded: {call:?}")).reason
}

/// The processes that have this among their arguments, and are not just waiting to be reaped.
pub(crate) fn processes(mark: &str) -> Vec<String> {
    let own = std::process::id().to_string();
    let all =
        fs::read_dir("/proc").unwrap().filter_map(|entry| Some(entry.ok()?.file_name().to_str()?.to_owned()));
    let is_marked = |pid: &String| {
        let words = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        words.split(|byte| *byte == 0).any(|word| word == mark.as_bytes())
    };
    all.filter(|pid| pid.parse::<u32>().is_ok() && *pid != own).filter(is_marked).collect()
}

/// Waits for something that must happen. The limit is generous: it only keeps a failing test from hanging.
pub(crate) async fn until<T>(mut look: impl FnMut() -> Option<T>) -> T {
    let begin = Instant::now();
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(begin.elapsed() < Duration::from_secs(30), "waited in vain");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}
