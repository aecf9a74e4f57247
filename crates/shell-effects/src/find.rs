//! Effects of `find`: where it searches, and what it does with its matches.

use super::analysis::Walker;
use super::effects::Kind;
use super::program_rules::Call;
use super::value::Value;
use super::wrappers::put;

pub(super) fn run(walker: &mut Walker<'_>, call: &Call<'_>) {
    let is_place = |one: &&Value| !one.text().starts_with(['-', '!', '(']);
    for place in call.arguments.iter().take_while(is_place) {
        walker.reads(place, "`find` goes through it");
    }
    let mut rest = call.arguments;
    while let Some((word, more)) = rest.split_first() {
        rest = more;
        match word.text() {
            "-delete" => walker.note(Kind::Deletes, "what find finds", &word.source, "`-delete` deletes it"),
            "-exec" | "-execdir" | "-ok" | "-okdir" => {
                let ends = |at: usize, one: &Value| {
                    let after_the_path = at.checked_sub(1).and_then(|at| more.get(at));
                    one.is(";") || (one.is("+") && after_the_path.is_some_and(|one| one.is("{}")))
                };
                let length = more.iter().enumerate().position(|(at, one)| ends(at, one));
                let (command, behind) = more.split_at(length.unwrap_or(more.len()));
                let command: Vec<Value> =
                    command.iter().map(|one| put(one, "{}", "what find finds")).collect();
                walker.call(&command, None);
                rest = behind;
            }
            "-fprint" | "-fprint0" | "-fls" | "-fprintf" => {
                let file = more.first().cloned().unwrap_or_default();
                walker.writes(&file, "`find` writes what it finds to it");
            }
            _ => {}
        }
    }
}
