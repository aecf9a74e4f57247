//! `undo_run`: takes back what an earlier run of the conversation changed.

mod taking_back;

use std::path::PathBuf;

use artoo_types::{Arguments, ToolName};
use async_trait::async_trait;
use serde_json::{Value, json};

use self::taking_back::TakingBack;
pub(crate) use self::taking_back::obstacles;
use crate::arguments::Given;
use crate::{Tool, ToolContext, ToolEffect, ToolError, ToolReport};

/// The most characters of a request that the arguments show.
const REQUEST_SHOWN: usize = 80;

/// A run of the conversation whose changes to files can be taken back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EarlierRun {
    /// What it is called: the end of its id.
    pub name: String,
    /// What was asked.
    pub request: String,
    /// The folder of its record for undo.
    pub record: PathBuf,
}

/// Puts files back as an earlier run of the conversation found them: what it made goes, what it changed or
/// deleted comes back. All of it or nothing; what was changed since is not overwritten. It asks as any call
/// does that changes or deletes what was there before this run, and this run's own record keeps what it
/// finds, so that an undo can be undone.
///
/// Not in [`Toolbox::standard`](crate::Toolbox::standard): whoever begins a run knows the conversation.
///
/// ```
/// use artoo_tools::{EarlierRun, Tool, UndoRun};
///
/// let run = EarlierRun {
///     name: "8c74b3f2f2b5".to_owned(),
///     request: "Make new.txt".to_owned(),
///     record: "/home/ada/.artoo/runs/0197f3a2-1111-7222-8333-8c74b3f2f2b5/undo".into(),
/// };
/// assert_eq!(UndoRun::new(vec![run]).arguments()["properties"]["run"]["enum"], serde_json::json!(["8c74b3f2f2b5"]));
/// ```
#[derive(Debug, Clone)]
pub struct UndoRun {
    runs: Vec<EarlierRun>,
}

impl UndoRun {
    /// For these runs, the newest first.
    pub fn new(runs: Vec<EarlierRun>) -> Self {
        Self { runs }
    }

    fn run(&self, arguments: &Arguments) -> Result<&EarlierRun, ToolError> {
        let name = Given::new(arguments, &["run"])?.text("run")?;
        self.runs.iter().find(|run| run.name == name).ok_or_else(|| {
            let names: Vec<&str> = self.runs.iter().map(|run| run.name.as_str()).collect();
            ToolError::argument("run", format!("must be one of `{}`", names.join("`, `")))
        })
    }

    async fn undo(&self, arguments: &Arguments, cx: &ToolContext) -> Result<ToolReport, ToolError> {
        let run = self.run(arguments)?;
        if cx.cancel.is_cancelled() {
            return Err(ToolError::Cancelled);
        }
        let taking_back = TakingBack::of(self.name(), run.clone(), cx).await?;
        taking_back.consent(cx).await?;
        taking_back.done(cx).await
    }
}

#[async_trait]
impl Tool for UndoRun {
    fn name(&self) -> ToolName {
        ToolName::new("undo_run")
    }

    fn summary(&self) -> &str {
        "take back all that an earlier run of this conversation did to files; only this brings lost contents back"
    }

    /// The names of files that it says are not its own words.
    fn effect(&self) -> ToolEffect {
        ToolEffect::Edits
    }

    fn arguments(&self) -> Value {
        let names: Vec<&str> = self.runs.iter().map(|run| run.name.as_str()).collect();
        let asked = self.runs.iter().map(|run| {
            let request: String = run.request.chars().take(REQUEST_SHOWN).collect();
            format!("{} was asked {}", run.name, Value::from(request))
        });
        let described = format!("the newest first: {}", asked.collect::<Vec<_>>().join("; "));
        json!({
            "type": "object",
            "properties": { "run": { "type": "string", "enum": names, "maxLength": 40, "description": described } },
            "required": ["run"],
            "additionalProperties": false,
        })
    }

    async fn call(&self, arguments: &Arguments, cx: &ToolContext) -> ToolReport {
        match self.undo(arguments, cx).await {
            Ok(report) => report,
            Err(error) => error.into(),
        }
    }
}
