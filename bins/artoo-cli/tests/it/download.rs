//! Tests of the download of a model: interrupted, resumed, and shown.

use artoo_llm_http::doubles::{Reply, Step};
use rustix::process::Signal;

use crate::fixture::Scene;
use crate::interrupt::send;
use crate::process::{ended, say, until};
use crate::screen::Screen;

/// A server that sends the beginning of a file and then nothing, and has no range of it.
fn stalling() -> Scene {
    Scene::new(|call| match call.header("range") {
        None => Reply::steps([Step::Send(vec![0; 100_000]), Step::Stall]),
        Some(_) => Reply::status(503, "not now"),
    })
}

#[test]
fn ctrl_c_keeps_what_has_arrived_and_the_next_download_goes_on() {
    for option in [&[][..], &["--plain"]] {
        let scene = stalling();
        let address = format!("{}/model.gguf", scene.server().base_url());
        let line = [option, &["model", "pull", "--from", &address]].concat();
        let screen = Screen::new(80);
        let mut command = scene.bare(&line);
        command.env("TERM", "xterm-256color");
        let mut child =
            command.stdin(screen.stream()).stdout(screen.stream()).stderr(screen.stream()).spawn().unwrap();
        drop(command);
        let partial = scene.home().join(".artoo/models/qwen2.5-coder-1.5b-instruct-q4_k_m.gguf.partial");
        until("the beginning is there", || {
            std::fs::metadata(&partial).is_ok_and(|metadata| metadata.len() == 100_000)
        });
        if option.is_empty() {
            // The line goes on although nothing arrives.
            screen.until_shown("100 kB of 1.1 GB");
            screen.until_shown("nothing new for ");
        }
        send(&child, Signal::INT);
        assert_eq!(ended(&mut child).code(), Some(130));
        let (shown, _) = screen.end();
        assert!(shown.contains("stopped: 100 kB of 1.1 GB are kept"), "{shown}");
        assert!(shown.contains("artoo model pull") && !shown.contains("error:"), "{shown}");
        say(&mut scene.bare(&line)).ended(1).explains("503", "");
        let ranges: Vec<Option<String>> =
            scene.server().calls().iter().map(|call| call.header("range").map(str::to_owned)).collect();
        assert_eq!(ranges, [None, Some("bytes=100000-".to_owned())]);
        assert_eq!(std::fs::metadata(&partial).unwrap().len(), 100_000, "nothing of it is lost");
    }
}
