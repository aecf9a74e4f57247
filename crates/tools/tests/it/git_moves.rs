//! What git commands of the `shell` tool do to a repository: asked about as facts, carried out, and taken back.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use artoo_consent::{Answer, Question};
use artoo_sandbox::{Capture, Ending, Invocation, run_unconfined};
use artoo_snapshot::{UndoError, Undoable, undoable};
use artoo_tools::CommitsUndo;
use artoo_types::{CallEnding, EffectKind, FailureClass, ToolCall};
use serde_json::json;
use tokio_util::sync::CancellationToken;

use artoo_test_needs::{Ability, skip};

use crate::fixture::{failed, shown};
use crate::git_commit::{Repository, files};

/// What a person sees of a repository: what is checked out, where every reference leads, what is staged, and what differs.
const SEEN: &str = "cat .git/HEAD; git for-each-ref --format='%(refname) %(objectname)'; git ls-files -s; \
                    git status --porcelain=v2; git stash list; cat *.txt; ls .git/rebase-merge .git/MERGE_HEAD 2>&1; true";

/// Two branches: `main` with a change of `m.txt`, `feature` with two commits that change `f.txt` and `a.txt`. `feature` is checked out.
const BRANCHES: &str = "git add b.txt && git commit -qm b && git checkout -qb feature && echo f > f.txt && git add . && \
     git commit -qm f1 && echo feature >> a.txt && git commit -qam f2 && git checkout -q main && echo m > m.txt && git add . && \
     git commit -qm m1 && git checkout -q feature && git status";
/// The same with a change of `a.txt` in `main` that conflicts with that of `feature`.
const CONFLICT: &str = "git checkout -q main && echo main >> a.txt && git commit -qam m2 && git checkout -q feature && git status";

async fn scene(begun: &[&str]) -> Option<Repository> {
    answering(Answer::Yes, begun).await
}

async fn answering(answer: Answer, begun: &[&str]) -> Option<Repository> {
    ready(Repository::asking(answer, || {}).await?, begun).await
}

pub(crate) async fn ready(repository: Repository, begun: &[&str]) -> Option<Repository> {
    if !artoo_tools::can_try(&repository.scene.cx) {
        skip(Ability::Overlays, "nothing can be tried");
        return None;
    }
    for text in begun {
        repository.done(text).await;
    }
    Some(repository)
}

pub(crate) async fn shell(repository: &Repository, command: &str) -> ToolCall {
    repository.call("shell", json!({ "command": command })).await
}

/// What the last question says of the repository.
fn facts(repository: &Repository) -> Vec<String> {
    let asked = repository.asked();
    let Some(question) = asked.last() else { panic!("nobody was asked") };
    moves(question)
}

fn moves(question: &Question) -> Vec<String> {
    let moves = question.effects.iter().filter(|effect| effect.kind == EffectKind::Commits);
    moves.map(|effect| effect.why.clone()).collect()
}

/// Ends the run, takes it back, and compares what a person sees with what was before.
async fn taken_back(repository: &Repository, before: &str) {
    repository.end();
    // What only looks at a repository writes its index anew, and is nothing that was built on the run.
    repository.done("git status").await;
    repository.take_back().await.unwrap();
    assert_eq!(repository.done(SEEN).await, before);
    repository.done("git fsck --no-progress").await;
}

