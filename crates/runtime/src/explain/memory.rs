//! The part that memory played in a round.

use std::collections::BTreeSet;

use artoo_types::{
    BlockedTarget, ExecutionResult, GuardReply, Held, MegramId, MemoryGuard, MemoryReply, Origin, Plan,
    Polarity, RecallReason, TagPair, ToolCall,
};
use chrono::{DateTime, FixedOffset};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What memory had to do with a round.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RoundMemory {
    /// Everything that was recalled before its plan, the user's laws first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub recalled: Vec<Remembered>,
    /// What memory held against the calls that were about to be made.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub guards: Vec<MemoryGuard>,
    /// The calls that were held back, and what came of them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub held: Vec<HeldCall>,
}

/// A Megram that was recalled.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Remembered {
    /// Its id.
    pub id: MegramId,
    /// What it is.
    pub kind: RememberedKind,
    /// What it is filed under; `None` for a law, which holds for everything.
    pub pair: Option<TagPair>,
    /// Why it came; `None` for a law.
    pub reason: Option<RecallReason>,
    /// When it was made, where that was told.
    pub created_at: Option<DateTime<FixedOffset>>,
    /// Whose it is, where that was told.
    pub origin: Option<Origin>,
    /// In words.
    pub content: String,
    /// Whether it was in the prompt of a role that acted: from which the plan was made, or behind a step's last call.
    pub used: bool,
}

/// What was recalled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RememberedKind {
    /// A law of the user's.
    Law,
    /// A rule: prefer this.
    Practice,
    /// A rule: do not do this.
    Constraint,
    /// An experience.
    Experience,
}

/// A call that memory held back.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct HeldCall {
    /// The tool and its arguments in normal form.
    #[serde(flatten)]
    pub call: BlockedTarget,
    /// Why, and what came of it.
    #[serde(flatten)]
    pub held: Held,
}

impl RoundMemory {
    /// Whether memory played no part.
    pub fn is_empty(&self) -> bool {
        self.recalled.is_empty() && self.guards.is_empty() && self.held.is_empty()
    }

    /// What was recalled before a plan, and what of it was in the prompt from which the plan was made.
    pub(super) fn of(reply: &MemoryReply, plan: &Plan) -> Self {
        let used: BTreeSet<MegramId> = plan.memory.used.iter().copied().collect();
        let laws = reply.laws.iter().map(|law| Remembered {
            id: law.id,
            kind: RememberedKind::Law,
            pair: None,
            reason: None,
            created_at: None,
            origin: None,
            content: law.content.clone(),
            used: used.contains(&law.id),
        });
        let mut recalled: Vec<Remembered> = laws.collect();
        for known in &reply.recalled {
            let remembered = |id, content: &String, kind| Remembered {
                id,
                kind,
                pair: Some(known.pair.clone()),
                reason: Some(known.reason.clone()),
                created_at: None,
                origin: None,
                content: content.clone(),
                used: used.contains(&id),
            };
            recalled.extend(known.sops.iter().map(|rule| {
                let kind = match rule.polarity {
                    Polarity::Practice => RememberedKind::Practice,
                    Polarity::Constraint => RememberedKind::Constraint,
                };
                remembered(rule.id, &rule.content, kind)
            }));
            recalled.extend(known.experiences.iter().map(|told| Remembered {
                created_at: Some(told.created_at),
                origin: told.origin,
                ..remembered(told.id, &told.content, RememberedKind::Experience)
            }));
        }
        Self { recalled, guards: Vec::new(), held: Vec::new() }
    }

    /// Records what memory holds against a call.
    pub(super) fn guarded(&mut self, reply: &GuardReply) {
        self.guards.extend(reply.guard.clone());
    }

    /// Records what was in the prompt behind an attempt's calls.
    pub(super) fn told(&mut self, result: &ExecutionResult) {
        let told = self.recalled.iter_mut().filter(|remembered| result.told.contains(&remembered.id));
        told.for_each(|remembered| remembered.used = true);
    }

    /// Records a call that was held back.
    pub(super) fn called(&mut self, call: &ToolCall) {
        if let Some(held) = &call.held {
            let target = BlockedTarget::of(&call.tool, &call.arguments);
            self.held.push(HeldCall { call: target, held: held.clone() });
        }
    }
}
