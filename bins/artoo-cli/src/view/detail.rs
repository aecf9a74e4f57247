//! The lines of `-v`: each event with the code of its role, and all figures.

use artoo_runtime::events::{Event, InstructionFile, Line};
use artoo_types::{OutcomeStatus, PairMemory, Role, ToldChanges};

use super::approval::{Asked, decision, question};
use super::layout::Frame;
use super::preview::glance;
use super::steps::planned;
use super::units::{bytes, counted, seconds};
use super::{labels, loss, memory};
use crate::terminal::Style;
use std::ffi::OsStr;
use std::path::Path;
use std::time::Duration;

/// Context from earlier events that a line depends on.
#[derive(Clone, Copy, Debug)]
pub(super) struct Before<'a> {
    /// The displayed number of the event's subtask.
    pub(super) subtask: Option<usize>,
    /// The losses so far, including this one.
    pub(super) losses: &'a [f64],
    /// The number of the plan.
    pub(super) plan: u32,
    /// The command or arguments of the call that the event ends.
    pub(super) call: Option<&'a str>,
    /// The folder that the run works in.
    pub(super) folder: Option<&'a Path>,
}

/// The lines that an event adds to the detailed view; empty for events that only the status line or the result shows.
pub(super) fn lines(line: &Line, before: Before<'_>, frame: Frame) -> Vec<String> {
    let code = labels::code(line.role);
    let one = |depth: usize, style: Option<Style>, text: String| vec![frame.line(code, depth, style, &text)];
    let number = before.subtask.map(|number| format!("{number} ")).unwrap_or_default();
    match &line.event {
        Event::RunStarted { request, errand, instructions, .. } => {
            let sign = frame.sign(labels::errand(*errand), "request:");
            let mut lines = vec![frame.bare(Style::Strong, &format!("{sign} {request}"))];
            lines.extend(followed(instructions, frame));
            lines
        }
        Event::ClarificationRequested { questions, .. } => questions
            .iter()
            .map(|question| frame.whole().line(code, 0, Some(Style::Notice), &format!("? {question}")))
            .collect(),
        Event::RequestUnderstood { intent } => {
            vec![frame.whole().line(code, 0, Some(Style::Notice), &format!("understood: {intent}"))]
        }
        Event::ClarificationAnswered { answer, .. } => {
            let said = if answer.trim().is_empty() { "go ahead" } else { answer.trim() };
            one(1, None, format!("answered: {said}"))
        }
        Event::NoteGiven { text } => vec![frame.bare(Style::Strong, &format!("» {text}"))],
        Event::MemoryRecalled { recalled, laws } => {
            let known = recalled.iter().filter(|known| known.potentials.attention > 0.0 || frame.verbose);
            let mut lines = Vec::new();
            for (at, PairMemory { pair, reason, potentials, sops, experiences }) in known.enumerate() {
                let advice = labels::advice(potentials.action);
                let about =
                    if at == 0 { String::new() } else { format!(" on {pair}{}", memory::why(reason)) };
                let head = format!(
                    "memory advises{about}: {advice} (attention {:.2}, decision {:+.2})",
                    potentials.attention, potentials.decision
                );
                lines.extend(one(0, None, head));
                lines.extend(sops.iter().map(|sop| frame.line(code, 1, None, &sop.content)));
                if frame.verbose {
                    let told = experiences
                        .iter()
                        .map(|told| frame.line(code, 1, Some(Style::Faint), &memory::experience(told)));
                    lines.extend(told);
                }
            }
            lines.extend(
                laws.iter().map(|law| frame.line(code, 0, None, &format!("your law: {}", law.content))),
            );
            lines
        }
        Event::PlanProposed { subtasks, kept, task_criteria, memory } => {
            let mut head =
                format!("plan {}: {}", before.plan, counted(subtasks.len() as u64, "step", "steps"));
            if !kept.is_empty() {
                head.push_str(&format!(", {} kept", kept.len()));
            }
            if !memory.used.is_empty() {
                let used = counted(memory.used.len() as u64, "thing", "things");
                head.push_str(&format!(", made with {used} from memory"));
            }
            let mut lines = one(0, Some(Style::Strong), head);
            let steps = (1..).zip(subtasks).map(|(at, subtask)| planned(at, subtask));
            lines.extend(steps.map(|step| frame.line(code, 1, None, &step)));
            if frame.verbose {
                let criteria = task_criteria.iter().map(|criterion| format!("criterion: {}", criterion.text));
                lines.extend(criteria.map(|text| frame.line(code, 1, Some(Style::Faint), &text)));
            }
            lines
        }
        Event::PlanApprovalRequested { subtasks } => {
            let frame = frame.whole();
            let head = format!("? run plan {}? nothing of it has run yet", before.plan);
            let mut lines = vec![frame.line(code, 0, Some(Style::Notice), &head)];
            for (at, subtask) in (1..).zip(subtasks) {
                lines.push(frame.line(code, 1, None, &planned(at, subtask)));
                let criteria = subtask.success_criteria.iter();
                lines.extend(
                    criteria.map(|criterion| {
                        frame.line(code, 2, None, &format!("done when: {}", criterion.text))
                    }),
                );
            }
            lines
        }
        Event::PlanApprovalDecided { granted, reason } => one(
            0,
            Some(Style::Notice),
            format!("{}: {reason}", if *granted { "runs" } else { "does not run" }),
        ),
        Event::ContinuationRequested { asked } => {
            let frame = frame.whole();
            let head = format!("? this has taken {} so far; go on?", asked.taken());
            vec![frame.line(code, 0, Some(Style::Notice), &head)]
        }
        Event::ContinuationDecided { granted, reason } => one(
            0,
            Some(Style::Notice),
            format!("{}: {reason}", if *granted { "goes on" } else { "ends here" }),
        ),
        Event::SubTaskStarted { intent, success_criteria, .. } => {
            let mut lines = vec![frame.line("R3", 0, None, &format!("{number}{intent}"))];
            if frame.verbose {
                let criteria =
                    success_criteria.iter().map(|criterion| format!("criterion: {}", criterion.text));
                lines.extend(criteria.map(|text| frame.line("R3", 1, Some(Style::Faint), &text)));
            }
            lines
        }
        Event::ToolStarted { .. } | Event::ToolOutput { .. } => Vec::new(),
        Event::ApprovalRequested { .. } => {
            let asked = Asked::in_event(&line.event, before.folder);
            asked.map(|asked| question(&asked, code, frame)).unwrap_or_default()
        }
        Event::ApprovalDecided { granted, scope, reason, instead, .. } => {
            let text = decision(*granted, *scope, reason, instead.as_deref());
            vec![frame.whole().line(code, 1, Some(Style::Notice), &text)]
        }
        Event::ToolFinished {
            tool,
            ending,
            failure,
            duration_ms,
            shown,
            dropped_bytes,
            files,
            build_output,
            held,
            ..
        } => {
            let took = seconds(Duration::from_millis(*duration_ms));
            // A line end ends a command; a blank in its place would read like another one.
            let lines: Vec<&str> = before.call.unwrap_or_default().trim_end().lines().collect();
            let call = lines.join(frame.sign(" ⏎ ", " (next line) "));
            let (style, came) = match failure {
                None => (None, glance(shown)),
                Some(failure) => {
                    let ending =
                        labels::ending(ending).map(|ending| format!("{ending}, ")).unwrap_or_default();
                    (Some(Style::Bad), format!("failed: {ending}{}", failure.reason))
                }
            };
            let cut = if *dropped_bytes > 0 { ", output cut" } else { "" };
            let mut lines = one(
                1,
                style,
                format!("{number}{tool} {call}{}{came} ({took}{cut})", frame.sign(" → ", ", result: ")),
            );
            lines.extend(
                held.iter().map(|held| frame.line(code, 2, Some(Style::Notice), &memory::held(held))),
            );
            let told = ToldChanges::of(files);
            let named = told.named.iter().flat_map(|file| match &file.moves {
                Some(moves) if !moves.lines().is_empty() => moves.lines(),
                Some(_) | None => vec![format!("{} {}", file.change.name(), file.path.display())],
            });
            let counted = told.counted.iter().map(|more| format!("and {more}"));
            let built = build_output.iter().map(|folder| format!("and {folder}"));
            lines.extend(named.chain(counted).chain(built).map(|text| frame.line(code, 2, None, &text)));
            if frame.verbose && shown.lines().count() > 1 {
                lines.extend(shown.lines().map(|text| frame.line(code, 2, Some(Style::Faint), text)));
            }
            lines
        }
        Event::Verdict { criterion, pass: true, judge, .. } => one(
            1,
            Some(Style::Good),
            format!("{number}{}met: {criterion} ({})", frame.sign("✓ ", ""), labels::judge(*judge)),
        ),
        Event::Verdict { criterion, pass: false, judge, class, reason, .. } => {
            let class = class.map(|class| format!(", {}", labels::class(class))).unwrap_or_default();
            let reason = reason.as_deref().map(|reason| format!(": {reason}")).unwrap_or_default();
            let (mark, judge) = (frame.sign("✗ ", ""), labels::judge(*judge));
            let text = format!("{number}{mark}unmet: {criterion}{reason} ({judge}{class})");
            one(1, Some(Style::Bad), text)
        }
        Event::Correction { correction } => {
            let next = correction.attempt.saturating_add(1);
            let (mark, what) = (frame.sign("↻ ", ""), &correction.what_to_do);
            one(1, Some(Style::Notice), format!("{number}{mark}attempt {next}: {what}"))
        }
        Event::SubTaskFinished { status, failure_reason, .. } => {
            let style = match status {
                OutcomeStatus::Matched => None,
                OutcomeStatus::Failed | OutcomeStatus::Skipped | OutcomeStatus::Unjudged => Some(Style::Bad),
            };
            let why = failure_reason.as_deref().map(|why| format!(": {why}")).unwrap_or_default();
            one(0, style, format!("{number}{}{why}", labels::status(*status)))
        }
        Event::RoundScored { loss, grad_goal, .. } => {
            one(0, None, loss::scored(loss, *grad_goal, before.losses, frame))
        }
        Event::Directive {
            prev,
            current,
            blocked_tools,
            blocked_targets,
            blocked_programs,
            blocked_approaches,
            rationale,
            ..
        } => {
            let text = format!(
                "{}{}{}: {rationale}",
                prev.name(),
                frame.sign(" -> ", " to "),
                labels::state(*current)
            );
            let mut lines = one(0, Some(Style::Notice), text);
            let blocked = loss::blocked(blocked_tools, blocked_targets, blocked_programs, blocked_approaches);
            lines.extend(blocked.map(|text| frame.line(code, 1, None, &text)));
            lines
        }
        Event::MemoryWritten { space, entity, state, sigma, .. } => {
            if !frame.verbose {
                return Vec::new();
            }
            let state = labels::megram(*state);
            let code = labels::code(Some(Role::SharedMemory));
            vec![frame.line(
                code,
                0,
                Some(Style::Faint),
                &format!("remembers {state} ({sigma:+.1}) for {space} / {entity}"),
            )]
        }
        Event::Usage { model, prompt_tokens, completion_tokens, elapsed_ms, error, .. } => match error {
            Some(error) => {
                vec![frame.whole().line(code, 1, Some(Style::Bad), &format!("model call failed: {error}"))]
            }
            None if frame.verbose => {
                let took = seconds(Duration::from_millis(*elapsed_ms));
                let text =
                    format!("{model}: {prompt_tokens} tokens read, {completion_tokens} written, {took}");
                one(1, Some(Style::Faint), text)
            }
            None => Vec::new(),
        },
        Event::Warning { message } => {
            vec![frame.whole().line(code, 0, Some(Style::Notice), &format!("warning: {message}"))]
        }
        Event::RunFinished { .. } | Event::RunUnfinished { .. } => Vec::new(),
    }
}

/// The instruction files that the run follows: one line, and each file in detail if verbose.
pub(super) fn followed(instructions: &[InstructionFile], frame: Frame) -> Vec<String> {
    let [first, ..] = instructions else { return Vec::new() };
    let all = bytes(instructions.iter().map(|file| file.bytes).sum());
    let name = Path::new(&first.source).file_name().and_then(OsStr::to_str).unwrap_or(&first.source);
    let files = counted(instructions.len() as u64, "file", "files");
    let mut lines = vec![frame.bare(Style::Faint, &format!("follows {name} ({files}, {all})"))];
    if frame.verbose {
        let row = |file: &InstructionFile| format!("{} ({})", file.source, bytes(file.bytes));
        lines.extend(instructions.iter().map(|file| frame.bare(Style::Faint, &row(file))));
    }
    lines
}
