//! Tests of which instance decides a criterion, and on what evidence.

use std::{
    fs,
    path::Path,
    sync::{Arc, Mutex},
};

use artoo_agent_validator::{Judge, JudgeContext, JudgeError, NoCommands, StepMentions, verdicts};
use artoo_llm_client::{LlmClient, LlmError, ModelProfile, doubles::ScriptedModel};
use artoo_types::{
    Briefing, CallEnding, CallFailure, CallId, Check, Criterion, CriterionVerdict, EarlierResult, Entity,
    Evidence, ExecutionResult, ExecutionStatus, FailureClass, Finding, Judge as DecidedBy, Lesson, MegramId,
    Polarity, SopRecord, Space, SubTask, ToolCall, ToolName,
};
use async_trait::async_trait;
use uuid::Uuid;

use crate::fixtures::{
    Always, Unasked, a_minute, call, checked, counted, counting, judged_subtask, pass, result, surroundings,
    unfinished, world,
};

const FOLDER: &str = "/nonexistent";

async fn decided(
    judge: &dyn Judge,
    subtask: &SubTask,
    result: &ExecutionResult,
    folder: &Path,
) -> Vec<CriterionVerdict> {
    let model: Arc<dyn LlmClient> = Arc::new(ScriptedModel::new());
    decided_by(&model, judge, subtask, result, folder).await
}

async fn decided_by(
    model: &Arc<dyn LlmClient>,
    judge: &dyn Judge,
    subtask: &SubTask,
    result: &ExecutionResult,
    folder: &Path,
) -> Vec<CriterionVerdict> {
    let (surroundings, world) = (surroundings(folder), world(folder));
    let cx = JudgeContext {
        background: &artoo_case_file::Background::default(),
        subtask,
        result,
        surroundings: &surroundings,
        world: &world,
        mentions: &StepMentions::of(subtask, &world),
        subject: &[],
        evidence: &result.tool_calls,
        excerpts: artoo_agent_validator::Excerpts::Long,
    };
    let mut reached = Vec::new();
    let show = |verdict: &CriterionVerdict| reached.push(verdict.clone());
    let verdicts = verdicts(&cx, judge, &NoCommands, model, a_minute(), &[], show).await.unwrap();
    assert_eq!(reached, verdicts, "each verdict is shown");
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

/// Lesson 30 and fact 4 of its kind: right words and no action. A check of the output cannot pass what no
/// call supports.
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
    // A call that failed by itself may still show something: that a file does not exist.
    let search = |failure_class| {
        let failure = CallFailure { class: failure_class, reason: "exit status 1".to_owned(), hint: None };
        let calls = vec![ToolCall { failure: Some(failure), ..call(1, "", false) }];
        ExecutionResult { tool_calls: calls, ..counted(1, 1, "0") }
    };
    assert!(one(&Unasked, &counting(1), &search(FailureClass::Unknown)).await.passed());
    // A guided model takes a search that could not look for one that found nothing.
    let counted = search(FailureClass::Environmental);
    let verdict = decided_by(&guided(), &Unasked, &counting(1), &counted, Path::new(FOLDER)).await.remove(0);
    assert_eq!((verdict.judge, verdict.passed()), (DecidedBy::Rule, false));
}

fn guided() -> Arc<dyn LlmClient> {
    Arc::new(ScriptedModel::new().profiled(ModelProfile::embedded()))
}

/// Lesson 30 once more: right words and a wrong number. The calls show 3. A guided model derives nothing in
/// its head.
#[tokio::test]
async fn lesson_30_a_figure_that_no_call_shows_is_invented() {
    let guided = guided();
    let saying = async |output: &str, verbatim| {
        let result = ExecutionResult { output: output.to_owned(), verbatim, ..counted(1, 1, "3") };
        decided_by(&guided, &Unasked, &counting(1), &result, Path::new(FOLDER)).await.pop().unwrap()
    };
    for (output, passes) in [("There are 3.", true), ("There are 4.", false)] {
        let verdict = saying(output, false).await;
        assert_eq!(verdict.passed(), passes, "{verdict:?}");
        let by = if passes { DecidedBy::Check } else { DecidedBy::Rule };
        assert_eq!(verdict.judge, by);
    }
    // The executor's own comparison establishes that it is a quotation.
    assert!(saying("4", true).await.passed());
}

/// Records its criteria, and passes all of them.
#[derive(Default)]
struct Asked(Mutex<Vec<Vec<String>>>);

