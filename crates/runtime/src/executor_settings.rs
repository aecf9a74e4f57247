//! Settings of the executor (R3) of one run.

use std::{sync::Arc, time::Duration};

use artoo_executor::{Environment, Provenance, Settings, Terms};
use artoo_ggs_core::Profile;
use artoo_llm_client::Silence;
use artoo_sandbox::{SandboxMode, reduced_mode};
use artoo_shared_memory::PATIENCE;
use artoo_types::{Approval, CallId, Foreign, SubTaskOutcome};
use uuid::Uuid;

use crate::{RunRequest, artoo::Parts, run_tools::OnThisMachine, workplace::workplace};

/// How much longer the executor waits for memory than memory may take: its answer has to arrive.
const ON_THE_WAY: Duration = Duration::from_millis(500);

/// The executor's settings for a run whose tools have this context, with the completed work of an earlier run
/// of the same request.
pub(crate) fn executor_settings(
    parts: &Parts,
    (request, kept): (&RunRequest, &[SubTaskOutcome]),
    (tools, silence): (OnThisMachine, &Silence),
) -> Settings {
    Settings {
        surroundings: request.surroundings.clone(),
        cancel: tools.context.cancel.clone(),
        tools: Arc::new(tools),
        terms: Terms {
            approval: request.approval,
            granted: request.granted.clone(),
            rules: parts.options.policy.clone(),
            person_present: request.person_present,
        },
        environment: Environment {
            workplace: workplace(request),
            approval: told_approval(request),
            person_present: request.person_present && request.approval != Approval::Never,
            constraints: request.constraints.clone(),
        },
        programs: parts.inventory.programs.clone(),
        instructions: request.instructions.clone().into(),
        samples: parts.options.acceptance.sampling,
        provenance: provenance(request, kept),
        attempt_deadline: parts.deadlines.attempt,
        silence: silence.clone(),
        parallel: parts.options.parallel.0,
        memory_patience: match parts.options.profile {
            Profile::Default => Some(PATIENCE + ON_THE_WAY),
            // It has no guards on calls.
            Profile::SpecV08 => None,
        },
        mint: Arc::new(|| CallId::new(Uuid::new_v4())),
        conversation: None,
    }
}

/// Before what a model is told that somebody is asked: in reduced mode before each command that is not known to
/// read only, whatever was configured.
fn told_approval(request: &RunRequest) -> Approval {
    match (request.sandbox, request.approval, reduced_mode()) {
        (SandboxMode::WorkspaceWrite, Approval::Auto, Some(_)) => Approval::Ask,
        (_, approval, _) => approval,
    }
}

/// Which text the user wrote for this run, and which not: outputs in the conversation and in the previous
/// run, and the instructions. An instruction file may have come with a foreign repository, so its words grant
/// no more than those of any other file.
fn provenance(request: &RunRequest, kept: &[SubTaskOutcome]) -> Provenance {
    let surroundings = &request.surroundings;
    let folders = [&surroundings.working_folder, &surroundings.workspace, &surroundings.home];
    let folders: Vec<String> = folders.into_iter().map(|folder| folder.display().to_string()).collect();
    let calls = kept.iter().flat_map(|outcome| &outcome.tool_calls).map(|call| call.output.shown.clone());
    let outputs = kept.iter().map(|outcome| match outcome.output.as_str() {
        Some(text) => text.to_owned(),
        None => outcome.output.to_string(),
    });
    let results: Vec<String> =
        request.turns.iter().map(|turn| turn.beside() + &turn.result).chain(outputs).chain(calls).collect();
    let typed = request.turns.iter().map(|turn| turn.input.as_str()).chain([request.text.as_str()]);
    let instructions =
        request.instructions.iter().map(|instruction| (Foreign::File, instruction.text.as_str()));
    let brought_in = results.iter().map(|result| (Foreign::Unknown, result.as_str())).chain(instructions);
    Provenance::new(typed.chain(folders.iter().map(String::as_str)), brought_in)
}
