//! Laws of recall, and of the person's laws.

use artoo_mkct_memory::{MemoryError, matrix};
use artoo_types::{
    Entity, Level, Megram, MegramState, MemoryAction, MemoryQuery, MemoryReply, Origin, RecallReason, RunId,
    Space, TagPair, ToolName,
};

use super::Factory;
use super::subject::{Subject, day, expect, experience, id, law, pair, rule};

/// Each requested pair is answered, in the order of the query, known or not; its rules are included, and
/// count as recalled.
///
/// # Errors
///
/// What was found instead.
pub async fn what_is_asked_for_is_answered_in_order(make: &Factory) -> Result<(), String> {
    let subject = Subject::new(make);
    subject.write_all([rule(1, MegramState::Success, 0), experience(2, MegramState::Accept, 0)])?;
    let (space, entity) = pair();
    let unknown = |name: &str| TagPair::new(Space::intent(name), Entity::local());
    let pairs = vec![unknown("first"), TagPair::new(space, entity), unknown("third")];
    let reply = subject.recall(MemoryQuery { pairs: pairs.clone(), like: None }).await?;
    let answered: Vec<TagPair> = reply.recalled.iter().map(|known| known.pair.clone()).collect();
    expect(answered == pairs, || format!("{pairs:?} was answered with {answered:?}"))?;
    let told: Vec<(usize, usize, MemoryAction)> = reply
        .recalled
        .iter()
        .map(|known| (known.sops.len(), known.experiences.len(), known.potentials.action))
        .collect();
    let expected =
        [(0, 0, MemoryAction::Ignore), (1, 1, MemoryAction::Exploit), (0, 0, MemoryAction::Ignore)];
    expect(told == expected, || format!("a rule and an experience of the second pair gave {told:?}"))?;

    // The recall shows after the rule's demotion.
    let subject = Subject::new(make);
    subject.write(rule(1, MegramState::Success, 0))?;
    subject.on(60).recall(MemoryQuery { pairs, like: None }).await?;
    subject.write_all([experience(2, MegramState::Abandon, 60), experience(3, MegramState::Abandon, 60)])?;
    subject.dream().await?;
    subject.expect(2.70, -1.10, "for a rule that was recalled on day 60").await
}

/// Pairs with words similar to the query's come after the requested ones, with the reason; others do not, and
/// none do if only pairs are requested.
///
/// # Errors
///
/// What was found instead.
pub async fn what_is_like_the_question_is_found(make: &Factory) -> Result<(), String> {
    let subject = Subject::new(make);
    let written = [
        (1, Space::intent("How many .txt are there"), "count files: find . -name '*.txt' | wc -l"),
        (2, Space::tool(&ToolName::new("shell")), "count the text files with wc"),
        (3, Space::intent("What is the weather"), "asked the web"),
    ];
    let lesson = |(number, space, words): (u128, Space, &str)| {
        matrix::megram(id(number), MegramState::Accept, day(0), space, Entity::local(), words.to_owned())
    };
    subject.write_all(written.map(lesson))?;
    subject.write(experience(4, MegramState::Accept, 0))?;
    let (space, entity) = pair();
    let asked = vec![TagPair::new(space, entity)];
    let query = MemoryQuery { pairs: asked, like: Some("Count the text files".to_owned()) };
    let reply = subject.recall(query.clone()).await?;
    let found: Vec<u128> = similar(&reply).map(|(id, _)| id).collect();
    expect(found == [2, 1], || format!("like the question are 2 and 1, found {found:?}"))?;
    let is_explained = |score: f64, shared: &[String]| (0.0..=1.0).contains(&score) && !shared.is_empty();
    let unexplained = similar(&reply).find(|(_, reason)| match reason {
        RecallReason::Similar { score, shared } => !is_explained(*score, shared),
        RecallReason::Asked => true,
    });
    expect(unexplained.is_none(), || format!("without a reason: {unexplained:?}"))?;

    let alone = subject.recall(MemoryQuery { like: None, ..query.clone() }).await?;
    expect(alone.recalled.len() == 1, || format!("without `like` came {:?}", alone.recalled))?;

    let many = (10..40).map(|number: u128| {
        lesson((number, Space::intent(&format!("Count text {number}")), "count the text files"))
    });
    subject.write_all(many)?;
    let reply = subject.recall(query).await?;
    let count = similar(&reply).count();
    expect(count == 6, || format!("of 32 that are alike {count} came, not 6"))
}

/// Laws (T) belong to the person: no other origin writes one, they are in every reply, they count in no sum,
/// and neither time nor the Dreamer removes them. Neither a run nor an import creates a rule.
///
/// # Errors
///
/// What was found instead.
pub async fn laws_are_the_persons_alone(make: &Factory) -> Result<(), String> {
    let subject = Subject::new(make);
    for origin in [None, Some(Origin::Run(RunId::OPERATOR)), Some(Origin::Import), Some(Origin::Dreamer)] {
        let refused = subject.memory.write(Megram { origin, ..law(1, 0) });
        expect(matches!(refused, Err(MemoryError::NotAllowed { level: Level::T, .. })), || {
            format!("a law of {origin:?} gave {refused:?}")
        })?;
    }
    for origin in [None, Some(Origin::Run(RunId::OPERATOR)), Some(Origin::Import)] {
        let refused = subject.memory.write(Megram { origin, ..rule(1, MegramState::Success, 0) });
        expect(matches!(refused, Err(MemoryError::NotAllowed { level: Level::C, .. })), || {
            format!("a rule of {origin:?} gave {refused:?}")
        })?;
    }
    subject.write_all([law(2, 0), law(3, 1)])?;
    subject.write_all([experience(4, MegramState::Abandon, 0), experience(5, MegramState::Abandon, 0)])?;
    for today in [0, 1, 3650] {
        let did = subject.on(today).dream().await?;
        expect(did.demoted.is_empty(), || format!("on day {today}: {did:?}"))?;
        let elsewhere = vec![TagPair::new(Space::intent("else"), Entity::local())];
        for pairs in [Vec::new(), elsewhere] {
            let laws = subject.recall(MemoryQuery { pairs, like: None }).await?.laws;
            let ids: Vec<_> = laws.iter().map(|law| law.id).collect();
            expect(ids == [id(2), id(3)], || format!("on day {today} the laws are {laws:?}"))?;
        }
    }
    subject.expect(0.0, 0.0, "ten years later").await
}

/// The similar results: the number of the first experience, and the reason.
fn similar(reply: &MemoryReply) -> impl Iterator<Item = (u128, &RecallReason)> {
    let similar = reply.recalled.iter().filter(|known| known.reason != RecallReason::Asked);
    similar.map(|known| {
        let number = known.experiences.first().map_or(0, |told| told.id.uuid().as_u128());
        (number, &known.reason)
    })
}
