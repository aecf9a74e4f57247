//! `git`: what changes the history or the files, what is sent.

use super::found::Kind;
use super::rules::Call;
use super::walk::Walker;

/// What the commands of `git` do that do more than look.
const TABLE: [(&str, Kind, &str); 4] = [
    (
        "push send-email request-pull svn p4 send-pack http-push",
        Kind::OutsideMachine,
        "it changes another repository",
    ),
    ("fetch ls-remote clone pull submodule", Kind::Network, "it asks another machine"),
    (
        "clean rm gc prune filter-branch filter-repo update-ref replace repack",
        Kind::Deletes,
        "it deletes files or versions",
    ),
    (
        "add commit reset checkout switch restore rebase merge mv am apply cherry-pick revert init stage \
         read-tree checkout-index sparse-checkout bisect lfs update-index symbolic-ref pack-refs commit-tree \
         hash-object mktree write-tree pull clone submodule",
        Kind::Overwrites,
        "it changes the files or the history",
    ),
];

/// Commands that look.
const LOOKS: &str = "status log diff show ls-files ls-tree rev-parse rev-list blame shortlog describe cat-file \
                     grep count-objects version name-rev merge-base for-each-ref check-ignore help";

/// Commands that change something, unless their first word is one of [`LISTING`] or there is none.
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
    let known = TABLE.iter().filter(|(names, _, _)| has(names, name));
    let mut is_known = has(LOOKS, name);
    for (_, kind, why) in known {
        is_known = true;
        walker.note(*kind, format!("git {name}"), &verb.source, *why);
    }
    if has(LISTS, name) {
        if !shows {
            let why = "it changes the history or what is written about it";
            walker.note(Kind::Overwrites, format!("git {name}"), &verb.source, why);
        }
    } else if !is_known {
        let what = format!("git {}", verb.source);
        walker.unknown(what, &verb.source, "what this command of git does is not known");
    }
}
