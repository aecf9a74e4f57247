//! What a judge is shown of files: nothing of one in a protected place, by whatever name a run leads to it.

use std::{fs, sync::Arc};

use artoo_llm_client::{
    Request,
    doubles::{Answer, Expect, ScriptedModel},
};
use serde_json::json;

use crate::fixture::{House, shell, verdicts, watched};

/// A hidden part of the file that is protected, and of one that is not.
const SECRET: &str = "machine example.org password plover";
const OPEN: &str = "an ordinary line";

fn user(request: &Request) -> String {
    request.messages.iter().map(|message| message.content.as_str()).collect::<Vec<_>>().join("\n")
}

#[tokio::test]
async fn a_link_to_a_protected_file_shows_no_judge_what_it_holds() {
    let house = House::new();
    let home = house.path("home");
    fs::write(home.join(".netrc"), SECRET).unwrap();
    fs::write(home.join("open.txt"), OPEN).unwrap();
    let plan = json!({"subtasks": [{
        "intent": "Make the links", "sequence": 1, "kind": "create",
        "criteria": [{"text": "Both links lead to what the request names", "check": "none"}],
    }]});
    let command = format!(
        "ln -s '{0}/.netrc' \"$WORKSPACE/a.txt\"; ln -s '{0}/open.txt' \"$WORKSPACE/b.txt\"; echo made",
        home.display()
    );
    let model = Arc::new(
        ScriptedModel::new()
            .always(Expect::purpose("planner"), Answer::json(plan))
            .always(Expect::purpose("executor"), Answer::json(shell(&command)))
            .always(Expect::any(), Answer::with(|request| verdicts(request, true).to_string())),
    );
    let artoo = house.builder(&model).build().unwrap();
    watched(artoo.start(house.request("Make two links")).unwrap()).await;
    artoo.close().await;
    let sent: Vec<String> = model.requests().iter().map(user).collect();
    assert!(sent.iter().any(|prompt| prompt.contains(OPEN)), "a judge is shown the other: {sent:#?}");
    assert!(sent.iter().any(|prompt| prompt.contains("a.txt (not shown: ")), "{sent:#?}");
    assert!(!sent.iter().any(|prompt| prompt.contains("plover")), "{sent:#?}");
}
