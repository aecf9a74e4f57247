//! The `git_commit` tool as the executor calls it, and taking its commits back.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use artoo_consent::{Answer, Consent, Question};
use artoo_sandbox::{Capture, Ending, Invocation, SandboxMode, run_unconfined};
use artoo_snapshot::{Hindrance, Present, Undo, UndoError, Undoable, undoable};
use artoo_tools::{CommitsUndo, EarlierRun, GitCommit, Toolbox, UndoRun};
use artoo_types::{
    CallEnding, CommittedChange, CommittedFile, EffectKind, FailureClass, ProposedCommit, ToolCall,
};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use artoo_test_needs::{Ability, skip};

use crate::fixture::{Scene, can_confine, failed, shown};

/// Hears every question, acts, and answers.
pub(crate) struct Person {
    answer: Answer,
    meanwhile: Box<dyn Fn() + Send + Sync>,
    asked: Mutex<Vec<Question>>,
}

#[async_trait::async_trait]
impl Consent for Person {
    async fn ask(&self, question: Question) -> Answer {
        self.asked.lock().unwrap().push(question);
        (self.meanwhile)();
        self.answer.clone()
    }
}

pub(crate) struct Repository {
    pub(crate) scene: Scene,
    person: Arc<Person>,
    toolbox: Toolbox,
}

impl Repository {
    /// A repository with one commit in the working folder, and a new file `b.txt`. `None` where the machine cannot.
    pub(crate) async fn new() -> Option<Self> {
        Self::asking(Answer::Yes, || {}).await
    }

    pub(crate) async fn asking(answer: Answer, meanwhile: impl Fn() + Send + Sync + 'static) -> Option<Self> {
        if !can_confine() {
            return None;
        }
        let search_path: Vec<PathBuf> = std::env::split_paths(&artoo_test_needs::path()).collect();
        let Some(tool) = GitCommit::probe(&search_path) else {
            artoo_test_needs::without("git", "this machine has no git of its system");
            return None;
        };
        let mut scene = Scene::new();
        scene.cx.environment.insert("HOME".into(), scene.cx.home.clone().into());
        let person = Arc::new(Person { answer, meanwhile: Box::new(meanwhile), asked: Mutex::default() });
        scene.cx.consent = person.clone();
        let repository = Self { scene, person, toolbox: Toolbox::standard().with(tool) };
        let begun = "git init -q -b main . && git config user.name Ada && git config user.email ada@example.org && \
                     echo x > a.txt && git add . && git commit -qm one && echo b > b.txt";
        repository.done(begun).await;
        Some(repository)
    }

    /// Runs shell text as the user would, in the working folder.
    pub(crate) async fn sh(&self, text: &str) -> (Ending, String) {
        let invocation = Invocation {
            program: "/bin/sh".into(),
            arguments: vec!["-c".into(), text.into()],
            folder: self.scene.cx.working_folder.clone(),
            environment: BTreeMap::from([
                ("PATH".into(), artoo_test_needs::path().into()),
                ("HOME".into(), self.scene.cx.home.clone().into()),
                ("GIT_CONFIG_NOSYSTEM".into(), "1".into()),
                ("LC_ALL".into(), "C".into()),
            ]),
            timeout: Duration::from_secs(60),
            keep: 1024 * 1024,
        };
        let (mut output, mut complaint) = (Vec::new(), Vec::new());
        let capture = Capture { stdout: &mut output, stderr: &mut complaint, on_chunk: None };
        let outcome = run_unconfined(&invocation, capture, &CancellationToken::new()).await.unwrap();
        (outcome.ending, String::from_utf8_lossy(&[output, complaint].concat()).trim().to_owned())
    }

    pub(crate) async fn done(&self, text: &str) -> String {
        let (ending, said) = self.sh(text).await;
        assert_eq!(ending, Ending::Exited(0), "{text}: {said}");
        said
    }

