//! The line endings of a text, which models see as `\n` alone.

/// What ends one line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Ending {
    Newline,
    /// CRLF: a carriage return before the newline.
    Both,
    /// A carriage return alone, where no line ends in a newline.
    Return,
}

impl Ending {
    fn text(self) -> &'static str {
        match self {
            Self::Newline => "\n",
            Self::Both => "\r\n",
            Self::Return => "\r",
        }
    }
}

/// More cells than this of the table that finds the lines two texts share are not computed.
const MOST_CELLS: usize = 1_000_000;

/// A text whose lines end in `\n`, and what ends each of them in the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Lines {
    text: String,
    /// One for each `\n` of the text.
    endings: Vec<Ending>,
}

impl Lines {
    pub(crate) fn of(text: &str) -> Self {
        if !text.contains('\n') {
            let endings = text.matches('\r').map(|_| Ending::Return).collect();
            return Self { text: text.replace('\r', "\n"), endings };
        }
        let before = |at: usize| at.checked_sub(1).and_then(|at| text.as_bytes().get(at));
        let ending = |at| if before(at) == Some(&b'\r') { Ending::Both } else { Ending::Newline };
        let endings = text.match_indices('\n').map(|(at, _)| ending(at)).collect();
        Self { text: text.replace("\r\n", "\n"), endings }
    }

    /// The text with `\n` alone.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// The ending of most lines; a newline where there are none, or one carriage return alone.
    pub(crate) fn usual(&self) -> Ending {
        if self.endings == [Ending::Return] {
            return Ending::Newline;
        }
        let count = |wanted: Ending| self.endings.iter().filter(|ending| **ending == wanted).count();
        [Ending::Return, Ending::Both, Ending::Newline]
            .into_iter()
            .max_by_key(|one| count(*one))
            .unwrap_or(Ending::Newline)
    }

    /// A text from a model, with the endings of [`text`](Self::text).
    pub(crate) fn taken(&self, given: &str) -> String {
        let given = given.replace("\r\n", "\n");
        if self.endings.first() == Some(&Ending::Return) { given.replace('\r', "\n") } else { given }
    }

    /// Puts a text in the place of a part of this one. Lines that stay keep what ends them, new ones end as those
    /// around them.
    pub(crate) fn replace(&mut self, start: usize, end: usize, new: &str) {
        self.replace_each(&[start], end.saturating_sub(start), new);
    }

    /// The same for several parts of one length, in order and apart from each other.
    pub(crate) fn replace_each(&mut self, starts: &[usize], length: usize, new: &str) {
        let new_lines: Vec<&str> = new.split('\n').collect();
        let (mut text, mut endings) = (String::with_capacity(self.text.len()), Vec::new());
        let (mut from, mut passed) = (0, 0);
        for start in starts {
            let before = self.text.get(from..*start).unwrap_or_default();
            let old = self.text.get(*start..start + length).unwrap_or_default();
            let first = passed + newlines(before);
            let count = newlines(old);
            endings.extend_from_slice(self.endings.get(passed..first).unwrap_or_default());
            let around = endings.last().or(self.endings.get(first)).copied().unwrap_or_else(|| self.usual());
            let old_lines: Vec<&str> = old.split('\n').collect();
            let replaced = self.endings.get(first..first + count).unwrap_or_default();
            endings.extend(aligned(&old_lines, replaced, &new_lines, around));
            text.push_str(before);
            text.push_str(new);
            (from, passed) = (start + length, first + count);
        }
        text.push_str(self.text.get(from..).unwrap_or_default());
        endings.extend_from_slice(self.endings.get(passed..).unwrap_or_default());
        *self = Self { text, endings };
    }

    /// The text with its own line endings.
    pub(crate) fn written(&self) -> String {
        let mut endings = self.endings.iter();
        let mut written = String::with_capacity(self.text.len() + self.endings.len());
        for line in self.text.split_inclusive('\n') {
            match line.strip_suffix('\n') {
                Some(line) => {
                    written.push_str(line);
                    written.push_str(endings.next().map_or("\n", |ending| ending.text()));
                }
                None => written.push_str(line),
            }
        }
        written
    }

    /// A whole new text with this ending, unless it has endings of its own.
    pub(crate) fn anew(text: &str, ending: Ending) -> String {
        if text.contains('\r') { text.to_owned() } else { text.replace('\n', ending.text()) }
    }
}

fn newlines(text: &str) -> usize {
    text.matches('\n').count()
}

/// What ends all lines but the last of `new`, which replaces `old`.
fn aligned(old: &[&str], endings: &[Ending], new: &[&str], around: Ending) -> Vec<Ending> {
    let pairs = shared(old, new);
    let (mut found, mut last, mut old_at) = (Vec::new(), around, 0);
    let mut pairs = pairs.into_iter().peekable();
    for new_at in 0..new.len().saturating_sub(1) {
        // A changed line ends as the one in its place, if there is one before the next line that stays.
        let (limit, is_shared) = match pairs.peek() {
            Some((old_index, new_index)) if *new_index == new_at => (*old_index, true),
            Some((old_index, _)) => (*old_index, false),
            None => (old.len(), false),
        };
        let at = if is_shared { Some(limit) } else { Some(old_at).filter(|at| *at < limit) };
        if is_shared {
            pairs.next();
        }
        if let Some(at) = at {
            old_at = at + 1;
            last = endings.get(at).copied().unwrap_or(last);
        }
        found.push(last);
    }
    found
}

