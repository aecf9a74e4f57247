//! A cursor over shell text.

/// Why the text was not read to its end. What was read before it stays valid.
#[derive(Debug)]
pub(super) struct NotRead(pub(super) String);

/// Characters and a position in them.
pub(super) struct Cursor<'t> {
    pub(super) text: &'t [char],
    pub(super) at: usize,
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

    /// Advances past `what` if it comes next.
    pub(super) fn eat(&mut self, what: &str) -> bool {
        let here = what.chars().enumerate().all(|(by, one)| self.ahead(by) == Some(one));
        if here {
            self.at += what.chars().count();
        }
        here
    }

    /// Advances past `what`, or reports that it is missing.
    pub(super) fn expect(&mut self, what: &str) -> Result<(), NotRead> {
        if self.eat(what) { Ok(()) } else { Err(NotRead(format!("`{what}` is missing"))) }
    }

    pub(super) fn slice(&self, from: usize, to: usize) -> String {
        self.text.get(from..to).unwrap_or_default().iter().collect()
    }

    /// The remaining text, without advancing.
    pub(super) fn rest(&self) -> &[char] {
        self.text.get(self.at..).unwrap_or_default()
    }

    /// Advances over the characters that satisfy `is`, and returns them.
    pub(super) fn while_is(&mut self, is: impl Fn(char) -> bool) -> String {
        let from = self.at;
        while self.peek().is_some_and(&is) {
            self.at += 1;
        }
        self.slice(from, self.at)
    }

    /// Skips blanks, line continuations and comments.
    pub(super) fn blanks(&mut self) {
        loop {
            match self.peek() {
                Some(' ' | '\t') => self.at += 1,
                Some('\\') if self.ahead(1) == Some('\n') => self.at += 2,
                Some('#') => drop(self.while_is(|one| one != '\n')),
                _ => return,
            }
        }
    }

    /// The unquoted word at the cursor, without advancing, cut to the length of the words that the shell
    /// reserves.
    pub(super) fn reserved(&self) -> String {
        self.rest().iter().take(12).take_while(|one| !is_meta(**one)).collect()
    }

    /// Reads `NAME=` or `NAME+=` if it comes next: the name, and whether the value is appended.
    pub(super) fn assignment(&mut self) -> Option<(String, bool)> {
        let from = self.at;
        let name = self.while_is(is_of_name);
        let adds = self.eat("+");
        if is_name(&name) && self.eat("=") {
            return Some((name, adds));
        }
        self.at = from;
        None
    }
}

/// Whether a character ends a word.
pub(super) fn is_meta(one: char) -> bool {
    matches!(one, ' ' | '\t' | '\n' | ';' | '&' | '|' | '<' | '>' | '(' | ')')
}

/// Whether a character may be part of a variable name.
pub(super) fn is_of_name(one: char) -> bool {
    one.is_ascii_alphanumeric() || one == '_'
}

/// Whether a text is a variable name.
pub(super) fn is_name(text: &str) -> bool {
    !text.starts_with(|one: char| one.is_ascii_digit()) && !text.is_empty() && text.chars().all(is_of_name)
}