    pub(crate) async fn call(&self, tool: &str, arguments: Value) -> ToolCall {
        self.scene.call_in(&self.toolbox, tool, arguments).await
    }

    async fn commit(&self, arguments: Value) -> ToolCall {
        self.call("git_commit", arguments).await
    }

    pub(crate) fn asked(&self) -> Vec<Question> {
        self.person.asked.lock().unwrap().clone()
    }

    pub(crate) fn record(&self) -> PathBuf {
        self.scene.data.join("undo")
    }

    /// Ends the run, so that it can be taken back.
    pub(crate) fn end(&self) {
        self.scene.cx.snapshot.as_ref().unwrap().close().unwrap();
    }

    /// Takes back everything of the run.
    pub(crate) async fn take_back(&self) -> Result<(), UndoError> {
        let commits = CommitsUndo::prepare(&self.record()).await?;
        let Some(commits) = commits else { panic!("it made commits") };
        commits.apply().await?;
        let roots = [&self.scene.cx.working_folder, &self.scene.cx.workspace];
        let roots: Vec<PathBuf> = roots.into_iter().filter_map(|root| root.canonicalize().ok()).collect();
        Undo::prepare(&self.record(), &roots, Present::AsRecorded)?.apply().map(|left| assert_eq!(left, []))
    }
}

/// Every file of a folder with its content, apart from what git writes of itself.
pub(crate) fn files(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(files(&path));
        } else {
            found.insert(path.clone(), fs::read(&path).unwrap());
        }
    }
    found
}

#[tokio::test]
async fn the_question_shows_the_commit_and_a_yes_makes_exactly_it() {
    let Some(repository) = Repository::new().await else { return };
    repository
        .done("echo staged > c.txt && git add c.txt && echo y >> a.txt && cp /bin/true .git/hooks/pre-commit")
        .await;
    repository.done("git config commit.gpgSign true").await;
    let call = repository.commit(json!({ "message": "two\n\nmore\n", "paths": ["b.txt", "a.txt"] })).await;
    let said = shown(&call);
    assert!(
        said.contains(
            " to the branch main: two\nchanged a.txt\nadded b.txt\nthe hook pre-commit is not run\n"
        ),
        "{said}"
    );
    let asked = repository.asked();
    let [question] = asked.as_slice() else { panic!("{asked:?}") };
    let top = repository.scene.cx.working_folder.canonicalize().unwrap();
    let file = |path: &str, change| CommittedFile { path: path.to_owned(), change, is_repository: false };
    let expected = ProposedCommit {
        repository: top.clone(),
        branch: "main".to_owned(),
        author: "Ada <ada@example.org>".to_owned(),
        message: "two\n\nmore".to_owned(),
        files: vec![file("a.txt", CommittedChange::Changed), file("b.txt", CommittedChange::Added)],
        left_out: vec![
            "the hook pre-commit is not run".to_owned(),
            "the commit is not signed, although the configuration asks for it".to_owned(),
        ],
    };
    assert_eq!(question.commit.as_ref(), Some(&expected));
    let effects: Vec<_> = question.effects.iter().map(|effect| (effect.kind, effect.what.as_str())).collect();
    assert_eq!(effects, [(EffectKind::Commits, top.to_str().unwrap())]);
    assert_eq!(question.beyond_undo, None);
    // What the user has staged besides stays staged, and stays theirs.
    assert_eq!(repository.done("git status --porcelain").await, "A  c.txt");
    assert_eq!(
        repository.done("git log --format='%s %an <%ae>'").await,
        "two Ada <ada@example.org>\none Ada <ada@example.org>"
    );
    assert_eq!(repository.done("git show --format= --name-status").await, "M\ta.txt\nA\tb.txt");
    let logged = repository.done("git reflog -1 --format='%gs %gn'").await;
    assert_eq!(logged, "commit: two Ada");
    repository.done("git fsck --no-progress").await;
    assert!(
        fs::read_dir(repository.scene.cx.evidence.folder())
            .unwrap()
            .all(|entry| { !entry.unwrap().file_name().to_string_lossy().starts_with("git-") })
    );
}

