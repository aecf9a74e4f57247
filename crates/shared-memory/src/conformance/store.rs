//! Laws of writing and querying.

use std::thread;

use artoo_mkct_memory::{MemoryError, Template, matrix};
use artoo_types::{Entity, Level, Megram, MegramState, MemoryAction, MemoryQuery, Space};

use super::Factory;
use super::subject::{Subject, day, expect, experience, experiences, id, law, pair};

/// Nothing is known of a pair without writes.
///
/// # Errors
///
/// What was found instead.
pub async fn an_unknown_pair_is_ignored(make: &Factory) -> Result<(), String> {
    let subject = Subject::new(make);
    let (known, rules) = (subject.known().await?, subject.rules().await?);
    expect(known.action == MemoryAction::Ignore && rules.is_empty(), || format!("{known:?}, {rules:?}"))?;
    subject.expect(0.0, 0.0, "in an empty memory").await
}

/// A query sees every write that returned before it, and sums them up.
///
/// # Errors
///
/// What was found instead.
pub async fn a_query_sees_earlier_writes(make: &Factory) -> Result<(), String> {
    let subject = Subject::new(make);
    subject.write(experience(1, MegramState::Accept, 0))?;
    subject.expect(0.90, 0.90, "after one accept").await?;
    subject.write(experience(2, MegramState::Abandon, 0))?;
    subject.expect(1.85, -0.05, "after an accept and an abandon").await?;
    subject.write(experience(3, MegramState::ChangePath, 0))?;
    subject.expect(2.15, -0.05, "after a dead end too").await?;
    // A law of the agent is not an experience.
    subject.write(law(4, 0))?;
    subject.expect(2.15, -0.05, "after a law too").await
}

/// Experience fades with time, at its own rate, and never grows when the clock is set back.
///
/// # Errors
///
/// What was found instead.
pub async fn experience_fades(make: &Factory) -> Result<(), String> {
    let subject = Subject::new(make);
    subject.write_all([experience(1, MegramState::Accept, 0), experience(2, MegramState::ChangePath, 10)])?;
    for today in [10_i64, 11, 24, 200] {
        let (accept, dead_end) = (today as f64 * -0.05, (today - 10) as f64 * -0.2);
        let (accept, dead_end) = (0.90 * accept.exp(), 0.30 * dead_end.exp());
        subject.on(today).expect(accept + dead_end, accept, &format!("on day {today}")).await?;
    }
    subject.on(-5).expect(1.20, 0.90, "with the clock set back").await
}

/// The order of writes does not matter.
///
/// # Errors
///
/// What was found instead.
pub async fn writes_may_come_in_any_order(make: &Factory) -> Result<(), String> {
    let all: Vec<Megram> =
        (0..40).map(|day| experience(day as u128 + 1, MegramState::Refine, day * 3)).collect();
    let (forth, back) = (Subject::new(make), Subject::new(make));
    forth.write_all(all.iter().cloned())?;
    back.write_all(all.into_iter().rev())?;
    let known = forth.on(120).known().await?;
    back.on(120).expect(known.attention, known.decision, "written newest first").await
}

/// Two different tag pairs never mix, whatever characters they contain. Lesson N18.
///
/// # Errors
///
/// The pairs that collided.
pub async fn two_names_never_share_a_bucket(make: &Factory) -> Result<(), String> {
    let names = ["a|b", "a_b", "a", "a%7Cb", "b|c", "c", "a\nb", "ab", "数", "A"];
    let subject = Subject::new(make);
    let pair = |space: &&str, entity: &&str| (Space::from_raw(*space), Entity::from_raw(*entity));
    let pairs: Vec<(Space, Entity)> =
        names.iter().flat_map(|space| names.iter().map(move |entity| pair(space, entity))).collect();
    for (number, (space, entity)) in (1..).zip(pairs.iter().cloned()) {
        subject.write(matrix::megram(
            id(number),
            MegramState::Accept,
            day(0),
            space,
            entity,
            String::new(),
        ))?;
    }
    for (space, entity) in pairs {
        let found = subject.memory.query_mk(&space, &entity).await;
        let attention = found.map_err(|error| error.to_string())?.attention;
        expect((attention - 0.90).abs() < 1e-9, || {
            format!("({space:?}, {entity:?}) has attention {attention}")
        })?;
    }
    Ok(())
}

