//! Whether an attempt makes progress. What its calls brought decides, never their arguments: a command with another
//! comment, another window of the same file and another way to ask for the same thing bring nothing new.
//!
//! | what a turn brought | fruitless | stale |
//! |---|---|---|
//! | a line of output that differs from all before in more than figures; a change of a file that was not made before; words of the user that they have not said before | 0 | 0 |
//! | an output that differs in figures alone (a clock, a process id, a counter), a change that was made before, a job that still runs, an output seen before of a call whose effects nobody sees | 0 | +1 |
//! | nothing else than outputs that were seen since the last change; no call that ran | +1 | +1 |
//!
//! [`FRUITLESS`] turns of the last kind in a row, or [`STALE`] of the last two, end the attempt.

use std::{
    collections::HashSet,
    hash::{DefaultHasher, Hash, Hasher},
};

use artoo_types::{CallEnding, FileChange, OutputRecord, ToolCall, ToolKind};

use crate::attempt_end::was_started;

/// Number of consecutive turns that brought nothing at all, after which the attempt ends.
pub(super) const FRUITLESS: u32 = 8;
/// Number of consecutive turns that brought nothing new but figures, after which the attempt ends.
pub(super) const STALE: u32 = 32;
/// Number of consecutive turns that brought nothing at all, after which the model is told so.
const TOLD: u32 = 3;

/// What an attempt has seen, as hashes.
#[derive(Clone, Debug, Default)]
pub(super) struct Progress {
    /// Results since the last change.
    results: HashSet<u64>,
    /// Lines of output, without their figures.
    lines: HashSet<u64>,
    changes: HashSet<u64>,
    words: HashSet<u64>,
    fruitless: u32,
    stale: u32,
}

/// Why an attempt without progress ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Standstill {
    /// So many turns came to nothing.
    Fruitless(u32),
    /// So many turns brought nothing new but figures.
    Stale(u32),
}

/// How much of what a call brought is new, in ascending order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Novelty {
    Nothing,
    Figures,
    New,
}

impl Progress {
    /// Applies the calls of one turn. Each is given with whether it may have effects that nobody sees.
    pub(super) fn turn<'a>(&mut self, calls: impl Iterator<Item = (&'a ToolCall, bool)>) {
        let novelty = calls.map(|(call, hides)| self.novelty(call, hides)).max();
        self.count(novelty.unwrap_or(Novelty::Nothing));
    }

    /// Applies a turn without a call.
    pub(super) fn nothing(&mut self) {
        self.count(Novelty::Nothing);
    }

    /// Applies what the user said. A person does not repeat the same words for ever; a program may.
    pub(super) fn said(&mut self, words: &str) {
        let is_new = self.words.insert(hash(words.trim()));
        self.count(if is_new { Novelty::New } else { Novelty::Nothing });
    }

    /// Why the attempt ends, if it does.
    pub(super) fn standstill(&self) -> Option<Standstill> {
        if self.fruitless >= FRUITLESS {
            Some(Standstill::Fruitless(self.fruitless))
        } else if self.stale >= STALE {
            Some(Standstill::Stale(self.stale))
        } else {
            None
        }
    }

    /// What the model is told before a standstill ends the attempt.
    pub(super) fn warning(&self) -> Option<String> {
        (self.fruitless >= TOLD).then(|| {
            let turns = self.fruitless;
            format!(
                "The last {turns} turns showed nothing that was not seen before. Do something else, answer, or give up."
            )
        })
    }

    fn count(&mut self, novelty: Novelty) {
        (self.fruitless, self.stale) = match novelty {
            Novelty::Nothing => (self.fruitless.saturating_add(1), self.stale.saturating_add(1)),
            Novelty::Figures => (0, self.stale.saturating_add(1)),
            Novelty::New => (0, 0),
        };
    }

    fn novelty(&mut self, call: &ToolCall, hides: bool) -> Novelty {
        if !was_started(call) {
            return Novelty::Nothing;
        }
        let has_changed = call.changed_files();
        if has_changed {
            // After a change the same output says something else.
            self.results.clear();
        }
        // All are inserted, not only those up to the first new one.
        let new_changes = call.files.iter().filter(|file| self.changes.insert(change(file))).count();
        let has_new_result = self.results.insert(result(call));
        let shapes = [&call.output, &call.stderr].into_iter().flat_map(shapes);
        let new_lines = shapes.filter(|shape| self.lines.insert(*shape)).count();
        if new_changes > 0 || new_lines > 0 {
            Novelty::New
        } else if has_new_result || has_changed || hides || still_runs(call) {
            Novelty::Figures
        } else {
            Novelty::Nothing
        }
    }
}

