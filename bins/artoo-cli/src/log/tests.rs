//! Tests of which events reach standard error and the log file, and in which form.

use std::io;
use std::path::Path;

use serde_json::Value;

use super::*;
use crate::terminal::{Look, Seen};

fn options(verbose: u8, log: Option<&Path>) -> CommonArgs {
    CommonArgs { verbose, log: log.map(Path::to_owned), ..CommonArgs::default() }
}

/// Standard error after `work` has logged, in an environment that contains a secret.
fn shown(options: &CommonArgs, asked: Option<&str>, work: impl FnOnce()) -> Result<String, CommandError> {
    let variables = [("API_TOKEN", Some("hunter22hunter22")), ("ARTOO_LOG", asked)];
    let variables = variables.into_iter().filter_map(|(name, value)| Some((name.into(), value?.into())));
    let environment = Environment::new(variables);
    let folders = Folders::of(Path::new("/home/ada"), Path::new("/"));
    let seen = Seen::default();
    let look = Look { columns: 80, colour: false, live: false, words: false };
    let terminal = Terminal::new(Box::new(io::sink()), Box::new(seen.clone()), look, look, || None);
    let secrets = Secrets::new(Redactor::new().secret("hunter22hunter22"));
    let subscriber = subscriber(options, &environment, &folders, &terminal, &secrets)?;
    tracing::subscriber::with_default(subscriber, work);
    drop(terminal);
    Ok(String::from_utf8(seen.0.lock().unwrap().clone()).unwrap())
}

fn all_levels() {
    tracing::error!("it is broken");
    tracing::warn!(run = %7, error = %io::Error::other("no room"), "a record could not be written");
    tracing::info!("it begins");
    tracing::debug!(error = "closed", "it could not be published");
}

const WARNINGS: &str = "error: it is broken\nwarning: a record could not be written: no room (run 7)\n";

#[test]
fn warnings_are_plain_lines_and_less_is_not_shown_unasked() {
    assert_eq!(shown(&options(0, None), None, all_levels).unwrap(), WARNINGS);
    let info = format!("{WARNINGS}info: it begins (artoo::log::tests)\n");
    assert_eq!(shown(&options(1, None), None, all_levels).unwrap(), info);
    let debug = format!("{info}debug: it could not be published: closed (artoo::log::tests)\n");
    assert_eq!(shown(&options(2, None), None, all_levels).unwrap(), debug);
    assert_eq!(shown(&options(0, None), Some("debug"), all_levels).unwrap(), debug);
    assert_eq!(shown(&options(2, None), Some("off"), all_levels).unwrap(), "");
}

/// Which run, which role, which call: what is around a warning says so where details are asked for, and what it names
/// itself is not said twice. A person at a terminal has one run, and its id is noise.
#[test]
fn what_happened_is_said_with_the_spans_around_it() {
    let work = || {
        let _run = tracing::error_span!("run", run = 7).entered();
        let _role = tracing::error_span!("role", role = "executor").entered();
        tracing::error_span!("tool_call", call = %"c1", role = "hunter22hunter22").in_scope(|| {
            tracing::warn!(run = 8, "late");
        });
        tracing::warn!("later");
    };
    let said = shown(&options(0, None), None, work).unwrap();
    assert_eq!(said, "warning: late (run 8)\nwarning: later\n");
    let said = shown(&options(1, None), None, work).unwrap();
    let expected = "warning: late (run 8, call c1, role [redacted: secret])\n\
        warning: later (run 7, role executor)\n";
    assert_eq!(said, expected);
    let said = shown(&options(0, Some(Path::new("-"))), Some("warn"), work).unwrap();
    let lines: Vec<Value> = said.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines[0]["fields"], serde_json::json!({"run": "8"}));
    assert_eq!(lines[1]["spans"], serde_json::json!({"run": "7", "role": "executor"}));
    // In a file both layers are at work.
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("log");
    assert_eq!(shown(&options(1, Some(&path)), None, work).unwrap(), expected);
    assert!(std::fs::read_to_string(&path).unwrap().contains(r#""spans":{"run":"7","role":"executor"}"#));
}

#[test]
fn a_filter_that_is_none_is_an_error_with_an_example() {
    let error = shown(&options(0, None), Some("artoo=loud"), || ()).unwrap_err();
    assert!(error.to_string().contains("artoo=loud"), "{error}");
    assert!(error.next_step().unwrap().contains("ARTOO_LOG=debug"));
}

#[test]
fn secrets_and_what_acts_on_a_terminal_do_not_come_through() {
    let said = shown(&options(2, None), None, || {
        tracing::warn!(error = "the key hunter22hunter22 is wrong\u{1b}[2J\nnext", "refused");
        tracing::debug!("with hunter22hunter22");
    });
    let expected = "warning: refused: the key [redacted: secret] is wrong␛[2J next\n\
        debug: with [redacted: secret] (artoo::log::tests)\n";
    assert_eq!(said.unwrap(), expected);
}

#[test]
fn a_log_has_all_of_it_for_its_owner_alone() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("log");
    std::fs::write(&path, "{}\n").unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o644)).unwrap();
    let work = || {
        all_levels();
        tracing::debug!(token = "hunter22hunter22", "sent");
    };
    assert_eq!(shown(&options(0, Some(&path)), None, work).unwrap(), WARNINGS, "warnings are shown, too");
    assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    let text = std::fs::read_to_string(&path).unwrap();
    assert!(!text.contains("hunter22"), "{text}");
    let lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let levels: Vec<_> = lines.iter().skip(1).map(|line| line["level"].as_str().unwrap()).collect();
    assert_eq!(levels, ["error", "warn", "info", "debug", "debug"], "behind what was there");
    let warning = &lines[2];
    assert_eq!((&warning["fields"]["error"], &warning["fields"]["run"]), (&"no room".into(), &"7".into()));

    shown(&options(0, Some(&path)), Some("error"), all_levels).unwrap();
    assert_eq!(std::fs::read_to_string(&path).unwrap().lines().count(), lines.len() + 1);

    let link = folder.path().join("link");
    std::os::unix::fs::symlink(&path, &link).unwrap();
    let error = shown(&options(0, Some(&link)), None, || ()).unwrap_err();
    assert!(error.next_step().unwrap().contains("no link"), "{error}");
}

#[test]
fn a_dash_is_standard_error_with_nothing_said_twice() {
    let said = shown(&options(0, Some(Path::new("-"))), None, all_levels).unwrap();
    let lines: Vec<Value> = said.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines.len(), 4, "{said}");
}

/// The default filter applies to every target but those of two libraries, which log what servers and clients say. So a warning is shown wherever it comes from.
/// `cargo xtask tidy` checks that no event sets a target of its own, and that no field contains user text.
#[test]
fn the_default_is_about_levels_alone() {
    assert_eq!(filter("warn").unwrap().to_string(), "agent_client_protocol=error,rmcp=off,warn");
    let work = || {
        tracing::warn!(target: "artoo_sandbox::snapshot", "one");
        tracing::warn!(target: "somebody_else", "two");
    };
    assert_eq!(shown(&options(0, None), None, work).unwrap(), "warning: one\nwarning: two\n");
}
