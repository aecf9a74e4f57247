//! Takes an output apart into characters and what they tell a terminal to do.

const ESCAPE: char = '\u{1b}';
const BELL: char = '\u{7}';
/// The longest sequence that is looked for the end of.
const LONGEST: usize = 1024 * 1024;

/// One step of an output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Step {
    Print(char),
    Control(Act),
    /// Nothing that is seen in the text.
    Nothing,
}

/// What a terminal is told to do. Rows and columns are counted from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Act {
    NextLine,
    Return,
    Up(usize),
    Down(usize),
    /// The same, to the beginning of the line.
    UpToStart(usize),
    DownToStart(usize),
    Left(usize),
    Right(usize),
    Column(usize),
    Row(usize),
    Place {
        row: usize,
        column: usize,
    },
    EraseLine(Part),
    EraseScreen(Part),
    /// Erases this many characters and leaves blanks.
    Erase(usize),
    /// Takes this many characters out.
    Delete(usize),
    /// Makes room for this many characters.
    Insert(usize),
    Save,
    Restore,
}

/// Which part, seen from the cursor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    Behind,
    Before,
    All,
}

/// The first step of a text, and its length in bytes; `None` at the end.
pub(super) fn next_step(text: &str) -> Option<(Step, usize)> {
    let first = text.chars().next()?;
    let act = |act, length| Some((Step::Control(act), length));
    match first {
        '\n' => act(Act::NextLine, 1),
        '\r' => act(Act::Return, 1),
        '\u{8}' => act(Act::Left(1), 1),
        BELL => Some((Step::Nothing, 1)),
        '\u{9b}' => Some(control(text, first.len_utf8())),
        ESCAPE => Some(escape(text)),
        _ => Some((Step::Print(first), first.len_utf8())),
    }
}

/// What begins with the escape character.
fn escape(text: &str) -> (Step, usize) {
    let Some(second) = text.chars().nth(1) else { return (Step::Nothing, 1) };
    let step = |act| (Step::Control(act), 2);
    match second {
        '[' => control(text, 2),
        ']' => (Step::Nothing, string(text, true)),
        'P' | 'X' | '^' | '_' => (Step::Nothing, string(text, false)),
        // A character set or a test pattern: one more character.
        ' ' | '#' | '%' | '(' | ')' | '*' | '+' | '-' | '.' | '/' => {
            let third = text.get(2..).and_then(|rest| rest.chars().next()).filter(char::is_ascii_graphic);
            (Step::Nothing, 2 + third.map_or(0, char::len_utf8))
        }
        '7' => step(Act::Save),
        '8' => step(Act::Restore),
        'D' => step(Act::Down(1)),
        'E' => step(Act::NextLine),
        'M' => step(Act::Up(1)),
        '0'..='~' => (Step::Nothing, 2),
        _ => (Step::Nothing, 1),
    }
}

/// The length of a sequence that holds a text up to its end mark; of its introduction alone if it has no end. A title
/// ends with its line at the latest.
fn string(text: &str, is_title: bool) -> usize {
    let rest = text.get(2..).unwrap_or_default();
    let rest = rest.get(..rest.floor_char_boundary(LONGEST)).unwrap_or(rest);
    let rest = if is_title { rest.split('\n').next().unwrap_or_default() } else { rest };
    let marks = [Some("\u{1b}\\"), Some("\u{9c}"), Some("\u{7}").filter(|_| is_title)];
    let ends = marks.into_iter().flatten().filter_map(|mark| Some(rest.find(mark)? + mark.len()));
    2 + ends.min().unwrap_or(0)
}

/// A control sequence, whose introduction has this length.
fn control(text: &str, introduction: usize) -> (Step, usize) {
    let rest = text.get(introduction..).unwrap_or_default();
    let parameters = rest.find(|c: char| !('\u{30}'..='\u{3f}').contains(&c)).unwrap_or(rest.len());
    let behind = rest.get(parameters..).unwrap_or_default();
    let between = behind.find(|c: char| !('\u{20}'..='\u{2f}').contains(&c)).unwrap_or(behind.len());
    let length = introduction + parameters + between;
    let last = behind.get(between..).and_then(|rest| rest.chars().next());
    let Some(last) = last.filter(|last| ('@'..='~').contains(last)) else { return (Step::Nothing, length) };
    let parameters = rest.get(..parameters).unwrap_or_default();
    let is_private = parameters.starts_with(['<', '=', '>', '?']) || between > 0;
    let act = if is_private { None } else { act(last, parameters) };
    (act.map_or(Step::Nothing, Step::Control), length + 1)
}

fn act(last: char, parameters: &str) -> Option<Act> {
    let mut numbers = parameters.split([';', ':']).map(|number| match number {
        "" => None,
        // One that is too large means as far as possible.
        number => Some(number.parse().unwrap_or(usize::MAX)),
    });
    let (one, two): (Option<usize>, Option<usize>) = (numbers.next().flatten(), numbers.next().flatten());
    let count = one.unwrap_or(1).max(1);
    let part = || match one.unwrap_or(0) {
        0 => Some(Part::Behind),
        1 => Some(Part::Before),
        2 | 3 => Some(Part::All),
        _ => None,
    };
    let place = |number: Option<usize>| number.unwrap_or(1).saturating_sub(1);
    Some(match last {
        'A' => Act::Up(count),
        'F' => Act::UpToStart(count),
        'B' | 'e' => Act::Down(count),
        'C' | 'a' => Act::Right(count),
        'D' => Act::Left(count),
        'E' => Act::DownToStart(count),
        'G' | '`' => Act::Column(place(one)),
        'd' => Act::Row(place(one)),
        'H' | 'f' => Act::Place { row: place(one), column: place(two) },
        'J' => Act::EraseScreen(part()?),
        'K' => Act::EraseLine(part()?),
        'X' => Act::Erase(count),
        'P' => Act::Delete(count),
        '@' => Act::Insert(count),
        's' => Act::Save,
        'u' => Act::Restore,
        _ => return None,
    })
}