/// Whether the call looked at a job that still runs.
fn still_runs(call: &ToolCall) -> bool {
    call.tool.is(ToolKind::Job) && call.ending == CallEnding::Returned && call.succeeded()
}

fn result(call: &ToolCall) -> u64 {
    let outputs = [&call.output, &call.stderr].map(|output| (output.bytes, whole(output)));
    let failure = call.failure.as_ref().map(|failure| failure.reason.as_str());
    hash(&(call.tool.as_str(), format!("{:?}", call.ending), failure, outputs))
}

/// What tells an output from others: the hash under which it is kept whole, or all of it.
fn whole(output: &OutputRecord) -> &str {
    output.evidence.as_ref().map_or(output.shown.as_str(), |evidence| evidence.as_str())
}

fn change(change: &FileChange) -> u64 {
    hash(&(&change.path, change.change, &change.moved_from, &change.diff, change.git_summary()))
}

/// The lines of an output, with a sign in place of each word that has a figure in it. A picture is one line.
fn shapes(output: &OutputRecord) -> Vec<u64> {
    if output.media_type.is_some() {
        return vec![hash(whole(output))];
    }
    let shape = |line: &str| {
        let words =
            line.split_whitespace().map(|word| if word.contains(char::is_numeric) { "#" } else { word });
        hash(&words.collect::<Vec<_>>())
    };
    output.shown.lines().filter(|line| !line.trim().is_empty()).map(shape).collect()
}

