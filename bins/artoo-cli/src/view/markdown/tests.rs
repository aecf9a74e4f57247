use proptest::prelude::*;

use super::*;
use crate::terminal::{Look, width};

fn frame(columns: usize) -> Frame {
    Frame::new(Look { columns, colour: false, live: true, words: false }, false).rendering()
}

const ANSWER: &str = "\
# Yhteenveto

The folder has **3 reports** and *one* script:

- `docs/a.md`, see [the site](https://example.org/a?b=c&d)
- 报告.txt
  - nested, with ~~old~~ text
1. first
2. second
   goes on
- [x] done

> A quotation
> of two lines

| 文件 | Bytes | What it says |
|------|------:|--------------|
| 报告.txt | 1204 | The yearly figures, with a remark on March that is rather long 👩‍👩‍👧 |
| a.md | 7 | |

```sh
ls -l   # **as it is**
	tab
```

Line one
  line two & <b>html</b> &lt;3 __init__.py 2*3*4

<https://example.org/>
";

#[test]
fn an_answer_at_each_width() {
    let mut text = String::new();
    for columns in [40, 80, 200] {
        let shown = markdown(ANSWER, frame(columns));
        for row in shown.lines().filter(|row| row.contains('│') || row.contains('┼')) {
            assert!(width(row) < columns, "{row:?} does not fit into {columns} columns");
        }
        text.push_str(&format!("=== {columns}\n{shown}\n"));
    }
    insta::assert_snapshot!(text);
}

#[test]
fn an_answer_that_is_spoken_has_no_boxes() {
    let look = Look { columns: 80, colour: false, live: true, words: false }.spoken();
    let shown = markdown(ANSWER, Frame::new(look, false).rendering());
    assert!(!shown.contains(['│', '─', '┼', '•']), "{shown}");
    insta::assert_snapshot!(shown);
}

/// Colours do not change the text.
#[test]
fn colours_go_alone() {
    let look = Look { columns: 80, colour: true, live: true, words: false };
    let coloured = markdown(ANSWER, Frame::new(look, false).rendering());
    assert!(coloured.contains("\u{1b}[1m3 reports\u{1b}[0m"), "{coloured}");
    let mut plain = String::new();
    for (number, piece) in coloured.split("\u{1b}[").enumerate() {
        plain.push_str(if number == 0 { piece } else { piece.split_once('m').unwrap().1 });
    }
    let bare = |text: &str| text.lines().map(|line| line.trim_end().to_owned()).collect::<Vec<_>>();
    assert_eq!(bare(&plain), bare(&markdown(ANSWER, frame(80))));
}

/// Lesson: a list of files was rendered as a paragraph.
#[test]
fn lesson_what_is_no_markdown_comes_out_as_it_is() {
    for text in [
        "docs/a.txt\ndocs/b.txt\n报告.txt",
        "pkg/__init__.py\npkg/__main__.py",
        "# a comment\nx = 2*3*4\n    indented",
        "- a\n- b\n\n\n* c",
        "1. one\n1. one again\n10) ten",
        "a_b_c and *.txt and *.md, C:\\new\\*",
        "Total\n=====\n7 &amp; <br>",
        "`ls -l` prints 3",
        "http://example.org/a_b",
    ] {
        assert_eq!(markdown(text, frame(80)), text);
    }
}

#[test]
fn nothing_in_it_acts_on_the_terminal() {
    let hostile = "**a**&#27;[2J &#x202e;b [x&#10;y](https://e/&#7;)\n\n```\n\u{1b}]0;t\u{7}\n```\n\n|a|\n|-|\n|&#27;c|";
    let shown = markdown(hostile, frame(80));
    assert!(!shown.chars().any(|c| (c.is_control() && c != '\n') || c == '\u{202e}'), "{shown:?}");
}

proptest! {
    /// No input panics, and the output is neutral.
    #[test]
    fn any_text_is_shown(text in r"(\*\*a\*\*|[*_`|\[\]()#>~-]|\n|\n\n|\||---|```|a|数|👩‍👩‍👧|\x1b|&#27;| |    ){0,40}", columns in 0usize..60) {
        let shown = markdown(&text, frame(columns));
        let acts = |c: char| c.is_control() && c != '\n' && c != '\t';
        prop_assert!(!shown.chars().any(acts), "{:?}", shown);
    }

    /// All letters survive in their order.
    #[test]
    fn no_word_is_lost(words in prop::collection::vec("[a-z]{3,8}", 1..12), marks in prop::collection::vec(0usize..7, 12)) {
        let piece = |(word, mark): (&String, &usize)| match mark {
            0 => format!("**{word}**"),
            1 => format!("- {word}\n"),
            2 => format!("\n\n# {word}\n\n"),
            3 => format!("> {word}\n"),
            4 => format!("\n```\n{word}\n```\n"),
            5 => format!("\n\n|{word}|\n|-|\n|b|\n\n"),
            _ => format!("{word}\n"),
        };
        let text: String = words.iter().zip(&marks).map(piece).collect();
        let shown = markdown(&text, frame(200));
        let mut rest = shown.as_str();
        for word in &words {
            let found = rest.find(word.as_str());
            prop_assert!(found.is_some(), "{word} is not in {rest:?} of {text:?}");
            rest = &rest[found.unwrap() + word.len()..];
        }
    }
}
