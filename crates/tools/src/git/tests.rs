//! Commits in real repositories, by a git that nothing confines: what must not be started is not started because nobody starts it,
//! not because the kernel stops it.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use artoo_consent::{Answer, Consent, Question};
use artoo_sandbox::{Capture, Ending, Invocation, run_unconfined};
use artoo_types::FailureClass;
use tokio_util::sync::CancellationToken;

use super::proposal::{Proposal, Wish};
use super::runner::Git;
use crate::{EvidenceStore, RunFolders, SystemProgram, ToolContext, ToolError};

/// A way in which git is told to start a program.
struct Way {
    name: &'static str,
    /// Shell text in the repository; `$SPY` is the program.
    setup: &'static str,
    /// What starts it without artoo.
    plain: &'static str,
    /// Whether artoo refuses instead of committing, because the content would be another one.
    refuses: bool,
}

const fn way(name: &'static str, setup: &'static str, plain: &'static str) -> Way {
    Way { name, setup, plain, refuses: false }
}

const fn filter(name: &'static str, setup: &'static str) -> Way {
    Way { name, setup, plain: COMMIT, refuses: true }
}

const COMMIT: &str = "git add b.txt; git commit -qm two";

const WAYS: [Way; 26] = [
    way("pre-commit", "cp $SPY .git/hooks/pre-commit", COMMIT),
    way("prepare-commit-msg", "cp $SPY .git/hooks/prepare-commit-msg", COMMIT),
    way("commit-msg", "cp $SPY .git/hooks/commit-msg", COMMIT),
    way("post-commit", "cp $SPY .git/hooks/post-commit", COMMIT),
    way("post-index-change", "cp $SPY .git/hooks/post-index-change", COMMIT),
    way("reference-transaction", "cp $SPY .git/hooks/reference-transaction", COMMIT),
    way("core.hooksPath", "mkdir h; cp $SPY h/pre-commit; git config core.hooksPath h", COMMIT),
    way(
        "include.path",
        "mkdir h; cp $SPY h/pre-commit; printf '[core]\\nhooksPath = h\\n' > more; git config include.path ../more",
        COMMIT,
    ),
    way(
        "includeIf",
        "mkdir h; cp $SPY h/pre-commit; printf '[core]\\nhooksPath = h\\n' > more; git config includeIf.onbranch:main.path ../more",
        COMMIT,
    ),
    way(
        "the user's configuration",
        "mkdir h; cp $SPY h/pre-commit; git config --global core.hooksPath $PWD/h",
        COMMIT,
    ),
    way("core.fsmonitor", "git config core.fsmonitor $SPY; git update-index --fsmonitor", "git status"),
    way(
        "config.worktree",
        "git config extensions.worktreeConfig true; git config --worktree core.fsmonitor $SPY; git update-index --fsmonitor",
        "git status",
    ),
    way("commit.gpgSign", "git config commit.gpgSign true; git config gpg.program $SPY", COMMIT),
    way(
        "gpg.format = ssh",
        "git config commit.gpgSign true; git config gpg.format ssh; git config user.signingKey /nowhere.pub; git config gpg.ssh.program $SPY",
        COMMIT,
    ),
    way("core.editor", "git config core.editor $SPY", "git add b.txt; git commit -q"),
    way(
        "sequence.editor",
        "git config sequence.editor $SPY",
        "git add b.txt; git commit -qm x; git rebase -i --root",
    ),
    way("diff.external", "git config diff.external $SPY; echo more >> a.txt", "git diff"),
    way(
        "diff driver",
        "git config diff.d.command $SPY; echo '* diff=d' > .gitattributes; echo more >> a.txt",
        "git diff",
    ),
    way(
        "textconv",
        "git config diff.d.textconv $SPY; echo '* diff=d' > .gitattributes; echo more >> a.txt",
        "git diff",
    ),
    way("alias", "git config alias.ci '!'$SPY", "git ci"),
    way(
        "a fetch of what is missing",
        "git config extensions.partialClone origin; git config remote.origin.promisor true; \
         git config remote.origin.url 'ext::'$SPY; git config protocol.ext.allow always; \
         rm .git/objects/$(git rev-parse HEAD:a.txt | sed 's,..,&/,')",
        "git cat-file -p HEAD:a.txt",
    ),
    way(
        "core.sshCommand",
        "git config core.sshCommand $SPY; git remote add origin ssh://nowhere/x",
        "git fetch",
    ),
    filter("filter.clean", "git config filter.f.clean $SPY; echo '* filter=f' > .gitattributes"),
    filter("filter.process", "git config filter.f.process $SPY; echo '* filter=f' > .git/info/attributes"),
    filter(
        "filter of an included file",
        "printf '[filter \"f\"]\\nclean = %s\\n' $SPY > more; git config include.path ../more; echo '* filter=f' > .gitattributes",
    ),
    filter(
        "filter of the user's",
        "git config --global filter.f.clean $SPY; printf '* filter=f\\n' > $HOME/attributes; git config --global core.attributesFile '~/attributes'",
    ),
];

