use std::sync::Arc;

use artoo_mkct_memory::MemoryService;
use artoo_redaction::Redactor;
use artoo_shared_memory::{PATIENCE, answer};
use artoo_types::{
    Envelope, Megram, MegramState, MegramWrite, MemoryAction, MemoryQuery, MemoryReply, Message, Origin,
    Role, RunId, TagPair, Warning,
};

use crate::fixtures::{Flaw, Flawed, experience, memory, pair, rule, today};

fn from(role: Role, message: impl Into<Message>) -> Envelope {
    let message = Arc::new(message.into());
    Envelope { seq: 1, run_id: RunId::OPERATOR, at: today(), elapsed_ms: 0, from: role, message }
}

fn question() -> Envelope {
    from(Role::Planner, query())
}

fn query() -> MemoryQuery {
    let (space, entity) = pair();
    MemoryQuery { pairs: vec![TagPair::new(space, entity)], like: None }
}

fn nothing_known() -> Message {
    MemoryReply::nothing(&query()).into()
}

fn warnings(said: &[Message]) -> Vec<&str> {
    let warning = |message| {
        if let &Message::Warning(Warning { ref message, .. }) = message {
            Some(message.as_str())
        } else {
            None
        }
    };
    said.iter().filter_map(warning).collect()
}

#[tokio::test]
async fn nobody_but_the_controller_may_write() {
    for role in Role::ALL {
        let memory = memory();
        let megram = experience(1, MegramState::Accept);
        let said =
            answer(memory.as_ref(), &Redactor::new(), &from(role, MegramWrite { megram: megram.clone() }))
                .await;
        if role == Role::Ggs {
            assert_eq!(
                (said, memory.get(megram.id)),
                (vec![], Some(Megram { origin: Some(Origin::Run(RunId::OPERATOR)), ..megram }))
            );
        } else {
            assert_eq!(memory.get(megram.id), None, "{role}");
            let [warning] = warnings(&said)[..] else { panic!("{said:?}") };
            assert!(warning.contains("refused") && warning.contains(role.name()), "{warning}");
        }
    }
}

#[tokio::test]
async fn a_write_that_memory_refuses_is_a_warning_that_says_why() {
    let memory = memory();
    memory.close().await.unwrap();
    let said = answer(
        memory.as_ref(),
        &Redactor::new(),
        &from(Role::Ggs, MegramWrite { megram: experience(1, MegramState::Accept) }),
    )
    .await;
    let [warning] = warnings(&said)[..] else { panic!("{said:?}") };
    assert!(warning.ends_with("is lost: the memory is closed"), "{warning}");
}

#[tokio::test]
async fn a_question_gets_rules_and_potentials_and_recalls_the_rules() {
    let memory = memory();
    memory.write(rule(1, MegramState::Success)).unwrap();
    memory.write(experience(2, MegramState::Accept)).unwrap();
    let said = answer(memory.as_ref(), &Redactor::new(), &question()).await;
    let [Message::MemoryReply(reply)] = said.as_slice() else { panic!("{said:?}") };
    let [known] = reply.recalled.as_slice() else { panic!("{reply:?}") };
    assert_eq!((&known.pair.space, &known.pair.entity), (&pair().0, &pair().1));
    assert_eq!((known.sops.len(), known.experiences.len()), (1, 1));
    assert_eq!(known.potentials.action, MemoryAction::Exploit);
    assert_eq!(memory.get(rule(1, MegramState::Success).id).unwrap().last_recalled_at, Some(today()));
    assert_eq!(memory.get(experience(2, MegramState::Accept).id).unwrap().last_recalled_at, None);
}

#[tokio::test]
async fn a_memory_that_fails_does_not_stop_a_plan() {
    let memory = Flawed::new(Flaw::CannotBeRead);
    let said = answer(memory.as_ref(), &Redactor::new(), &question()).await;
    assert_eq!(said.last(), Some(&nothing_known()));
    let found = warnings(&said);
    assert_eq!(found.len(), 1);
    assert!(
        found.iter().all(|warning| warning.ends_with("the memory's store failed: the disk is on fire")),
        "{found:?}"
    );
}

#[tokio::test(start_paused = true)]
async fn a_memory_that_hangs_does_not_stop_a_plan() {
    let memory = Flawed::new(Flaw::Hangs);
    let begun = tokio::time::Instant::now();
    let said = answer(memory.as_ref(), &Redactor::new(), &question()).await;
    // Tokio's timer has millisecond resolution.
    assert!(begun.elapsed() - PATIENCE < std::time::Duration::from_millis(2), "{:?}", begun.elapsed());
    assert_eq!(said.last(), Some(&nothing_known()));
    assert!(warnings(&said).iter().all(|warning| warning.contains("no answer in 2 s")), "{said:?}");
}

#[tokio::test]
async fn other_messages_are_none_of_its_business() {
    let warning = Warning { role: Role::Planner, message: "hello".to_owned() };
    assert_eq!(answer(memory().as_ref(), &Redactor::new(), &from(Role::Planner, warning)).await, []);
}

/// No tag and no word is stored with a secret, and a query with the secret finds them again.
#[tokio::test]
async fn secrets_are_neither_kept_nor_asked_with() {
    let (memory, redact) = (memory(), Redactor::new().secret("hunter2-hunter2"));
    let tagged = |number, text: &str| Megram {
        space: artoo_types::Space::from_raw(format!("tool:{text}")),
        entity: artoo_types::Entity::path(text),
        content: format!("said {text}"),
        ..experience(number, MegramState::Accept)
    };
    let megram = tagged(1, "hunter2-hunter2");
    let write = MegramWrite { megram: megram.clone() };
    assert_eq!(answer(memory.as_ref(), &redact, &from(Role::Ggs, write)).await, []);
    let kept = memory.get(megram.id).unwrap();
    assert!(!format!("{kept:?}").contains("hunter2"), "{kept:?}");
    let query = MemoryQuery { pairs: vec![megram.pair()], like: Some("hunter2-hunter2".to_owned()) };
    let said = answer(memory.as_ref(), &redact, &from(Role::Planner, query)).await;
    let [Message::MemoryReply(reply)] = said.as_slice() else { panic!("{said:?}") };
    assert_eq!(reply.recalled[0].experiences.len(), 1, "it is found: {reply:?}");
    assert!(!format!("{reply:?}").contains("hunter2"), "{reply:?}");
}