fn hash(value: &(impl Hash + ?Sized)) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use artoo_types::{Arguments, CallId, FileChangeKind, ToolName};
    use chrono::DateTime;
    use proptest::prelude::*;
    use serde_json::json;
    use uuid::Uuid;

    use super::*;

    fn call(tool: &str, command: &str, output: &str) -> ToolCall {
        let arguments: Arguments = [("command".to_owned(), json!(command))].into_iter().collect();
        let at = DateTime::UNIX_EPOCH.fixed_offset();
        let ending = CallEnding::Exited { status: 0 };
        let record =
            OutputRecord { shown: output.to_owned(), bytes: output.len() as u64, ..Default::default() };
        ToolCall {
            output: record,
            ..ToolCall::new(CallId::new(Uuid::nil()), ToolName::new(tool), arguments, ending, at)
        }
    }

    fn shell(output: &str) -> ToolCall {
        call("shell", "ls", output)
    }

    /// The turn at which an attempt with these calls ends, one a turn, and why.
    fn ends(calls: impl IntoIterator<Item = ToolCall>) -> Option<(usize, Standstill)> {
        let mut progress = Progress::default();
        (1..).zip(calls).find_map(|(turn, call)| {
            progress.turn(std::iter::once((&call, false)));
            progress.standstill().map(|why| (turn, why))
        })
    }

    fn changed(output: &str, diff: &str) -> ToolCall {
        let file = FileChange {
            diff: Some(diff.to_owned()),
            ..FileChange::new("/home/ada/a.txt", FileChangeKind::Changed)
        };
        ToolCall { files: vec![file], ..shell(output) }
    }

    /// HKUDS/nanobot#2298, superplanehq/superplane#4123: the same command with another comment each time.
    #[test]
    fn lesson_what_was_seen_is_nothing_new_whatever_the_command_says() {
        let commented = (0..).map(|turn| call("shell", &format!("ls docs # {turn}"), "a.txt\nb.txt"));
        assert_eq!(ends(commented), Some((9, Standstill::Fruitless(8))));
        let silent = (0..).map(|turn| call("shell", &format!("true # {turn}"), ""));
        assert_eq!(ends(silent), Some((9, Standstill::Fruitless(8))));
    }

    #[test]
    fn going_round_in_a_circle_is_no_way() {
        let outputs = ["alpha", "beta", "gamma"];
        let circle = (0..).map(|turn: usize| shell(outputs[turn % 3]));
        assert_eq!(ends(circle), Some((11, Standstill::Fruitless(8))));
        // A file is edited to and fro.
        let to_and_fro = (0..).map(|turn: usize| changed("", ["-a\n+b", "-b\n+a"][turn % 2]));
        assert_eq!(ends(to_and_fro), Some((34, Standstill::Stale(32))));
    }

    /// What differs by a clock, a process id or a counter: it may be what is asked about, so it has more turns.
    #[test]
    fn figures_alone_bring_nobody_on_for_ever() {
        let clock = (0..).map(|turn| shell(&format!("Fri Nov 27 21:{turn}:07 UTC 2026")));
        assert_eq!(ends(clock), Some((33, Standstill::Stale(32))));
        let listed = (0..).map(|turn| shell(&format!("total {turn}\n-rw-r--r-- 1 ada 12{turn} tmp.{turn}x")));
        assert_eq!(ends(listed), Some((33, Standstill::Stale(32))));
        let windows = (0..).map(|turn: usize| {
            let lines: Vec<_> =
                (0..5).map(|line| format!("{}: {}", line, ["a", "b", "c"][(turn + line) % 3])).collect();
            call("read_file", "x", &lines.join("\n"))
        });
        assert!(ends(windows).is_some_and(|(turn, _)| turn <= 40));
    }

    /// Tests are run again after each change, and say the same until the last.
    #[test]
    fn an_output_after_a_change_is_new() {
        let work = (0..200).map(|turn| match turn % 2 {
            0 => changed("edited", &format!("-x{turn}\n+y{turn}")),
            _ => shell("1 test failed"),
        });
        assert_eq!(ends(work), None);
    }

    #[test]
    fn a_job_that_runs_may_be_waited_for() {
        let running = || ToolCall {
            ending: CallEnding::Returned,
            ..call("job", "wait", "[job 1 is running; it can write only in $TMPDIR]")
        };
        let polls = std::iter::repeat_with(running).take(30).chain([shell("it is built")]);
        assert_eq!(ends(polls), None);
        assert_eq!(ends(std::iter::repeat_with(running)), Some((33, Standstill::Stale(32))));
    }

    /// A request to another machine is answered in the same way each time, and may change something there.
    #[test]
    fn what_nobody_sees_may_have_been_done() {
        let mut progress = Progress::default();
        let turns = (1..).find(|_| {
            progress.turn(std::iter::once((&shell("{\"ok\": true}"), true)));
            progress.standstill().is_some()
        });
        assert_eq!((turns, progress.standstill()), (Some(33), Some(Standstill::Stale(32))));
    }

    #[test]
    fn one_new_thing_in_a_turn_is_enough() {
        let mut progress = Progress::default();
        for turn in 0..100 {
            let (old, new) = (shell("old"), shell(&format!("line {}", "x".repeat(turn))));
            progress.turn([(&old, false), (&new, false)].into_iter());
            assert_eq!(progress.standstill(), None);
        }
    }

    #[test]
    fn the_user_may_say_anything_once() {
        let mut progress = Progress::default();
        for word in ["yes", "docs", "the second one"] {
            progress.said(word);
            assert_eq!((progress.fruitless, progress.stale), (0, 0));
        }
        (0..8).for_each(|_| progress.said("yes "));
        assert_eq!(progress.standstill(), Some(Standstill::Fruitless(8)));
        assert!(progress.warning().is_some());
    }

    proptest! {
        /// Whatever the calls put out: an attempt that changes nothing ends within 40 turns of its last new output.
        #[test]
        fn no_attempt_without_news_is_longer_than_40_turns(
            texts in prop::collection::vec("[a-z]{1,6}( [0-9]{1,4})?", 1..6),
            picks in prop::collection::vec(any::<prop::sample::Index>(), 1..60),
        ) {
            let picked: Vec<&String> = picks.iter().map(|pick| pick.get(texts.as_slice())).collect();
            let mut known = HashSet::new();
            let last_new = (1..).zip(&picked).filter(|(_, text)| known.insert(**text)).map(|(turn, _)| turn).last();
            let for_ever = std::iter::repeat(picked[0]);
            let (turn, _) = ends(picked.iter().copied().chain(for_ever).map(|text| shell(text))).unwrap();
            prop_assert!(turn <= last_new.unwrap_or(0) + 40);
        }
    }
}