/// Each runs one command, names what is asked, and what git says afterwards; then all is taken back.
#[tokio::test]
async fn each_move_is_asked_about_as_facts_carried_out_and_taken_back() {
    let rows: [(&str, &[&str], &str, &str); 13] = [
        (
            "git rebase main",
            &[
                "move the branch feature from ",
                ", with 3 commits new to it, and without 2 commits that it had",
                "new commit ",
                ": f2 (Ada",
            ],
            "git log --format=%s && git symbolic-ref HEAD",
            "f2\nf1\nm1\nb\none\nrefs/heads/feature",
        ),
        (
            "git checkout main && git merge --no-edit feature",
            &[
                "move the branch main from ",
                "check out the branch main instead of the branch feature",
                "Merge branch 'feature'",
            ],
            "git log --first-parent --format=%s && git log --format=%s main^2",
            "Merge branch 'feature'\nm1\nb\none\nf2\nf1\nb\none",
        ),
        (
            "git branch -f main HEAD~2 && git checkout main && git merge --ff-only feature",
            &["move the branch main from ", "with 2 commits new to it, and without 1 commit that it had"],
            "git rev-parse main feature | uniq | wc -l",
            "1",
        ),
        (
            "git cherry-pick main",
            &["move the branch feature", "1 commit new to it", ": m1 (Ada"],
            "git log -1 --format=%s",
            "m1",
        ),
        ("git revert --no-edit HEAD", &["move the branch feature", "Revert \"f2\""], "cat a.txt", "x"),
        (
            "git switch main",
            &["check out the branch main instead of the branch feature"],
            "git symbolic-ref HEAD",
            "refs/heads/main",
        ),
        (
            "git switch --detach main",
            &["check out ", "without a branch, instead of the branch feature"],
            "ls",
            "a.txt\nb.txt\nm.txt",
        ),
        (
            "git tag v1 && git tag -a v2 -m two",
            &["make the tag v1 at ", "make the tag v2 at "],
            "git tag",
            "v1\nv2",
        ),
        (
            "git branch topic/one main && git branch -D main",
            &["delete the branch main, which is at ", "make the branch topic/one at "],
            "git branch --format='%(refname:short)'",
            "feature\ntopic/one",
        ),
        (
            "echo more >> a.txt; git stash",
            &["make the stash at ", "WIP on feature"],
            "git stash list && git status --porcelain",
            "stash@{0}: WIP on feature: ",
        ),
        (
            "git reset --hard main",
            &["move the branch feature", "1 commit new to it, and without 2 commits that it had"],
            "git log -1 --format=%s",
            "m1",
        ),
        (
            "echo new > c.txt && git add c.txt",
            &["stage other contents: c.txt"],
            "git status --porcelain",
            "A  c.txt",
        ),
        (
            "echo 2 >> b.txt && git commit -qam two && git commit --amend -m three",
            &["move the branch feature", ": three (Ada"],
            "git log -2 --format=%s",
            "three\nf2",
        ),
    ];
    for (command, expected, look, said) in rows {
        let Some(repository) = scene(&[BRANCHES]).await else { return };
        let before = repository.done(SEEN).await;
        shown(&shell(&repository, command).await);
        let facts = facts(&repository);
        for part in expected {
            assert!(facts.iter().any(|fact| fact.contains(part)), "{command}: {part}\n{facts:#?}");
        }
        assert_eq!(repository.asked().len(), 1, "{command}");
        let found = repository.done(look).await;
        assert!(found == said || said.ends_with(": ") && found.starts_with(said), "{command}: {found}");
        repository.done("git fsck --no-progress --strict").await;
        let told = CommitsUndo::prepare(&repository.record()).await.unwrap().unwrap().commits();
        assert!(told.iter().all(|one| one.is_move) && told.len() == 1, "{told:?}");
        taken_back(&repository, &before).await;
    }
}

