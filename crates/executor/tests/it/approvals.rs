//! Tests of approval decisions, for every order of answers.

use artoo_consent::{ProposedEffects, Rule, Rules};
use artoo_executor::{Approvals, Standing, Terms};
use artoo_shell_effects::Permission;
use artoo_types::{Approval, ApprovalDecided, ApprovalScope, CallId, Effect, EffectKind};
use proptest::prelude::*;

use crate::fixtures::effect;

fn terms(approval: Approval, person_present: bool, granted: &[EffectKind]) -> Terms {
    Terms { approval, person_present, granted: granted.iter().copied().collect(), ..Terms::default() }
}

fn with_a_person() -> Approvals {
    Approvals::new(terms(Approval::Auto, true, &[]))
}

fn decision(granted: bool, scope: ApprovalScope) -> ApprovalDecided {
    let call_id = CallId::new(uuid::Uuid::nil());
    ApprovalDecided { call_id, granted, scope, reason: "because".to_owned(), instead: None, rule: None }
}

fn no() -> ApprovalDecided {
    decision(false, ApprovalScope::Once)
}

fn is_denied(standing: &Standing) -> bool {
    matches!(standing, Standing::Denied(_))
}

fn is_granted(standing: &Standing) -> bool {
    matches!(standing, Standing::Granted(_))
}

#[test]
fn who_is_asked_depends_on_the_terms() {
    let removal = [effect("deletes", "/a/b")];
    let other = [effect("deletes", "/a/b"), effect("unknown", "./x.sh")];
    let deletes = [EffectKind::Deletes];
    for approval in Approval::ALL {
        for person in [true, false] {
            let standing = Approvals::new(terms(approval, person, &[])).standing(&removal);
            let asks = person && approval != Approval::Never;
            assert_eq!(standing == Standing::Open, asks, "{approval:?} {person}");
            assert_eq!(is_denied(&standing), !asks);
            // Effects granted in advance need no one to be asked, and cover no more than was granted.
            let approvals = Approvals::new(terms(approval, person, &deletes));
            assert!(is_granted(&approvals.standing(&removal)));
            assert!(!is_granted(&approvals.standing(&other)));
        }
    }
    assert!(!is_granted(&Approvals::new(terms(Approval::Auto, false, &deletes)).standing(&[])));
}

/// What a call of a tool of a server is asked about, as `artoo-mcp` puts it.
fn of_a_server(tool: &str) -> ([String; 1], [Effect; 1]) {
    ([tool.to_owned()], [Effect { word: tool.to_owned(), ..effect("unknown", tool) }])
}

/// Once, for the run with whatever arguments, and for good by a rule; another tool is another question.
#[test]
fn a_tool_of_a_server_is_agreed_to_once_for_the_run_or_by_a_rule() {
    let (programs, effects) = of_a_server("hub__comment");
    let (others, other) = of_a_server("hub__delete");
    let call = ProposedEffects { programs: &programs, effects: &effects, ..ProposedEffects::default() };
    let another = ProposedEffects { programs: &others, effects: &other, ..ProposedEffects::default() };
    let mut approvals = with_a_person();
    assert_eq!(approvals.standing(call), Standing::Open);
    approvals.decided(call, &decision(true, ApprovalScope::Once));
    assert_eq!(approvals.standing(call), Standing::Open);
    approvals.decided(call, &decision(true, ApprovalScope::Run));
    assert!(is_granted(&approvals.standing(call)));
    assert_eq!(approvals.standing(another), Standing::Open);
    let rule = Rule {
        decision: Permission::Allow,
        effects: [EffectKind::Unknown].into(),
        programs: vec!["hub__comment".to_owned()],
        paths: vec![],
        reason: "it only comments".to_owned(),
        matches: vec!["hub__comment '{\"text\":\"hi\"}'".to_owned()],
        spares: vec!["hub__delete '{}'".to_owned()],
    };
    let home = std::path::Path::new("/nonexistent");
    let rules = Rules::read(home.join("policy.toml"), vec![rule], home).unwrap();
    let ruled = Approvals::new(Terms { rules, ..terms(Approval::Never, false, &[]) });
    assert!(is_granted(&ruled.standing(call)) && is_denied(&ruled.standing(another)));
    // What was granted for commands that nothing is known of does not hold for a server.
    let mut told = with_a_person();
    told.decided(&[effect("unknown", "the command 0a0b0c0d")], &decision(true, ApprovalScope::Run));
    assert_eq!(told.standing(call), Standing::Open);
}

