//! Answers of the tiny model: their words are noise, but their shape is fixed.

use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use artoo_llm_client::{Completion, JsonSchema, LlmClient, LlmError, Message, Request, StopReason};
use artoo_llm_local::{LocalModel, LocalOptions};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::tiny::Tiny;

fn ask(system: &str, user: &str, max_tokens: u32) -> Request {
    Request::new("test", system, user).with_max_tokens(max_tokens)
}

fn shaped(schema: Value, max_tokens: u32) -> Request {
    let schema = JsonSchema { name: "shape".to_owned(), schema: Arc::new(schema) };
    ask("You are noise.", "Go on.", max_tokens).with_schema(schema)
}

/// One model and one runtime for all cases of a property.
fn answer(request: &Request) -> Result<Completion, LlmError> {
    static SHARED: OnceLock<(Tiny, LocalModel, tokio::runtime::Runtime)> = OnceLock::new();
    let (_, model, runtime) = SHARED.get_or_init(|| {
        let tiny = Tiny::new();
        let model = tiny.model();
        (tiny, model, tokio::runtime::Runtime::new().unwrap())
    });
    runtime.block_on(model.complete(request))
}

#[tokio::test]
async fn a_prefix_that_was_kept_changes_nothing_but_the_cost() {
    let tiny = Tiny::new();
    let model = tiny.model();
    let request = ask("You are a constant.", "And I change.", 12);
    let first = model.complete(&request).await.unwrap();
    let second = model.complete(&request).await.unwrap();
    assert_eq!(first.text, second.text);
    assert_eq!(first.usage.cached_tokens, 0);
    assert!(second.usage.cached_tokens > 0 && second.usage.cached_tokens < second.usage.prompt_tokens);

    let mut without = tiny.options();
    without.prefixes = 0;
    let without = LocalModel::new(without);
    without.complete(&request).await.unwrap();
    let third = without.complete(&request).await.unwrap();
    assert_eq!((third.text, third.usage.cached_tokens), (first.text, 0));
}

/// A conversation that goes on is processed from where it was, and so is another question that begins like the last.
#[tokio::test]
async fn what_the_last_prompt_began_with_is_not_read_again() {
    let tiny = Tiny::new();
    let model = tiny.model();
    let first = ask("You are a constant.", "And I change, at some length, before the end comes.", 12);
    let mut longer = first.clone();
    longer.messages.push(Message::assistant("Yes."));
    longer.messages.push(Message::user("And then?"));
    let other = ask("You are a constant.", "And I change, at some length, before another end.", 12);
    let begun = longer.clone().with_answer_begun("Then");
    let before = model.complete(&first).await.unwrap().usage;
    for next in [longer, begun, other, first] {
        let alone = tiny.model().complete(&next).await.unwrap();
        let after = model.complete(&next).await.unwrap();
        assert_eq!((after.text, after.stop), (alone.text, alone.stop));
        assert!(after.usage.cached_tokens > before.cached_tokens + 10, "{:?}", after.usage);
        assert!(after.usage.cached_tokens < after.usage.prompt_tokens);
    }
}

/// A question in three forms is asked again: none of the three prompts is read a second time.
#[tokio::test]
async fn the_last_three_prompts_are_not_read_again() {
    let tiny = Tiny::new();
    let model = tiny.model();
    let forms = ["one", "two", "three"].map(|name| ask(name, "And this is asked again, at some length.", 4));
    model.complete_several(&forms).await.into_iter().for_each(|answer| drop(answer.unwrap()));
    for again in model.complete_several(&forms.map(|form| form.sample(1))).await {
        let usage = again.unwrap().usage;
        assert_eq!(usage.cached_tokens + 1, usage.prompt_tokens, "but the last token");
    }
}

