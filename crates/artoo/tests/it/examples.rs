//! The examples are run, not only compiled.

#[path = "../../examples/embed.rs"]
mod embed;
#[path = "../../examples/events.rs"]
mod events;
#[path = "../../examples/own_judge.rs"]
mod own_judge;
#[path = "../../examples/own_planner.rs"]
mod own_planner;
#[path = "../../examples/own_solver.rs"]
mod own_solver;
#[path = "../../examples/own_tool.rs"]
mod own_tool;
#[path = "../../examples/questions.rs"]
mod questions;
#[path = "../../examples/record_replay.rs"]
mod record_replay;

use std::sync::Arc;

use artoo::{llm::LlmClient, roles::meta_validator::conformance};
use artoo_llm_client::doubles::ScriptedModel;

#[test]
fn a_request_is_run() {
    embed::main().unwrap();
}

#[test]
fn events_are_watched() {
    events::main().unwrap();
}

#[test]
fn questions_are_answered() {
    questions::main().unwrap();
}

#[test]
fn a_tool_is_added() {
    own_tool::main().unwrap();
}

#[test]
fn a_judge_is_replaced() {
    own_judge::main().unwrap();
}

#[tokio::test]
async fn the_judge_keeps_the_contract() {
    let model: Arc<dyn LlmClient> = Arc::new(ScriptedModel::new());
    conformance::check_all(&own_judge::Quoted, &model).await.unwrap();
}

#[test]
fn a_planner_is_replaced() {
    own_planner::main().unwrap();
}

#[test]
fn a_solver_is_replaced() {
    own_solver::main().unwrap();
}

#[test]
fn a_session_is_recorded_and_replayed() {
    record_replay::main().unwrap();
}

#[test]
fn no_example_is_forgotten() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("examples");
    for entry in std::fs::read_dir(folder).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        let Some(example) = name.strip_suffix(".rs") else { continue };
        assert!(include_str!("examples.rs").contains(&format!("{example}::main()")), "{name} is not run");
    }
}
