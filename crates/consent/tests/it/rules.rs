//! The user's own rules: the strictest wins, and any doubt becomes a question.

use std::path::Path;

use artoo_consent::{ProposedEffects, Rule, Rules};
use artoo_shell_effects::Permission;
use artoo_types::{Effect, EffectKind};
use proptest::prelude::*;

const HOME: &str = "/home/nobody-here";

/// A rule with matching examples, if they are required; the test case is separate.
fn rule(decision: Permission, kinds: &[EffectKind], program: Option<&str>, paths: &[&str]) -> Rule {
    let texts = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
    let name = program.unwrap_or("rm");
    let on = paths.first().unwrap_or(&"~/x").replace("**", "a").replace('*', "a");
    let example = match (kinds.first(), program) {
        (Some(EffectKind::Unknown), _) => format!("{name} x"),
        (Some(EffectKind::Overwrites), _) => format!("date > {on}"),
        (Some(EffectKind::Network), _) => "ping x.test".to_owned(),
        (Some(EffectKind::Creates), _) => format!("touch {on}"),
        _ => format!("rm {on}"),
    };
    Rule {
        decision,
        effects: kinds.iter().copied().collect(),
        programs: texts(program.as_slice()),
        paths: texts(paths),
        reason: "because".to_owned(),
        matches: vec![example],
        spares: texts(&["ls"]),
    }
}

fn read(rules: Vec<Rule>) -> Rules {
    Rules::read("/nowhere/policy.toml".into(), rules, Path::new(HOME)).unwrap()
}

fn effect(kind: EffectKind, below_home: &str) -> Effect {
    let what = if below_home.starts_with('$') || kind == EffectKind::Unknown {
        below_home.to_owned()
    } else {
        format!("{HOME}/{below_home}")
    };
    Effect { kind, what, word: String::new(), why: String::new() }
}

fn decision(rules: &Rules, programs: &[&str], effects: &[Effect], free: &[Effect]) -> Option<Permission> {
    let programs: Vec<String> = programs.iter().map(|name| (*name).to_owned()).collect();
    rules
        .ruling(ProposedEffects { programs: &programs, effects, free, ..ProposedEffects::default() })
        .map(|ruled| ruled.decision)
}

use EffectKind::{Creates, Deletes, Overwrites, Unknown};
use Permission::{Allow, Ask, Deny};

#[test]
fn the_strictest_rule_wins() {
    let rules = read(vec![
        rule(Allow, &[Deletes, Overwrites], None, &["~/p/**"]),
        rule(Ask, &[Deletes], None, &["~/p/asked/*"]),
        rule(Deny, &[Deletes], None, &["~/p/kept/**"]),
        rule(Deny, &[Deletes], None, &["~/p/*/keys/**"]),
        rule(Deny, &[Creates], None, &["~/p/kept/**"]),
    ]);
    let gone = |path| effect(Deletes, path);
    let table = [
        (vec![gone("p/a/f")], Some(Allow)),
        (vec![gone("p/a/f"), effect(Overwrites, "p/b")], Some(Allow)),
        (vec![effect(Overwrites, "p/kept/b")], Some(Allow)),
        (vec![], None),
        // What no rule allows is asked about, and with it the whole call.
        (vec![gone("q/a")], None),
        (vec![gone("p/a/f"), gone("q/a")], None),
        (vec![gone("p/a/f"), effect(Unknown, "./x.sh")], None),
        (vec![gone("p/asked/x")], Some(Ask)),
        (vec![gone("p/a/f"), gone("p/asked/x")], Some(Ask)),
        (vec![gone("p/kept/x")], Some(Deny)),
        (vec![gone("p/asked/x"), gone("p/kept/x/y")], Some(Deny)),
        // A parent of a denied path; a folder that may contain one; an unknown path.
        (vec![gone("p/kept")], Some(Deny)),
        (vec![gone("p")], Some(Deny)),
        (vec![gone("p/b/keys/x")], Some(Deny)),
        (vec![gone("p/b/keys")], Some(Ask)),
        (vec![gone("$x")], Some(Ask)),
        // No rule opens a repository.
        (vec![gone("p/.git/config")], None),
    ];
    for (effects, expected) in table {
        assert_eq!(decision(&rules, &["rm"], &effects, &[]), expected, "{effects:?}");
    }
    // Free effects can be denied, too, but are no reason for a yes.
    assert_eq!(decision(&rules, &[], &[gone("p/a/f")], &[effect(Creates, "p/kept/x")]), Some(Deny));
    assert_eq!(decision(&rules, &[], &[], &[effect(Creates, "p/kept/x")]), Some(Deny));
    assert_eq!(decision(&rules, &[], &[gone("p/a/f")], &[effect(Creates, "p/x")]), Some(Allow));
}

