//! Properties of effects: every text is analysed quickly, and no spelling of a destructive command hides it.
//! Nothing is run.

use proptest::prelude::*;

use crate::simulated_files::{effects, warns};
use crate::spellings::{DANGEROUS, GAPS, PLACES, WAYS, around, quoted, respelled};

fn command() -> impl Strategy<Value = String> {
    (prop::sample::select(&DANGEROUS[..]), prop::sample::select(&GAPS[..])).prop_flat_map(|(words, gap)| {
        let spellings: Vec<_> = words.iter().copied().map(spelling).collect();
        spellings.prop_map(move |words| words.join(gap))
    })
}

fn spelling(word: &'static str) -> impl Strategy<Value = String> {
    (0..WAYS, 0..=word.len()).prop_map(move |(way, at)| respelled(word, way, at))
}

/// The command at another place of a script that still runs it.
fn placed(command: impl Strategy<Value = String> + 'static) -> BoxedStrategy<String> {
    (command, 0..PLACES).prop_map(|(command, place)| around(&command, place)).boxed()
}

/// Tokens with a meaning in shells.
fn tokens() -> impl Strategy<Value = String> {
    const PIECES: [&str; 57] = [
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
        "trap '",
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
    fn fact_8_no_spelling_hides_a_destructive_command(text in placed(placed(command()))) {
        prop_assert!(warns(&effects(&text)), "{text:?}: {:?}", effects(&text));
    }

    #[test]
    fn nothing_behind_a_destructive_command_hides_it(text in placed(command()), behind in tokens()) {
        let text = format!("{text}\n{behind}");
        prop_assert!(warns(&effects(&text)), "{text:?}: {:?}", effects(&text));
    }

    #[test]
    fn any_text_has_effects(text in any::<String>()) {
        let _ = effects(&text);
    }

    #[test]
    fn any_tokens_have_effects(text in tokens()) {
        let _ = effects(&text);
    }

}

/// None of these crashes or hangs the parser, and each has some effect.
#[test]
fn what_is_made_to_break_the_reader_is_survived() {
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
        many("((", 10_000),
        many("$((", 10_000),
        many("[[ ", 9_000),
        many("case x in x) ", 2_000),
        many("a=$(b=$(", 3_000),
        format!("x='{}'; echo {}; rm $x", many("y ", 2_000), many("$x ", 9_000)),
        "ls -".to_owned() + &many("a", 30_000) + "; rm notes.txt",
        many("x{", 10_000) + "; rm notes.txt",
        "rm ".to_owned() + &(0..5_000).map(|at| format!("{at} ")).collect::<String>(),
        "f() { f; f; f; f; }; f; rm notes.txt".to_owned(),
        many("for x in 1; do ", 11) + "y=$x" + &many("; done", 11) + "; rm notes.txt",
        "a=x; ".to_owned() + &many("a=$a$a$a$a; ", 40) + "rm $a",
        "a0=xx; ".to_owned()
            + &(0..1_000).map(|at| format!("a{}=$a{at}$a{at}; ", at + 1)).collect::<String>()
            + "rm $a1000",
        format!("x={}; ", quoted(&many("y ", 10_000))) + &many("eval \"$x\"; ", 600),
        many("[", 30_000) + " ]",
    ];
    for text in texts {
        assert!(warns(&effects(&text)), "{}…", text.chars().take(40).collect::<String>());
    }
}