#[async_trait]
impl Judge for Asked {
    async fn judge(
        &self,
        criteria: &[Criterion],
        _: &JudgeContext<'_>,
        _: &Arc<dyn LlmClient>,
    ) -> Result<Vec<Finding>, JudgeError> {
        let texts = criteria.iter().map(|criterion| criterion.text.clone()).collect();
        self.0.lock().unwrap().push(texts);
        Ok(vec![pass(); criteria.len()])
    }
}

/// 13:58 to 14:21 is 23 minutes: a number that no call prints may still follow. The judge of the whole is
/// told; the form is correct.
#[tokio::test]
async fn lesson_a_figure_that_no_call_shows_may_follow() {
    let result = ExecutionResult { output: "4".to_owned(), ..counted(1, 1, "3") };
    let verdict = one(&Unasked, &counting(1), &result).await;
    assert_eq!((verdict.judge, verdict.passed()), (DecidedBy::Check, true));
}

/// Lesson of the review of 056114a: a literal printed by any program, a discarded search and the wrong file
/// were all taken for evidence.
#[tokio::test]
async fn lesson_what_says_the_same_without_its_subject_is_no_evidence() {
    let (surroundings, world) = (surroundings(Path::new(FOLDER)), world(Path::new(FOLDER)));
    let subject = [Path::new(FOLDER).join("docs")];
    let judged = async |subtask: &SubTask, answer: &str, verbatim, evidence: &[ToolCall]| {
        let calls = vec![call(1, "3", true), call(2, answer, true)];
        let result = ExecutionResult { verbatim, ..result(answer, calls) };
        let cx = JudgeContext {
            background: &artoo_case_file::Background::default(),
            subtask,
            result: &result,
            surroundings: &surroundings,
            world: &world,
            mentions: &StepMentions::of(subtask, &world),
            subject: &subject,
            evidence,
            excerpts: artoo_agent_validator::Excerpts::Long,
        };
        let model: Arc<dyn LlmClient> = Arc::new(ScriptedModel::new());
        verdicts(&cx, &Unasked, &NoCommands, &model, a_minute(), &[], |_| {}).await.unwrap().remove(0)
    };
    let first = [call(1, "3", true)];
    let told = "the calls put out the same where /nonexistent/docs cannot be read or is empty, so they say nothing about it: look there";
    for (verbatim, evidence) in [(false, &[][..]), (true, &[]), (true, &first)] {
        assert_eq!(
            failure(&judged(&counting(1), "7", verbatim, evidence).await),
            (FailureClass::Logical, told)
        );
    }
    assert!(judged(&counting(1), "3", false, &first).await.passed());
    // "Nothing found" is also the output if nothing can be read; and a value computed from earlier results
    // depends on those.
    assert!(judged(&counting(1), "0", true, &[]).await.passed());
    let earlier =
        vec![EarlierResult { intent: "Count".to_owned(), output: "3 and 4".to_owned(), left_out_bytes: 0 }];
    assert!(judged(&SubTask { earlier, ..counting(1) }, "7", true, &[]).await.passed());
}

/// A promise, a question in return or "could not be determined" in an answer's place has the form of a text.
#[tokio::test]
async fn an_answer_without_a_word_of_an_output_fails_where_it_is_about_something_there() {
    let (surroundings, world) = (surroundings(Path::new(FOLDER)), world(Path::new(FOLDER)));
    let docs = [Path::new(FOLDER).join("docs")];
    let criterion = checked("It is a text", Check::OutputMatches { pattern: r"\S".into() });
    let asked = SubTask { success_criteria: vec![criterion], ..counting(1) };
    let judged = async |answer: &str, intent: &str, subject: &[std::path::PathBuf]| {
        let calls = vec![call(1, "a.md\nb.md", true)];
        let result = result(answer, calls.clone());
        let subtask = SubTask { intent: intent.to_owned(), ..asked.clone() };
        let cx = JudgeContext {
            background: &artoo_case_file::Background::default(),
            subtask: &subtask,
            result: &result,
            surroundings: &surroundings,
            world: &world,
            mentions: &StepMentions::of(&subtask, &world),
            subject,
            evidence: &calls,
            excerpts: artoo_agent_validator::Excerpts::Long,
        };
        let model: Arc<dyn LlmClient> = Arc::new(ScriptedModel::new());
        verdicts(&cx, &Unasked, &NoCommands, &model, a_minute(), &[], |_| {})
            .await
            .unwrap()
            .remove(0)
            .passed()
    };
    let list = "List the files in docs";
    assert!(!judged("That could not be determined.", list, &docs).await);
    assert!(judged("They are a.md and b.md.", list, &docs).await);
    assert!(judged("Friendly blue", "Name a colour", &[]).await, "it follows from nothing there");
    let gone = "What does docs/gone.txt say?";
    assert!(judged("There is no such file.", gone, &docs).await, "the list shows that it is nowhere");
}

