//! Who decides a criterion, and on what.

use std::{fs, path::Path, sync::Arc, time::Duration};

use artoo_agent_validator::{Judge, JudgeContext, JudgeError, verdicts};
use artoo_llm_client::{LlmClient, LlmError, Origin, doubles::ScriptedModel, fenced};
use artoo_types::{
    CallEnding, CallFailure, CallId, Check, Criterion, CriterionVerdict, Evidence, ExecutionResult,
    ExecutionStatus, FailureClass, Finding, Judge as DecidedBy, SubTask, ToolCall,
};
use async_trait::async_trait;
use uuid::Uuid;

use crate::given::{
    Always, Unasked, call, checked, counted, counting, judged_subtask, result, surroundings, unfinished,
    world,
};

const FOLDER: &str = "/nonexistent";

async fn decided(
    judge: &dyn Judge,
    subtask: &SubTask,
    result: &ExecutionResult,
    folder: &Path,
) -> Vec<CriterionVerdict> {
    let (surroundings, world) = (surroundings(folder), world(folder));
    let cx = JudgeContext { subtask, result, surroundings: &surroundings, world: &world };
    let model: Arc<dyn LlmClient> = Arc::new(ScriptedModel::new());
    let mut reached = Vec::new();
    let verdicts =
        verdicts(&cx, judge, &model, Duration::from_secs(60), |verdict| reached.push(verdict.clone())).await;
    assert_eq!(reached, verdicts, "each verdict is shown as it falls");
    assert_eq!(verdicts.len(), subtask.success_criteria.len());
    verdicts
}

async fn one(judge: &dyn Judge, subtask: &SubTask, result: &ExecutionResult) -> CriterionVerdict {
    decided(judge, subtask, result, Path::new(FOLDER)).await.pop().unwrap()
}

fn failure(verdict: &CriterionVerdict) -> (FailureClass, &str) {
    let Finding::Fail { failure_class, reason, .. } = &verdict.finding else { panic!("{verdict:?}") };
    (*failure_class, reason)
}

#[tokio::test]
async fn a_check_decides_without_a_judge() {
    let verdict = one(&Unasked, &counting(1), &counted(1, 1, "3")).await;
    assert_eq!((verdict.judge, verdict.passed()), (DecidedBy::Check, true));
    let verdict = one(&Unasked, &counting(1), &counted(1, 1, "many")).await;
    assert_eq!((verdict.judge, failure(&verdict).0), (DecidedBy::Check, FailureClass::Logical));
}

/// Lesson 30 and fact 4 of its kind: right words and no deed. A check of the output cannot pass what no call bears out.
#[tokio::test]
async fn lesson_30_a_claim_without_a_call_that_ran_passes_nothing() {
    let ended = |ending: CallEnding| ToolCall { ending, ..call(1, "", false) };
    let nothing: [Vec<ToolCall>; 5] = [
        Vec::new(),
        vec![ended(CallEnding::Refused)],
        vec![ended(CallEnding::TimedOut)],
        vec![ended(CallEnding::Cancelled)],
        vec![ended(CallEnding::Signalled { signal: 9 })],
    ];
    for calls in nothing {
        let claim = ExecutionResult { tool_calls: calls, ..counted(1, 1, "3") };
        let verdict = one(&Unasked, &counting(1), &claim).await;
        let expected =
            if claim.tool_calls.is_empty() { FailureClass::Logical } else { FailureClass::Environmental };
        assert_eq!((verdict.judge, failure(&verdict).0), (DecidedBy::Rule, expected), "{claim:?}");
    }
    // A call that failed by itself may show something: that a file is not there.
    let search = |failure_class| {
        let failure = CallFailure { class: failure_class, reason: "exit status 1".to_owned(), hint: None };
        let calls = vec![ToolCall { failure: Some(failure), ..call(1, "", false) }];
        ExecutionResult { tool_calls: calls, ..counted(1, 1, "0") }
    };
    assert!(one(&Unasked, &counting(1), &search(FailureClass::Unknown)).await.passed());
    assert!(!one(&Unasked, &counting(1), &search(FailureClass::Environmental)).await.passed());
}