/// The same Megram twice counts once; another one under the same id is refused and changes nothing.
///
/// # Errors
///
/// What was found instead.
pub async fn an_id_names_one_megram(make: &Factory) -> Result<(), String> {
    let subject = Subject::new(make);
    let megram = experience(1, MegramState::Accept, 0);
    subject.write_all([megram.clone(), megram.clone()])?;
    let other = subject.memory.write(Megram { content: "another lesson".to_owned(), f: 0.5, ..megram });
    expect(matches!(other, Err(MemoryError::Conflict(_))), || format!("another one gave {other:?}"))?;
    subject.expect(0.90, 0.90, "after three writes").await
}

/// Numbers out of range are refused on writing and change nothing.
///
/// # Errors
///
/// What was accepted.
pub async fn numbers_out_of_range_are_refused(make: &Factory) -> Result<(), String> {
    let subject = Subject::new(make);
    let good = || experience(1, MegramState::Accept, 0);
    let wrong = [
        Megram { f: 1.01, ..good() },
        Megram { f: -0.1, ..good() },
        Megram { f: f64::NAN, ..good() },
        Megram { sigma: 1.01, ..good() },
        Megram { k: -0.01, ..good() },
        Megram { k: f64::INFINITY, ..good() },
        Megram { level: Level::C, ..good() },
    ];
    for megram in wrong {
        let answer = subject.memory.write(megram.clone());
        expect(matches!(answer, Err(MemoryError::OutOfRange { .. })), || {
            format!("{megram:?} gave {answer:?}")
        })?;
    }
    subject.expect(0.0, 0.0, "after refused writes").await
}

/// Writes from several threads all arrive.
///
/// # Errors
///
/// What was found instead.
pub async fn threads_lose_nothing(make: &Factory) -> Result<(), String> {
    let subject = Subject::new(make);
    let write = |from: u128| subject.write_all(experiences(from..from + 100, MegramState::Success, 0));
    let written = thread::scope(|scope| {
        [1, 101, 201, 301]
            .map(|from| scope.spawn(move || write(from)))
            .map(|writer| writer.join().unwrap_or_else(|_| Err("a writer panicked".to_owned())))
    });
    written.into_iter().collect::<Result<(), String>>()?;
    subject.expect(320.0, 320.0, "after 400 writes of 4 threads").await
}

/// A flush succeeds repeatedly, and changes no answer.
///
/// # Errors
///
/// What was found instead.
pub async fn a_flush_keeps_what_was_written(make: &Factory) -> Result<(), String> {
    let subject = Subject::new(make);
    for number in 1..=3 {
        subject.write(experience(number, MegramState::Accept, 0))?;
        for time in ["first", "second"] {
            let flushed = subject.memory.flush().await;
            flushed.map_err(|error| format!("the {time} flush failed: {error}"))?;
        }
        let sum = 0.90 * number as f64;
        subject.expect(sum, sum, "after a flush").await?;
    }
    Ok(())
}

/// After `close` everything but `close` fails with [`MemoryError::Closed`].
///
/// # Errors
///
/// What still worked.
pub async fn a_closed_memory_gives_and_takes_nothing(make: &Factory) -> Result<(), String> {
    let memory = Subject::new(make).memory;
    let (space, entity) = pair();
    for time in ["first", "second"] {
        memory.close().await.map_err(|error| format!("the {time} close failed: {error}"))?;
    }
    let answers = [
        ("write", memory.write(experience(1, MegramState::Accept, 0)).err()),
        ("query_c", memory.query_c(&space, &entity).await.err()),
        ("query_mk", memory.query_mk(&space, &entity).await.err()),
        ("recall", memory.recall(&MemoryQuery { pairs: Vec::new(), like: None }).await.err()),
        ("flush", memory.flush().await.err()),
        ("record_negative_feedback", memory.record_negative_feedback(id(1), "").await.err()),
        ("dream", memory.dream(&Template).await.err()),
    ];
    for (what, answer) in answers {
        expect(matches!(answer, Some(MemoryError::Closed)), || format!("{what} gave {answer:?}"))?;
    }
    Ok(())
}
