//! The sizes of the prompts: a table of estimated tokens, so that none grows unnoticed.

use std::sync::Arc;

use artoo_llm_client::{
    ModelProfile,
    doubles::{Answer, Expect, ScriptedModel},
    prompt_size,
};
use artoo_perceiver::{DefaultPerceiver, Dialogue, Perceiver as _};
use serde_json::json;

use crate::fixtures::{client, request};

#[tokio::test]
async fn the_sizes_of_the_prompts() {
    let request = request("and the largest?", &[("How many files are there?", "3")]);
    let mut table = String::new();
    for (name, guided, person) in
        [("follow-up", false, false), ("follow-up, asking", false, true), ("follow-up, guided", true, false)]
    {
        let profile = ModelProfile { guided, ..ModelProfile::default() };
        let said = json!({"questions": [], "intent": "Which is the largest file?", "refers": false});
        let model = ScriptedModel::new().profiled(profile).always(Expect::any(), Answer::json(said));
        let model = Arc::new(model);
        // What comes of the answer is tested elsewhere.
        let _ = DefaultPerceiver.perceive(&request, &Dialogue::new(person), &client(&model)).await;
        table.push_str(&format!("{name}: {}\n", prompt_size(&model.requests()[0])));
    }
    insta::assert_snapshot!("sizes", table);
}
