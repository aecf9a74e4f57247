//! What may not happen in a run, whatever the server does.

use std::{collections::BTreeSet, fmt};

use serde_json::Value;

use super::{
    call::Role,
    hostile::{Does, HALF},
    play::{Often, Play},
    session::Observation,
};

/// The exit codes of the guide's table.
const DOCUMENTED: [i32; 12] = [0, 1, 2, 3, 4, 5, 6, 124, 129, 130, 131, 143];
/// The most calls of a model in a run that nobody limits.
const MOST_CALLS: usize = 600;
/// The most memory of a run, in MiB.
const MOST_MEMORY: f64 = 600.0;
/// What a run with `--max-tokens 20000` may send at most, in bytes: about six for a token, and what was under way.
const MOST_BYTES: usize = 20_000 * 6 + 200_000;

/// Something that may not happen.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Finding {
    /// It did not end.
    Hung,
    /// A signal killed it.
    Killed(i32),
    /// There is not exactly one result.
    Results(usize),
    /// Something follows the result.
    BehindTheResult,
    /// A line is no JSON.
    NotJson(String),
    /// The exit code is in no table.
    Undocumented(i32),
    /// The exit code is not that of the result.
    Disagrees {
        /// The process's.
        process: i32,
        /// The result's.
        result: Option<i64>,
    },
    /// The exit code does not fit the words of the result.
    Contradicts(String),
    /// A panic.
    Panicked(String),
    /// Processes are left.
    Processes(Vec<String>),
    /// Somebody holds the output of the run open.
    Held,
    /// Temporary files are left.
    Temporary(Vec<String>),
    /// Something changed where nothing may.
    Changed(Vec<String>),
    /// The audit log does not verify.
    Audit(String),
    /// The list of runs does not have this one, once.
    Listed(usize),
    /// Half an answer was believed.
    HalfAnswer,
    /// A call that was cut was carried out.
    CutCall(Vec<String>),
    /// A call was carried out twice.
    Twice(String),
    /// A provider that refuses for good was taken for a task that cannot be done.
    Misdiagnosed(i32),
    /// Far more was sent than the limit of tokens allows.
    BeyondTokens(usize),
    /// It called the model far too often.
    Endless(usize),
    /// It took far too much memory.
    Memory(f64),
    /// Server and model were sound, and it was not accepted.
    NotAccepted(String),
}

impl Finding {
    /// Its name, by which findings are counted.
    pub(super) fn name(&self) -> &'static str {
        match self {
            Self::Hung => "hangs",
            Self::Killed(_) => "killed by a signal",
            Self::Results(_) => "not one result",
            Self::BehindTheResult => "the result is not last",
            Self::NotJson(_) => "a line that is no JSON",
            Self::Undocumented(_) => "undocumented exit code",
            Self::Disagrees { .. } => "exit code is not the result's",
            Self::Contradicts(_) => "exit code contradicts the result",
            Self::Panicked(_) => "panic",
            Self::Processes(_) => "processes left",
            Self::Held => "output held open",
            Self::Temporary(_) => "temporary files left",
            Self::Changed(_) => "changed outside",
            Self::Audit(_) => "audit log does not verify",
            Self::Listed(_) => "not listed once",
            Self::HalfAnswer => "half an answer believed",
            Self::CutCall(_) => "cut call carried out",
            Self::Twice(_) => "call carried out twice",
            Self::Misdiagnosed(_) => "provider's failure misdiagnosed",
            Self::BeyondTokens(_) => "token limit passed",
            Self::Endless(_) => "too many model calls",
            Self::Memory(_) => "too much memory",
            Self::NotAccepted(_) => "sound, and not accepted",
        }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.name())?;
        match self {
            Self::Hung | Self::BehindTheResult | Self::Held | Self::HalfAnswer => Ok(()),
            Self::Killed(number) | Self::Undocumented(number) | Self::Misdiagnosed(number) => {
                write!(out, ": {number}")
            }
            Self::Results(count) | Self::Listed(count) | Self::Endless(count) => write!(out, ": {count}"),
            Self::BeyondTokens(bytes) => write!(out, ": {bytes} bytes sent"),
            Self::Memory(mebibytes) => write!(out, ": {mebibytes:.0} MiB"),
            Self::NotJson(text)
            | Self::NotAccepted(text)
            | Self::Contradicts(text)
            | Self::Panicked(text)
            | Self::Audit(text)
            | Self::Twice(text) => {
                write!(out, ": {text}")
            }
            Self::Disagrees { process, result } => write!(out, ": {process}, and {result:?}"),
            Self::Processes(items) | Self::Temporary(items) | Self::Changed(items) | Self::CutCall(items) => {
                write!(out, ": {}", items.join(", "))
            }
        }
    }
}

