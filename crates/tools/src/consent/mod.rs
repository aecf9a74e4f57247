//! Consent: which effects need a person's approval, and how a tool asks for it. Design:
//! `docs/design/consent.md`.
//!
//! A command is tried over layers that are discarded ([`gate()`]); the person is asked about the changes
//! found there, through [`ToolContext::consent`](crate::ToolContext::consent). How the question is answered
//! is up to the implementation of [`Consent`].

mod beyond_undo;
mod diff;
mod draft;
mod examples;
mod gate;
mod near_miss;
mod path_pattern;
mod pause_clock;
mod reading;
mod rules;
mod tried;

use std::path::Path;

use artoo_sandbox::{OnDisk, Permission};
use artoo_types::{Approval, Effect, EffectKind, PreviewedChange, ProposedRule, ToolName};
use async_trait::async_trait;
use draft::{Setting, draft};

use crate::{ToolContext, ToolError};

pub(crate) use beyond_undo::beyond_undo;
pub(crate) use diff::diff;
pub use gate::{Case, Step, gate};
pub use pause_clock::{PauseClock, within};
pub(crate) use reading::{ASK_BEFORE_ALL, Reading};
pub use rules::{ProposedEffects, Rule, RuleError, Ruled, Rules};
pub(crate) use tried::Tried;

/// Answers questions before a call that does more than it may without consent.
///
/// # Contract
///
/// An answer comes from a person, or follows from an earlier answer of a person; without a person the answer
/// is no. What was denied once stays denied for the rest of the run, whichever command attempts it.
///
/// # Cancellation
///
/// The future of [`ask`](Self::ask) is dropped when the call is cancelled.
#[async_trait]
pub trait Consent: Send + Sync {
    /// Which effects require a question.
    fn approval(&self) -> Approval {
        Approval::Auto
    }

    /// The reason why one of these effects is refused because it was denied before. Does not ask.
    fn forbids(&self, proposed: ProposedEffects<'_>) -> Option<String> {
        let _ = proposed;
        None
    }

    /// The user's own rules.
    fn rules(&self) -> Rules {
        Rules::default()
    }

    /// Whether all of these effects were granted before, so that a question would be answered yes at once and
    /// a trial would show nothing new.
    fn allows(&self, proposed: ProposedEffects<'_>) -> bool {
        let _ = proposed;
        false
    }

    /// The origin of words, written by neither the user nor artoo, that led to a call with these effects;
    /// `None` if there are none.
    fn foreign_words(&self, proposed: ProposedEffects<'_>) -> Option<String> {
        let _ = proposed;
        None
    }

    /// Whether the answer may be a rule for later runs: a person is present, and the call was not led by
    /// foreign words.
    fn takes_rules(&self) -> bool {
        false
    }

    /// Asks, and waits for the answer.
    async fn ask(&self, question: Question) -> Answer;
}

/// A request for consent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Question {
    /// The tool that would act.
    pub tool: ToolName,
    /// The command, or a description in place of one.
    pub command: String,
    /// The programs that it is known to start.
    pub programs: Vec<String>,
    /// The effects that need consent.
    pub effects: Vec<Effect>,
    /// The effects that need none.
    pub free: Vec<Effect>,
    /// The changes that a preview found; empty without a preview.
    pub changes: Vec<PreviewedChange>,
    /// The name of the rule that requires the question.
    pub rule: String,
    /// The rule in words.
    pub reason: String,
    /// What could not be undone after a yes; `None` if everything can be, as far as is known.
    pub beyond_undo: Option<String>,
    /// The rule that the answer *always* would add. [`ToolContext::consented`] drafts it.
    pub always: Option<ProposedRule>,
}

/// The answer to a question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// Allowed.
    Yes,
    /// Denied.
    No {
        /// Who denied it, and why.
        reason: String,
    },
    /// Denied, with an instruction to do something else.
    Instead {
        /// The instruction, in the person's words.
        words: String,
    },
}

/// [`Consent`] without a person: every answer is no.
/// ```
/// use artoo_tools::{Consent, Nobody};
///
/// assert_eq!(Nobody.forbids(Default::default()), None);
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct Nobody;

#[async_trait]
impl Consent for Nobody {
    async fn ask(&self, _: Question) -> Answer {
        Answer::No { reason: "nobody is there to be asked".to_owned() }
    }
}

impl ToolContext {
    /// The user's rule that requires a question even for effects that are free otherwise: its name, and the
    /// rule in words.
    ///
    /// # Errors
    ///
    /// [`ToolError::Ruled`] if a rule denies the call.
    pub(crate) fn demanded(
        &self,
        proposed: ProposedEffects<'_>,
    ) -> Result<Option<(String, String)>, ToolError> {
        let rules = self.consent.rules();
        let Some(ruled) = rules.ruling(proposed) else { return Ok(None) };
        match ruled.decision {
            Permission::Deny => Err(ToolError::Ruled { rule: ruled.words() }),
            Permission::Ask => Ok(Some((ruled.name(), ruled.words()))),
            Permission::Allow => Ok(None),
        }
    }

