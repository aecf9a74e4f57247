//! The picture of a recording, and hostile texts in it.

use proptest::prelude::*;

use super::*;
use crate::screencast::{Colour, Style};

fn plain(column: u16, columns: u16, text: &str) -> Span {
    Span { column, columns, text: text.to_owned(), style: Style::default() }
}

fn styled(text: &str, style: Style) -> Vec<Span> {
    vec![Span { column: 2, columns: 6, text: text.to_owned(), style }]
}

#[test]
fn a_conversation_as_a_picture() {
    let prompt = vec![plain(0, 2, "› "), plain(2, 4, "数字"), plain(6, 3, " ok")];
    let none = Style::default();
    let frames = vec![
        Frame { milliseconds: 500, lines: vec![prompt.clone()], cursor: Some((0, 9)) },
        Frame {
            milliseconds: 1500,
            lines: vec![
                prompt,
                Vec::new(),
                styled("accept", Style { colour: Some(Colour::Indexed(2)), bold: true, ..none }),
                styled("a   b ", Style { inverse: true, ..none }),
                styled("      ", Style { background: Some(Colour::Rgb(1, 2, 3)), ..none }),
                styled("quiet ", Style { dim: true, italic: true, underline: true, ..none }),
            ],
            cursor: None,
        },
    ];
    insta::assert_snapshot!(drawn(&Recording { rows: 6, columns: 20, frames }, "what & where"));
}

#[test]
fn nothing_that_was_shown_leaves_its_place() {
    let hostile = "</text><script>alert(1)</script>&lt;\" onload='x'\u{0}\u{1b}[31m\u{9b}\u{ffff}]]>";
    let frames = vec![Frame { milliseconds: 1, lines: vec![vec![plain(0, 60, hostile)]], cursor: None }];
    let text = drawn(&Recording { rows: 1, columns: 60, frames }, hostile);
    assert_eq!(text.matches("<script").count(), 0);
    assert_eq!(
        escaped(hostile),
        "&lt;/text&gt;&lt;script&gt;alert(1)&lt;/script&gt;&amp;lt;&quot; onload=&apos;x&apos;\u{fffd}\u{fffd}[31m\u{fffd}\u{fffd}]]&gt;"
    );
    assert_eq!(text.matches(&escaped(hostile)).count(), 3, "in the title, the caption and the line");
}

#[test]
fn nothing_is_drawn_of_nothing() {
    let text = drawn(&Recording::default(), "");
    assert!(text.starts_with("<svg ") && text.ends_with("</svg>\n"), "{text}");
}

proptest! {
    /// For any content the picture is well-formed XML: the content is between tags, and adds none.
    #[test]
    fn any_text_is_only_text(text in any::<String>()) {
        let escaped = escaped(&text);
        prop_assert!(!escaped.contains(['<', '>', '"', '\'']));
        prop_assert!(!escaped.chars().any(char::is_control));
        for part in escaped.split('&').skip(1) {
            let names = ["amp;", "lt;", "gt;", "quot;", "apos;"];
            prop_assert!(names.iter().any(|name| part.starts_with(name)), "{escaped}");
        }
    }

    #[test]
    fn a_number_is_written_as_it_is(number in 0_u64..10_000_000) {
        prop_assert_eq!((thousandths(number).parse::<f64>().unwrap() * 1000.0).round() as u64, number);
    }
}