/// The result of a run: its last line of the kind.
pub(super) fn result(stdout: &str) -> Option<Value> {
    let mut lines = stdout.lines().rev().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    lines.find(is_result)
}

/// How a run ended, in a word: its fault, or its directive.
pub(super) fn ending(stdout: &str) -> String {
    let Some(result) = result(stdout) else { return "nothing".to_owned() };
    let fault = result.pointer("/error/kind").and_then(Value::as_str);
    let directive = result.get("directive").and_then(Value::as_str);
    fault.or(directive).unwrap_or("nothing").to_owned()
}

/// What is wrong with a run.
pub(super) fn of(play: &Play, observed: &Observation) -> Vec<Finding> {
    if observed.hung {
        // It was killed for it, so the rest says nothing.
        return vec![Finding::Hung];
    }
    let mut found = told(observed);
    found.extend(left(observed));
    found.extend(believed(play, observed));
    found
}

/// What it said, and with which exit code.
fn told(observed: &Observation) -> Vec<Finding> {
    let mut found = Vec::new();
    let lines: Vec<&str> = observed.stdout.lines().collect();
    let parsed: Vec<Option<Value>> = lines.iter().map(|line| serde_json::from_str(line).ok()).collect();
    let broken = lines.iter().zip(&parsed).find(|(_, value)| value.is_none());
    found.extend(broken.map(|(line, _)| Finding::NotJson(line.chars().take(200).collect())));
    let results = parsed.iter().flatten().filter(|value| is_result(value)).count();
    if results != 1 {
        found.push(Finding::Results(results));
    } else if !parsed.last().is_some_and(|last| last.as_ref().is_some_and(is_result)) {
        found.push(Finding::BehindTheResult);
    }
    found.extend(observed.signal.map(Finding::Killed));
    let panic = observed.stderr.lines().find(|line| line.contains("panicked at"));
    found.extend(panic.map(|line| Finding::Panicked(line.to_owned())));
    let Some(code) = observed.code else { return found };
    if !DOCUMENTED.contains(&code) {
        found.push(Finding::Undocumented(code));
    }
    if let Some(result) = result(&observed.stdout) {
        let own = result.get("exit_code").and_then(Value::as_i64);
        if own != Some(i64::from(code)) {
            found.push(Finding::Disagrees { process: code, result: own });
        }
        let has_fault = result.get("error").is_some_and(|fault| !fault.is_null());
        let directive = result.get("directive").and_then(Value::as_str).unwrap_or_default();
        let fits = match code {
            0 => !has_fault && directive == "accept",
            1 | 2 | 124 | 129 | 130 | 131 | 143 => has_fault,
            _ => true,
        };
        if !fits {
            found.push(Finding::Contradicts(format!("{code} with `{directive}`, fault: {has_fault}")));
        }
    }
    found
}

/// What it left, and what is on record.
fn left(observed: &Observation) -> Vec<Finding> {
    let mut found = Vec::new();
    let some = |items: &[String]| Some(items.to_vec()).filter(|items| !items.is_empty());
    found.extend(some(&observed.processes).map(Finding::Processes));
    found.extend(observed.held.then_some(Finding::Held));
    found.extend(some(&observed.temporary).map(Finding::Temporary));
    found.extend(some(&observed.changed).map(Finding::Changed));
    found.extend(observed.audit.clone().map(Finding::Audit));
    if observed.listed != 1 {
        found.push(Finding::Listed(observed.listed));
    }
    if observed.memory > MOST_MEMORY {
        found.push(Finding::Memory(observed.memory));
    }
    found
}

