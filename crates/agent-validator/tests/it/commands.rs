//! Tests of criteria that a command decides.

use std::{
    path::Path,
    sync::{Arc, Mutex},
    time::Duration,
};

use artoo_agent_validator::{
    CommandRun, Judge, JudgeContext, JudgeError, RunCommand, StepMentions, verdicts,
};
use artoo_llm_client::{LlmClient, doubles::ScriptedModel};
use artoo_types::{
    Check, Criterion, CriterionVerdict, Evidence, ExecutionResult, ExecutionStatus, FailureClass, Finding,
    Judge as DecidedBy, SubTask,
};
use async_trait::async_trait;

use crate::fixtures::{
    Always, Unasked, a_minute, call, checked, pass, result, subtask, surroundings, unfinished, world,
};

const MINUTE: Duration = Duration::from_secs(60);

/// A runner with a fixed answer that records its requests.
struct Scripted {
    answer: CommandRun,
    asked: Mutex<Vec<(String, Duration)>>,
}

impl Scripted {
    fn new(answer: CommandRun) -> Self {
        Self { answer, asked: Mutex::default() }
    }

    fn ending(status: i32, output: &str) -> Self {
        Self::new(CommandRun::Ended { status, output: output.to_owned() })
    }

    fn asked(&self) -> Vec<(String, Duration)> {
        self.asked.lock().unwrap().clone()
    }
}

#[async_trait]
impl RunCommand for Scripted {
    async fn run(&self, command: &str, within: Duration) -> CommandRun {
        self.asked.lock().unwrap().push((command.to_owned(), within));
        self.answer.clone()
    }
}

/// A judge that records its criteria, and passes them.
#[derive(Default)]
struct Listening(Mutex<Vec<String>>);

#[async_trait]
impl Judge for Listening {
    async fn judge(
        &self,
        criteria: &[Criterion],
        _: &JudgeContext<'_>,
        _: &Arc<dyn LlmClient>,
    ) -> Result<Vec<Finding>, JudgeError> {
        self.0.lock().unwrap().extend(criteria.iter().map(|criterion| criterion.text.clone()));
        Ok(vec![pass(); criteria.len()])
    }
}

fn tested() -> SubTask {
    let check = Check::CommandSucceeds { command: "cargo test".to_owned() };
    SubTask {
        success_criteria: vec![checked("The tests pass", check)],
        ..subtask("Mend the failing test", &[])
    }
}

fn mended() -> ExecutionResult {
    result("Mended.", vec![call(1, "ok", true)])
}

async fn judged(
    judge: &dyn Judge,
    runner: &dyn RunCommand,
    result: &ExecutionResult,
    kept: &[CriterionVerdict],
) -> CriterionVerdict {
    let folder = Path::new("/nonexistent");
    let (surroundings, world, subtask) = (surroundings(folder), world(folder), tested());
    let cx = JudgeContext {
        background: &artoo_case_file::Background::default(),
        subtask: &subtask,
        result,
        surroundings: &surroundings,
        world: &world,
        mentions: &StepMentions::of(&subtask, &world),
        subject: &[],
        evidence: &result.tool_calls,
        excerpts: artoo_agent_validator::Excerpts::Long,
    };
    let model: Arc<dyn LlmClient> = Arc::new(ScriptedModel::new());
    let mut found = verdicts(&cx, judge, runner, &model, a_minute(), kept, |_| {}).await.unwrap();
    let only = found.pop().unwrap();
    assert_eq!((found.as_slice(), only.criterion.as_str()), (&[][..], "The tests pass"));
    only
}

#[tokio::test]
async fn a_command_that_ended_decides_and_is_quoted() {
    let runner = Scripted::ending(0, "running 3 tests\n3 passed\n");
    let verdict = judged(&Unasked, &runner, &mended(), &[]).await;
    let said = "`cargo test` ended with exit status 0 when code ran it; its output is \"running 3 tests\\n3 passed\"";
    let evidence = Evidence::Observation { text: said.to_owned() };
    assert_eq!((verdict.judge, &verdict.finding), (DecidedBy::Check, &Finding::Pass { evidence }));
    assert_eq!(runner.asked(), [("cargo test".to_owned(), MINUTE)]);

    let verdict = judged(&Unasked, &Scripted::ending(101, ""), &mended(), &[]).await;
    let said = "`cargo test` ended with exit status 101 when code ran it; it put out nothing".to_owned();
    let evidence = Some(Evidence::Observation { text: said.clone() });
    let fail =
        Finding::Fail { failure_class: FailureClass::Logical, reason: said, evidence, also: Vec::new() };
    assert_eq!((verdict.judge, &verdict.finding), (DecidedBy::Check, &fail));
}

#[tokio::test]
async fn of_much_output_the_end_is_evidence() {
    let lines: String = (1..=99_999).map(|number| format!("line {number}\n")).collect();
    for output in [lines, "ä".repeat(1 << 20)] {
        let verdict = judged(&Unasked, &Scripted::ending(1, &output), &mended(), &[]).await;
        let Finding::Fail { reason, .. } = &verdict.finding else { panic!("{verdict:?}") };
        assert!(reason.contains("its output ends with") && reason.len() < 2_000, "{} bytes", reason.len());
        assert!(reason.contains("line 99999") || reason.contains('ä'), "{reason}");
    }
}

#[tokio::test]
async fn what_was_not_run_is_put_to_the_judge_with_the_reason() {
    let reason = "the rule that denies `cargo` refuses it".to_owned();
    let runner = Scripted::new(CommandRun::Undecided { reason });
    let judge = Listening::default();
    let verdict = judged(&judge, &runner, &mended(), &[]).await;
    assert_eq!((verdict.judge, verdict.passed()), (DecidedBy::Model, true));
    let told = "The tests pass (code has not decided this by running `cargo test`: the rule that denies `cargo` refuses it. \
                Look whether a call shows it)";
    assert_eq!(judge.0.into_inner().unwrap(), [told]);

    let fail = Finding::failure(FailureClass::Logical, "no".to_owned());
    let verdict = judged(&Always(fail.clone()), &runner, &mended(), &[]).await;
    assert_eq!((verdict.judge, verdict.finding), (DecidedBy::Model, fail), "it is never a pass by itself");
}

#[tokio::test]
async fn nothing_is_run_for_an_attempt_that_cannot_match() {
    let runner = Scripted::ending(0, "");
    let unfinished = unfinished(mended(), ExecutionStatus::Failed, FailureClass::Environmental);
    for result in [unfinished, result("Mended.", Vec::new())] {
        let verdict = judged(&Unasked, &runner, &result, &[]).await;
        assert_eq!((verdict.judge, verdict.passed()), (DecidedBy::Rule, false));
    }
    assert_eq!(runner.asked(), []);
}

#[tokio::test]
async fn nothing_is_run_again_where_nothing_changed() {
    let runner = Scripted::ending(1, "1 failed");
    let first = judged(&Unasked, &runner, &mended(), &[]).await;
    let again = judged(&Unasked, &runner, &mended(), std::slice::from_ref(&first)).await;
    assert_eq!((again, runner.asked().len()), (first, 1));
}

/// A rule's verdict on an unfinished attempt was not about the work.
#[tokio::test]
async fn after_an_unfinished_attempt_the_command_is_run() {
    let runner = Scripted::ending(0, "");
    let unfinished = unfinished(mended(), ExecutionStatus::Uncertain, FailureClass::Logical);
    let first = judged(&Unasked, &runner, &unfinished, &[]).await;
    assert_eq!(first.judge, DecidedBy::Rule);
    assert!(judged(&Unasked, &runner, &mended(), &[first]).await.passed());
}