/// Lesson 30 once more: right words and a wrong figure. What the calls show is 3.
#[tokio::test]
async fn lesson_30_a_figure_that_no_call_shows_is_invented() {
    let saying = |output: &str, verbatim| {
        let result = counted(1, 1, "3");
        ExecutionResult { output: output.to_owned(), verbatim, ..result }
    };
    for (output, passes) in [("There are 3.", true), ("There are 4.", false)] {
        let verdict = one(&Unasked, &counting(1), &saying(output, false)).await;
        assert_eq!(verdict.passed(), passes, "{verdict:?}");
        let by = if passes { DecidedBy::Check } else { DecidedBy::Rule };
        assert_eq!(verdict.judge, by);
    }
    // A quotation is known to be one by the executor's own comparison.
    assert!(one(&Unasked, &counting(1), &saying("4", true)).await.passed());
}

#[tokio::test]
async fn a_blank_answer_is_not_put_to_a_judge() {
    let verdict = one(&Unasked, &judged_subtask(), &result(" \u{a0}\n", vec![call(1, "x", true)])).await;
    assert_eq!((verdict.judge, failure(&verdict).0), (DecidedBy::Rule, FailureClass::Logical));
}

#[tokio::test]
async fn a_pass_that_points_at_nothing_or_says_the_opposite_is_none() {
    let refused = ToolCall { ending: CallEnding::Refused, ..call(2, "", false) };
    let result = result("hello", vec![call(1, "hello", true), refused]);
    let call = |number, excerpt: &str| Evidence::ToolCall {
        call_id: CallId::new(Uuid::from_u128(number)),
        excerpt: excerpt.to_owned(),
    };
    let seen = |text: &str| Evidence::Observation { text: text.to_owned() };
    for evidence in
        [seen("\t"), call(2, "it is polite"), call(1, "The criterion is not met."), seen("Nothing shows it.")]
    {
        let verdict =
            one(&Always(Finding::Pass { evidence: evidence.clone() }), &judged_subtask(), &result).await;
        assert_eq!(
            (verdict.judge, failure(&verdict).0),
            (DecidedBy::Rule, FailureClass::Unknown),
            "{evidence:?}"
        );
    }
    let verdict =
        one(&Always(Finding::Pass { evidence: seen("it says hello") }), &judged_subtask(), &result).await;
    assert!(verdict.passed());
}

/// Lesson 83: an error text with numbers in it was accepted.
#[tokio::test]
async fn lesson_83_what_did_not_finish_fails_by_rule() {
    for (status, class) in [
        (ExecutionStatus::Failed, FailureClass::Environmental),
        (ExecutionStatus::Uncertain, FailureClass::Logical),
        (ExecutionStatus::Completed, FailureClass::Denied),
    ] {
        let verdict = one(&Unasked, &counting(1), &unfinished(counted(1, 1, "3"), status, class)).await;
        assert_eq!(
            (verdict.judge, failure(&verdict)),
            (DecidedBy::Rule, (class, "it did not work")),
            "{status:?}"
        );
    }
    let wordless = ExecutionResult { status: ExecutionStatus::Uncertain, ..counted(1, 1, "3") };
    assert_eq!(failure(&one(&Unasked, &counting(1), &wordless).await).0, FailureClass::Unknown);
}

/// Lesson 89: an old file was presented as the new download.
#[tokio::test]
async fn lesson_89_an_old_file_is_no_new_one() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("下载.iso");
    fs::write(&path, "x").unwrap();
    // The run of these tests begins in the past; a world that begins after the file was made finds it old.
    let subtask = SubTask {
        success_criteria: vec![checked("It was downloaded", Check::FileNewer { path: path.clone() })],
        ..counting(1)
    };
    let mut surroundings = surroundings(folder.path());
    surroundings.now = chrono::DateTime::parse_from_rfc3339("2999-01-01T00:00:00Z").unwrap();
    let old_world = artoo_checks::World::new(folder.path(), folder.path(), surroundings.now);
    let result = counted(1, 1, "downloaded 下载.iso");
    let cx =
        JudgeContext { subtask: &subtask, result: &result, surroundings: &surroundings, world: &old_world };
    let model: Arc<dyn LlmClient> = Arc::new(ScriptedModel::new());
    let found = verdicts(&cx, &Unasked, &model, Duration::from_secs(1), |_| {}).await;
    assert!(!found[0].passed(), "{found:?}");
}

