//! Recursive-descent parser of shell text that reports the effects of each command while parsing.
//!
//! Everything in the text counts as executed: which branch is taken, how often a loop iterates and whether a
//! function is called is known only at run time. Code that runs in another process, or perhaps not at all,
//! leaves no variable and no working folder behind. Unsupported syntax (arrays, extended patterns) stops the
//! parser, and that is reported.

use super::analysis::Walker;
use super::cursor::{Cursor, NotRead};
use super::value::{Building, Value};
use super::words::End;

pub(super) type Read<T = ()> = Result<T, NotRead>;

/// Keywords between two parts of an `if` or a loop.
const MIDDLE: [&str; 4] = ["then", "do", "else", "elif"];

/// Keywords that start a compound command.
const COMPOUND: [&str; 9] = ["if", "while", "until", "for", "select", "case", "{", "[[", "function"];

pub(super) struct Reader<'t, 'w, 'p> {
    pub(super) cursor: Cursor<'t>,
    pub(super) walker: &'w mut Walker<'p>,
    /// The end of a line, and the end of the here-documents that start on it.
    pub(super) here: Option<(usize, usize)>,
}

impl<'t, 'w, 'p> Reader<'t, 'w, 'p> {
    pub(super) fn new(text: &'t [char], walker: &'w mut Walker<'p>) -> Self {
        Self { cursor: Cursor { text, at: 0 }, walker, here: None }
    }

    /// Parses all of the text.
    pub(super) fn whole(mut self) -> Read {
        self.script("")?;
        match self.cursor.peek() {
            None => Ok(()),
            Some(one) => Err(NotRead(format!("`{one}` stands where a command should begin"))),
        }
    }

    /// Parses what follows `(`, which runs in its own process.
    pub(super) fn subshell(&mut self) -> Read {
        let mark = self.walker.scope.mark();
        self.script("")?;
        self.walker.scope.back(mark);
        self.cursor.expect(")")
    }

    /// Parses commands up to the word `until`, which is not consumed, or to something that cannot start a
    /// command.
    fn script(&mut self, until: &str) -> Read {
        self.walker.deeper()?;
        loop {
            self.lines();
            match (self.cursor.peek(), self.cursor.ahead(1)) {
                (None | Some(')'), _) | (Some(';'), Some(';' | '&')) => break,
                (Some(';'), _) => self.cursor.at += 1,
                (Some('&'), next) if next != Some('>') => self.cursor.at += 1,
                _ => {
                    let word = self.cursor.reserved();
                    if !until.is_empty() && word == until {
                        break;
                    }
                    if !MIDDLE.contains(&word.as_str()) || !self.cursor.eat(&word) {
                        self.list()?;
                    }
                }
            }
        }
        self.walker.depth -= 1;
        Ok(())
    }

    /// Parses commands up to the word `end` and consumes it.
    fn body(&mut self, end: &str) -> Read {
        self.script(end)?;
        self.cursor.expect(end)
    }

    /// Parses something that may or may not be executed.
    fn perhaps(&mut self, work: impl FnOnce(&mut Self) -> Read) -> Read {
        let mark = self.walker.scope.mark();
        work(self)?;
        self.walker.scope.doubt(mark);
        Ok(())
    }

    /// Skips blanks, comments and line ends, with the here-documents that start there.
    fn lines(&mut self) {
        loop {
            self.cursor.blanks();
            if self.cursor.peek() != Some('\n') {
                return;
            }
            self.cursor.at = match self.here {
                Some((line, end)) if line == self.cursor.at => {
                    self.here = None;
                    end
                }
                _ => self.cursor.at + 1,
            };
        }
    }

    /// Pipelines joined by `&&` and `||`.
    fn list(&mut self) -> Read {
        let outer = self.walker.scope.mark();
        self.pipeline()?;
        let mut first = self.walker.scope.mark();
        loop {
            self.cursor.blanks();
            if self.cursor.eat("||") {
                self.walker.scope.doubt(first);
                first = self.walker.scope.mark();
            } else if !self.cursor.eat("&&") {
                break;
            }
            self.lines();
            self.pipeline()?;
        }
        self.walker.scope.doubt(first);
        if self.cursor.peek() == Some('&') {
            self.walker.scope.back(outer);
        }
        Ok(())
    }

    fn pipeline(&mut self) -> Read {
        loop {
            self.cursor.blanks();
            let word = self.cursor.reserved();
            if !["!", "time", "coproc"].contains(&word.as_str()) {
                break;
            }
            self.cursor.eat(&word);
            self.cursor.blanks();
            if word == "time" && self.cursor.reserved() == "-p" {
                self.cursor.at += 2;
            }
        }
        let outer = self.walker.scope.mark();
        self.command()?;
        loop {
            self.cursor.blanks();
            if self.cursor.peek() != Some('|') || self.cursor.ahead(1) == Some('|') {
                return Ok(());
            }
            self.cursor.at += 1;
            self.cursor.eat("&");
            self.lines();
            self.walker.scope.back(outer);
            self.command()?;
            self.walker.scope.back(outer);
        }
    }

