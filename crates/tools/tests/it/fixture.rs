//! Shared fixtures: folders, a context, and helpers to call tools.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use artoo_consent::{Answer, Consent, Question};
use artoo_snapshot::{Snapshot, SnapshotLimits};
use artoo_test_needs::{Ability, skip};
use artoo_tools::{EvidenceStore, RunFolders, ToolContext, Toolbox};
use artoo_types::{Arguments, CallFailure, CallId, FailureClass, ToolCall, ToolName};
use serde_json::Value;

/// [`Consent`] that says yes to everything: consent is tested elsewhere.
struct Everything;

#[async_trait::async_trait]
impl Consent for Everything {
    async fn ask(&self, _: Question) -> Answer {
        Answer::Yes
    }
}

pub(crate) struct Scene {
    _root: tempfile::TempDir,
    _spare: tempfile::TempDir,
    /// A folder outside of the run's folders.
    pub(crate) outside: PathBuf,
    /// artoo's data folder, which no tool may access.
    pub(crate) data: PathBuf,
    pub(crate) cx: ToolContext,
}

impl Scene {
    pub(crate) fn new() -> Self {
        let (root, spare) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let real = root.path().canonicalize().unwrap();
        let folder = |name: &str| {
            let path = real.join(name);
            fs::create_dir(&path).unwrap();
            path
        };
        let (home, data) = (folder("home"), folder("data"));
        let folders = RunFolders {
            working_folder: folder("work folder"),
            workspace: home.join("artoo_workspace"),
            home,
            private_tmp: real.join("tmp"),
        };
        let cx = ToolContext {
            protected: vec![data.clone()].into(),
            environment: BTreeMap::from([
                ("PATH".into(), artoo_test_needs::path().into()),
                ("LC_ALL".into(), "C".into()),
                ("OPENAI_API_KEY".into(), "canary".into()),
            ]),
            layer_stores: vec![real.join("data/layers"), spare.path().join("layers")],
            consent: Arc::new(Everything),
            snapshot: Some(Snapshot::new(
                real.join("data/undo"),
                vec![data.clone()],
                SnapshotLimits::default(),
            )),
            time: Arc::new(chrono::DateTime::parse_from_rfc3339("2026-11-21T23:00:00+02:00").unwrap()),
            ..ToolContext::new(folders, EvidenceStore::open(real.join("data/evidence")).unwrap())
        };
        Self { outside: folder("outside"), data, _root: root, _spare: spare, cx }
    }

    /// Creates a file in the working folder.
    pub(crate) fn file(&self, path: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.cx.working_folder.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, content).unwrap();
        path
    }

    pub(crate) async fn call(&self, tool: &str, arguments: Value) -> ToolCall {
        self.call_in(&Toolbox::standard(), tool, arguments).await
    }

    pub(crate) async fn call_in(&self, toolbox: &Toolbox, tool: &str, arguments: Value) -> ToolCall {
        let arguments: Arguments = arguments.as_object().unwrap().clone();
        let id = CallId::new(uuid::Uuid::from_u128(7));
        toolbox.call(id, &ToolName::new(tool), arguments, &self.cx).await
    }

    /// The full output of a call, from the evidence store.
    pub(crate) fn whole(&self, call: &ToolCall) -> Vec<u8> {
        call.output.evidence.as_ref().map(|id| self.cx.evidence.get(id).unwrap()).unwrap_or_default()
    }
}

/// The output of a call that must have succeeded.
pub(crate) fn shown(call: &ToolCall) -> &str {
    assert_eq!(call.failure, None, "{call:?}");
    &call.output.shown
}

/// The failure of a call that must have failed with this class.
pub(crate) fn failed(call: &ToolCall, class: FailureClass) -> &CallFailure {
    let failure = call.failure.as_ref().unwrap_or_else(|| panic!("it succeeded: {call:?}"));
    assert_eq!(failure.class, class, "{failure:?}");
    failure
}

/// Whether commands can be confined here; prints a notice if not.
pub(crate) fn can_confine() -> bool {
    let support = artoo_sandbox::probe();
    let can = matches!(support, artoo_sandbox::Support::Enforced { .. });
    if !can {
        skip(Ability::Landlock, support);
    }
    can
}

/// Writes an executable `sh` script.
pub(crate) fn program(file: &Path, script: &str) {
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    fs::write(file, format!("#!/bin/sh\n{script}\n")).unwrap();
    fs::set_permissions(file, fs::Permissions::from_mode(0o755)).unwrap();
}