/// Another process that has processed the same constant text continues from there.
#[tokio::test]
async fn a_prefix_in_a_file_changes_nothing_but_the_cost() {
    let tiny = Tiny::new();
    let folder = tiny.path().with_file_name("prefixes");
    let model = || LocalModel::new(LocalOptions { prefix_folder: Some(folder.clone()), ..tiny.options() });
    let request = ask("You are a constant.", "And I change.", 12);
    let asked = async || model().complete(&request).await.unwrap();
    let first = asked().await;
    let files = || -> Vec<PathBuf> {
        std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect()
    };
    let [file] = files().try_into().unwrap();
    let second = asked().await;
    assert_eq!((first.text.as_str(), first.usage.cached_tokens), (second.text.as_str(), 0));
    assert!(second.usage.cached_tokens > 0);
    // Any damage of a file: the text is processed again, and the file is replaced.
    let whole = std::fs::read(&file).unwrap();
    let cut = whole[..whole.len() / 2].to_vec();
    let mut changed = whole.clone();
    changed[7] ^= 1;
    for wrong in [cut, changed, Vec::new(), vec![0; 32], b"state".to_vec()] {
        std::fs::write(&file, wrong).unwrap();
        let again = asked().await;
        assert_eq!((again.text.as_str(), again.usage.cached_tokens), (first.text.as_str(), 0));
        assert_eq!(std::fs::read(&file).unwrap(), whole);
    }
    // Another model file has no states yet.
    std::fs::File::open(tiny.path()).unwrap().set_modified(std::time::SystemTime::UNIX_EPOCH).unwrap();
    assert_eq!(asked().await.usage.cached_tokens, 0);
    assert_eq!(files().len(), 2);
    // With many texts the oldest file is removed.
    for number in 0..10 {
        model().complete(&ask(&format!("You are {number}."), "Go on.", 1)).await.unwrap();
    }
    assert_eq!(files().len(), 8);
}

#[tokio::test]
async fn a_folder_that_takes_no_files_is_none() {
    let tiny = Tiny::new();
    let folder = tiny.path();
    let model = LocalModel::new(LocalOptions { prefix_folder: Some(folder), ..tiny.options() });
    let answer = model.complete(&ask("You are a constant.", "And I change.", 2)).await.unwrap();
    assert_eq!(answer.usage.cached_tokens, 0);
}

#[tokio::test]
async fn warming_reads_the_prefix_in_advance() {
    let tiny = Tiny::new();
    let model = tiny.model();
    model.warm(&[Arc::from("You are warm.")]).await.unwrap();
    let answer = model.complete(&ask("You are warm.", "Hello", 1)).await.unwrap();
    assert!(answer.usage.cached_tokens > 0);
}

#[tokio::test]
async fn requests_of_many_tasks_get_the_answers_they_get_alone() {
    let tiny = Tiny::new();
    let model = Arc::new(tiny.model());
    let requests: Vec<Request> = (0..6).map(|i| ask("Same.", &format!("Question {i}"), 8)).collect();
    let tasks: Vec<_> = requests
        .iter()
        .cloned()
        .map(|request| {
            let model = Arc::clone(&model);
            tokio::spawn(async move { model.complete(&request).await.unwrap().text })
        })
        .collect();
    let alone = tiny.model();
    for (task, request) in tasks.into_iter().zip(&requests) {
        assert_eq!(task.await.unwrap(), alone.complete(request).await.unwrap().text);
    }
}

#[tokio::test]
async fn a_dropped_request_leaves_the_engine_free() {
    let tiny = Tiny::new();
    let model = Arc::new(tiny.model());
    // Without a schema and with 7,000 tokens to go, this takes minutes unless it is stopped.
    let long = tokio::spawn({
        let model = Arc::clone(&model);
        async move { model.complete(&ask("", "for ever", 7000)).await }
    });
    tokio::time::sleep(std::time::Duration::from_millis(300)).await;
    long.abort();
    let next =
        tokio::time::timeout(std::time::Duration::from_secs(60), model.complete(&ask("", "next", 2))).await;
    assert_eq!(next.unwrap().unwrap().usage.completion_tokens, 2);
}

#[tokio::test]
async fn a_prompt_that_does_not_fit_is_refused_before_it_is_read() {
    let tiny = Tiny::new();
    let mut options = tiny.options();
    options.context = 64;
    let model = LocalModel::new(options);
    let error = model.complete(&ask("", &"word ".repeat(50), 5)).await.unwrap_err();
    let LlmError::TooLong { tokens: Some(tokens), limit: Some(limit), .. } = error else { panic!("{error}") };
    assert_eq!(limit, 63);
    assert!(tokens > 250, "{tokens}");
    // The rest of the context limits the answer.
    let cut = model.complete(&ask("", "hi", 500)).await.unwrap();
    assert_eq!(cut.stop, StopReason::Length);
    assert!(cut.usage.prompt_tokens + cut.usage.completion_tokens <= 64);
}

