//! What a terminal would show of an output, once it has ended.

mod escape;
mod screen;

use std::borrow::Cow;

use self::escape::{Step, Steps};
use self::screen::Screen;

/// An output as a terminal leaves it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settled<'a> {
    /// Its lines, without sequences that control a terminal.
    pub text: Cow<'a, str>,
    /// How many characters were written over or erased by others.
    pub overwritten: u64,
}

/// The last state of each line of an output: a progress bar that goes back with `\r` or a backspace is shown once, and
/// colours, titles and movements of the cursor are carried out or left out. A text without such characters is given
/// back as it is, and so is the result of this function.
///
/// ```
/// use artoo_types::settled;
///
/// let output = "\rfetching 1%\rfetching 100%\n\u{1b}[1;32mok\u{1b}[0m\n";
/// assert_eq!(settled(output).text, "fetching 100%\nok\n");
/// assert_eq!(settled("plain\r\ntext\n").text, "plain\r\ntext\n");
/// ```
///
/// There is no terminal and so no width: lines are not wrapped. Of a program that draws a screen of its own the last
/// state is shown as far as it can be told without one.
pub fn settled(text: &str) -> Settled<'_> {
    if !is_controlled(text) {
        return Settled { text: Cow::Borrowed(text), overwritten: 0 };
    }
    let mut screen = Screen::new(text.len());
    for step in Steps::of(text) {
        match step {
            Step::Print(character) => screen.put(character),
            Step::Control(act) => screen.act(act),
            Step::Nothing => {}
        }
    }
    let (text, overwritten) = screen.finish();
    Settled { text: Cow::Owned(text), overwritten }
}

