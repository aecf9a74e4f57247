//! Memory across runs: what one run learned is recalled, followed and recorded in the next.

use std::sync::Arc;

use artoo_bus::Observed;
use artoo_ggs_core::Profile;
use artoo_llm_client::doubles::{Answer, Expect, ScriptedModel};
use artoo_mkct_memory::{Event, InMemory, MemoryService, Rules, Template, matrix};
use artoo_runtime::{
    Artoo, RunRequest, events,
    explain::{RememberedKind, explain},
    journal,
};
use artoo_types::{
    ApprovalScope, BlockedTarget, CallEnding, Entity, GuardAction, HeldEnd, Level, Megram, MegramId,
    MegramState, Message, MessageKind, Origin, Space, TagPair, TerminalState, ToolCall, ToolName,
};
use chrono::{DateTime, FixedOffset};
use serde_json::json;
use uuid::Uuid;

use crate::fixture::{House, Seen, question, recorded, shell, watched};

const REQUEST: &str = "How many .txt files are in docs?";
/// Fails for a reason in the call itself, and prints something that is no answer.
const WRONG: &str = "echo many; ls --wrong docs";
const RIGHT: &str = "find docs -name '*.txt' | wc -l";

fn now() -> DateTime<FixedOffset> {
    chrono::Utc::now().fixed_offset()
}

fn memory(rules: Rules) -> Arc<InMemory> {
    Arc::new(InMemory::new(rules, now, || MegramId::new(Uuid::now_v7())))
}

fn artoo(house: &House, model: &Arc<ScriptedModel>, memory: &Arc<InMemory>) -> Artoo {
    house.builder(model).memory(Arc::clone(memory) as Arc<dyn MemoryService>).build().unwrap()
}

fn once(house: &House, text: &str) -> RunRequest {
    let mut request = house.request(text);
    request.limits.max_retries = 0;
    request
}

/// One run of its own artoo, as in its own process.
async fn run(house: &House, model: &Arc<ScriptedModel>, memory: &Arc<InMemory>, text: &str) -> Seen {
    let artoo = artoo(house, model, memory);
    let seen = watched(artoo.start(once(house, text)).unwrap()).await;
    // Closing an artoo closes its memory, which the next one needs open: this one is dropped.
    drop(artoo);
    seen
}

/// A run that fails at first and is solved by a replan.
async fn first_run(house: &House, memory: &Arc<InMemory>, wrong: &str) -> Seen {
    let model = Arc::new(
        ScriptedModel::new()
            .expect(Expect::purpose("planner").user_lacks("earlier runs"), Answer::json(question(REQUEST)))
            .expect(Expect::purpose("executor").user_lacks("earlier runs"), Answer::json(shell(wrong)))
            .expect(Expect::purpose("executor"), Answer::json(json!({"answer": "many"})))
            .expect(
                Expect::purpose("planner").user_contains("An earlier plan fell short."),
                Answer::json(question("Count the .txt files below docs with find; give the number")),
            )
            .expect(Expect::purpose("executor"), Answer::json(shell(RIGHT))),
    );
    let seen = run(house, &model, memory, REQUEST).await;
    model.assert_finished();
    assert_eq!(seen.result.directive, TerminalState::Accept, "{:#?}", seen.result);
    assert_eq!(seen.result.replans, 1);
    seen
}

fn calls(seen: &Seen) -> Vec<ToolCall> {
    let call = |message: &Message| {
        if let Message::ToolFinished(finished) = message { Some(finished.call.clone()) } else { None }
    };
    seen.messages().filter_map(call).collect()
}

fn written(memory: &InMemory) -> Vec<Megram> {
    let megram =
        |event: Event| if let Event::Written(megram) = event { Some((*megram).clone()) } else { None };
    memory.events().into_iter().filter_map(megram).collect()
}

fn explained(seen: &Seen) -> artoo_runtime::explain::Explanation {
    explain(&journal::read(&seen.folder.join(journal::FILE_NAME)).unwrap())
}

