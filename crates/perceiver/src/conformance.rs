//! Conformance suite for [`Perceiver`]: contract checks that any implementation can be run against.
//!
//! Each check is one law. `model` is passed to the implementation; an implementation that asks a model needs
//! one that answers. Most requests come without earlier turns, so a verbatim copy satisfies their laws. The
//! laws of [`follow_ups`] come with turns, and a copy breaks them: a suitable scripted model answers
//! [`follow_ups::MEANT`].
//!
//! ```
//! # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
//! use std::sync::Arc;
//! use artoo_llm_client::{LlmClient, doubles::{Answer, Expect, ScriptedModel}};
//! use artoo_perceiver::{DefaultPerceiver, conformance};
//!
//! let meant = format!("{{\"intent\": \"{}\"}}", conformance::follow_ups::MEANT);
//! let model: Arc<dyn LlmClient> = Arc::new(ScriptedModel::new().always(Expect::any(), Answer::text(meant)));
//! assert_eq!(conformance::check_all(&DefaultPerceiver, &model).await, Ok(()));
//! # });
//! ```

mod follow_up_case;
pub mod follow_ups;

use std::{path::PathBuf, sync::Arc};

use artoo_llm_client::LlmClient;
use artoo_types::{Limits, Prices, Surroundings, TaskSpec, UserRequest};
use chrono::DateTime;

pub use follow_up_case::SaidNext;

use crate::{Dialogue, Perceived, Perceiver};

/// Requests, each with the words that its task must keep.
const FACTS: &[(&str, &[&str])] = &[
    ("How many .txt files are in docs?", &[".txt", "docs"]),
    ("Delete what is older than 30 days in ~/Downloads, but not b.txt", &["30", "~/Downloads", "b.txt"]),
    ("What did I change yesterday, and what is due next Friday?", &["yesterday", "next Friday"]),
    ("今年的春节是哪一天？", &["今年", "春节"]),
    ("كم عدد الملفات في docs أمس؟", &["docs", "أمس"]),
    ("Make a file 🙂.md with the word “plan”", &["🙂.md", "plan"]),
];

/// Checks every law in turn.
///
/// # Errors
/// Describes how the implementation broke the first law that failed; likewise for the functions below.
pub async fn check_all(perceiver: &dyn Perceiver, model: &Arc<dyn LlmClient>) -> Result<(), String> {
    keeps_the_words(perceiver, model).await?;
    keeps_the_facts(perceiver, model).await?;
    refuses_an_empty_request(perceiver, model).await?;
    bears_a_huge_request(perceiver, model).await?;
    keeps_no_state(perceiver, model).await?;
    asks_only_who_can_answer(perceiver, model).await?;
    keeps_what_was_answered(perceiver, model).await?;
    follow_ups::check_all(perceiver, model).await
}

/// `raw_input` is the request, byte for byte.
///
/// # Errors
/// See [`check_all`].
pub async fn keeps_the_words(perceiver: &dyn Perceiver, model: &Arc<dyn LlmClient>) -> Result<(), String> {
    for text in FACTS.iter().map(|(text, _)| *text).chain(["  two  blanks \n and a line  "]) {
        let task = perceived(perceiver, model, text).await?;
        if task.raw_input != text {
            return Err(format!("raw_input of {text:?} is {:?}", task.raw_input));
        }
    }
    Ok(())
}

/// The intent keeps names, numbers and paths, and time words verbatim (lesson 57).
///
/// # Errors
/// See [`check_all`].
pub async fn keeps_the_facts(perceiver: &dyn Perceiver, model: &Arc<dyn LlmClient>) -> Result<(), String> {
    for (text, facts) in FACTS {
        let task = perceived(perceiver, model, text).await?;
        if let Some(lost) = facts.iter().find(|fact| !task.intent.contains(**fact)) {
            return Err(format!("the intent of {text:?} lost {lost:?}: {:?}", task.intent));
        }
    }
    Ok(())
}

/// A request without a word is an error, not a task.
///
/// # Errors
/// See [`check_all`].
pub async fn refuses_an_empty_request(
    perceiver: &dyn Perceiver,
    model: &Arc<dyn LlmClient>,
) -> Result<(), String> {
    for text in ["", " \n\t", "?!…"] {
        if let Ok(perceived) = perceiver.perceive(&request(text), &Dialogue::new(false), model).await {
            return Err(format!("{text:?} became {perceived:?}"));
        }
    }
    Ok(())
}

