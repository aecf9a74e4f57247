use artoo_types::{
    ActionState, Basis, BlockedApproach, BlockedProgram, BlockedTarget, ControlSettings, DominantClass,
    FailureReport, FailureReportRequest, FinalResult, Hyperparameters, Loss, Mode, OutcomeStatus,
    PartialOutput, PlanDirective, PrevDirective, SolverOrigin, StructuredOutput, TerminalState, ToolName,
    UnitInterval, UnmetCriterion,
};
use serde_json::json;

use super::{outcome, run_id, subtask_id, task_id, watch};

fn loss() -> Loss {
    Loss {
        d: UnitInterval::clamped(0.5),
        p: UnitInterval::clamped(1.0),
        omega: UnitInterval::clamped(0.25),
        l: 0.7,
    }
}

fn unmet() -> UnmetCriterion {
    UnmetCriterion {
        criterion: "from 1 to 99 files".to_owned(),
        mode: Mode::Verifiable,
        subtask_id: Some(subtask_id(2)),
        reason: "expected a number from 1 to 99, found 0".to_owned(),
    }
}

fn partial() -> PartialOutput {
    PartialOutput {
        subtask_id: subtask_id(1),
        intent: "Name the largest .txt file in docs".to_owned(),
        status: OutcomeStatus::Matched,
        output: json!({"file": "docs/2025/a.txt", "bytes": 812}),
    }
}

pub(super) fn settings() -> ControlSettings {
    ControlSettings {
        version: "0.1.0".to_owned(),
        solver: SolverOrigin::BuiltIn,
        hyperparameters: Hyperparameters { delta: 0.0, ..Hyperparameters::default() },
        tools: ["glob", "shell"].map(ToolName::new).into(),
        programs: [BlockedProgram { tool: ToolName::new("shell"), program: "find".to_owned() }].into(),
    }
}

pub(super) fn plan_directive() -> PlanDirective {
    PlanDirective {
        task_id: task_id(),
        round: 2,
        loss: loss(),
        prev_directive: PrevDirective::Action(ActionState::Refine),
        directive: ActionState::ChangeApproach,
        blocked_tools: vec![ToolName::new("glob")],
        blocked_targets: vec![BlockedTarget {
            tool: ToolName::new("shell"),
            target: "wc -c docs/*.txt > sizes".to_owned(),
        }],
        blocked_programs: vec![BlockedProgram { tool: ToolName::new("shell"), program: "perl".to_owned() }],
        blocked_approaches: vec![BlockedApproach {
            tool: ToolName::new("shell"),
            approach: "Count the .txt files in docs".to_owned(),
        }],
        failed_criterion: "from 1 to 99 files".to_owned(),
        unmet: vec![unmet()],
        failure_class: DominantClass::Logical,
        grad_l: 0.125,
        grad_goal: -0.0625,
        rationale: "The loss moves and the failures are logical: another method.".to_owned(),
    }
}

pub(super) fn failure_report_request() -> FailureReportRequest {
    FailureReportRequest {
        task_id: task_id(),
        reason: "no replans are left".to_owned(),
        unmet: vec![unmet()],
        partial: vec![partial()],
    }
}

pub(super) fn failure_report() -> FailureReport {
    FailureReport {
        task_id: task_id(),
        text:
            "The largest file is known. The count is not: docs could not be searched. Next: name the folder."
                .to_owned(),
    }
}

pub(super) fn final_result() -> FinalResult {
    FinalResult {
        run_id: run_id(),
        task_id: task_id(),
        summary: "The largest file is docs/2025/a.txt; the count is missing.".to_owned(),
        output: json!({"largest": "docs/2025/a.txt"}),
        basis: Basis::Model,
        structured: Some(StructuredOutput::Missing("the count stands nowhere".to_owned())),
        loss: loss(),
        grad_l: 0.125,
        grad_goal: -0.0625,
        replans: 3,
        prev_directive: PrevDirective::Action(ActionState::ChangePath),
        directive: TerminalState::Abandon,
        confidence: Some(outcome::confidence()),
        unmet: vec![unmet()],
        partial: vec![partial()],
        gave_up: Some(outcome::gave_up()),
        fault: Some(watch::fault()),
    }
}