/// The transcript of the issue, with a model that only follows its prompt: the next day the same kind of
/// request succeeds at once, since both roles see the earlier result, and the page says why.
#[tokio::test]
async fn what_a_replan_taught_is_told_in_the_next_run() {
    let (house, memory) = (House::new(), memory(Rules::default()));
    let first = first_run(&house, &memory, "echo many; no-such-program docs").await;
    let run_id = first.result.run_id;
    let lesson = "First failed: shell with echo many; no-such-program docs (no-such-program is not on this machine, exit status 127). Then worked: \
                  shell with find docs -name '*.txt' | wc -l.";
    let provenance = format!("{}, went well: Done: {REQUEST}", now().format("%Y-%m-%d"));
    let model = Arc::new(
        ScriptedModel::new()
            .expect(
                Expect::purpose("planner")
                    .user_contains("What is known of such work from earlier runs:\n<<<data: memory\n")
                    .user_contains(provenance.clone())
                    .user_contains(lesson),
                Answer::json(question("Count the .txt files below docs with find; give the number")),
            )
            .expect(
                Expect::purpose("executor")
                    .user_contains("Count the .txt files below docs with find; give the number")
                    .user_contains("What is known of such work from earlier runs:\n<<<data: memory\n")
                    .user_contains(provenance)
                    .user_contains(lesson),
                Answer::json(shell(RIGHT)),
            ),
    );
    let second = run(&house, &model, &memory, REQUEST).await;
    model.assert_finished();
    assert_eq!(second.result.directive, TerminalState::Accept, "{:#?}", second.result);
    assert_eq!((second.result.replans, second.result.output.clone()), (0, json!("3")));
    // Recorded: what was recalled, and whether it was used.
    let [round] = explained(&second).rounds.try_into().unwrap();
    let used: Vec<_> = round.memory.recalled.iter().filter(|told| told.used).collect();
    assert!(used.iter().any(|told| told.kind == RememberedKind::Experience
        && told.origin == Some(Origin::Run(run_id))
        && told.content.contains(lesson)));
    let plan = second.messages().find_map(Message::payload::<artoo_types::Plan>);
    let told = plan.unwrap().memory.used.len() + plan.unwrap().memory.ignored.len();
    assert_eq!(told, round.memory.recalled.len());
    let proposed = second.lines().into_iter().find_map(|line| {
        if let events::Event::PlanProposed { memory, .. } = line.event { Some(memory) } else { None }
    });
    assert_eq!(proposed.unwrap(), plan.unwrap().memory);
}

/// "Count the text files" profits from "How many .txt files are in docs?": other words, another pair.
#[tokio::test]
async fn a_similar_request_hears_of_it_and_why() {
    let (house, memory) = (House::new(), memory(Rules::default()));
    first_run(&house, &memory, WRONG).await;
    let model = Arc::new(
        ScriptedModel::new()
            .expect(
                Expect::purpose("planner")
                    .user_contains("What is known of such work from earlier runs:")
                    .user_contains(RIGHT),
                Answer::json(question("Count the .txt files")),
            )
            .expect(Expect::purpose("executor").user_contains(RIGHT), Answer::json(shell(RIGHT))),
    );
    let seen = run(&house, &model, &memory, "Tell me the number of .txt files in docs").await;
    model.assert_finished();
    assert_eq!(seen.result.directive, TerminalState::Accept, "{:#?}", seen.result);
}

/// A call that failed for a reason in itself is not repeated without a person; the model sees the lesson and
/// chooses another way.
#[tokio::test]
async fn a_call_that_memory_avoids_is_refused_in_the_next_run() {
    let (house, memory) = (House::new(), memory(Rules::default()));
    first_run(&house, &memory, WRONG).await;
    let model = Arc::new(
        ScriptedModel::new()
            .expect(
                Expect::purpose("planner").user_contains(format!("shell with {WRONG} failed: exit status 2")),
                Answer::json(question(REQUEST)),
            )
            .expect(Expect::purpose("executor"), Answer::json(shell(WRONG)))
            .expect(
                Expect::purpose("executor")
                    .user_contains("memory advises against this call (")
                    .user_contains("failed: exit status 2, logical"),
                Answer::json(shell(RIGHT)),
            ),
    );
    let seen = run(&house, &model, &memory, REQUEST).await;
    model.assert_finished();
    assert_eq!((seen.result.directive, seen.result.output.clone()), (TerminalState::Accept, json!("3")));
    let calls = calls(&seen);
    let ends: Vec<_> =
        calls.iter().map(|call| call.held.as_ref().map(|held| (held.action, held.came))).collect();
    assert_eq!(ends, [Some((GuardAction::Refuse, HeldEnd::Refused)), None]);
    assert_eq!(calls[0].ending, CallEnding::Refused);
    let page = explained(&seen);
    let round = &page.rounds[0];
    assert!(round.memory.guards.iter().any(|guard| guard.target.target == WRONG));
    assert_eq!(round.memory.held[0].held.came, HeldEnd::Refused);
    assert!(round.refused[0].reason.contains("memory advises against this call"), "{:?}", round.refused);
}