/// Rules that allow and deny deleting below these folders of a home.
fn rules(allowed: &str, denied: &str) -> Rules {
    let rule = |decision, folder: &str| Rule {
        decision,
        effects: [EffectKind::Deletes].into(),
        programs: Vec::new(),
        paths: vec![format!("~/{folder}/**")],
        reason: "it is so".to_owned(),
        matches: vec![format!("rm ~/{folder}/x")],
        spares: vec!["ls".to_owned()],
    };
    let rules = vec![rule(Permission::Allow, allowed), rule(Permission::Deny, denied)];
    Rules::read("/nowhere/policy.toml".into(), rules, "/home/nobody-here".as_ref()).unwrap()
}

#[test]
fn a_rule_is_an_answer_and_what_was_denied_outweighs_it() {
    let home = "/home/nobody-here";
    let [drafts, kept, both] =
        ["drafts/x", "drafts/kept/x", "drafts"].map(|below| [effect("deletes", &format!("{home}/{below}"))]);
    for approval in Approval::ALL {
        let granted = [EffectKind::Deletes, EffectKind::Unknown];
        let ruled = |granted: &[EffectKind]| {
            Approvals::new(Terms { rules: rules("drafts", "drafts/kept"), ..terms(approval, false, granted) })
        };
        let allowed = Standing::Granted("rule 1 of policy.toml: it is so".to_owned());
        let denied = Standing::Denied("rule 2 of policy.toml: it is so".to_owned());
        assert_eq!(ruled(&[]).standing(&drafts), allowed);
        assert!(ruled(&[]).allows(&drafts));
        for granted in [&[][..], &granted] {
            assert_eq!(ruled(granted).standing(&kept), denied);
            assert_eq!(ruled(granted).standing(&both), denied);
            // Whether it does what is denied becomes clear only in a trial.
            assert!(!ruled(granted).allows(&[effect("unknown", "./x.sh")]));
        }
        let mut approvals = ruled(&[]);
        approvals.decided(&drafts, &no());
        assert!(is_denied(&approvals.standing(&drafts)));
    }
}

#[test]
fn a_yes_holds_for_as_long_as_was_said_and_for_what_was_shown() {
    let asked = [effect("overwrites", "/a/docs/x"), effect("creates", "/a/docs/new"), effect("network", "h")];
    let later = [
        // The same file; below it; beside it; deeper; elsewhere.
        effect("overwrites", "/a/docs/x"),
        effect("overwrites", "/a/docs/x/y"),
        effect("overwrites", "/a/docs/z"),
        effect("overwrites", "/a/docs/deep/z"),
        effect("overwrites", "/a/y"),
        // Other kinds.
        effect("creates", "/a/docs/other"),
        effect("deletes", "/a/docs/x"),
        // Not a file.
        effect("network", "h"),
        effect("network", "other"),
    ];
    for (scope, covered) in [
        (ApprovalScope::Once, [0, 0, 0, 0, 0, 0, 0, 0, 0]),
        (ApprovalScope::Run, [1, 0, 0, 0, 0, 0, 0, 1, 0]),
        (ApprovalScope::Folder, [1, 0, 1, 0, 0, 1, 0, 0, 0]),
        (ApprovalScope::Always, [1, 0, 0, 0, 0, 0, 0, 1, 0]),
    ] {
        let mut approvals = with_a_person();
        approvals.decided(&asked, &decision(true, scope));
        let found = later.clone().map(|effect| u8::from(is_granted(&approvals.standing(&[effect]))));
        assert_eq!(found, covered, "{scope:?}");
        // For foreign words, a grant covers the effect itself but no folder around it.
        let of_foreign_words = |effect| u8::from(is_granted(&approvals.standing_of_foreign_words(&[effect])));
        let itself = if scope == ApprovalScope::Folder { [0; 9] } else { covered };
        assert_eq!(later.clone().map(of_foreign_words), itself, "{scope:?}");
    }
    // Without a file, two effects are the same only if they have the same name.
    let mut approvals = with_a_person();
    approvals.decided(&[effect("unknown", "./x.sh")], &decision(true, ApprovalScope::Run));
    assert!(is_granted(&approvals.standing(&[effect("unknown", "./x.sh")])));
    assert_eq!(approvals.standing(&[effect("unknown", "./y.sh")]), Standing::Open);
}

