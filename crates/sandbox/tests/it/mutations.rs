//! Laws of effects: any text has some, soon; and no way of writing a dangerous command makes it harmless. Nothing is run.

use artoo_sandbox::Class;
use proptest::prelude::*;

use crate::world::effects;

fn passes(text: &str) -> bool {
    matches!(effects(text).class(), Class::ReadOnly | Class::Reversible)
}

/// Simple commands that destroy, each as its words. Where they stand in a script does not matter.
const DANGEROUS: [&[&str]; 9] = [
    &["rm", "notes.txt"],
    &["rm", "-rf", "docs"],
    &["mv", "notes.txt", "b.txt"],
    &["truncate", "-s", "0", "notes.txt"],
    &["sed", "-i", "s/a/b/", "notes.txt"],
    &["find", ".", "-delete"],
    &["git", "reset", "--hard"],
    &["tee", "notes.txt"],
    &["sort", "-o", "notes.txt", "a.txt"],
];

/// One word, written in another way that gives the same word.
fn respelled(word: &'static str) -> impl Strategy<Value = String> {
    let cut = 0..=word.len();
    (0..7_u8, cut).prop_map(move |(way, at)| {
        let (before, after) = word.split_at(at);
        match way {
            0 => word.to_owned(),
            1 => format!("'{word}'"),
            2 => format!("\"{word}\""),
            3 => format!("{before}''{after}"),
            4 => format!("{before}\"{after}\""),
            5 => word.chars().map(|one| format!("\\{one}")).collect(),
            _ => {
                word.bytes().map(|one| format!("\\x{one:02x}")).fold("$'".to_owned(), |all, one| all + &one)
                    + "'"
            }
        }
    })
}

fn command() -> impl Strategy<Value = String> {
    (0..DANGEROUS.len()).prop_flat_map(|at| {
        let words: Vec<_> = DANGEROUS.get(at).unwrap().iter().map(|word| respelled(word).boxed()).collect();
        (words, prop_oneof![Just(" "), Just("  "), Just("\t"), Just(" \\\n ")])
            .prop_map(|(words, gap)| words.join(gap))
    })
}

/// The command in another place of a script that still runs it.
fn placed(command: impl Strategy<Value = String> + 'static) -> BoxedStrategy<String> {
    let around = (command, 0..36_u8).prop_map(|(c, way)| match way {
        0 => format!("({c})"),
        1 => format!("{{ {c}; }}"),
        2 => format!("ls; {c}"),
        3 => format!("true && {c}"),
        4 => format!("false || {c}"),
        5 => format!("ls | {c}"),
        6 => format!("{c} | cat"),
        7 => format!("{c} &"),
        8 => format!("! {c}"),
        9 => format!("time {c}"),
        10 => format!("if true; then {c}; fi"),
        11 => format!("while {c}; do ls; done"),
        12 => format!("for i in 1 2; do {c}; done"),
        13 => format!("case a in *) {c};; esac"),
        14 => format!("f() {{ {c}; }}; f"),
        15 => format!("echo $({c})"),
        16 => format!("echo \"$({c})\""),
        17 => format!("cat <({c})"),
        18 => format!("x=$({c})"),
        19 => format!("cat <<END\n$({c})\nEND"),
        20 => format!("env {c}"),
        21 => format!("nice -n 5 {c}"),
        22 => format!("timeout 5 {c}"),
        23 => format!("command {c}"),
        24 => format!("exec {c}"),
        25 => format!("nohup {c} > /dev/null 2>&1"),
        26 => format!("sudo {c}"),
        27 => format!("X=1 {c}"),
        28 => format!("> /dev/null {c}"),
        29 => format!("# note\n{c} # note"),
        30 => format!("eval {}", quoted(&c)),
        31 => format!("sh -c {}", quoted(&c)),
        32 => format!("c={}; eval \"$c\"", quoted(&c)),
        33 => format!("trap {} EXIT", quoted(&c)),
        34 => format!("bash <<'END'\n{c}\nEND"),
        _ => format!("ls | xargs -I@ sh -c {}", quoted(&c)),
    });
    around.boxed()
}

fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
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
