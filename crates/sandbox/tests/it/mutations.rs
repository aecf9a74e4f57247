//! Laws of effects: any text has some, soon; and no way of writing a dangerous command makes it harmless. Nothing is run.

use artoo_sandbox::Class;
use proptest::prelude::*;

use crate::spellings::{DANGEROUS, GAPS, PLACES, WAYS, around, quoted, respelled};
use crate::world::effects;

fn passes(text: &str) -> bool {
    matches!(effects(text).class(), Class::ReadOnly | Class::Reversible)
}

fn command() -> impl Strategy<Value = String> {
    (prop::sample::select(&DANGEROUS[..]), prop::sample::select(&GAPS[..])).prop_flat_map(|(words, gap)| {
        let spellings: Vec<_> = words.iter().copied().map(spelling).collect();
        spellings.prop_map(move |words| words.join(gap))
    })
}

fn spelling(word: &'static str) -> impl Strategy<Value = String> {
    (0..WAYS, 0..=word.len()).prop_map(move |(way, at)| respelled(word, way, at))
}

/// The command in another place of a script that still runs it.
fn placed(command: impl Strategy<Value = String> + 'static) -> BoxedStrategy<String> {
    (command, 0..PLACES).prop_map(|(command, place)| around(&command, place)).boxed()
}

/// Pieces from which shells make something.
fn tokens() -> impl Strategy<Value = String> {
    const PIECES: [&str; 58] = [
        "rm ",
        "ls ",
        "-o ",
        "-exec ",
        "{} ",
        "\\; ",
        "$(",
        ")",
        "`",
        "\"",
        "'",
        "\\",
        "\n",
        ";",
        "&",
        "|",
        "<",
        ">",
        "<<E",
        "E\n",
        "<<<",
        "$((",
        "))",
        "${",
        "}",
        "{",
        "((",
        "[[ ",
        " ]]",
        "if ",
        "then ",
        "fi ",
        "for x in ",
        "do ",
        "done ",
        "case x in ",
        "esac ",
        "f() ",
        "x=",
        "$x",
        "*",
        "?",
        "[",
        "]",
        "~",
        "#",
        " ",
        "find . ",
        "sed ",
        "awk '",
        "python3 -c '",
        "tar ",
        "xargs ",
        "env ",
        "sudo ",
        "sh -c ",
        "eval ",
        "notes.txt ",
    ];
    prop::collection::vec(0..PIECES.len(), 0..60)
        .prop_map(|all| all.into_iter().filter_map(|at| PIECES.get(at).copied()).collect())
}

proptest! {
    #[test]
    fn fact_8_no_spelling_makes_a_dangerous_command_harmless(text in placed(placed(command()))) {
        prop_assert!(!passes(&text), "{text:?}: {:?}", effects(&text));
    }

    #[test]
    fn any_text_has_effects(text in any::<String>()) {
        let _ = effects(&text);
    }

    #[test]
    fn any_tokens_have_effects(text in tokens()) {
        let _ = effects(&text);
    }

    #[test]
    fn any_program_of_python_awk_and_sed_has_effects(text in "[a-z'\"(){}\\[\\]/\\\\ ,.;:=>|$0-9\n]{0,80}") {
        for (program, options) in [("python3", "-c "), ("awk", ""), ("sed", "")] {
            let _ = effects(&format!("{program} {options}{}", quoted(&text)));
        }
    }
}

/// None of these ends the process or goes on for ever, and none is taken for harmless.
#[test]
fn what_is_made_to_break_the_reader_is_unknown() {
    let many = |text: &str, times: usize| text.repeat(times);
    let texts = [
        many("ls ", 400_000),
        many("(", 10_000),
        many("( ", 10_000),
        many("{ ", 10_000),
        many("$(", 10_000),
        many("\"$(", 10_000),
        many("`", 9_999),
        many("if ", 10_000),
        many("f() ", 10_000),
        many("${x:-", 10_000),
        many("sudo ", 6_000) + "ls",
        many("find . -exec ", 2_500) + "ls \\;",
        "f() { f; f; f; f; }; f".to_owned(),
        many("for x in 1; do ", 11) + "y=$x" + &many("; done", 11) + "; rm notes.txt",
        "a=x; ".to_owned() + &many("a=$a$a$a$a; ", 40) + "rm $a",
        format!("x={}; ", quoted(&many("y ", 10_000))) + &many("eval \"$x\"; ", 600),
        many("[", 30_000) + " ]",
    ];
    for text in texts {
        assert!(!passes(&text), "{}…", text.chars().take(40).collect::<String>());
    }
}

/// Long, but nothing in them writes.
#[test]
fn what_is_long_and_harmless_is_read_to_its_end() {
    let many = |text: &str| text.repeat(30_000);
    for text in [
        format!("awk '/{}]/'", many("[")),
        format!("sed 's/{}]/x/'", many("[")),
        format!("python3 -c 'print({}1'", many("(")),
        format!("echo '{}'", many("$(")[..30_000].to_owned()),
        format!("ls -{}", many("a")),
    ] {
        assert_eq!(effects(&text).class(), Class::ReadOnly, "{}…", text.chars().take(40).collect::<String>());
    }
}
