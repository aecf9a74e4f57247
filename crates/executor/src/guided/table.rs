//! The columns of a table as a command names them, which a weak model counts wrongly or makes up.

use artoo_checks::table_columns;
use artoo_llm_client::inline;
use serde_json::Value;

use super::code_block::Language;
use super::compared::is_number;

/// A text with columns that have names, or a list of JSON objects.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Table {
    /// What stands between the columns, their names, and whether there are quotes, within which it may stand, too.
    Text { between: char, names: Vec<String>, has_quotes: bool },
    /// The keys of the first object.
    Json { keys: Vec<String> },
}

impl Table {
    /// The table that a text is, or begins with.
    pub(super) fn of(text: &str) -> Option<Self> {
        // A look at a long file may end within its last line.
        let whole = text.rsplit_once('\n').filter(|(before, _)| before.contains('\n'));
        let (between, names) = table_columns(whole.map_or(text, |(before, _)| before).as_bytes())?;
        let is_named = names.iter().all(|name| !name.is_empty() && !is_number(name));
        is_named.then(|| Self::Text { between, names, has_quotes: text.contains('"') })
    }

    /// How a command names the columns; `None` where that is known, or no way to do so is right.
    pub(super) fn columns(&self, language: Language) -> Option<String> {
        let quoted = |name: &String| Value::from(inline(name)).to_string();
        match (self, language) {
            // It takes apart what stands in quotes.
            (Self::Text { has_quotes: true, .. }, Language::Shell) => None,
            (Self::Text { between, names, .. }, Language::Shell) => {
                let numbered =
                    (1..).zip(names).map(|(number, name)| format!("${number} is {}", inline(name)));
                Some(format!("Columns for awk -F'{}': {}", escaped(*between), joined(numbered)))
            }
            (Self::Text { between, names, .. }, Language::Python) => {
                let names = joined(names.iter().map(quoted));
                Some(format!("Columns for csv.DictReader, delimiter=\"{}\": {names}", escaped(*between)))
            }
            (Self::Json { keys }, Language::Shell) => {
                let is_word = |key: &str| key.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
                let named = |key: &String| match is_word(key) {
                    true => format!(".[].{key}"),
                    false => format!(".[][{}]", quoted(key)),
                };
                Some(format!("Fields for jq: {}", joined(keys.iter().map(named))))
            }
            // The first object is told.
            (Self::Json { .. }, Language::Python) => None,
        }
    }
}

fn escaped(separator: char) -> String {
    if separator == '\t' { "\\t".to_owned() } else { separator.to_string() }
}

fn joined(names: impl Iterator<Item = String>) -> String {
    names.collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn columns_are_told_as_each_language_names_them() {
        let both_of =
            |table: Table| [Language::Shell, Language::Python].map(|language| table.columns(language));
        let told = |text: &str| Table::of(text).map(both_of);
        let both = |shell: &str, python: &str| Some([Some(shell.to_owned()), Some(python.to_owned())]);
        assert_eq!(
            told("name;n\nada;1\n"),
            both(
                "Columns for awk -F';': $1 is name, $2 is n",
                r#"Columns for csv.DictReader, delimiter=";": "name", "n""#
            )
        );
        assert_eq!(
            told("a\tb, c\td\r\n1\t2\t3\r\n"),
            both(
                r"Columns for awk -F'\t': $1 is a, $2 is b, c, $3 is d",
                r#"Columns for csv.DictReader, delimiter="\t": "a", "b, c", "d""#
            )
        );
        let quotes = told("name,n\n\"a, b\",1\n").unwrap();
        assert!(quotes[0].is_none() && quotes[1].is_some(), "{quotes:?}");
        let json = Table::Json { keys: vec!["n".to_owned(), "名".to_owned()] };
        assert_eq!(Some(both_of(json)), Some([Some(r#"Fields for jq: .[].n, .[]["名"]"#.to_owned()), None]));
        // No names, another number of columns, lines of prose, one column, and nothing.
        for other in [
            "ada,1\nbob,2\n",
            "name,n\nada\n",
            "Dear Ada, hello\nI came, then\nleft.\n",
            "name\nada\n",
            "name,n",
            "",
        ] {
            assert_eq!(told(other), None, "{other}");
        }
        assert_eq!(told("[]"), None);
        assert!(told("a,b\n1,2\n\n3,4\n5").is_some(), "the last line was cut");
    }

    proptest! {
        #[test]
        fn any_file_is_told_in_one_line(text in any::<String>()) {
            let table = Table::of(&text);
            for language in [Language::Shell, Language::Python] {
                let told = table.as_ref().and_then(|table| table.columns(language));
                prop_assert!(told.is_none_or(|told| !told.contains('\n')));
            }
        }
    }
}