/// Issue 13: deletions are asked about each time. A rule is the person's standing decision, and covers the
/// content of a folder that is deleted.
#[test]
fn no_answer_but_a_rule_covers_what_goes() {
    let [folder, within, beside] =
        ["/a/build", "/a/build/x.o", "/a/builds"].map(|path| [effect("deletes", path)]);
    for scope in [ApprovalScope::Once, ApprovalScope::Run, ApprovalScope::Folder] {
        let mut approvals = with_a_person();
        approvals.decided(&folder, &decision(true, scope));
        assert_eq!(approvals.standing(&folder), Standing::Open, "{scope:?}");
    }
    let mut approvals = with_a_person();
    approvals.decided(&folder, &decision(true, ApprovalScope::Always));
    assert!(is_granted(&approvals.standing(&folder)) && is_granted(&approvals.standing(&within)));
    assert_eq!(approvals.standing(&beside), Standing::Open);
}

/// Denying an unknown effect does not deny any known one.
#[test]
fn an_unknown_that_was_denied_denies_no_known_effect() {
    let mut approvals = with_a_person();
    approvals.decided(&[effect("unknown", "./x.sh")], &no());
    for known in EffectKind::ALL.into_iter().filter(|kind| *kind != EffectKind::Unknown) {
        assert_eq!(approvals.standing(&[effect(known.name(), "/a/b")]), Standing::Open, "{known}");
    }
    // Without a trial it may do exactly that.
    assert!(is_denied(&approvals.standing(&[effect("unknown", "./y.sh")])));
}

#[test]
fn a_denied_effect_is_denied_in_every_guise() {
    let denied = |denied: Effect, then: Effect| {
        let mut approvals = with_a_person();
        approvals.decided(&[denied], &no());
        is_denied(&approvals.standing(&[then]))
    };
    let gone = || effect("deletes", "/a/notes");
    for (kind, what) in [
        ("deletes", "/a/notes"),
        ("overwrites", "/a/notes"),
        ("deletes", "/a/notes/below"),
        ("deletes", "/a"),
        ("deletes", "*.txt"),
        ("unknown", "./anything"),
    ] {
        assert!(denied(gone(), effect(kind, what)), "{kind} {what}");
    }
    for (kind, what) in
        [("deletes", "/a/other"), ("deletes", "/a/notes2"), ("creates", "/a/new"), ("network", "h")]
    {
        assert!(!denied(gone(), effect(kind, what)), "{kind} {what}");
    }
    assert!(denied(effect("network", "one.example"), effect("outside_machine", "two.example")));
    assert!(denied(effect("privilege", "sudo"), effect("privilege", "doas")));
    assert!(denied(effect("creates", "/etc/x"), effect("creates", "/etc/x")));
    assert!(!denied(effect("creates", "/etc/x"), effect("creates", "/etc/y")));
    assert!(!denied(effect("unknown", "./x"), effect("deletes", "/a/x")), "that is a question of its own");
}

