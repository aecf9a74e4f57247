//! Doubts that code raises about results whose steps all matched.

use std::path::PathBuf;

use artoo_checks::{Filesystem, Mentions, Record, unsupported_claim};
use artoo_judging::{Dependence, Grounds, Rerun, matters};
use artoo_types::{SubTaskOutcome, TaskSpec, ToolCall};

use crate::contradictions::{Results, contradiction};
use crate::left_alone::{concerns, left_alone};
use crate::not_made::not_made;

/// The maximum number of paths named by a request that are tested for their influence on a call.
const MOST_NAMED: usize = 6;

/// What code knows against the results.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Doubts {
    /// Why they cannot be accepted, whatever a judge says.
    pub(crate) refuted: Option<String>,
    /// Notes for the judge.
    pub(crate) told: Vec<String>,
    /// Whether the numbers and names occur in the outputs of calls.
    pub(crate) grounds: Grounds,
}

/// What is claimed to be done.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Claim<'a> {
    pub(crate) spec: &'a TaskSpec,
    /// What the request names, as it is now.
    pub(crate) mentions: &'a Mentions,
    /// The outcomes of earlier plans: what they looked at or made counts as well.
    pub(crate) before: &'a [SubTaskOutcome],
    /// The outcomes that count, all matched.
    pub(crate) outcomes: &'a [SubTaskOutcome],
    /// Whether the plan's author can say that a step is to make a link.
    pub(crate) links_are_declared: bool,
}

impl Doubts {
    /// Raises the doubts about a claim.
    pub(crate) async fn of(claim: Claim<'_>, world: &Filesystem, again: &dyn Rerun) -> Self {
        let Claim { spec, mentions, before, outcomes, links_are_declared } = claim;
        let calls: Vec<ToolCall> =
            before.iter().chain(outcomes).flat_map(|outcome| &outcome.tool_calls).cloned().collect();
        let answers: Vec<&SubTaskOutcome> =
            outcomes.iter().filter(|outcome| !outcome.is_about_a_deed()).collect();
        let mut doubts = Self { refuted: None, told: Vec::new(), grounds: Grounds::Shown };
        for outcome in &answers {
            let Some(answer) = outcome.output.as_str() else { continue };
            if let Some(unshown) = unshown(answer, spec, outcome, &calls) {
                // Two answers may have the same figure.
                if !doubts.told.contains(&unshown) {
                    doubts.told.push(unshown);
                }
                doubts.grounds = Grounds::Derived;
            }
        }
        let named = mentions.paths_after(calls.iter().flat_map(|call| &call.files));
        let named = named.as_slice();
        // A changed file has another content now, and a moved file another path.
        if answers.len() == outcomes.len() {
            doubts.of_named(named, &calls, world, again).await;
        } else {
            doubts.refuted = left_alone(named, &calls, world).map(|path| {
                format!("no call looked at {} or changed it, which the request names", path.display())
            });
        }
        let results = Results {
            request: &spec.intent,
            outcomes,
            calls: &calls,
            named,
            // A name that stands in R1's words alone is no demand of the user.
            not_made: not_made(mentions, &calls).filter(|path| is_named(path, &spec.raw_input)),
            links_are_declared,
        };
        doubts.refuted = doubts.refuted.or_else(|| contradiction(&results, world));
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
            calls.iter().any(|call| call.may_have_built(path))
                || calls
                    .iter()
                    .flat_map(|call| &call.files)
                    .any(|file| world.place(&file.path).starts_with(path))
        };
        for path in named.iter().filter(|path| !is_changed(path)).take(MOST_NAMED) {
            // What could not be found out says nothing against the results.
            if matters(calls, path, world, again).await != Dependence::Independent {
                continue;
            }
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            let is_named = calls.iter().any(|call| call.target().contains(name.as_ref()));
            // A name without an ending is often a word of the language.
            let is_left_alone = path.is_file()
                && path.extension().is_some()
                && !calls.iter().any(|call| concerns(call, path, world));
            if is_left_alone || (!is_named && named.len() == 1) {
                self.refuted = Some(format!(
                    "every call puts out the same where {} cannot be read, which the request names",
                    path.display()
                ));
            }
        }
    }
}

/// Whether the user's own words name the file.
fn is_named(path: &str, words: &str) -> bool {
    words.contains(path.rsplit('/').next().unwrap_or(path))
}

