//! Reads redirections and here-documents.

use super::cursor::NotRead;
use super::reader::Reader;
use super::syntax::{How, Part, Redirect, Word};

impl Reader<'_> {
    pub(super) fn redirect(&mut self) -> Result<Option<Redirect>, NotRead> {
        let digits = (0..).take_while(|by| self.cursor.ahead(*by).is_some_and(|one| one.is_ascii_digit()));
        let digits = digits.count();
        match self.cursor.ahead(digits) {
            Some('<' | '>') if self.cursor.ahead(digits + 1) == Some('(') && digits == 0 => return Ok(None),
            Some('<' | '>') => self.cursor.at += digits,
            Some('&') if digits == 0 && self.cursor.ahead(1) == Some('>') => {}
            _ => return Ok(None),
        }
        if self.cursor.eat("<<<") {
            return Ok(Some(Redirect { how: How::Here, target: self.target()? }));
        }
        if self.cursor.eat("<<") {
            let strip = self.cursor.eat("-");
            return Ok(Some(Redirect { how: How::Here, target: self.here_document(strip)? }));
        }
        let table = [
            ("&>>", How::Append),
            ("&>", How::Write),
            ("<&", How::Duplicate),
            ("<>", How::Write),
            ("<", How::Read),
            (">>", How::Append),
            (">|", How::Write),
            (">&", How::Duplicate),
            (">", How::Write),
        ];
        let how = table.iter().find(|(sign, _)| self.cursor.eat(sign)).map(|(_, how)| *how);
        let how = how.ok_or_else(|| NotRead::new("a redirection is not understood"))?;
        Ok(Some(Redirect { how, target: self.target()? }))
    }

    fn target(&mut self) -> Result<Word, NotRead> {
        self.cursor.blanks()?;
        self.word()?.ok_or_else(|| NotRead::new("a redirection leads nowhere"))
    }

    /// The body of a here-document, which begins on the next line. The rest of this line has to be plain, because a quote
    /// that goes on over its end would put the body elsewhere.
    fn here_document(&mut self, strip: bool) -> Result<Word, NotRead> {
        let word = self.target()?;
        let name = word.plain().filter(|name| !name.is_empty() && self.here.is_none());
        let name = name.ok_or_else(|| NotRead::new("a here-document is too involved"))?;
        let text = self.cursor.text;
        let rest = text.get(self.cursor.at..).unwrap_or_default();
        let line: Vec<char> = rest.iter().copied().take_while(|one| *one != '\n').collect();
        if line.len() == rest.len() || line.iter().any(|one| matches!(one, '\'' | '"' | '\\' | '`' | '#')) {
            return Err(NotRead::new("the line that begins a here-document is too involved"));
        }
        let newline = self.cursor.at + line.len();
        let (mut at, mut body) = (newline + 1, Vec::new());
        loop {
            let rest = text.get(at..).unwrap_or_default();
            if rest.is_empty() {
                return Err(NotRead::new("a here-document has no end"));
            }
            let mut line: &[char] = rest.split(|one| *one == '\n').next().unwrap_or_default();
            at += line.len() + 1;
            while strip && let ['\t', less @ ..] = line {
                line = less;
            }
            if line.iter().collect::<String>() == name {
                break;
            }
            body.extend_from_slice(line);
            body.push('\n');
        }
        self.here = Some((newline, at.min(text.len())));
        if name == word.source {
            if body.windows(2).any(|pair| pair == ['\\', '\n']) {
                return Err(NotRead::new("a here-document joins its lines"));
            }
            Reader::new(&body, self.cursor.depth + 1).body()
        } else {
            let parts = vec![Part::Quotes, Part::Text(body.into_iter().collect())];
            Ok(Word { source: "the here-document".to_owned(), parts })
        }
    }
}
