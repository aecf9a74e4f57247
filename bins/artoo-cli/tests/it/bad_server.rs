//! Tests of servers that refuse, stall or send garbage.
//!
//! The exit code is 1 (2 if the user must change something), with a hint and a record.

use artoo_llm_http::doubles::{Reply, Step};

use crate::fixture::Scene;
use crate::mock_model::counting;
use crate::process::say;

const REQUEST: &str = "How many .txt files are in docs?";

/// A run with short timeouts.
fn said(scene: &Scene) -> crate::process::Said {
    let patience = [
        "-c",
        "http.connect_timeout=2s",
        "-c",
        "http.first_byte_timeout=400ms",
        "-c",
        "http.idle_timeout=400ms",
        "-c",
        "http.attempts=1",
    ];
    let mut line = vec!["run"];
    line.extend(patience);
    line.push(REQUEST);
    scene.say(&line)
}

#[test]
fn a_server_that_is_not_there() {
    let scene = Scene::new(counting());
    let mut command = scene.artoo(&["run", "-c", "http.attempts=1", REQUEST]);
    // Nothing listens on port 9 of the loopback interface.
    let said = say(command.env("OPENAI_BASE_URL", "http://127.0.0.1:9")).ended(1);
    said.explains("127.0.0.1:9", "artoo setup");
    assert!(scene.journal().contains("final_result"));
}

#[test]
fn a_server_that_never_answers() {
    let scene = Scene::new(|_| Reply::stall());
    said(&scene).ended(1).explains("sent no first byte", "time-outs");
    assert!(scene.journal().contains("final_result"));
}

#[test]
fn a_server_that_stops_in_the_middle() {
    let scene = Scene::new(|_| Reply::steps([Step::delta("{\"subtasks\": ["), Step::Stall]));
    said(&scene).ended(1).explains("stopped sending", "time-outs");
}

#[test]
fn a_server_that_talks_nonsense() {
    for reply in [
        Reply::body("text/html", "<html>\u{1b}[2Jwelcome</html>"),
        Reply::text("I would rather talk about the weather."),
        Reply::status(500, "oops \u{1b}[31m"),
    ] {
        let scene = Scene::new(move |_| reply.clone());
        let said = said(&scene).ended(1);
        assert!(said.err.contains("error: ") && said.err.contains("hint: "), "{}", said.err);
        assert!(!said.err.chars().any(|c| c.is_control() && c != '\n'), "{:?}", said.err);
        assert!(scene.journal().contains("final_result"));
    }
}

#[test]
fn a_key_that_is_refused() {
    let scene = Scene::new(|_| Reply::status(401, "bad key sk-canary-1"));
    let said = said(&scene).ended(1);
    said.explains("401", "key");
    assert!(!said.err.contains("canary") && !scene.journal().contains("canary"));
}

#[test]
fn a_run_that_may_not_take_longer() {
    let scene = Scene::new(|_| Reply::stall());
    let said = scene.say(&["run", "--timeout", "300ms", REQUEST]).ended(124);
    assert!(said.err.contains("hint: "), "{}", said.err);
    assert!(scene.journal().contains("final_result"));
}
