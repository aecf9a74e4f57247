//! What the tests share: a context, and a way to call.

use std::sync::Arc;

use artoo_tools::{EvidenceStore, RunFolders, ToolContext, Toolbox};
use artoo_types::{Arguments, CallFailure, CallId, FailureClass, ToolCall, ToolName};
use serde_json::Value;

pub(crate) struct Scene {
    _root: tempfile::TempDir,
    pub(crate) cx: ToolContext,
}

impl Scene {
    pub(crate) fn new() -> Self {
        let root = tempfile::tempdir().unwrap();
        let real = root.path().canonicalize().unwrap();
        let folders = RunFolders {
            working_folder: real.clone(),
            workspace: real.join("workspace"),
            home: real.clone(),
            private_tmp: real.join("tmp"),
        };
        let cx = ToolContext {
            time: Arc::new(chrono::DateTime::parse_from_rfc3339("2026-11-21T23:00:00+02:00").unwrap()),
            ..ToolContext::new(folders, EvidenceStore::open(real.join("evidence")).unwrap())
        };
        Self { _root: root, cx }
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
