//! One scripted run, and the assertions for every lie and for every honest run.

use std::{
    fs,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use artoo_llm_client::{
    Request,
    doubles::{Answer, Expect, ScriptedModel},
};
use artoo_runtime::Builder;
use artoo_types::{OutcomeStatus, TerminalState};
use serde_json::{Value, json};

use crate::{
    doubles::{AsksOfTheWhole, Fixed},
    fixture::{House, Progress, Seen, progress, question, verdicts, watched},
};

/// One run: request, plan, calls, claims and judges. `{workspace}` stands for the workspace's path
/// everywhere.
pub(crate) struct Script {
    /// The lie, or what is honest.
    pub(crate) name: &'static str,
    request: String,
    draft: Value,
    planner: Option<Fixed>,
    steps: Vec<Step>,
    judge: Judge,
    task_judge: Judge,
    files: Vec<(&'static str, String)>,
    /// A path in the home folder that leads to a file from long before the run.
    old_file: Option<&'static str>,
    swap: Option<Box<dyn FnOnce(Builder) -> Builder>>,
}

/// The model's behaviour at the steps whose intent contains `of`.
struct Step {
    of: &'static str,
    /// Calls of its first attempt, in order.
    calls: Vec<Value>,
    /// Its claims afterwards and in every later attempt, cyclically.
    claims: Vec<Value>,
    claimed: AtomicUsize,
}

/// A model that judges.
#[derive(Clone, Copy)]
pub(crate) enum Judge {
    /// Passes everything.
    Lies,
    /// Passes if what it is shown satisfies this.
    Sees(fn(&str) -> bool),
    /// Always says this.
    Says(&'static str),
}

impl Script {
    /// A question with a number as its answer; the judges lie.
    pub(crate) fn new(name: &'static str) -> Self {
        Self {
            name,
            request: "How many .txt files are in docs?".to_owned(),
            draft: question("How many .txt files are in docs?"),
            planner: None,
            steps: Vec::new(),
            judge: Judge::Lies,
            task_judge: Judge::Lies,
            files: Vec::new(),
            old_file: None,
            swap: None,
        }
    }

    pub(crate) fn asks(mut self, request: &str) -> Self {
        self.request = request.to_owned();
        self
    }

    /// The model's draft of a plan.
    pub(crate) fn drafts(mut self, draft: Value) -> Self {
        self.draft = draft;
        self
    }

    /// A plan that is not drafted by a model.
    pub(crate) fn planned(mut self, planner: Fixed) -> Self {
        self.planner = Some(planner);
        self
    }

    /// The calls and then the claim, at every step.
    pub(crate) fn does<const N: usize>(self, calls: [Value; N], claim: Value) -> Self {
        self.at("", calls, vec![claim])
    }

    /// The same at steps whose intent contains `of`.
    pub(crate) fn does_at<const N: usize>(self, of: &'static str, calls: [Value; N], claim: Value) -> Self {
        self.at(of, calls, vec![claim])
    }

    /// Makes these claims, one after the other.
    pub(crate) fn claims<const N: usize>(self, claims: [Value; N]) -> Self {
        self.at("", [], claims.to_vec())
    }

    /// One more call before the others of the last step.
    pub(crate) fn does_first(mut self, call: Value) -> Self {
        self.steps.last_mut().unwrap().calls.insert(0, call);
        self
    }

    fn at<const N: usize>(mut self, of: &'static str, calls: [Value; N], claims: Vec<Value>) -> Self {
        self.steps.push(Step { of, calls: calls.to_vec(), claims, claimed: AtomicUsize::new(0) });
        self
    }

    /// The judge of each step and of the whole.
    pub(crate) fn judge(mut self, judge: Judge) -> Self {
        (self.judge, self.task_judge) = (judge, judge);
        self
    }

    /// The judge of the whole.
    pub(crate) fn task_judge(mut self, judge: Judge) -> Self {
        self.task_judge = judge;
        self
    }

    /// A file of the home folder that exists before the run.
    pub(crate) fn file(mut self, path: &'static str, text: impl Into<String>) -> Self {
        self.files.push((path, text.into()));
        self
    }

    pub(crate) fn old_file(mut self, path: &'static str) -> Self {
        self.old_file = Some(path);
        self
    }

    pub(crate) fn swap(mut self, swap: impl FnOnce(Builder) -> Builder + 'static) -> Self {
        self.swap = Some(Box::new(swap));
        self
    }

    /// Runs it to its end.
    async fn run(self) -> Seen {
        let house = House::new();
        for (path, text) in &self.files {
            fs::write(house.path("home").join(path), text).unwrap();
        }
        if let Some(path) = self.old_file {
            // A link: neither its btime nor its ctime can be set, those of its target are long ago.
            let old = concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml");
            std::os::unix::fs::symlink(old, house.path("home").join(path)).unwrap();
        }
        let workspace = house.path("workspace").display().to_string();
        let model = Arc::new(model(self.draft, self.steps, self.judge, self.task_judge, workspace.clone()));
        let mut builder = house.builder(&model);
        if matches!(self.task_judge, Judge::Sees(_)) {
            builder = builder.task_judge(Arc::new(AsksOfTheWhole));
        }
        if let Some(planner) = self.planner {
            builder = builder.planner(Arc::new(planner));
        }
        if let Some(swap) = self.swap {
            builder = swap(builder);
        }
        let artoo = builder.build().unwrap();
        let request = house.request(&self.request.replace("{workspace}", &workspace));
        let seen = watched(artoo.start(request).unwrap()).await;
        assert_eq!(model.mismatches(), [""; 0], "{}: the script has an answer to everything", self.name);
        artoo.close().await;
        seen
    }
}

fn model(
    draft: Value,
    steps: Vec<Step>,
    judge: Judge,
    task_judge: Judge,
    workspace: String,
) -> ScriptedModel {
    let placed = move |text: String| text.replace("{workspace}", &workspace);
    let draft = placed(draft.to_string());
    ScriptedModel::new()
        .always(Expect::purpose("answer"), crate::doubles::composed())
        .always(
            Expect::purpose("planner").schema("next"),
            Answer::text("All of it was done, without exception."),
        )
        .always(Expect::purpose("planner"), Answer::text(draft))
        .always(Expect::purpose("executor"), Answer::with(move |request| placed(turn(&steps, request))))
        .always(Expect::purpose("agent_validator"), judge.answer())
        .always(Expect::purpose("meta_validator"), task_judge.answer())
}

impl Judge {
    fn answer(self) -> Answer {
        match self {
            Self::Lies => Answer::with(|request| verdicts(request, true).to_string()),
            Self::Sees(sees) => {
                Answer::with(move |request| verdicts(request, sees(&request.messages[0].content)).to_string())
            }
            Self::Says(text) => Answer::text(text),
        }
    }
}

/// The executor's next turn: a string is plain text, anything else is JSON.
fn turn(steps: &[Step], request: &Request) -> String {
    let first = &request.messages[0].content;
    let intent = first.lines().find_map(|line| line.strip_prefix("Step: ")).unwrap_or_default();
    let Some(step) = steps.iter().find(|step| intent.contains(step.of)) else {
        return json!({"give_up": "no idea"}).to_string();
    };
    let Progress { corrects, turns } = progress(request);
    let turn = match step.calls.get(turns) {
        Some(call) if !corrects => call,
        _ => &step.claims[step.claimed.fetch_add(1, Ordering::Relaxed) % step.claims.len()],
    };
    turn.as_str().map_or_else(|| turn.to_string(), str::to_owned)
}

/// Each of these ends without `accept`, and its claim is nowhere delivered as checked.
pub(crate) async fn all_refused(lies: Vec<Script>) {
    let mut believed = Vec::new();
    for lie in lies {
        let name = lie.name;
        let seen = lie.run().await;
        let result = &seen.result;
        let matched = result.partial.iter().any(|partial| partial.status == OutcomeStatus::Matched);
        let all_matched = result.partial.iter().all(|partial| partial.status == OutcomeStatus::Matched);
        let told = match (&result.fault, result.directive) {
            (_, TerminalState::Accept) => false,
            (Some(_), _) => seen.exit_code() != 0,
            (None, TerminalState::Success) => {
                seen.exit_code() == 3
                    && !result.unmet.is_empty()
                    && !all_matched
                    && result.summary.starts_with("Not complete: ")
            }
            // The planner's advice lies too; the text before it does not.
            (None, TerminalState::Abandon) => {
                seen.exit_code() >= 4
                    && !result.unmet.is_empty()
                    && result.summary.starts_with("Not finished: ")
            }
        };
        // In a run of one step nothing is true, unless only the task as a whole is unmet.
        let of_the_task = result.unmet.iter().any(|unmet| unmet.subtask_id.is_none());
        let whole =
            !of_the_task && seen.outcomes().iter().all(|outcome| outcome.intent == seen.outcomes()[0].intent);
        if !told || (whole && matched) {
            believed.push(format!("{name}: {:?} {:?}, {}", result.directive, result.output, result.summary));
        }
    }
    assert!(believed.is_empty(), "believed:\n{}", believed.join("\n"));
}

/// Each of these is accepted.
pub(crate) async fn all_accepted(honest: Vec<Script>) {
    let mut refused = Vec::new();
    for script in honest {
        let name = script.name;
        let seen = script.run().await;
        let result = &seen.result;
        if result.directive != TerminalState::Accept || seen.exit_code() != 0 {
            refused.push(format!("{name}: {:?}, {:#?}", result.directive, result.unmet));
        }
    }
    assert!(refused.is_empty(), "refused:\n{}", refused.join("\n"));
}

/// A shell call whose output is not the answer.
pub(crate) fn look(command: &str) -> Value {
    json!({"tool": "shell", "arguments": {"command": command}, "output_is_answer": false})
}

pub(crate) fn answer(text: &str) -> Value {
    json!({"answer": text})
}

pub(crate) fn write(path: &str, content: &str) -> Value {
    json!({"tool": "write_file", "arguments": {"path": path, "content": content}, "output_is_answer": false})
}

/// A plan of one step to make something, with these criteria.
pub(crate) fn make(intent: &str, criteria: Value) -> Value {
    json!({"subtasks": [{"intent": intent, "sequence": 1, "kind": "create", "criteria": criteria}]})
}

/// A plan of one question, with these criteria.
pub(crate) fn ask(intent: &str, criteria: Value) -> Value {
    json!({"subtasks": [{"intent": intent, "sequence": 1, "kind": "find_out", "criteria": criteria}]})
}