    /// The user's rule that asks, other than only in doubt: a trial does not settle it.
    pub(crate) fn always_asked(&self, proposed: ProposedEffects<'_>) -> Option<(String, String)> {
        let rules = self.consent.rules();
        let ruled = rules.ruling(proposed).filter(|ruled| ruled.rule.decision == Permission::Ask)?;
        Some((ruled.name(), ruled.words()))
    }

    /// Asks for consent; the call's time limit is paused meanwhile. A yes is `Ok`.
    ///
    /// # Errors
    ///
    /// [`ToolError::NotAllowed`] and [`ToolError::Instead`] for a no, [`ToolError::Cancelled`] if the call is
    /// cancelled meanwhile.
    pub async fn consented(&self, question: Question) -> Result<(), ToolError> {
        let effects = in_words(&question.effects);
        let question = if self.consent.takes_rules() { self.with_draft(question).await } else { question };
        let resting = self.pauses.begin();
        let answer = tokio::select! {
            answer = self.consent.ask(question) => answer,
            () = self.cancel.cancelled() => return Err(ToolError::Cancelled),
        };
        drop(resting);
        match answer {
            // The run may have been cancelled while the answer was on its way.
            Answer::Yes if self.cancel.is_cancelled() => Err(ToolError::Cancelled),
            Answer::Yes => Ok(()),
            Answer::No { reason } => Err(ToolError::NotAllowed { effects, reason }),
            Answer::Instead { words } => Err(ToolError::Instead { words }),
        }
    }

    /// The question with a drafted rule, if there is one.
    async fn with_draft(&self, question: Question) -> Question {
        let (cx, asked) = (self.clone(), question.clone());
        let drafted = tokio::task::spawn_blocking(move || {
            let setting = Setting {
                home: &cx.home,
                working_folder: &cx.working_folder,
                workspace: &cx.workspace,
                paths: &OnDisk,
            };
            let rule = draft(&asked, &cx.consent.rules(), setting)?;
            // Secrets are never written into a rule.
            let redactor = cx.evidence.redactor();
            let is_plain = |text: &String| redactor.apply(text) == text.as_str();
            let texts = [&rule.programs, &rule.paths, &rule.matches, &rule.spares];
            let is_plain = texts.into_iter().flatten().all(is_plain);
            is_plain.then_some(rule)
        });
        // If drafting panics, the question is asked without a rule.
        Question { always: drafted.await.ok().flatten(), ..question }
    }
}

impl Question {
    /// The effects, as rules see them.
    pub fn proposed(&self) -> ProposedEffects<'_> {
        ProposedEffects {
            programs: &self.programs,
            effects: &self.effects,
            free: &self.free,
            beyond_undo: self.beyond_undo.is_some(),
        }
    }
}

impl<'a> From<&'a [Effect]> for ProposedEffects<'a> {
    /// Effects that need consent, without a known program.
    fn from(effects: &'a [Effect]) -> Self {
        Self { effects, ..Self::default() }
    }
}

impl<'a, const N: usize> From<&'a [Effect; N]> for ProposedEffects<'a> {
    fn from(effects: &'a [Effect; N]) -> Self {
        effects.as_slice().into()
    }
}

impl<'a> From<&'a Vec<Effect>> for ProposedEffects<'a> {
    fn from(effects: &'a Vec<Effect>) -> Self {
        effects.as_slice().into()
    }
}

/// The path of an effect on a file, if known.
pub fn on_file(effect: &Effect) -> Option<&Path> {
    match effect.kind {
        EffectKind::Creates | EffectKind::Overwrites | EffectKind::Deletes => {
            Some(Path::new(&effect.what)).filter(|path| path.is_absolute())
        }
        EffectKind::Network | EffectKind::OutsideMachine | EffectKind::Privilege | EffectKind::Unknown => {
            None
        }
    }
}

/// The first effects in words, for a one-line record.
pub(crate) fn in_words(effects: &[Effect]) -> String {
    const NAMED: usize = 3;
    let mut words: Vec<String> =
        effects.iter().take(NAMED).map(|effect| format!("{} {}", of_kind(effect), effect.what)).collect();
    match effects.len().saturating_sub(NAMED) {
        0 => {}
        more => words.push(format!("and {more} more")),
    }
    words.join(", ")
}

fn of_kind(effect: &Effect) -> &'static str {
    match effect.kind {
        EffectKind::Creates => "make",
        EffectKind::Overwrites => "change",
        EffectKind::Deletes => "delete",
        EffectKind::Network => "ask other machines:",
        EffectKind::OutsideMachine => "act on other machines:",
        EffectKind::Privilege => "use the rights of somebody else:",
        EffectKind::Unknown => "do what cannot be known:",
    }
}
