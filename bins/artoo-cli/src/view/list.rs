//! Lists: a header, one row a thing, and last the text that one searches by, which gets the room that the others leave.

use super::layout::Frame;
use crate::terminal::{Paint, Style, clip, clip_at_word, pad, width};

/// Between two columns.
const GAP: usize = 2;
/// With less room than this the text gets a row of its own.
const LEAST: usize = 24;

/// Where a list is shown.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place {
    /// The width of the terminal; `None` in a pipe or a file, where nothing is cut.
    pub(crate) columns: Option<usize>,
    /// Painter.
    pub(crate) paint: Paint,
}

impl Place {
    /// Standard output with this frame.
    pub(crate) fn of(frame: Frame, is_terminal: bool) -> Self {
        Self { columns: is_terminal.then_some(frame.columns), paint: frame.paint }
    }

    /// Whether there is room for columns beside those that matter most.
    pub(crate) fn is_wide(self) -> bool {
        self.columns.is_none_or(|columns| columns >= 120)
    }
}

/// A cell: neutral text on one line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Cell {
    text: String,
    style: Option<Style>,
}

impl Cell {
    /// A painted cell.
    pub(crate) fn painted(style: Style, text: impl Into<String>) -> Self {
        Self { text: text.into(), style: Some(style) }
    }
}

impl<T: Into<String>> From<T> for Cell {
    fn from(text: T) -> Self {
        Self { text: text.into(), style: None }
    }
}

/// The list, with the header. A column without a text in any row is left out. No rows give no text.
pub(crate) fn list<const N: usize>(heads: [&str; N], rows: &[[Cell; N]], place: Place) -> String {
    if rows.is_empty() {
        return String::new();
    }
    let widths = widths(heads, rows);
    let fixed = widths.iter().take(N.saturating_sub(1)).flatten().map(|width| width + GAP).sum::<usize>();
    let room = place.columns.map(|columns| columns.saturating_sub(fixed));
    let layout = match room {
        Some(room) if room < LEAST => Layout::Below { columns: place.columns.unwrap_or_default() },
        Some(room) => Layout::Beside { room },
        None => Layout::Beside { room: usize::MAX },
    };
    let paint = place.paint;
    let head = heads.map(|head| Cell::painted(Style::Faint, head));
    let rows = std::iter::once(&head).chain(rows);
    rows.enumerate().map(|(at, row)| layout.row(row, &widths, at == 0, paint)).collect()
}

/// The width of each column; `None` for one that is left out.
fn widths<const N: usize>(heads: [&str; N], rows: &[[Cell; N]]) -> Vec<Option<usize>> {
    let widest = |at: usize| rows.iter().filter_map(|row| row.get(at)).map(|cell| width(&cell.text)).max();
    let of = |(at, head): (usize, &&str)| {
        widest(at).filter(|widest| *widest > 0).map(|widest| widest.max(width(head)))
    };
    heads.iter().enumerate().map(of).collect()
}

/// Where the last column stands.
#[derive(Clone, Copy)]
enum Layout {
    /// Behind the others, with so much room.
    Beside { room: usize },
    /// In a row of its own.
    Below { columns: usize },
}

impl Layout {
    fn row(self, row: &[Cell], widths: &[Option<usize>], is_head: bool, paint: Paint) -> String {
        let Some((text, fixed)) = row.split_last() else { return String::new() };
        let cells = fixed.iter().zip(widths).filter_map(|(cell, width)| Some((cell, (*width)?)));
        match self {
            Self::Beside { room } => {
                let mut line = String::new();
                for (cell, width) in cells {
                    line.push_str(&painted(cell, &pad(&cell.text, width), paint));
                    line.push_str(&" ".repeat(GAP));
                }
                line.push_str(&painted(text, &clip_at_word(&text.text, room), paint));
                format!("{}\n", line.trim_end())
            }
            Self::Below { columns } => {
                let padded: Vec<String> = cells.map(|(cell, width)| pad(&cell.text, width)).collect();
                let line = clip(padded.join(&" ".repeat(GAP)).trim_end(), columns);
                if is_head {
                    return format!("{}\n", paint.text(Style::Faint, &line));
                }
                let text = clip_at_word(&text.text, columns.saturating_sub(GAP));
                format!("{line}\n{}", if text.is_empty() { text } else { format!("  {text}\n") })
            }
        }
    }
}

/// Blanks at the end are not painted.
fn painted(cell: &Cell, text: &str, paint: Paint) -> String {
    let Some(style) = cell.style else { return text.to_owned() };
    let bare = text.trim_end();
    format!("{}{}", paint.text(style, bare), text.get(bare.len()..).unwrap_or_default())
}

/// How many digits from the end of each of these ids tell them apart, at least six.
pub(crate) fn id_digits(ids: &[String]) -> usize {
    let tell_apart = |digits: usize| {
        let mut ends: Vec<&str> = ids.iter().map(|id| end(id, digits)).collect();
        ends.sort_unstable();
        ends.windows(2).all(|two| two.first() != two.last())
    };
    (6..12).find(|digits| tell_apart(*digits)).unwrap_or(36)
}

/// So many digits from the end of an id.
pub(crate) fn end(id: &str, digits: usize) -> &str {
    id.get(id.len().saturating_sub(digits)..).unwrap_or(id)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(columns: Option<usize>) -> Place {
        Place { columns, paint: Paint::new(false) }
    }

    #[test]
    fn the_text_gets_the_room_and_empty_columns_none() {
        let row = |id: &str, end: &str, text: &str| [id.into(), end.into(), "".into(), text.into()];
        let rows = [
            row("8c74b3", "accept", "How many .txt files are in docs, and which of them is the largest one?"),
            row("f2b501", "abandon", "数一数 docs 里有多少个 .txt 文件"),
            row("00aa01", "", ""),
        ];
        let heads = ["RUN", "END", "UNDO", "REQUEST"];
        let mut text = String::new();
        for columns in [Some(20), Some(40), Some(60), None] {
            let list = list(heads, &rows, place(columns));
            assert!(columns.is_none_or(|columns| list.lines().all(|line| width(line) <= columns)), "{list}");
            text.push_str(&format!("{columns:?}\n{list}"));
        }
        insta::assert_snapshot!(text);
        assert_eq!(list(heads, &[], place(None)), "");
    }

    proptest::proptest! {
        #[test]
        fn short_ids_tell_apart(mut ids in proptest::collection::vec("[0-9a-f]{36}", 1..40)) {
            ids.sort();
            ids.dedup();
            let digits = id_digits(&ids);
            let mut ends: Vec<&str> = ids.iter().map(|id| end(id, digits)).collect();
            ends.sort_unstable();
            ends.dedup();
            proptest::prop_assert_eq!(ends.len(), ids.len());
        }
    }
}
