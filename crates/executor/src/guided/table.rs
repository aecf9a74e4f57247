//! The columns of a table, and the fields of a JSON, as a command names them: a weak model counts them wrongly or makes them up.

use artoo_checks::table;
use artoo_llm_client::inline;
use serde_json::Value;

use super::code_block::Language;
use super::compared::is_number;

/// The maximum number of fields that are told, and of items of a list that are looked at for them.
const MOST_FIELDS: usize = 16;
const MOST_ITEMS: usize = 8;
/// The maximum number of bytes that all names together take in the prompt.
const LONGEST_TOLD: usize = 2_000;

/// A text with columns that have names, or a JSON with fields that have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Table {
    /// What stands between the columns, their names, and whether there are quotes, within which it may stand, too.
    Text { between: char, names: Vec<String>, has_quotes: bool },
    /// The fields, in the order in which they stand there, each by the steps that lead to it.
    Json { fields: Vec<Vec<Step>> },
}

/// A field: what the values of a table or a JSON stand in.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Field {
    /// The column of this name.
    Column(String),
    /// Where these steps lead.
    Json(Vec<Step>),
}

/// The values of a table, each with its field.
pub(super) type Values = Vec<(Field, String)>;

/// A step towards a field.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Step {
    /// To the value of a key.
    Key(String),
    /// To an item of a list.
    Item,
}

impl Table {
    /// The table that a text is, or begins with, and its values.
    pub(super) fn of(text: &str) -> Option<(Self, Values)> {
        // A look at a long file may end within its last line.
        let whole = text.rsplit_once('\n').filter(|(before, _)| before.contains('\n'));
        let (between, names, rows) = table(whole.map_or(text, |(before, _)| before).as_bytes())?;
        if names.iter().any(|name| name.is_empty() || is_number(name)) {
            return None;
        }
        let of_row = |row: Vec<String>| names.iter().cloned().map(Field::Column).zip(row);
        let values = rows.into_iter().flat_map(of_row).collect();
        Some((Self::Text { between, names, has_quotes: text.contains('"') }, values))
    }

    /// The table that a JSON is, and the texts in it; `None` if none of its fields has a name.
    pub(super) fn of_json(json: &Value) -> Option<(Self, Values)> {
        let mut fields = Vec::new();
        add_fields(json, &[], &mut fields);
        fields.retain(|field| field.iter().any(|step| matches!(step, Step::Key(_))));
        let mut values = Vec::new();
        add_values(json, &mut Vec::new(), &mut values);
        (!fields.is_empty()).then_some((Self::Json { fields }, values))
    }

    /// What stands between the columns of a text.
    pub(super) const fn between(&self) -> Option<char> {
        match self {
            Self::Text { between, .. } => Some(*between),
            Self::Json { .. } => None,
        }
    }

    /// How a command names the columns of this file, each behind its own name, which a weak model looks for; `None` where that is
    /// known, or no way to do so is right.
    pub(super) fn columns(&self, language: Language, file: &str) -> Option<String> {
        match (self, language) {
            // It takes apart what stands in quotes.
            (Self::Text { has_quotes: true, .. }, Language::Shell) => None,
            (Self::Text { between, names, .. }, Language::Shell) => {
                let numbered =
                    (1..).zip(names).map(|(number, name)| format!("{} is ${number}", inline(name)));
                Some(format!("Columns for awk -F'{}': {}", escaped(*between), joined(numbered)))
            }
            (Self::Text { between, names, .. }, Language::Python) => {
                let names = joined(names.iter().map(|name| json_string(name)));
                // A weak model goes through a reader twice, or asks for its length, and gives it a path.
                let (file, between) = (json_string(file), escaped(*between));
                let rows = format!("list(csv.DictReader(open({file}), delimiter=\"{between}\"))");
                Some(format!("Columns of {rows}: {names}"))
            }
            (Self::Text { names, .. }, Language::Sql) => {
                Some(format!("Columns of data: {}", joined(names.iter().map(|name| identifier(name)))))
            }
            (Self::Json { fields }, Language::Shell) => {
                Some(format!("Fields for jq: {}", joined(fields.iter().map(|field| jq(field)))))
            }
            (Self::Json { .. }, Language::Sql) => None,
            // The first object is told.
            (Self::Json { fields }, Language::Python) if fields.iter().all(|field| is_of_an_item(field)) => {
                None
            }
            (Self::Json { fields }, Language::Python) => {
                Some(format!("Fields of json.load: {}", joined(fields.iter().map(|field| subscripts(field)))))
            }
        }
    }
}

