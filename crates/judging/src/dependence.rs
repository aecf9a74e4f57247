//! Dependence of a call's output on its subject.
//!
//! A command is run again with its subject unreadable. If the output stays the same, it says nothing about
//! the subject, whatever it is: a literal, a search whose result was discarded, a leftover result, a look
//! into the wrong file. The test reads no words of any language and asks no model. Source:
//! `docs/design/acceptance.md`.

use std::path::PathBuf;
use std::time::Duration;

use artoo_checks::{Filesystem, runs_program};
use artoo_types::{CallEnding, CallId, Perturbation, ToolCall, ToolKind};
use async_trait::async_trait;
use tokio::time::Instant;

use crate::content_dependence::on_the_content;

/// Runs calls again in a sandbox in which nothing persists.
///
/// *Contract.* The calls run in order in the working folder, without the network, and each sees the writes of
/// the previous ones. The world differs from the real one as the perturbation says. A command that the person's rules refuse is not
/// run. It has ended when this returns, at the latest after `within`.
///
/// *Who calls.* R4a and R4b, one after the other, if an answer names existing paths.
///
/// *Cancellation.* The future may be dropped at any await; the calls are then killed.
#[async_trait]
pub trait Rerun: Send + Sync {
    /// The output of the last of these calls.
    ///
    /// # Errors
    /// Why it was not run, or did not end, in words.
    async fn run_again(
        &self,
        calls: &[&ToolCall],
        world: &Perturbation,
        within: Duration,
    ) -> Result<PutOut, String>;
}

/// The output of a command.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PutOut {
    /// Standard output; in full or, if it is long, reduced to what distinguishes it.
    pub stdout: String,
    /// Standard error, in the same form.
    pub stderr: String,
    /// The exit status.
    pub status: i32,
}

impl PutOut {
    /// Whether two outputs are equal. Standard error counts only if standard output is empty.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        let quiet = self.stdout.trim().is_empty() && other.stdout.trim().is_empty();
        self.status == other.status
            && self.stdout.trim_end() == other.stdout.trim_end()
            && (!quiet || self.stderr.trim_end() == other.stderr.trim_end())
    }
}

/// Runs nothing again, so that a judge decides alone.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoRerun;

#[async_trait]
impl Rerun for NoRerun {
    async fn run_again(&self, _: &[&ToolCall], _: &Perturbation, _: Duration) -> Result<PutOut, String> {
        Err("nothing can be run again here".to_owned())
    }
}

/// The result of the test for one call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Dependence {
    /// The output differs if the subject cannot be read.
    Depends,
    /// The output stays the same.
    Independent,
    /// The dependence cannot be determined.
    Unknown(String),
}

/// The longest original duration of a call that is run again, and its time limit when it is.
const LONGEST_CALL: Duration = Duration::from_secs(5);
/// The time limit for all calls of one question. A call that was not run by then has an unknown dependence.
const ALTOGETHER: Duration = Duration::from_secs(12);
/// The maximum number of calls tested, the last first: an answer mostly rests on the last calls.
const MOST_CALLS: usize = 8;

/// Tests the calls that showed something for their dependence on `subject`, which are real, existing paths.
/// Calls that are not in the result are unknown.
///
/// Tools with path arguments depend on those paths; a command is run again, after the commands before it.
pub async fn dependences(
    calls: &[ToolCall],
    subject: &[PathBuf],
    world: &Filesystem,
    again: &dyn Rerun,
) -> Vec<(CallId, Dependence)> {
    let began = Instant::now();
    let mut found = Vec::new();
    if subject.is_empty() {
        return found;
    }
    for (position, call) in calls.iter().enumerate().rev().filter(|(_, call)| call.showed()).take(MOST_CALLS)
    {
        let before = calls.get(..=position).unwrap_or_default();
        let left = ALTOGETHER.saturating_sub(began.elapsed());
        found.push((call.call_id, of_the_last(before, subject, world, again, left).await));
    }
    found
}