#[tokio::test]
async fn a_conflict_is_a_state_that_is_agreed_to_resolved_and_taken_back() {
    for (begin, go_on, what) in [
        ("git rebase main", "git add a.txt && git rebase --continue", "a rebase"),
        ("git merge main", "git add a.txt && git commit --no-edit", "a merge"),
        ("git cherry-pick main", "git add a.txt && git cherry-pick --continue", "a cherry-pick"),
    ] {
        let Some(repository) = scene(&[BRANCHES, CONFLICT]).await else { return };
        let before = repository.done(SEEN).await;
        let call = shell(&repository, begin).await;
        assert!(matches!(call.ending, CallEnding::Exited { status } if status != 0), "{call:?}");
        let said = facts(&repository).join("\n");
        assert!(said.contains(&format!("leave {what} under way, to be continued or aborted")), "{said}");
        assert!(said.contains("conflicts to resolve: a.txt"), "{said}");
        assert!(
            fs::read_to_string(repository.scene.cx.working_folder.join("a.txt")).unwrap().contains("<<<<<<<")
        );
        let write = json!({ "path": "a.txt", "content": "x\nboth\n" });
        shown(&repository.call("write_file", write).await);
        shown(&shell(&repository, go_on).await);
        let said = facts(&repository).join("\n");
        assert!(said.contains(&format!("end {what} that is under way")), "{said}");
        assert_eq!(repository.done("git show HEAD:a.txt || git show HEAD~1:a.txt").await, "x\nboth");
        assert_eq!(
            repository
                .done("git status --porcelain; ls .git/rebase-merge .git/MERGE_HEAD 2>/dev/null; true")
                .await,
            ""
        );
        taken_back(&repository, &before).await;
    }
}

#[tokio::test]
async fn an_abort_leads_back_and_a_run_may_end_in_the_middle() {
    let Some(repository) = scene(&[BRANCHES, CONFLICT]).await else { return };
    let before = repository.done(SEEN).await;
    shell(&repository, "git rebase main").await;
    shown(&shell(&repository, "git rebase --abort").await);
    assert_eq!(repository.done(SEEN).await, before);
    shell(&repository, "git merge main").await;
    assert_eq!(repository.done("cat .git/MERGE_HEAD").await, repository.done("git rev-parse main").await);
    taken_back(&repository, &before).await;
}

#[tokio::test]
async fn a_command_that_fails_at_no_conflict_does_nothing() {
    let Some(repository) = scene(&[BRANCHES, CONFLICT]).await else { return };
    let before = files(&repository.scene.cx.working_folder);
    for command in ["git switch main; false", "git branch other && git rebase nowhere"] {
        let call = shell(&repository, command).await;
        assert!(call.failure.is_some(), "{command}");
        assert_eq!(files(&repository.scene.cx.working_folder), before, "{command}");
    }
    assert!(repository.asked().is_empty());
}

#[tokio::test]
async fn a_no_changes_nothing_byte_for_byte() {
    let no = Answer::No { reason: "the person said no".to_owned() };
    for command in ["git rebase main", "git merge main", "git switch main", "git stash -u", "git tag v1"] {
        let Some(repository) = answering(no.clone(), &[BRANCHES, "echo u > u.txt; echo w >> b.txt"]).await
        else {
            return;
        };
        let before = files(&repository.scene.cx.working_folder);
        let call = shell(&repository, command).await;
        if !repository.asked().is_empty() {
            failed(&call, FailureClass::Denied);
        }
        assert!(call.failure.is_some(), "{command}");
        assert_eq!(files(&repository.scene.cx.working_folder), before, "{command}");
        repository.end();
        assert_eq!(undoable(&repository.record()), Undoable::Nothing, "{command}");
    }
}

#[tokio::test]
async fn reading_is_never_asked_about() {
    let Some(repository) = scene(&[BRANCHES, "touch -d @1000000000 a.txt"]).await else { return };
    let before = files(&repository.scene.cx.working_folder);
    for command in [
        "git status",
        "git log --oneline --all --graph",
        "git diff main",
        "git blame a.txt",
        "git show HEAD",
        "git branch --list -v",
        "git stash list; git tag -l; git reflog",
        "git rev-parse HEAD; git merge-base main feature; git worktree list",
    ] {
        shown(&shell(&repository, command).await);
    }
    assert!(repository.asked().is_empty());
    assert_eq!(files(&repository.scene.cx.working_folder), before);
}

