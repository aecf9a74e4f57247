//! Parses redirections and here-documents.

use super::cursor::NotRead;
use super::parser::{Read, Reader};
use super::value::{Building, Value};
use super::words::End;

/// Redirection operators; each one comes before its prefixes.
const SIGNS: [&str; 9] = ["&>>", "&>", "<&", "<>", "<", ">>", ">|", ">&", ">"];

impl Reader<'_, '_, '_> {
    /// Parses a redirection if one comes next, and reports its effect. Inline input (a here-document or
    /// here-string) is stored in `input`.
    pub(super) fn redirect(&mut self, input: &mut Option<String>) -> Read<bool> {
        let digits = self.cursor.rest().iter().take_while(|one| one.is_ascii_digit()).count();
        match (self.cursor.ahead(digits), self.cursor.ahead(digits + 1)) {
            (Some('<' | '>'), Some('(')) if digits == 0 => return Ok(false),
            (Some('<' | '>'), _) => self.cursor.at += digits,
            (Some('&'), Some('>')) if digits == 0 => {}
            _ => return Ok(false),
        }
        if self.cursor.eat("<<<") {
            *input = self.target()?.text;
            return Ok(true);
        }
        if self.cursor.eat("<<") {
            *input = self.here_document()?;
            return Ok(true);
        }
        let sign = SIGNS.iter().find(|sign| self.cursor.eat(sign));
        let sign = sign.ok_or_else(|| NotRead("a redirection is not understood".into()))?;
        let target = self.target()?;
        let is_number = |text: &String| text.trim_end_matches('-').chars().all(|one| one.is_ascii_digit());
        if *sign == "<" {
            self.walker.reads(&target, "its content is the input");
        } else if !sign.ends_with('&') || !target.text.as_ref().is_some_and(is_number) {
            self.walker.writes(&target, &format!("`{sign}` writes to it"));
        }
        Ok(true)
    }

    fn target(&mut self) -> Read<Value> {
        self.cursor.blanks();
        let from = self.cursor.at;
        let mut words = self.word()?.ok_or_else(|| NotRead("a redirection leads nowhere".into()))?;
        let only = words.pop().filter(|_| words.is_empty());
        Ok(only.unwrap_or_else(|| Value::any(self.cursor.slice(from, self.cursor.at))))
    }

    /// The body of a here-document, which starts on the next line.
    fn here_document(&mut self) -> Read<Option<String>> {
        let strip = self.cursor.eat("-");
        self.cursor.blanks();
        let from = self.cursor.at;
        let name = self.target()?.text.unwrap_or_default();
        let plain = self.cursor.slice(from, self.cursor.at) == name;
        let rest_of_line = self.cursor.rest().iter().take_while(|one| **one != '\n').count();
        let line = self.cursor.at + rest_of_line;
        // A second one on the same line starts where the first one ends.
        let mut at = self.here.filter(|(of, _)| *of == line).map_or(line + 1, |(_, end)| end);
        let mut body = Vec::new();
        loop {
            let rest = self.cursor.text.get(at..).unwrap_or_default();
            if rest.is_empty() {
                return Err(NotRead("a here-document has no end".into()));
            }
            let mut line: &[char] = rest.split(|one| *one == '\n').next().unwrap_or_default();
            at += line.len() + 1;
            while strip && let ['\t', less @ ..] = line {
                line = less;
            }
            if line.iter().copied().eq(name.chars()) {
                break;
            }
            body.extend_from_slice(line);
            body.push('\n');
        }
        self.here = Some((line, at.min(self.cursor.text.len())));
        if !plain {
            return Ok(Some(body.into_iter().collect()));
        }
        // Substitutions in it are executed.
        let mut text = Building::whole();
        Reader::new(&body, self.walker).parts(&mut text, End::Text)?;
        Ok(text.finish_one("").text)
    }
}
