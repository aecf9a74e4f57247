//! Tests of asking back: when it is allowed, how often, and the effect of the answer.

use std::sync::Arc;

use artoo_llm_client::{
    LlmClient,
    doubles::{Answer, Expect, ScriptedModel},
};
use artoo_perceiver::{ASKING_PROMPT, DefaultPerceiver, Dialogue, PerceiveError, Perceived, Perceiver, run};
use artoo_types::{
    ClarificationAnswered, ClarificationRequested, Message, MessageKind, Role, TaskSpec, UserRequest,
};
use async_trait::async_trait;
use serde_json::json;

use crate::fixtures::{changing, client, request, scene};

const TURN: (&str, &str) = ("Which reports are there?", "a.txt and b.txt");

fn unclear(question: &str) -> Answer {
    Answer::json(json!({"questions": [question], "intent": ""}))
}

fn clear(intent: &str) -> Answer {
    Answer::json(json!({"questions": [], "intent": intent}))
}

/// Runs the actor on a request, answers its questions, and returns the messages published after the request.
async fn said(
    perceiver: impl Perceiver + 'static,
    model: &Arc<ScriptedModel>,
    request: UserRequest,
    answers: &[&str],
) -> Vec<Message> {
    let scene = scene();
    let mut user = scene.bus.port(Role::User).unwrap();
    user.publish(request).unwrap();
    let sender = user.sender();
    let answers: Vec<String> = answers.iter().map(|answer| (*answer).to_owned()).collect();
    tokio::spawn(async move {
        let mut answers = answers.into_iter();
        while let Some(envelope) = user.recv().await {
            let Message::ClarificationRequested(asked) = envelope.message.as_ref() else { continue };
            // An answer to another round is ignored.
            sender
                .publish(ClarificationAnswered {
                    round: asked.round + 7,
                    subtask_id: None,
                    answer: "no".to_owned(),
                })
                .unwrap();
            let answer = answers.next().expect("an answer for every round");
            sender.publish(ClarificationAnswered { round: asked.round, subtask_id: None, answer }).unwrap();
        }
    });
    let port = scene.bus.port(Role::Perceiver).unwrap();
    let actor = tokio::spawn(run(port, Arc::new(perceiver), client(model)));
    // With time paused this returns only when nothing is left to do.
    tokio::time::sleep(std::time::Duration::from_secs(1)).await;
    scene.bus.close();
    let said = scene.said();
    actor.await.unwrap();
    let noise = [MessageKind::UserRequest, MessageKind::ModelCall, MessageKind::ClarificationAnswered];
    said.into_iter().filter(|message| !noise.contains(&message.kind())).collect()
}

fn asked(text: &str) -> UserRequest {
    UserRequest { person_present: true, ..request(text, &[TURN]) }
}

fn task(message: &Message) -> &TaskSpec {
    let Message::TaskSpec(task) = message else { panic!("{message:?}") };
    task
}

#[tokio::test(start_paused = true)]
async fn what_the_turns_leave_open_is_asked_and_the_answer_counts() {
    let model = Arc::new(
        ScriptedModel::new()
            .expect(
                Expect::purpose("perceiver").schema("resolved_or_open").system_contains(ASKING_PROMPT),
                unclear("Which of\n the two?"),
            )
            .expect(
                Expect::purpose("perceiver")
                    .user_contains("You asked: Which of the two?\nThe user answered: the 2nd"),
                clear("Open b.txt"),
            ),
    );
    let said = said(DefaultPerceiver, &model, asked("open it"), &["the 2nd, b.txt"]).await;
    model.assert_finished();
    let questions = vec!["Which of the two?".to_owned()];
    assert_eq!(said[0], ClarificationRequested { round: 1, subtask_id: None, questions }.into());
    // "2nd" is a fact of the answer, and the restatement lost it.
    let words = "(In the user's words: open it\n(Asked: Which of the two? Answered: the 2nd, b.txt))";
    assert_eq!(task(&said[1]).intent, format!("Open b.txt\n{words}"));
    assert_eq!((task(&said[1]).raw_input.as_str(), said.len()), ("open it", 2));
}

