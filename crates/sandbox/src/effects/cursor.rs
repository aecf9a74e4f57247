//! A place in shell text, and why it could not be read further.

/// The longest text that is read, in bytes.
pub(super) const LONGEST: usize = 32 * 1024;

/// How deep substitutions, groups and shells inside shells may lie in one another.
pub(super) const DEEPEST: usize = 24;

/// Why text was not read. Whoever meets one of these knows nothing of what the text does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct NotRead(pub(super) String);

impl NotRead {
    pub(super) fn new(why: impl Into<String>) -> Self {
        Self(why.into())
    }
}

/// Characters, where the reader is among them, and how deep.
pub(super) struct Cursor<'a> {
    pub(super) text: &'a [char],
    pub(super) at: usize,
    pub(super) depth: usize,
}

impl Cursor<'_> {
    pub(super) fn peek(&self) -> Option<char> {
        self.text.get(self.at).copied()
    }

    pub(super) fn ahead(&self, by: usize) -> Option<char> {
        self.text.get(self.at.saturating_add(by)).copied()
    }

    pub(super) fn next(&mut self) -> Option<char> {
        let found = self.peek()?;
        self.at += 1;
        Some(found)
    }

    /// Goes on if this stands here.
    pub(super) fn eat(&mut self, what: &str) -> bool {
        let here = what.chars().enumerate().all(|(by, one)| self.ahead(by) == Some(one));
        if here {
            self.at += what.chars().count();
        }
        here
    }

    pub(super) fn slice(&self, from: usize, to: usize) -> String {
        self.text.get(from..to).unwrap_or_default().iter().collect()
    }

    /// One level deeper, or an error: nesting never reaches the end of the stack.
    pub(super) fn deeper(&mut self) -> Result<(), NotRead> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(NotRead::new(format!("it is nested more than {DEEPEST} deep")));
        }
        Ok(())
    }

    /// A backslash before the end of a line joins the lines. Shells do so inside of operators and names too; there, nothing is
    /// guessed.
    pub(super) fn joins_lines(&self) -> Result<bool, NotRead> {
        if self.peek() != Some('\\') || self.ahead(1) != Some('\n') {
            return Ok(false);
        }
        let before = self.at.checked_sub(1).and_then(|at| self.text.get(at)).copied().unwrap_or(' ');
        let plain = before.is_whitespace() || before.is_alphanumeric() || "_./'\"-,:@%+".contains(before);
        if plain { Ok(true) } else { Err(NotRead::new("two lines are joined in the middle of an operator")) }
    }

    /// Blanks, joined lines and comments.
    pub(super) fn blanks(&mut self) -> Result<(), NotRead> {
        loop {
            if self.joins_lines()? {
                self.at += 2;
            } else {
                match self.peek() {
                    Some(' ' | '\t') => self.at += 1,
                    Some('#') => {
                        while self.peek().is_some_and(|one| one != '\n') {
                            self.at += 1;
                        }
                    }
                    _ => return Ok(()),
                }
            }
        }
    }

    /// The unquoted word that stands here, without going on.
    pub(super) fn reserved(&self) -> String {
        let rest = self.text.get(self.at..).unwrap_or_default();
        rest.iter().take(12).take_while(|one| !is_meta(**one)).collect()
    }
}

/// Whether a character ends a word.
pub(super) fn is_meta(one: char) -> bool {
    matches!(one, ' ' | '\t' | '\n' | ';' | '&' | '|' | '<' | '>' | '(' | ')')
}

/// Whether a text is a name of a variable.
pub(super) fn is_name(text: &str) -> bool {
    let mut all = text.chars();
    all.next().is_some_and(|one| one.is_ascii_alphabetic() || one == '_')
        && all.all(|one| one.is_ascii_alphanumeric() || one == '_')
}

/// Where the brackets of a pattern are closed that begin here.
pub(super) fn bracket(all: &[char], from: usize) -> Option<usize> {
    let mut at = from + 1;
    if all.get(at) == Some(&'^') {
        at += 1;
    }
    if all.get(at) == Some(&']') {
        at += 1;
    }
    loop {
        match (all.get(at)?, all.get(at + 1)) {
            (']', _) => return Some(at),
            ('[', Some(kind @ (':' | '.' | '='))) => {
                at += 2;
                while (all.get(at)?, all.get(at + 1)?) != (kind, &']') {
                    at += 1;
                }
                at += 2;
            }
            _ => at += 1,
        }
    }
}
