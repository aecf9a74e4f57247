//! The question that goes on with the conversation in which the work was done.
//!
//! The model has the calls and their outputs before it. Code tells it all the same what it observed: which calls were
//! made and how each ended, what they changed, and what the user said and allowed. So no word of the executor can hide
//! it.

use artoo_judging::{Exhibits, asked};
use artoo_llm_client::{ModelProfile, Origin, Request, estimate_usage};
use artoo_types::{Criterion, ToolCall};

use crate::TaskContext;
use crate::model_judge::CONTINUED_PROMPT;
use crate::prompt::{FILES_SHOWN, calls, checked, notes, sought, words_of_the_user};

/// How much of the model's context the question may fill, in hundredths.
const FULL: u64 = 70;

/// The question about the whole request and these further criteria, at the end of the executor's conversation. `None` if
/// there is no conversation, or it is too long, or it lacks the results of more than the last call.
pub(crate) fn question(
    further: &[Criterion],
    cx: &TaskContext<'_>,
    told: &str,
    profile: &ModelProfile,
) -> Option<Request> {
    let conversation = cx.conversation?;
    let results = match (conversation.open_calls(), calls(cx).last()) {
        ([], _) => Vec::new(),
        ([_], Some(last)) => vec![result(last, cx, told, profile)],
        (_, _) => return None,
    };
    let words = format!("{CONTINUED_PROMPT}\n{}", after_the_work(further, cx, told, profile));
    let request = conversation.continued("meta_validator", words, results);
    let fits = estimate_usage(&request, "").prompt_tokens <= u64::from(profile.context_tokens) * FULL / 100;
    fits.then_some(request)
}

/// What artoo observed, and what is judged.
fn after_the_work(further: &[Criterion], cx: &TaskContext<'_>, told: &str, profile: &ModelProfile) -> String {
    let mut shown = Exhibits::of(cx.excerpts);
    shown.line("The calls that were made, whose outputs stand above, and what artoo saw them change:");
    for (number, call) in (1..).zip(calls(cx)) {
        shown.mention(number, call);
        shown.written(call, cx.world, profile, FILES_SHOWN);
    }
    if calls(cx).all(|call| call.files.is_empty()) {
        shown.line("Nothing was created, changed or deleted.");
    }
    checked(&mut shown, cx);
    words_of_the_user(&mut shown, cx, profile);
    shown.line(format!("Request: {}", cx.spec.in_full()));
    match result_above(cx, told) {
        Some(place) => shown.line(format!("Result: {place}")),
        None => {
            shown.line("Result:");
            shown.text(Origin::SubTask, told);
        }
    }
    notes(&mut shown, cx);
    let question = asked(further);
    shown.render(profile, &sought(cx, told, &question)) + &question
}

/// Where the conversation has the result already.
fn result_above(cx: &TaskContext<'_>, told: &str) -> Option<&'static str> {
    let conversation = cx.conversation?;
    let is_it = |text: &str| text.trim() == told.trim();
    if conversation.open_calls().is_empty() {
        return is_it(conversation.last_words()).then_some("your last words above.");
    }
    is_it(&calls(cx).last()?.output.shown).then_some("the output of the last call.")
}

/// The result of the last call, which ended the work: the conversation lacks it.
fn result(call: &ToolCall, cx: &TaskContext<'_>, told: &str, profile: &ModelProfile) -> String {
    let mut shown = Exhibits::of(cx.excerpts);
    shown.call(calls(cx).count(), call);
    shown.render(profile, &sought(cx, told, ""))
}