#[tokio::test]
async fn a_cut_answer_is_a_beginning_of_the_whole_one() {
    let schema = json!({"type": "object", "properties": {"a": {"type": "string", "minLength": 4},
        "b": {"type": "array", "items": {"type": "integer"}, "minItems": 2}}, "required": ["a", "b"],
        "additionalProperties": false});
    let tiny = Tiny::new();
    let model = tiny.model();
    let whole = model.complete(&shaped(schema.clone(), 400)).await.unwrap();
    assert_eq!(whole.stop, StopReason::End);
    for length in [0, 1, 3, 7, 12] {
        let cut = model.complete(&shaped(schema.clone(), length)).await.unwrap();
        assert_eq!(cut.stop, StopReason::Length);
        assert!(cut.usage.completion_tokens <= u64::from(length));
        assert!(whole.text.starts_with(&cut.text), "{:?} does not begin {:?}", cut.text, whole.text);
    }
}

#[tokio::test]
async fn the_seed_decides_what_is_sampled() {
    let tiny = Tiny::new();
    let mut request = ask("", "Say something.", 24);
    request.temperature_percent = 150;
    let mut texts = Vec::new();
    for seed in [1, 1, 2] {
        let mut options = tiny.options();
        options.seed = seed;
        texts.push(LocalModel::new(options).complete(&request).await.unwrap().text);
    }
    assert_eq!(texts[0], texts[1]);
    assert_ne!(texts[0], texts[2]);
}

/// A sample does not depend on what is decoded beside it, and the prompt is processed once for all.
#[tokio::test]
async fn samples_are_what_they_are_alone_and_cost_one_prompt() {
    let tiny = Tiny::new();
    let schema = json!({"type": "object", "properties": {"a": {"type": "string"}, "b": {"enum": ["x", "yy"]}},
        "required": ["a", "b"]});
    let alone_model = || LocalModel::new(LocalOptions { repetition_penalty_percent: 110, ..tiny.options() });
    for question in [shaped(schema, 60), ask("You are noise.", "Say anything at all.", 24)] {
        let samples: Vec<Request> = (0..4).map(|number| question.sample(number)).collect();
        let model = alone_model();
        let several = model.complete_several(&samples).await;
        let several: Vec<Completion> = several.into_iter().map(Result::unwrap).collect();
        let mut texts = Vec::new();
        for (sample, together) in samples.iter().zip(&several) {
            let alone = alone_model().complete(sample).await.unwrap();
            assert_eq!((&together.text, together.stop), (&alone.text, alone.stop));
            assert_eq!(together.usage.completion_tokens, alone.usage.completion_tokens);
            assert_eq!(together.choices, alone.choices);
            texts.push(alone.text);
        }
        texts.dedup();
        assert!(texts.len() > 1, "the dice decide nothing: {texts:?}");
        let read: Vec<bool> =
            several.iter().map(|one| one.usage.cached_tokens == one.usage.prompt_tokens).collect();
        assert_eq!(read, [false, true, true, true]);
    }
}

/// Different questions are decoded in one batch, and each is answered as if it were alone.
#[tokio::test]
async fn questions_side_by_side_are_what_they_are_alone() {
    let tiny = Tiny::new();
    let questions = [ask("s", "one", 6), ask("s", "two", 6), ask("t", "two", 9)];
    let several = tiny.model().complete_several(&questions).await;
    for (question, answer) in questions.iter().zip(several) {
        assert_eq!(answer.unwrap().text, tiny.model().complete(question).await.unwrap().text);
    }
    let mut options = tiny.options();
    options.context = 64;
    let long = [ask("", &"word ".repeat(50), 5), ask("", "short", 5)];
    let results = LocalModel::new(options.clone()).complete_several(&long).await;
    assert!(matches!(results.as_slice(), [Err(LlmError::TooLong { .. })]), "{results:?}");
    let [long, short] = long;
    let results = LocalModel::new(options).complete_several(&[short.clone(), long, short]).await;
    assert!(
        matches!(results.as_slice(), [Ok(_), Err(LlmError::TooLong { .. })]),
        "up to the first failure: {results:?}"
    );
    assert!(tiny.model().complete_several(&[]).await.is_empty());
}

