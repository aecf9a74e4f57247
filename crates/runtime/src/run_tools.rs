//! The tools as the executor sees them.

use std::{sync::Arc, time::Duration};

use artoo_consent::Rules;
use artoo_executor::{CallTerms, RunTools, ToolSpec};
use artoo_tools::{Rehearsal, ServerReach, Tool, ToolContext, ToolEffect, Toolbox};
use artoo_types::{
    Arguments, CallId, EvidenceId, NotRehearsed, Perturbation, Rehearsed, ToolCall, ToolKind, ToolName,
};
use async_trait::async_trait;
use chrono::{DateTime, FixedOffset};

/// A toolbox, and what the calls of one run may know and do.
pub(crate) struct OnThisMachine {
    pub(crate) toolbox: Arc<Toolbox>,
    pub(crate) context: ToolContext,
}

#[async_trait]
impl RunTools for OnThisMachine {
    fn specs(&self) -> Vec<ToolSpec> {
        self.toolbox.tools().map(spec).collect()
    }

    fn coerced(&self, tool: &ToolName, arguments: Arguments) -> Arguments {
        self.toolbox.coerced(tool, arguments)
    }

    async fn call(
        &self,
        call_id: CallId,
        tool: &ToolName,
        arguments: Arguments,
        terms: CallTerms,
    ) -> ToolCall {
        let CallTerms { consent, pauses, images, trial_only, on_output, cancel } = terms;
        let on_output = Some(on_output);
        let context = self.context.clone();
        let context = ToolContext { consent, pauses, images, trial_only, on_output, cancel, ..context };
        self.toolbox.call(call_id, tool, arguments, &context).await
    }

    async fn rehearse(
        &self,
        command: &str,
        world: &Perturbation,
        rules: Rules,
        within: Duration,
    ) -> Result<Rehearsed, NotRehearsed> {
        let rehearsal = Rehearsal::new(&self.toolbox, self.context.clone(), rules);
        rehearsal.run(&[command], world, within).await
    }

    fn watches_changes(&self) -> bool {
        self.context.snapshot.is_some()
    }

    fn goes_on(&self, call: &ToolCall) -> bool {
        call.tool.is(ToolKind::Job) || self.context.jobs.is_any_running() || self.context.seen.have_news()
    }

    fn kept(&self, evidence: &EvidenceId) -> Option<Vec<u8>> {
        self.context.evidence.get(evidence).ok()
    }

    fn now(&self) -> DateTime<FixedOffset> {
        self.context.time.now()
    }
}

fn spec(tool: &dyn Tool) -> ToolSpec {
    ToolSpec {
        name: tool.name(),
        summary: tool.summary().to_owned(),
        description: tool.description().to_owned(),
        in_this_run: tool.in_this_run(),
        arguments: Arc::new(tool.arguments()),
        output_is_answer: tool.output_is_answer(),
        only_looks: match tool.effect() {
            ToolEffect::Reads | ToolEffect::Network | ToolEffect::Server(ServerReach::Nothing) => true,
            ToolEffect::Creates
            | ToolEffect::Edits
            | ToolEffect::Runs
            | ToolEffect::Apps
            | ToolEffect::Server(ServerReach::Folders | ServerReach::Elsewhere)
            | ToolEffect::Unknown => false,
        },
    }
}