/// Runs shell text to its end.
fn as_somebody_else(folder: PathBuf, text: String) {
    let invocation = Invocation {
        program: "/bin/sh".into(),
        arguments: vec!["-c".into(), text.clone().into()],
        folder,
        environment: BTreeMap::from([("PATH".into(), artoo_test_needs::path().into())]),
        timeout: Duration::from_secs(60),
        keep: 1024,
    };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let outcome = runtime.block_on(async {
        let (mut output, mut complaint) = (Vec::new(), Vec::new());
        let capture = Capture { stdout: &mut output, stderr: &mut complaint, on_chunk: None };
        run_unconfined(&invocation, capture, &CancellationToken::new()).await.unwrap()
    });
    assert_eq!(outcome.ending, Ending::Exited(0), "{text}");
}

#[tokio::test]
async fn what_somebody_else_does_meanwhile_refuses_all_of_it() {
    for deed in [
        "git -C 'FOLDER' branch -f feature main~1",
        "git -C 'FOLDER' add -A",
        "echo other >> 'FOLDER/a.txt'",
        "touch 'FOLDER/.git/index.lock'",
        "git -C 'FOLDER' pack-refs --all",
    ] {
        // The deed names the folder, which is made first.
        let folder = std::sync::Arc::new(std::sync::Mutex::new(PathBuf::new()));
        let place = folder.clone();
        let run = move || {
            let folder = place.lock().unwrap().clone();
            let text = deed.replace("FOLDER", &folder.display().to_string());
            // The person answers on the thread of the test's own runtime.
            std::thread::spawn(|| as_somebody_else(folder, text)).join().unwrap();
        };
        let Some(repository) = Repository::asking(Answer::Yes, run).await else { return };
        *folder.lock().unwrap() = repository.scene.cx.working_folder.clone();
        let begun = [BRANCHES, "git checkout -q main && git branch -qf feature feature && echo u > u.txt"];
        let Some(repository) = ready(repository, &begun).await else { return };
        repository.done("git checkout -q --detach").await;
        let call = shell(&repository, "git checkout -q feature && git rebase main").await;
        assert!(call.failure.is_some(), "{deed}: {call:?}");
        assert_eq!(repository.asked().len(), 1, "{deed}");
        assert_eq!(repository.done("git log -1 --format=%s").await, "m1", "{deed}");
        assert!(!repository.scene.cx.working_folder.join("f.txt").exists(), "{deed}");
        repository.end();
        assert!(CommitsUndo::prepare(&repository.record()).await.unwrap().is_none(), "{deed}");
    }
}

/// A process that ends between any two steps leaves a state that an undo takes back.
#[tokio::test]
async fn a_move_that_was_cut_off_is_taken_back() {
    let Some(repository) = scene(&[BRANCHES]).await else { return };
    let folder = repository.scene.cx.working_folder.clone();
    let (seen, before) = (repository.done(SEEN).await, files(&folder.join(".git")));
    shown(&shell(&repository, "git rebase main && git tag v1").await);
    repository.end();
    let after = files(&folder.join(".git"));
    // Each part by itself as it was before, with all others done.
    let changed: Vec<PathBuf> = after.keys().chain(before.keys()).cloned().collect();
    let moved = |path: &PathBuf| {
        !path.starts_with(folder.join(".git/objects")) && before.get(path) != after.get(path)
    };
    let changed: BTreeMap<PathBuf, bool> =
        changed.into_iter().filter(moved).map(|path| (path, true)).collect();
    assert!(changed.len() > 4, "{changed:?}");
    for path in changed.keys() {
        for (path, content) in &after {
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            if !path.starts_with(folder.join(".git/objects")) {
                fs::write(path, content).unwrap();
            }
        }
        match before.get(path) {
            Some(content) => fs::write(path, content).unwrap(),
            None => fs::remove_file(path).unwrap(),
        }
        let commits = CommitsUndo::prepare(&repository.record()).await;
        let commits = commits.unwrap_or_else(|error| panic!("{}: {error:?}", path.display()));
        commits.unwrap().apply().await.unwrap();
        assert_eq!(repository.done("git rev-parse feature; git tag; git symbolic-ref HEAD").await, {
            let id = seen.lines().find_map(|line| line.strip_prefix("refs/heads/feature ")).unwrap();
            format!("{id}\nrefs/heads/feature")
        });
    }
    repository.take_back().await.unwrap();
    assert_eq!(repository.done(SEEN).await, seen);
}