/// Whether any of these calls depends on one path, tested from the last. Unknown if none does and at least
/// one could not be determined.
pub async fn matters(
    calls: &[ToolCall],
    path: &PathBuf,
    world: &Filesystem,
    again: &dyn Rerun,
) -> Dependence {
    let mut unknown = None;
    for end in (1..=calls.len()).rev().take(MOST_CALLS) {
        let before = calls.get(..end).unwrap_or_default();
        if !before.last().is_some_and(ToolCall::showed) {
            continue;
        }
        match of_the_last(before, std::slice::from_ref(path), world, again, LONGEST_CALL).await {
            Dependence::Depends => return Dependence::Depends,
            Dependence::Independent => {}
            Dependence::Unknown(reason) => unknown = Some(reason),
        }
    }
    unknown.map_or(Dependence::Independent, Dependence::Unknown)
}

/// The dependence of the last of these calls.
async fn of_the_last(
    calls: &[ToolCall],
    subject: &[PathBuf],
    world: &Filesystem,
    again: &dyn Rerun,
    within: Duration,
) -> Dependence {
    let Some(last) = calls.last() else { return Dependence::Unknown("there is no call".to_owned()) };
    if command(last).is_none() {
        return by_its_arguments(last, subject, world);
    }
    if within.is_zero() {
        return Dependence::Unknown("there was no time left".to_owned());
    }
    let commands: Vec<&ToolCall> =
        calls.iter().filter(|call| command(call).is_some() && call.ran()).collect();
    by_running(&commands, last, subject, again, within.min(LONGEST_CALL)).await
}

async fn by_running(
    calls: &[&ToolCall],
    last: &ToolCall,
    subject: &[PathBuf],
    again: &dyn Rerun,
    within: Duration,
) -> Dependence {
    let took: u64 = calls.iter().map(|call| call.duration_ms).sum();
    if Duration::from_millis(took) > LONGEST_CALL {
        return Dependence::Unknown("it took too long to be run again".to_owned());
    }
    let hidden = match again.run_again(calls, &Perturbation::Hidden(subject.to_vec()), within).await {
        Ok(put_out) => put_out,
        Err(reason) => return Dependence::Unknown(reason),
    };
    let record = recorded(last);
    if record.as_ref().is_some_and(|record| record.is_same(&hidden)) {
        return independent(subject).await;
    }
    // The output differs, either because of the hidden path or because the command is not deterministic.
    match again.run_again(calls, &Perturbation::AsIs, within).await {
        Ok(as_it_is) if as_it_is.is_same(&hidden) => independent(subject).await,
        Ok(as_it_is) if record.is_none_or(|record| record.is_same(&as_it_is)) => {
            on_the_content(calls, &as_it_is, subject, again, within).await
        }
        Ok(_) => Dependence::Unknown("it puts out something else each time".to_owned()),
        Err(reason) => Dependence::Unknown(reason),
    }
}

/// What it means that the output stays the same. A process goes on where the file of its program cannot be read.
async fn independent(subject: &[PathBuf]) -> Dependence {
    let subject = subject.to_vec();
    let runs = tokio::task::spawn_blocking(move || subject.iter().any(|path| runs_program(path)));
    match runs.await {
        Ok(true) => Dependence::Unknown("a process runs it, which goes on".to_owned()),
        Ok(false) => Dependence::Independent,
        Err(error) => Dependence::Unknown(error.to_string()),
    }
}

/// The recorded output of a call, if the record is complete.
fn recorded(call: &ToolCall) -> Option<PutOut> {
    let whole = |shown: &str, bytes: u64| u64::try_from(shown.len()).is_ok_and(|length| length == bytes);
    let CallEnding::Exited { status } = call.ending else { return None };
    let is_whole =
        whole(&call.output.shown, call.output.bytes) && whole(&call.stderr.shown, call.stderr.bytes);
    is_whole.then(|| PutOut { stdout: call.output.shown.clone(), stderr: call.stderr.shown.clone(), status })
}

/// The command of a `shell` call.
pub(crate) fn command(call: &ToolCall) -> Option<&str> {
    call.tool.is(ToolKind::Shell).then(|| call.arguments.get("command")?.as_str())?
}

