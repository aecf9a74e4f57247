//! What was said about effects in one run: pure, so that every order of answers can be tested.
//!
//! Source: `docs/deviations.md`, "Approvals".

use std::collections::BTreeSet;

use artoo_tools::{ProposedEffects, Ruled, Rules, on_file};
use artoo_types::{Approval, ApprovalDecided, ApprovalScope, Effect, EffectKind};

/// Under which terms a run asks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Terms {
    /// Before which effects.
    pub approval: Approval,
    /// Kinds of effects that the person has granted in advance.
    pub granted: BTreeSet<EffectKind>,
    /// The person's own rules.
    pub rules: Rules,
    /// Whether a person is there to answer.
    pub person_present: bool,
}

/// What is known about effects before anybody is asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Standing {
    /// They were granted, for this reason.
    Granted(String),
    /// They are denied, for this reason.
    Denied(String),
    /// The person has to say.
    Open,
}

/// The answers of one run.
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

/// What was agreed to for longer than a call.
#[derive(Clone, Debug)]
struct Grant {
    effect: Effect,
    scope: ApprovalScope,
    /// Whether the person was told that it cannot be undone.
    beyond_undo: bool,
}

impl Approvals {
    /// Nothing was asked yet.
    pub fn new(terms: Terms) -> Self {
        Self { terms, granted: Vec::new(), denied: Vec::new() }
    }

    /// Before which effects somebody is to be asked.
    pub fn approval(&self) -> Approval {
        self.terms.approval
    }

    /// The person's own rules.
    pub fn rules(&self) -> &Rules {
        &self.terms.rules
    }

    /// Whether an answer may be a rule: somebody is there to write it, and there is a file to write it to.
    pub fn takes_rules(&self) -> bool {
        self.asks_somebody() && self.terms.rules.file().is_some()
    }

    /// Whether a person is there and may be asked.
    pub fn asks_somebody(&self) -> bool {
        let asks = match self.terms.approval {
            Approval::Ask | Approval::Auto => true,
            Approval::Never => false,
        };
        asks && self.terms.person_present
    }

    /// Whether these effects are granted, and a trial would show nothing new about them. Where something cannot be known, rules may be about
    /// what it turns out to be.
    pub fn allows<'d>(&self, proposed: impl Into<ProposedEffects<'d>>) -> bool {
        let proposed = proposed.into();
        self.needs_no_trial(proposed) && matches!(self.standing(proposed), Standing::Granted(_))
    }

    /// The same of a call with words that neither the user nor artoo wrote.
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

    /// Why one of these effects is out of the question: it was denied before, in whatever words.
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
            | EffectKind::Network
            | EffectKind::OutsideMachine
            | EffectKind::Privilege => "the same effect was denied before in this run".to_owned(),
        })
    }

    /// What is known about these effects. A denial outweighs every yes, and a rule that denies does, too.
    pub fn standing<'d>(&self, proposed: impl Into<ProposedEffects<'d>>) -> Standing {
        self.standing_by(proposed.into(), |_| true)
    }

    /// The same of a call with words that neither the user nor artoo wrote: a yes for a whole folder was not said about these.
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
        // Whoever agreed without knowing that it cannot be undone has not agreed to that.
        let told = |grant: &Grant| !proposed.beyond_undo || grant.beyond_undo;
        let before = |effect: &Effect| {
            self.granted.iter().any(|grant| counts(grant) && told(grant) && grant.covers(effect))
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

    /// Remembers an answer: a yes for as long as it holds, a no for the rest of the run.
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
    /// What was shown, and no more: the same kind on the same path, or, for a folder, in the folder of that. A rule that lets a folder go lets go what
    /// is in it.
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

/// Whether an effect is one that was denied, or could be. What is not known for certain counts as the same.
fn is_again(denied: &Effect, effect: &Effect) -> bool {
    use EffectKind::{Creates, Deletes, Network, OutsideMachine, Overwrites, Privilege, Unknown};
    match (denied.kind, effect.kind) {
        // It would run without a trial, and may do what was denied.
        (_, Unknown) => true,
        // One is as lost as the other.
        (Overwrites | Deletes, Overwrites | Deletes) => match (on_file(denied), on_file(effect)) {
            (Some(one), Some(other)) => one.starts_with(other) || other.starts_with(one),
            (None, _) | (_, None) => true,
        },
        (Creates, Creates) => match (on_file(denied), on_file(effect)) {
            (Some(one), Some(other)) => one == other,
            (None, _) | (_, None) => true,
        },
        (Network | OutsideMachine, Network | OutsideMachine) | (Privilege, Privilege) => true,
        (
            Creates | Overwrites | Deletes | Network | OutsideMachine | Privilege | Unknown,
            Creates | Overwrites | Deletes | Network | OutsideMachine | Privilege,
        ) => false,
    }
}
