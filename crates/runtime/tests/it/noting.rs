//! Notes from a person to a running run: recorded, used by the next plan, shown to the judge of the whole, or
//! listed at the end.

use std::{sync::Arc, time::Duration};

use artoo_llm_client::doubles::{Answer, Expect, ScriptedModel};
use artoo_runtime::{NoteRefused, events::Event};
use artoo_types::{MAX_NOTE_BYTES, MessageKind, NoteError, Role};

use crate::doubles::AsksOfTheWhole;
use crate::fixture::{House, Seen, question, recorded, say, verdict};

const NOTE: &str = "Vain .md-tiedostot, kiitos";

fn unused(seen: &Seen) -> Vec<String> {
    let lines = seen.lines();
    let Some(Event::RunFinished { unused_notes, .. }) = lines.last().map(|line| &line.event) else {
        panic!("{lines:#?}");
    };
    unused_notes.to_vec()
}

#[tokio::test(start_paused = true)]
async fn a_note_is_put_to_the_judge_and_to_the_next_plan() {
    let house = House::new();
    let request = format!("Request: Count the files in docs\n{NOTE}");
    let fenced = format!("<<<data: the user\n{NOTE}\ndata>>>");
    let model = Arc::new(
        ScriptedModel::new()
            .expect(
                Expect::purpose("planner").user_lacks(NOTE),
                Answer::json(question("Count the files in docs")),
            )
            .expect(Expect::purpose("executor"), Answer::json(say("4")).after(Duration::from_secs(10)))
            .expect(
                Expect::purpose("meta_validator").user_contains(request.clone()),
                Answer::json(verdict(false)),
            )
            .expect(
                Expect::purpose("planner").user_contains(request).user_contains(fenced),
                Answer::json(question("Count the .md files in docs")),
            )
            .expect(Expect::purpose("executor").user_contains(NOTE), Answer::json(say("1")))
            .expect(Expect::purpose("meta_validator").user_contains(NOTE), Answer::json(verdict(true))),
    );
    let artoo = house.quiet(&model).task_judge(Arc::new(AsksOfTheWhole)).build().unwrap();
    let run = artoo.start(house.request("Count the files in docs")).unwrap();
    let (noter, folder) = (run.noter(), run.folder().to_owned());
    let finished = tokio::spawn(run.finished());
    tokio::time::sleep(Duration::from_secs(5)).await;
    noter.note(&format!("  {NOTE}\n")).unwrap();
    let seen = recorded(finished.await.unwrap(), &folder);
    model.assert_finished();
    assert_eq!((seen.exit_code(), unused(&seen)), (0, Vec::new()), "{:#?}", seen.result);
    let notes: Vec<_> =
        seen.envelopes.iter().filter(|envelope| envelope.message.kind() == MessageKind::PersonNote).collect();
    assert_eq!(notes.iter().map(|note| note.from).collect::<Vec<_>>(), [Role::User]);
    let given: Vec<Event> =
        seen.lines().into_iter().map(|line| line.event).filter(|event| *event == note_given()).collect();
    assert_eq!(given, [note_given()]);
}

fn note_given() -> Event {
    Event::NoteGiven { text: NOTE.to_owned() }
}

/// A note must not be lost silently: a run that ends before anything uses it says so.
#[tokio::test(start_paused = true)]
async fn a_note_that_nobody_took_into_account_is_named_at_the_end() {
    let house = House::new();
    let model = Arc::new(
        ScriptedModel::new()
            .always(Expect::purpose("planner"), Answer::json(question("Count")))
            .always(Expect::purpose("executor"), Answer::hang()),
    );
    let artoo = house.quiet(&model).build().unwrap();
    let run = artoo.start(house.request("Count the files in docs")).unwrap();
    let (noter, canceller, folder) = (run.noter(), run.canceller(), run.folder().to_owned());
    let finished = tokio::spawn(run.finished());
    tokio::time::sleep(Duration::from_secs(5)).await;
    noter.note(NOTE).unwrap();
    noter.note("数据 first").unwrap();
    canceller.cancel();
    let seen = recorded(finished.await.unwrap(), &folder);
    assert_eq!(unused(&seen), [NOTE, "数据 first"]);
    assert!(matches!(noter.note(NOTE), Err(NoteRefused::Ended)));
}

#[tokio::test(start_paused = true)]
async fn a_note_before_the_first_plan_is_in_it() {
    let house = House::new();
    let model = Arc::new(
        ScriptedModel::new()
            .always(Expect::purpose("planner").user_contains(NOTE), Answer::json(question("Count")))
            .always(Expect::purpose("executor"), Answer::json(say("3"))),
    );
    let artoo = house.quiet(&model).build().unwrap();
    let run = artoo.start(house.request("Count the files in docs")).unwrap();
    run.noter().note(NOTE).unwrap();
    let seen = crate::fixture::watched(run).await;
    model.assert_finished();
    assert_eq!((seen.exit_code(), unused(&seen)), (0, Vec::new()), "{:#?}", seen.result);
}

#[tokio::test(start_paused = true)]
async fn what_is_no_note_is_refused_with_a_reason() {
    let house = House::new();
    let model = Arc::new(ScriptedModel::new().always(Expect::any(), Answer::hang()));
    let artoo = house.quiet(&model).build().unwrap();
    let run = artoo.start(house.request("Count")).unwrap();
    let noter = run.noter();
    let refused = |words: &str| noter.note(words).map_err(|error| error.to_string());
    assert!(matches!(noter.note(" \n"), Err(NoteRefused::Words(NoteError::Empty))));
    let long = "ä".repeat(MAX_NOTE_BYTES / 2);
    assert_eq!(refused(&long), Ok(()));
    assert_eq!(
        refused(&format!("{long}a")),
        Err("the note has 4097 bytes, and at most 4096 are taken".to_owned())
    );
    while noter.note("again").is_ok() {}
    assert_eq!(refused("again"), Err("the run has taken 64 notes, and takes no more".to_owned()));
}
