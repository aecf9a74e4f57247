//! Questions of a server to the person, during a call.

use std::sync::Mutex;

use artoo_mcp::ServerTable;
use serde_json::{Value, json};

use crate::setup::{Person, folders, scene_with};

/// What the server was answered, and what the person was asked.
async fn asked(mode: &str, words: &[&str]) -> Option<(Value, Vec<String>)> {
    let words = Mutex::new(words.iter().map(|word| (*word).to_owned()).collect());
    let scene = scene_with(Person { words, ..Person::default() })?;
    let server = scene.start(mode, ServerTable::default()).await.unwrap();
    let call = scene.call(&server, "fake__act", json!({})).await;
    assert_eq!(call.failure, None, "{call:?}");
    let asked = scene.person.asked_for_words.lock().unwrap().clone();
    Some((serde_json::from_str(&call.output.shown).unwrap(), asked))
}

#[tokio::test]
async fn a_form_is_asked_field_by_field() {
    let Some((answer, asked)) = asked("asks", &["Ada", "old", "36", "yes", "L"]).await else { return };
    assert_eq!(
        answer,
        json!({"action": "accept", "content": {"name": "Ada", "age": 36, "sure": true, "size": "l"}})
    );
    assert_eq!(
        asked,
        [
            "the server fake asks: Who are you? name: a text.",
            "the server fake asks: Who are you? age: a whole number. It may be left out.",
            "the server fake asks: Who are you? age: a whole number. It may be left out. The last answer did not fit: it is no whole number.",
            "the server fake asks: Who are you? sure: yes or no. It may be left out.",
            "the server fake asks: Who are you? size: one of these: s, l. It may be left out.",
        ]
    );
}

#[tokio::test]
async fn nobody_there_is_a_no() {
    let Some((answer, _)) = asked("asks", &[]).await else { return };
    assert_eq!(answer, json!({"action": "decline"}));
    let Some((answer, asked)) = asked_url(&[]).await else { return };
    assert_eq!((answer, asked.len()), (json!({"action": "decline"}), 1));
}

async fn asked_url(words: &[&str]) -> Option<(Value, Vec<String>)> {
    asked("asks-url", words).await
}

#[tokio::test]
async fn an_address_is_shown_and_agreed_to() {
    let Some((answer, asked)) = asked_url(&["yes"]).await else { return };
    assert_eq!(answer, json!({"action": "accept"}));
    assert!(asked[0].contains("https://pay.example.org/1"), "{asked:?}");
    let Some((answer, _)) = asked_url(&["well"]).await else { return };
    assert_eq!(answer, json!({"action": "decline"}));
}

#[tokio::test]
async fn in_the_newest_version_a_question_is_part_of_the_answer() {
    let Some((answer, asked)) = asked("newest", &["Ada"]).await else { return };
    assert_eq!(answer, json!({"who": {"action": "accept", "content": {"name": "Ada"}}}));
    assert_eq!(asked, ["the server fake asks: Who? name: a text."]);
}

#[tokio::test]
async fn roots_are_the_folders_that_were_granted() {
    let Some(scene) = scene_with(Person::default()) else { return };
    let notes = scene.folder("notes");
    let server = scene.start("roots", folders(&[&notes])).await.unwrap();
    let call = scene.call(&server, "fake__act", json!({})).await;
    let told: Value = serde_json::from_str(&call.output.shown).unwrap();
    assert_eq!(told, json!({"roots": [{"uri": format!("file://{}", notes.display())}]}));
}
