//! The calls of the tools, read from what a client sends.

use std::path::PathBuf;

use artoo_front_end::{Inquiry, RunMode};
use artoo_types::{RunId, SessionId};
use rmcp::model::JsonObject;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// How many runs are listed unless the client says otherwise, and at most.
const LISTED: usize = 20;
const MOST_LISTED: usize = 200;

/// A call of one of the tools.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Call {
    /// Work on a request.
    Run(RunTask),
    /// Answer the open question of a run.
    Answer {
        /// The run.
        run: RunId,
        /// The name of a choice, or words.
        answer: String,
    },
    /// Look something up, or take a run back.
    Inquire(Inquiry),
}

/// What `run_task` is to do.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct RunTask {
    pub(crate) request: String,
    pub(crate) folder: PathBuf,
    pub(crate) mode: RunMode,
    pub(crate) session: Option<SessionId>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RunTaskArguments {
    request: String,
    folder: PathBuf,
    approval_mode: Option<String>,
    session: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct AnswerArguments {
    run: String,
    answer: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RunArguments {
    run: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ListArguments {
    limit: Option<usize>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RecallArguments {
    about: String,
}

impl Call {
    /// Reads a call.
    ///
    /// # Errors
    /// What is wrong with it, in a sentence for the caller; `None` if there is no such tool.
    pub(crate) fn read(tool: &str, arguments: Option<JsonObject>) -> Result<Self, Option<String>> {
        let arguments = Value::Object(arguments.unwrap_or_default());
        match tool {
            "run_task" => run_task(arguments).map_err(Some),
            "answer" => {
                let AnswerArguments { run, answer } = typed(arguments)?;
                let id = run.parse().map_err(|_| Some(format!("{run:?} is no id of a run")))?;
                Ok(Self::Answer { run: id, answer })
            }
            "undo" => run_named(arguments).map(Inquiry::Undo).map(Self::Inquire),
            "explain" => run_named(arguments).map(Inquiry::Explanation).map(Self::Inquire),
            "show_run" => run_named(arguments).map(Inquiry::Run).map(Self::Inquire),
            "list_runs" => {
                let ListArguments { limit } = typed(arguments)?;
                let most = limit.unwrap_or(LISTED).clamp(1, MOST_LISTED);
                Ok(Self::Inquire(Inquiry::Runs { most }))
            }
            "recall" => {
                let RecallArguments { about } = typed(arguments)?;
                Ok(Self::Inquire(Inquiry::Recall(about)))
            }
            _ => Err(None),
        }
    }
}

fn run_task(arguments: Value) -> Result<Call, String> {
    let given: RunTaskArguments = typed_or_why(arguments)?;
    let mode = match given.approval_mode.as_deref() {
        None => RunMode::default(),
        Some(name) => RunMode::named(name).ok_or_else(|| {
            format!(
                "there is no approval mode {name:?}; there are {}",
                RunMode::ALL.map(RunMode::name).join(", ")
            )
        })?,
    };
    let session = match given.session {
        None => None,
        Some(id) => Some(id.parse().map_err(|_| format!("{id:?} is no id of a session"))?),
    };
    if given.request.trim().is_empty() {
        return Err("the request has no words".to_owned());
    }
    Ok(Call::Run(RunTask { request: given.request, folder: given.folder, mode, session }))
}

fn run_named(arguments: Value) -> Result<String, Option<String>> {
    typed::<RunArguments>(arguments).map(|given| given.run)
}

fn typed<T: DeserializeOwned>(arguments: Value) -> Result<T, Option<String>> {
    typed_or_why(arguments).map_err(Some)
}

fn typed_or_why<T: DeserializeOwned>(arguments: Value) -> Result<T, String> {
    serde_json::from_value(arguments).map_err(|error| format!("the arguments cannot be read: {error}"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(tool: &str, arguments: Value) -> Result<Call, Option<String>> {
        Call::read(tool, arguments.as_object().cloned())
    }

    #[test]
    fn what_is_wrong_with_a_call_is_said() {
        let why = |tool: &str, arguments: Value| read(tool, arguments).unwrap_err().unwrap();
        assert!(why("run_task", json!({"folder": "/w"})).contains("missing field `request`"));
        assert!(why("run_task", json!({"request": "x", "folder": "/w", "sudo": true})).contains("`sudo`"));
        assert_eq!(why("run_task", json!({"request": " ", "folder": "/w"})), "the request has no words");
        let mode = json!({"request": "x", "folder": "/w", "approval_mode": "yolo"});
        assert!(why("run_task", mode).contains("there are read-only, ask, auto, never"));
        assert!(why("answer", json!({"run": "7", "answer": "yes"})).contains("\"7\" is no id of a run"));
        assert_eq!(read("format_disk", json!({})), Err(None));
    }

    #[test]
    fn limits_are_kept() {
        let listed = |limit: Value| read("list_runs", limit).unwrap();
        assert_eq!(listed(json!({})), Call::Inquire(Inquiry::Runs { most: 20 }));
        assert_eq!(listed(json!({"limit": 1_000_000})), Call::Inquire(Inquiry::Runs { most: 200 }));
    }
}
