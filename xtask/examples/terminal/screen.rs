//! Converts a screen to a frame of a recording.

use artoo_pseudo_terminal::vt100;
use xtask::screencast::{Colour, Frame, Span, Style};

/// The current screen as a frame of this duration.
pub(crate) fn frame(screen: &vt100::Screen, milliseconds: u32) -> Frame {
    let rows = u16::from(screen.size().0);
    let lines = (0..rows).map(|row| line(screen, row)).collect();
    let cursor = (!screen.hide_cursor()).then(|| screen.cursor_position());
    Frame { milliseconds, lines, cursor }
}

/// Replaces a name by another; both have one column per letter.
pub(crate) fn rename(span: &mut Span, from: &str, to: &str) {
    let columns = |text: &str| text.chars().count();
    let before = columns(&span.text);
    span.text = span.text.replace(from, to);
    span.columns = (usize::from(span.columns) + columns(&span.text)).saturating_sub(before) as u16;
}

/// The spans of a line. Wide characters are separate spans, so that each takes its two columns in any font;
/// trailing spaces are dropped.
fn line(screen: &vt100::Screen, row: u16) -> Vec<Span> {
    let mut spans: Vec<Span> = Vec::new();
    for column in 0..u16::from(screen.size().1) {
        let Some(cell) = screen.cell(row, column).filter(|cell| !cell.is_wide_continuation()) else {
            continue;
        };
        let text = if cell.has_contents() { cell.contents() } else { " " };
        let columns = if cell.is_wide() { 2 } else { 1 };
        let style = style(cell);
        match spans.last_mut() {
            Some(last)
                if last.style == style
                    && columns == 1
                    && last.columns == last.text.chars().count() as u16
                    && text.chars().count() == 1 =>
            {
                last.text.push_str(text);
                last.columns += columns;
            }
            Some(_) | None => spans.push(Span { column, columns, text: text.to_owned(), style }),
        }
    }
    for span in &mut spans {
        let bare = span.text.trim_end();
        if !shows_blanks(span.style) && bare.len() < span.text.len() {
            // Spaces are one column each.
            span.columns -= (span.text.len() - bare.len()) as u16;
            span.text.truncate(bare.len());
        }
    }
    spans.retain(|span| span.columns > 0);
    spans
}

fn shows_blanks(style: Style) -> bool {
    style.background.is_some() || style.inverse || style.underline
}

fn style(cell: &vt100::Cell) -> Style {
    Style {
        colour: colour(cell.fgcolor()),
        background: colour(cell.bgcolor()),
        bold: cell.bold(),
        dim: cell.dim(),
        italic: cell.italic(),
        underline: cell.underline(),
        inverse: cell.inverse(),
    }
}

fn colour(colour: vt100::Color) -> Option<Colour> {
    match colour {
        vt100::Color::Default => None,
        vt100::Color::Idx(number) => Some(Colour::Indexed(number)),
        vt100::Color::Rgb(red, green, blue) => Some(Colour::Rgb(red, green, blue)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_changed_in_its_columns() {
        let mut span = Span { column: 3, columns: 8, text: "in /a/bc".to_owned(), style: Style::default() };
        rename(&mut span, "/a/bc", "/home");
        rename(&mut span, "in", "within");
        let expected =
            Span { column: 3, columns: 12, text: "within /home".to_owned(), style: Style::default() };
        assert_eq!(span, expected);
    }

    #[test]
    fn a_screen_is_texts_of_one_look() {
        let mut parser = vt100::Parser::new(3.try_into().unwrap(), 12.try_into().unwrap(), 0);
        parser
            .process("a b \u{1b}[1;32mok\u{1b}[0m\r\n数e\u{301}x \u{1b}[7m  \u{1b}[0m\u{1b}[?25l".as_bytes());
        let span =
            |column, columns, text: &str, style| Span { column, columns, text: text.to_owned(), style };
        let none = Style::default();
        let green = Style { colour: Some(Colour::Indexed(2)), bold: true, ..none };
        let inverse = Style { inverse: true, ..none };
        let second = vec![
            span(0, 2, "数", none),
            span(2, 1, "e\u{301}", none),
            span(3, 1, "x", none),
            span(5, 2, "  ", inverse),
        ];
        let lines = vec![vec![span(0, 3, "a b", none), span(4, 2, "ok", green)], second, Vec::new()];
        assert_eq!(frame(parser.screen(), 7), Frame { milliseconds: 7, lines, cursor: None });
    }
}