#[tokio::test]
async fn without_paths_what_is_staged_is_committed_and_nothing_else() {
    let Some(repository) = Repository::new().await else { return };
    repository.done("git add b.txt && echo later >> b.txt").await;
    shown(&repository.commit(json!({ "message": "two" })).await);
    assert_eq!(repository.done("git show HEAD:b.txt").await, "b");
    assert_eq!(repository.done("git status --porcelain").await, "M b.txt");
}

#[tokio::test]
async fn a_no_leaves_the_repository_as_it_is_and_is_missing_consent() {
    let no = Answer::No { reason: "the person said no".to_owned() };
    let Some(repository) = Repository::asking(no, || {}).await else { return };
    let before = files(&repository.scene.cx.working_folder);
    let call = repository.commit(json!({ "message": "two", "paths": ["."] })).await;
    assert_eq!(
        failed(&call, FailureClass::Denied).reason,
        format!(
            "not allowed: the person said no; it would commit to {}",
            repository.scene.cx.working_folder.canonicalize().unwrap().display()
        )
    );
    assert_eq!(files(&repository.scene.cx.working_folder), before);
    repository.end();
    assert_eq!(undoable(&repository.record()), Undoable::Nothing);
}

#[tokio::test]
async fn what_changes_while_the_person_thinks_is_not_committed_over() {
    let moved: Arc<Mutex<(PathBuf, String)>> = Arc::default();
    let target = Arc::clone(&moved);
    let move_branch = move || {
        let (folder, commit) = &*target.lock().unwrap();
        fs::write(folder.join(".git/refs/heads/main"), format!("{commit}\n")).unwrap();
    };
    let Some(repository) = Repository::asking(Answer::Yes, move_branch).await else { return };
    let commit = repository.done("git commit-tree -p HEAD -m other HEAD^{tree}").await;
    *moved.lock().unwrap() = (repository.scene.cx.working_folder.clone(), commit.clone());
    let call = repository.commit(json!({ "message": "two", "paths": ["b.txt"] })).await;
    let reason = &failed(&call, FailureClass::Environmental).reason;
    assert_eq!(reason, "the branch of the repository was changed meanwhile, so nothing was committed");
    assert_eq!(repository.done("git rev-parse main").await, commit);
    assert!(!repository.scene.cx.working_folder.join(".git/index.lock").exists());
    assert!(!repository.record().join("beside/commits.jsonl").exists());

    let index = |folder: PathBuf| move || fs::write(folder.join(".git/index"), "DIRC").unwrap();
    let Some(other) = Repository::new().await else { return };
    let folder = other.scene.cx.working_folder.clone();
    let person = Person { answer: Answer::Yes, meanwhile: Box::new(index(folder)), asked: Mutex::default() };
    let mut other = other;
    other.scene.cx.consent = Arc::new(person);
    let call = other.commit(json!({ "message": "two", "paths": ["b.txt"] })).await;
    let reason = &failed(&call, FailureClass::Environmental).reason;
    assert_eq!(reason, "the index of the repository was changed meanwhile, so nothing was committed");
}

