//! Consent: what needs a person's yes, and how a tool asks for it. Design: `docs/design/consent.md`.
//!
//! A command is tried where nothing of it lasts ([`gate()`]), and what it changed there is what a person is asked about, through
//! [`ToolContext::consent`](crate::ToolContext::consent). Who answers is no matter of the tools.

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

use artoo_shell_effects::{OnDisk, Permission};
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

/// Who is asked before a call that does more than it may without consent.
///
/// # Contract
///
/// An answer is of a person, or follows from what a person said before; nobody there is a no. What was denied once is denied for
/// the rest of the run, by whatever command it is reached.
///
/// # Cancellation
///
/// The future of [`ask`](Self::ask) is dropped when the call is cancelled.
#[async_trait]
pub trait Consent: Send + Sync {
    /// Before which effects somebody is to be asked.
    fn approval(&self) -> Approval {
        Approval::Auto
    }

    /// Why one of these effects is out of the question, because it was denied before. Asks nobody.
    fn forbids(&self, proposed: ProposedEffects<'_>) -> Option<String> {
        let _ = proposed;
        None
    }

    /// The person's own rules.
    fn rules(&self) -> Rules {
        Rules::default()
    }

    /// Whether all of these effects were granted before, so that asking gives a yes at once and a trial would show nothing new.
    fn allows(&self, proposed: ProposedEffects<'_>) -> bool {
        let _ = proposed;
        false
    }

    /// Which words that neither the user nor artoo wrote lead a call that does this, and whose they are; `None` where none do.
    fn foreign_words(&self, proposed: ProposedEffects<'_>) -> Option<String> {
        let _ = proposed;
        None
    }

    /// Whether the answer may be a rule that holds for later runs, too: a person is there, and the words of the call are not of others.
    fn takes_rules(&self) -> bool {
        false
    }

    /// Asks, and waits for the answer.
    async fn ask(&self, question: Question) -> Answer;
}

/// What is asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Question {
    /// Which tool would act.
    pub tool: ToolName,
    /// The command, or what stands for one.
    pub command: String,
    /// The programs that it is known to start.
    pub programs: Vec<String>,
    /// The effects that need consent.
    pub effects: Vec<Effect>,
    /// Its effects that need none.
    pub free: Vec<Effect>,
    /// What a preview found; empty where there was none.
    pub changes: Vec<PreviewedChange>,
    /// The name of the rule that asks.
    pub rule: String,
    /// That rule in words.
    pub reason: String,
    /// What of it could not be undone, and that a yes cannot be taken back; `None` where all of it can, as far as is known.
    pub beyond_undo: Option<String>,
    /// The rule that the answer *always* would make. [`ToolContext::consented`] drafts it.
    pub always: Option<ProposedRule>,
}

/// What is answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// It may be done.
    Yes,
    /// It may not.
    No {
        /// Who says so, and why.
        reason: String,
    },
    /// It may not, and the person says what to do instead.
    Instead {
        /// In their words.
        words: String,
    },
}

/// Nobody is there: every answer is no.
///
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
    /// The rule of the person that wants a question, also about what is free otherwise: its name, and the rule in words.
    ///
    /// # Errors
    ///
    /// [`ToolError::Ruled`] where a rule denies it.
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

    /// The rule of the person that asks, and not in doubt only: a trial does not answer it.
    pub(crate) fn always_asked(&self, proposed: ProposedEffects<'_>) -> Option<(String, String)> {
        let rules = self.consent.rules();
        let ruled = rules.ruling(proposed).filter(|ruled| ruled.rule.decision == Permission::Ask)?;
        Some((ruled.name(), ruled.words()))
    }

    /// Asks for consent; the time of the call rests meanwhile. A yes is `Ok`.
    ///
    /// # Errors
    ///
    /// [`ToolError::NotAllowed`] and [`ToolError::Instead`] for a no, [`ToolError::Cancelled`] when the call is cancelled meanwhile.
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
            // The run may have been cancelled with the answer under way.
            Answer::Yes if self.cancel.is_cancelled() => Err(ToolError::Cancelled),
            Answer::Yes => Ok(()),
            Answer::No { reason } => Err(ToolError::NotAllowed { effects, reason }),
            Answer::Instead { words } => Err(ToolError::Instead { words }),
        }
    }

    /// The question with the rule that would answer it, where there is one.
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
            // What is secret is not written anywhere.
            let redactor = cx.evidence.redactor();
            let is_plain = |text: &String| redactor.apply(text) == text.as_str();
            let texts = [&rule.programs, &rule.paths, &rule.matches, &rule.spares];
            let is_plain = texts.into_iter().flatten().all(is_plain);
            is_plain.then_some(rule)
        });
        // A draft that breaks down is not offered, and the question is asked all the same.
        Question { always: drafted.await.ok().flatten(), ..question }
    }
}

impl Question {
    /// What would be done.
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
    /// Effects that need consent, of no known program.
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

/// The path of an effect on a file, where it is known.
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

/// The first effects in words, for a record of one line.
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
