//! Tests of token and cost limits and of the reported usage.

use serde_json::{Value, json};

use crate::fixture::Scene;
use crate::mock_model::{counting, model, shell};

/// A call costs 0.02: the mock reports 10 prompt tokens and 5 completion tokens.
fn priced(scene: &Scene) {
    let folder = scene.home().join(".config/artoo");
    std::fs::create_dir_all(&folder).unwrap();
    let price = "[prices.mock]\nprompt = 1000\ncompletion = 2000\ncurrency = \"USD\"\n";
    std::fs::write(folder.join("config.toml"), price).unwrap();
}

/// Three sequential steps: 15 tokens for the plan, 15 for each step.
fn three_steps() -> Scene {
    let subtask = |number: u32| {
        json!({"intent": format!("Count heap {number}"), "sequence": number, "kind": "find_out",
            "criteria": [{"text": "The output is a number", "check": "output_number"}]})
    };
    let plan = json!({"subtasks": [subtask(1), subtask(2), subtask(3)]});
    Scene::new(model(plan, |_| shell("ls docs/*.txt | wc -l")))
}

#[test]
fn a_spent_budget_delivers_what_there_is() {
    let scene = three_steps();
    let said = scene.say(&["run", "--max-tokens", "40", "Count the heaps"]).ended(4);
    for part in [
        "✗ Not finished: The token budget is spent: 45 tokens used, 40 allowed.",
        "Done: Count heap 1",
        "Next: ask for a smaller step, or allow more tokens",
        "output (checked):\n    3",
    ] {
        assert!(said.out.contains(part), "no `{part}` in\n{}", said.out);
    }
    assert!(!said.err.contains("error:") && !said.out.contains('✓'), "{}", said.err);
    assert!(!said.err.contains("ended by a fault"), "it is an ordinary end: {}", said.err);
    assert!(
        said.err.contains("hint: ask for a smaller step, or allow more tokens: --max-tokens N"),
        "{}",
        said.err
    );
    assert!(scene.journal().trim_end().ends_with('}'));

    let scene = three_steps();
    priced(&scene);
    let said = scene.say(&["run", "--max-cost", "0.05", "Count the heaps"]).ended(4);
    let spent = "The money budget is spent: 0.06 USD spent, 0.05 USD allowed.";
    assert!(said.out.contains(spent), "{}", said.out);
}

#[test]
fn the_cost_is_shown_where_the_price_is_known() {
    let scene = Scene::new(counting());
    priced(&scene);
    let said = scene.say(&["run", "--max-cost", "1", "How many .txt files are in docs?"]).ended(0);
    assert!(said.err.contains(" · 3 model calls · 45 tokens, 0.0600 USD"), "{}", said.err);
    let said = scene.say(&["runs", "show", "last"]).ended(0);
    assert!(said.out.contains(" · 45 tokens, 0.0600 USD"), "{}", said.out);
    let said = scene.say(&["runs", "show", "last", "--json"]).ended(0);
    let last: Value = serde_json::from_str(said.out.lines().last().unwrap()).unwrap();
    assert_eq!(last["usage"]["cost"], json!({"amount": 0.06, "currency": "USD"}));
    assert_eq!(last["usage"]["estimated"], json!(false));
}

#[test]
fn a_limit_on_money_without_a_price_is_a_mistake_that_names_the_key() {
    let scene = Scene::new(counting());
    let said = scene.say(&["run", "--max-cost", "1", "How many .txt files are in docs?"]).ended(2);
    said.explains("the model mock has no price", "`prices.mock.prompt` and `prices.mock.completion`");
    scene.say(&["run", "--max-cost", "-1", "x"]).ended(2);
    assert_eq!((scene.server().stats().requests, scene.runs().len()), (0, 0));
}

/// Three steps that follow one another and a plan before them: four calls in a row, and no other.
#[test]
fn the_sequential_depth_is_in_the_account_of_a_run() {
    let scene = three_steps();
    let said = scene.say(&["run", "--json", "Count the heaps"]).ended(0);
    let last: Value = serde_json::from_str(said.out.lines().last().unwrap()).unwrap();
    let (depth, calls) = (last["depth"].as_u64().unwrap(), last["usage"]["calls"].as_u64().unwrap());
    assert!((4..=calls).contains(&depth), "{last}");
    let told = format!("sequential depth: {depth} model calls");
    assert!(scene.say(&["runs", "show", "last"]).ended(0).out.contains(&told));
    assert!(!said.err.contains("sequential depth"));
    let said = scene.say(&["run", "-v", "Count the heaps"]).ended(0);
    assert!(said.err.contains("sequential depth: "), "{}", said.err);
}

#[test]
fn a_deadline_and_a_scope_are_options_of_a_run() {
    let scene = three_steps();
    scene.say(&["run", "--deadline", "1h", "--scope", "docs", "Count the heaps"]).ended(0);
    let journal = scene.journal();
    let mut messages = journal.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let request = messages.find(|message| message["kind"] == "user_request").unwrap();
    let constraints = &request["payload"]["constraints"];
    assert_eq!(constraints["scope"], "docs");
    assert!(constraints["deadline"].as_str().is_some(), "{request}");
    let said = scene.say(&["run", "--deadline", "2020-01-01", "Count the heaps"]).ended(2);
    said.explains("the deadline has passed", "in the future");
    let said = scene.say(&["run", "--scope", "nowhere", "Count the heaps"]).ended(2);
    said.explains("the folder nowhere that the request applies to cannot be used", "name a folder");
    scene.say(&["run", "--deadline", "soon", "Count the heaps"]).ended(2);
}
