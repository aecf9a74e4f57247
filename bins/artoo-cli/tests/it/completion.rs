//! Tests of the completion of names in shells: the scripts ask the program as these tests do.

use crate::fixture::Scene;
use crate::mock_model::counting;
use crate::process::say;

const REQUEST: &str = "How many .txt files are in docs?";

/// What a shell is offered at the end of these words.
fn offered(scene: &Scene, shell: &str, words: &[&str]) -> String {
    let mut command = scene.artoo(&[&["--", "artoo"], words].concat());
    command.env("_ARTOO_COMPLETE", shell).env("_CLAP_COMPLETE_INDEX", words.len().to_string());
    command.env("_CLAP_IFS", "\n");
    let said = say(&mut command).ended(0);
    assert_eq!(said.err, "");
    said.out
}

/// Nothing is asked of a model, and no run begins, whatever is on the line.
#[test]
fn runs_sessions_models_and_commands_are_completed() {
    let scene = Scene::new(counting());
    scene.say(&["run", REQUEST]).ended(0);
    scene.say(&["sessions", "rename", "last", "accounts"]).ended(0);
    let asked = scene.server().stats().requests;
    let id = scene.runs()[0].file_name().unwrap().to_str().unwrap().to_owned();
    let short = &id[id.len() - 6..];
    for shell in ["bash", "zsh", "fish"] {
        let has = |words: &[&str], expected: &str| {
            let offered = offered(&scene, shell, words);
            assert!(offered.contains(expected), "{shell} {words:?}: no {expected} in\n{offered}");
        };
        has(&["runs", "show", ""], short);
        has(&["undo", &short[..2]], short);
        has(&["runs", "delete", ""], short);
        has(&["resume", ""], short);
        has(&["sessions", "show", "acc"], "accounts");
        has(&["run", "--session", ""], "accounts");
        has(&["model", "pull", "qwen"], "qwen2.5-coder-1.5b");
        has(&["run", "-m", ""], "mock");
        has(&["runs", "wh"], "what-if");
        has(&["run", "--yes", "outs"], "outside-machine");
        has(&["--data-dir", "/nowhere", "runs", "show", ""], "last");
    }
    assert!(
        offered(&scene, "fish", &["runs", "show", ""]).contains(REQUEST),
        "a run is described by its request"
    );
    assert_eq!(offered(&scene, "bash", &["count the files"]), "");
    say(scene.artoo(&["run", REQUEST]).env("_ARTOO_COMPLETE", "tcsh"))
        .ended(2)
        .explains("tcsh", "artoo completions");
    assert_eq!((scene.server().stats().requests, scene.runs().len()), (asked, 1));
}

/// The script of this shell is read and used by it.
#[test]
fn bash_completes_with_the_script() {
    let scene = Scene::new(counting());
    scene.say(&["run", REQUEST]).ended(0);
    let id = scene.runs()[0].file_name().unwrap().to_str().unwrap().to_owned();
    let script = scene.say(&["completions", "bash"]).ended(0).out;
    let line = format!(
        "{script}\nCOMP_WORDS=(artoo runs show ''); COMP_CWORD=3; COMP_TYPE=9\n\
         f=$(complete -p artoo | sed 's/.*-F \\([^ ]*\\).*/\\1/'); $f artoo '' show 2>/dev/null\nprintf '%s\\n' \"${{COMPREPLY[@]}}\""
    );
    let folder = std::path::Path::new(env!("CARGO_BIN_EXE_artoo")).parent().unwrap();
    #[expect(clippy::disallowed_methods, reason = "a shell that completes is what is tested")]
    let mut bash = std::process::Command::new("bash");
    bash.args(["--norc", "-c", &line]).env_clear().env("HOME", scene.home());
    bash.env("PATH", format!("{}:/usr/bin:/bin", folder.display())).current_dir(scene.folder());
    let output = bash.output().unwrap();
    let offered = String::from_utf8_lossy(&output.stdout);
    assert!(offered.contains(&id[id.len() - 6..]), "{offered}\n{}", String::from_utf8_lossy(&output.stderr));
}