#[test]
fn what_is_unknown_is_allowed_to_a_named_program_alone() {
    let rules = read(vec![rule(Allow, &[Unknown], Some("deployer"), &[])]);
    let check = |programs: &[&str], what: &str| decision(&rules, programs, &[effect(Unknown, what)], &[]);
    assert_eq!(check(&["deployer"], "deployer"), Some(Allow));
    assert_eq!(check(&["deployer", "echo"], "deployer"), Some(Allow));
    // Another program in the command, another unknown effect, a program of that name elsewhere.
    assert_eq!(check(&["deployer", "sh"], "deployer"), None);
    assert_eq!(check(&["deployer"], "$x"), None);
    assert_eq!(check(&[], "deployer"), None);
    assert_eq!(check(&["echo"], "deployer"), None);
    assert_eq!(check(&["./deployer"], "./deployer"), None);
    let denied = read(vec![rule(Deny, &[Unknown], Some("deployer"), &[])]);
    for programs in [&["deployer"][..], &["sh", "/opt/deployer"]] {
        assert_eq!(decision(&denied, programs, &[effect(Unknown, "deployer")], &[]), Some(Deny));
    }
    let mut bare = rule(Allow, &[Unknown], Some("x"), &[]);
    bare.programs.clear();
    let error = Rules::read("/nowhere".into(), vec![bare], Path::new(HOME)).unwrap_err();
    assert_eq!(error.to_string(), "rule 1: what is `unknown` is allowed only with a `program`");
}

fn any_rule(decisions: &'static [Permission]) -> impl Strategy<Value = Rule> {
    let kinds = prop::sample::select(vec![Creates, Overwrites, Deletes, Unknown]);
    let paths = prop::sample::select(vec!["~/**", "~/a/**", "~/a/*", "~/*/b", "~/a/b", "~/**/b", "/**"]);
    let program = prop::option::of(Just("rm"));
    (prop::sample::select(decisions), kinds, paths, program).prop_map(|(decision, kind, path, program)| {
        let path: &[&str] = if kind == Unknown { &[] } else { &[path] };
        let program = match kind {
            Unknown => Some("deployer"),
            Deletes => program,
            Creates
            | Overwrites
            | EffectKind::Commits
            | EffectKind::Network
            | EffectKind::OutsideMachine
            | EffectKind::Privilege => None,
        };
        rule(decision, &[kind], program, path)
    })
}

fn any_effects() -> impl Strategy<Value = Vec<Effect>> {
    let kind = prop::sample::select(EffectKind::ALL.to_vec());
    let what = prop::sample::select(vec!["a", "a/b", "a/b/c", "b", "x/b", "$x", "deployer", ".git/x", ""]);
    prop::collection::vec((kind, what).prop_map(|(kind, what)| effect(kind, what)), 0..4)
}

const ALL: &[Permission] = &[Allow, Ask, Deny];

fn strictness(decision: Option<Permission>) -> u8 {
    match decision {
        Some(Allow) => 0,
        // Without a rule a call is asked about.
        None | Some(Ask) => 1,
        Some(Deny) => 2,
    }
}

proptest! {
    #[test]
    fn another_denying_rule_lets_nothing_more_pass(
        rules in prop::collection::vec(any_rule(ALL), 0..5), more in any_rule(&[Deny, Ask]), effects in any_effects(),
        free in any_effects(),
    ) {
        let before = decision(&read(rules.clone()), &["rm"], &effects, &free);
        let after = decision(&read([rules, vec![more]].concat()), &["rm"], &effects, &free);
        prop_assert!(strictness(after) >= strictness(before), "{before:?} {after:?}");
    }

    #[test]
    fn the_order_of_the_rules_does_not_matter(
        rules in prop::collection::vec(any_rule(ALL), 0..6), effects in any_effects(), free in any_effects(),
    ) {
        let there = decision(&read(rules.clone()), &["rm"], &effects, &free);
        let back = decision(&read(rules.into_iter().rev().collect()), &["rm"], &effects, &free);
        prop_assert_eq!(there, back);
    }

    #[test]
    fn no_allowing_rule_opens_a_repository_or_a_protected_place(
        rules in prop::collection::vec(any_rule(&[Allow]), 0..6), kind in prop::sample::select(vec![Creates, Overwrites, Deletes]),
        place in prop::sample::select(vec!["a/.git/hooks/x", ".ssh/id_rsa", ".ssh", ".config/gh/x", ".config", ""]),
        others in any_effects(),
    ) {
        let effects = [vec![effect(kind, place.trim_end_matches('/'))], others].concat();
        prop_assert_eq!(decision(&read(rules), &["rm"], &effects, &[]), None);
    }
}

/// A refusal by the effects alone precedes every rule, and a rule that contradicts it is invalid.
#[test]
fn a_rule_that_allows_a_protected_place_is_refused() {
    for (kind, command) in
        [(Deletes, "rm ~/.ssh/x"), (Deletes, "rm -r ~/.ssh"), (Overwrites, "date > ~/.ssh/x")]
    {
        let mut own = rule(Allow, &[kind], None, &["~/**"]);
        own.matches = vec![command.to_owned()];
        let refused = Rules::read("/nowhere".into(), vec![own], Path::new(HOME)).unwrap_err();
        assert!(refused.to_string().contains("in a protected place"), "{refused}");
    }
}
