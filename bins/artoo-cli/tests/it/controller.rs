//! Tests of the controller's numbers: set in the configuration, used by runs, replaced in a replay.

use std::fs;

use serde_json::Value;

use crate::fixture::Scene;
use crate::mock_model::counting;

fn configure(scene: &Scene, text: &str) {
    let file = scene.home().join(".config/artoo/config.toml");
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    fs::write(file, text).unwrap();
}

fn values(scene: &Scene, options: &[&str]) -> Value {
    let shown = scene.say(&[&["config", "show", "--json"], options].concat()).ended(0).out;
    serde_json::from_str::<Value>(&shown).unwrap()["values"].clone()
}

#[test]
fn numbers_have_an_origin_and_a_range() {
    let scene = Scene::new(counting());
    configure(&scene, "[controller]\nalpha = 0.9\nlaw2_rounds = 3\n");
    let shown = values(&scene, &["-c", "controller.delta=0.2"]);
    let row = |key: &str| {
        let row = &shown[format!("controller.{key}")];
        (row["value"].as_str().unwrap().to_owned(), row["origin"].as_str().unwrap().to_owned())
    };
    assert_eq!(row("beta"), ("0.3".to_owned(), "default".to_owned()));
    assert_eq!(row("delta"), ("0.2".to_owned(), "-c".to_owned()));
    assert!(row("alpha").0 == "0.9" && row("alpha").1.ends_with("config.toml"), "{:?}", row("alpha"));
    // The specification's profile sets its own numbers, and an option overrides it.
    let literal = values(&scene, &["--profile", "spec-v0.8", "-c", "controller.rho=0.6"]);
    assert_eq!(
        (&literal["controller.alpha"]["value"], &literal["controller.alpha"]["origin"]),
        (&"0.6".into(), &"profile spec-v0.8".into())
    );
    assert_eq!(literal["controller.rho"]["value"], "0.6");
    for (said, range) in [
        ("alpha=0", "above 0, at most 1000, not 0 (-c)"),
        ("beta=-1", "from 0 to 1000, not -1 (-c)"),
        ("theta=1.5", "from 0 to 1, not 1.5 (-c)"),
        ("epsilon=nan", "above 0, at most 1000, not NaN (-c)"),
        ("law2_rounds=0", "at least 1 (-c)"),
        ("law2_rounds=-1", "law2_rounds"),
        ("rho=high", "controller.rho"),
    ] {
        let option = format!("controller.{said}");
        scene.say(&["config", "show", "-c", &option]).ended(2).explains(range, "artoo config");
    }
    scene
        .say(&["config", "show", "-c", "controller.alhpa=1"])
        .ended(2)
        .explains("alhpa", "did you mean `controller.alpha`?");
}

#[test]
fn a_run_goes_by_them_and_is_looked_at_with_others() {
    let scene = Scene::new(counting());
    configure(&scene, "[controller]\nalpha = 0.9\n");
    scene.say(&["run", "How many .txt files are in docs?"]).ended(0);
    assert!(scene.journal().contains("\"alpha\":0.9"));
    // A replay uses the recorded numbers, not the current configuration.
    configure(&scene, "[controller]\nalpha = 0.1\nbeta = 0.1\n");
    let said = scene.say(&["runs", "what-if", "last"]).ended(0);
    for part in ["with the recorded numbers", "round 1  accept, as recorded", "the same way"] {
        assert!(said.out.contains(part), "no `{part}` in\n{}", said.out);
    }
    let replay = |options: &[&str]| {
        let line = [&["runs", "what-if", "last", "--json"], options].concat();
        serde_json::from_str::<Value>(&scene.say(&line).ended(0).out).unwrap()
    };
    let same = replay(&[]);
    assert_eq!(
        (&same["recorded"], &same["rounds"][0]["same"]),
        (&same["replayed"], &true.into()),
        "{same:#}"
    );
    let other = replay(&["-c", "controller.alpha=0.2", "-c", "controller.lambda=2"]);
    let numbers = &other["replayed"];
    assert_eq!(
        (&numbers["alpha"], &numbers["lambda"], &numbers["beta"]),
        (&0.2.into(), &2.0.into(), &0.3.into())
    );
    let literal = replay(&["--profile", "spec-v0.8"]);
    assert_eq!(
        (&literal["replayed"]["alpha"], &literal["replayed"]["deciding_gradient"]),
        (&0.6.into(), &"loss".into())
    );
    let text = scene.say(&["runs", "what-if", "last", "-c", "controller.alpha=0.2"]).ended(0).out;
    assert!(text.contains("alpha 0.2 in place of 0.9"), "{text}");
    scene.say(&["runs", "what-if", "last", "-c", "controller.alpha=0"]).ended(2).explains("alpha", "config");
    scene.say(&["runs", "what-if", "ffff"]).ended(2).explains("ffff", "artoo runs list");

    let path = scene.runs()[0].join("events.jsonl");
    let text = fs::read_to_string(&path).unwrap();
    fs::write(&path, text.replace(r#""directive":"accept""#, r#""directive":"abandon""#)).unwrap();
    let said = scene.say(&["runs", "what-if", "last"]).ended(1);
    assert!(said.out.contains("accept in place of abandon"), "{}", said.out);
    assert!(said.err.contains("the journal was changed"), "{}", said.err);
    fs::write(&path, &text[..text.len() / 2]).unwrap();
    assert!(scene.say(&["runs", "what-if", "last"]).ended(1).err.contains("damaged"));
}