fn by_its_arguments(call: &ToolCall, subject: &[PathBuf], world: &Filesystem) -> Dependence {
    if writes_what_it_is_given(call) {
        return Dependence::Independent;
    }
    let Some(place) = looked_at(call) else {
        return Dependence::Unknown("it is no command".to_owned());
    };
    let place = world.place(&place);
    let touches = |path: &PathBuf| path.starts_with(&place) || place.starts_with(path);
    if subject.iter().any(touches) { Dependence::Depends } else { Dependence::Independent }
}

/// Whether a call only writes its arguments, so that its output shows nothing that was found out.
fn writes_what_it_is_given(call: &ToolCall) -> bool {
    call.tool.is(ToolKind::WriteFile) || call.tool.is(ToolKind::EditFile)
}

/// The path that a call reads by its arguments, by default the working folder: its path or, for a pattern, the
/// folder before the first wildcard. `None` for a tool whose arguments do not tell.
fn looked_at(call: &ToolCall) -> Option<PathBuf> {
    let given = |name: &str| call.arguments.get(name).and_then(|value| value.as_str()).unwrap_or_default();
    let or_here = |path: &str| PathBuf::from(if path.is_empty() { "." } else { path });
    match call.tool.kind() {
        Some(ToolKind::ReadFile | ToolKind::Grep) => Some(or_here(given("path"))),
        Some(ToolKind::Glob) => {
            let is_plain = |part: &&str| !part.contains(['*', '?', '[', '{']);
            let folder = given("pattern").split('/').take_while(is_plain).collect::<Vec<_>>().join("/");
            Some(or_here(given("root")).join(folder))
        }
        Some(
            ToolKind::Mdfind
            | ToolKind::ReadEvidence
            | ToolKind::WriteFile
            | ToolKind::EditFile
            | ToolKind::GitCommit
            | ToolKind::UndoRun
            | ToolKind::AppleScript
            | ToolKind::Shortcuts
            | ToolKind::Shell
            | ToolKind::Job
            | ToolKind::Search
            | ToolKind::Fetch,
        )
        | None => None,
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use artoo_types::{Arguments, OutputRecord};

    use super::*;
    use crate::conformance::call;

    /// Has one output normally, and others in other worlds.
    struct Says {
        hidden: &'static str,
        emptied: &'static str,
        as_it_is: &'static str,
        ran: Mutex<Vec<(usize, &'static str)>>,
    }

    #[async_trait]
    impl Rerun for Says {
        async fn run_again(
            &self,
            calls: &[&ToolCall],
            world: &Perturbation,
            _: Duration,
        ) -> Result<PutOut, String> {
            let (name, stdout) = match world {
                Perturbation::AsIs => ("as it is", self.as_it_is),
                Perturbation::Emptied(_) => ("emptied", self.emptied),
                Perturbation::Hidden(_) => ("hidden", self.hidden),
                Perturbation::Doubled(_) | Perturbation::Planted { .. } | Perturbation::Replaced { .. } => {
                    return Err("not asked for".to_owned());
                }
            };
            self.ran.lock().unwrap().push((calls.len(), name));
            Ok(PutOut { stdout: stdout.to_owned(), ..PutOut::default() })
        }
    }

    fn shell(number: u128, output: &str) -> ToolCall {
        let arguments: Arguments = [("command".to_owned(), "wc -l docs/a.txt".into())].into_iter().collect();
        let record =
            OutputRecord { shown: output.to_owned(), bytes: output.len() as u64, ..Default::default() };
        ToolCall {
            arguments,
            output: record,
            tool: artoo_types::ToolName::new("shell"),
            ending: CallEnding::Exited { status: 0 },
            ..call(number, output, true)
        }
    }

    fn world() -> Filesystem {
        Filesystem::new("/nowhere", "/nowhere", Default::default())
    }

    async fn of(
        shown: &str,
        hidden: &'static str,
        emptied: &'static str,
        as_it_is: &'static str,
    ) -> (Dependence, usize) {
        let says = Says { hidden, emptied, as_it_is, ran: Mutex::default() };
        let found = dependences(&[shell(1, shown)], &["/nowhere/docs".into()], &world(), &says).await;
        let ran = says.ran.lock().unwrap().len();
        (found.into_iter().next().unwrap().1, ran)
    }

    #[tokio::test]
    async fn what_stays_the_same_without_its_subject_does_not_depend_on_it() {
        assert_eq!(of("4\n", "4", "", "4").await, (Dependence::Independent, 1));
        assert_eq!(of("a b\n", "", "a b", "a b").await, (Dependence::Depends, 2));
        assert!(matches!(of("4\n", "7", "", "9").await, (Dependence::Unknown(_), 2)));
    }

    #[tokio::test]
    async fn a_number_depends_on_what_is_in_its_subject() {
        assert_eq!(of("4\n", "", "0", "4").await, (Dependence::Depends, 3));
        assert_eq!(of("1\n", "", "1", "1").await, (Dependence::Depends, 2), "how many of them are there");
        // What is not there has no attributes that can be compared.
        assert_eq!(of("4\n", "", "4", "4").await, (Dependence::Depends, 3));
        let home = tempfile::tempdir().unwrap();
        let file = home.path().join("in-2023.txt");
        std::fs::write(&file, "x").unwrap();
        let says = |number| Says { hidden: "", emptied: number, as_it_is: number, ran: Mutex::default() };
        for (number, dependence) in [("977", Dependence::Independent), ("2023", Dependence::Depends)] {
            let call = shell(1, number);
            let found = dependences(&[call], std::slice::from_ref(&file), &world(), &says(number)).await;
            assert_eq!(found.into_iter().next().unwrap().1, dependence, "{number}");
        }
    }

    /// Observed with the embedded model: all samples counted the processes of a program in the working folder, in two
    /// languages, and were told that they say nothing about its file.
    #[cfg(target_os = "linux")]
    #[tokio::test]
    async fn lesson_a_process_goes_on_without_the_file_of_its_program() {
        let again = || Says { hidden: "3", emptied: "", as_it_is: "3", ran: Mutex::default() };
        let own = std::env::current_exe().unwrap().canonicalize().unwrap();
        let found = dependences(&[shell(1, "3")], &[own], &world(), &again()).await;
        assert!(matches!(found.as_slice(), [(_, Dependence::Unknown(_))]), "{found:?}");
    }

    #[tokio::test]
    async fn commands_run_after_those_before_them() {
        let says = Says { hidden: "", emptied: "", as_it_is: "", ran: Mutex::default() };
        let fetched = ToolCall { tool: artoo_types::ToolName::new("fetch"), ..call(2, "y", true) };
        let calls = [shell(1, "x"), fetched, shell(3, "")];
        dependences(&calls, &["/nowhere/docs".into()], &world(), &says).await;
        assert_eq!(*says.ran.lock().unwrap(), [(2, "hidden"), (1, "hidden"), (1, "as it is")]);
        assert!(dependences(&calls, &[], &world(), &says).await.is_empty());
    }

    #[tokio::test]
    async fn a_tool_that_looks_depends_on_where_it_looks() {
        let looks = |tool: &str, arguments: &[(&str, &str)]| {
            let call = ToolCall {
                tool: artoo_types::ToolName::new(tool),
                arguments: arguments
                    .iter()
                    .map(|(name, value)| ((*name).to_owned(), (*value).into()))
                    .collect(),
                ..call(1, "x", true)
            };
            by_its_arguments(&call, &["/nowhere/docs".into()], &world())
        };
        for (tool, arguments) in [
            ("read_file", &[("path", "docs/a.txt")][..]),
            ("grep", &[("pattern", "x")]),
            ("grep", &[("pattern", "x"), ("path", "docs")]),
            ("glob", &[("pattern", "docs/*.md")]),
            ("glob", &[("pattern", "**/*.md")]),
        ] {
            assert_eq!(looks(tool, arguments), Dependence::Depends, "{tool} {arguments:?}");
        }
        for (tool, arguments) in [
            ("read_file", &[("path", "notes/a.txt")][..]),
            ("glob", &[("pattern", "*.md"), ("root", "notes")]),
            // What it writes was known before.
            ("write_file", &[("path", "docs/a.txt")]),
            ("edit_file", &[("path", "docs/a.txt")]),
        ] {
            assert_eq!(looks(tool, arguments), Dependence::Independent, "{tool} {arguments:?}");
        }
        assert!(matches!(looks("fetch", &[]), Dependence::Unknown(_)));
    }
}