/// The places of lines that both texts share, in order: the longest such sequence, where that can be found soon.
fn shared(old: &[&str], new: &[&str]) -> Vec<(usize, usize)> {
    let front = old.iter().zip(new).take_while(|(one, other)| one == other).count();
    let (old_rest, new_rest) = (old.get(front..).unwrap_or_default(), new.get(front..).unwrap_or_default());
    let back =
        old_rest.iter().rev().zip(new_rest.iter().rev()).take_while(|(one, other)| one == other).count();
    let (rows, columns) = (old_rest.len() - back, new_rest.len() - back);
    let mut pairs: Vec<(usize, usize)> = (0..front).map(|at| (at, at)).collect();
    if rows.saturating_mul(columns) <= MOST_CELLS {
        let width = columns + 1;
        let mut lengths = vec![0_u32; (rows + 1) * width];
        let at = |row: usize, column: usize| row * width + column;
        let is_same = |row: usize, column: usize| old_rest.get(row) == new_rest.get(column);
        let length = |lengths: &[u32], row, column| lengths.get(at(row, column)).copied().unwrap_or(0);
        for row in (0..rows).rev() {
            for column in (0..columns).rev() {
                let longest = if is_same(row, column) {
                    length(&lengths, row + 1, column + 1) + 1
                } else {
                    length(&lengths, row + 1, column).max(length(&lengths, row, column + 1))
                };
                if let Some(cell) = lengths.get_mut(at(row, column)) {
                    *cell = longest;
                }
            }
        }
        let (mut row, mut column) = (0, 0);
        while row < rows && column < columns {
            if is_same(row, column) {
                pairs.push((front + row, front + column));
                (row, column) = (row + 1, column + 1);
            } else if length(&lengths, row + 1, column) >= length(&lengths, row, column + 1) {
                row += 1;
            } else {
                column += 1;
            }
        }
    }
    pairs.extend((0..back).map(|at| (front + rows + at, front + columns + at)));
    pairs
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn replaced(text: &str, old: &str, new: &str) -> String {
        let mut lines = Lines::of(text);
        let start = lines.text().find(old).unwrap();
        lines.replace(start, start + old.len(), new);
        lines.written()
    }

    #[test]
    fn untouched_lines_stay_and_new_ones_end_as_those_around_them() {
        let table = [
            (
                "one\r\ntwo\r\nthree\r\nfour\n",
                "one\ntwo\nthree",
                "one\nTWO\nthree",
                "one\r\nTWO\r\nthree\r\nfour\n",
            ),
            ("a\r\nb\nc\r\n", "b", "B", "a\r\nB\nc\r\n"),
            ("a\r\nb\nc\r\n", "a\nb\nc", "a\nx\ny\nB\nc", "a\r\nx\ny\nB\nc\r\n"),
            ("a\r\nb\nc\r\nd\n", "b\nc", "c", "a\r\nc\r\nd\n"),
            ("a\r\nb\nc\r\n", "a\n", "", "b\nc\r\n"),
            ("a\nb\r\n", "b", "b\nc\nd", "a\nb\nc\nd\r\n"),
            ("a\r\nb", "b", "b\nc\n", "a\r\nb\r\nc\r\n"),
            ("a\rb\rc", "b", "x\ny", "a\rx\ry\rc"),
            ("a", "a", "b\nc\n", "b\nc\n"),
            ("a\r\r\nb\r\n", "b", "c", "a\r\r\nc\r\n"),
        ];
        for (text, old, new, expected) in table {
            assert_eq!(replaced(text, old, new), expected, "{text:?}: {old:?} -> {new:?}");
        }
        assert_eq!(Lines::of("a\r\nb\r\nc\n").usual(), Ending::Both);
        assert_eq!([Lines::of("").usual(), Lines::of("a\r\nb\n").usual()], [Ending::Newline; 2]);
        assert_eq!(Lines::of("a\rb").taken("x\ry\r\n"), "x\ny\n");
        assert_eq!(
            ["x\ny\n", "x\r\ny\n"].map(|text| Lines::anew(text, Ending::Both)),
            ["x\r\ny\r\n", "x\r\ny\n"]
        );
    }

    proptest! {
        #[test]
        fn what_is_not_edited_stays_to_the_byte(
            before in "([a-c]{0,2}(\r\n|\n)){0,6}",
            after in "((\r\n|\n)[a-c]{0,2}){0,6}",
            new in "[xy\n]{0,6}",
        ) {
            let text = format!("{before}@@{after}");
            prop_assume!(text.contains('\n'));
            let edited = replaced(&text, "@@", &new);
            prop_assert!(edited.starts_with(&before) && edited.ends_with(&after), "{edited:?}");
            prop_assert_eq!(edited.replace("\r\n", "\n"), text.replace("@@", &new).replace("\r\n", "\n"));
        }

        #[test]
        fn any_text_comes_back(text in "[ab\r\n]{0,20}") {
            prop_assert_eq!(Lines::of(&text).written(), text);
        }

        /// Replacing a part by the same part changes no ending.
        #[test]
        fn the_same_text_keeps_its_endings(text in "([ab]{0,2}(\r\n|\n)){1,8}", from in 0usize..20, to in 0usize..20) {
            let mut lines = Lines::of(&text);
            let length = lines.text().len();
            let (from, to) = (from.min(to).min(length), from.max(to).min(length));
            let part = lines.text()[from..to].to_owned();
            lines.replace(from, to, &part);
            prop_assert_eq!(lines.written(), text);
        }
    }
}