/// Lesson 23: the same question came a dozen times before anyone could type.
#[tokio::test(start_paused = true)]
async fn lesson_23_two_rounds_are_the_most_and_an_empty_answer_means_go_ahead() {
    let model = Arc::new(
        ScriptedModel::new()
            .expect(Expect::purpose("perceiver").schema("resolved_or_open"), unclear("Which?"))
            .expect(Expect::purpose("perceiver").schema("resolved_or_open"), unclear("Which folder?"))
            .expect(
                Expect::purpose("perceiver").schema("resolved_request"),
                Answer::json(json!({"intent": "Open a in docs"})),
            ),
    );
    let twice = said(DefaultPerceiver, &model, asked("open it"), &["a", "docs"]).await;
    model.assert_finished();
    let kinds: Vec<String> = twice.iter().map(|message| message.kind().name()).collect();
    assert_eq!(kinds, ["clarification_requested", "clarification_requested", "task_spec"]);

    let model = Arc::new(
        ScriptedModel::new().expect(Expect::purpose("perceiver"), unclear("Which?")).expect(
            Expect::purpose("perceiver")
                .schema("resolved_request")
                .user_contains("answered: (none: go ahead)"),
            Answer::json(json!({"intent": "Open both"})),
        ),
    );
    let once = said(DefaultPerceiver, &model, asked("open it"), &["  "]).await;
    model.assert_finished();
    assert_eq!(task(&once[1]).intent, "Open both\n(In the user's words: open it)");
}

#[tokio::test(start_paused = true)]
async fn nobody_is_asked_where_nobody_is_or_where_nothing_is_open() {
    let model = Arc::new(ScriptedModel::new().expect(
        Expect::purpose("perceiver").schema("resolved_request"),
        Answer::json(json!({"intent": "Open both"})),
    ));
    let alone = said(DefaultPerceiver, &model, request("open it", &[TURN]), &[]).await;
    assert_eq!(task(&alone[0]).intent, "Open both\n(In the user's words: open it)");
    assert!(!model.requests()[0].system.contains(ASKING_PROMPT));
    // A first request costs no model call, with or without a person.
    let first = UserRequest { person_present: true, ..request("open b.txt", &[]) };
    let said = said(DefaultPerceiver, &model, first, &[]).await;
    assert_eq!((task(&said[0]).intent.as_str(), model.requests().len()), ("open b.txt", 1));
}

/// Always asks back.
struct Stubborn;

#[async_trait]
impl Perceiver for Stubborn {
    async fn perceive(
        &self,
        _: &UserRequest,
        _: &Dialogue,
        _: &Arc<dyn LlmClient>,
    ) -> Result<Perceived, PerceiveError> {
        Ok(Perceived::Unclear(vec!["Why?".to_owned(), String::new()]))
    }
}

/// The bound applies to third-party code too, and the run proceeds with the user's words.
#[tokio::test(start_paused = true)]
async fn a_perceiver_that_never_stops_asking_is_stopped() {
    let model = Arc::new(ScriptedModel::new());
    let present = UserRequest { person_present: true, ..request("open it", &[]) };
    let stopped = said(Stubborn, &model, present, &["because", "of b.txt"]).await;
    let kinds: Vec<String> = stopped.iter().map(|message| message.kind().name()).collect();
    assert_eq!(kinds, ["clarification_requested", "clarification_requested", "warning", "task_spec"]);
    assert_eq!(
        task(&stopped[3]).intent,
        "open it\n(Asked: Why? Answered: because)\n(Asked: Why? Answered: of b.txt)"
    );
    let alone = said(Stubborn, &model, request("open it", &[]), &[]).await;
    let Message::Warning(warning) = &alone[0] else { panic!("{alone:?}") };
    assert!(
        warning.message.contains("nobody can be asked") && warning.message.ends_with("open: Why?"),
        "{warning:?}"
    );
    assert_eq!(task(&alone[1]).intent, "open it");
}

#[tokio::test]
async fn the_prompt_that_may_ask() {
    let model = Arc::new(ScriptedModel::new().always(Expect::any(), clear("x")));
    let dialogue = Dialogue::new(true).with(vec!["Which?".to_owned()], "that one".to_owned());
    DefaultPerceiver.perceive(&asked("open it"), &dialogue, &client(&model)).await.unwrap();
    let [sent] = model.requests().try_into().unwrap();
    let schema = sent.schema.as_ref().unwrap();
    insta::assert_snapshot!(format!(
        "{}\n--- {} {}\n{}",
        sent.system,
        schema.name,
        schema.schema,
        changing(&sent)
    ));
}
