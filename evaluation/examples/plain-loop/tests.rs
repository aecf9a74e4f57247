//! The loop with a scripted model.

use artoo_llm_client::doubles::{Answer, Expect, ScriptedModel};
use artoo_llm_http::doubles::{MockServer, Reply};

use super::*;

fn read(arguments: &[&str]) -> Result<Options, String> {
    Options::read(arguments.iter().map(|&argument| argument.to_owned()))
}

#[test]
fn the_options_of_artoo_are_understood() {
    let given = "run --json --cwd /h --workspace /w --data-dir /d --yes creates --no-memory --timeout 5m -c a.b=1 --base-url http://x:1 \
                 --model m -- How many?";
    let options = read(&given.split_whitespace().collect::<Vec<_>>()).unwrap();
    let expected = Options {
        home: "/h".into(),
        workspace: "/w".into(),
        timeout: std::time::Duration::from_secs(300),
        model: Model::Served { address: "http://x:1".into(), name: "m".into() },
        request: "How many?".into(),
    };
    assert_eq!(options, expected);
    for wrong in [
        &["--what"][..],
        &["--cwd"],
        &["--timeout", "x", "--", "r"],
        &["--cwd", "/h", "--workspace", "/w", "--"],
    ] {
        assert!(read(wrong).is_err(), "{wrong:?}");
    }
}

async fn ended(turns: &[&str]) -> (End, u64, Vec<String>) {
    let place = tempfile::tempdir().unwrap();
    let (home, workspace) = (place.path().join("home"), place.path().join("workspace"));
    for folder in [&home, &workspace] {
        std::fs::create_dir(folder).unwrap();
    }
    std::fs::write(home.join("a.txt"), "one\ntwo\n").unwrap();
    let model = turns.iter().fold(ScriptedModel::new(), |model, turn| {
        model.expect(Expect::purpose("plain"), Answer::text(*turn))
    });
    let mut talk = Talk::new("How many lines has a.txt?");
    let end = talk.work(&model, &Shell::new(home, workspace)).await.unwrap();
    (end, talk.calls, talk.told())
}

#[tokio::test]
async fn a_command_is_run_and_its_output_shown() {
    let (end, calls, told) =
        ended(&[r#"{"do":"run","text":"wc -l < a.txt; cat none"}"#, r#"{"do":"answer","text":"2"}"#]).await;
    assert_eq!((end, calls), (End::Answered("2".to_owned()), 2));
    assert!(told[2].starts_with("2\n") && told[2].ends_with("[exit status 1]"), "{told:?}");
}

#[tokio::test]
async fn it_ends_without_an_answer_where_it_gives_up_or_has_no_turn_left() {
    let (end, calls, _) = ended(&[r#"{"do":"give_up","text":"there is no such file"}"#]).await;
    assert_eq!((end, calls), (End::GaveUp("there is no such file".to_owned()), 1));
    let (end, calls, _) = ended(&[r#"{"do":"run","text":"true"}"#; 12]).await;
    assert_eq!((end, calls), (End::GaveUp("no turn is left".to_owned()), 12));
}

#[tokio::test]
async fn it_ends_with_the_line_that_artoo_ends_with() {
    let place = tempfile::tempdir().unwrap();
    let server = MockServer::start(|_| Reply::text(r#"{"do":"answer","text":"17"}"#)).await.unwrap();
    let mut options = Options {
        home: place.path().into(),
        workspace: place.path().into(),
        timeout: std::time::Duration::from_secs(60),
        model: Model::Served { address: server.base_url().to_owned(), name: "mock".into() },
        request: "How many?".into(),
    };
    let line = run(&options).await;
    assert_eq!(
        (&line["type"], &line["directive"], &line["output"]),
        (&json!("run.finished"), &json!("accept"), &json!("17"))
    );
    assert_eq!(line["usage"]["calls"], 1);
    options.model = Model::Embedded(place.path().join("none.gguf"));
    assert_eq!(run(&options).await["directive"], Value::Null, "a model that cannot be had ends in nothing");
}