struct Everything;

#[async_trait::async_trait]
impl Consent for Everything {
    async fn ask(&self, _: Question) -> Answer {
        Answer::Yes
    }
}

struct Scene {
    root: tempfile::TempDir,
    program: SystemProgram,
}

impl Scene {
    fn new() -> Option<Self> {
        let search_path: Vec<PathBuf> = std::env::split_paths(&artoo_test_needs::path()).collect();
        let Some(program) = SystemProgram::find("git", &search_path) else {
            artoo_test_needs::without("git", "this machine has no git of its system");
            return None;
        };
        let scene = Self { root: tempfile::tempdir().unwrap(), program };
        for folder in ["home", "work", "evidence", "tmp", "private"] {
            fs::create_dir(scene.at(folder)).unwrap();
        }
        let spy = scene.at("spy");
        let mark = scene.at("mark");
        fs::write(&spy, format!("#!/bin/sh\n: > {}\nexit 0\n", mark.display())).unwrap();
        fs::set_permissions(&spy, fs::Permissions::from_mode(0o755)).unwrap();
        Some(scene)
    }

    fn at(&self, name: &str) -> PathBuf {
        self.root.path().canonicalize().unwrap().join(name)
    }

    fn environment(&self) -> BTreeMap<OsString, OsString> {
        BTreeMap::from([
            ("PATH".into(), artoo_test_needs::path().into()),
            ("HOME".into(), self.at("home").into()),
            ("SPY".into(), self.at("spy").into()),
            ("GIT_CONFIG_NOSYSTEM".into(), "1".into()),
            ("LC_ALL".into(), "C".into()),
        ])
    }

    /// Runs shell text as the user would, and gives its status and output.
    async fn sh(&self, text: &str) -> (Ending, String) {
        let invocation = Invocation {
            program: "/bin/sh".into(),
            arguments: vec!["-c".into(), text.into()],
            folder: self.at("work"),
            environment: self.environment(),
            timeout: Duration::from_secs(60),
            keep: 1024 * 1024,
        };
        let (mut output, mut complaint) = (Vec::new(), Vec::new());
        let capture = Capture { stdout: &mut output, stderr: &mut complaint, on_chunk: None };
        let outcome = run_unconfined(&invocation, capture, &CancellationToken::new()).await.unwrap();
        (outcome.ending, String::from_utf8_lossy(&[output, complaint].concat()).trim().to_owned())
    }

    /// The same for what must succeed.
    async fn done(&self, text: &str) -> String {
        let (ending, said) = self.sh(text).await;
        assert_eq!(ending, Ending::Exited(0), "{text}: {said}");
        said
    }

    /// A repository with one commit and a new file.
    async fn begin(&self) {
        let setup = "git init -q -b main . && git config user.name Ada && git config user.email ada@example.org && \
                     echo x > a.txt && git add . && git commit -qm one && echo b > b.txt";
        self.done(setup).await;
    }

    fn cx(&self) -> ToolContext {
        let folders = RunFolders {
            working_folder: self.at("work"),
            workspace: self.at("home/workspace"),
            home: self.at("home"),
            private_tmp: self.at("tmp"),
        };
        ToolContext {
            environment: self.environment(),
            consent: Arc::new(Everything),
            ..ToolContext::new(folders, EvidenceStore::open(self.at("evidence")).unwrap())
        }
    }

    async fn commit(&self) -> Result<(), ToolError> {
        let cx = self.cx();
        let git = Git::of(self.program.clone(), self.at("private"), &cx).unconfined();
        let wish = Wish { message: "two".to_owned(), paths: Some(vec!["b.txt".to_owned()]) };
        Proposal::of(&wish, &git, &cx).await?.carry_out(&git, &cx).await
    }

    fn is_marked(&self) -> bool {
        let mark = self.at("mark");
        let is_marked = mark.exists();
        let _ = fs::remove_file(mark);
        is_marked
    }
}

