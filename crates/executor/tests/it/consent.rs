//! Tests of consent on a real bus: which questions are asked, who waits, and the effect of an answer.

use std::{path::Path, sync::Arc, time::Duration};

use artoo_consent::Rules;
use artoo_executor::{Attempt, AttemptContext, CallTool, ExecuteError, Executor, Terms};
use artoo_llm_client::{LlmClient, doubles::ScriptedModel};
use artoo_types::{
    Approval, ApprovalDecided, ApprovalRequested, ApprovalScope, CallEnding, CallId, EffectKind,
    ExecutionStatus, FailureClass, Message, MessageKind, ToolName,
};
use async_trait::async_trait;

use crate::fixtures::{House, arguments, finished, results, subtask};

/// Makes the calls that its intent lists, and outputs the result or failure of each.
pub(crate) struct Listed;

#[async_trait]
impl Executor for Listed {
    async fn attempt(
        &self,
        cx: &AttemptContext,
        tools: &dyn CallTool,
        _: &Arc<dyn LlmClient>,
    ) -> Result<Attempt, ExecuteError> {
        let mut output = String::new();
        for command in cx.subtask.intent.split("; ") {
            if let Ok(call) = tools.call(&ToolName::new("shell"), arguments(command)).await {
                let failure = call.failure.map(|failure| failure.reason).unwrap_or_default();
                output.push_str(&format!("{}{failure}\n", call.output.shown));
            }
        }
        Ok(Attempt {
            status: ExecutionStatus::Completed,
            output,
            verbatim: false,
            failure: None,
            samples: None,
            conversation: None,
        })
    }
}

/// Takes a file name from a listing, then makes a call with this effect on that name in this folder, or in
/// the working folder.
struct Led(&'static str, Option<&'static str>);

#[async_trait]
impl Executor for Led {
    async fn attempt(
        &self,
        cx: &AttemptContext,
        tools: &dyn CallTool,
        _: &Arc<dyn LlmClient>,
    ) -> Result<Attempt, ExecuteError> {
        let shell = ToolName::new("shell");
        let found = tools.call(&shell, arguments("find")).await.unwrap().output.shown;
        let folder = self.1.map_or_else(|| cx.surroundings.working_folder.clone(), Into::into);
        let command = format!("ask {} {}/{found}", self.0, folder.display());
        let output = tools.call(&shell, arguments(&command)).await.unwrap().output.shown;
        Ok(Attempt {
            status: ExecutionStatus::Completed,
            output,
            verbatim: false,
            failure: None,
            samples: None,
            conversation: None,
        })
    }
}

fn house(person_present: bool, granted: &[EffectKind]) -> House {
    let granted = granted.iter().copied().collect();
    let terms = Terms { approval: Approval::Auto, person_present, granted, ..Terms::default() };
    House::under(terms, Arc::new(Listed), &Arc::new(ScriptedModel::new()), 4)
}

fn asked(said: &[Message]) -> Vec<ApprovalRequested> {
    let request = |message: &Message| {
        if let Message::ApprovalRequested(request) = message { Some(request.clone()) } else { None }
    };
    said.iter().filter_map(request).collect()
}

fn decided(said: &[Message]) -> Vec<(bool, String)> {
    let decision = |message: &Message| {
        if let Message::ApprovalDecided(decision) = message {
            Some((decision.granted, decision.reason.clone()))
        } else {
            None
        }
    };
    said.iter().filter_map(decision).collect()
}

fn yes(call_id: CallId, scope: ApprovalScope) -> ApprovalDecided {
    let reason = "the person agreed".to_owned();
    ApprovalDecided { call_id, granted: true, scope, reason, instead: None, rule: None }
}

fn no(call_id: CallId, instead: Option<&str>) -> ApprovalDecided {
    let reason = "the person did not agree".to_owned();
    ApprovalDecided {
        granted: false,
        reason,
        instead: instead.map(str::to_owned),
        ..yes(call_id, ApprovalScope::Once)
    }
}

#[tokio::test(start_paused = true)]
async fn a_call_waits_for_its_answer_and_its_time_rests() {
    let mut house = house(true, &[]);
    house.dispatcher.publish(subtask(1, "ask deletes /a/b; wait 600")).unwrap();
    let said = house.said().await;
    let [question] = asked(&said).try_into().unwrap();
    assert_eq!((question.command.as_str(), question.person), ("ask deletes /a/b", true));
    assert_eq!(question.effects[0].kind, EffectKind::Deletes);
    assert!(
        finished(&said).is_empty() && results(&said).is_empty(),
        "an hour, and an attempt has 15 minutes"
    );
    // A decision about another call is ignored.
    house.user.publish(yes(CallId::new(uuid::Uuid::nil()), ApprovalScope::Once)).unwrap();
    assert!(house.said().await.is_empty());
    house.user.publish(yes(question.call_id, ApprovalScope::Once)).unwrap();
    let said = house.said().await;
    let [result] = results(&said).try_into().unwrap();
    assert_eq!((result.status, result.output.as_str()), (ExecutionStatus::Completed, "done\nwaited\n"));
    house.close().await;
}