/// A person overrides once. Its success then counts against the advice.
#[tokio::test]
async fn a_person_overrides_memory_once_and_that_it_works_is_learned() {
    let (house, memory) = (House::new(), memory(Rules::default()));
    first_run(&house, &memory, WRONG).await;
    let right = BlockedTarget { tool: ToolName::new("shell"), target: RIGHT.to_owned() };
    // It succeeded then; since then it has failed twice.
    for _ in 0..2 {
        let content = format!("{REQUEST} it found nothing");
        write(&memory, of_call(&house, &right), MegramState::ChangeApproach, &content);
    }
    let model = Arc::new(
        ScriptedModel::new()
            .expect(Expect::purpose("planner"), Answer::json(question(REQUEST)))
            .expect(Expect::purpose("executor"), Answer::json(shell(RIGHT))),
    );
    let artoo = artoo(&house, &model, &memory);
    let mut request = once(&house, REQUEST);
    request.person_present = true;
    let run = artoo.start(request).unwrap();
    let (mut observer, answerer, folder) = (run.observe(10_000), run.answerer(), run.folder().to_owned());
    let answering = tokio::spawn(async move {
        while let Some(Observed::Message(envelope)) = observer.recv().await {
            if let Message::ApprovalRequested(asked) = envelope.message.as_ref() {
                if asked.reason.contains("override it once?") && !asked.because.is_empty() {
                    answerer.allow(asked.call_id, ApprovalScope::Once);
                } else {
                    answerer.deny(asked.call_id, None);
                }
            }
        }
    });
    let result = run.finished().await;
    answering.abort();
    let seen = recorded(result, &folder);
    model.assert_finished();
    assert_eq!(seen.result.directive, TerminalState::Accept, "{:#?}", seen.result);
    let [call] = calls(&seen).try_into().unwrap();
    assert_eq!(call.held.map(|held| held.came), Some(HeldEnd::Agreed));
    let learned =
        written(&memory).into_iter().rfind(|megram| megram.pair() == of_call(&house, &right)).unwrap();
    assert_eq!((learned.state, learned.sigma), (MegramState::BreakSymmetry, 1.0));
}

/// Caution without a person: the step is done in trial only, and the disk is unchanged.
#[tokio::test]
async fn caution_without_a_person_leaves_the_disk_as_it_was() {
    let (house, memory) = (House::new(), memory(Rules::default()));
    let command = "echo 3 > made.txt; echo 3";
    let call = BlockedTarget { tool: ToolName::new("shell"), target: command.to_owned() };
    for state in [MegramState::ChangeApproach, MegramState::BreakSymmetry] {
        write(&memory, of_call(&house, &call), state, REQUEST);
    }
    let model = Arc::new(
        ScriptedModel::new()
            .expect(Expect::purpose("planner"), Answer::json(question(REQUEST)))
            .expect(Expect::purpose("executor"), Answer::json(shell(command)))
            .expect(
                Expect::purpose("executor").user_contains("It was only tried, where nothing of it lasts."),
                Answer::json(shell(RIGHT)),
            ),
    );
    let seen = run(&house, &model, &memory, REQUEST).await;
    model.assert_finished();
    assert!(!house.path("home/made.txt").exists());
    assert_eq!(seen.result.directive, TerminalState::Accept, "{:#?}", seen.result);
    let calls = calls(&seen);
    assert_eq!(
        calls[0].held.as_ref().map(|held| (held.action, held.came)),
        Some((GuardAction::Confirm, HeldEnd::Tried))
    );
    assert_eq!(calls[0].files, []);
}

