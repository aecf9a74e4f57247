//! What git commands of the `shell` tool do to a repository: asked about as facts, carried out, and taken back.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use artoo_consent::{Answer, Question};
use artoo_sandbox::{Capture, Ending, Invocation, run_unconfined};
use artoo_snapshot::{UndoError, Undoable, undoable};
use artoo_tools::{CommitsUndo, repository_state};
use artoo_types::{
    CallEnding, CheckedOut, Course, Effect, EffectKind, FailureClass, GitOperation, RepositoryState, ToolCall,
};
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

/// Resolves the conflict.
const RESOLVED: &str = "printf 'x\\nboth\\n' > a.txt; git add a.txt; ";

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

/// The facts, for which there is one effect that needs consent.
fn moves(question: &Question) -> Vec<String> {
    let Some(moves) = &question.moves else { panic!("nothing moves: {question:?}") };
    let commits: Vec<&Effect> =
        question.effects.iter().filter(|effect| effect.kind == EffectKind::Commits).collect();
    assert!(matches!(commits.as_slice(), [only] if only.what == moves.repository.display().to_string()));
    moves.lines()
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
                "branch feature: ",
                " (3 commits, without 2 that it had)",
                "new commit ",
                ": f2 (Ada",
                "2 commits on no branch or tag any more",
            ],
            "git log --format=%s && git symbolic-ref HEAD",
            "f2\nf1\nm1\nb\none\nrefs/heads/feature",
        ),
        (
            "git checkout main && git merge --no-edit feature",
            &[
                "branch main: ",
                "checked out: branch feature -> branch main",
                "new merge commit ",
                ": Merge branch 'feature'",
            ],
            "git log --first-parent --format=%s && git log --format=%s main^2",
            "Merge branch 'feature'\nm1\nb\none\nf2\nf1\nb\none",
        ),
        (
            "git branch -f main HEAD~2 && git checkout main && git merge --ff-only feature",
            &[
                "branch main: ",
                " (2 commits, without 1 that it had)",
                "1 commit on no branch or tag any more",
            ],
            "git rev-parse main feature | uniq | wc -l",
            "1",
        ),
        (
            "git cherry-pick main",
            &["branch feature: ", " (1 commit)", ": m1 (Ada"],
            "git log -1 --format=%s",
            "m1",
        ),
        ("git revert --no-edit HEAD", &["branch feature: ", "Revert \"f2\""], "cat a.txt", "x"),
        (
            "git switch main",
            &["checked out: branch feature -> branch main"],
            "git symbolic-ref HEAD",
            "refs/heads/main",
        ),
        (
            "git switch --detach main",
            &["checked out: branch feature -> ", " without a branch"],
            "ls",
            "a.txt\nb.txt\nm.txt",
        ),
        ("git tag v1 && git tag -a v2 -m two", &["tag v1: new at ", "tag v2: new at "], "git tag", "v1\nv2"),
        (
            "git branch topic/one main && git branch -D main",
            &["branch main: deleted from ", "branch topic/one: new at "],
            "git branch --format='%(refname:short)'",
            "feature\ntopic/one",
        ),
        (
            "echo more >> a.txt; git stash",
            &["stash: new at ", "WIP on feature"],
            "git stash list && git status --porcelain",
            "stash@{0}: WIP on feature: ",
        ),
        (
            "git reset --hard main",
            &["branch feature: ", " (1 commit, without 2 that it had)"],
            "git log -1 --format=%s",
            "m1",
        ),
        ("echo new > c.txt && git add c.txt", &["staged anew: c.txt"], "git status --porcelain", "A  c.txt"),
        (
            "echo 2 >> b.txt && git commit -qam two && git commit --amend -m three",
            &["branch feature: ", ": three (Ada"],
            "git log -2 --format=%s",
            "three\nf2",
        ),
    ];
    for (command, expected, look, said) in rows {
        let Some(repository) = scene(&[BRANCHES]).await else { return };
        let before = repository.done(SEEN).await;
        let call = shell(&repository, command).await;
        shown(&call);
        let facts = facts(&repository);
        let made = call.files.iter().find_map(|file| file.moves.clone());
        assert_eq!(
            made,
            repository.asked().last().unwrap().moves,
            "what is on record is what was asked: {command}"
        );
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
        ("git rebase main", "git add a.txt && git rebase --continue", "a rebase of branch feature onto MAIN"),
        ("git merge main", "git add a.txt && git commit --no-edit", "a merge"),
        ("git cherry-pick main", "git add a.txt && git cherry-pick --continue", "a cherry-pick"),
    ] {
        let Some(repository) = scene(&[BRANCHES, CONFLICT]).await else { return };
        let before = repository.done(SEEN).await;
        let call = shell(&repository, begin).await;
        assert!(matches!(call.ending, CallEnding::Exited { status } if status != 0), "{call:?}");
        let main = repository.done("git rev-parse --short=7 main").await;
        let what = what.replace("MAIN", &main);
        let said = facts(&repository).join("\n");
        assert!(said.contains(&format!("{what}: under way, to be continued or aborted")), "{said}");
        assert!(said.contains("conflicts to resolve: a.txt"), "{said}");
        assert!(
            fs::read_to_string(repository.scene.cx.working_folder.join("a.txt")).unwrap().contains("<<<<<<<")
        );
        let write = json!({ "path": "a.txt", "content": "x\nboth\n" });
        shown(&repository.call("write_file", write).await);
        shown(&shell(&repository, go_on).await);
        let said = facts(&repository).join("\n");
        assert!(said.contains(&format!("{what}: ended")), "{said}");
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

/// What a command leaves under way, a later one goes on with, whatever was checked out when it began.
#[tokio::test]
async fn what_one_command_begins_another_one_ends() {
    let third = "git checkout -qb third main~2 && echo third >> a.txt && git commit -qam t1 && echo t >> t.txt && git add . && \
                 git commit -qm t2 && git checkout -q feature";
    // Each command with what is asked about it, and what is left.
    type Commands<'a> = &'a [(&'a str, &'a str)];
    let rows: [(Commands<'_>, &str); 12] = [
        (
            &[
                ("git switch main", "checked out: branch feature -> branch main"),
                ("git rebase main third", "a rebase of branch third onto "),
                ("RESOLVE; GIT_EDITOR=true git rebase --continue", "branch third: "),
            ],
            "refs/heads/third t2",
        ),
        (
            &[
                ("git rebase main third", ": under way"),
                ("git rebase --abort", "a rebase of branch third onto "),
            ],
            "refs/heads/third t2",
        ),
        (
            &[("git rebase main third", ": under way"), ("git rebase --skip", ": ended")],
            "refs/heads/third t2",
        ),
        (
            &[
                ("git rebase --onto main third~1 third", "checked out: branch feature -> branch third"),
                ("git switch feature", "branch third -> branch feature"),
            ],
            "refs/heads/feature f2",
        ),
        (
            &[
                ("git rebase --onto feature third~2 third", ": under way"),
                ("RESOLVE; git rebase --continue", ": ended"),
            ],
            "refs/heads/third t2",
        ),
        (
            &[
                ("git switch -q third && git rebase main", "a rebase of branch third onto "),
                ("git rebase --quit", "a rebase of branch third onto "),
                ("git switch -q -f main", " without a branch -> branch main"),
            ],
            "refs/heads/main m2",
        ),
        (
            &[
                ("git switch main", "-> branch main"),
                ("git merge third", "a merge: under way"),
                ("RESOLVE", "staged anew: a.txt"),
                ("git commit --no-edit", "new merge commit "),
            ],
            "refs/heads/main Merge branch 'third'",
        ),
        (
            &[
                ("git cherry-pick third~1 third", ": under way"),
                ("RESOLVE; git cherry-pick --continue", ": t2 (Ada"),
            ],
            "refs/heads/feature t2",
        ),
        (
            &[("git cherry-pick third~1", ": under way"), ("git cherry-pick --skip", ": ended")],
            "refs/heads/feature f2",
        ),
        (
            &[
                ("printf 'x\\nother\\n' > a.txt; git commit -qam f3", "branch feature: "),
                ("git revert HEAD~1", "a revert: under way"),
                ("RESOLVE; git revert --continue", "a revert: ended"),
            ],
            "refs/heads/feature Revert \"f2\"",
        ),
        (
            &[
                ("echo stashed >> a.txt; git stash", "stash: new at "),
                ("git switch third", "-> branch third"),
                ("git stash pop", "conflicts to resolve: a.txt"),
                ("RESOLVE; git stash drop; git commit -qm popped", "stash: deleted from "),
            ],
            "refs/heads/third popped",
        ),
        (
            &[
                ("git merge --squash main", "conflicts to resolve: a.txt"),
                ("RESOLVE; git commit -qm squashed", "branch feature: "),
            ],
            "refs/heads/feature squashed",
        ),
    ];
    for (commands, left) in rows {
        let Some(repository) = scene(&[BRANCHES, CONFLICT, third]).await else { return };
        let before = repository.done(SEEN).await;
        for (number, (command, expected)) in (1..).zip(commands) {
            let call =
                shell(&repository, &command.replace("RESOLVE; ", RESOLVED).replace("RESOLVE", RESOLVED))
                    .await;
            assert_eq!(repository.asked().len(), number, "{command}: {call:?}");
            let said = facts(&repository);
            assert!(said.iter().any(|fact| fact.contains(expected)), "{command}: {expected}\n{said:#?}");
        }
        let look = "echo $(git symbolic-ref HEAD) $(git log -1 --format=%s); git status --porcelain -uno; \
                    ls -d .git/rebase-merge .git/*_HEAD .git/sequencer 2>/dev/null | grep -v -e ORIG_HEAD -e REBASE_HEAD; true";
        assert_eq!(repository.done(look).await, left, "{commands:?}");
        taken_back(&repository, &before).await;
    }
}

/// The facts are typed, and the branch that a rebase will move is one of them.
#[tokio::test]
async fn the_facts_of_a_rebase_that_stops_are_typed() {
    let Some(repository) = scene(&[BRANCHES, CONFLICT]).await else { return };
    repository.done("git checkout -q --detach").await;
    let (main, detached) =
        (repository.done("git rev-parse main").await, repository.done("git rev-parse HEAD").await);
    shell(&repository, "git rebase main feature").await;
    let moves = repository.asked().last().unwrap().moves.clone().unwrap();
    let [rebase] = moves.operations.as_slice() else { panic!("{moves:?}") };
    assert_eq!((rebase.operation, rebase.course), (GitOperation::Rebase, Course::Begins));
    assert_eq!((rebase.branch.as_deref(), rebase.onto.as_ref()), (Some("feature"), Some(&main)));
    assert_eq!(moves.head.unwrap().from, CheckedOut::Commit(detached));
    assert_eq!((moves.conflicts.named, moves.references), (vec!["a.txt".to_owned()], vec![]));
}

/// A pick that comes to nothing stops as a conflict does, and git says how to go on.
#[tokio::test]
async fn a_pick_that_is_empty_is_under_way() {
    let Some(repository) = scene(&[BRANCHES, "git cherry-pick main && git status"]).await else { return };
    let call = shell(&repository, "git cherry-pick main").await;
    assert!(call.failure.is_some());
    assert!(facts(&repository).contains(&"a cherry-pick: under way, to be continued or aborted".to_owned()));
    shown(&shell(&repository, "git cherry-pick --skip").await);
    assert_eq!(repository.done("git log -1 --format=%s; git status --porcelain").await, "m1");
}

/// What git would do later for an option is refused with the option as the reason; without a stop the options work.
#[tokio::test]
async fn an_option_that_outlasts_the_command_is_named() {
    for (command, ends) in [
        ("git rebase --exec true main", "git rebase --continue"),
        ("git rebase -X patience main", "git rebase --continue"),
        ("git rebase --rebase-merges main", "git rebase --abort; rmdir .git/refs/rewritten; true"),
    ] {
        let Some(repository) = scene(&[BRANCHES, CONFLICT]).await else { return };
        let call = shell(&repository, command).await;
        let Some(failure) = &call.failure else { panic!("{command}: {call:?}") };
        let is_told =
            failure.reason.contains("is not left under way") || failure.reason.contains("starts a program");
        assert!(is_told, "{command}: {failure:?}");
        assert!(repository.asked().is_empty(), "{command}");
        shown(&shell(&repository, &format!("{command} || {{ {RESOLVED} {ends}; }}")).await);
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

/// Whoever plans is told what is checked out, and whether something is at work there.
#[tokio::test]
async fn the_state_of_a_repository_is_told() {
    let Some(repository) = Repository::new().await else { return };
    let cx = &repository.scene.cx;
    let state = |branch: Option<&str>, has_changes| {
        Some(RepositoryState { branch: branch.map(str::to_owned), has_changes })
    };
    assert_eq!(repository_state(cx).await, state(Some("main"), Some(false)), "a new file is not tracked");
    for (deed, branch, has_changes) in [
        ("echo more >> a.txt", Some("main"), Some(true)),
        ("git add a.txt; git checkout -q -b topic/one", Some("topic/one"), Some(true)),
        ("git commit -qm two; git checkout -q --detach", None, Some(false)),
        // What is a change, its program would say, which is not run.
        (
            "git config filter.x.clean 'touch ran'; echo '*.txt filter=x' > .gitattributes; echo y > a.txt",
            None,
            None,
        ),
    ] {
        repository.done(deed).await;
        assert_eq!(repository_state(cx).await, state(branch, has_changes), "{deed}");
    }
    assert!(!cx.working_folder.join("ran").exists());
    repository.done("rm -rf .git").await;
    assert_eq!(repository_state(cx).await, None);
}
