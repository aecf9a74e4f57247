//! Reads shell text: lists, pipelines, commands, definitions, assignments.
//!
//! The text may be run by bash or, where there is none, by another `sh`. What the two read differently, and whatever this grammar
//! leaves out (arrays, `select`, `coproc`, extended patterns), is an error, and an error means that nothing is known.

use std::rc::Rc;

use super::cursor::{Cursor, LONGEST, NotRead, is_name};
use super::syntax::{Assignment, Command, Form, Joint, List, Part, Script, Word};

/// Words that begin or end something at the beginning of a command.
const RESERVED: [&str; 20] = [
    "if", "then", "elif", "else", "fi", "do", "done", "while", "until", "for", "case", "esac", "in",
    "function", "select", "coproc", "{", "}", "!", "time",
];

/// Reads a whole text.
pub(super) fn read(text: &str, depth: usize) -> Result<Script, NotRead> {
    if text.len() > LONGEST {
        return Err(NotRead::new(format!("it is longer than {} KiB", LONGEST / 1024)));
    }
    if let Some(odd) = text.chars().find(|one| one.is_control() && !matches!(one, '\n' | '\t')) {
        return Err(NotRead::new(format!("it contains the control character {odd:?}")));
    }
    Reader::new(&text.chars().collect::<Vec<_>>(), depth).whole()
}

pub(super) struct Reader<'a> {
    pub(super) cursor: Cursor<'a>,
    /// The end of a line, and where its here-document ends.
    pub(super) here: Option<(usize, usize)>,
}

impl<'a> Reader<'a> {
    pub(super) fn new(text: &'a [char], depth: usize) -> Self {
        Self { cursor: Cursor { text, at: 0, depth }, here: None }
    }

    pub(super) fn whole(mut self) -> Result<Script, NotRead> {
        let script = self.script(&[])?;
        match self.cursor.peek() {
            None if self.here.is_none() => Ok(script),
            None => Err(NotRead::new("a here-document has no end")),
            Some(one) => Err(NotRead::new(format!("`{one}` stands where a command should begin"))),
        }
    }

    /// What follows `$(` and its like.
    pub(super) fn script_until_parenthesis(&mut self) -> Result<Script, NotRead> {
        let script = self.script(&[])?;
        if self.cursor.eat(")") { Ok(script) } else { Err(NotRead::new("a parenthesis is not closed")) }
    }

    /// Lists up to one of these reserved words, or to whatever no command begins with.
    pub(super) fn script(&mut self, until: &[&str]) -> Result<Script, NotRead> {
        self.cursor.deeper()?;
        let mut lists = Vec::new();
        loop {
            self.lines()?;
            let here = self.cursor.reserved();
            if until.contains(&here.as_str()) || matches!(self.cursor.peek(), None | Some(')' | ';')) {
                break;
            }
            let mut list = self.list()?;
            self.cursor.blanks()?;
            list.beside = self.cursor.peek() == Some('&');
            lists.push(list);
            match self.cursor.peek() {
                Some(';') if self.cursor.ahead(1) != Some(';') => self.cursor.at += 1,
                Some('&') => self.cursor.at += 1,
                Some('\n') => {}
                _ => {
                    self.lines()?;
                    let here = self.cursor.reserved();
                    if until.contains(&here.as_str()) && here != "}" {
                        return Err(NotRead::new(format!("`{here}` stands in the middle of a command")));
                    }
                    break;
                }
            }
        }
        self.cursor.depth -= 1;
        Ok(Script { lists })
    }

