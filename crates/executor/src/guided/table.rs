//! The columns of a table as a command names them, which a weak model counts wrongly or makes up.

use artoo_llm_client::inline;
use serde_json::Value;

use super::code_block::Language;
use super::compared::is_number;

/// What may stand between two columns.
const SEPARATORS: [char; 4] = [',', ';', '\t', '|'];

/// A text with columns that have names, or a list of JSON objects.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Table {
    /// What stands between the columns, their names, and whether there are quotes, within which it may stand, too.
    Text { between: char, names: Vec<String>, has_quotes: bool },
    /// The keys of the first object.
    Json { keys: Vec<String> },
}

impl Table {
    /// The table that a file is, or begins with; `is_list` says that it is a list of JSON.
    pub(super) fn of(bytes: &[u8], is_list: bool) -> Option<Self> {
        let text = String::from_utf8_lossy(bytes);
        if is_list {
            let items: Vec<Value> = serde_json::from_str(&text).ok()?;
            return Some(Self::Json { keys: items.first()?.as_object()?.keys().cloned().collect() });
        }
        let mut lines: Vec<&str> = text.lines().collect();
        if lines.len() > 2 && !text.ends_with('\n') {
            // The look may end within it.
            lines.pop();
        }
        let (head, rows) = lines.split_first()?;
        let count = |line: &str, separator: char| line.matches(separator).count();
        let between = SEPARATORS.into_iter().max_by_key(|separator| count(head, *separator))?;
        let has_quotes = text.contains('"');
        let names: Vec<String> = head.split(between).map(|name| name.trim().to_owned()).collect();
        let is_named = names.len() > 1 && names.iter().all(|name| !name.is_empty() && !is_number(name));
        let mut rows = rows.iter().filter(|row| !row.trim().is_empty()).peekable();
        // What is no table has commas, too, but not as many in every line.
        let is_even = rows.peek().is_some()
            && rows.all(|row| has_quotes || count(row, between) == count(head, between));
        (is_named && is_even).then_some(Self::Text { between, names, has_quotes })
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
        let told = |table: &str, is_list| {
            let table = Table::of(table.as_bytes(), is_list)?;
            Some([Language::Shell, Language::Python].map(|language| table.columns(language)))
        };
        let both = |shell: &str, python: &str| Some([Some(shell.to_owned()), Some(python.to_owned())]);
        assert_eq!(
            told("name;n\nada;1\n", false),
            both(
                "Columns for awk -F';': $1 is name, $2 is n",
                r#"Columns for csv.DictReader, delimiter=";": "name", "n""#
            )
        );
        assert_eq!(
            told("a\tb, c\td\r\n1\t2\t3\r\n", false),
            both(
                r"Columns for awk -F'\t': $1 is a, $2 is b, c, $3 is d",
                r#"Columns for csv.DictReader, delimiter="\t": "a", "b, c", "d""#
            )
        );
        let quotes = told("name,n\n\"a, b\",1\n", false).unwrap();
        assert!(quotes[0].is_none() && quotes[1].is_some(), "{quotes:?}");
        assert_eq!(
            told(r#"[{"n": 1, "名": "x"}]"#, true),
            Some([Some(r#"Fields for jq: .[].n, .[]["名"]"#.to_owned()), None])
        );
        // No names, another number of columns, lines of prose, one column, and nothing.
        for other in [
            "ada,1\nbob,2\n",
            "name,n\nada\n",
            "Dear Ada, hello\nI came, then\nleft.\n",
            "name\nada\n",
            "name,n",
            "",
        ] {
            assert_eq!(told(other, false), None, "{other}");
        }
        assert_eq!(told("[]", true), None);
        assert!(told("a,b\n1,2\n\n3,4\n5", false).is_some(), "the last line was cut");
    }

    proptest! {
        #[test]
        fn any_file_is_told_in_one_line(text in any::<String>(), is_list in any::<bool>()) {
            let table = Table::of(text.as_bytes(), is_list);
            for language in [Language::Shell, Language::Python] {
                let told = table.as_ref().and_then(|table| table.columns(language));
                prop_assert!(told.is_none_or(|told| !told.contains('\n')));
            }
        }
    }
}