#[tokio::test]
async fn each_thing_in_the_way_is_named() {
    use FailureClass::{Environmental, Forbidden, Logical};
    let file = json!({ "message": "two", "paths": ["b.txt"] });
    let outside = json!({ "message": "two", "paths": ["../other.txt"] });
    for (setup, arguments, class, part) in [
        ("rm -rf .git", &file, Logical, "is in no git repository"),
        ("git checkout -q --detach", &file, Environmental, "HEAD is detached"),
        ("git rev-parse HEAD > .git/MERGE_HEAD", &file, Environmental, "a merge is in progress"),
        ("mkdir .git/rebase-merge", &file, Environmental, "a rebase is in progress"),
        ("touch .git/index.lock", &file, Environmental, "index.lock is there"),
        ("git config --unset user.email", &file, Environmental, "git does not know who the user is"),
        (":", &json!({ "message": "two", "paths": ["a.txt"] }), Logical, "a.txt is as in the last commit"),
        (":", &json!({ "message": "two" }), Logical, "nothing is staged"),
        (":", &outside, Logical, "is outside of the repository"),
        (":", &json!({ "message": "two", "paths": ["none.txt"] }), Logical, "did not match any files"),
        ("echo b.txt > .gitignore", &file, Logical, "ignored by one of your .gitignore files"),
        (":", &json!({ "message": " \n", "paths": ["b.txt"] }), Logical, "`message` is empty"),
        (
            "git checkout -qb o && echo 1 > a.txt && git commit -qam o && git checkout -q main && echo 2 > a.txt && \
             git commit -qam m && git merge -q o; rm -f .git/MERGE_HEAD",
            &json!({ "message": "two" }),
            Logical,
            "conflicts that nobody has resolved: a.txt",
        ),
        (
            "git config filter.lfs.clean 'git-lfs clean -- %f' && echo '*.txt filter=lfs' > .gitattributes",
            &file,
            Forbidden,
            "b.txt goes through the filter `lfs` of this repository, and artoo does not run its program: git-lfs clean",
        ),
        (
            "mv .git ../elsewhere && mkdir .git && echo 'gitdir: nowhere' > .git/x",
            &file,
            Environmental,
            "not a git repository",
        ),
    ] {
        let Some(repository) = Repository::new().await else { return };
        repository.sh(setup).await;
        let call = repository.commit(arguments.clone()).await;
        let failure = failed(&call, class);
        assert!(failure.reason.contains(part), "{setup}: {}", failure.reason);
        assert!(repository.asked().is_empty(), "{setup}: nobody is asked about what cannot be done");
        assert!(!repository.record().join("beside").exists());
    }
}

#[tokio::test]
async fn a_linked_working_tree_and_a_submodule_are_committed_to_and_taken_back() {
    for (setup, folder) in [
        ("git worktree add -q ../tree -b side && echo t > ../tree/b.txt", "../tree"),
        (
            "git clone -q --bare . ../bare && git -C ../bare config user.name B && git -C ../bare config user.email b@example.org && \
             git -C ../bare worktree add -q ../tree -b side && echo 'gitdir: ../bare/worktrees/tree' > ../tree/.git && \
             echo t > ../tree/b.txt",
            "../tree",
        ),
        (
            "git clone -q . ../origin && git -c protocol.file.allow=always submodule add -q \"$PWD/../origin\" sub && git commit -qm sub && \
             cd sub && git config user.name S && git config user.email s@example.org && echo s > b.txt",
            "sub",
        ),
    ] {
        let Some(mut repository) = Repository::new().await else { return };
        repository.done(setup).await;
        let folder = repository.scene.cx.working_folder.join(folder).canonicalize().unwrap();
        repository.scene.cx.working_folder = folder.clone();
        let seen = "git rev-parse HEAD && git ls-files -s && git status --porcelain";
        let before = repository.done(seen).await;
        shown(&repository.commit(json!({ "message": "two", "paths": ["b.txt"] })).await);
        assert_eq!(repository.done("git log -1 --format=%s && git status --porcelain").await, "two");
        assert_eq!(repository.asked()[0].commit.as_ref().unwrap().repository, folder);
        repository.end();
        assert_eq!(undoable(&repository.record()), Undoable::Yes);
        repository.take_back().await.unwrap();
        assert_eq!(repository.done(seen).await, before);
        assert_eq!(undoable(&repository.record()), Undoable::Undone);
    }
}