/// What it believed, did and spent.
fn believed(play: &Play, observed: &Observation) -> Vec<Finding> {
    let mut found = Vec::new();
    let result = result(&observed.stdout).unwrap_or_default();
    let output = result.get("output").map(Value::to_string).unwrap_or_default();
    let is_accepted = result.get("directive").is_some_and(|directive| directive == "accept");
    if is_accepted && output.contains(HALF) {
        found.push(Finding::HalfAnswer);
    }
    if matches!(play.kind.does, Does::Nothing) && !is_accepted {
        let why = result.get("summary").and_then(Value::as_str).unwrap_or_default();
        found.push(Finding::NotAccepted(why.replace('\n', " ")));
    }
    found.extend(Some(observed.cut.clone()).filter(|cut| !cut.is_empty()).map(Finding::CutCall));
    let mut known = BTreeSet::new();
    found.extend(observed.lines.iter().find(|line| !known.insert(*line)).cloned().map(Finding::Twice));
    let is_limited = play.options.iter().any(|option| option == "--max-tokens");
    let sent: usize = observed.seen.iter().map(|seen| seen.bytes).sum();
    if is_limited && sent > MOST_BYTES {
        found.push(Finding::BeyondTokens(sent));
    }
    if observed.seen.len() > MOST_CALLS {
        found.push(Finding::Endless(observed.seen.len()));
    }
    if refused_for_good(play, observed) && observed.code.is_some_and(|code| code != 1) {
        found.extend(observed.code.map(Finding::Misdiagnosed));
    }
    found
}

/// Whether the planner or the executor was refused, as it would be each time, for a reason that only the provider knows.
fn refused_for_good(play: &Play, observed: &Observation) -> bool {
    let is_refusal = ["key-revoked", "model-gone", "no-credits"].contains(&play.kind.name);
    let was_met = observed
        .seen
        .iter()
        .any(|seen| seen.kind == Some(play.kind.name) && matches!(seen.role, Role::Plan | Role::Action));
    is_refusal && play.often == Often::Always && was_met
}

