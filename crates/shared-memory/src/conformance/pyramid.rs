//! Laws of the pyramid: recall, promotion, demotion, forgetting.

use artoo_mkct_memory::MemoryError;
use artoo_types::{Megram, MegramState, MemoryQuery, Origin, Polarity, RunId, TagPair};

use super::Factory;
use super::subject::{Subject, expect, experience, experiences, id, law, pair, rule};

/// `query_c` counts as a recall and `query_mk` does not; a recall refreshes a rule, which shows after its
/// demotion. Lesson N16.
///
/// # Errors
///
/// What was found instead.
pub async fn recall_is_by_rules_alone(make: &Factory) -> Result<(), String> {
    for (recalled, left) in [(true, 0.80), (false, 0.80 * (-0.05_f64 * 60.0).exp())] {
        let subject = Subject::new(make);
        subject.write(rule(1, MegramState::Success, 0))?;
        subject.on(60).known().await?;
        if recalled {
            subject.rules().await?;
        }
        subject.write_all(experiences(2..4, MegramState::Abandon, 60))?;
        let fallen = subject.dream().await?.demoted;
        expect(fallen == [id(1)], || format!("fallen: {fallen:?}"))?;
        subject.expect(left + 1.90, left - 1.90, &format!("recalled: {recalled}")).await?;
    }
    Ok(())
}

/// Experience becomes one rule with its sources as provenance; the sources are no longer live, later
/// experience is, and the next rule of the same polarity absorbs the first one. Lessons N17 and 94.
///
/// # Errors
///
/// What was found instead.
pub async fn consolidated_sources_count_once(make: &Factory) -> Result<(), String> {
    let cases = [
        (MegramState::Accept, Polarity::Practice, 0.80, 0.80),
        (MegramState::Abandon, Polarity::Constraint, 0.95, -0.95),
    ];
    for (state, polarity, attention, decision) in cases {
        let subject = Subject::new(make);
        subject.write_all(experiences(1..6, state, 0))?;
        expect(subject.dream().await?.promoted.is_empty(), || format!("five of {state:?} are enough"))?;
        subject.write(experience(6, state, 0))?;
        let promoted = subject.dream().await?.promoted;
        let rules = subject.rules().await?;
        let one = matches!((rules.as_slice(), promoted.as_slice()), ([rule], [id]) if rule.id == *id
            && rule.polarity == polarity && rule.sources.len() == 6 && !rule.content.is_empty());
        expect(one, || format!("six of {state:?} gave {promoted:?}, {rules:?}"))?;
        subject.expect(attention, decision, "after the promotion").await?;
        let idle = subject.dream().await?;
        expect(idle.is_idle(), || format!("with nothing new the Dreamer did {idle:?}"))?;

        subject.write_all(experiences(11..17, state, 0))?;
        subject.dream().await?;
        let rules = subject.rules().await?;
        let merged = matches!(rules.as_slice(), [rule] if rule.sources.len() == 12);
        expect(merged, || format!("six more of {state:?} gave {rules:?}"))?;
        subject.expect(attention, decision, "after the second promotion").await?;
    }
    Ok(())
}

/// A constraint, whose valence is negative, stays as long as nothing contradicts it. Lesson fact 14.
///
/// # Errors
///
/// What was demoted.
pub async fn a_constraint_does_not_demote_itself(make: &Factory) -> Result<(), String> {
    let subject = Subject::new(make);
    subject.write(rule(1, MegramState::Abandon, 0))?;
    for today in [0, 1, 1000] {
        let did = subject.on(today).dream().await?;
        expect(did.is_idle(), || format!("on day {today}: {did:?}"))?;
    }
    subject.expect(0.95, -0.95, "after three years").await
}

/// A rule is demoted to level K when the pair's decision contradicts it, and ages from then on. A single
/// failure demotes no practice.
///
/// # Errors
///
/// What was found instead.
pub async fn a_contradicted_rule_falls(make: &Factory) -> Result<(), String> {
    let cases = [
        (MegramState::Success, MegramState::Abandon, 2, 0.80),
        (MegramState::Abandon, MegramState::Accept, 2, 0.95),
    ];
    for (of, against, needed, weight) in cases {
        let subject = Subject::new(make);
        subject.write(rule(100, of, 0))?;
        for number in 1..=needed {
            let did = subject.dream().await?;
            expect(did.demoted.is_empty(), || {
                format!("a rule of {of:?} fell before {needed} of {against:?}")
            })?;
            subject.write(experience(number, against, 0))?;
        }
        let fallen = subject.dream().await?.demoted;
        expect(fallen == [id(100)], || format!("{needed} of {against:?} against {of:?}: fallen {fallen:?}"))?;
        let rules = subject.rules().await?;
        expect(rules.is_empty(), || format!("a fallen rule is still given out: {rules:?}"))?;
        let before = subject.known().await?.attention;
        let after = subject.on(20).known().await?.attention;
        expect((after - before * (-1.0_f64).exp()).abs() < 1e-9, || {
            format!("a rule of {weight} fell: attention {before}, and {after} twenty days later")
        })?;
    }
    Ok(())
}

