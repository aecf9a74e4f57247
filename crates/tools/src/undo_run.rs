//! `undo_run` tool: undoes the changes of an earlier run of the conversation.

mod undo_plan;

use std::path::PathBuf;

use artoo_types::{Arguments, ToolKind, ToolName};
use async_trait::async_trait;
use serde_json::{Value, json};

use self::undo_plan::TakingBack;
pub(crate) use self::undo_plan::obstacles;
use crate::arguments::Given;
use crate::{Tool, ToolContext, ToolEffect, ToolError, ToolReport};

/// Maximum characters of a request that is shown beside its run.
const REQUEST_SHOWN: usize = 80;

/// A run of the conversation whose file changes can be undone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EarlierRun {
    /// Its name: the end of its id.
    pub name: String,
    /// The request.
    pub request: String,
    /// The folder of its undo record.
    pub record: PathBuf,
}

/// Restores files to their state before an earlier run of the conversation: created files are removed,
/// changed or deleted ones come back. All or nothing; what was changed since is not overwritten. It asks for
/// consent as any call does that changes or deletes what existed before this run, and this run's own record
/// keeps the previous state, so that an undo can be undone.
///
/// Not in [`Toolbox::standard`](crate::Toolbox::standard): only the code that starts a run knows the
/// conversation.
/// ```
/// use artoo_tools::{EarlierRun, Tool, UndoRun};
///
/// let run = EarlierRun {
///     name: "8c74b3f2f2b5".to_owned(),
///     request: "Make new.txt".to_owned(),
///     record: "/home/ada/.artoo/runs/0197f3a2-1111-7222-8333-8c74b3f2f2b5/undo".into(),
/// };
/// let tool = UndoRun::new(vec![run]);
/// assert!(tool.in_this_run().is_some_and(|told| told.ends_with("\n8c74b3f2f2b5: \"Make new.txt\"")));
/// assert_eq!(tool.arguments(), UndoRun::new(Vec::new()).arguments(), "the same in every run");
/// ```
#[derive(Debug, Clone)]
pub struct UndoRun {
    runs: Vec<EarlierRun>,
}

impl UndoRun {
    /// The tool for these runs, newest first.
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
        ToolKind::UndoRun.into()
    }

    fn summary(&self) -> &str {
        "take back all that an earlier run of this conversation did to files; only this brings lost contents back"
    }

    fn description(&self) -> &str {
        "Take back everything that an earlier run of this conversation did to files. Nothing else brings lost contents back."
    }

    /// The runs, the newest first.
    fn in_this_run(&self) -> Option<String> {
        let asked = self.runs.iter().map(|run| {
            let request: String = run.request.chars().take(REQUEST_SHOWN).collect();
            format!("{}: {}", run.name, Value::from(request))
        });
        let asked: Vec<String> = asked.collect();
        let heading = "the earlier runs that it can take back, the newest first";
        (!asked.is_empty()).then(|| format!("{heading}\n{}", asked.join("\n")))
    }

    /// The file names in its output are not its own words.
    fn effect(&self) -> ToolEffect {
        ToolEffect::Edits
    }

    fn arguments(&self) -> Value {
        json!({
            "type": "object",
            "properties": { "run": { "type": "string", "maxLength": 40, "description": "id of the run, as listed beside the step" } },
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
