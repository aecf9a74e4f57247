//! Tests with programs that every machine has: a shell, `stty`, `dd`.

use std::process::{Child, Command};
use std::time::{Duration, Instant};

use artoo_pseudo_terminal::{Error, PseudoTerminal, Size};

const PATIENCE: Duration = Duration::from_secs(60);

/// Starts a shell script at a terminal of 24 x 80.
#[expect(clippy::disallowed_methods, reason = "nothing of a run: a shell of the test's own")]
fn shell(script: &str) -> (PseudoTerminal, Child) {
    let terminal = PseudoTerminal::open(Size::of(24, 80)).unwrap();
    let mut command = Command::new("sh");
    command.args(["-c", script]);
    command.stdin(terminal.stream().unwrap());
    command.stdout(terminal.stream().unwrap()).stderr(terminal.stream().unwrap());
    let child = command.spawn().unwrap();
    (terminal, child)
}

#[test]
fn what_is_typed_and_what_is_written_is_shown_until_the_program_ends() {
    let (mut terminal, mut child) = shell("read line; printf 'got \\033[1m%s\\033[0m' \"$line\"");
    let before = Instant::now();
    terminal.types("数 one\n").unwrap();
    let at = terminal.wait(PATIENCE, |shown| shown.text().contains("got 数 one")).unwrap();
    assert!(at >= before);
    assert!(child.wait().unwrap().success());
    let shown = terminal.end();
    assert_eq!(shown.text(), "数 one\ngot 数 one");
    assert!(shown.bytes().ends_with("got \u{1b}[1m数 one\u{1b}[0m".as_bytes()));
    assert!(shown.screen().cell(1, 4).unwrap().bold());
}

#[test]
fn it_says_where_its_cursor_is_and_how_large_it_is() {
    // The reply has no line end, so it is read byte by byte; `stty size` prints rows and columns.
    let script = "stty size; stty -icanon -echo; printf 'abc\\033[6n'; dd bs=1 count=6 2>&- | tr '\\033' '!'; stty size";
    let (terminal, mut child) = shell(script);
    assert!(child.wait().unwrap().success());
    assert_eq!(terminal.end().text(), "24 80\nabc![2;4R24 80");
    let (mut terminal, mut child) = shell("read line; stty size; read line; stty size");
    terminal.resize(Size::of(30, 100)).unwrap();
    terminal.types("\n").unwrap();
    terminal.wait(PATIENCE, |shown| shown.text().contains("30 100")).unwrap();
    terminal.tell_size(0, 0).unwrap();
    terminal.types("\n").unwrap();
    assert!(child.wait().unwrap().success());
    assert!(terminal.end().text().contains("0 0"));
}

#[test]
fn what_never_comes_is_told_with_what_is_there() {
    let (terminal, mut child) = shell("echo here; read line");
    terminal.wait(PATIENCE, |shown| shown.text().contains("here")).unwrap();
    let error = terminal.wait(Duration::from_millis(1), |shown| shown.text().contains("there")).unwrap_err();
    assert!(matches!(&error, Error::NeverShown { screen, .. } if screen == "here"), "{error}");
    child.kill().unwrap();
    child.wait().unwrap();
}
