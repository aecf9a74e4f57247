//! Effects of `git`: changes to history and files, and what is sent.

use super::analysis::Walker;
use super::effects::Kind::{self, Commits, Deletes, Network, OutsideMachine, Overwrites};
use super::program_rules::Call;

/// Git commands that do more than read.
const TABLE: [(&str, Kind, &str); 5] = [
    ("push send-email svn p4 send-pack http-push", OutsideMachine, "it changes another repository"),
    ("commit", Commits, "it adds to the history of a branch"),
    ("fetch ls-remote clone pull submodule", Network, "it asks another machine"),
    (
        "clean rm gc prune filter-branch filter-repo update-ref repack",
        Deletes,
        "it deletes files or versions",
    ),
    (
        "add reset checkout switch restore rebase merge mv am apply cherry-pick revert init stage \
         read-tree checkout-index sparse-checkout bisect lfs update-index symbolic-ref pack-refs commit-tree \
         hash-object mktree write-tree replace pull clone submodule",
        Overwrites,
        "it changes the files or the history",
    ),
];

/// Commands that only read.
const LOOKS: &str = "status log diff show ls-files ls-tree rev-parse rev-list blame shortlog describe cat-file \
                     grep count-objects version name-rev request-pull merge-base for-each-ref check-ignore help";

/// Commands that change something, unless there is no further word or the first one is in [`LISTING`].
const LISTS: &str = "branch tag remote reflog worktree notes config stash";

const LISTING: &str = "list show get -a -r -v -vv -l -n --list --all --show-current --remotes --verbose --get \
                       --get-all --get-regexp";

pub(super) fn run(walker: &mut Walker<'_>, call: &Call<'_>) {
    let has = |names: &str, name: &str| names.split_ascii_whitespace().any(|one| one == name);
    let mut rest = call.arguments;
    while let Some((option, more)) = rest.split_first().filter(|(first, _)| first.is_option()) {
        if option.is("--version") || option.is("--help") {
            return;
        }
        if !["-C", "--no-pager", "-P"].contains(&option.text()) {
            walker.unknown("git", &option.source, "this option may make git run other programs");
        }
        rest = if option.is("-C") || option.is("-c") { more.get(1..).unwrap_or_default() } else { more };
    }
    let Some((verb, rest)) = rest.split_first() else { return };
    let name = verb.text();
    let shows = match name {
        "stash" => rest.first().is_some_and(|first| first.is("list") || first.is("show")),
        _ => rest.first().is_none_or(|first| has(LISTING, first.text())),
    };
    let what = format!("git {}", verb.source);
    for (_, kind, why) in TABLE.iter().filter(|(names, _, _)| has(names, name)) {
        walker.note(*kind, what.as_str(), &verb.source, *why);
    }
    if has(LISTS, name) && !shows {
        walker.note(Overwrites, what, &verb.source, "it changes the history or what is written about it");
    } else if ![LOOKS, LISTS].into_iter().chain(TABLE.map(|(names, _, _)| names)).any(|all| has(all, name)) {
        walker.unknown(what, &verb.source, "what this command of git does is not known");
    }
}
