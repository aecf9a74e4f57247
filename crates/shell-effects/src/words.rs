//! Parses words: quotes, substitutions, expansions.

use super::cursor::{NotRead, is_meta, is_name, is_of_name};
use super::parser::{Read, Reader};
use super::programs;
use super::value::{Building, Value};

/// What ends the text being parsed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    /// A blank or an operator: a word of a command.
    Meta,
    /// The same without word splitting: the value of an assignment.
    Value,
    /// The closing quote: text in `"…"`.
    Quote,
    /// The end of the text: a here-document.
    Text,
    /// The brace of `${…}`, in quotes or not.
    Brace { quoted: bool },
}

impl Reader<'_, '_, '_> {
    /// The words that the word at the cursor expands to, or `None` if there is no word.
    pub(super) fn word(&mut self) -> Read<Option<Vec<Value>>> {
        let from = self.cursor.at;
        let mut word = Building::default();
        if self.cursor.eat("<(") || self.cursor.eat(">(") {
            self.subshell()?;
            word.push_str("/dev/fd/");
            word.gap();
        }
        self.parts(&mut word, End::Meta)?;
        let source = self.cursor.slice(from, self.cursor.at);
        Ok((!source.is_empty()).then(|| word.finish(&source)))
    }

    pub(super) fn parts(&mut self, word: &mut Building, end: End) -> Read {
        let bare = matches!(end, End::Meta | End::Value);
        let quoted = matches!(end, End::Quote | End::Text | End::Brace { quoted: true });
        let from = self.cursor.at;
        loop {
            let Some(one) = self.cursor.peek() else {
                return match end {
                    End::Meta | End::Value | End::Text => Ok(()),
                    End::Quote | End::Brace { .. } => Err(NotRead("a quote or brace is not closed".into())),
                };
            };
            let over = match end {
                End::Meta | End::Value => is_meta(one),
                End::Quote => one == '"',
                End::Text => false,
                End::Brace { .. } => one == '}',
            };
            if over {
                return Ok(());
            }
            let first = self.cursor.at == from;
            let before = self.cursor.at.checked_sub(1).and_then(|at| self.cursor.text.get(at));
            self.cursor.at += 1;
            let next = self.cursor.peek();
            match one {
                '$' => self.dollar(word, quoted)?,
                '`' => self.backquote(word, quoted)?,
                '\\' => match self.cursor.next() {
                    None => return Err(NotRead("it ends with a backslash".into())),
                    Some('\n') => {}
                    Some(next) if !quoted || "$`\"\\}".contains(next) => word.push(next),
                    Some(next) => {
                        word.push(one);
                        word.push(next);
                    }
                },
                '\'' if !quoted => {
                    word.quotes();
                    word.push_str(&self.cursor.while_is(|one| one != '\''));
                    self.cursor.expect("'")?;
                }
                '"' if end != End::Text => {
                    word.quotes();
                    self.walker.deeper()?;
                    self.parts(word, End::Quote)?;
                    self.walker.depth -= 1;
                    self.cursor.at += 1;
                }
                '*' | '?' if end == End::Meta => word.gap(),
                '[' if end == End::Meta && !(first && next.is_none_or(is_meta)) => word.gap(),
                // `{a,b}` expands to several words.
                '{' if end == End::Meta && next != Some('}') => word.gap(),
                '~' if bare && (first || before == Some(&'=')) => {
                    if next.is_none_or(|next| next == '/' || is_meta(next)) {
                        word.push_str(&self.walker.place.home.to_string_lossy());
                    } else {
                        word.gap();
                    }
                }
                _ => word.push(one),
            }
        }
    }

    fn dollar(&mut self, word: &mut Building, quoted: bool) -> Read {
        if self.cursor.eat("((") {
            word.gap();
            return self.sum();
        }
        if self.cursor.eat("(") {
            word.gap();
            return self.subshell();
        }
        if self.cursor.eat("{") {
            return self.expansion(word, quoted);
        }
        if !quoted && self.cursor.eat("'") {
            return self.escapes(word);
        }
        match self.cursor.peek() {
            // `$"…"`, a translated text.
            Some('"') if !quoted => {}
            Some('@' | '*' | '#' | '?' | '$' | '!' | '-' | '0'..='9') => {
                self.cursor.at += 1;
                word.gap();
            }
            Some(one) if is_of_name(one) => {
                let name = self.cursor.while_is(is_of_name);
                self.variable(&name, word, quoted);
            }
            _ => word.push('$'),
        }
        Ok(())
    }

    fn variable(&mut self, name: &str, word: &mut Building, quoted: bool) {
        let value = self.walker.variable(name).unwrap_or_default();
        match value.text {
            Some(text) if quoted => {
                word.quotes();
                word.push_str(&text);
            }
            Some(text) => word.split(&text),
            None => {
                word.push_str(&value.prefix);
                word.gap();
            }
        }
    }

    /// Parses what follows `${`. Whatever is done to the value, the words inside are executed.
    fn expansion(&mut self, word: &mut Building, quoted: bool) -> Read {
        let name = self.cursor.while_is(is_of_name);
        if is_name(&name) && self.cursor.eat("}") {
            self.variable(&name, word, quoted);
            return Ok(());
        }
        if self.cursor.eat(":=") || self.cursor.eat("=") {
            self.walker.assign(&name, None);
        }
        word.gap();
        self.walker.deeper()?;
        self.parts(word, End::Brace { quoted })?;
        self.walker.depth -= 1;
        self.cursor.expect("}")
    }

    fn backquote(&mut self, word: &mut Building, quoted: bool) -> Read {
        word.gap();
        let mut inside = String::new();
        loop {
            match self.cursor.next() {
                None => return Err(NotRead("a backquote is not closed".into())),
                Some('`') => break,
                Some('\\') => match self.cursor.next() {
                    Some(next) if "$`\\".contains(next) || (quoted && next == '"') => inside.push(next),
                    next => inside.extend(['\\'].into_iter().chain(next)),
                },
                Some(one) => inside.push(one),
            }
        }
        self.aside(&inside, &format!("`{inside}`"));
        Ok(())
    }

    /// `$'…'`.
    fn escapes(&mut self, word: &mut Building) -> Read {
        word.quotes();
        while !self.cursor.eat("'") {
            let decoded = match (self.cursor.eat("\\"), self.cursor.next()) {
                (false, one) => one,
                (true, Some('n')) => Some('\n'),
                (true, Some('t')) => Some('\t'),
                (true, Some('x')) => self.digits(16, 2),
                (true, Some('u')) => self.digits(16, 4),
                (true, Some('0'..='7')) => {
                    self.cursor.at -= 1;
                    self.digits(8, 3)
                }
                // In some shells an escaped quote ends the text.
                (true, one) => one.filter(|one| "\\\"?".contains(*one)),
            };
            word.push(
                decoded.ok_or_else(|| NotRead("$'…' has no end, or an escape is not followed".into()))?,
            );
        }
        Ok(())
    }

    fn digits(&mut self, radix: u32, most: usize) -> Option<char> {
        let digits = self.cursor.rest().iter().take(most).take_while(|one| one.is_digit(radix)).count();
        let text = self.cursor.slice(self.cursor.at, self.cursor.at + digits);
        self.cursor.at += digits;
        u32::from_str_radix(&text, radix).ok().and_then(char::from_u32).filter(|one| *one != '\0')
    }

    /// Parses what follows `((`, up to `))`. Only substitutions in it have effects.
    pub(super) fn sum(&mut self) -> Read {
        self.walker.deeper()?;
        let (from, mut open, mut word) = (self.cursor.at, 0_usize, Building::default());
        loop {
            match self.cursor.next() {
                Some('(') => open += 1,
                Some(')') if open == 0 => break,
                Some(')') => open -= 1,
                Some('$') => self.dollar(&mut word, true)?,
                Some('`') => self.backquote(&mut word, true)?,
                Some(_) => {}
                None => return Err(NotRead("`))` is missing".into())),
            }
        }
        let inside = self.cursor.slice(from, self.cursor.at - 1);
        self.cursor.expect(")")?;
        // Some shells read this as two groups around a command.
        let first = inside.split_ascii_whitespace().next().unwrap_or_default();
        if inside.contains(['\'', '"', '\\']) || programs::rule(first).is_some() {
            self.aside(&inside, "((…))");
        }
        self.walker.depth -= 1;
        Ok(())
    }

    /// Parses a text that runs in its own process.
    fn aside(&mut self, text: &str, word: &str) {
        let mark = self.walker.scope.mark();
        self.walker.text(text, word);
        self.walker.scope.back(mark);
    }
}
