//! Tests of the pager: used only for output longer than the terminal.

use crate::model::counting;
use crate::process::{ended, say};
use crate::scene::Scene;
use crate::screen::Screen;

const REQUEST: &str = "How many .txt files are in docs?";

/// The output of `artoo runs explain last` at a terminal with this many lines.
fn explained(scene: &Scene, rows: u16, variables: &[(&str, &str)]) -> String {
    let screen = Screen::telling(100, rows);
    let mut command = scene.bare(&["runs", "explain", "last"]);
    command.env("TERM", "xterm").env("NO_COLOR", "1").envs(variables.iter().copied());
    let mut child =
        command.stdin(screen.stream()).stdout(screen.stream()).stderr(screen.stream()).spawn().unwrap();
    drop(command);
    assert_eq!(ended(&mut child).code(), Some(0));
    screen.end().0
}

#[test]
fn a_page_that_is_longer_than_the_terminal_comes_by_the_pager() {
    let scene = Scene::new(counting());
    scene.say(&["run", REQUEST]).ended(0);
    let pager = ("PAGER", "sed 's/^/paged /'");
    let long = explained(&scene, 5, &[pager]);
    assert!(long.contains("paged") && long.contains(REQUEST), "{long}");
    for shown in [
        explained(&scene, 200, &[pager]),
        explained(&scene, 5, &[pager, ("ARTOO_SCREEN_READER", "1")]),
        explained(&scene, 5, &[("PAGER", "there-is-no-such-pager")]),
        say(scene.bare(&["runs", "explain", "last"]).env("PAGER", pager.1)).ended(0).out,
    ] {
        assert!(!shown.contains("paged ") && shown.contains(REQUEST), "{shown}");
    }
}
