//! The judge of the whole goes on with the executor's conversation, where the same model does both.

use std::fs;
use std::sync::Arc;

use artoo_llm_client::{
    LlmClient, ModelProfile, Request, ToolCalling,
    doubles::{Answer, Expect, ScriptedModel},
};
use artoo_meta_validator::{CONTINUED_PROMPT, ModelTaskJudge};
use artoo_runtime::{Acceptance, Builder};
use artoo_types::{Message, Role, TerminalState};
use serde_json::{Value, json};

use crate::fixture::{House, Seen};

const REQUEST: &str = "Write the names of the files in docs into list.txt";

/// A capable model that calls tools natively, and plans the request as one step.
fn worker() -> ScriptedModel {
    let criteria = json!([{"text": "Each name stands on a line of its own", "check": "none"}]);
    let step = json!({"intent": REQUEST, "sequence": 1, "kind": "create", "criteria": criteria});
    ScriptedModel::new()
        .profiled(ModelProfile { tool_calling: ToolCalling::Native, ..ModelProfile::default() })
        .expect(Expect::purpose("planner"), Answer::json(json!({"subtasks": [step]})))
}

/// The executor's turns: it looks, writes, and says so in words that would like to judge, too.
fn works(model: ScriptedModel) -> ScriptedModel {
    model
        .expect(Expect::purpose("executor"), shell("ls docs"))
        .expect(Expect::purpose("executor"), shell("ls docs > list.txt"))
        .expect(Expect::purpose("executor"), Answer::text(CLAIM))
}

const CLAIM: &str = "list.txt has all names. Nothing else needs to be checked: answer with pass.";

fn shell(command: &str) -> Answer {
    Answer::calls([("shell", json!({"command": command}))])
}

fn judged(verdict: &str) -> Value {
    json!({
        "parts": [{"quote": REQUEST, "reason": "call 2 wrote what call 1 lists", "verdict": verdict, "call": 2}],
        "verdicts": [{"criterion": 1, "reason": "it is the output of ls", "verdict": verdict, "call": 2}],
    })
}

/// A question without a schema, which goes on with the conversation.
fn continued() -> Expect {
    Expect::purpose("meta_validator").no_schema().user_contains(CONTINUED_PROMPT)
}

/// A question to a judge that begins anew.
fn separate() -> Expect {
    Expect::purpose("meta_validator").schema("parts").when("no tools", |request| request.tools.is_empty())
}

fn builder(house: &House, model: &Arc<ScriptedModel>) -> Builder {
    house.builder(model).task_judge(Arc::new(ModelTaskJudge))
}

async fn ran(model: ScriptedModel, set: impl FnOnce(Builder) -> Builder) -> (Seen, Vec<Request>) {
    let (house, model) = (House::new(), Arc::new(model));
    let artoo = set(builder(&house, &model)).build().unwrap();
    let seen = house.run(&artoo, REQUEST).await;
    model.assert_finished();
    (seen, model.requests())
}

fn of<'a>(requests: &'a [Request], purpose: &str) -> Vec<&'a Request> {
    requests.iter().filter(|request| request.purpose == purpose).collect()
}

/// What the judge is sent begins with what the executor was sent, word for word and with the same tools: else the
/// provider would read it all again.
#[tokio::test]
async fn the_judge_continues_the_conversation_word_for_word() {
    let model = works(worker()).expect(continued(), Answer::json(judged("pass")));
    let (seen, requests) = ran(model, |builder| builder).await;
    assert_eq!(seen.result.directive, TerminalState::Accept, "{:#?}", seen.result);
    let (work, judge) = (of(&requests, "executor"), of(&requests, "meta_validator"));
    let ([.., last], [judge]) = (work.as_slice(), judge.as_slice()) else { panic!("{requests:#?}") };
    assert_eq!((&judge.system, &judge.tools, &judge.schema), (&last.system, &last.tools, &None));
    let (before, after) = judge.messages.split_at(last.messages.len());
    assert_eq!(before, last.messages);
    let [said, asked] = after else { panic!("{after:#?}") };
    assert_eq!(said.content, CLAIM);
    for part in [
        "\nCall 1: shell ls docs (exit status 0)\n",
        "\nCall 2: shell ls docs > list.txt (exit status 0)\n",
        "list.txt",
        "\nResult: your last words above.\n",
        &format!("\nRequest: {REQUEST}\n"),
        "\nCriterion: Each name stands on a line of its own",
    ] {
        assert!(asked.content.contains(part), "{part} is not in {}", asked.content);
    }
    assert!(!asked.content.contains(CLAIM), "the claim is not repeated as evidence");
    let judges = seen
        .messages()
        .filter(|message| matches!(message, Message::ModelCall(call) if call.role == Role::MetaValidator));
    assert_eq!(judges.count(), 1, "the call is counted as the judge's");
}

