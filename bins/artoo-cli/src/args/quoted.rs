//! A program and its arguments as shell text that means exactly them.

/// Words that begin something else than a program where a shell reads them first and unquoted.
const RESERVED: [&str; 24] = [
    "!",
    "{",
    "}",
    "[[",
    "]]",
    "case",
    "coproc",
    "do",
    "done",
    "elif",
    "else",
    "esac",
    "fi",
    "for",
    "function",
    "if",
    "in",
    "namespace",
    "select",
    "then",
    "time",
    "typeset",
    "until",
    "while",
];

/// The words, each quoted where a shell would read it otherwise.
pub(super) fn quoted(words: &[String]) -> String {
    let is_first = std::iter::once(true).chain(std::iter::repeat(false));
    let quoted: Vec<String> = words.iter().zip(is_first).map(|(word, first)| one(word, first)).collect();
    quoted.join(" ")
}

fn one(word: &str, is_program: bool) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"+-./:@_%,".contains(&byte);
    let is_bare = !word.is_empty() && word.bytes().all(is_plain) && !(is_program && RESERVED.contains(&word));
    if is_bare { word.to_owned() } else { format!("'{}'", word.replace('\'', r"'\''")) }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn text(words: &[&str]) -> String {
        quoted(&words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>())
    }

    #[test]
    fn only_what_a_shell_would_read_otherwise_is_quoted() {
        assert_eq!(text(&["ls", "-l", "docs/a.txt"]), "ls -l docs/a.txt");
        assert_eq!(text(&["echo", "a b", "$HOME", "~", "", "it's"]), r"echo 'a b' '$HOME' '~' '' 'it'\''s'");
        assert_eq!(text(&["A=1", "A=1"]), "'A=1' 'A=1'");
        assert_eq!(text(&["time", "time"]), "'time' time");
    }

    proptest! {
        #[test]
        fn a_shell_reads_the_same_words(words in proptest::collection::vec("[^\0]{0,8}", 1..5)) {
            prop_assert_eq!(shlex::split(&quoted(&words)), Some(words));
        }
    }
}