/// The person's laws are in every prompt of the planner and in every step, in a first plan and in a replan.
#[tokio::test]
async fn laws_are_in_every_prompt_of_planner_and_executor() {
    let (house, memory) = (House::new(), memory(Rules::default()));
    let law = "Never touch the folder Fotos";
    let megram = matrix::megram(
        MegramId::new(Uuid::now_v7()),
        MegramState::Accept,
        now(),
        Space::from_raw("law"),
        Entity::local(),
        law.to_owned(),
    );
    let id = megram.id;
    memory.write(Megram { level: Level::T, k: 0.0, origin: Some(Origin::Person), ..megram }).unwrap();
    let heard = move |purpose: &str| {
        Expect::purpose(purpose)
            .user_contains(format!("The user's own laws, which hold in every run:\n- {law}\n"))
    };
    let model = Arc::new(
        ScriptedModel::new()
            .expect(heard("planner"), Answer::json(question(REQUEST)))
            .expect(heard("executor"), Answer::json(shell("echo many; no-such-program docs")))
            .expect(heard("executor"), Answer::json(json!({"answer": "many"})))
            .expect(heard("planner"), Answer::json(question("Count with find")))
            .expect(heard("executor"), Answer::json(shell(RIGHT))),
    );
    let seen = run(&house, &model, &memory, REQUEST).await;
    model.assert_finished();
    assert_eq!(seen.result.directive, TerminalState::Accept, "{:#?}", seen.result);
    for message in seen.messages() {
        if let Message::Plan(plan) = message {
            assert!(plan.memory.used.contains(&id), "the law: {:?}", plan.memory);
        }
    }
}

/// The literal profile queries only the pair of the intent, and writes as the specification says.
#[tokio::test]
async fn the_literal_profile_asks_and_writes_as_before() {
    let house = House::new();
    let memory = memory(Rules::spec_v0_8());
    let model = Arc::new(
        ScriptedModel::new()
            .expect(Expect::purpose("planner").user_lacks("earlier runs"), Answer::json(question(REQUEST)))
            .expect(Expect::purpose("executor").user_lacks("earlier runs"), Answer::json(shell(RIGHT))),
    );
    let service = Arc::clone(&memory) as Arc<dyn MemoryService>;
    let artoo = house.builder(&model).memory(service).profile(Profile::SpecV08).build().unwrap();
    let seen = watched(artoo.start(once(&house, REQUEST)).unwrap()).await;
    let asked: Vec<_> = seen
        .messages()
        .filter_map(
            |message| if let Message::MemoryQuery(query) = message { Some(query.clone()) } else { None },
        )
        .collect();
    let intent = TagPair::new(Space::intent(REQUEST), Entity::local());
    assert_eq!(asked, [artoo_types::MemoryQuery { pairs: vec![intent.clone()], like: None }]);
    assert_eq!(seen.count(MessageKind::MegramWrite), 1);
    assert_eq!(written(&memory).iter().map(Megram::pair).collect::<Vec<_>>(), [intent]);
}

/// Secrets in a call, in what is written and in what is queried must not stay on a disk for years.
#[tokio::test]
async fn no_secret_is_remembered() {
    const SECRET: &str = "hunter2-hunter2-hunter2";
    let (house, memory) = (House::new(), memory(Rules::default()));
    let model = Arc::new(
        ScriptedModel::new()
            .expect(Expect::purpose("planner"), Answer::json(question(REQUEST)))
            .expect(Expect::purpose("planner"), Answer::json(question("Count them with find")))
            .expect(
                Expect::purpose("executor"),
                Answer::json(shell(&format!("echo many; ls --wrong={SECRET} docs"))),
            )
            .expect(Expect::purpose("executor"), Answer::json(json!({"answer": "many"})))
            .expect(Expect::purpose("executor"), Answer::json(shell(&format!("{RIGHT} # {SECRET}")))),
    );
    let service = Arc::clone(&memory) as Arc<dyn MemoryService>;
    let artoo = house.builder(&model).memory(service).secret(SECRET).build().unwrap();
    // The messages within the process contain the secret, the record does not: the two are not compared.
    let result = artoo.start(once(&house, REQUEST)).unwrap().finished().await;
    assert_eq!(result.directive, TerminalState::Accept, "{result:#?}");
    let megrams = written(&memory);
    assert!(megrams.len() >= 3, "{megrams:#?}");
    assert!(!format!("{megrams:?}").contains("hunter2"), "{megrams:#?}");
    assert!(format!("{megrams:?}").contains("ls --wrong="), "{megrams:#?}");
}