#[tokio::test]
async fn a_repository_that_the_run_has_led_elsewhere_is_not_committed_to() {
    let Some(mut repository) = Repository::new().await else { return };
    let led = repository.scene.cx.working_folder.join("led");
    fs::create_dir(&led).unwrap();
    let to = repository.scene.cx.working_folder.join(".git");
    fs::write(led.join(".git"), format!("gitdir: {}\n", to.display())).unwrap();
    let led = led.canonicalize().unwrap();
    repository.scene.cx.created.insert(led.join(".git"));
    repository.scene.cx.working_folder = led.clone();
    fs::write(led.join("b.txt"), "b").unwrap();
    let call = repository.commit(json!({ "message": "two", "paths": ["b.txt"] })).await;
    let reason = &failed(&call, FailureClass::Forbidden).reason;
    assert!(reason.contains("this run made its `.git`, which leads elsewhere"), "{reason}");
    // One that the user has led there is the user's.
    repository.scene.cx.created = artoo_tools::CreatedPaths::default();
    shown(&repository.commit(json!({ "message": "two", "paths": ["b.txt"] })).await);
}

#[tokio::test]
async fn places_that_are_closed_or_kept_stay_out_of_a_commit() {
    let Some(mut repository) = Repository::new().await else { return };
    fs::write(repository.scene.cx.working_folder.join("id_rsa"), "secret").unwrap();
    let call = repository.commit(json!({ "message": "two", "paths": ["."] })).await;
    assert!(failed(&call, FailureClass::Forbidden).reason.contains("id_rsa is protected"));
    let kept = repository.scene.cx.working_folder.canonicalize().unwrap();
    repository.scene.cx.read_only = vec![kept.join(".git")].into();
    let call = repository.commit(json!({ "message": "two", "paths": ["b.txt"] })).await;
    assert!(failed(&call, FailureClass::Forbidden).reason.contains("stays as it is, as the user said"));
    repository.scene.cx.read_only = Arc::default();
    repository.scene.cx.mode = SandboxMode::ReadOnly;
    failed(&repository.commit(json!({ "message": "two", "paths": ["b.txt"] })).await, FailureClass::Denied);
    assert!(repository.asked().is_empty());
}

#[tokio::test]
async fn commits_are_taken_back_with_the_files_of_the_run() {
    let Some(repository) = Repository::new().await else { return };
    repository.done("echo staged > c.txt && git add c.txt").await;
    let seen = "git rev-parse HEAD && git symbolic-ref HEAD && git ls-files -s && git status --porcelain && cat a.txt";
    let before = repository.done(seen).await;
    let write = |text: &str| json!({ "path": "a.txt", "content": text });
    shown(&repository.call("write_file", write("y\n")).await);
    shown(&repository.commit(json!({ "message": "two", "paths": ["a.txt", "b.txt"] })).await);
    shown(&repository.call("write_file", write("z\n")).await);
    shown(&repository.commit(json!({ "message": "three", "paths": ["a.txt"] })).await);
    repository.end();
    let commits = CommitsUndo::prepare(&repository.record()).await.unwrap().unwrap().commits();
    let told: Vec<_> =
        commits.iter().map(|commit| (commit.branch.as_str(), commit.subject.as_str())).collect();
    assert_eq!(told, [("main", "three"), ("main", "two")]);
    // What only looks at the repository is nothing that was built on it, though git writes its index anew.
    repository.done("touch a.txt b.txt && git status && git gc -q").await;
    let (ending, said) =
        repository.sh("touch -d @1000000000 a.txt; git checkout -q a.txt; git status --porcelain").await;
    assert_eq!((ending, said.as_str()), (Ending::Exited(0), "A  c.txt"));
    let commits = CommitsUndo::prepare(&repository.record()).await.unwrap().unwrap();
    commits.apply().await.unwrap();
    // One that was killed before it came to the files is finished by running it again.
    let again = CommitsUndo::prepare(&repository.record()).await.unwrap().unwrap();
    again.apply().await.unwrap();
    let after = repository.done("git rev-parse HEAD && git symbolic-ref HEAD && git ls-files -s").await;
    assert!(before.starts_with(&after), "{before}\n{after}");
    assert_eq!(repository.done("git reflog -1 --format=%gs").await, "artoo: taken back");
}

