//! Texts of a configuration with `${VARIABLE}` in them.

use std::collections::BTreeSet;
use std::fmt;

use artoo_redaction::{Redactor, names_a_secret};

/// A text in which `${NAME}` stands for a variable of the user's, and `${NAME:-words}` for these words where it is not set.
///
/// ```
/// use artoo_mcp::Template;
///
/// let header: Template = "Bearer ${HUB_TOKEN}".parse()?;
/// assert_eq!(header.expand(&|name| (name == "HUB_TOKEN").then(|| "t-1".to_owned())), Ok("Bearer t-1".to_owned()));
/// assert_eq!(header.expand(&|_| None).unwrap_err(), ["HUB_TOKEN".to_owned()].into());
/// # Ok::<(), String>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Template {
    text: String,
    parts: Vec<Part>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Part {
    Words(String),
    Variable { name: String, otherwise: Option<String> },
}

impl Template {
    /// As it stands in the configuration.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The text with the variables that `lookup` knows.
    ///
    /// # Errors
    ///
    /// The names of those that it does not know.
    pub fn expand(&self, lookup: &dyn Fn(&str) -> Option<String>) -> Result<String, BTreeSet<String>> {
        let (mut whole, mut missing) = (String::new(), BTreeSet::new());
        for part in &self.parts {
            match part {
                Part::Words(words) => whole.push_str(words),
                Part::Variable { name, otherwise } => match lookup(name).or_else(|| otherwise.clone()) {
                    Some(value) => whole.push_str(&value),
                    None => {
                        missing.insert(name.clone());
                    }
                },
            }
        }
        if missing.is_empty() { Ok(whole) } else { Err(missing) }
    }

    /// Whether a secret stands in it as it is, for a field of this name.
    pub(crate) fn holds_secret(&self, field: &str) -> bool {
        let redactor = Redactor::new();
        let has_variable = self.parts.iter().any(|part| matches!(part, Part::Variable { .. }));
        let words = self.parts.iter().filter_map(|part| match part {
            Part::Words(words) => Some(words),
            Part::Variable { otherwise, .. } => otherwise.as_ref(),
        });
        (names_a_secret(field) && !has_variable && !self.text.is_empty())
            || words.into_iter().any(|words| redactor.apply(words) != words.as_str())
            || (!has_variable && redactor.apply_to_field(field, &self.text) != self.text.as_str())
    }
}

impl std::str::FromStr for Template {
    type Err = String;

    /// What is wrong, as the rest of a sentence about the field.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (mut parts, mut rest) = (Vec::new(), text);
        while let Some((words, after)) = rest.split_once("${") {
            let (inside, after) = after.split_once('}').ok_or("has a ${ without its }")?;
            let (name, otherwise) = match inside.split_once(":-") {
                Some((name, otherwise)) => (name, Some(otherwise.to_owned())),
                None => (inside, None),
            };
            let is_first = |c: char| c.is_ascii_alphabetic() || c == '_';
            if !name.starts_with(is_first) || !name.chars().all(|c| is_first(c) || c.is_ascii_digit()) {
                return Err("has a ${} with what is no name of a variable in it".to_owned());
            }
            if !words.is_empty() {
                parts.push(Part::Words(words.to_owned()));
            }
            parts.push(Part::Variable { name: name.to_owned(), otherwise });
            rest = after;
        }
        if !rest.is_empty() {
            parts.push(Part::Words(rest.to_owned()));
        }
        if text.contains('\0') {
            return Err("has a zero byte in it".to_owned());
        }
        Ok(Self { text: text.to_owned(), parts })
    }
}

impl fmt::Display for Template {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}