/// Forgetting removes old experiences of a pair that draws no attention, and nothing else. Lesson fact 15.
///
/// # Errors
///
/// What was wrongly forgotten or kept.
pub async fn forgetting_spares_the_young_and_the_rules(make: &Factory) -> Result<(), String> {
    let subject = Subject::new(make);
    subject.write(experience(1, MegramState::Refine, 0))?;
    let did = subject.dream().await?;
    expect(did.forgotten.is_empty(), || format!("garbage at birth: {did:?}"))?;
    subject.expect(0.10, 0.05, "after its first cycle").await?;
    let did = subject.on(2).dream().await?;
    expect(did.forgotten == [id(1)], || format!("two days later: {did:?}"))?;
    subject.expect(0.0, 0.0, "after it was forgotten").await?;
    let again =
        subject.memory.write(Megram { content: String::new(), ..experience(1, MegramState::Accept, 2) });
    expect(matches!(again, Err(MemoryError::Conflict(_))), || {
        format!("its id was given away again: {again:?}")
    })?;

    let subject = Subject::new(make);
    let law = law(2, 0);
    let faint = Megram { f: 0.05, ..rule(3, MegramState::Success, 0) };
    subject.write_all([law, faint])?;
    let did = subject.on(10_000).dream().await?;
    expect(did.is_idle(), || format!("a law and a faint rule: {did:?}"))
}

/// A revoked run advises nothing: its experience and the revocation decide nothing together, on any day, and make no
/// rule. The reason is recalled and the experience is not; both stay. A second revocation and one of another run change nothing.
///
/// # Errors
///
/// What was found instead.
pub async fn a_revoked_run_advises_nothing(make: &Factory) -> Result<(), String> {
    let subject = Subject::new(make);
    let of_run = |megram: Megram, run| Megram { origin: Some(Origin::Run(run)), ..megram };
    let (run, other) = (RunId::OPERATOR, RunId::new(id(9).uuid()));
    subject.write_all([
        of_run(experience(1, MegramState::Accept, 0), run),
        of_run(experience(2, MegramState::ChangeApproach, 0), run),
    ])?;
    let revoke = async |run| {
        let revoked = subject.on(10).memory.revoke(run, "they\nundid it").await;
        revoked.map_err(|error| format!("a revocation failed: {error}"))
    };
    let nothing = revoke(other).await?;
    expect(nothing.is_empty(), || format!("a run that taught nothing gave {nothing:?}"))?;
    let first = revoke(run).await?;
    let second = revoke(run).await?;
    expect(first.len() == 1 && second.is_empty(), || format!("first {first:?}, then {second:?}"))?;
    for today in [10, 40] {
        let faded = |f: f64| f * (-0.05 * f64::from(today)).exp();
        let (attention, decision) = (faded(0.9 + 0.9 + 0.85), faded(-0.85));
        subject.on(today.into()).expect(attention, decision, "of a revoked success and a failure").await?;
    }
    let (space, entity) = pair();
    let query = MemoryQuery { pairs: vec![TagPair::new(space, entity)], like: None };
    let reply = subject.on(10).recall(query).await?;
    let mut told: Vec<String> =
        reply.recalled.iter().flat_map(|known| &known.experiences).map(|told| told.content.clone()).collect();
    told.sort();
    expect(told == ["Rejected by the user: they undid it", "lesson 2"], || format!("recalled: {told:?}"))?;
    subject.write_all((3..8).map(|number| of_run(experience(number, MegramState::Accept, 10), run)))?;
    let did = subject.dream().await?;
    expect(did.is_idle(), || format!("what was rejected made a rule: {did:?}"))
}

/// Feedback moves the decision against its rule, for either polarity; without a rule there is none.
///
/// # Errors
///
/// What was found instead.
pub async fn feedback_speaks_against_its_rule(make: &Factory) -> Result<(), String> {
    for (state, sign) in [(MegramState::Success, 1.0), (MegramState::Abandon, -1.0)] {
        let subject = Subject::new(make);
        subject.write(rule(1, state, 0))?;
        let before = subject.known().await?.decision;
        let given = subject.memory.record_negative_feedback(id(1), "it did not help").await;
        given.map_err(|error| format!("feedback failed: {error}"))?;
        let after = subject.known().await?.decision;
        expect((before - after) * sign > 0.5, || format!("a rule of {state:?}: {before} became {after}"))?;
    }
    let subject = Subject::new(make);
    let unknown = subject.memory.record_negative_feedback(id(1), "which?").await;
    expect(matches!(unknown, Err(MemoryError::UnknownRule(_))), || {
        format!("an unknown rule gave {unknown:?}")
    })
}