/// Guards are looked up by the very call: memory holds more failed calls of a request than a plan is told of
/// (`e11.py`).
#[tokio::test]
async fn lesson_every_failed_call_is_held_back_however_many_there_are() {
    let (house, memory) = (House::new(), memory(Rules::default()));
    let wrong = |number: usize| format!("echo many; ls --wrong{number} docs");
    let mut model = ScriptedModel::new().expect(Expect::purpose("planner"), Answer::json(question(REQUEST)));
    for number in 1..=7 {
        let call = BlockedTarget { tool: ToolName::new("shell"), target: wrong(number) };
        let content = format!("shell with {} failed. The request was: {REQUEST}", call.target);
        write(&memory, of_call(&house, &call), MegramState::ChangeApproach, &content);
        model = model.expect(Expect::purpose("executor"), Answer::json(shell(&wrong(number))));
    }
    let refused = "memory advises against this call (";
    let model = Arc::new(
        model.expect(Expect::purpose("executor").user_contains(refused), Answer::json(shell(RIGHT))),
    );
    let seen = run(&house, &model, &memory, REQUEST).await;
    model.assert_finished();
    assert_eq!(seen.result.directive, TerminalState::Accept, "{:#?}", seen.result);
    let held = calls(&seen).iter().filter(|call| call.held.is_some()).count();
    assert_eq!((held, calls(&seen).len()), (7, 8));
}

/// The same call in another folder is another call.
#[tokio::test]
async fn a_call_that_failed_elsewhere_is_free_here() {
    let (house, memory) = (House::new(), memory(Rules::default()));
    let call = BlockedTarget { tool: ToolName::new("shell"), target: RIGHT.to_owned() };
    write(&memory, TagPair::of_call_in(&call, "/elsewhere".as_ref()), MegramState::ChangeApproach, REQUEST);
    let model = Arc::new(
        ScriptedModel::new()
            .expect(Expect::purpose("planner"), Answer::json(question(REQUEST)))
            .expect(Expect::purpose("executor"), Answer::json(shell(RIGHT))),
    );
    let seen = run(&house, &model, &memory, REQUEST).await;
    assert_eq!(calls(&seen).iter().map(|call| call.held.is_some()).collect::<Vec<_>>(), [false]);
}

/// Two failures for reasons of the world advise caution, with the experiences behind it (`e13.py`, `e14.py`).
#[tokio::test]
async fn lesson_a_call_that_failed_twice_is_only_tried_the_third_time() {
    let (house, memory) = (House::new(), memory(Rules::default()));
    let command = "cat nowhere/bad_way_a";
    let call = BlockedTarget { tool: ToolName::new("shell"), target: command.to_owned() };
    for _ in 0..2 {
        write(&memory, of_call(&house, &call), MegramState::ChangePath, REQUEST);
    }
    let model = Arc::new(
        ScriptedModel::new()
            .expect(Expect::purpose("planner"), Answer::json(question(REQUEST)))
            .expect(Expect::purpose("executor"), Answer::json(shell(command)))
            .expect(Expect::purpose("executor"), Answer::json(shell(RIGHT))),
    );
    let seen = run(&house, &model, &memory, REQUEST).await;
    let held = calls(&seen)[0].held.clone().unwrap();
    assert_eq!((held.action, held.came), (GuardAction::Confirm, HeldEnd::Tried));
    assert!(!held.because.is_empty());
}

