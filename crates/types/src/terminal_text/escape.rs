//! Takes an output apart into characters and what they tell a terminal to do.

const ESCAPE: char = '\u{1b}';
const BELL: char = '\u{7}';
/// The longest text of a sequence that is taken for one; the introduction of a longer one is left out alone.
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

/// The steps of an output, in order.
pub(super) struct Steps<'a> {
    output: &'a str,
    at: usize,
    /// What ends a sequence that holds a text.
    terminators: [Mark; 2],
    bell: Mark,
    line_end: Mark,
}

impl<'a> Steps<'a> {
    pub(super) fn of(output: &'a str) -> Self {
        let terminators = [Mark::new("\u{1b}\\"), Mark::new("\u{9c}")];
        Self { output, at: 0, terminators, bell: Mark::new("\u{7}"), line_end: Mark::new("\n") }
    }

    /// What begins with the escape character. `text` is the output from there on.
    fn escape(&mut self, text: &str) -> (Step, usize) {
        let Some(second) = text.chars().nth(1) else { return (Step::Nothing, 1) };
        let step = |act| (Step::Control(act), 2);
        match second {
            '[' => control(text, 2),
            ']' => (Step::Nothing, self.title()),
            'P' | 'X' | '^' | '_' => {
                let limit = self.at.saturating_add(LONGEST);
                (Step::Nothing, self.string(limit, None))
            }
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

    /// The length of a title, which ends with its line at the latest and may end with a bell.
    fn title(&mut self) -> usize {
        let (output, begin) = (self.output, self.at + 2);
        let line_end = self.line_end.first_from(output, begin).unwrap_or(output.len());
        let limit = self.at.saturating_add(LONGEST).min(line_end);
        let bell = self.bell.end_of_first_from(output, begin);
        self.string(limit, bell)
    }

    /// The length of a sequence that holds a text: up to its terminator or up to `other`, whichever comes first. Of its
    /// introduction alone, if neither comes before the limit.
    fn string(&mut self, limit: usize, other: Option<usize>) -> usize {
        let (output, begin) = (self.output, self.at + 2);
        let ends = self.terminators.iter_mut().filter_map(|mark| mark.end_of_first_from(output, begin));
        let end = ends.chain(other).filter(|end| *end <= limit).min();
        end.unwrap_or(begin) - self.at
    }
}

impl Iterator for Steps<'_> {
    type Item = Step;

    fn next(&mut self) -> Option<Step> {
        let output = self.output;
        let rest = output.get(self.at..)?;
        let first = rest.chars().next()?;
        let (step, length) = match first {
            '\n' => (Step::Control(Act::NextLine), 1),
            '\r' => (Step::Control(Act::Return), 1),
            '\u{8}' => (Step::Control(Act::Left(1)), 1),
            BELL => (Step::Nothing, 1),
            '\u{9b}' => control(rest, first.len_utf8()),
            ESCAPE => self.escape(rest),
            _ => (Step::Print(first), first.len_utf8()),
        };
        self.at += length;
        Some(step)
    }
}

/// A mark in an output, and where it was found last. Each search begins behind the one before, so the output is searched
/// once as a whole, however many sequences in it have no end.
struct Mark {
    mark: &'static str,
    /// Where the last search found it; none if there is no further one.
    found: Option<usize>,
}

impl Mark {
    /// Every search begins behind the introduction of a sequence, so 0 stands for "not searched yet".
    const fn new(mark: &'static str) -> Self {
        Self { mark, found: Some(0) }
    }

    fn first_from(&mut self, output: &str, place: usize) -> Option<usize> {
        if self.found.is_some_and(|found| found < place) {
            let rest = output.get(place..).unwrap_or_default();
            self.found = rest.find(self.mark).map(|found| place + found);
        }
        self.found
    }

    fn end_of_first_from(&mut self, output: &str, place: usize) -> Option<usize> {
        self.first_from(output, place).map(|found| found + self.mark.len())
    }
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