#[tokio::test]
async fn commits_of_the_tool_and_moves_are_taken_back_in_their_order() {
    let Some(repository) = scene(&[BRANCHES]).await else { return };
    let before = repository.done(SEEN).await;
    let commit = |text: &str| json!({ "message": text, "paths": ["f.txt"] });
    shown(&repository.call("write_file", json!({ "path": "f.txt", "content": "2\n" })).await);
    shown(&repository.call("git_commit", commit("f3")).await);
    shown(&shell(&repository, "git rebase -q main").await);
    shown(&repository.call("write_file", json!({ "path": "f.txt", "content": "3\n" })).await);
    shown(&repository.call("git_commit", commit("f4")).await);
    shown(&shell(&repository, "git tag done").await);
    assert_eq!(repository.done("git log --format=%s").await, "f4\nf3\nf2\nf1\nm1\nb\none");
    taken_back(&repository, &before).await;
}

/// A tag and a branch that is not checked out have nothing to do with what the user does in the working tree.
#[tokio::test]
async fn other_branches_and_tags_are_taken_back_whatever_is_checked_out() {
    let Some(repository) = scene(&[BRANCHES]).await else { return };
    shown(&shell(&repository, "git tag v1 && git branch -f main feature~1").await);
    repository.end();
    let later =
        "git commit -q --allow-empty -m later && git switch -qc topic && echo s > s.txt && git add s.txt";
    repository.done(later).await;
    repository.take_back().await.unwrap();
    assert_eq!(repository.done("git tag; git log -1 --format=%s main").await, "m1");
    assert_eq!(
        repository.done("git status --porcelain; git symbolic-ref HEAD").await,
        "A  s.txt\nrefs/heads/topic"
    );
}

#[tokio::test]
async fn a_branch_that_is_checked_out_now_is_not_taken_away() {
    for deed in ["git switch -q topic", "git worktree add -q ../tree topic"] {
        let Some(repository) = scene(&[BRANCHES]).await else { return };
        shown(&shell(&repository, "git branch topic main").await);
        repository.end();
        repository.done(deed).await;
        let refused = CommitsUndo::prepare(&repository.record()).await.unwrap_err();
        assert!(matches!(refused, UndoError::Refused { .. }), "{deed}: {refused:?}");
    }
}

#[tokio::test]
async fn what_was_built_on_a_move_refuses_the_undo() {
    for (deed, expected) in [
        ("git commit -q --allow-empty -m later", "branch feature was moved since the run"),
        ("git branch other", "refs/heads/other holds what the run committed"),
        ("git switch -q main", "branch feature was moved since the run"),
        ("echo s > s.txt && git add s.txt", "something else was staged since the run"),
        ("git rev-parse HEAD > .git/MERGE_HEAD", "a merge is in progress"),
    ] {
        let Some(repository) = scene(&[BRANCHES]).await else { return };
        shown(&shell(&repository, "git rebase main").await);
        repository.end();
        repository.done(deed).await;
        let refused = CommitsUndo::prepare(&repository.record()).await.unwrap_err();
        let UndoError::Refused { obstacles } = refused else { panic!("{deed}: {refused:?}") };
        let named: Vec<String> = obstacles.iter().map(|one| one.why.to_string()).collect();
        assert!(named.iter().any(|why| why.contains(expected)), "{deed}: {named:?}");
    }
}
