//! Reads words: quotes, substitutions, expansions.

use super::cursor::{NotRead, is_meta, is_name};
use super::reader::Reader;
use super::syntax::{Part, Sum, Word};

/// What ends the text that is being read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum End {
    /// A blank or an operator: a word of a command.
    Meta,
    /// The quote: text in `"…"`.
    Quote,
    /// The end of the text: a here-document.
    Text,
    /// The brace of an unquoted `${…}`.
    Brace,
    /// The brace of a `${…}` within quotes.
    QuotedBrace,
}

impl Reader<'_> {
    /// The word that stands here, or nothing.
    pub(super) fn word(&mut self) -> Result<Option<Word>, NotRead> {
        let from = self.cursor.at;
        let mut parts = Vec::new();
        if matches!(self.cursor.peek(), Some('<' | '>')) && self.cursor.ahead(1) == Some('(') {
            self.cursor.at += 2;
            parts.push(Part::Process(self.script_until_parenthesis()?));
        }
        self.parts(&mut parts, End::Meta)?;
        if parts.is_empty() {
            return Ok(None);
        }
        let source = self.cursor.slice(from, self.cursor.at);
        if source == "[" {
            parts = vec![Part::Text("[".to_owned())];
        }
        Ok(Some(Word { source, parts }))
    }

    /// The body of a here-document whose substitutions are carried out.
    pub(super) fn body(&mut self) -> Result<Word, NotRead> {
        let mut parts = vec![Part::Quotes];
        self.parts(&mut parts, End::Text)?;
        Ok(Word { source: "the here-document".to_owned(), parts })
    }

    fn parts(&mut self, parts: &mut Vec<Part>, end: End) -> Result<(), NotRead> {
        let quoted = matches!(end, End::Quote | End::Text | End::QuotedBrace);
        loop {
            if self.cursor.joins_lines()? {
                self.cursor.at += 2;
                continue;
            }
            let Some(one) = self.cursor.peek() else {
                return match end {
                    End::Meta | End::Text => Ok(()),
                    End::Quote => Err(NotRead::new("a quote is not closed")),
                    End::Brace | End::QuotedBrace => Err(NotRead::new("a brace is not closed")),
                };
            };
            let over = match end {
                End::Meta => is_meta(one),
                End::Quote => one == '"',
                End::Text => false,
                End::Brace | End::QuotedBrace => one == '}',
            };
            if over {
                return Ok(());
            }
            self.cursor.at += 1;
            match one {
                '$' => self.dollar(parts, quoted)?,
                '`' => self.backquote(parts, quoted)?,
                '\\' if end == End::Meta => {
                    let next = self.cursor.next().ok_or_else(|| NotRead::new("it ends with a backslash"))?;
                    parts.push(Part::Quotes);
                    push(parts, next);
                }
                '\\' if matches!(end, End::Quote | End::Text) => match self.cursor.peek() {
                    Some(next @ ('$' | '`' | '\\' | '"')) => {
                        self.cursor.at += 1;
                        push(parts, next);
                    }
                    _ => push(parts, '\\'),
                },
                '\\' | '{' if matches!(end, End::Brace | End::QuotedBrace) => {
                    return Err(NotRead::new("an expansion in braces is too involved"));
                }
                '\'' | '"' if end == End::QuotedBrace => {
                    return Err(NotRead::new("an expansion in braces is too involved"));
                }
                '\'' if !quoted => {
                    parts.push(Part::Quotes);
                    let from = self.cursor.at;
                    while self.cursor.next().ok_or_else(|| NotRead::new("a quote is not closed"))? != '\'' {}
                    let inside = self.cursor.slice(from, self.cursor.at - 1);
                    inside.chars().for_each(|one| push(parts, one));
                }
                '"' if !quoted => {
                    parts.push(Part::Quotes);
                    self.cursor.deeper()?;
                    self.parts(parts, End::Quote)?;
                    self.cursor.depth -= 1;
                    self.cursor.at += 1;
                }
                '*' | '?' | '[' if end == End::Meta => parts.push(Part::Glob(one)),
                '{' | '}' | ',' if end == End::Meta => parts.push(Part::Brace(one)),
                '~' if end == End::Meta && parts.is_empty() => {
                    let home = self.cursor.peek().is_none_or(|next| next == '/' || is_meta(next));
                    parts.push(if home { Part::Home } else { Part::HomeOf });
                }
                _ => push(parts, one),
            }
        }
    }

    fn dollar(&mut self, parts: &mut Vec<Part>, quoted: bool) -> Result<(), NotRead> {
        match self.cursor.peek() {
            Some('(') if self.cursor.ahead(1) == Some('(') => {
                self.cursor.at += 2;
                parts.push(Part::Sum(self.sum()?));
            }
            Some('(') => {
                self.cursor.at += 1;
                let script = self.script_until_parenthesis()?;
                parts.push(Part::Output { script, quoted });
            }
            Some('{') => {
                self.cursor.at += 1;
                self.cursor.deeper()?;
                self.expansion(parts, quoted)?;
                self.cursor.depth -= 1;
            }
            Some('\'') if !quoted => {
                self.cursor.at += 1;
                parts.push(Part::Quotes);
                self.escapes(parts)?;
            }
            Some('"') if !quoted => return Err(NotRead::new("a translated text, $\"…\", is not followed")),
            Some('[') => return Err(NotRead::new("the old form of arithmetic, $[…], is not followed")),
            Some(one @ ('@' | '*' | '#' | '?' | '$' | '!' | '-' | '0'..='9')) => {
                self.cursor.at += 1;
                let number = matches!(one, '#' | '?' | '$' | '!');
                parts.push(Part::Expansion { words: Vec::new(), number, quoted });
            }
            Some(one) if one.is_ascii_alphabetic() || one == '_' => {
                let name = self.name();
                parts.push(Part::Variable { name, quoted });
            }
            _ => push(parts, '$'),
        }
        Ok(())
    }

    fn name(&mut self) -> String {
        let from = self.cursor.at;
        while self.cursor.peek().is_some_and(|one| one.is_ascii_alphanumeric() || one == '_') {
            self.cursor.at += 1;
        }
        self.cursor.slice(from, self.cursor.at)
    }

    /// What follows `${`.
    fn expansion(&mut self, parts: &mut Vec<Part>, quoted: bool) -> Result<(), NotRead> {
        let involved = || NotRead::new("an expansion in braces is too involved");
        if self.cursor.eat("#") {
            let name = self.name();
            if name.is_empty() || !self.cursor.eat("}") {
                return Err(involved());
            }
            parts.push(Part::Expansion { words: Vec::new(), number: true, quoted });
            return Ok(());
        }
        let mut name = self.name();
        if name.is_empty() && (self.cursor.eat("@") || self.cursor.eat("*")) {
            name.push('@');
        }
        if name.is_empty() {
            return Err(involved());
        }
        if self.cursor.eat("}") {
            parts.push(if is_name(&name) {
                Part::Variable { name, quoted }
            } else {
                Part::Expansion { words: Vec::new(), number: false, quoted }
            });
            return Ok(());
        }
        let known = [":-", ":+", ":?", "-", "+", "?", "##", "#", "%%", "%", "//", "/", "^^", "^", ",,", ","];
        let substring = |one: char| one.is_ascii_digit() || one == ' ';
        if !known.iter().any(|operator| self.cursor.eat(operator)) {
            // `${name:2:3}`; anything but figures there is carried out as arithmetic.
            if !self.cursor.eat(":") || !self.cursor.peek().is_some_and(substring) {
                return Err(involved());
            }
            while self.cursor.peek().is_some_and(|one| substring(one) || one == ':') {
                self.cursor.at += 1;
            }
            if self.cursor.peek() != Some('}') {
                return Err(involved());
            }
        }
        let from = self.cursor.at;
        let mut operand = Vec::new();
        self.parts(&mut operand, if quoted { End::QuotedBrace } else { End::Brace })?;
        let source = self.cursor.slice(from, self.cursor.at);
        self.cursor.at += 1;
        let words = vec![Word { source, parts: operand }];
        parts.push(Part::Expansion { words, number: false, quoted });
        Ok(())
    }

    fn backquote(&mut self, parts: &mut Vec<Part>, quoted: bool) -> Result<(), NotRead> {
        let mut inside = Vec::new();
        loop {
            match self.cursor.next() {
                None => return Err(NotRead::new("a backquote is not closed")),
                Some('`') => break,
                Some('\\') => match self.cursor.peek() {
                    Some(next @ ('$' | '`' | '\\')) => {
                        self.cursor.at += 1;
                        inside.push(next);
                    }
                    Some('"') if quoted => {
                        return Err(NotRead::new("quotes within backquotes within quotes"));
                    }
                    _ => inside.push('\\'),
                },
                Some(one) => inside.push(one),
            }
        }
        let script = Reader::new(&inside, self.cursor.depth + 1).whole()?;
        parts.push(Part::Output { script, quoted });
        Ok(())
    }

    /// `$'…'`. An escaped quote ends the text in one shell and not in another, so it is not followed.
    fn escapes(&mut self, parts: &mut Vec<Part>) -> Result<(), NotRead> {
        loop {
            let unclosed = || NotRead::new("a quote is not closed");
            match self.cursor.next().ok_or_else(unclosed)? {
                '\'' => return Ok(()),
                '\\' => {
                    let one = self.cursor.next().ok_or_else(unclosed)?;
                    let decoded = match one {
                        'n' => '\n',
                        't' => '\t',
                        'r' => '\r',
                        'a' | 'b' | 'e' | 'E' | 'f' | 'v' => '\u{1}',
                        '\\' | '"' | '?' => one,
                        'x' => self.digits(16, 2)?,
                        'u' => self.digits(16, 4)?,
                        'U' => self.digits(16, 8)?,
                        '0'..='7' => {
                            self.cursor.at -= 1;
                            self.digits(8, 3)?
                        }
                        _ => return Err(NotRead::new("an escape in $'…' is not followed")),
                    };
                    push(parts, decoded);
                }
                one => push(parts, one),
            }
        }
    }

    fn digits(&mut self, radix: u32, most: usize) -> Result<char, NotRead> {
        let (mut number, mut count) = (0_u32, 0);
        while count < most
            && let Some(digit) = self.cursor.peek().and_then(|one| one.to_digit(radix))
        {
            number = number.saturating_mul(radix).saturating_add(digit);
            count += 1;
            self.cursor.at += 1;
        }
        let one = char::from_u32(number).filter(|one| count > 0 && *one != '\0');
        one.ok_or_else(|| NotRead::new("an escape in $'…' is not followed"))
    }

    /// What follows `((`, up to `))`.
    pub(super) fn sum(&mut self) -> Result<Sum, NotRead> {
        let (mut names, mut open) = (Vec::new(), 0_usize);
        loop {
            match self.cursor.peek() {
                Some('(') => open += 1,
                Some(')') if open == 0 => {
                    return if self.cursor.eat("))") {
                        Ok(Sum { names })
                    } else {
                        Err(NotRead::new("an arithmetic expression is not closed"))
                    };
                }
                Some(')') => open -= 1,
                Some('$') => {
                    self.cursor.at += 1;
                    let braces = self.cursor.eat("{");
                    let name = self.name();
                    if !is_name(&name) || (braces && !self.cursor.eat("}")) {
                        return Err(NotRead::new("an arithmetic expression is too involved"));
                    }
                    names.push(name);
                    continue;
                }
                Some(one) if one.is_ascii_digit() => {
                    self.name();
                    continue;
                }
                Some(one) if one.is_ascii_alphabetic() || one == '_' => {
                    let name = self.name();
                    names.push(name);
                    continue;
                }
                Some(one) if one.is_ascii_whitespace() || "+-*/%=!<>&|^~?:,".contains(one) => {}
                Some(_) | None => return Err(NotRead::new("an arithmetic expression is too involved")),
            }
            self.cursor.at += 1;
        }
    }
}

fn push(parts: &mut Vec<Part>, one: char) {
    if let Some(Part::Text(text)) = parts.last_mut() {
        text.push(one);
    } else {
        parts.push(Part::Text(one.to_string()));
    }
}
