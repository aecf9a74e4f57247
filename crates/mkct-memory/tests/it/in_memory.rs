use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use artoo_mkct_memory::{Event, InMemory, MemoryError, MemoryService, Rules, Template, potentials};
use artoo_types::{
    Entity, Level, Megram, MegramId, MegramState, MemoryAction, MemoryQuery, Origin, PairMemory,
    RecallReason, RunId, Space, TagPair, ToolName,
};

use crate::fixtures::{close, day, experience, id, pair, rule};

/// A memory whose clock the test moves, in days.
struct Given {
    memory: Arc<InMemory>,
    today: Arc<AtomicU64>,
}

impl Given {
    fn new(rules: Rules) -> Self {
        let today = Arc::new(AtomicU64::new(0));
        let (clock, next) = (Arc::clone(&today), AtomicU64::new(1_000_000));
        let now = move || day(clock.load(Ordering::SeqCst) as f64);
        let mint = move || id(u128::from(next.fetch_add(1, Ordering::SeqCst)));
        Self { memory: Arc::new(InMemory::new(rules, now, mint)), today }
    }

    fn on(&self, day: u64) -> &InMemory {
        self.today.store(day, Ordering::SeqCst);
        &self.memory
    }
}

async fn decision(memory: &InMemory) -> f64 {
    let (space, entity) = pair();
    memory.query_mk(&space, &entity).await.unwrap().decision
}

#[tokio::test]
async fn a_life_of_a_rule() {
    let given = Given::new(Rules::default());
    let (space, entity) = pair();
    let memory = given.on(0);
    for number in 1..=6 {
        memory.write(experience(number, MegramState::Accept, 0.0)).unwrap();
    }
    let report = memory.dream(&Template).await.unwrap();
    let [sop] = report.promoted.as_slice() else { panic!("{report:?}") };
    let rules = memory.query_c(&space, &entity).await.unwrap();
    assert_eq!(rules.len(), 1);
    assert_eq!((rules[0].id, rules[0].sources.len()), (*sop, 6));
    assert_eq!(decision(memory).await, 0.80);

    // The next cycles find nothing to do, as nothing new was learned.
    assert!(memory.dream(&Template).await.unwrap().is_idle());
    assert!(given.on(400).dream(&Template).await.unwrap().is_idle());

    // Two failures, and the rule is demoted; half a year later everything is forgotten except the
    // consolidated sources.
    let memory = given.on(400);
    for number in 11..=12 {
        memory.write(experience(number, MegramState::Abandon, 400.0)).unwrap();
    }
    assert_eq!(memory.dream(&Template).await.unwrap().demoted, [*sop]);
    assert_eq!(memory.query_c(&space, &entity).await.unwrap(), []);
    let report = given.on(600).dream(&Template).await.unwrap();
    assert_eq!(report.forgotten.len(), 3, "{report:?}");
    assert_eq!(memory.get(*sop), None);
    assert!(memory.get(id(1)).is_some(), "a consolidated source stays");
    let words = memory.events().iter().filter(|event| matches!(event, Event::Written(_))).count();
    assert_eq!(words, 6, "what is forgotten is gone from the record too");
}

#[tokio::test]
async fn recalling_a_rule_refreshes_it_and_looking_at_potentials_does_not() {
    let given = Given::new(Rules::default());
    let (space, entity) = pair();
    given.on(0).write(rule(1, MegramState::Success, 0.0)).unwrap();
    given.on(5).query_mk(&space, &entity).await.unwrap();
    assert_eq!(given.memory.get(id(1)).unwrap().last_recalled_at, None);
    given.on(7).query_c(&space, &entity).await.unwrap();
    assert_eq!(given.memory.get(id(1)).unwrap().last_recalled_at, Some(day(7.0)));
    // Setting the clock back removes nothing.
    given.on(3).query_c(&space, &entity).await.unwrap();
    assert_eq!(given.memory.get(id(1)).unwrap().last_recalled_at, Some(day(7.0)));
}

