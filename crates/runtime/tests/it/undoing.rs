//! Undoing a run.

use std::{fs, sync::Arc, time::Duration};

use artoo_llm_client::doubles::{Answer, Expect, ScriptedModel};
use artoo_runtime::{
    events::Event,
    runs::{self, RunsError},
};
use artoo_sandbox::Support;
use artoo_snapshot::{Present, Retention, UndoError, Undoable};
use artoo_types::{EffectKind, FileChange, FileChangeKind};

use crate::fixture::{House, Seen, question, shell, watched};

/// A run whose one command changes the workspace; `None` if commands cannot be confined.
async fn changed(house: &House) -> Option<Seen> {
    if !matches!(artoo_sandbox::probe(), Support::Enforced { .. }) {
        artoo_test_needs::skip(artoo_test_needs::Ability::Landlock, artoo_sandbox::probe());
        return None;
    }
    let workspace = house.path("workspace");
    for name in ["old", "gone"] {
        fs::write(workspace.join(name), name).unwrap();
    }
    let command =
        format!("cd '{}' && rm gone && echo 1 > old && echo 1 > new && echo 42", workspace.display());
    let model = Arc::new(
        ScriptedModel::new()
            .always(Expect::purpose("planner"), Answer::json(question("Tidy up")))
            .always(Expect::purpose("executor"), Answer::json(shell(&command))),
    );
    let artoo = house.builder(&model).build().unwrap();
    let mut request = house.request("Tidy up");
    request.granted.extend([EffectKind::Deletes, EffectKind::Overwrites]);
    let seen = watched(artoo.start(request).unwrap()).await;
    artoo.close().await;
    Some(seen)
}

#[tokio::test]
async fn what_commands_did_is_in_the_result_and_can_be_taken_back() {
    let house = House::new();
    let Some(seen) = changed(&house).await else { return };
    let workspace = house.path("workspace").canonicalize().unwrap();
    let files = seen
        .lines()
        .into_iter()
        .find_map(|line| if let Event::RunFinished { files, .. } = line.event { Some(files) } else { None });
    let change = |name: &str, change| FileChange::new(workspace.join(name), change);
    let expected = [
        change("gone", FileChangeKind::Deleted),
        change("new", FileChangeKind::Created),
        change("old", FileChangeKind::Changed),
    ];
    assert_eq!(files.unwrap(), expected);

    let state = || runs::list(&house.data_folder()).unwrap()[0].undo;
    assert_eq!(state(), Undoable::Yes);
    runs::prepare_undo(&seen.folder, Present::AsRecorded).unwrap().apply().unwrap();
    let names = || {
        let entries = fs::read_dir(&workspace).unwrap().map(|entry| entry.unwrap().file_name());
        let mut names: Vec<_> = entries.collect();
        names.sort();
        names
    };
    assert_eq!(names(), ["gone", "old"]);
    assert_eq!(fs::read_to_string(workspace.join("old")).unwrap(), "old");
    assert_eq!(state(), Undoable::Undone);
    let again = runs::prepare_undo(&seen.folder, Present::AsRecorded).unwrap_err();
    assert!(matches!(again, RunsError::Undo(UndoError::Undone)), "{again}");
}

#[tokio::test]
async fn a_record_may_name_the_folders_of_its_run_alone() {
    let house = House::new();
    let Some(seen) = changed(&house).await else { return };
    let path = seen.folder.join("undo/changes.jsonl");
    let workspace = house.path("workspace").canonicalize().unwrap().display().to_string();
    let elsewhere = house.folder.path().canonicalize().unwrap().display().to_string();
    fs::write(&path, fs::read_to_string(&path).unwrap().replace(&workspace, &elsewhere)).unwrap();
    let refused = runs::prepare_undo(&seen.folder, Present::AsRecorded).unwrap_err();
    assert!(matches!(refused, RunsError::Undo(UndoError::ForeignRoot { .. })), "{refused}");
    // Unless a server of tools could write there, as the journal says.
    let journal = seen.folder.join("events.jsonl");
    let untried = format!("\"untried\":{{\"folders\":[\"{elsewhere}\"]}},\"started_at\":");
    fs::write(&journal, fs::read_to_string(&journal).unwrap().replace("\"started_at\":", &untried)).unwrap();
    let other = runs::prepare_undo(&seen.folder, Present::AsRecorded).map(drop);
    assert!(
        !matches!(other, Err(RunsError::Undo(UndoError::ForeignRoot { .. }) | RunsError::Journal(_))),
        "{other:?}"
    );
}

#[tokio::test]
async fn what_is_kept_goes_by_age_and_size() {
    let house = House::new();
    let Some(seen) = changed(&house).await else { return };
    let now = seen.envelopes[0].at;
    let data = house.data_folder();
    let month = chrono::Duration::days(30);
    let expire = |retention, now| runs::expire_undo(&data, retention, now).unwrap();
    assert_eq!(expire(Retention::default(), now), 0);
    assert_eq!(expire(Retention::default(), now + month - chrono::Duration::hours(1)), 0);
    assert_eq!(expire(Retention { max_bytes: 100, ..Retention::default() }, now), 0, "it fits");
    let nothing = Retention { max_bytes: 1, max_age: Duration::MAX };
    assert_eq!(expire(nothing, now), 1);
    assert_eq!(runs::undo_state(&seen.folder), Undoable::Expired);
    assert_eq!(expire(Retention::default(), now + month + month), 0, "once");
}