    fn command(&mut self) -> Read {
        self.walker.deeper()?;
        self.cursor.blanks();
        let word = self.cursor.reserved();
        if self.cursor.eat("((") {
            self.sum()?;
        } else if self.cursor.eat("(") {
            self.subshell()?;
        } else if !COMPOUND.contains(&word.as_str()) {
            self.simple()?;
        } else {
            self.cursor.eat(&word);
            self.cursor.blanks();
            match word.as_str() {
                "if" => self.perhaps(|reader| reader.body("fi"))?,
                "for" | "select" => self.each()?,
                "case" => self.case()?,
                "{" => self.body("}")?,
                "[[" => self.test()?,
                "function" => {
                    let name = self.word()?.unwrap_or_default();
                    self.cursor.blanks();
                    self.cursor.eat("()");
                    self.definition(&name)?;
                }
                _ => self.perhaps(|reader| reader.body("done"))?,
            }
        }
        self.cursor.blanks();
        while self.redirect(&mut None)? {
            self.cursor.blanks();
        }
        self.walker.depth -= 1;
        Ok(())
    }

    /// `for NAME in WORDS`, and `for ((…))`.
    fn each(&mut self) -> Read {
        if self.cursor.eat("((") {
            self.sum()?;
        } else {
            let name = self.word()?.unwrap_or_default();
            let name = name.first().map(|name| name.text().to_owned()).unwrap_or_default();
            self.lines();
            let mut values = Vec::new();
            if self.cursor.reserved() == "in" {
                self.cursor.eat("in");
                self.cursor.blanks();
                while let Some(words) = self.word()? {
                    values.extend(words);
                    self.cursor.blanks();
                }
            }
            // With several values, the variable may hold any of them.
            let only = values.pop().filter(|_| values.is_empty());
            self.walker.assign(&name, only);
        }
        self.perhaps(|reader| reader.body("done"))
    }

    fn case(&mut self) -> Read {
        self.word()?;
        self.lines();
        self.cursor.expect("in")?;
        loop {
            self.lines();
            if self.cursor.reserved() == "esac" {
                return self.cursor.expect("esac");
            }
            self.cursor.eat("(");
            loop {
                self.cursor.blanks();
                self.word()?;
                self.cursor.blanks();
                if !self.cursor.eat("|") {
                    break;
                }
            }
            self.cursor.expect(")")?;
            self.perhaps(|reader| reader.script("esac"))?;
            let _ = self.cursor.eat(";;&") || self.cursor.eat(";;") || self.cursor.eat(";&");
        }
    }

    /// `[[ … ]]`: its words, whatever is between them.
    fn test(&mut self) -> Read {
        loop {
            self.lines();
            let from = self.cursor.at;
            let word = self.word()?;
            if self.cursor.slice(from, self.cursor.at) == "]]" {
                return Ok(());
            }
            if word.is_none() && self.cursor.next().is_none() {
                return Err(NotRead("`]]` is missing".into()));
            }
        }
    }

    fn definition(&mut self, name: &[Value]) -> Read {
        let name = name.first().map(Value::text).filter(|name| !name.is_empty());
        self.walker.define(name.ok_or_else(|| NotRead("the name of a function is not plain".into()))?);
        self.lines();
        self.perhaps(Self::command)
    }

    /// A simple command: assignments, words and redirections.
    fn simple(&mut self) -> Read {
        let from = self.cursor.at;
        let (mut assigned, mut words, mut input) = (Vec::new(), Vec::new(), None);
        loop {
            self.cursor.blanks();
            if self.redirect(&mut input)? {
                continue;
            }
            if words.is_empty()
                && let Some((name, adds)) = self.cursor.assignment()
            {
                let (from, mut value) = (self.cursor.at, Building::whole());
                if self.cursor.peek() == Some('(') {
                    return Err(NotRead("arrays are not followed".into()));
                }
                self.parts(&mut value, End::Value)?;
                let value = value.finish_one(&self.cursor.slice(from, self.cursor.at));
                assigned.push((name, Some(value).filter(|_| !adds)));
                continue;
            }
            let Some(more) = self.word()? else { break };
            words.extend(more);
        }
        if self.cursor.peek() == Some('(') {
            self.cursor.expect("()")?;
            return self.definition(&words);
        }
        if self.cursor.at == from {
            return Err(NotRead("a command is missing".into()));
        }
        for (name, value) in assigned {
            // An assignment before a command applies to that command only, but with some commands of some
            // shells permanently.
            self.walker.assign(&name, value.filter(|_| words.is_empty()));
        }
        self.walker.call(&words, input.as_deref());
        Ok(())
    }
}