#[tokio::test]
async fn what_was_built_on_a_commit_refuses_the_undo_and_is_named() {
    for (deed, expected) in [
        ("git commit -q --allow-empty -m later", "branch main was moved since the run"),
        ("git branch other", "refs/heads/other holds what the run committed"),
        ("git tag v1", "refs/tags/v1 holds what the run committed"),
        (
            "git update-ref refs/remotes/origin/main HEAD",
            "refs/remotes/origin/main holds what the run committed",
        ),
        ("echo s >> a.txt; git stash -q", "refs/stash holds what the run committed"),
        ("git worktree add -q --detach ../tree", "the working tree "),
        (
            "git checkout -qb other; git branch -qD main; git checkout -q other",
            "branch main was moved since the run",
        ),
        ("echo more > d.txt && git add d.txt", "something else was staged since the run"),
        ("git checkout -q --detach", "no branch is checked out"),
        (
            "git reset -q --hard HEAD~1; git commit -q --allow-empty -m o",
            "branch main was moved since the run",
        ),
        ("touch .git/index.lock", "index.lock is there"),
        ("git rev-parse HEAD > .git/MERGE_HEAD", "a merge is in progress"),
    ] {
        let Some(repository) = Repository::new().await else { return };
        shown(&repository.commit(json!({ "message": "two", "paths": ["b.txt"] })).await);
        repository.end();
        repository.done(deed).await;
        let before = files(&repository.scene.cx.working_folder);
        let refused = CommitsUndo::prepare(&repository.record()).await.unwrap_err();
        let UndoError::Refused { obstacles } = refused else { panic!("{deed}: {refused:?}") };
        let named: Vec<String> = obstacles.iter().map(|one| one.why.to_string()).collect();
        assert!(named.iter().any(|why| why.contains(expected)), "{deed}: {named:?}");
        assert!(obstacles.iter().all(|one| !matches!(one.why, Hindrance::ChangedSince)), "{deed}");
        assert_eq!(files(&repository.scene.cx.working_folder), before, "{deed}");
    }
}

#[tokio::test]
async fn a_run_with_commits_is_not_taken_back_by_a_tool() {
    let Some(repository) = Repository::new().await else { return };
    shown(&repository.commit(json!({ "message": "two", "paths": ["b.txt"] })).await);
    repository.end();
    let run = EarlierRun {
        name: "8c74b3f2f2b5".to_owned(),
        request: "Commit".to_owned(),
        record: repository.record(),
    };
    let toolbox = Toolbox::new().with(UndoRun::new(vec![run]));
    let call = repository.scene.call_in(&toolbox, "undo_run", json!({ "run": "8c74b3f2f2b5" })).await;
    assert!(failed(&call, FailureClass::Forbidden).reason.contains("made commits"));
    assert_eq!(call.ending, CallEnding::Refused);
}

/// A blocked write below the data of a repository is never allowed, whatever wrote it, and what commits is named.
#[tokio::test]
async fn a_command_that_writes_the_data_of_a_repository_is_told_what_commits() {
    let Some(repository) = Repository::new().await else { return };
    if !artoo_tools::can_try(&repository.scene.cx) {
        return skip(Ability::Overlays, "nothing can be tried");
    }
    for command in [
        "git config user.name Eve",
        "echo x > .git/hooks/post-commit",
        "python3 -c \"open('.git/description', 'a').write('x')\"",
    ] {
        let call = repository.call("shell", json!({ "command": command })).await;
        let failure = failed(&call, FailureClass::Forbidden);
        assert!(failure.reason.contains("is part of a git repository's own data"), "{command}: {failure:?}");
        assert!(failure.hint.as_deref().unwrap().contains("git_commit"), "{command}: {failure:?}");
    }
    assert!(repository.asked().is_empty());
    assert_eq!(repository.done("git log --format=%s").await, "one");
}