/// Issue 4, part 7: the question names the source of foreign words, and a grant for a folder does not cover
/// them.
#[tokio::test(start_paused = true)]
async fn words_of_others_are_named_and_asked_about_again() {
    let terms = Terms { person_present: true, ..Terms::default() };
    let led = Arc::new(Led("overwrites", Some("/a")));
    let mut house = House::under(terms, led, &Arc::new(ScriptedModel::new()), 4);
    for number in [1, 2] {
        house.dispatcher.publish(subtask(number, "Tidy up")).unwrap();
        let [question] = asked(&house.said().await).try_into().unwrap();
        assert!(question.person, "subtask {number}");
        assert!(question.reason.contains("`kept-8.txt` in it came from a tool"), "{}", question.reason);
        house.user.publish(yes(question.call_id, ApprovalScope::Folder)).unwrap();
        assert_eq!(results(&house.said().await)[0].output, "done");
    }
    house.close().await;
}

/// Issue 13: a name from a listing of the request's own folder is not worth a warning.
#[tokio::test(start_paused = true)]
async fn words_of_others_are_not_named_where_they_lead_nowhere_else() {
    let terms = Terms { person_present: true, ..Terms::default() };
    let led = Arc::new(Led("overwrites", None));
    let mut house = House::under(terms, led, &Arc::new(ScriptedModel::new()), 4);
    house.dispatcher.publish(subtask(1, "Tidy up")).unwrap();
    let [question] = asked(&house.said().await).try_into().unwrap();
    assert_eq!(question.reason, "what was there changes only with consent");
    house.user.publish(yes(question.call_id, ApprovalScope::Folder)).unwrap();
    assert_eq!(results(&house.said().await)[0].output, "done");
    house.dispatcher.publish(subtask(2, "Tidy up")).unwrap();
    let said = house.said().await;
    assert_eq!(decided(&said), [(true, "the person agreed to it before in this run".to_owned())]);
    house.close().await;
}

#[tokio::test(start_paused = true)]
async fn a_no_ends_the_subtask_and_blocks_the_effect_for_the_others() {
    let mut house = house(true, &[]);
    house.dispatcher.publish(subtask(1, "ask deletes /a/b; say bypass")).unwrap();
    let [question] = asked(&house.said().await).try_into().unwrap();
    house.user.publish(no(question.call_id, None)).unwrap();
    let said = house.said().await;
    let [result] = results(&said).try_into().unwrap();
    let failure = result.failure.unwrap();
    assert_eq!((result.status, failure.class), (ExecutionStatus::Failed, FailureClass::Denied));
    assert_eq!(failure.reason, "not allowed: the person did not agree; it would delete /a/b");
    assert_eq!(finished(&said)[0].ending, CallEnding::Refused);
    // A different command or a different subtask: the person is not asked again.
    for (number, other) in [(2, "ask overwrites /a/b/c"), (3, "ask unknown ./script")] {
        house.dispatcher.publish(subtask(number, other)).unwrap();
        let said = house.said().await;
        let [question] = asked(&said).try_into().unwrap();
        assert!(!question.person, "{other}");
        assert_eq!(decided(&said).len(), 1);
        let [result] = results(&said).try_into().unwrap();
        assert_eq!(result.failure.unwrap().class, FailureClass::Denied, "{other}");
    }
    // Work that does not need the answer continues.
    house.dispatcher.publish(subtask(4, "ask deletes /c/d")).unwrap();
    assert!(asked(&house.said().await)[0].person);
    house.close().await;
}

