//! What happens where something is missing: the test, or a part of it, is left out, or fails.

use std::fmt::Display;

use crate::needs::{Needs, Unknown, VARIABLE};
use crate::place::is_there;
use crate::table::{Ability, Tool};

/// Whether a program of the table is there; if not, a part of the test is left out.
///
/// # Panics
/// The program is missing and listed, or it is not in the table.
#[track_caller]
#[expect(clippy::panic, reason = "a test that asks for what the table does not have is wrong")]
pub fn has(program: &str) -> bool {
    let Some(tool) = Tool::with(program) else {
        panic!("{program} is not in crates/test-needs/src/table.rs")
    };
    let is_there = is_there(program);
    if !is_there {
        left_out(tool.name, &format_args!("{program} is not there"));
    }
    is_there
}

/// Says that a part of a test is left out for lack of a program, which may be one that no table has.
///
/// # Panics
/// The program is of a tool that is listed.
#[track_caller]
pub fn without(program: &str, what: impl Display) {
    left_out(Tool::with(program).map_or(program, |tool| tool.name), &what);
}

/// Says that a test, or a part of it, is left out for lack of an ability.
///
/// # Panics
/// The ability is listed.
#[track_caller]
pub fn skip(ability: Ability, reason: impl Display) {
    left_out(ability.name(), &reason);
}

#[track_caller]
#[expect(clippy::panic, reason = "the test fails")]
fn left_out(name: &str, reason: &dyn Display) {
    #[expect(clippy::disallowed_methods, reason = "the runner of the tests hands it in")]
    let listed = std::env::var(VARIABLE).unwrap_or_default();
    match verdict(&listed, name, reason) {
        Ok(Skip::LeftOut(words)) => eprintln!("\n*** {words} ***\n"),
        Ok(Skip::Failed(words)) => panic!("{words}"),
        Err(unknown) => panic!("{unknown}"),
    }
}

/// What a skip comes to.
#[derive(Debug, PartialEq, Eq)]
enum Skip {
    LeftOut(String),
    Failed(String),
}

fn verdict(listed: &str, name: &str, reason: &dyn Display) -> Result<Skip, Unknown> {
    if !Needs::read(listed)?.lists(name) {
        return Ok(Skip::LeftOut(format!("SKIPPED for lack of {name}: {reason}")));
    }
    let is_ability = Ability::ALL.iter().any(|ability| ability.name() == name);
    let hint =
        if is_ability { "this machine does not have it" } else { "`cargo xtask test-tools` installs it" };
    Ok(Skip::Failed(format!("{VARIABLE} lists {name}, and {reason}; {hint}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_skip_is_said_by_name_and_fails_where_it_is_listed() {
        let said = |listed, name| verdict(listed, name, &"it is gone");
        let left_out = Skip::LeftOut("SKIPPED for lack of node: it is gone".to_owned());
        assert_eq!(said("", "node"), Ok(left_out));
        assert!(matches!(said("git,landlock", "node"), Ok(Skip::LeftOut(_))));
        let failed = "ARTOO_TESTS_NEED lists node, and it is gone; `cargo xtask test-tools` installs it";
        assert_eq!(said("git,node", "node"), Ok(Skip::Failed(failed.to_owned())));
        let failed = "ARTOO_TESTS_NEED lists landlock, and it is gone; this machine does not have it";
        assert_eq!(said("landlock", "landlock"), Ok(Skip::Failed(failed.to_owned())));
    }

    #[test]
    fn an_unknown_name_fails_at_any_skip() {
        assert!(verdict("git,nodde", "node", &"it is gone").is_err());
    }

    #[test]
    #[should_panic(expected = "no-such-program is not in crates/test-needs/src/table.rs")]
    fn a_program_that_the_table_does_not_have_is_no_skip() {
        has("no-such-program");
    }
}
