//! Commands that do to a repository what no move of git does: nothing of it is carried out, and nobody is asked.

use artoo_consent::Answer;
use artoo_types::FailureClass;

use crate::fixture::{failed, shown};
use crate::git_commit::{Repository, files};
use crate::git_moves::{ready, shell};

/// A second commit, and a branch at it.
const BEGUN: &str = "git add b.txt && git commit -qm b && git branch other";

async fn scene(begun: &[&str]) -> Option<Repository> {
    ready(Repository::asking(Answer::Yes, || {}).await?, begun).await
}

/// Whether a command is refused without a question, for this reason, and without a trace.
async fn is_refused(repository: &Repository, command: &str, reason: &str) {
    let before = files(&repository.scene.cx.working_folder);
    let call = shell(repository, command).await;
    let failure = failed(&call, FailureClass::Forbidden);
    assert!(failure.reason.contains(reason), "{command}: {failure:?}");
    assert!(repository.asked().is_empty(), "{command}");
    assert!(files(&repository.scene.cx.working_folder) == before, "{command}");
}

#[tokio::test]
async fn what_is_no_move_refuses_the_whole_command() {
    for command in [
        "git config core.editor evil",
        "git config core.hooksPath hooks",
        "cp /bin/true .git/hooks/post-checkout",
        "echo '*.txt filter=x' > .git/info/attributes",
        "echo /elsewhere > .git/objects/info/alternates",
        "git pack-refs --all",
        "git repack -adq",
        "git update-ref refs/remotes/origin/main HEAD",
        "git notes add -m x",
        "git worktree add ../tree",
        "git worktree add tree",
        "git update-ref refs/replace/$(git rev-parse HEAD) HEAD~1",
        "chmod +x .git/index",
        "ln -sf ../../a.txt .git/refs/heads/link",
        "ln .git/HEAD .git/refs/heads/hard",
        "rm -r .git/refs/tags; ln -s /tmp .git/refs/tags",
        "mkdir .git/worktrees",
        "mv .git git-old",
        "rm .git/HEAD",
        "git submodule add -q ./ sub",
        "rm -f .git/objects/??/*",
    ] {
        let Some(repository) = scene(&[BEGUN]).await else { return };
        is_refused(&repository, &format!("git branch more && ({command}) >/dev/null 2>&1; true"), "").await;
    }
}

#[tokio::test]
async fn references_logs_and_notes_are_as_git_writes_them() {
    for (command, reason) in [
        ("echo x > .git/refs/heads/more", "it is no id of an object"),
        ("echo 'ref: refs/heads/main' > .git/refs/heads/more", "it is no id of an object"),
        ("printf 'a%.0s' $(seq 40) > .git/refs/heads/more", "there is no such object"),
        (
            "git rev-parse HEAD^{tree} > .git/refs/heads/more",
            "there is no such object, or it is of another kind",
        ),
        ("echo 'ref: ../config' > .git/HEAD", "it leads to no branch"),
        ("echo 'ref: refs/remotes/x' > .git/HEAD", "it leads to no branch"),
        ("echo > .git/logs/HEAD", "a log only grows"),
        ("rm .git/logs/refs/heads/main", "a log only grows"),
        (
            "mkdir .git/rebase-merge; echo 'exec touch x' > .git/rebase-merge/git-rebase-todo",
            "starts a program",
        ),
        (
            "mkdir .git/rebase-merge; echo refs/heads/other > .git/rebase-merge/head-name",
            "is not where orig-head says",
        ),
        (
            "id=$(git rev-parse HEAD~1); mkdir .git/rebase-merge; cd .git/rebase-merge; echo refs/heads/other > head-name; echo $id > orig-head",
            "is not where orig-head says",
        ),
        (
            "id=$(git rev-parse main); mkdir .git/rebase-merge; cd .git/rebase-merge; echo refs/heads/none > head-name; echo $id > orig-head",
            "is not where orig-head says",
        ),
        (
            "mkdir .git/rebase-merge; echo refs/remotes/origin/x > .git/rebase-merge/head-name",
            "it names no branch",
        ),
        ("mkdir .git/rebase-merge; echo evil > .git/rebase-merge/strategy", "is not left under way"),
        ("mkdir .git/sequencer; echo x > .git/sequencer/opts", "is not left under way"),
        ("echo --upload-pack=x > .git/MERGE_HEAD", "it is no id of an object"),
    ] {
        let Some(repository) = scene(&[BEGUN]).await else { return };
        is_refused(&repository, command, reason).await;
    }
}

/// Objects under other names than those of their contents, that lack something, or that git does not read.
#[tokio::test]
async fn objects_are_checked_by_their_contents() {
    let object = |content: &str, name: &str| {
        format!(
            "python3 -c \"import zlib,os,hashlib; c={content}; n={name}; os.makedirs('.git/objects/'+n[:2], exist_ok=True); \
             open('.git/objects/'+n[:2]+'/'+n[2:], 'wb').write(zlib.compress(c))\""
        )
    };
    let wrong = object("b'blob 1\\0x'", "'ab'*20");
    let tree = "b'40000 .git\\0'+bytes.fromhex('4b825dc642cb6eb9a060e54bf8d69288fbee4904')";
    let dotgit =
        object(&format!("b'tree '+str(len({tree})).encode()+b'\\0'+{tree}"), "hashlib.sha1(c).hexdigest()");
    let lost =
        object("b'tree 33\\0'+b'100644 lost\\0\\0'[:12]+b'\\x11'*20+b'\\0'*0", "hashlib.sha1(c).hexdigest()");
    for command in [
        wrong.as_str(),
        dotgit.as_str(),
        lost.as_str(),
        "mkdir -p .git/objects/ab; echo junk > .git/objects/ab/$(printf 'c%.0s' $(seq 38))",
        // The name of an object that is there, packed, with another content.
        "n=$(git rev-parse HEAD:a.txt); mkdir -p .git/objects/${n:0:2}; echo evil > .git/objects/${n:0:2}/${n:2}",
    ] {
        let Some(repository) = scene(&[BEGUN, "git gc -q"]).await else { return };
        is_refused(
            &repository,
            &format!("git tag v1; {command}"),
            "the new objects of the repository are not sound",
        )
        .await;
    }
}

