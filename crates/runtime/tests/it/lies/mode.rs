//! Which roles lie in a run, and the run itself.

use std::{collections::BTreeSet, fs, sync::Arc};

use artoo_llm_client::{
    Request,
    doubles::{Answer, Expect, ScriptedModel},
};
use artoo_types::{EffectKind, FinalResult, TerminalState};
use serde_json::{Value, json};

use super::{
    case::{Case, Step},
    judge::{Judge, asks_for},
};
use crate::{
    doubles::composed,
    fixture::{House, Progress, guided, progress},
};

/// Which roles lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    /// Every role.
    AllLie,
    /// Planner and executor.
    HonestJudge,
    /// Planner and executor of a weak model, in all samples and derivations. The judges are honest.
    Guided,
}

/// The result of one run.
#[derive(Debug)]
pub(crate) struct Measured {
    pub(crate) name: &'static str,
    pub(crate) is_lie: bool,
    pub(crate) accepted: bool,
    /// The number of model calls, and of those as a judge.
    pub(crate) calls: usize,
    pub(crate) judged: usize,
    pub(crate) has_one_step: bool,
    /// What code told a judge about the results.
    pub(crate) notes: BTreeSet<String>,
    /// The output if accepted, otherwise the reason.
    pub(crate) told: String,
}

impl Mode {
    /// Runs a case to its end.
    pub(crate) async fn run(self, case: Case) -> Measured {
        let house = House::new();
        let home = house.path("home");
        fs::remove_dir_all(&home).unwrap();
        fs::create_dir(&home).unwrap();
        case.home.furnish(&home);
        let case = Arc::new(case);
        let model = Arc::new(self.model(&case));
        let artoo =
            house.builder(&model).task_judge(Arc::new(artoo_meta_validator::ModelTaskJudge)).build().unwrap();
        let mut request = house.request(case.request);
        // Consent is not measured here.
        request.granted.extend([EffectKind::Overwrites, EffectKind::Deletes]);
        let result = artoo.start(request).unwrap().finished().await;
        artoo.close().await;
        assert_eq!(model.mismatches(), [""; 0], "{}: the script has an answer to everything", case.name);
        let requests = model.requests();
        Measured {
            name: case.name,
            is_lie: case.unmet.is_some(),
            accepted: result.directive == TerminalState::Accept && result.fault.is_none(),
            calls: requests.len(),
            judged: requests.iter().filter(|request| asks_for(request, "verdict")).count(),
            has_one_step: case.steps.len() == 1,
            notes: requests.iter().flat_map(notes).collect(),
            told: told(&result),
        }
    }

    fn model(self, case: &Arc<Case>) -> ScriptedModel {
        let judge = if self == Self::AllLie { Judge::Lies } else { Judge::Honest };
        let (drafted, acting, judged) = (case.draft(), Arc::clone(case), Arc::clone(case));
        // By the requested schema, whichever role asks.
        let says = move |request: &Request| {
            // A whole plan is taken for an answer to the short question, too.
            if asks_for(request, "subtasks") || (request.purpose == "planner" && asks_for(request, "do")) {
                plan(&drafted, request).to_string()
            } else if request.purpose == "planner" {
                "All of it was done, without exception.".to_owned()
            } else if request.schema.is_none() && request.purpose == "executor" {
                derivation(&acting, request).to_string()
            } else if asks_for(request, "answer") && !asks_for(request, "arguments") {
                closing(&acting, request).to_string()
            } else if asks_for(request, "arguments") {
                turn(&acting, request).to_string()
            } else {
                judge.says(&judged, request)
            }
        };
        let model = ScriptedModel::new()
            .always(Expect::purpose("answer"), composed())
            .always(Expect::any(), Answer::with(says));
        if self == Self::Guided { model.profiled(guided()) } else { model }
    }
}

/// The notes of code in a prompt of a judge.
fn notes(request: &Request) -> Vec<String> {
    let lines = request.messages.iter().flat_map(|message| message.content.lines());
    let notes = lines.filter_map(|line| line.strip_prefix("Note: "));
    if asks_for(request, "verdict") { notes.map(str::to_owned).collect() } else { Vec::new() }
}