#[tokio::test]
async fn feedback_speaks_against_the_rule_whatever_its_polarity() {
    let given = Given::new(Rules::default());
    given.on(0).write(rule(1, MegramState::Success, 0.0)).unwrap();
    given.memory.record_negative_feedback(id(1), "glob missed hidden files").await.unwrap();
    assert!(close(decision(&given.memory).await, 0.80 - 0.85, 1.0));

    let given = Given::new(Rules::default());
    given.on(0).write(rule(1, MegramState::Abandon, 0.0)).unwrap();
    given.memory.record_negative_feedback(id(1), "ls works here after all").await.unwrap();
    assert!(close(decision(&given.memory).await, -0.95 + 0.75, 1.0));

    let literal = Given::new(Rules::spec_v0_8());
    literal.on(0).write(rule(1, MegramState::Abandon, 0.0)).unwrap();
    literal.memory.record_negative_feedback(id(1), "ls works here after all").await.unwrap();
    assert!(close(decision(&literal.memory).await, -0.95 - 0.85, 1.0));
}

/// The recalled pairs: why each was recalled, and the ids of its rules and experiences.
fn told(recalled: &[PairMemory]) -> Vec<(String, bool, Vec<MegramId>)> {
    let ids = |known: &PairMemory| {
        let rules = known.sops.iter().map(|sop| sop.id);
        rules.chain(known.experiences.iter().map(|experience| experience.id)).collect()
    };
    let of =
        |known: &PairMemory| (known.pair.space.to_string(), known.reason == RecallReason::Asked, ids(known));
    recalled.iter().map(of).collect()
}

#[tokio::test]
async fn what_is_like_the_question_comes_after_what_was_asked_for() {
    let memory = Given::new(Rules::default()).memory;
    let lesson = |number, space: Space, words: &str| Megram {
        space,
        content: words.to_owned(),
        ..experience(number, MegramState::Accept, 0.0)
    };
    let tool = Space::tool(&ToolName::new("shell"));
    let law = Megram {
        level: Level::T,
        k: 0.0,
        origin: Some(Origin::Person),
        ..lesson(9, Space::intent("law"), "count files")
    };
    let written = [
        lesson(
            1,
            Space::intent("How many .txt are there"),
            "count the .txt files: shell find . -name '*.txt'",
        ),
        lesson(2, tool.clone(), "find . -name '*.text': count of files 0"),
        lesson(3, Space::intent("What is the weather"), "asked the web"),
        lesson(4, Space::intent("Count the text files"), "Count the text files: used glob"),
        lesson(5, Space::intent("Count the text files"), "Count the text files: used glob"),
        // Filed under the same three words, about something else; and one that states nothing.
        lesson(6, Space::intent("Count the text files"), "asked the web about the weather"),
        lesson(7, Space::intent("Count the text files"), ""),
        law,
    ];
    for megram in written {
        memory.write(megram).unwrap();
    }
    let asked = TagPair::new(Space::intent("Count the text files"), Entity::local());
    let unknown = TagPair::new(tool.clone(), Entity::path("ls"));
    let query = MemoryQuery { pairs: vec![unknown, asked], like: Some("Count the text files".to_owned()) };
    let reply = memory.recall(&query).await.unwrap();
    let expected = [
        (tool.to_string(), true, vec![]),
        ("intent:count_the_text".to_owned(), true, vec![id(5)]),
        (tool.to_string(), false, vec![id(2)]),
        ("intent:how_many_txt".to_owned(), false, vec![id(1)]),
    ];
    assert_eq!(told(&reply.recalled), expected, "{:#?}", reply.recalled);
    let RecallReason::Similar { score, shared } = &reply.recalled[2].reason else { panic!("{reply:?}") };
    assert!((0.25..1.0).contains(score));
    assert_eq!(shared, &["count", "files", "text"]);
    assert_eq!(reply.laws.iter().map(|law| law.id).collect::<Vec<_>>(), [id(9)]);

    let literal = MemoryQuery { like: None, ..query };
    // Without words to compare, everything that states something is told.
    let told_by_tags = told(&memory.recall(&literal).await.unwrap().recalled);
    assert_eq!(told_by_tags[1].2, [id(6), id(5)]);
}

#[tokio::test]
async fn feedback_needs_a_rule() {
    let given = Given::new(Rules::default());
    given.on(0).write(experience(1, MegramState::Accept, 0.0)).unwrap();
    for unknown in [id(1), id(2)] {
        let error = given.memory.record_negative_feedback(unknown, "?").await.unwrap_err();
        assert!(matches!(error, MemoryError::UnknownRule(id) if id == unknown), "{error}");
    }
}

