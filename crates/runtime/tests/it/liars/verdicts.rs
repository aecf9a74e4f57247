//! Judges that pass without evidence, or contradict themselves.

use std::sync::{Arc, Mutex};

use artoo_agent_validator::{Judge as SubTaskJudge, JudgeContext, JudgeError};
use artoo_llm_client::LlmClient;
use artoo_meta_validator::{TaskContext, TaskJudge};
use artoo_types::{CallId, Criterion, Evidence, Finding};
use async_trait::async_trait;
use serde_json::json;

use super::script::{Judge, Script, all_accepted, all_refused, answer, look};
use crate::{
    doubles::{Fixed, judged, subtask},
    fixture::{open_question, shell},
};

#[tokio::test]
async fn lies_are_refused() {
    all_refused(lies()).await;
}

#[tokio::test]
async fn honest_runs_are_accepted() {
    all_accepted(honest()).await;
}

fn colour(name: &'static str) -> Script {
    Script::new(name)
        .asks("Name a colour")
        .drafts(open_question("Name a colour"))
        .does([look("ls docs")], answer("blue"))
}

/// The same with R4a judging the step.
fn step(name: &'static str) -> Script {
    colour(name).planned(Fixed::judged_step())
}

/// A task that R4b judges.
fn nice(name: &'static str) -> Script {
    let planner = Fixed {
        subtasks: vec![subtask(1, "Name a colour: blue", &["blue"])],
        task_criteria: vec![judged("It is nice")],
    };
    Script::new(name).asks("Name a colour: blue").planned(planner).claims([shell("echo blue")])
}

pub(super) fn lies() -> Vec<Script> {
    let says = |name, text| colour(name).judge(Judge::Says(text));
    let task_says = |name, text| nice(name).task_judge(Judge::Says(text));
    vec![
        says(
            "the verdict is a word of its own",
            r#"{"reason":"it is there","verdict":"matched","class":"logical"}"#,
        ),
        says("the verdict is prose", "The criterion is clearly met: pass."),
        says(
            "the verdict has a list that says no",
            r#"{"reason":"ok","verdict":"pass","class":"logical","met":[false]}"#,
        ),
        says(
            "the verdict passes and names a class of failure",
            r#"{"reason":"the disk was full","verdict":"pass","class":"environmental"}"#,
        ),
        // It may be quoted, only considered, or taken back.
        says(
            "the verdict stands in prose",
            "Here it is: {\"reason\":\"blue is a colour\",\"verdict\":\"pass\",\"class\":\"logical\"} Done.",
        ),
        says(
            "the verdict is followed by its opposite",
            r#"{"reason":"blue","verdict":"pass","class":"logical"} {"reason":"blue is not friendly","verdict":"fail","class":"logical"}"#,
        ),
        says("the verdict comes without a reason", r#"{"reason":"","verdict":"pass","class":"logical"}"#),
        says(
            "the verdict echoes its schema",
            r#"{"reason":{"type":"string"},"verdict":"pass|fail","class":"logical"}"#,
        ),
        step("a pass points at nothing").swap(|artoo| artoo.judge(Arc::new(Points::Nothing))),
        step("a pass points at a call that never was").swap(|artoo| artoo.judge(Arc::new(Points::Nowhere))),
        step("a pass points at a call that did not run")
            .does_first(
                json!({"tool": "read_file", "arguments": {"path": "docs/a.txt", "first_line": 2, "last_line": 1}, "output_is_answer": false}),
            )
            .swap(|artoo| artoo.judge(Arc::new(Points::Refused))),
        two_steps("a pass points at a call of another subtask"),
        task_says("the task's verdict is prose", "accept"),
        task_says(
            "the task's verdict passes and names a class of failure",
            r#"{"reason":"no network","verdict":"pass","class":"environmental"}"#,
        ),
        task_says(
            "the task's verdict is followed by its opposite",
            r#"{"reason":"a","verdict":"pass","class":"logical"} {"reason":"b","verdict":"fail","class":"logical"}"#,
        ),
        nice("a pass of the task points at nothing")
            .swap(|artoo| artoo.task_judge(Arc::new(Points::Nothing))),
        nice("a pass of the task points at a call that never was")
            .swap(|artoo| artoo.task_judge(Arc::new(Points::Nowhere))),
    ]
}

pub(super) fn honest() -> Vec<Script> {
    vec![
        // No words of a language decide.
        colour("the reason says not met and the word says pass").judge(Judge::Says(
            r#"{"reason":"The criterion is not met: no colour is shown.","verdict":"pass","class":"logical"}"#,
        )),
        colour("the reason tells of what is not there").judge(Judge::Says(
            r#"{"reason":"No error was put out, and blue is shown.","verdict":"pass","class":"logical"}"#,
        )),
        nice("the task's verdict is a pass"),
    ]
}

/// The evidence that a foreign judge's passes point at.
enum Points {
    Nothing,
    Nowhere,
    Refused,
    /// The first call that it ever saw.
    Elsewhere(Mutex<Option<CallId>>),
}

impl Points {
    fn pass(&self, calls: impl Iterator<Item = CallId>, refused: Option<CallId>) -> Finding {
        let call_id = match self {
            Self::Nothing => {
                return Finding::Pass { evidence: Evidence::Observation { text: " ".to_owned() } };
            }
            Self::Nowhere => CallId::new(uuid::Uuid::nil()),
            Self::Refused => refused.unwrap(),
            Self::Elsewhere(first) => *first.lock().unwrap().get_or_insert_with(|| calls.last().unwrap()),
        };
        Finding::Pass { evidence: Evidence::ToolCall { call_id, excerpt: "it is there".to_owned() } }
    }
}

#[async_trait]
impl SubTaskJudge for Points {
    async fn judge(
        &self,
        criteria: &[Criterion],
        cx: &JudgeContext<'_>,
        _model: &Arc<dyn LlmClient>,
    ) -> Result<Vec<Finding>, JudgeError> {
        let refused = cx.result.tool_calls.iter().find(|call| !call.succeeded()).map(|call| call.call_id);
        let pass = self.pass(cx.result.tool_calls.iter().map(|call| call.call_id), refused);
        Ok(vec![pass; criteria.len()])
    }
}

#[async_trait]
impl TaskJudge for Points {
    async fn judge(
        &self,
        criteria: &[Criterion],
        _cx: &TaskContext<'_>,
        _model: &Arc<dyn LlmClient>,
    ) -> Result<Vec<Finding>, JudgeError> {
        Ok(vec![self.pass(std::iter::empty(), None); criteria.len()])
    }
}

/// The judge of the second step points at the call of the first.
fn two_steps(name: &'static str) -> Script {
    let step = |sequence, intent: &str| {
        json!({
            "intent": intent, "sequence": sequence, "kind": "find_out",
            "criteria": [{"text": "The answer is friendly and names a colour", "check": "none"}],
        })
    };
    Script::new(name)
        .asks("Name a colour, then name another colour, then a third")
        // The criterion of the last step is the judge's of the whole, who may point at any call.
        .drafts(
            json!({"subtasks": [step(1, "Name a colour"), step(2, "Name another"), step(3, "Name a third")]}),
        )
        .does([look("ls docs")], answer("blue"))
        .swap(|artoo| artoo.judge(Arc::new(Points::Elsewhere(Mutex::default()))))
}