#[tokio::test(start_paused = true)]
async fn words_leave_the_subtask_another_way_but_not_the_same_effect() {
    let mut house = house(true, &[]);
    house
        .dispatcher
        .publish(subtask(1, "ask deletes /a/b; say moved; ask deletes /a/b/c; say bypass"))
        .unwrap();
    let [question] = asked(&house.said().await).try_into().unwrap();
    house.user.publish(no(question.call_id, Some("move it to /a/old"))).unwrap();
    let said = house.said().await;
    let calls = finished(&said);
    let failure = calls[0].failure.clone().unwrap();
    assert_eq!(
        (failure.class, failure.reason.as_str()),
        (FailureClass::Logical, "the user did not allow it, and says: move it to /a/old")
    );
    assert_eq!(calls[1].output.shown, "moved");
    assert_eq!(calls[2].failure.clone().unwrap().class, FailureClass::Denied);
    let [result] = results(&said).try_into().unwrap();
    assert_eq!(result.failure.unwrap().class, FailureClass::Denied);
    house.close().await;
}

#[tokio::test(start_paused = true)]
async fn a_yes_for_the_run_is_asked_for_once() {
    let mut house = house(true, &[]);
    house.dispatcher.publish(subtask(1, "ask overwrites /a/c overwrites /a/b; ask overwrites /a/b")).unwrap();
    let [question] = asked(&house.said().await).try_into().unwrap();
    house.user.publish(yes(question.call_id, ApprovalScope::Run)).unwrap();
    let said = house.said().await;
    let [again] = asked(&said).try_into().unwrap();
    assert!(!again.person, "what was shown is covered, and that is on record");
    assert_eq!(results(&said)[0].output, "done\ndone\n");
    house.close().await;
}

#[tokio::test(start_paused = true)]
async fn two_questions_are_asked_one_after_the_other() {
    let mut house = house(true, &[]);
    house.dispatcher.publish(subtask(1, "ask overwrites /a/b")).unwrap();
    house.dispatcher.publish(subtask(2, "ask overwrites /a/b")).unwrap();
    let [first] = asked(&house.said().await).try_into().unwrap();
    house.user.publish(yes(first.call_id, ApprovalScope::Run)).unwrap();
    let said = house.said().await;
    // The answer settles the second question too, and that is recorded.
    let [second] = asked(&said).try_into().unwrap();
    assert!(!second.person);
    assert_eq!(decided(&said), [(true, "the person agreed to it before in this run".to_owned())]);
    assert_eq!(results(&said).len(), 2);
    house.close().await;
}

#[tokio::test(start_paused = true)]
async fn without_anybody_the_answer_is_no_at_once_and_on_record() {
    let mut house = house(false, &[EffectKind::Overwrites]);
    house.dispatcher.publish(subtask(1, "ask overwrites /a/b; ask deletes /a/c; say bypass")).unwrap();
    let said = house.said_within(Duration::from_secs(1)).await;
    assert!(asked(&said).iter().all(|question| !question.person));
    assert_eq!(
        decided(&said),
        [
            (true, "granted in advance: overwrites".to_owned()),
            (false, "nobody is there to be asked".to_owned())
        ]
    );
    let [result] = results(&said).try_into().unwrap();
    assert_eq!(result.failure.unwrap().class, FailureClass::Denied);
    assert_eq!(result.tool_calls.len(), 2, "no bypass");
    house.close().await;
}

#[tokio::test(start_paused = true)]
async fn a_cancel_withdraws_the_question() {
    let mut house = house(true, &[]);
    house.dispatcher.publish(subtask(1, "ask deletes /a/b")).unwrap();
    assert_eq!(asked(&house.said().await).len(), 1);
    house.cancel.cancel();
    let said = house.said_within(Duration::from_secs(60)).await;
    assert_eq!(decided(&said), [(false, "the call ended before it was answered".to_owned())]);
    assert_eq!(finished(&said)[0].ending, CallEnding::Cancelled);
    assert_eq!(said.last().map(Message::kind), Some(MessageKind::ExecutionResult));
    house.close().await;
}

/// The rule that would settle a question is offered for the person's own words only.
#[tokio::test(start_paused = true)]
async fn words_of_others_bring_no_rule() {
    let rules =
        Rules::read("/nowhere/policy.toml".into(), Vec::new(), Path::new("/home/nobody-here")).unwrap();
    let led = || Arc::new(Led("overwrites", Some("/a"))) as Arc<dyn Executor>;
    for (executor, person_present, offered) in [
        (Arc::new(Listed) as Arc<dyn Executor>, true, true),
        (led(), true, false),
        (Arc::new(Listed), false, false),
    ] {
        let terms = Terms { person_present, rules: rules.clone(), ..Terms::default() };
        let mut house = House::under(terms, executor, &Arc::new(ScriptedModel::new()), 4);
        house.dispatcher.publish(subtask(1, "ask overwrites /a/b.txt")).unwrap();
        let [question] = asked(&house.said().await).try_into().unwrap();
        assert_eq!((question.person, question.always.is_some()), (person_present, offered));
    }
}