#[tokio::test]
async fn what_cannot_be_kept_is_refused_with_its_reason() {
    let memory = Given::new(Rules::default()).memory;
    let good = experience(1, MegramState::Accept, 0.0);
    let cases = [
        (Megram { f: 1.1, ..good.clone() }, "f is 1.1, not from 0 to 1"),
        (Megram { f: 1e308, ..good.clone() }, "f is 1e308, not from 0 to 1"),
        (Megram { f: f64::NAN, ..good.clone() }, "f is NaN, not from 0 to 1"),
        (Megram { sigma: -1.5, ..good.clone() }, "sigma is -1.5, not from -1 to 1"),
        (Megram { k: -0.05, ..good.clone() }, "k is -0.05, not a rate per day"),
        (Megram { k: f64::INFINITY, ..good.clone() }, "k is inf, not a rate per day"),
        (Megram { k: 1000.5, ..good.clone() }, "k is 1000.5, not a rate per day, from 0 to 1000"),
        (Megram { level: Level::C, ..good.clone() }, "k is 0.05, not 0"),
        (Megram { space: Space::from_raw(""), ..good.clone() }, "empty tag"),
        (Megram { entity: Entity::from_raw(""), ..good.clone() }, "empty tag"),
    ];
    for (megram, reason) in cases {
        let error = memory.write(megram).unwrap_err().to_string();
        assert!(error.contains(reason), "{error}");
    }
    let timeless = |level, origin| Megram { level, k: 0.0, origin, ..good.clone() };
    let run = Some(Origin::Run(RunId::OPERATOR));
    for origin in [None, run, Some(Origin::Import), Some(Origin::Dreamer)] {
        let error = memory.write(timeless(Level::T, origin)).unwrap_err().to_string();
        assert!(error.ends_with("is of level T, which only the person may write"), "{error}");
    }
    for origin in [None, run, Some(Origin::Import)] {
        let error = memory.write(timeless(Level::C, origin)).unwrap_err().to_string();
        assert!(error.ends_with("is of level C, which only the person or the Dreamer may write"), "{error}");
    }
    assert_eq!(memory.events(), []);

    memory.write(good.clone()).unwrap();
    memory.write(good.clone()).unwrap();
    assert_eq!(memory.events().len(), 1, "the same Megram twice is one");
    let other = Megram { content: "something else".to_owned(), ..good };
    assert!(matches!(memory.write(other), Err(MemoryError::Conflict(_))));
}

#[tokio::test]
async fn a_closed_memory_takes_and_gives_nothing() {
    let memory = Given::new(Rules::default()).memory;
    let (space, entity) = pair();
    memory.close().await.unwrap();
    memory.close().await.unwrap();
    assert!(matches!(memory.write(experience(1, MegramState::Accept, 0.0)), Err(MemoryError::Closed)));
    assert!(matches!(memory.query_c(&space, &entity).await, Err(MemoryError::Closed)));
    assert!(matches!(memory.query_mk(&space, &entity).await, Err(MemoryError::Closed)));
    assert!(matches!(memory.record_negative_feedback(id(1), "").await, Err(MemoryError::Closed)));
    assert!(matches!(memory.dream(&Template).await, Err(MemoryError::Closed)));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn writers_readers_and_the_dreamer_lose_nothing_between_them() {
    const WRITERS: u128 = 4;
    const EACH: u128 = 250;
    let memory = Given::new(Rules::default()).memory;
    let mut tasks = tokio::task::JoinSet::new();
    for writer in 0..WRITERS {
        let (writing, reading) = (Arc::clone(&memory), Arc::clone(&memory));
        tasks.spawn(async move {
            for number in 0..EACH {
                writing.write(experience(writer * EACH + number + 1, MegramState::Accept, 0.0)).unwrap();
            }
        });
        tasks.spawn(async move {
            let (space, entity) = pair();
            for _ in 0..EACH {
                let known = reading.query_mk(&space, &entity).await.unwrap();
                assert_eq!(known.action, potentials::action(known.attention, known.decision));
                assert!(reading.query_c(&space, &entity).await.unwrap().len() <= 1);
                reading.dream(&Template).await.unwrap();
            }
        });
    }
    while let Some(done) = tasks.join_next().await {
        done.unwrap();
    }
    // Every experience is part of the one rule, or there are still too few to join it.
    let (space, entity) = pair();
    let rules = memory.query_c(&space, &entity).await.unwrap();
    let known = memory.query_mk(&space, &entity).await.unwrap();
    let loose = ((known.attention - 0.80) / 0.90).round();
    assert_eq!(rules[0].sources.len() as f64 + loose, (WRITERS * EACH) as f64);
    assert_eq!(known.action, MemoryAction::Exploit);
}