#[test]
fn a_denial_outweighs_every_yes() {
    let removal = [effect("deletes", "/a/b")];
    let mut approvals = Approvals::new(terms(Approval::Auto, true, &EffectKind::ALL));
    approvals.decided(&removal, &decision(true, ApprovalScope::Folder));
    approvals.decided(&removal, &no());
    assert!(is_denied(&approvals.standing(&removal)));
    assert_eq!(approvals.forbids(&removal), Some("the same effect was denied before in this run".to_owned()));
    assert!(approvals.forbids(&[effect("unknown", "x")]).unwrap().contains("cannot be known"));
}

fn effects() -> impl Strategy<Value = Vec<Effect>> {
    let kinds = prop::sample::select(EffectKind::ALL.to_vec());
    let whats = prop::sample::select(vec!["/", "/a", "/a/b", "/a/b/c", "/a/bc", "/d", "*.txt", "host"]);
    let one = (kinds, whats).prop_map(|(kind, what)| effect(kind.name(), what));
    prop::collection::vec(one, 1..4)
}

fn decisions() -> impl Strategy<Value = ApprovalDecided> {
    let scopes = [ApprovalScope::Once, ApprovalScope::Run, ApprovalScope::Folder, ApprovalScope::Always];
    (any::<bool>(), prop::sample::select(scopes.to_vec())).prop_map(|(yes, scope)| decision(yes, scope))
}

/// Whether an effect of the same kind is on the same path, which must never happen after a denial.
fn reaches(denied: &Effect, effect: &Effect) -> bool {
    denied.kind == effect.kind && denied.what == effect.what
}

/// Whether granting a question with one effect also grants the other: an independent statement of the law.
fn is_said(agreed: &Effect, scope: ApprovalScope, asked: &Effect) -> bool {
    let folder = |effect: &Effect| {
        effect.what.starts_with('/').then(|| effect.what.rsplit_once('/').unwrap().0.to_owned())
    };
    let is_file = [EffectKind::Creates, EffectKind::Overwrites].contains(&asked.kind);
    // Each commit has other files and another message.
    let is_of_one_call = asked.kind == EffectKind::Commits;
    agreed.kind == asked.kind
        && !is_of_one_call
        && match scope {
            ApprovalScope::Once => false,
            ApprovalScope::Run => asked.kind != EffectKind::Deletes && agreed.what == asked.what,
            ApprovalScope::Folder => {
                // The root has no parent folder.
                let is_root = |effect: &Effect| effect.what == "/";
                is_file
                    && !is_root(agreed)
                    && !is_root(asked)
                    && folder(agreed).is_some()
                    && folder(agreed) == folder(asked)
            }
            ApprovalScope::Always => {
                let is_within = asked.what.starts_with(&format!("{}/", agreed.what.trim_end_matches('/')));
                agreed.what == asked.what
                    || asked.kind == EffectKind::Deletes && agreed.what.starts_with('/') && is_within
            }
        }
}

proptest! {
    /// For any earlier answers: a call runs without a question only if each of its effects was granted for
    /// longer than one call, in a question that showed it.
    #[test]
    fn a_yes_covers_what_was_shown_and_no_more(
        answered in prop::collection::vec((effects(), decisions()), 0..8),
        asked in effects(),
    ) {
        let mut approvals = with_a_person();
        for (effects, answer) in &answered {
            approvals.decided(effects, answer);
        }
        let standing = approvals.standing(&asked);
        let was_said = |effect: &Effect| answered.iter().any(|(effects, answer)| {
            answer.granted && effects.iter().any(|agreed| is_said(agreed, answer.scope, effect))
        });
        let is_said = asked.iter().all(was_said);
        prop_assert!(is_granted(&standing) == (is_said && !is_denied(&standing)), "{:?}", standing);
    }

    /// For any questions, answers and advance grants: an effect that was denied once never runs.
    #[test]
    fn no_sequence_of_commands_has_a_denied_effect(
        asked in prop::collection::vec((effects(), decisions()), 1..12),
        granted in prop::collection::vec(prop::sample::select(EffectKind::ALL.to_vec()), 0..7),
        person in any::<bool>(),
    ) {
        let mut approvals = Approvals::new(terms(Approval::Auto, person, &granted));
        let mut denied: Vec<Effect> = Vec::new();
        for (effects, answer) in asked {
            let may = match approvals.standing(&effects) {
                Standing::Granted(reason) => {
                    approvals.decided(&effects, &ApprovalDecided { reason, ..decision(true, ApprovalScope::Once) });
                    true
                }
                Standing::Denied(reason) => {
                    approvals.decided(&effects, &ApprovalDecided { reason, ..no() });
                    false
                }
                Standing::Open => {
                    prop_assert!(person);
                    approvals.decided(&effects, &answer);
                    answer.granted
                }
            };
            if may {
                for effect in &effects {
                    prop_assert!(!denied.iter().any(|denied| reaches(denied, effect)), "{effect:?} was denied");
                    prop_assert!(denied.is_empty() || effect.kind != EffectKind::Unknown, "{effect:?} is not known");
                }
            } else {
                denied.extend(effects);
            }
        }
    }
}