    /// Blanks, comments and ends of lines, with the here-documents that begin there.
    pub(super) fn lines(&mut self) -> Result<(), NotRead> {
        loop {
            self.cursor.blanks()?;
            if self.cursor.peek() != Some('\n') {
                return Ok(());
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

    fn list(&mut self) -> Result<List, NotRead> {
        let first = self.pipeline()?;
        let mut rest = Vec::new();
        loop {
            self.cursor.blanks()?;
            let joint = if self.cursor.eat("&&") {
                Joint::And
            } else if self.cursor.eat("||") {
                Joint::Or
            } else {
                return Ok(List { first, rest, beside: false });
            };
            self.lines()?;
            rest.push((joint, self.pipeline()?));
        }
    }

    fn pipeline(&mut self) -> Result<Vec<Command>, NotRead> {
        loop {
            self.cursor.blanks()?;
            match self.cursor.reserved().as_str() {
                "!" => self.cursor.at += 1,
                "time" => {
                    self.cursor.at += 4;
                    self.cursor.blanks()?;
                    if self.cursor.reserved() == "-p" {
                        self.cursor.at += 2;
                    }
                }
                _ => break,
            }
        }
        let mut commands = vec![self.command()?];
        loop {
            self.cursor.blanks()?;
            let bar = self.cursor.peek() == Some('|') && self.cursor.ahead(1) != Some('|');
            if !bar {
                return Ok(commands);
            }
            self.cursor.at += 1;
            if self.cursor.peek() == Some('&') {
                self.cursor.at += 1;
            }
            self.lines()?;
            commands.push(self.command()?);
        }
    }

    fn command(&mut self) -> Result<Command, NotRead> {
        self.cursor.deeper()?;
        self.cursor.blanks()?;
        let form = if self.cursor.peek() == Some('(') {
            self.cursor.at += 1;
            if self.cursor.eat("(") {
                let from = self.cursor.at;
                let sum = self.sum()?;
                // Where `((` is no arithmetic, this is a redirection.
                if self.cursor.slice(from, self.cursor.at).contains(['<', '>']) {
                    return Err(NotRead::new("a comparison in ((…)) is a redirection to some shells"));
                }
                Form::Arithmetic(sum)
            } else {
                Form::Subshell(self.script_until_parenthesis()?)
            }
        } else {
            let here = self.cursor.reserved();
            match here.as_str() {
                "if" => self.conditional()?,
                "while" | "until" => {
                    self.keyword(&here)?;
                    let condition = self.script(&["do"])?;
                    Form::While(condition, self.loop_body()?)
                }
                "for" => self.each()?,
                "case" => self.case()?,
                "{" => {
                    self.keyword("{")?;
                    let script = self.script(&["}"])?;
                    self.keyword("}")?;
                    Form::Group(script)
                }
                "[[" => self.test()?,
                "function" => {
                    self.keyword("function")?;
                    self.cursor.blanks()?;
                    let word = self.word()?.unwrap_or_default();
                    self.cursor.blanks()?;
                    let _ = self.cursor.eat("(") && self.cursor.eat(")");
                    self.definition(&word)?
                }
                _ => return self.simple(),
            }
        };
        let mut redirects = Vec::new();
        loop {
            self.cursor.blanks()?;
            let Some(redirect) = self.redirect()? else { break };
            redirects.push(redirect);
        }
        self.cursor.depth -= 1;
        Ok(Command { form, redirects })
    }

    /// Goes over a reserved word that has to stand here.
    pub(super) fn keyword(&mut self, word: &str) -> Result<(), NotRead> {
        self.lines()?;
        if self.cursor.reserved() == word && self.cursor.eat(word) {
            return Ok(());
        }
        Err(NotRead::new(format!("`{word}` is missing")))
    }

    fn definition(&mut self, name: &Word) -> Result<Form, NotRead> {
        let plain = name.plain().filter(|plain| *plain == name.source && !plain.is_empty());
        let name = plain.ok_or_else(|| NotRead::new("the name of a function is not plain"))?;
        self.lines()?;
        let body = self.command()?;
        Ok(Form::Function { name, body: Rc::new(body) })
    }

    fn simple(&mut self) -> Result<Command, NotRead> {
        let (mut assignments, mut words, mut redirects) = (Vec::new(), Vec::<Word>::new(), Vec::new());
        loop {
            self.cursor.blanks()?;
            if let Some(redirect) = self.redirect()? {
                redirects.push(redirect);
                continue;
            }
            if words.is_empty() && RESERVED.contains(&self.cursor.reserved().as_str()) {
                return Err(NotRead::new(format!("`{}` stands out of place", self.cursor.reserved())));
            }
            let Some(word) = self.word()? else { break };
            match assignment(&word)? {
                Some(assignment) if words.is_empty() => assignments.push(assignment),
                _ => words.push(word),
            }
        }
        if self.cursor.peek() == Some('(') {
            let name = words.first().cloned().filter(|_| words.len() == 1 && assignments.is_empty());
            let name = name.filter(|_| redirects.is_empty() && self.cursor.ahead(1) == Some(')'));
            let name = name.ok_or_else(|| NotRead::new("a parenthesis stands in the middle of a command"))?;
            self.cursor.at += 2;
            let form = self.definition(&name)?;
            self.cursor.depth -= 1;
            return Ok(Command { form, redirects });
        }
        if assignments.is_empty() && words.is_empty() && redirects.is_empty() {
            return Err(NotRead::new("a command is missing"));
        }
        self.cursor.depth -= 1;
        Ok(Command { form: Form::Simple { assignments, words }, redirects })
    }
}

/// A word as an assignment, if it is one.
fn assignment(word: &Word) -> Result<Option<Assignment>, NotRead> {
    let Some((before, _)) = word.source.split_once('=') else { return Ok(None) };
    let name = before.strip_suffix('+').unwrap_or(before);
    let subscript = name.split_once('[').is_some_and(|(array, _)| is_name(array));
    if subscript {
        return Err(NotRead::new("arrays are not followed"));
    }
    if !is_name(name) {
        return Ok(None);
    }
    let mut parts = word.parts.clone();
    let cut = before.chars().count() + 1;
    let Some(Part::Text(text)) = parts.first_mut() else { return Ok(None) };
    *text = text.chars().skip(cut).collect();
    let mut source: String = word.source.chars().skip(cut).collect();
    // `NAME=~/x` means the home folder.
    if let Some(Part::Text(text)) = parts.first_mut()
        && let Some(rest) = text.strip_prefix('~')
    {
        let rest = rest.to_owned();
        let home = rest.is_empty() || rest.starts_with('/');
        *text = rest;
        parts.insert(0, if home { Part::Home } else { Part::HomeOf });
    }
    if source.is_empty() {
        source = word.source.clone();
    }
    parts.insert(0, Part::Quotes);
    Ok(Some(Assignment {
        name: name.to_owned(),
        value: Word { source, parts },
        appends: before.ends_with('+'),
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_two_shells_read_differently_is_not_read() {
        for text in [
            "echo $'a\\'; rm -rf ~ #'",
            "((a > b))",
            "[[ x || rm ]]",
            "a=(1 2)",
            "echo $\"x\"",
            "for ((i=0;i<3;i++)); do ls; done",
            "echo 'open",
            "ls &\\\n& rm x",
            "cat <<EOF\nno end",
            "echo !(a)",
            "if true; then ls",
            "echo \r",
        ] {
            assert!(read(text, 0).is_err(), "{text}");
        }
    }

    #[test]
    fn nesting_and_length_have_limits() {
        let nested = |open: &str, close: &str, times: usize| {
            format!("{}ls{}", open.repeat(times), close.repeat(times))
        };
        for (open, close) in
            [("( ", ")"), ("{ ", "; }"), ("$(", ")"), ("if ", ""), ("\"$(", ")\""), ("a() ", "")]
        {
            assert!(read(&nested(open, close, 10_000), 0).is_err(), "{open}");
        }
        assert!(read(&nested("( ", ")", 5), 0).is_ok());
        assert!(read(&"x ".repeat(600_000), 0).is_err());
    }

    #[test]
    fn the_here_document_is_where_it_belongs() {
        let script = read("cat <<EOF | wc -l\na\n$(ls)\nEOF\necho b", 0).unwrap();
        assert_eq!(script.lists.len(), 2);
        assert!(read("cat <<'EOF' | sh\nrm x\nEOF\n", 0).is_ok());
    }
}
