//! Approval decisions of one run: pure, so that every order of answers can be tested.
//!
//! Source: `docs/deviations.md`, "Approvals".

use std::collections::BTreeSet;

use artoo_consent::{ProposedEffects, Ruled, Rules, on_file};
use artoo_types::{Approval, ApprovalDecided, ApprovalScope, Effect, EffectKind};

/// The consent policy of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Terms {
    /// Which effects need approval.
    pub approval: Approval,
    /// Kinds of effects that the person has granted in advance.
    pub granted: BTreeSet<EffectKind>,
    /// The person's own rules.
    pub rules: Rules,
    /// Whether a person is present to answer.
    pub person_present: bool,
}

/// What is decided about effects before anyone is asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Standing {
    /// Granted, with the reason.
    Granted(String),
    /// Denied, with the reason.
    Denied(String),
    /// Undecided: the person has to answer.
    Open,
}

/// The approvals and denials of one run.
///
/// ```
/// use artoo_executor::{Approvals, Standing, Terms};
/// use artoo_types::{Effect, EffectKind};
///
/// let removal = [Effect {
///     kind: EffectKind::Deletes,
///     what: "/home/ada/notes.txt".into(),
///     word: "notes.txt".into(),
///     why: "`rm` removes it".into(),
/// }];
/// let nobody = Approvals::new(Terms::default());
/// assert_eq!(nobody.standing(&removal), Standing::Denied("nobody is there to be asked".into()));
/// ```
#[derive(Clone, Debug)]
pub struct Approvals {
    terms: Terms,
    granted: Vec<Grant>,
    denied: Vec<Effect>,
}

/// Consent that outlasts a single call.
#[derive(Clone, Debug)]
struct Grant {
    effect: Effect,
    scope: ApprovalScope,
    /// Whether the person was told that the effect cannot be undone.
    beyond_undo: bool,
}

impl Approvals {
    /// Starts without any answers.
    pub fn new(terms: Terms) -> Self {
        Self { terms, granted: Vec::new(), denied: Vec::new() }
    }

    /// Which effects need approval.
    pub fn approval(&self) -> Approval {
        self.terms.approval
    }

    /// The person's own rules.
    pub fn rules(&self) -> &Rules {
        &self.terms.rules
    }

    /// Whether an answer can become a rule: a person is present, and there is a rules file to write to.
    pub fn takes_rules(&self) -> bool {
        self.asks_somebody() && self.terms.rules.file().is_some()
    }

    /// Whether a person is present and may be asked.
    pub fn asks_somebody(&self) -> bool {
        let asks = match self.terms.approval {
            Approval::Ask | Approval::Auto => true,
            Approval::Never => false,
        };
        asks && self.terms.person_present
    }