/// The draft of a plan, with a judged criterion in place of each check that this model is not offered.
fn plan(drafted: &Value, request: &Request) -> Value {
    let mut draft = drafted.clone();
    let forms = request.schema.as_ref().map(|schema| schema.schema.to_string()).unwrap_or_default();
    for step in draft["subtasks"].as_array_mut().unwrap() {
        if step["kind"] == "link" && !forms.contains("\"link\"") {
            step["kind"] = json!("create");
        }
    }
    let steps = draft["subtasks"].as_array_mut().unwrap().iter_mut();
    for criterion in steps.flat_map(|step| step["criteria"].as_array_mut().unwrap()) {
        if !forms.contains(criterion["check"].as_str().unwrap()) {
            *criterion = json!({"check": "none", "text": criterion["text"]});
        }
    }
    draft
}

/// The step that a request of the executor is about.
fn step<'a>(case: &'a Case, request: &Request) -> Option<&'a Step> {
    let mut lines = request.messages[0].content.lines();
    let label =
        |line: &'_ str| line.strip_prefix("Step: ").or(line.strip_prefix("Task: ")).map(str::to_owned);
    let intent = lines.find_map(label).unwrap_or_default();
    // Code may have split the request into steps of its own.
    case.steps.iter().find(|step| step.intent == intent).or(case.steps.first())
}

/// The command of a step, in the language that is asked for where there is one: one that does the work of all its
/// calls. What a tool does is done by a command, and words without a call are printed by one.
fn derivation(case: &Case, request: &Request) -> Value {
    let wants_python = request.answer_begins.contains("python");
    let Some(step) = step(case, request) else { return json!({}) };
    let commands = step.turns.iter().filter_map(|turn| {
        let is_python = |way: &Value| command(way).is_some_and(|it| it.starts_with("python3"));
        command(turn.take(|way| is_python(way) == wants_python))
    });
    let mut commands = commands.collect::<Vec<_>>();
    if commands.is_empty() {
        let words = step.turns.iter().filter_map(|turn| turn.ways[0]["answer"].as_str());
        commands.push(format!("printf '%s' '{}'", words.collect::<String>().replace('\'', r"'\''")));
    }
    json!({"tool": "shell", "arguments": {"command": commands.join("\n")}, "output_is_answer": true})
}

fn command(way: &Value) -> Option<String> {
    let argument = |name: &str| way["arguments"][name].as_str().unwrap_or_default();
    Some(match way["tool"].as_str()? {
        "read_file" => format!("cat {}", argument("path")),
        "grep" => format!("grep -rl '{}' {}", argument("pattern"), argument("path")),
        "write_file" => {
            format!("printf '%s' '{}' > {}", argument("content").replace('\'', r"'\''"), argument("path"))
        }
        _ => argument("command").to_owned(),
    })
}

/// What a model says of a command that found nothing.
fn closing(case: &Case, request: &Request) -> Value {
    let turns = step(case, request).map(|step| step.turns.as_slice()).unwrap_or_default();
    let said = turns.iter().flat_map(|turn| &turn.ways).find(|way| way.get("answer").is_some());
    said.cloned().unwrap_or_else(|| json!({"answer": "none"}))
}

/// The executor's next turn.
fn turn(case: &Case, request: &Request) -> Value {
    let Some(step) = step(case, request) else { return json!({}) };
    let Progress { corrects, turns: made } = progress(request);
    let last = step.turns.len() - 1;
    // A call of an earlier attempt is not repeated in the same words.
    let skips = corrects && step.turns[0].ways.len() == 1;
    let turn = &step.turns[if skips { last } else { made.min(last) }];
    let fits = |way: &Value| {
        request.schema.as_ref().is_none_or(|schema| schema.violation(way).is_ok_and(|wrong| wrong.is_none()))
    };
    let mut way = turn.take(fits).clone();
    // Not every tool offers that its output is the answer.
    if !fits(&way) && way["output_is_answer"] == false {
        way.as_object_mut().unwrap().remove("output_is_answer");
    }
    way
}

fn told(result: &FinalResult) -> String {
    let text = match (&result.fault, result.directive) {
        (Some(fault), _) => format!("fault: {}", fault.message),
        (None, TerminalState::Accept) => {
            result.output.as_str().map_or_else(|| result.output.to_string(), str::to_owned)
        }
        (None, TerminalState::Success | TerminalState::Abandon) => {
            let unmet = result.unmet.iter().map(|unmet| format!("{}: {}", unmet.criterion, unmet.reason));
            format!("{:?}: {}", result.directive, unmet.collect::<Vec<_>>().join("; "))
        }
    };
    text.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(140).collect()
}
