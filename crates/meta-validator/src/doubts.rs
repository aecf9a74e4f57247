//! Doubts that code raises about results whose steps all matched.

use std::path::PathBuf;

use artoo_checks::{Filesystem, Record, contradicting_hit, named_paths, same_answer, unsupported_claim};
use artoo_judging::{Dependence, Grounds, Rerun, matters};
use artoo_types::{SubTaskOutcome, TaskSpec, ToolCall};

use crate::contradictions::{Results, contradiction};
use crate::copied::almost_copied;
use crate::left_alone::{concerns, left_alone};
use crate::unasked::{not_made, not_named};

/// The maximum number of paths named by a request that are tested for their influence on a call.
const MOST_NAMED: usize = 6;

/// Known and possible defects of the results.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Doubts {
    /// Why they cannot be accepted, whatever a judge says.
    pub(crate) refuted: Option<String>,
    /// Notes for the judge.
    pub(crate) told: Vec<String>,
    /// Whether the numbers and names occur in the outputs of calls.
    pub(crate) grounds: Grounds,
    /// What makes the results no surer than what was found out in one way alone.
    pub(crate) doubted: Option<String>,
}

/// An answer that a judge of this run rejected, with the reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Refused {
    pub(crate) answer: String,
    pub(crate) reason: String,
}

impl Doubts {
    /// Raises the doubts about these outcomes, all of which matched. `before` are the outcomes of earlier plans:
    /// what they looked at or made counts as well.
    pub(crate) async fn of(
        spec: &TaskSpec,
        (before, outcomes): (&[SubTaskOutcome], &[SubTaskOutcome]),
        refused: &[Refused],
        world: &Filesystem,
        again: &dyn Rerun,
        links_are_declared: bool,
    ) -> Self {
        let calls: Vec<ToolCall> =
            before.iter().chain(outcomes).flat_map(|outcome| &outcome.tool_calls).cloned().collect();
        let answers: Vec<&SubTaskOutcome> =
            outcomes.iter().filter(|outcome| !outcome.is_about_a_deed()).collect();
        let mut doubts = Self { refuted: None, told: Vec::new(), grounds: Grounds::Shown, doubted: None };
        for outcome in &answers {
            let Some(answer) = outcome.output.as_str() else { continue };
            doubts.told.extend(contradicting_hit(answer, &spec.intent, &outcome.tool_calls, world));
            if let Some(unshown) = unshown(answer, spec, outcome, &calls) {
                doubts.told.push(unshown);
                doubts.grounds = Grounds::Derived;
            }
            let before = refused.iter().find(|refused| same_answer(&refused.answer, answer));
            doubts.told.extend(
                before.map(|before| {
                    format!("the same answer was refused before in this run: {}", before.reason)
                }),
            );
        }
        let named = named_paths(&spec.intent, world);
        // A changed file has another content now, and a moved file another path.
        if answers.len() == outcomes.len() {
            doubts.of_named(&named, &calls, world, again).await;
        } else {
            doubts.refuted = left_alone(&named, &calls, world).map(|path| {
                format!("no call looked at {} or changed it, which the request names", path.display())
            });
        }
        let not_made = not_made(&spec.intent, &calls, world);
        let results = Results {
            request: &spec.intent,
            outcomes,
            calls: &calls,
            named: &named,
            not_made: not_made.as_deref(),
            links_are_declared,
        };
        doubts.refuted = doubts.refuted.or_else(|| contradiction(&results, world));
        doubts.doubted = doubted(&results, world);
        doubts.told.extend(doubts.doubted.clone());
        doubts
    }

    /// Tests whether the paths that the request names affect any call.
    async fn of_named(
        &mut self,
        named: &[PathBuf],
        calls: &[ToolCall],
        world: &Filesystem,
        again: &dyn Rerun,
    ) {
        // A file that was changed since a call looked at it can no longer be compared.
        let is_changed = |path: &PathBuf| {
            calls.iter().flat_map(|call| &call.files).any(|file| world.place(&file.path).starts_with(path))
        };
        for path in named.iter().filter(|path| !is_changed(path)).take(MOST_NAMED) {
            match matters(calls, path, world, again).await {
                Dependence::Depends => {}
                Dependence::Unknown(reason) => self.told.push(format!(
                    "whether any call depends on {} could not be found out: {reason}",
                    path.display()
                )),
                Dependence::Independent => {
                    let name = path.file_name().unwrap_or_default().to_string_lossy();
                    let is_named = calls.iter().any(|call| call.target().contains(name.as_ref()));
                    // A name without an ending is often a word of the language.
                    let is_left_alone = path.is_file()
                        && path.extension().is_some()
                        && !calls.iter().any(|call| concerns(call, path, world));
                    let says =
                        format!("every call puts out the same where {} cannot be read", path.display());
                    if !is_left_alone && (is_named || named.len() > 1) {
                        self.told.push(says);
                    } else {
                        self.refuted = Some(format!("{says}, which the request names"));
                    }
                }
            }
        }
    }
}

/// What makes it doubtful that what was changed, if anything, is what was asked for.
fn doubted(results: &Results<'_>, world: &Filesystem) -> Option<String> {
    let Results { request, calls, named, not_made, .. } = *results;
    let not_made =
        not_made.map(|path| format!("the request names {path}, which is nowhere, and no call made it"));
    let not_named = || {
        let path = not_named(request, named, calls, world)?;
        Some(format!("{} was changed, which the request does not name", path.display()))
    };
    let almost = || {
        let (said, written) = almost_copied(request, calls)?;
        Some(format!("the request says \"{said}\", and \"{written}\" was written"))
    };
    not_made.or_else(not_named).or_else(almost)
}

/// The parts of an answer that occur in no call of the run: they may be derived from parts that do.
fn unshown(answer: &str, spec: &TaskSpec, outcome: &SubTaskOutcome, calls: &[ToolCall]) -> Option<String> {
    let named = format!("{} {}", spec.intent, outcome.intent);
    let lacks = unsupported_claim(answer, false, Record { tool_calls: calls, earlier: &[] }, &named)?;
    Some(format!(
        "{lacks}; pass it only if it follows from what is shown, as a sum or a count does, and quote that in \"from\", word for word"
    ))
}
