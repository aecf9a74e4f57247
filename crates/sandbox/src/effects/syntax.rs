//! What shell text is made of, once it is read.

use std::rc::Rc;

/// Commands one after the other.
#[derive(Debug, Clone, Default)]
pub(super) struct Script {
    pub(super) lists: Vec<List>,
}

/// Pipelines joined by `&&` and `||`.
#[derive(Debug, Clone)]
pub(super) struct List {
    pub(super) first: Vec<Command>,
    pub(super) rest: Vec<(Joint, Vec<Command>)>,
    /// Whether `&` ends it: it runs beside what follows.
    pub(super) beside: bool,
}

/// What joins two pipelines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Joint {
    And,
    Or,
}

/// One command of a pipeline, with its redirections.
#[derive(Debug, Clone)]
pub(super) struct Command {
    pub(super) form: Form,
    pub(super) redirects: Vec<Redirect>,
}

/// The kinds of commands.
#[derive(Debug, Clone)]
pub(super) enum Form {
    /// Assignments and words.
    Simple { assignments: Vec<Assignment>, words: Vec<Word> },
    /// `{ … }`.
    Group(Script),
    /// `( … )`.
    Subshell(Script),
    /// `if`: conditions and branches in their order.
    If(Vec<Script>),
    /// `while` and `until`: condition and body.
    While(Script, Script),
    /// `for NAME in WORDS`; without words it goes over the arguments of the script.
    For { name: String, words: Option<Vec<Word>>, body: Script },
    /// `case`: the word, the patterns, the branches.
    Case { words: Vec<Word>, branches: Vec<Script> },
    /// A definition.
    Function { name: String, body: Rc<Command> },
    /// `[[ … ]]`.
    Test(Vec<Word>),
    /// `(( … ))`.
    Arithmetic(Sum),
}

/// `NAME=WORD` or `NAME+=WORD`.
#[derive(Debug, Clone)]
pub(super) struct Assignment {
    pub(super) name: String,
    pub(super) value: Word,
    pub(super) appends: bool,
}

/// A redirection.
#[derive(Debug, Clone)]
pub(super) struct Redirect {
    pub(super) how: How,
    pub(super) target: Word,
}

/// What a redirection does with its word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum How {
    /// `<`.
    Read,
    /// `>`, `>|`, `&>`, `<>` and, with a file, `>&`.
    Write,
    /// `>>` and `&>>`.
    Append,
    /// `>&1`, `<&0`, `2>&-`.
    Duplicate,
    /// The word is the input itself: here-documents and `<<<`.
    Here,
}

/// A word as it was written, and its parts.
#[derive(Debug, Clone, Default)]
pub(super) struct Word {
    pub(super) source: String,
    pub(super) parts: Vec<Part>,
}

/// A part of a word.
#[derive(Debug, Clone)]
pub(super) enum Part {
    /// Text that stands for itself; quoted or not makes no difference but for reserved words.
    Text(String),
    /// `""` and `''`: a word is there, even if it is empty.
    Quotes,
    /// `*`, `?`, `[`: the names of files.
    Glob(char),
    /// `~` at the beginning.
    Home,
    /// `~ada`.
    HomeOf,
    /// A `{`, `}` or `,` that may make several words of one.
    Brace(char),
    /// `$NAME` and `${NAME}`.
    Variable { name: String, quoted: bool },
    /// `${…}` that gives a text nobody knows; the words inside are carried out all the same.
    Expansion { words: Vec<Word>, number: bool, quoted: bool },
    /// `$(…)` and backquotes.
    Output { script: Script, quoted: bool },
    /// `<(…)` and `>(…)`.
    Process(Script),
    /// `$((…))`.
    Sum(Sum),
}

/// The names that an arithmetic expression uses. Its other characters are figures and operators.
#[derive(Debug, Clone, Default)]
pub(super) struct Sum {
    pub(super) names: Vec<String>,
}

impl Word {
    /// The text of a word without anything that the shell replaces.
    pub(super) fn plain(&self) -> Option<String> {
        let mut text = String::new();
        for part in &self.parts {
            match part {
                Part::Text(more) => text.push_str(more),
                Part::Brace(one) => text.push(*one),
                Part::Quotes => {}
                Part::Glob(_)
                | Part::Home
                | Part::HomeOf
                | Part::Variable { .. }
                | Part::Expansion { .. }
                | Part::Output { .. }
                | Part::Process(_)
                | Part::Sum(_) => return None,
            }
        }
        Some(text)
    }
}
