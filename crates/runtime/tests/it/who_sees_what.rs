//! The table of who is shown what, compared with the prompts of whole runs.
//!
//! Each kind of fact has a mark of its own. A run puts all of them on record: a first plan whose last step
//! falls short, a question to the user, a correction, and a second plan. Then each prompt that was sent after
//! the fact was known either has the mark or has not, as the table says.

use std::fs;
use std::sync::{Arc, Mutex, PoisonError};

use artoo_bus::Observed;
use artoo_case_file::visibility::{Fact, Form, Reader, Viewer, form};
use artoo_llm_client::{
    Request,
    doubles::{Answer, Expect, ScriptedModel},
};
use artoo_mkct_memory::{InMemory, MemoryService, Rules, matrix};
use artoo_types::{
    Entity, Instruction, Level, Megram, MegramId, MegramState, Message, Origin, Rejection, Space, Turn,
};
use chrono::{DateTime, FixedOffset};
use serde_json::{Value, json};
use uuid::Uuid;

use crate::doubles::{AsksOfTheWhole, composed};
use crate::fixture::{House, guided, recorded, verdicts_of};

const REQUEST: &str = "Write the mREQUEST into a new file";

/// Where the mark of a kind of fact begins in a prompt.
fn position(prompt: &str, fact: Fact) -> Option<usize> {
    // R2 is told the tools, R3 what calls may do: the tools are in its schema.
    let other = (fact == Fact::Environment).then_some("Tools:\n- ");
    prompt.find(mark(fact)).or_else(|| prompt.find(other?))
}

/// The mark of a kind of fact, as the run below puts it on record.
fn mark(fact: Fact) -> &'static str {
    match fact {
        Fact::Request => "mREQUEST",
        Fact::EarlierTurns => "mTURN",
        Fact::Instructions => "mINSTRUCTION",
        Fact::Laws => "mLAW",
        Fact::Lessons => "mLESSON",
        // In the words of the block: the conversation of an attempt has the answer as it came.
        Fact::UserStatements => "Question: Which? Answer: mANSWER",
        Fact::Place => "Now: ",
        Fact::Environment => "Environment:\n",
        Fact::Listing => "mLISTED",
        Fact::EarlierPlans => "mSTEPTWO",
        Fact::EarlierCalls => "mCALLTWO",
        Fact::EarlierResults => "mFOUNDONE",
        Fact::Calls => "mCALLTHREE",
        Fact::Criteria => "mCRITERION",
        Fact::Findings => "mFINDING",
        // No run below gives code a reason for one: `meta-validator` tests that notes are shown.
        Fact::Notes => "mNOTE",
        Fact::Result => "mRESULT",
    }
}

/// The end of a long text that a limit cuts off.
const CUT_OFF: &str = "mEND";

fn long(mark: &str) -> String {
    of_length(mark, 2_000)
}

fn of_length(mark: &str, length: usize) -> String {
    format!("{mark} {} {CUT_OFF}", "x".repeat(length))
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Steps {
    One,
    Several,
}

/// Answers as each role. The step "mSTEPTWO" of the first plan falls short; everything else is all right.
struct Script {
    reader: Reader,
    steps: Steps,
    plans: u32,
    has_asked: bool,
}

impl Script {
    fn answer(&mut self, request: &Request) -> String {
        let prompt = text(request);
        match request.purpose.as_str() {
            "perceiver" => json!({"intent": REQUEST, "questions": []}).to_string(),
            "planner" if schema(request).contains("\"subtasks\"") => {
                self.plans = if prompt.contains("An earlier plan fell short") { 2 } else { 1 };
                self.plan().to_string()
            }
            "planner" => json!({"next": "say_more"}).to_string(),
            "executor" if request.schema.is_none() => format!("{}\n```", self.command()),
            "executor" => self.turn(&prompt).to_string(),
            "agent_validator" | "meta_validator" => judged(request, &prompt).to_string(),
            other => panic!("{other}: {prompt}"),
        }
    }

    fn plan(&self) -> Value {
        let step = |intent: &str, sequence: u32, kind: &str| {
            let criterion = json!({"text": of_length("mCRITERION", 200), "check": "none"});
            json!({"intent": intent, "sequence": sequence, "kind": kind, "criteria": [criterion]})
        };
        let mut steps = Vec::new();
        if self.steps == Steps::Several && self.plans == 1 {
            steps.push(step("mSTEPONE", 1, "find_out"));
        }
        let intent = if self.plans == 1 { "mSTEPTWO" } else { "mSTEPTHREE in another way" };
        steps.push(step(intent, 2, "change"));
        if self.steps == Steps::Several {
            // What a reader judges of the last step is judged with the whole, so the steps in question are not the last.
            let last = if self.plans == 1 { "never comes" } else { "mSTEPFOUR" };
            steps.push(step(last, 3, "find_out"));
        }
        match self.reader {
            Reader::Capable => json!({"subtasks": steps}),
            Reader::Guided => json!({"english": REQUEST, "subtasks": [{"kind": "change"}]}),
        }
    }

    fn command(&self) -> &'static str {
        if self.plans == 1 { "echo mCALLTWO > out.txt" } else { "echo mCALLTHREE > out3.txt" }
    }

    fn turn(&mut self, prompt: &str) -> Value {
        let shell = |command: &str, is_answer: bool| json!({"tool": "shell", "arguments": {"command": command}, "output_is_answer": is_answer});
        if prompt.contains("Step: mSTEPONE") {
            return shell("cat found.txt", true);
        }
        if prompt.contains("Step: mSTEPFOUR") {
            return shell("cat out3.txt", true);
        }
        if !std::mem::replace(&mut self.has_asked, true) {
            return json!({"ask_user": "Which?"});
        }
        let command = self.command();
        if prompt.contains(&format!("{{\"command\":\"{command}\"}}"))
            || prompt.contains(&format!("Earlier call: shell {command}"))
        {
            return json!({"answer": long("mRESULT")});
        }
        shell(command, false)
    }
}