/// A request of a megabyte is a task that keeps its words, or an error.
///
/// # Errors
/// See [`check_all`].
pub async fn bears_a_huge_request(
    perceiver: &dyn Perceiver,
    model: &Arc<dyn LlmClient>,
) -> Result<(), String> {
    let text = "数 files ".repeat(100_000);
    match perceiver.perceive(&request(&text), &Dialogue::new(false), model).await {
        Ok(Perceived::Task(task)) if task.raw_input != text => {
            Err("a huge request lost its words".to_owned())
        }
        Ok(Perceived::Task(_)) | Err(_) => Ok(()),
        Ok(Perceived::Unclear(_)) => Err("a huge request was asked back, and nobody is there".to_owned()),
    }
}

/// The same request gives the same task, regardless of the requests in between.
///
/// # Errors
/// See [`check_all`].
pub async fn keeps_no_state(perceiver: &dyn Perceiver, model: &Arc<dyn LlmClient>) -> Result<(), String> {
    let text = "How many .txt files are in docs?";
    let first = perceived(perceiver, model, text).await?;
    perceived(perceiver, model, "What did I change yesterday?").await?;
    let again = perceived(perceiver, model, text).await?;
    if first == again { Ok(()) } else { Err(format!("{text:?} became {first:?}, and later {again:?}")) }
}

/// If no person can be asked, and after an empty answer, a request becomes a task (lesson 23).
///
/// # Errors
/// See [`check_all`].
pub async fn asks_only_who_can_answer(
    perceiver: &dyn Perceiver,
    model: &Arc<dyn LlmClient>,
) -> Result<(), String> {
    let go_ahead = Dialogue::new(true).with(vec!["Which one?".to_owned()], String::new());
    for dialogue in [Dialogue::new(false), go_ahead] {
        for text in FACTS.iter().map(|(text, _)| *text).chain(["Do it again, but better"]) {
            let task = in_dialogue(perceiver, model, text, &dialogue).await?;
            if task.is_none() {
                return Err(format!("{text:?} was asked back after {:?}", dialogue.exchanges()));
            }
        }
    }
    Ok(())
}

/// The intent keeps the facts of an answer just as those of the request.
///
/// # Errors
/// See [`check_all`].
pub async fn keeps_what_was_answered(
    perceiver: &dyn Perceiver,
    model: &Arc<dyn LlmClient>,
) -> Result<(), String> {
    let asked = vec!["Which file?".to_owned()];
    let dialogue = Dialogue::new(true)
        .with(asked.clone(), "the one in ~/docs".to_owned())
        .with(asked, "报告-7.txt".to_owned());
    let intent = in_dialogue(perceiver, model, "Open the file from b.txt", &dialogue).await?;
    let intent = intent.map(|task| task.intent).ok_or("a third round was asked for")?;
    match ["b.txt", "~/docs", "报告-7.txt"].into_iter().find(|fact| !intent.contains(fact)) {
        None => Ok(()),
        Some(lost) => Err(format!("the intent lost {lost:?}: {intent:?}")),
    }
}

/// A request with these words and without earlier turns, at a fixed place and time.
pub fn request(text: &str) -> UserRequest {
    UserRequest {
        text: text.to_owned(),
        errand: artoo_types::Errand::Task,
        surroundings: Surroundings {
            now: DateTime::UNIX_EPOCH.fixed_offset(),
            zone: "UTC".to_owned(),
            working_folder: PathBuf::from("/home/ada/work"),
            workspace: PathBuf::from("/home/ada/artoo_workspace"),
            home: PathBuf::from("/home/ada"),
            platform: "linux".to_owned(),
        },
        turns: Vec::new(),
        instructions: Vec::new(),
        constraints: artoo_types::Constraints::default(),
        limits: Limits::default(),
        prices: Prices::default(),
        person_present: false,
    }
}

async fn perceived(
    perceiver: &dyn Perceiver,
    model: &Arc<dyn LlmClient>,
    text: &str,
) -> Result<TaskSpec, String> {
    let task = in_dialogue(perceiver, model, text, &Dialogue::new(false)).await?;
    task.ok_or_else(|| format!("{text:?} was asked back, and nobody is there"))
}

/// The task; `None` if the perceiver asks back.
async fn in_dialogue(
    perceiver: &dyn Perceiver,
    model: &Arc<dyn LlmClient>,
    text: &str,
    dialogue: &Dialogue,
) -> Result<Option<TaskSpec>, String> {
    outcome(perceiver, model, &request(text), dialogue).await
}

/// The task of a request; `None` if the perceiver asks back.
async fn outcome(
    perceiver: &dyn Perceiver,
    model: &Arc<dyn LlmClient>,
    request: &UserRequest,
    dialogue: &Dialogue,
) -> Result<Option<TaskSpec>, String> {
    match perceiver.perceive(request, dialogue, model).await {
        Ok(Perceived::Task(task)) => Ok(Some(task)),
        Ok(Perceived::Unclear(_)) => Ok(None),
        Err(error) => Err(format!("{:?} was not perceived: {error}", request.text)),
    }
}