/// A command that ran well and answered wrongly is not made again for the same request (`e12.py`).
#[tokio::test]
async fn lesson_a_wrong_answer_is_not_given_twice() {
    const INCOMPLETE: &str = "ls docs/*.txt | wc -l";
    let (house, memory) = (House::new(), memory(Rules::default()));
    let call = BlockedTarget { tool: ToolName::new("shell"), target: INCOMPLETE.to_owned() };
    let content = format!(
        "shell with {INCOMPLETE} ran, and what it put out was the wrong answer. The request was: {REQUEST}"
    );
    let pair = TagPair::of_answer(REQUEST, &call, &house.path("home"));
    write(&memory, pair, MegramState::ChangeApproach, &content);
    let again = Arc::new(
        ScriptedModel::new()
            .expect(Expect::purpose("planner"), Answer::json(question(REQUEST)))
            .expect(Expect::purpose("executor"), Answer::json(shell(INCOMPLETE)))
            .expect(
                Expect::purpose("executor").user_contains("what it put out was the wrong answer"),
                Answer::json(shell(RIGHT)),
            ),
    );
    let seen = run(&house, &again, &memory, REQUEST).await;
    again.assert_finished();
    assert_eq!(
        (seen.result.directive, seen.result.replans),
        (TerminalState::Accept, 0),
        "{:#?}",
        seen.result
    );
    // Where another thing is asked, the same command may be right.
    let other = Arc::new(
        ScriptedModel::new()
            .expect(Expect::purpose("planner"), Answer::json(question("Count the .txt directly in docs")))
            .expect(Expect::purpose("executor"), Answer::json(shell(INCOMPLETE))),
    );
    let seen = run(&house, &other, &memory, "Count the .txt directly in docs").await;
    assert!(calls(&seen).iter().all(|call| call.held.is_none()), "{:#?}", calls(&seen));
}

/// A practice of a folder falls like any other when runs there fail (`e18.py`).
#[tokio::test]
async fn lesson_a_practice_of_a_folder_falls() {
    let (house, memory) = (House::new(), memory(Rules::default()));
    let (space, folder) = (Space::intent(REQUEST), Entity::folder(&house.path("home")));
    for _ in 0..6 {
        let content = format!("Done: {REQUEST} Worked: shell with {RIGHT}.");
        write(&memory, TagPair::new(space.clone(), folder.clone()), MegramState::Accept, &content);
    }
    memory.dream(&Template).await.unwrap();
    assert_eq!(memory.query_c(&space, &folder).await.unwrap().len(), 1);
    for number in 0..3 {
        let model = Arc::new(
            ScriptedModel::new()
                .expect(Expect::purpose("planner"), Answer::json(question(REQUEST)))
                .expect(
                    Expect::purpose("executor"),
                    Answer::json(shell(&format!("{WRONG}; ls --no{number}"))),
                )
                .always(Expect::purpose("executor"), Answer::json(json!({"answer": "many"})))
                .always(Expect::purpose("planner"), Answer::json(json!({"next": "say_more"}))),
        );
        let artoo = artoo(&house, &model, &memory);
        let mut request = once(&house, REQUEST);
        request.limits.max_replans = 0;
        let seen = watched(artoo.start(request).unwrap()).await;
        assert_eq!(seen.result.directive, TerminalState::Abandon, "{:#?}", seen.result);
        drop(artoo);
    }
    memory.dream(&Template).await.unwrap();
    assert_eq!(memory.query_c(&space, &folder).await.unwrap(), []);
}

/// Failures of a kind of request become a rule that says what failed, and forbids no request (`e5.py`).
#[tokio::test]
async fn lesson_a_constraint_says_what_failed_and_forbids_no_request() {
    let (house, memory) = (House::new(), memory(Rules::default()));
    for _ in 0..6 {
        let content = format!(
            "Failed: shell with {WRONG} (exit status 2, logical). Not met: it is one number. The request was: {REQUEST}"
        );
        write(&memory, TagPair::new(Space::intent(REQUEST), Entity::local()), MegramState::Abandon, &content);
    }
    memory.dream(&Template).await.unwrap();
    let told = "Failed before: What failed (6 of 6 experiences, last ";
    let model = Arc::new(
        ScriptedModel::new()
            .expect(
                Expect::purpose("planner").user_contains(told).user_contains(WRONG).user_lacks("MUST NOT"),
                Answer::json(question(REQUEST)),
            )
            .expect(
                Expect::purpose("executor").user_contains(told).user_lacks("MUST NOT"),
                Answer::json(shell(RIGHT)),
            ),
    );
    let seen = run(&house, &model, &memory, REQUEST).await;
    model.assert_finished();
    assert_eq!(seen.result.directive, TerminalState::Accept, "{:#?}", seen.result);
}

fn of_call(house: &House, call: &BlockedTarget) -> TagPair {
    TagPair::of_call_in(call, &house.path("home"))
}

fn write(memory: &InMemory, TagPair { space, entity }: TagPair, state: MegramState, content: &str) {
    let id = MegramId::new(Uuid::now_v7());
    memory.write(matrix::megram(id, state, now(), space, entity, content.to_owned())).unwrap();
}