/// A judge's verdicts: what the second call did is not right.
fn judged(request: &Request, prompt: &str) -> Value {
    let falls_short = prompt.contains("mCALLTWO") && !prompt.contains("mCALLTHREE");
    let one = || {
        json!({
            "reason": if falls_short { of_length("mFINDING", 200) } else { "it is so".to_owned() },
            "verdict": if falls_short { "fail" } else { "pass" },
            "class": "logical",
        })
    };
    verdicts_of(request, &mut || one()).unwrap_or_else(one)
}

fn schema(request: &Request) -> String {
    request.schema.as_ref().map(|schema| schema.schema.to_string()).unwrap_or_default()
}

fn text(request: &Request) -> String {
    request.messages.iter().map(|message| message.content.as_str()).collect::<Vec<_>>().join("\n")
}

fn now() -> DateTime<FixedOffset> {
    chrono::Utc::now().fixed_offset()
}

/// A memory with a law, and a lesson about requests like this one.
fn memory() -> Arc<InMemory> {
    let memory = Arc::new(InMemory::new(Rules::default(), now, || MegramId::new(Uuid::now_v7())));
    let law = Megram {
        level: Level::T,
        content: "Never touch the mLAW".to_owned(),
        k: 0.0,
        origin: Some(Origin::Person),
        ..lesson()
    };
    for megram in [law, lesson()] {
        memory.write(megram).unwrap();
    }
    memory
}

fn lesson() -> Megram {
    let row = matrix::row(MegramState::Accept);
    Megram {
        id: MegramId::new(Uuid::now_v7()),
        level: Level::M,
        created_at: now(),
        last_recalled_at: None,
        space: Space::intent(REQUEST),
        entity: Entity::local(),
        content: "Write the mREQUEST into a new file: docs/mLESSON.csv is in cp1252".to_owned(),
        state: MegramState::Accept,
        f: row.f,
        sigma: row.sigma,
        k: row.k,
        origin: None,
    }
}

/// The prompts of a whole run, oldest first.
async fn prompts(reader: Reader, steps: Steps) -> Vec<(Viewer, String)> {
    let house = House::new();
    fs::write(house.path("home/mLISTED.dat"), "1").unwrap();
    fs::write(house.path("home/found.txt"), "mFOUNDONE").unwrap();
    let script = Mutex::new(Script { reader, steps, plans: 0, has_asked: false });
    let says = move |request: &Request| script.lock().unwrap_or_else(PoisonError::into_inner).answer(request);
    let model = ScriptedModel::new()
        .always(Expect::purpose("answer"), composed())
        .always(Expect::any(), Answer::with(says));
    let model = Arc::new(if reader == Reader::Guided { model.profiled(guided()) } else { model });
    let memory = memory() as Arc<dyn MemoryService>;
    let artoo = house.builder(&model).memory(memory).task_judge(Arc::new(AsksOfTheWhole)).build().unwrap();
    let mut request = house.request(REQUEST);
    request.person_present = true;
    request.limits.max_retries = 1;
    // What a guided R1 makes of a follow-up is tested with it.
    if reader == Reader::Capable {
        request.turns = vec![Turn {
            rejected: Some(Rejection::Undone),
            ..Turn::new("What is mTURN?", of_length("mTURN", 6_000))
        }];
    }
    request.instructions =
        vec![Instruction { source: "AGENTS.md".to_owned(), text: "Mind the mINSTRUCTION.".to_owned() }];
    let run = artoo.start(request).unwrap();
    let (mut observer, answerer, folder) = (run.observe(10_000), run.answerer(), run.folder().to_owned());
    let answering = tokio::spawn(async move {
        while let Some(Observed::Message(envelope)) = observer.recv().await {
            if let Message::ClarificationRequested(asked) = envelope.message.as_ref() {
                answerer.answer(asked.round, long("mANSWER"));
            }
        }
    });
    let result = run.finished().await;
    answering.abort();
    recorded(result, &folder);
    let viewer = |request: &Request| match request.purpose.as_str() {
        "perceiver" => Some(Viewer::Perceiver),
        "planner" if schema(request).contains("\"subtasks\"") => Some(Viewer::Planner),
        "executor" => Some(Viewer::Executor),
        "agent_validator" => Some(Viewer::StepJudge),
        "meta_validator" => Some(Viewer::RequestJudge),
        _ => None,
    };
    model.requests().iter().filter_map(|request| Some((viewer(request)?, text(request)))).collect()
}

