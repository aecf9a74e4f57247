//! Spellings of destructive commands. The property tests choose among them at random, the fuzz target
//! (`fuzz/`) by coverage.

/// Simple destructive commands, each as a list of words. They work at any place of a script.
pub(crate) const DANGEROUS: [&[&str]; 9] = [
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

/// Separators between two words.
pub(crate) const GAPS: [&str; 4] = [" ", "  ", "\t", " \\\n "];

/// The number of ways that [`respelled`] knows.
pub(crate) const WAYS: usize = 7;

/// The number of places that [`around`] knows.
pub(crate) const PLACES: usize = 36;

/// A word, written in another way that yields the same word. Some ways split it at `at`.
pub(crate) fn respelled(word: &str, way: usize, at: usize) -> String {
    let (before, after) = word.split_at(at);
    match way {
        0 => word.to_owned(),
        1 => format!("'{word}'"),
        2 => format!("\"{word}\""),
        3 => format!("{before}''{after}"),
        4 => format!("{before}\"{after}\""),
        5 => word.chars().map(|one| format!("\\{one}")).collect(),
        _ => {
            word.bytes().map(|one| format!("\\x{one:02x}")).fold("$'".to_owned(), |all, one| all + &one) + "'"
        }
    }
}

/// The command `c` at another place of a script that still runs it.
pub(crate) fn around(c: &str, place: usize) -> String {
    match place {
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
        30 => format!("eval {}", quoted(c)),
        31 => format!("sh -c {}", quoted(c)),
        32 => format!("c={}; eval \"$c\"", quoted(c)),
        33 => format!("trap {} EXIT", quoted(c)),
        34 => format!("bash <<'END'\n{c}\nEND"),
        _ => format!("ls | xargs -I@ sh -c {}", quoted(c)),
    }
}

/// The text as one word of a shell.
pub(crate) fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}
