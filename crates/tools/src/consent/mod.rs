//! How a tool asks for consent, which [`artoo_consent`] is about. Design: `docs/design/consent.md`.
//!
//! A command is tried where nothing of it lasts ([`gate()`]), and what it changed there is what a person is asked about, through
//! [`ToolContext::consent`](crate::ToolContext::consent). Who answers is no matter of the tools.

mod autorun_files;
mod beyond_undo;
mod command_effects;
mod diff;
mod preview_changes;
mod start_decision;

use artoo_consent::{Answer, ProposedEffects, Question, Setting, draft, in_words};
use artoo_shell_effects::{OnDisk, Permission};

use crate::{ToolContext, ToolError};

pub(crate) use autorun_files::{AUTORUN, AutorunFiles};
pub(crate) use beyond_undo::beyond_undo;
pub(crate) use command_effects::{ASK_BEFORE_ALL, Reading};
pub(crate) use diff::diff;
pub(crate) use preview_changes::Tried;
pub use start_decision::{Case, Step, gate};

impl ToolContext {
    /// The user's rule that requires a question even for effects that are free otherwise: its name, and the
    /// rule in words.
    ///
    /// # Errors
    ///
    /// [`ToolError::Ruled`] if a rule denies the call.
    pub fn demanded(&self, proposed: ProposedEffects<'_>) -> Result<Option<(String, String)>, ToolError> {
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