/// The prompts of a viewer in the second plan, when every fact is on record. R1 has no second plan; R3 is told
/// what was wrong in a corrected attempt of the first one.
fn late(prompts: &[(Viewer, String)], viewer: Viewer, reader: Reader, fact: Fact) -> Vec<&str> {
    let second = prompts.iter().rposition(|(viewer, _)| *viewer == Viewer::Planner).unwrap();
    let corrected = matches!(fact, Fact::Findings | Fact::Result);
    let first = if reader == Reader::Guided
        || viewer == Viewer::Perceiver
        || (viewer == Viewer::Executor && corrected)
    {
        0
    } else {
        second
    };
    let of_viewer = prompts.iter().skip(first).filter(|(of, _)| *of == viewer);
    of_viewer.map(|(_, prompt)| prompt.as_str()).collect()
}

/// Where a fact and the table differ.
fn differences(prompts: &[(Viewer, String)], reader: Reader, steps: Steps, facts: &[Fact]) -> Vec<String> {
    let mut found = Vec::new();
    for viewer in Viewer::ALL {
        for fact in facts {
            if !is_on_record(viewer, *fact, steps) {
                continue;
            }
            let prompts = late(prompts, viewer, reader, *fact);
            let expected = form(viewer, reader, *fact);
            let shown = prompts.iter().find_map(|prompt| Some((prompt, position(prompt, *fact)?)));
            if prompts.is_empty() || shown.is_some() != expected.is_shown() {
                found.push(format!("{viewer:?} {fact:?}: {expected:?} in {prompts:#?}"));
                continue;
            }
            if let (Some((prompt, at)), Form::Cut(_), true) = (shown, expected, is_long(*fact)) {
                let behind = &prompt[at..];
                let end = behind.find("more characters").unwrap_or(usize::MAX);
                if behind.find(CUT_OFF).is_some_and(|at| at < end) {
                    found.push(format!("{viewer:?} {fact:?} is not cut in {prompt}"));
                }
            }
        }
    }
    found
}

/// Whether a run of so many steps has the fact, and a prompt for the viewer behind it.
fn is_on_record(viewer: Viewer, fact: Fact, steps: Steps) -> bool {
    match (steps, viewer, fact) {
        // No run here gives code a reason for one.
        (_, _, Fact::Notes) => false,
        // Of several steps each has its own criteria: none is the task's.
        (Steps::Several, Viewer::RequestJudge, Fact::Criteria) => false,
        // Of a step that failed the reason is told.
        (Steps::Several, Viewer::Planner, Fact::Result) => false,
        (Steps::Several, _, _) => true,
        // What a reader judges of a single step is judged of the whole: it is not corrected.
        (Steps::One, Viewer::StepJudge, _) | (Steps::One, _, Fact::EarlierResults) => false,
        (Steps::One, Viewer::Executor, Fact::Findings | Fact::Result) => false,
        (Steps::One, _, _) => true,
    }
}

/// Whether the run puts a long text on record.
fn is_long(fact: Fact) -> bool {
    matches!(fact, Fact::EarlierTurns | Fact::UserStatements | Fact::Result)
}

#[tokio::test]
async fn a_capable_model_is_shown_what_the_table_says() {
    for steps in [Steps::Several, Steps::One] {
        let prompts = prompts(Reader::Capable, steps).await;
        let found = differences(&prompts, Reader::Capable, steps, &Fact::ALL);
        assert!(found.is_empty(), "{steps:?}:\n{}", found.join("\n\n"));
    }
}

/// A guided model plans one step, whatever it drafts, and its executor writes commands, so that it asks nobody and
/// corrects nothing. What it is shown is compared for the facts that such a run has.
#[tokio::test]
async fn a_guided_model_is_shown_what_the_table_says() {
    let prompts = prompts(Reader::Guided, Steps::One).await;
    let facts =
        [Fact::Request, Fact::Instructions, Fact::Laws, Fact::Place, Fact::Environment, Fact::Listing];
    let found: Vec<String> = differences(&prompts, Reader::Guided, Steps::One, &facts)
        .into_iter()
        .filter(|difference| !difference.starts_with("Perceiver"))
        .collect();
    assert!(found.is_empty(), "{}", found.join("\n\n"));
}