fn is_result(value: &Value) -> bool {
    value.get("type").is_some_and(|kind| kind == "run.finished")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::soak::play::Exchange;

    const ACCEPTED: &str = r#"{"type":"run.finished","directive":"accept","output":"3","exit_code":0}"#;

    fn sound() -> Observation {
        Observation {
            code: Some(0),
            stdout: format!("{{}}\n{ACCEPTED}\n"),
            listed: 1,
            ..Observation::default()
        }
    }

    fn names(observed: &Observation) -> Vec<&'static str> {
        let sound = (0..).map(|number| Play::of(1, number));
        let play = sound.into_iter().find(|play| play.options.is_empty() && play.kind.name == "usage-zero");
        of(&play.unwrap(), observed).iter().map(Finding::name).collect()
    }

    fn exchange(bytes: usize) -> Exchange {
        Exchange { role: Role::Words, kind: None, bytes }
    }

    #[test]
    fn nothing_is_wrong_with_a_sound_run() {
        assert_eq!(names(&sound()), Vec::<&str>::new());
    }

    #[test]
    fn each_thing_that_may_not_happen_is_found() {
        let said = |stdout: String| Observation { stdout, ..sound() };
        let result = |fields: Value| {
            let mut result: Value = serde_json::from_str(ACCEPTED).unwrap();
            result.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
            said(format!("{result}\n"))
        };
        let list = || vec!["x".to_owned()];
        let table: Vec<(Observation, &str)> = vec![
            (Observation { hung: true, ..sound() }, "hangs"),
            (Observation { code: None, signal: Some(9), ..sound() }, "killed by a signal"),
            (said(String::new()), "not one result"),
            (said(format!("{ACCEPTED}\n{ACCEPTED}\n")), "not one result"),
            (said(format!("{ACCEPTED}\n{{}}\n")), "the result is not last"),
            (said(format!("oops\n{ACCEPTED}\n")), "a line that is no JSON"),
            (Observation { code: Some(101), ..result(json!({"exit_code": 101})) }, "undocumented exit code"),
            (Observation { code: Some(4), ..sound() }, "exit code is not the result's"),
            (result(json!({"error": {"kind": "provider"}})), "exit code contradicts the result"),
            (result(json!({"directive": "abandon"})), "exit code contradicts the result"),
            (Observation { stderr: "thread 'x' panicked at y".into(), ..sound() }, "panic"),
            (Observation { processes: list(), ..sound() }, "processes left"),
            (Observation { held: true, ..sound() }, "output held open"),
            (Observation { temporary: list(), ..sound() }, "temporary files left"),
            (Observation { changed: list(), ..sound() }, "changed outside"),
            (Observation { audit: Some("line 3".into()), ..sound() }, "audit log does not verify"),
            (Observation { listed: 0, ..sound() }, "not listed once"),
            (Observation { listed: 2, ..sound() }, "not listed once"),
            (result(json!({"output": format!("3, {HALF}")})), "half an answer believed"),
            (Observation { cut: list(), ..sound() }, "cut call carried out"),
            (
                Observation { lines: ["a", "b", "a"].map(str::to_owned).into(), ..sound() },
                "call carried out twice",
            ),
            (Observation { memory: 5000.0, ..sound() }, "too much memory"),
            (Observation { seen: vec![exchange(1); MOST_CALLS + 1], ..sound() }, "too many model calls"),
        ];
        for (observed, name) in table {
            assert_eq!(names(&observed), [name], "{observed:?}");
        }
        let half_and_abandoned = json!({"output": HALF, "directive": "abandon", "exit_code": 4});
        assert!(names(&Observation { code: Some(4), ..result(half_and_abandoned) }).is_empty());
    }

    #[test]
    fn a_sound_run_is_to_be_accepted() {
        let play =
            (0..).map(|number| Play::of(1, number)).find(|play| matches!(play.kind.does, Does::Nothing));
        let line = json!({"type": "run.finished", "directive": "abandon", "summary": "no", "exit_code": 4});
        let observed =
            Observation { code: Some(4), stdout: format!("{line}\n"), listed: 1, ..Observation::default() };
        assert_eq!(of(&play.unwrap(), &observed), [Finding::NotAccepted("no".to_owned())]);
    }

    #[test]
    fn a_limit_of_tokens_is_measured_in_bytes() {
        let is_limited = |play: &Play| play.options.iter().any(|option| option == "--max-tokens");
        let play = (0..).map(|number| Play::of(1, number)).find(is_limited).unwrap();
        let sent = |bytes| of(&play, &Observation { seen: vec![exchange(bytes)], ..sound() });
        assert_eq!(sent(MOST_BYTES), []);
        assert_eq!(sent(MOST_BYTES + 1), [Finding::BeyondTokens(MOST_BYTES + 1)]);
    }

    #[test]
    fn a_refusal_for_good_is_the_providers_failure() {
        let mut plays = (0..).map(|number| Play::of(2, number));
        let refused =
            plays.find(|play| play.kind.name == "key-revoked" && play.often == Often::Always).unwrap();
        let ended = |code: i32, kind| {
            let line = json!({"type": "run.finished", "directive": "abandon", "output": null, "exit_code": code,
                "error": {"kind": "provider"}});
            let seen = vec![Exchange { role: Role::Action, kind, bytes: 1 }];
            Observation {
                code: Some(code),
                stdout: format!("{line}\n"),
                listed: 1,
                seen,
                ..Observation::default()
            }
        };
        assert_eq!(of(&refused, &ended(1, Some("key-revoked"))), []);
        assert_eq!(of(&refused, &ended(2, Some("key-revoked"))), [Finding::Misdiagnosed(2)]);
        assert_eq!(of(&refused, &ended(4, Some("key-revoked"))), [Finding::Misdiagnosed(4)]);
        assert_eq!(of(&refused, &ended(4, None)), [], "nobody was refused");
    }
}
