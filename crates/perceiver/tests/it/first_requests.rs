//! Tests of first requests: one that surely cannot be understood is asked back by code, every other one is
//! worked on.

use std::{fs, path::Path, sync::Arc};

use artoo_llm_client::doubles::ScriptedModel;
use artoo_perceiver::{DefaultPerceiver, Dialogue, Perceived, Perceiver as _};
use artoo_types::{TaskSpec, UserRequest};

use crate::fixtures::{client, request};

fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}

/// Perceives a first request with a person present, after these answers. No model is asked.
async fn first(text: &str, answers: &[&str]) -> Perceived {
    in_dialogue(&UserRequest { person_present: true, ..request(text, &[]) }, answers).await
}

async fn in_dialogue(asked: &UserRequest, answers: &[&str]) -> Perceived {
    let model = Arc::new(ScriptedModel::new());
    let mut dialogue = Dialogue::new(asked.person_present);
    for answer in answers {
        dialogue = dialogue.with(vec!["Which one?".to_owned()], (*answer).to_owned());
    }
    let perceived = DefaultPerceiver.perceive(asked, &dialogue, &client(&model)).await.unwrap();
    assert_eq!(model.requests(), []);
    perceived
}

fn task(perceived: Perceived) -> TaskSpec {
    let Perceived::Task(task) = perceived else { panic!("{perceived:?}") };
    task
}

#[tokio::test]
async fn a_reference_to_nothing_is_one_question() {
    for text in [
        "do it again",
        "the same for the other folder",
        "Delete that file.",
        "again please",
        "and in docs?",
        "help",
    ] {
        let perceived = first(text, &[]).await;
        let Perceived::Unclear(questions) = perceived else { panic!("{text}: {perceived:?}") };
        assert_eq!(questions.len(), 1, "{text}");
    }
}

#[tokio::test]
async fn the_planner_gets_the_words_and_the_answer() {
    let task = task(first("do it again", &["count the .txt files in docs"]).await);
    assert_eq!(task.intent, "do it again\n(Asked: Which one? Answered: count the .txt files in docs)");
    assert_eq!(task.raw_input, "do it again");
}

#[tokio::test]
async fn an_answer_that_says_as_little_is_asked_about_once_more() {
    assert!(matches!(first("do it again", &["that file"]).await, Perceived::Unclear(_)));
    let third = task(first("do it again", &["that file", "the other one"]).await);
    assert_eq!(
        third.intent,
        "do it again\n(Asked: Which one? Answered: that file)\n(Asked: Which one? Answered: the other one)"
    );
    assert_eq!(task(first("do it again", &[" "]).await).intent, "do it again", "go ahead");
}

#[tokio::test]
async fn without_a_person_it_goes_ahead() {
    for text in ["do it again", "and in docs?", "help"] {
        assert_eq!(task(in_dialogue(&request(text, &[]), &[]).await).intent, text);
    }
}

/// The wordings of the measured task families, with their placeholders as names.
fn fixtures() -> Vec<String> {
    let mut requests = Vec::new();
    for entry in fs::read_dir(root().join("fixtures/tasks")).unwrap() {
        let text = fs::read_to_string(entry.unwrap().path()).unwrap();
        let lines = text.lines().filter_map(|line| line.strip_prefix("text = "));
        requests.extend(lines.map(|line| line.trim_matches(['"', '\'']).replace(['{', '}'], "")));
    }
    requests
}

/// The requests in the `artoo run` lines of a page: the quoted text after the command.
fn examples(page: &str) -> Vec<String> {
    let text = fs::read_to_string(root().join(page)).unwrap().replace("\\\"", "\"");
    let behind = text.lines().filter_map(|line| line.split_once("artoo run ")?.1.split_once('"'));
    behind.filter_map(|(_, quoted)| Some(quoted.split_once('"')?.0.to_owned())).collect()
}

#[tokio::test]
async fn no_ordinary_request_is_asked_back() {
    let measured = fixtures();
    assert!(measured.len() >= 480, "{}", measured.len());
    let pages = [
        "README.md",
        "crates/perceiver/src/error.rs",
        "bins/artoo-cli/src/args/snapshots/artoo__args__tests__every_help_text.snap",
    ];
    let shown: Vec<String> = pages.iter().flat_map(|page| examples(page)).collect();
    assert!(shown.len() >= 4, "{shown:?}");
    // Requests that the first implementation answered without looking at the machine.
    let others = [
        "Use the program tree to count the directories in docs. How many are there?",
        "what time is it?",
        "what is my ip",
        "how much disk is free",
        "where is my resume.pdf",
        "who is logged in",
        "how many files are here",
        "what day is today",
        "is nginx up?",
        "can you fix main.rs?",
        "would you rename a to b",
        "how big is this repo?",
        "what changed in git?",
        "why did the build fail?",
        "what is the largest file here",
        "do a backup of ~/docs",
        "哪个文件最大",
        "translate hello to French",
        "今天天气怎么样",
        "list the files",
        "count files",
        "show this folder",
    ];
    for text in measured.into_iter().chain(shown).chain(others.map(str::to_owned)) {
        let perceived = first(&text, &[]).await;
        assert_eq!(task(perceived).intent, text.trim());
    }
}
