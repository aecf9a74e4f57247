//! The success path: every criterion is met.

use std::sync::Arc;

use artoo_llm_client::doubles::{Answer, Expect, ScriptedModel};
use artoo_types::{MessageKind, TerminalState};
use serde_json::json;

use crate::fixture::{House, question, shell};

#[tokio::test]
async fn a_one_tool_question_takes_two_calls() {
    let house = House::new();
    let model = Arc::new(
        ScriptedModel::new()
            .expect(
                Expect::purpose("planner").user_contains("Request: How many .txt files are in docs?"),
                Answer::json(question("How many .txt files are in docs?")),
            )
            .expect(
                Expect::purpose("executor")
                    .user_contains("Step: How many .txt files are in docs?")
                    .user_lacks("Earlier call"),
                Answer::json(shell("find docs -name '*.txt' | wc -l")),
            ),
    );
    let artoo = house.builder(&model).build().unwrap();
    let seen = house.run(&artoo, "How many .txt files are in docs?").await;
    model.assert_finished();
    assert_eq!(seen.result.directive, TerminalState::Accept, "{:#?}", seen.result);
    assert_eq!(seen.result.output, json!("3"));
    assert_eq!(seen.result.fault, None);
    assert_eq!(seen.count(MessageKind::FinalResult), 1);
    assert_eq!(seen.count(MessageKind::ModelCall), 2);
    // What happened, and how things are done here.
    assert_eq!(seen.count(MessageKind::MegramWrite), 2);
    artoo.close().await;
}

/// A list with a header is seldom an answer: only a tool that prints the answer alone may declare its output
/// one.
#[tokio::test]
async fn glob_does_not_offer_that_its_output_is_the_answer() {
    let house = House::new();
    let model = Arc::new(
        ScriptedModel::new()
            .expect(Expect::purpose("planner"), Answer::json(question("How many .txt files are in docs?")))
            .expect(Expect::purpose("executor"), Answer::json(shell("find docs -name '*.txt' | wc -l"))),
    );
    let artoo = house.builder(&model).build().unwrap();
    house.run(&artoo, "How many .txt files are in docs?").await;
    let asked = model.requests().into_iter().find(|request| request.purpose == "executor").unwrap();
    let schema = serde_json::to_value(&*asked.schema.unwrap().schema).unwrap();
    let turn = |tool: &str| {
        let turns = schema["anyOf"].as_array().unwrap();
        let turn = turns.iter().find(|turn| turn["properties"]["tool"]["const"] == tool);
        turn.unwrap_or_else(|| panic!("no {tool} in {schema:#}"))["properties"].clone()
    };
    for (tool, may_declare) in [("glob", false), ("shell", true), ("read_file", true)] {
        // Of the others it may say that theirs is none.
        assert_eq!(turn(tool)["output_is_answer"] == json!({"type": "boolean"}), may_declare, "{tool}");
    }
    artoo.close().await;
}
