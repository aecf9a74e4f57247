//! The lines of `--json`: those of the record, and between them what goes on at the moment.

use artoo_types::{ActivityReport, RunId};
use chrono::{DateTime, FixedOffset};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::Line;

/// What goes on in a run at one moment. It is no event: it has no number, is not in the record, and a run that is shown
/// again has none of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ProgressLine {
    /// Version of this format: 1.
    pub v: u32,
    /// Local time with its offset.
    pub ts: DateTime<FixedOffset>,
    /// The run.
    pub run_id: RunId,
    /// Tells it from the events.
    #[serde(rename = "type")]
    pub tag: ProgressTag,
    /// The activities, in the order of beginning; never none.
    pub activities: Vec<ActivityReport>,
}

/// The type of a [`ProgressLine`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ProgressTag {
    /// The only one.
    #[default]
    Progress,
}

impl ProgressLine {
    /// The line of these activities; `None` if there are none.
    pub fn new(run_id: RunId, ts: DateTime<FixedOffset>, activities: Vec<ActivityReport>) -> Option<Self> {
        let tag = ProgressTag::Progress;
        (!activities.is_empty()).then_some(Self { v: 1, ts, run_id, tag, activities })
    }
}

/// One line of `--json`. A reader ignores lines of a type that it does not know.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum OutputLine {
    /// Something happened. `seq` has no gaps.
    Event(Box<Line>),
    /// Something goes on.
    Progress(ProgressLine),
}

/// The JSON Schema of a line.
pub fn schema() -> Value {
    schemars::schema_for!(OutputLine).to_value()
}

#[cfg(test)]
mod tests {
    use artoo_types::{Progress, Role};
    use serde_json::json;

    use super::*;

    #[test]
    fn a_line_of_progress_has_no_number_and_fits_the_schema() {
        let ts = "2026-03-14T09:26:53+01:00".parse().unwrap();
        assert_eq!(ProgressLine::new(RunId::OPERATOR, ts, Vec::new()), None);
        let activities = vec![ActivityReport {
            activity: 1,
            role: Role::Planner,
            subtask_id: None,
            age_ms: 1200,
            reported_ms: 3,
            progress: Progress::ReadingPrompt { done: 256, total: 640 },
        }];
        let line = ProgressLine::new(RunId::OPERATOR, ts, activities).unwrap();
        let value = serde_json::to_value(&line).unwrap();
        assert_eq!((&value["type"], value.get("seq")), (&json!("progress"), None));
        let validator = jsonschema::validator_for(&schema()).unwrap();
        assert!(validator.is_valid(&value), "{value:#}");
        assert!(!validator.is_valid(&json!({"v": 1, "type": "surprise"})));
        assert_eq!(serde_json::from_value::<OutputLine>(value).unwrap(), OutputLine::Progress(line));
    }
}