#[tokio::test]
async fn no_program_that_a_configuration_names_is_started() {
    for Way { name, setup, plain, refuses } in WAYS {
        let Some(scene) = Scene::new() else { return };
        scene.begin().await;
        scene.sh(setup).await;
        scene.done("cp -a . ../copy").await;
        scene.is_marked();
        // Without artoo, in a copy: the way is one.
        scene.sh(&format!("cd ../copy && {{ {plain}; }}")).await;
        assert!(scene.is_marked(), "{name}: nothing is started without artoo");
        let commits = scene.done("git -c core.fsmonitor=false rev-list --count HEAD").await;
        scene.is_marked();
        match (scene.commit().await, refuses) {
            (Ok(()), false) => {
                let after = scene.done("git -c core.fsmonitor=false rev-list --count HEAD").await;
                assert_eq!((commits.as_str(), after.as_str()), ("1", "2"), "{name}");
            }
            (Err(error), true) => {
                assert_eq!(error.class(), FailureClass::Forbidden, "{name}: {error}");
                assert!(error.to_string().contains("goes through the filter `f`"), "{name}: {error}");
            }
            (done, _) => panic!("{name}: {done:?}"),
        }
        assert!(!scene.is_marked(), "{name}: the program was started");
        assert!(!scene.at("work/.git/index.lock").exists(), "{name}: the lock was left");
    }
}

/// What the plain settings decide is decided as by git itself.
#[tokio::test]
async fn a_commit_has_the_contents_that_git_itself_would_commit() {
    for (name, setup) in [
        ("as it is", ":"),
        ("autocrlf", "git config core.autocrlf input; printf 'b\\r\\nc\\r\\n' > b.txt"),
        ("eol", "echo '* text eol=crlf' > .gitattributes; printf 'b\\r\\nc\\r\\n' > b.txt"),
        (
            "another encoding",
            "echo '*.txt working-tree-encoding=UTF-16LE' > .git/info/attributes; printf 'b\\000\\n\\000' > b.txt",
        ),
        ("ident", "echo '*.txt ident' > .gitattributes; echo '$Id: 123 $' > b.txt"),
        ("a filter that is not set", "echo '*.txt filter=none' > .gitattributes"),
        ("a mode", "chmod +x b.txt"),
        ("modes that do not count", "git config core.fileMode false; chmod +x b.txt"),
        ("a link", "ln -sf a.txt b.txt"),
        (
            "a folder in place of a file",
            "git add b.txt; git commit -qm b; rm b.txt; mkdir b.txt; echo c > b.txt/c",
        ),
        ("a deleted file", "git add b.txt; git commit -qm b; rm b.txt"),
        (
            "another repository",
            "rm b.txt; git init -q b.txt; cd b.txt; git config user.name A; git config user.email a@b; echo c > c; git add c; git commit -qm c",
        ),
        ("an index in two files", "git update-index --split-index"),
        (
            "only a part of the tree",
            "mkdir d; echo d > d/d; git add d; git commit -qm d; git sparse-checkout set --no-cone /a.txt /b.txt",
        ),
        ("staged in part", "git add b.txt; echo more >> b.txt; echo y >> a.txt; git add a.txt"),
        ("intended to be added", "git add -N b.txt"),
        (
            "SHA-256",
            "rm -rf .git; git init -q -b main --object-format=sha256 .; git config user.name A; git config user.email a@b; git add a.txt; git commit -qm one",
        ),
        (
            "refs in a table",
            "rm -rf .git; git init -q -b main --ref-format=reftable .; git config user.name A; git config user.email a@b; git add a.txt; git commit -qm one",
        ),
    ] {
        let Some(scene) = Scene::new() else { return };
        scene.begin().await;
        let (ending, said) = scene.sh(setup).await;
        assert_eq!(ending, Ending::Exited(0), "{name}: {said}");
        scene.done("cp -a . ../copy").await;
        // git itself does not commit another repository by its path alone.
        let plain =
            "cd ../copy && git add -A b.txt && { git commit -qm two -- b.txt || git commit -qm two; }";
        scene.done(plain).await;
        scene
            .commit()
            .await
            .unwrap_or_else(|error| panic!("{name}: {error} {:?}", std::error::Error::source(&error)));
        let seen = "git rev-parse HEAD^{tree} && git ls-files -s && git status --porcelain && git log --format='%an %ae %cn %ce %s' && \
                    git fsck --no-progress --no-dangling";
        let (artoo, plain) = (scene.done(seen).await, scene.done(&format!("cd ../copy && {seen}")).await);
        assert_eq!(artoo, plain, "{name}");
    }
}

#[tokio::test]
async fn the_first_commit_of_a_branch_is_one() {
    let Some(scene) = Scene::new() else { return };
    scene
        .done(
            "git init -q -b main . && git config user.name A && git config user.email a@b && echo b > b.txt",
        )
        .await;
    scene.commit().await.unwrap();
    assert_eq!(scene.done("git log --format=%s && git status --porcelain").await, "two");
    assert!(Path::new(&scene.at("work/.git/logs/refs/heads/main")).exists());
}