/// Adds the fields of a value to which these steps lead.
fn add_fields(json: &Value, steps: &[Step], fields: &mut Vec<Vec<Step>>) {
    let deeper: Vec<(Step, &Value)> = match json {
        Value::Object(object) => object.iter().map(|(key, value)| (Step::Key(key.clone()), value)).collect(),
        Value::Array(items) => items.iter().take(MOST_ITEMS).map(|item| (Step::Item, item)).collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => Vec::new(),
    };
    if deeper.is_empty() && fields.iter().all(|field| field != steps) {
        fields.push(steps.to_vec());
    }
    for (step, value) in deeper {
        if fields.len() >= MOST_FIELDS {
            return;
        }
        add_fields(value, &[steps, &[step]].concat(), fields);
    }
}

/// Adds the texts of a value to which these steps lead.
fn add_values(json: &Value, steps: &mut Vec<Step>, values: &mut Values) {
    let deeper: Vec<(Step, &Value)> = match json {
        Value::Object(object) => object.iter().map(|(key, value)| (Step::Key(key.clone()), value)).collect(),
        Value::Array(items) => items.iter().map(|item| (Step::Item, item)).collect(),
        Value::String(text) => {
            values.push((Field::Json(steps.clone()), text.clone()));
            return;
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => return,
    };
    for (step, value) in deeper {
        steps.push(step);
        add_values(value, steps, values);
        steps.pop();
    }
}

impl Field {
    /// How a command names it.
    pub(super) fn told(&self, language: Language) -> String {
        match (self, language) {
            (Self::Column(name), Language::Shell | Language::Python) => inline(name),
            (Self::Json(steps), Language::Shell) => jq(steps),
            (Self::Column(name), Language::Sql) => identifier(name),
            (Self::Json(steps), Language::Python | Language::Sql) => subscripts(steps),
        }
    }
}

/// Whether it is a field of a list's item, and nothing within that.
fn is_of_an_item(field: &[Step]) -> bool {
    matches!(field, [Step::Item, Step::Key(_)])
}

fn jq(field: &[Step]) -> String {
    let is_word = |key: &str| {
        key.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
            && !key.starts_with(|c: char| c.is_ascii_digit())
            && !key.is_empty()
    };
    let mut said = String::new();
    for step in field {
        said.push_str(&match step {
            Step::Item if said.is_empty() => ".[]".to_owned(),
            Step::Item => "[]".to_owned(),
            Step::Key(key) if is_word(key) => format!(".{key}"),
            Step::Key(key) if said.is_empty() => format!(".[{}]", json_string(key)),
            Step::Key(key) => format!("[{}]", json_string(key)),
        });
    }
    said
}

fn subscripts(field: &[Step]) -> String {
    let one = |step: &Step| match step {
        Step::Item => "[i]".to_owned(),
        Step::Key(key) => format!("[{}]", json_string(key)),
    };
    field.iter().map(one).collect()
}

/// The name of a column as a query has it.
fn identifier(name: &str) -> String {
    format!("\"{}\"", inline(name).replace('"', "\"\""))
}

fn json_string(name: &str) -> String {
    Value::from(inline(name)).to_string()
}

fn escaped(separator: char) -> String {
    if separator == '\t' { "\\t".to_owned() } else { separator.to_string() }
}

/// The names, as many as there is room for: a file may have any.
fn joined(names: impl Iterator<Item = String>) -> String {
    let mut told = String::new();
    for name in names {
        let between = if told.is_empty() { "" } else { ", " };
        if told.len() + between.len() + name.len() > LONGEST_TOLD {
            break;
        }
        told.push_str(between);
        told.push_str(&name);
    }
    told
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn both_of(table: Table) -> [Option<String>; 2] {
        [Language::Shell, Language::Python].map(|language| table.columns(language, "my list"))
    }

    #[test]
    fn a_query_names_columns_in_quotes() {
        let (table, _) = Table::of("name,\"lives \"\"in\"\"\"\nada,x\n").unwrap();
        let told = "Columns of data: \"name\", \"lives \"\"in\"\"\"";
        assert_eq!(table.columns(Language::Sql, "").as_deref(), Some(told));
    }

    #[test]
    fn columns_are_told_as_each_language_names_them() {
        let told = |text: &str| Table::of(text).map(|(table, _)| both_of(table));
        let both = |shell: &str, python: &str| Some([Some(shell.to_owned()), Some(python.to_owned())]);
        assert_eq!(
            told("name;n\nada;1\n"),
            both(
                "Columns for awk -F';': name is $1, n is $2",
                r#"Columns of list(csv.DictReader(open("my list"), delimiter=";")): "name", "n""#
            )
        );
        assert_eq!(
            told("a\tb, c\td\r\n1\t2\t3\r\n"),
            both(
                r"Columns for awk -F'\t': a is $1, b, c is $2, d is $3",
                r#"Columns of list(csv.DictReader(open("my list"), delimiter="\t")): "a", "b, c", "d""#
            )
        );
        let quotes = told("name,n\n\"a, b\",1\n").unwrap();
        assert!(quotes[0].is_none() && quotes[1].is_some(), "{quotes:?}");
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

    #[test]
    fn fields_are_told_by_the_way_to_them() {
        let told = |json: Value| Table::of_json(&json).map(|(table, _)| both_of(table));
        let list = json!([{"n": 1, "名": "a"}, {"n": 2, "more": []}]);
        let jq = r#"Fields for jq: .[].n, .[]["名"], .[].more"#;
        assert_eq!(told(list), Some([Some(jq.to_owned()), None]));
        let nested = json!({"all": [{"of": {"2": [1, 2]}}], "n-n": 1});
        let jq = r#"Fields for jq: .all[].of["2"][], .["n-n"]"#;
        let python = r#"Fields of json.load: ["all"][i]["of"]["2"][i], ["n-n"]"#;
        assert_eq!(told(nested), Some([jq, python].map(|told| Some(told.to_owned()))));
        for nameless in [json!([1, 2]), json!([]), json!({}), json!("a"), json!([[[]]])] {
            assert_eq!(told(nameless), None);
        }
        let many = Value::from_iter((0..100).map(|number| (format!("k{number:02}"), 1)));
        let Some((Table::Json { fields }, _)) = Table::of_json(&many) else { panic!("{many}") };
        assert_eq!(fields.len(), MOST_FIELDS);
        let long = json!({"a": 1, "b".repeat(LONGEST_TOLD): 1, "c": 1});
        assert_eq!(
            told(long),
            Some(["Fields for jq: .a", r#"Fields of json.load: ["a"]"#].map(|told| Some(told.to_owned())))
        );
    }

    proptest! {
        #[test]
        fn any_file_is_told_in_one_line(text in any::<String>()) {
            let table = Table::of(&text);
            for language in [Language::Shell, Language::Python, Language::Sql] {
                let told = table.as_ref().and_then(|(table, _)| table.columns(language, &text));
                prop_assert!(told.is_none_or(|told| !told.contains('\n')));
            }
        }
    }
}