/// A small file that holds a large object.
#[tokio::test]
async fn a_huge_object_is_checked() {
    let Some(repository) = scene(&[BEGUN]).await else { return };
    let command = "head -c 100000000 /dev/zero > big && git add big && rm big";
    shown(&repository.call("shell", serde_json::json!({ "command": command, "timeout_seconds": 120 })).await);
    assert_eq!(repository.done("git cat-file -s :big").await, "100000000");
}

#[tokio::test]
async fn a_branch_that_another_working_tree_has_stays() {
    let Some(repository) = scene(&[BEGUN, "git worktree add -q ../tree other"]).await else { return };
    let command = "git update-ref refs/heads/other HEAD~1";
    is_refused(&repository, command, "the branch other is checked out in another working tree: tree").await;
    let noted = "id=$(git rev-parse other); mkdir .git/rebase-merge; echo refs/heads/other > .git/rebase-merge/head-name; \
                 echo $id > .git/rebase-merge/orig-head";
    is_refused(&repository, noted, "the branch other is checked out in another working tree: tree").await;
}

/// From a linked working tree and a submodule, whose data lie elsewhere, nothing is carried out.
#[tokio::test]
async fn data_that_lie_elsewhere_stay_as_they_are() {
    let begun = [
        BEGUN,
        "git worktree add -q tree other",
        "git -c protocol.file.allow=always submodule add -q ./ sub; git commit -qm sub",
    ];
    for command in [
        "git -C tree commit -q --allow-empty -m x",
        "git -C sub commit -q --allow-empty -m x",
        "git -C tree switch -qc y",
    ] {
        let Some(repository) = scene(&begun).await else { return };
        let identity = "git config --global user.name A; git config --global user.email a@b";
        repository.done(identity).await;
        is_refused(&repository, command, "is part of a git repository's own data").await;
    }
}

/// A `.git` that is a link is no repository that a command moves.
#[tokio::test]
async fn a_repository_behind_a_link_stays_as_it_is() {
    let Some(repository) = scene(&[BEGUN, "mv .git ../real && ln -s ../real .git"]).await else { return };
    let before = files(&repository.scene.cx.working_folder);
    let call = shell(&repository, "git tag v1").await;
    assert!(call.failure.is_some(), "{call:?}");
    assert_eq!(repository.done("git tag").await, "");
    assert_eq!(files(&repository.scene.cx.working_folder), before);
}

/// Hooks, monitors, editors and programs that sign are not started, and what a filter would make is refused.
#[tokio::test]
async fn programs_of_the_configuration_are_not_started() {
    let spy = "printf '#!/bin/sh\\necho ran >> \"$0.ran\"\\n' > spy && chmod +x spy && spy=$PWD/spy && \
               for hook in pre-commit commit-msg post-commit post-checkout post-merge pre-rebase post-rewrite reference-transaction; do \
               cp spy .git/hooks/$hook; done && git config core.fsmonitor $spy && git config core.editor $spy && \
               git config commit.gpgSign true && git config gpg.program $spy && git config tag.gpgSign true && \
               printf 'spy*\\n' >> .git/info/exclude";
    let Some(repository) = scene(&[BEGUN, spy]).await else { return };
    let command = "git checkout -q other && echo 1 > o.txt && git add o.txt && git commit -q -m o && git tag -m v1 v1 && \
                   git checkout -q main && git merge -q --no-ff other";
    shown(&shell(&repository, command).await);
    assert_eq!(
        repository.done("ls -a . .git/hooks | grep '[.]ran'; git log -1 --format=%s").await,
        "Merge branch 'other'"
    );
}

#[tokio::test]
async fn a_file_that_a_program_of_the_configuration_makes_is_refused() {
    let filter = "echo 'o.bin filter=up' > .gitattributes && git config filter.up.smudge 'tr a-z A-Z' && \
               git checkout -q other && echo small > o.bin && git add o.bin && git commit -qm o && git checkout -q main";
    let driver = "git config merge.mine.driver true && echo 'a.txt merge=mine' > .gitattributes && git add .gitattributes && \
                  git commit -qm at && git checkout -q other && echo 2 >> a.txt && git commit -qam a && \
                  git checkout -q main && echo 3 >> a.txt && git commit -qam b";
    for (begun, reason) in [(filter, "`filter=up`"), (driver, "`merge=mine`")] {
        let Some(repository) = scene(&[BEGUN, begun]).await else { return };
        let command = "git merge -q other; echo more >> a.txt; git add -A .";
        is_refused(&repository, command, reason).await;
        shown(&shell(&repository, "git tag v1").await);
    }
}