/// Consent given while the effect could be undone does not cover an irreversible one.
#[test]
fn a_yes_that_was_not_told_covers_nothing_that_cannot_be_undone() {
    let effects = [effect("overwrites", "/a/b")];
    let plain = ProposedEffects::from(&effects);
    let beyond = ProposedEffects { beyond_undo: true, ..plain };
    let mut approvals = with_a_person();
    approvals.decided(plain, &decision(true, ApprovalScope::Folder));
    assert!(matches!(approvals.standing(plain), Standing::Granted(_)));
    assert_eq!(approvals.standing(beyond), Standing::Open);
    approvals.decided(beyond, &decision(true, ApprovalScope::Run));
    assert!(matches!(approvals.standing(beyond), Standing::Granted(_)));
    // An advance grant covers both cases.
    let approvals = Approvals::new(terms(Approval::Auto, false, &[EffectKind::Overwrites]));
    assert!(matches!(approvals.standing(beyond), Standing::Granted(_)));
    let nobody = Approvals::new(terms(Approval::Auto, false, &[]));
    assert_eq!(nobody.standing(beyond), Standing::Denied("nobody is there to be asked".to_owned()));
}

/// Who agreed to new files in a folder did not see that a program runs one of them by itself.
#[test]
fn a_yes_for_a_folder_covers_no_file_that_is_run_by_itself() {
    let effects = [effect("creates", "/a/conftest.py")];
    let plain = ProposedEffects::from(&effects);
    let autorun = ProposedEffects { autorun: true, ..plain };
    let mut approvals = with_a_person();
    approvals.decided(&[effect("creates", "/a/.hidden")], &decision(true, ApprovalScope::Folder));
    assert!(matches!(approvals.standing(plain), Standing::Granted(_)));
    assert_eq!(approvals.standing(autorun), Standing::Open);
    assert!(!approvals.allows(autorun));
    approvals.decided(autorun, &decision(true, ApprovalScope::Run));
    assert!(matches!(approvals.standing(autorun), Standing::Granted(_)));
    let approvals = Approvals::new(terms(Approval::Auto, false, &[EffectKind::Creates]));
    assert!(matches!(approvals.standing(autorun), Standing::Granted(_)), "`--yes creates` is meant for all");
}

#[test]
fn a_rule_needs_somebody_to_write_it_and_a_file() {
    for (approval, person, rules, takes) in [
        (Approval::Auto, true, rules("a", "b"), true),
        (Approval::Ask, true, rules("a", "b"), true),
        (Approval::Never, true, rules("a", "b"), false),
        (Approval::Auto, false, rules("a", "b"), false),
        (Approval::Auto, true, Rules::default(), false),
    ] {
        let terms = Terms { rules, ..terms(approval, person, &[]) };
        assert_eq!(Approvals::new(terms).takes_rules(), takes, "{approval:?} {person}");
    }
}
