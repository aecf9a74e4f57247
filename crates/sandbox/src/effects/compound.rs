//! Reads `if`, loops, `case` and `[[ … ]]`.

use super::cursor::{NotRead, is_name};
use super::reader::Reader;
use super::syntax::{Form, Script, Word};

impl Reader<'_> {
    pub(super) fn loop_body(&mut self) -> Result<Script, NotRead> {
        self.keyword("do")?;
        let body = self.script(&["done"])?;
        self.keyword("done")?;
        Ok(body)
    }

    pub(super) fn conditional(&mut self) -> Result<Form, NotRead> {
        self.keyword("if")?;
        let mut scripts = vec![self.script(&["then"])?];
        self.keyword("then")?;
        loop {
            scripts.push(self.script(&["elif", "else", "fi"])?);
            match self.cursor.reserved().as_str() {
                "elif" => {
                    self.keyword("elif")?;
                    scripts.push(self.script(&["then"])?);
                    self.keyword("then")?;
                }
                "else" => {
                    self.keyword("else")?;
                    scripts.push(self.script(&["fi"])?);
                    self.keyword("fi")?;
                    return Ok(Form::If(scripts));
                }
                _ => {
                    self.keyword("fi")?;
                    return Ok(Form::If(scripts));
                }
            }
        }
    }

    pub(super) fn each(&mut self) -> Result<Form, NotRead> {
        self.keyword("for")?;
        self.cursor.blanks()?;
        let name = self.word()?.and_then(|word| word.plain()).filter(|name| is_name(name));
        let name = name.ok_or_else(|| NotRead::new("`for` without the name of a variable"))?;
        self.lines()?;
        let mut words = None;
        if self.cursor.reserved() == "in" {
            self.keyword("in")?;
            let mut list = Vec::new();
            loop {
                self.cursor.blanks()?;
                let Some(word) = self.word()? else { break };
                list.push(word);
            }
            words = Some(list);
        }
        self.cursor.eat(";");
        Ok(Form::For { name, words, body: self.loop_body()? })
    }

    pub(super) fn case(&mut self) -> Result<Form, NotRead> {
        self.keyword("case")?;
        self.cursor.blanks()?;
        let mut words: Vec<Word> = self.word()?.into_iter().collect();
        self.keyword("in")?;
        let mut branches = Vec::new();
        loop {
            self.lines()?;
            if self.cursor.reserved() == "esac" {
                self.keyword("esac")?;
                return Ok(Form::Case { words, branches });
            }
            self.cursor.eat("(");
            loop {
                self.cursor.blanks()?;
                words.push(self.word()?.ok_or_else(|| NotRead::new("a pattern of `case` is missing"))?);
                self.cursor.blanks()?;
                if !self.cursor.eat("|") {
                    break;
                }
            }
            if !self.cursor.eat(")") {
                return Err(NotRead::new("a pattern of `case` is not closed"));
            }
            branches.push(self.script(&["esac"])?);
            self.lines()?;
            let ended = self.cursor.eat(";;&") || self.cursor.eat(";;") || self.cursor.eat(";&");
            if !ended && self.cursor.reserved() != "esac" {
                return Err(NotRead::new("a branch of `case` is not closed"));
            }
        }
    }

    /// `[[ … ]]`. A shell without it sees a command and, behind `&&` and `||`, other commands.
    pub(super) fn test(&mut self) -> Result<Form, NotRead> {
        self.keyword("[[")?;
        let (mut words, mut joined) = (Vec::new(), false);
        loop {
            self.lines()?;
            if self.cursor.eat("&&") || self.cursor.eat("||") {
                joined = true;
                continue;
            }
            let word = self.word()?.ok_or_else(|| NotRead::new("a condition in [[…]] is too involved"))?;
            if word.source == "]]" {
                return Ok(Form::Test(words));
            }
            if joined && !word.source.starts_with(['-', '$', '"']) {
                return Err(NotRead::new("a condition in [[…]] is a command to some shells"));
            }
            joined = false;
            words.push(word);
        }
    }
}
