//! Resumed runs: completed work is kept if nothing has changed, and is not repeated.

use std::{fs, path::PathBuf, sync::Arc, time::Duration};

use artoo_llm_client::doubles::{Answer, Expect, ScriptedModel};
use artoo_runtime::{
    events::Event,
    journal::{self, Follow},
    resume::{Resumable, resumable},
    runs::RunsError,
};
use artoo_sandbox::preview::Preview;
use artoo_types::MessageKind;

use crate::doubles::composed;
use crate::fixture::{House, question, say, shell, steps, watched};

const PLAN: [(&str, u32); 2] = [("Count the letters", 1), ("Count the words", 2)];

/// The folder of a run that was interrupted during its second step.
async fn cut_off(house: &House) -> PathBuf {
    let model = Arc::new(
        ScriptedModel::new()
            .always(Expect::purpose("planner"), Answer::json(steps(&PLAN)))
            .always(
                Expect::purpose("executor").user_contains("Step: Count the letters"),
                Answer::json(say("417")),
            )
            .always(Expect::purpose("executor"), Answer::hang()),
    );
    let artoo =
        house.builder(&model).toolbox(artoo_tools::Toolbox::new().with(crate::doubles::Say)).build().unwrap();
    let run = artoo.start(house.request("Count letters and words")).unwrap();
    let (folder, canceller) = (run.folder().to_owned(), run.canceller());
    let finished = tokio::spawn(run.finished());
    let mut follow = Follow::open(&folder.join(journal::FILE_NAME)).unwrap();
    let mut begun = 0;
    while begun < 2 {
        let read = follow.read_on().unwrap();
        begun += read.envelopes.iter().filter(|seen| seen.message.kind() == MessageKind::SubTask).count();
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    canceller.cancel();
    finished.await.unwrap();
    artoo.close().await;
    folder
}

fn intents(found: &Resumable) -> (Vec<&str>, Vec<&str>) {
    let kept = found.kept.iter().map(|outcome| outcome.intent.as_str()).collect();
    (kept, found.dropped.iter().map(|dropped| dropped.intent.as_str()).collect())
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_done_is_kept_and_only_the_rest_is_run() {
    let house = House::new();
    let found = resumable(&cut_off(&house).await).unwrap();
    assert_eq!(intents(&found), (vec!["Count the letters"], vec![]), "{:?}", found.dropped);
    assert_eq!(found.request.text, "Count letters and words");
    let model = Arc::new(
        ScriptedModel::new()
            .expect(
                Expect::purpose("planner")
                    .user_contains("An earlier run of this request was cut off.")
                    .user_contains(
                        "Done, do not plan it again: Count the letters\n<<<data: subtask result\n417",
                    ),
                Answer::json(steps(&PLAN)),
            )
            .expect(
                Expect::purpose("executor").user_contains("Step: Count the words").user_contains("417"),
                Answer::json(say("80")),
            )
            .always(Expect::any(), composed()),
    );
    let artoo = house.quiet(&model).build().unwrap();
    let kept = found.kept.clone();
    let seen = watched(artoo.resume(house.request(&found.request.text), kept).unwrap()).await;
    model.assert_finished();
    assert_eq!(seen.exit_code(), 0, "{:#?}", seen.result);
    assert_eq!(seen.count(MessageKind::SubTask), 1);
    assert!(seen.result.output.to_string().contains("417") && seen.result.output.to_string().contains("80"));
    assert_eq!(seen.outcomes().len(), 2);
    assert!(seen.outcomes().iter().all(|outcome| outcome.parent_task_id == seen.result.run_id));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_has_changed_since_is_done_again_and_said() {
    let house = House::new();
    let folder = cut_off(&house).await;
    let changed = house.path("home").canonicalize().unwrap().join("docs/a.txt");
    fs::write(&changed, "another").unwrap();
    // Times of files are coarse: without this it may be as old as what the run did.
    let file = fs::File::open(&changed).unwrap();
    let written = file.metadata().unwrap().modified().unwrap();
    file.set_modified(written + std::time::Duration::from_secs(1)).unwrap();
    let found = resumable(&folder).unwrap();
    assert_eq!(intents(&found), (vec![], vec!["Count the letters"]));
    assert_eq!(found.dropped[0].why, format!("{} has changed since", changed.display()));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_that_came_to_its_end_is_not_begun_again() {
    let house = House::new();
    let model = Arc::new(
        ScriptedModel::new()
            .always(Expect::purpose("planner"), Answer::json(steps(&PLAN[..1])))
            .always(Expect::purpose("executor"), Answer::json(say("3"))),
    );
    let artoo = house.quiet(&model).build().unwrap();
    let seen = house.run(&artoo, "Count").await;
    let refused = resumable(&seen.folder).unwrap_err();
    assert!(matches!(refused, RunsError::Whole { .. }), "{refused}");
}

/// What the run that was cut off wrote into rules of git, and which folders it made, is not known to the one that goes on.
#[tokio::test(flavor = "multi_thread")]
async fn a_resumed_run_takes_nothing_for_build_output() {
    let house = House::new();
    if let Err(reason) = Preview::supported(&house.data_folder()) {
        artoo_test_needs::skip(artoo_test_needs::Ability::Overlays, reason);
        return;
    }
    let workspace = house.path("workspace").canonicalize().unwrap();
    for folder in [".git/objects", ".git/refs", ".git/info", "target"] {
        fs::create_dir_all(workspace.join(folder)).unwrap();
    }
    let tag = "Signature: 8a477f597d28d172789f06886806bc55\n";
    for (name, content) in
        [(".git/HEAD", "ref: refs/heads/main\n"), (".gitignore", "/target/\n"), ("target/CACHEDIR.TAG", tag)]
    {
        fs::write(workspace.join(name), content).unwrap();
    }
    let file = workspace.join("target/a");
    let found = resumable(&cut_off(&house).await).unwrap();
    let command = format!("cd '{}' && echo new > target/a && echo 42", workspace.display());
    for (kept, expected, built) in [(None, "new\n", 1), (Some(found.kept), "old\n", 0)] {
        fs::write(&file, "old\n").unwrap();
        let model = Arc::new(
            ScriptedModel::new()
                .always(Expect::purpose("planner"), Answer::json(question("Build it")))
                .always(Expect::purpose("executor"), Answer::json(shell(&command)))
                .always(Expect::any(), composed()),
        );
        let artoo = house.builder(&model).build().unwrap();
        let request = house.request("Build it");
        let run = match kept {
            Some(kept) => artoo.resume(request, kept),
            None => artoo.start(request),
        };
        let seen = watched(run.unwrap()).await;
        artoo.close().await;
        assert_eq!(fs::read_to_string(&file).unwrap(), expected);
        let lines = seen.lines();
        let Some(Event::RunFinished { build_output, .. }) = lines.last().map(|line| &line.event) else {
            panic!("{lines:?}")
        };
        let counted: Vec<_> = build_output.iter().map(|folder| (folder.path.clone(), folder.files)).collect();
        let expected: Vec<_> = (0..built).map(|_| (workspace.join("target"), 1)).collect();
        assert_eq!(counted, expected);
    }
}