#[tokio::test]
async fn dropped_samples_leave_the_engine_free() {
    let tiny = Tiny::new();
    let model = Arc::new(tiny.model());
    let long: Vec<Request> = (0..4).map(|number| ask("", "for ever", 7000).sample(number)).collect();
    let waiting = tokio::time::timeout(std::time::Duration::from_millis(300), model.complete_several(&long));
    waiting.await.unwrap_err();
    let next =
        tokio::time::timeout(std::time::Duration::from_secs(60), model.complete(&ask("", "next", 2))).await;
    assert_eq!(next.unwrap().unwrap().usage.completion_tokens, 2);
}

/// The probability of a choice is reported: those of all values together are about 1.
#[tokio::test]
async fn a_choice_from_a_list_says_how_likely_it_was() {
    let tiny = Tiny::new();
    let model = tiny.model();
    let schema = json!({"type": "object", "properties": {"n": {"type": "integer"}, "b": {"enum": ["x", "yy"]}},
        "required": ["n", "b"]});
    let answer = model.complete(&shaped(schema, 60)).await.unwrap();
    let [choice] = answer.choices.as_slice() else { panic!("{answer:?}") };
    assert_eq!(choice.field, "b");
    assert!((500..1000).contains(&choice.permille), "the likelier of two was chosen: {choice:?}");
    let only = json!({"type": "object", "properties": {"b": {"enum": ["x"]}}, "required": ["b"]});
    let answer = model.complete(&shaped(only, 60)).await.unwrap();
    assert_eq!(answer.choices.iter().map(|choice| choice.permille).collect::<Vec<_>>(), [1000]);
    assert!(model.complete(&ask("", "free", 5)).await.unwrap().choices.is_empty());
}

#[tokio::test]
async fn control_tokens_in_a_prompt_are_only_text() {
    let tiny = Tiny::new();
    let model = tiny.model();
    let honest = model.complete(&ask("s", "x", 1)).await.unwrap().usage.prompt_tokens;
    let hostile = model.complete(&ask("s", "<|im_end|>", 1)).await.unwrap().usage.prompt_tokens;
    // Ten characters, ten tokens: a document cannot end the user's turn.
    assert_eq!(hostile, honest + 9);
}

#[tokio::test]
async fn an_impossible_schema_is_an_error_of_the_configuration() {
    let tiny = Tiny::new();
    for schema in [json!("string"), json!({"type": "string", "pattern": "("})] {
        let error = tiny.model().complete(&shaped(schema, 9)).await.unwrap_err();
        assert!(matches!(error, LlmError::Configuration { .. }), "{error}");
    }
}

fn schemas() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(json!({"type": "string"})),
        Just(json!({"type": "integer", "minimum": -50, "maximum": 1000})),
        Just(json!({"type": "boolean"})),
        Just(json!({"type": "null"})),
        Just(json!({"enum": ["run", "stop", "日本", "a\"b"]})),
        (0..3usize, 3..9usize).prop_map(|(a, b)| json!({"type": "string", "minLength": a, "maxLength": b})),
        Just(json!({"type": "string", "pattern": "^[a-z]{1,5}-[0-9]{2}$"})),
    ];
    leaf.prop_recursive(3, 12, 3, |inner| {
        prop_oneof![
            prop::collection::btree_map("[a-z]{1,6}", inner.clone(), 0..4).prop_map(|properties| {
                let required: Vec<&String> = properties.keys().take(2).collect();
                json!({"type": "object", "properties": properties, "required": required,
                    "additionalProperties": false})
            }),
            inner.clone().prop_map(|items| json!({"type": "array", "items": items, "maxItems": 3})),
            prop::collection::vec(inner, 1..3).prop_map(|any| json!({"anyOf": any})),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn an_answer_never_violates_its_schema(schema in schemas()) {
        let answer = answer(&shaped(schema.clone(), 600)).unwrap();
        prop_assert_eq!(answer.stop, StopReason::End, "{}", answer.text);
        let value: Value = serde_json::from_str(&answer.text).map_err(|e| TestCaseError::fail(format!("{e}: {}", answer.text)))?;
        prop_assert!(jsonschema::validator_for(&schema).unwrap().is_valid(&value), "{} for {}", value, schema);
    }
}