    /// Whether these effects are granted and a trial run would reveal nothing new about them. If an effect
    /// cannot be determined in advance, a rule may apply to what it turns out to be.
    pub fn allows<'d>(&self, proposed: impl Into<ProposedEffects<'d>>) -> bool {
        let proposed = proposed.into();
        self.needs_no_trial(proposed) && matches!(self.standing(proposed), Standing::Granted(_))
    }

    /// [`Approvals::allows`] for a call that contains words which neither the user nor artoo wrote.
    pub fn allows_foreign_words<'d>(&self, proposed: impl Into<ProposedEffects<'d>>) -> bool {
        let proposed = proposed.into();
        self.needs_no_trial(proposed)
            && matches!(self.standing_of_foreign_words(proposed), Standing::Granted(_))
    }

    fn needs_no_trial(&self, proposed: ProposedEffects<'_>) -> bool {
        let is_open = proposed.effects.iter().any(|effect| effect.kind == EffectKind::Unknown);
        let is_ruled = self.terms.rules.ruling(proposed).is_some_and(|ruled| ruled.allows())
            || self.terms.rules.deny_something();
        !(is_open && is_ruled)
    }

    /// The reason why one of these effects is ruled out: it was denied before, possibly by a different
    /// command.
    pub fn forbids<'d>(&self, proposed: impl Into<ProposedEffects<'d>>) -> Option<String> {
        let proposed = proposed.into();
        let mut all = proposed.effects.iter().chain(proposed.free);
        let denied = all.find(|effect| self.denied.iter().any(|denied| is_again(denied, effect)))?;
        Some(match denied.kind {
            EffectKind::Unknown => {
                "something was denied in this run, and whether this would do it cannot be known".to_owned()
            }
            EffectKind::Creates
            | EffectKind::Overwrites
            | EffectKind::Deletes
            | EffectKind::Commits
            | EffectKind::Network
            | EffectKind::OutsideMachine
            | EffectKind::Privilege => "the same effect was denied before in this run".to_owned(),
        })
    }

    /// What is decided about these effects. A denial outweighs every grant, and so does a rule that denies.
    pub fn standing<'d>(&self, proposed: impl Into<ProposedEffects<'d>>) -> Standing {
        self.standing_by(proposed.into(), |_| true)
    }

    /// [`Approvals::standing`] for a call that contains words which neither the user nor artoo wrote: a grant
    /// for a whole folder does not cover them.
    pub fn standing_of_foreign_words<'d>(&self, proposed: impl Into<ProposedEffects<'d>>) -> Standing {
        self.standing_by(proposed.into(), |grant| grant.scope != ApprovalScope::Folder)
    }

    fn standing_by(&self, proposed: ProposedEffects<'_>, counts: impl Fn(&Grant) -> bool) -> Standing {
        let effects = proposed.effects;
        if let Some(reason) = self.forbids(proposed) {
            return Standing::Denied(reason);
        }
        let ruled = self.terms.rules.ruling(proposed);
        if let Some(denying) = ruled.filter(Ruled::denies) {
            return Standing::Denied(denying.words());
        }
        let all = |is_so: &dyn Fn(&Effect) -> bool| !effects.is_empty() && effects.iter().all(is_so);
        let in_advance = |effect: &Effect| self.terms.granted.contains(&effect.kind);
        // Consent given without knowing that the effect cannot be undone does not cover an irreversible one.
        let told = |grant: &Grant| !proposed.beyond_undo || grant.beyond_undo;
        // Who agreed to new files in a folder has not seen that a program runs this one by itself.
        let seen = |grant: &Grant| !proposed.autorun || grant.scope != ApprovalScope::Folder;
        let before = |effect: &Effect| {
            let counts = |grant: &Grant| counts(grant) && told(grant) && seen(grant);
            self.granted.iter().any(|grant| counts(grant) && grant.covers(effect))
        };
        if all(&in_advance) {
            let kinds: BTreeSet<&str> = effects.iter().map(|effect| effect.kind.name()).collect();
            let kinds: Vec<&str> = kinds.into_iter().collect();
            return Standing::Granted(format!("granted in advance: {}", kinds.join(", ")));
        }
        if all(&|effect| in_advance(effect) || before(effect)) {
            return Standing::Granted("the person agreed to it before in this run".to_owned());
        }
        if let Some(allowing) = ruled.filter(Ruled::allows) {
            return Standing::Granted(allowing.words());
        }
        match (self.terms.approval, self.terms.person_present) {
            (Approval::Never, _) => Standing::Denied("nobody is to be asked in this run".to_owned()),
            (Approval::Ask | Approval::Auto, false) => {
                Standing::Denied("nobody is there to be asked".to_owned())
            }
            (Approval::Ask | Approval::Auto, true) => Standing::Open,
        }
    }

    /// Records an answer: a grant for its scope, a denial for the rest of the run.
    pub fn decided<'d>(&mut self, proposed: impl Into<ProposedEffects<'d>>, decision: &ApprovalDecided) {
        let ProposedEffects { effects, beyond_undo, .. } = proposed.into();
        if !decision.granted {
            self.denied.extend(effects.iter().cloned());
            return;
        }
        let scope = decision.scope;
        let lasting = effects.iter().filter(|effect| scope.covers(effect.kind));
        self.granted.extend(lasting.map(|effect| Grant { effect: effect.clone(), scope, beyond_undo }));
    }
}

impl Grant {
    /// A grant covers exactly what was shown: the same kind of effect on the same path or, with folder scope,
    /// in the same folder. A rule that allows removing a folder also allows removing its contents.
    fn covers(&self, effect: &Effect) -> bool {
        if self.effect.kind != effect.kind {
            return false;
        }
        match (self.scope, on_file(&self.effect), on_file(effect)) {
            (ApprovalScope::Once, _, _) => false,
            (ApprovalScope::Folder, Some(agreed), Some(asked)) => {
                agreed.parent().is_some() && agreed.parent() == asked.parent()
            }
            (ApprovalScope::Always, Some(agreed), Some(asked)) if effect.kind == EffectKind::Deletes => {
                asked.starts_with(agreed)
            }
            (ApprovalScope::Run | ApprovalScope::Always, Some(agreed), Some(asked)) => agreed == asked,
            (ApprovalScope::Run | ApprovalScope::Always, None, _)
            | (ApprovalScope::Run | ApprovalScope::Always, _, None) => self.effect.what == effect.what,
            (ApprovalScope::Folder, None, _) | (ApprovalScope::Folder, _, None) => false,
        }
    }
}

/// Whether an effect is, or could be, one that was denied. An unknown effect counts as the same.
fn is_again(denied: &Effect, effect: &Effect) -> bool {
    use EffectKind::{Commits, Creates, Deletes, Network, OutsideMachine, Overwrites, Privilege, Unknown};
    match (denied.kind, effect.kind) {
        // It would run without a trial, and may do what was denied.
        (_, Unknown) => true,
        // Overwriting and deleting lose the file equally.
        (Overwrites | Deletes, Overwrites | Deletes) => match (on_file(denied), on_file(effect)) {
            (Some(one), Some(other)) => one.starts_with(other) || other.starts_with(one),
            (None, _) | (_, None) => true,
        },
        (Creates, Creates) => match (on_file(denied), on_file(effect)) {
            (Some(one), Some(other)) => one == other,
            (None, _) | (_, None) => true,
        },
        (Network | OutsideMachine, Network | OutsideMachine) | (Privilege, Privilege) => true,
        // Whatever is in it: a commit was denied.
        (Commits, Commits) => true,
        (
            Creates | Overwrites | Deletes | Commits | Network | OutsideMachine | Privilege | Unknown,
            Creates | Overwrites | Deletes | Commits | Network | OutsideMachine | Privilege,
        ) => false,
    }
}
