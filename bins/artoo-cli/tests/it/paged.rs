//! Tests of the pager: used only for output longer than the terminal.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt as _;

use crate::fixture::Scene;
use crate::mock_model::counting;
use crate::process::{ended, say};
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

/// A run may have left a program of this name in a folder of `PATH`; the user's own choice stands in `PAGER`.
#[test]
fn a_pager_that_nobody_chose_is_the_systems() {
    let scene = Scene::new(counting());
    scene.say(&["run", REQUEST]).ended(0);
    let (open, mark) = (scene.home().join("bin"), scene.home().join("started"));
    fs::create_dir(&open).unwrap();
    fs::write(open.join("less"), format!("#!/bin/sh\n: > '{}'\n", mark.display())).unwrap();
    for (path, mode) in [(open.join("less"), 0o755), (open.clone(), 0o777)] {
        fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
    }
    let shown = explained(&scene, 5, &[("PATH", open.to_str().unwrap())]);
    assert!(shown.contains(REQUEST) && !mark.exists(), "{shown}");
    assert!(explained(&scene, 5, &[("PATH", open.to_str().unwrap()), ("PAGER", "less")]).is_empty());
    assert!(mark.exists(), "what the user names is started");
}