/// The parts of an answer that occur in no call of the run: they may be derived from parts that do.
fn unshown(answer: &str, spec: &TaskSpec, outcome: &SubTaskOutcome, calls: &[ToolCall]) -> Option<String> {
    // Beside a figure that was put out, one that a command was made with needs no evidence of its own.
    let made_with: String = calls.iter().map(|call| format!("{}\n", call.target())).collect();
    let named = format!("{} {}\n{made_with}", spec.intent, outcome.intent);
    let lacks = unsupported_claim(answer, false, Record { tool_calls: calls, earlier: &[] }, &named)?;
    Some(format!(
        "{lacks}. Pass only if it follows from the outputs, as a sum or a count does. Then give its part a key \"from\": a list of the texts from which it follows, each copied from an output word for word"
    ))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use artoo_judging::{NoRerun, conformance::call};
    use artoo_types::{Arguments, FileChange, FileChangeKind, OutcomeStatus, RunId, StepKind, SubTaskId};

    use super::*;

    /// A call of this command, which put this out and made these changes.
    fn shell(command: &str, output: &str, changes: &[(&str, FileChangeKind, &str)]) -> ToolCall {
        let arguments: Arguments = [("command".to_owned(), command.into())].into_iter().collect();
        let change = |(path, kind, line): &(&str, FileChangeKind, &str)| FileChange {
            diff: Some(format!("--- before\n+++ after\n@@ -1 +1 @@\n+{line}\n")),
            ..FileChange::new(*path, *kind)
        };
        ToolCall { arguments, files: changes.iter().map(change).collect(), ..call(1, output, true) }
    }

    async fn doubts(request: &str, kind: StepKind, answer: &str, call: ToolCall) -> Doubts {
        let home = tempfile::tempdir().unwrap();
        let root = home.path().canonicalize().unwrap();
        for name in ["vat.py", "test_money.py", "app.py", "README.md", "IMG_1.jpg"] {
            fs::write(root.join(name), "x").unwrap();
        }
        let files = call.files.iter();
        let files = files.map(|file| FileChange { path: root.join(&file.path), ..file.clone() }).collect();
        let world = Filesystem::new(&root, &root, call.started_at);
        let outcome = SubTaskOutcome {
            kind,
            output: answer.into(),
            tool_calls: vec![ToolCall { files, ..call }],
            ..SubTaskOutcome::new(
                SubTaskId::new(uuid::Uuid::nil()),
                RunId::OPERATOR,
                request,
                OutcomeStatus::Matched,
            )
        };
        let (spec, mentions) = (TaskSpec::verbatim(request), Mentions::of(request, &world));
        let claim = Claim {
            spec: &spec,
            mentions: &mentions,
            before: &[],
            outcomes: &[outcome],
            links_are_declared: true,
        };
        Doubts::of(claim, &world, &NoRerun).await
    }

    /// Notes of this kind were told in real work, and none of them pointed at a fault.
    #[tokio::test]
    async fn finding_14_nothing_is_told_of_what_is_right() {
        use FileChangeKind::{Changed, Created};
        use StepKind::{Change, FindOut};
        for (request, kind, answer, call) in [
            (
                "Fix what test_money.py finds wrong",
                Change,
                "Mended.",
                shell("python3 test_money.py", "ok", &[("vat.py", Changed, "x = 1")]),
            ),
            (
                "Give app.py an option -q; the README should mention it",
                Change,
                "It is there.",
                shell("./change app.py", "", &[("app.py", Changed, "-q"), ("README.md", Changed, "-q")]),
            ),
            (
                "Write all totals without tax and with names into app.py",
                Change,
                "Done.",
                shell("./totals app.py", "", &[("app.py", Changed, "all totals with tax and with names")]),
            ),
            (
                "Rename the photos to YYYY-MM-DD_n.jpg",
                Change,
                "One photo is renamed.",
                shell("./rename", "", &[("2026-03-12_1.jpg", Created, "")]),
            ),
            (
                "Which scan is the newest?",
                FindOut,
                "scan of May (1).pdf",
                shell("ls -b", "scan\\ of\\ May\\ \\(1\\).pdf", &[]),
            ),
            (
                "What does /div answer?",
                FindOut,
                "On port 8123 it answers 4",
                shell("curl http://127.0.0.1:8123/div", "4", &[]),
            ),
            (
                "How long does test_money.py take?",
                FindOut,
                "2 s",
                shell("time python3 test_money.py", "2", &[]),
            ),
        ] {
            let doubts = doubts(request, kind, answer, call).await;
            let nothing = Doubts { refuted: None, told: Vec::new(), grounds: Grounds::Shown };
            assert_eq!(doubts, nothing, "{request}");
        }
    }

    #[tokio::test]
    async fn a_figure_that_no_call_shows_is_told() {
        let call = shell("grep -c TODO notes.txt", "4", &[]);
        let doubts = doubts("How many are to do?", StepKind::FindOut, "5", call).await;
        assert_eq!((doubts.refuted, doubts.grounds), (None, Grounds::Derived));
        assert!(doubts.told.len() == 1 && doubts.told[0].contains("the number 5"), "{:?}", doubts.told);
    }
}