/// Whether a text moves the cursor other than to a next line, or has sequences for a terminal.
fn is_controlled(text: &str) -> bool {
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            '\u{1b}' | '\u{8}' | '\u{9b}' => return true,
            '\r' if characters.peek() != Some(&'\n') => return true,
            _ => {}
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_last_state_of_each_line_is_left() {
        let table = [
            ("a\rb\n", "b\n"),
            ("long line\rshort\n", "shortline\n"),
            ("long line\r\u{1b}[Kshort\n", "short\n"),
            ("long line\r\u{1b}[2K\rshort", "short"),
            ("10%\u{8}\u{8}\u{8}20%\u{8}\u{8}\u{8}99%\n", "99%\n"),
            ("\u{1b}[1;32mgreen\u{1b}[0m \u{1b}[38;2;1;2;3mrgb\u{1b}[m\n", "green rgb\n"),
            ("\u{1b}]0;a title\u{7}text\n", "text\n"),
            ("\u{1b}]8;;https://example.org\u{1b}\\link\u{1b}]8;;\u{1b}\\ end\n", "link end\n"),
            ("\u{1b}]0;no end\ntext\n", "0;no end\ntext\n"),
            ("\u{1b}Pq#0\u{1b}\\after\u{1b}(B\u{1b}=\u{1b}[?25l\n", "after\n"),
            // Two bars that are drawn again, one above the other.
            (
                "one 1%\ntwo 1%\n\u{1b}[2Aone 50%\ntwo 50%\n\u{1b}[2Aone 99%\ntwo 99%\ndone\n",
                "one 99%\ntwo 99%\ndone\n",
            ),
            ("a\nb\n\u{1b}[1F\u{1b}[Jc\n", "a\nc\n"),
            ("a\nb\n\u{1b}[2J\u{1b}[Hlast\n", "last\n"),
            ("\u{1b}[2;3Hx\u{1b}[1;1Hy\n", "y\n  x"),
            ("ab\u{1b}[Dc\u{1b}[3Cd\u{1b}[2Ge\n", "ae   d\n"),
            ("中文abc\rx\n", "x 文abc\n"),
            ("e\u{301}x\rab\n", "ab\n"),
            ("one\r\r\ntwo\r\nthree\rT\n", "one\ntwo\nThree\n"),
            ("keeps  \n\u{1b}[31mred\u{1b}[0m\n", "keeps  \nred\n"),
            ("\u{9b}31mred\u{9b}0m", "red"),
            ("a\u{1b}", "a"),
            ("a\u{1b}[", "a"),
            ("a\u{1b}[12\u{e9}b", "aéb"),
            ("\u{7}bell\r\n\u{1b}[0m", "bell\n"),
        ];
        for (text, expected) in table {
            assert_eq!(settled(text).text, expected, "{text:?}");
        }
        assert_eq!(
            [settled("1%\r2%\n"), settled("\u{1b}[1mx\n"), settled("x\rx")].map(|it| it.overwritten),
            [1, 0, 0]
        );
    }

    /// Seen in outputs of package managers and of `git`: thousands of states, one line in the end.
    #[test]
    fn thousands_of_states_are_one_line() {
        let states: String = (1..=2_000).map(|n| format!("\rReceiving objects: {n}")).collect();
        assert_eq!(settled(&format!("{states}\ndone\n")).text, "Receiving objects: 2000\ndone\n");
        let lines: String = (0..5_000).map(|n| format!("\u{1b}[2Kline {n}\n")).collect();
        assert_eq!(settled(&lines).text.lines().count(), 5_000);
    }

    /// Movements far away make no large text of a small one.
    #[test]
    fn no_sequence_makes_much_of_little() {
        for part in [
            "\u{1b}[999999999Cx\n",
            "\u{1b}[999999999;999999999Hx",
            "\u{1b}[99999B\u{1b}[99999@x",
            "\u{1b}[9999Lx",
        ] {
            let settled = settled(&part.repeat(2_000)).text.len();
            assert!(settled < 300_000, "{part:?}: {settled}");
        }
    }

    /// Sequences without an end, and sequences that act on a whole line: the time grows with the length of the output
    /// and not with its square.
    #[test]
    fn no_output_takes_time_out_of_proportion() {
        for part in ["\u{1b}P", "\u{1b}]", "\u{1b}_x\u{1b}]y"] {
            let output = part.repeat(1 << 19);
            assert!(!settled(&output).text.contains('\u{1b}'), "{part:?}");
        }
        // Each erases what stands before it. What would be too much is left out, so the last ones stay.
        assert!(settled(&"x\u{1b}[1K".repeat(50_000)).text.ends_with("xxx"));
        assert_eq!(settled(&"x\u{1b}[1K".repeat(200)).text, "");
    }

    fn terminal_text() -> impl Strategy<Value = String> {
        let piece = prop_oneof![
            "[ab 中\u{301}\n\r\u{8}\t\u{1b}\u{7}\u{9b}]{0,4}",
            "\u{1b}\\[[?0-9;]{0,5}[A-HJKLMPX@a-z]",
            "\u{1b}[\\]P_^X(78MDEc]",
            "\\PC{0,3}",
        ];
        prop::collection::vec(piece, 0..20).prop_map(|pieces| pieces.concat())
    }

    proptest! {
        #[test]
        fn plain_text_stays(text in "[a-z中\u{301} \t\n]{0,40}", other in "\\PC{0,40}") {
            prop_assert_eq!(settled(&text).text, Cow::Borrowed(text.as_str()));
            prop_assert_eq!(settled(&other).text, Cow::Borrowed(other.as_str()));
            let with_returns = text.replace('\n', "\r\n");
            prop_assert_eq!(settled(&with_returns).text, Cow::Borrowed(with_returns.as_str()));
        }

        /// The result has nothing left to settle.
        #[test]
        fn what_is_settled_stays(text in terminal_text()) {
            let once = settled(&text).text.into_owned();
            let without_line_ends = once.replace("\r\n", "");
            let has_controls = without_line_ends.contains(['\u{1b}', '\u{8}', '\u{9b}', '\r']);
            prop_assert!(!has_controls);
            // Only a text without controls keeps the line ends it came with.
            prop_assert!(!is_controlled(&text) || !once.contains('\r'));
            prop_assert_eq!(settled(&once).text, Cow::Borrowed(once.as_str()));
        }

        /// Colours change nothing but themselves.
        #[test]
        fn colours_leave_the_text(words in prop::collection::vec("[a-z中 ]{0,6}\n?", 0..8)) {
            let coloured: String = words.iter().map(|word| format!("\u{1b}[3{}m{word}\u{1b}[0m", word.len() % 8)).collect();
            prop_assert_eq!(settled(&coloured).text, words.concat());
        }
    }
}