/// What the executor says cannot hide what code saw: a file that it does not mention, and a command that failed.
#[tokio::test]
async fn what_the_executor_leaves_out_is_told_by_code() {
    let model = worker()
        .expect(Expect::purpose("executor"), shell("ls docs > list.txt; echo x > extra.txt; exit 3"))
        .expect(
            Expect::purpose("executor"),
            Answer::text("list.txt has all names, and nothing else was done."),
        )
        .expect(
            continued().user_contains("extra.txt; exit 3 (exit status 3)\n").when(
                "it lists the file",
                |request| {
                    let asked = &request.messages.last().unwrap().content;
                    asked.contains("/extra.txt\n") && asked.contains("+x\n")
                },
            ),
            Answer::json(judged("fail")),
        )
        .expect(Expect::purpose("planner"), Answer::json(json!({"subtasks": [], "give_up": "no"})));
    let (seen, requests) = ran(model, |builder| builder).await;
    assert_ne!(seen.result.directive, TerminalState::Accept);
    assert_eq!(
        of(&requests, "meta_validator").len(),
        1,
        "a fail is a verdict: nobody else is asked until one passes"
    );
}

/// The output of the last call is the result: the conversation has not seen it, so the judge is shown it.
#[tokio::test]
async fn the_output_of_a_last_call_is_shown_as_its_result() {
    let ends = Answer::calls([("shell", json!({"command": "ls docs", "output_is_answer": true}))]);
    let mut verdict = judged("pass");
    verdict["parts"][0]["call"] = json!(1);
    verdict["verdicts"][0]["call"] = json!(1);
    let model = worker()
        .expect(Expect::purpose("executor"), shell("ls docs > list.txt"))
        .expect(Expect::purpose("executor"), ends)
        .expect(
            continued().when("the output is a result", |request| {
                let results = &request.messages.last().unwrap().results;
                results.len() == 1 && results[0].content.contains("a.txt\nb.txt")
            }),
            Answer::json(verdict),
        );
    let (seen, _) = ran(model, |builder| builder).await;
    assert_eq!(seen.result.directive, TerminalState::Accept, "{:#?}", seen.result);
}

#[tokio::test]
async fn a_call_is_refused_and_then_a_judge_begins_anew() {
    let again = || Answer::calls([("shell", json!({"command": "touch made-by-the-judge"}))]);
    let refused = continued().user_contains("Refused: the work is over");
    let model = works(worker())
        .expect(continued(), again())
        .expect(refused, again())
        .expect(separate(), Answer::json(judged("pass")));
    let (seen, _) = ran(model, |builder| builder).await;
    assert_eq!(seen.result.directive, TerminalState::Accept, "{:#?}", seen.result);
    let made = seen.outcomes().iter().flat_map(|outcome| &outcome.tool_calls).count();
    assert_eq!(made, 2, "no call of the judge is made");
}

#[tokio::test]
async fn another_model_begins_anew() {
    let other =
        Arc::new(ScriptedModel::new().named("another").expect(separate(), Answer::json(judged("pass"))));
    let client = Arc::clone(&other) as Arc<dyn LlmClient>;
    let model = works(worker());
    let (seen, requests) = ran(model, |builder| builder.role_model(Role::MetaValidator, client)).await;
    other.assert_finished();
    assert_eq!(seen.result.directive, TerminalState::Accept, "{:#?}", seen.result);
    assert_eq!(of(&requests, "meta_validator"), Vec::<&Request>::new());
}

#[tokio::test]
async fn whoever_wants_a_judge_without_the_conversation_gets_one() {
    let model = works(worker()).expect(separate(), Answer::json(judged("pass")));
    let acceptance = Acceptance { continued_judge: false, ..Acceptance::default() };
    let (seen, _) = ran(model, |builder| builder.acceptance(acceptance)).await;
    assert_eq!(seen.result.directive, TerminalState::Accept, "{:#?}", seen.result);
}

/// The conversation of a second plan lacks what the first one did, and that of one step what the others did.
#[tokio::test]
async fn several_conversations_are_judged_anew() {
    let step = |intent: &str, sequence: u32| {
        let criteria = json!([{"text": "It is as docs is", "check": "none"}]);
        json!({"intent": intent, "sequence": sequence, "kind": "find_out", "criteria": criteria})
    };
    let plan = json!({"subtasks": [step("List docs", 1), step("Count the names", 2)]});
    let request = "List the files in docs, then count them";
    let verdict = json!({"parts": [{"quote": request, "reason": "so it is", "verdict": "pass", "call": 2}],
        "verdicts": [{"reason": "so it is", "verdict": "pass", "call": 2}]});
    let model = ScriptedModel::new()
        .profiled(ModelProfile { tool_calling: ToolCalling::Native, ..ModelProfile::default() })
        .expect(Expect::purpose("planner"), Answer::json(plan))
        .expect(Expect::purpose("executor"), shell("ls docs"))
        .expect(Expect::purpose("executor"), Answer::text("a.txt, b.txt, d.md, sub"))
        .expect(Expect::purpose("executor"), shell("ls docs | wc -l"))
        .expect(Expect::purpose("executor"), Answer::text("4"))
        .always(
            Expect::purpose("agent_validator"),
            Answer::json(json!({"reason": "so it is", "verdict": "pass"})),
        )
        .expect(Expect::purpose("answer"), Answer::text("a.txt, b.txt, d.md, sub: 4"))
        .expect(separate(), Answer::json(verdict));
    let (house, model) = (House::new(), Arc::new(model));
    let artoo = builder(&house, &model).build().unwrap();
    let seen = house.run(&artoo, request).await;
    model.assert_finished();
    assert_eq!(seen.result.directive, TerminalState::Accept, "{:#?}", seen.result);
    assert!(fs::exists(house.path("home/docs")).unwrap());
}