/// Lesson of the review of 056114a: a change without any effect was accepted.
#[tokio::test]
async fn lesson_a_deed_after_which_nothing_is_different_is_none() {
    let deed = SubTask { kind: artoo_types::StepKind::Change, ..counting(1) };
    let verdict = one(&Unasked, &deed, &counted(1, 1, "3")).await;
    assert_eq!(failure(&verdict).1, "nothing was created, changed or deleted, so it is not done");
    let file = artoo_types::FileChange {
        path: "/nonexistent/a.txt".into(),
        change: artoo_types::FileChangeKind::Changed,
        moved_from: None,
        diff: None,
        moves: None,
    };
    let changed = ToolCall { files: vec![file], ..call(1, "3", true) };
    assert!(one(&Unasked, &deed, &result("3", vec![changed])).await.passed());
    // The effects of other tools are not tracked.
    let sent = ToolCall { tool: ToolName::new("send_mail"), ..call(1, "3", true) };
    assert!(one(&Unasked, &deed, &result("3", vec![sent])).await.passed());
}

/// A step that only summarised the results of others had to make a call all the same.
#[tokio::test]
async fn lesson_a_step_may_sum_up() {
    let earlier =
        vec![EarlierResult { intent: "Count".to_owned(), output: "31 and 11".to_owned(), left_out_bytes: 0 }];
    let says = |text: &str| result(text, Vec::new());
    let sums_up = SubTask { earlier: earlier.clone(), ..counting(1) };
    assert!(one(&Unasked, &sums_up, &says("42")).await.passed());
    for no_sum in [
        counting(1),
        SubTask {
            success_criteria: vec![checked("It ended well", Check::ExitStatus { equals: 0 })],
            earlier: earlier.clone(),
            ..counting(1)
        },
    ] {
        assert_eq!(one(&Unasked, &no_sum, &says("31")).await.judge, DecidedBy::Rule);
    }
    let refused = ToolCall { ending: CallEnding::Refused, ..call(2, "", false) };
    assert!(!one(&Unasked, &sums_up, &result("31", vec![refused])).await.passed());
}

/// Each attempt had every criterion judged again.
#[tokio::test]
async fn lesson_what_did_not_change_is_not_judged_again() {
    let (subtask, done) = (judged_subtask(), result("hello", vec![call(1, "hello", true)]));
    let (surroundings, world) = (surroundings(Path::new(FOLDER)), world(Path::new(FOLDER)));
    let cx = JudgeContext {
        background: &artoo_case_file::Background::default(),
        subtask: &subtask,
        result: &done,
        surroundings: &surroundings,
        world: &world,
        mentions: &StepMentions::of(&subtask, &world),
        subject: &[],
        evidence: &done.tool_calls,
        excerpts: artoo_agent_validator::Excerpts::Long,
    };
    let model: Arc<dyn LlmClient> = Arc::new(ScriptedModel::new());
    let judge = Asked::default();
    let first = verdicts(&cx, &judge, &NoCommands, &model, a_minute(), &[], |_| {}).await.unwrap();
    let again = verdicts(&cx, &Unasked, &NoCommands, &model, a_minute(), &first, |_| {}).await.unwrap();
    assert_eq!(first, again);
    // Verdicts on other criteria do not count for this one.
    let other = vec![CriterionVerdict { criterion: "It is short".to_owned(), ..first[0].clone() }];
    verdicts(&cx, &judge, &NoCommands, &model, a_minute(), &other, |_| {}).await.unwrap();
    assert_eq!(judge.0.into_inner().unwrap().len(), 2);
}

#[tokio::test]
async fn a_blank_answer_is_not_put_to_a_judge() {
    let verdict = one(&Unasked, &judged_subtask(), &result(" \u{a0}\n", vec![call(1, "x", true)])).await;
    assert_eq!((verdict.judge, failure(&verdict).0), (DecidedBy::Rule, FailureClass::Logical));
}