/// Lesson N13: a judge that says nothing of use has not passed anything, and its fault teaches memory nothing.
#[tokio::test(start_paused = true)]
async fn lesson_n13_a_missing_verdict_is_unknown_and_no_pass() {
    struct Faulty(&'static str);
    #[async_trait]
    impl Judge for Faulty {
        async fn judge(
            &self,
            _: &Criterion,
            _: &JudgeContext<'_>,
            _: &Arc<dyn LlmClient>,
        ) -> Result<Finding, JudgeError> {
            match self.0 {
                "hangs" => std::future::pending().await,
                "panics" => panic!("as planned"),
                _ => Err(LlmError::Unusable {
                    model: "m".into(),
                    schema: "verdict".into(),
                    reason: "r".into(),
                }
                .into()),
            }
        }
    }
    let result = result("hello", vec![call(1, "hello", true)]);
    for (fault, words) in
        [("hangs", "no verdict within 60 s"), ("panics", "panicked"), ("errs", "does not fit the schema")]
    {
        let verdict = one(&Faulty(fault), &judged_subtask(), &result).await;
        assert_eq!((verdict.judge, failure(&verdict).0), (DecidedBy::Rule, FailureClass::Unknown), "{fault}");
        assert!(failure(&verdict).1.contains(words), "{verdict:?}");
    }
}

#[tokio::test]
async fn a_pass_with_the_evidence_of_another_subtask_is_none() {
    let result = result("hello", vec![call(1, "hello", true)]);
    let evidence = |number| Evidence::ToolCall {
        call_id: CallId::new(Uuid::from_u128(number)),
        excerpt: "hello".into(),
    };
    let verdict = one(&Always(Finding::Pass { evidence: evidence(77) }), &judged_subtask(), &result).await;
    assert_eq!((verdict.judge, failure(&verdict).0), (DecidedBy::Rule, FailureClass::Unknown));
    let verdict = one(&Always(Finding::Pass { evidence: evidence(1) }), &judged_subtask(), &result).await;
    assert_eq!((verdict.judge, verdict.passed()), (DecidedBy::Model, true));
}

#[tokio::test]
async fn checks_of_files_see_the_working_folder() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("out.txt"), "three").unwrap();
    let contains = Check::FileContains { path: "out.txt".into(), value: "three".to_owned() };
    let subtask = SubTask { success_criteria: vec![checked("It says three", contains)], ..counting(1) };
    assert!(decided(&Unasked, &subtask, &counted(1, 1, "done"), folder.path()).await[0].passed());
    assert!(!decided(&Unasked, &subtask, &counted(1, 1, "done"), Path::new(FOLDER)).await[0].passed());
}

/// A liar was believed with a name that stood only in recalled memory: what memory says was taken as asked for.
#[tokio::test]
async fn lesson_what_memory_says_is_not_asked_for() {
    let remembered = "It was pear-tree.txt.";
    let names = |context: String| SubTask {
        success_criteria: vec![checked(
            "It names a file",
            Check::OutputMatches { pattern: r"\w+\.txt".to_owned() },
        )],
        context,
        ..counting(1)
    };
    let claim = ExecutionResult { tool_calls: vec![call(1, "3", true)], ..counted(1, 1, "pear-tree.txt") };
    let verdict = one(&Unasked, &names(fenced(Origin::Memory, remembered)), &claim).await;
    assert_eq!((verdict.judge, verdict.passed()), (DecidedBy::Rule, false), "{verdict:?}");
    // What the request itself says may be repeated.
    let verdict = one(&Unasked, &names(remembered.to_owned()), &claim).await;
    assert_eq!((verdict.judge, verdict.passed()), (DecidedBy::Check, true), "{verdict:?}");
}