#[tokio::test]
async fn a_pass_that_points_at_nothing_is_none() {
    let refused = ToolCall { ending: CallEnding::Refused, ..call(2, "", false) };
    let result = result("hello", vec![call(1, "hello", true), refused]);
    let call = |number, excerpt: &str| Evidence::ToolCall {
        call_id: CallId::new(Uuid::from_u128(number)),
        excerpt: excerpt.to_owned(),
    };
    let seen = |text: &str| Evidence::Observation { text: text.to_owned() };
    for evidence in [seen("\t"), call(2, "it is polite"), call(9, "hello")] {
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
    // The run of these tests begins in the past; in a world that begins after the file was made, the file is
    // old.
    let subtask = SubTask {
        success_criteria: vec![checked("It was downloaded", Check::FileNewer { path: path.clone() })],
        ..counting(1)
    };
    let mut surroundings = surroundings(folder.path());
    surroundings.now = chrono::DateTime::parse_from_rfc3339("2999-01-01T00:00:00Z").unwrap();
    let old_world = artoo_checks::Filesystem::new(folder.path(), folder.path(), surroundings.now);
    let result = counted(1, 1, "downloaded 下载.iso");
    let cx = JudgeContext {
        background: &artoo_case_file::Background::default(),
        subtask: &subtask,
        result: &result,
        surroundings: &surroundings,
        world: &old_world,
        mentions: &StepMentions::of(&subtask, &old_world),
        subject: &[],
        evidence: &result.tool_calls,
        excerpts: artoo_agent_validator::Excerpts::Long,
    };
    let model: Arc<dyn LlmClient> = Arc::new(ScriptedModel::new());
    let found = verdicts(&cx, &Unasked, &NoCommands, &model, a_minute(), &[], |_| {}).await.unwrap();
    assert!(!found[0].passed(), "{found:?}");
}

/// Lesson N13: a judge without a usable answer has passed nothing, and its fault is no finding: neither a failure
/// nor a lesson for memory.
#[tokio::test(start_paused = true)]
async fn lesson_n13_a_missing_verdict_is_no_pass_and_no_failure() {
    struct Faulty(&'static str);
    #[async_trait]
    impl Judge for Faulty {
        async fn judge(
            &self,
            _: &[Criterion],
            _: &JudgeContext<'_>,
            _: &Arc<dyn LlmClient>,
        ) -> Result<Vec<Finding>, JudgeError> {
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
    let model: Arc<dyn LlmClient> = Arc::new(ScriptedModel::new());
    let (surroundings, world) = (surroundings(Path::new(FOLDER)), world(Path::new(FOLDER)));
    let cx = JudgeContext {
        background: &artoo_case_file::Background::default(),
        mentions: &StepMentions::of(&judged_subtask(), &world),
        subtask: &judged_subtask(),
        result: &result,
        surroundings: &surroundings,
        world: &world,
        subject: &[],
        evidence: &result.tool_calls,
        excerpts: artoo_agent_validator::Excerpts::Long,
    };
    for (fault, words) in
        [("hangs", "no verdict within 60 s"), ("panics", "panicked"), ("errs", "does not fit the schema")]
    {
        let reached = |verdict: &CriterionVerdict| panic!("{verdict:?} was reached");
        let judge = Faulty(fault);
        let found = verdicts(&cx, &judge, &NoCommands, &model, a_minute(), &[], reached).await;
        let error = found.unwrap_err().to_string();
        assert!(error.contains(words), "{error}");
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

/// An invented answer was believed because its name occurred in recalled memory: memory was taken for part of
/// the request.
#[tokio::test]
async fn lesson_what_memory_says_is_not_asked_for() {
    let remembered = "It was pear-tree.txt.";
    let names = SubTask {
        success_criteria: vec![checked(
            "It names a file",
            Check::OutputMatches { pattern: r"\w+\.txt".to_owned() },
        )],
        ..counting(1)
    };
    let recalled = Briefing { lessons: vec![Lesson::Rule(rule(remembered))], ..Briefing::default() };
    let with_memory = SubTask { briefing: recalled, ..names.clone() };
    let as_asked = SubTask { context: remembered.to_owned(), ..names };
    let claim = ExecutionResult { tool_calls: vec![call(1, "3", true)], ..counted(1, 1, "pear-tree.txt") };
    let guided = guided();
    let judged = async |subtask: &SubTask| {
        decided_by(&guided, &Unasked, subtask, &claim, Path::new(FOLDER)).await.remove(0)
    };
    let verdict = judged(&with_memory).await;
    assert_eq!((verdict.judge, verdict.passed()), (DecidedBy::Rule, false), "{verdict:?}");
    // Names in the request itself may be repeated.
    let verdict = judged(&as_asked).await;
    assert_eq!((verdict.judge, verdict.passed()), (DecidedBy::Check, true), "{verdict:?}");
}

fn rule(content: &str) -> SopRecord {
    SopRecord {
        id: MegramId::new(Uuid::nil()),
        space: Space::intent("find it"),
        entity: Entity::local(),
        content: content.to_owned(),
        polarity: Polarity::Practice,
        sources: Vec::new(),
    }
}
