//! Coerces the arguments of a call to the schema of its tool, where they can mean one thing only.
//!
//! Models write `"2"` for 2, one object for a list of one, or the text of a list for the list. A call that is refused
//! for this costs a turn and teaches nothing. What may mean two things stays as it is, and the tool refuses it with
//! the reason.

mod remark;
mod value;

use artoo_types::{Arguments, ToolName};
use serde_json::Value;

use self::remark::is_remark;
use self::value::{coerced_value, fits, parsed};
use crate::ToolError;
use crate::tool::FileContent;

/// The most steps in which arguments are coerced: nothing that a model means is wrapped deeper.
const MOST_STEPS: usize = 8;
/// Formats in which an object or a list is written in another way than as JSON.
const OTHER_FORMATS: [&str; 13] =
    ["yaml", "yml", "toml", "ini", "cfg", "conf", "env", "properties", "xml", "html", "plist", "csv", "tsv"];
/// Formats in which a list of texts can only be JSON; in others it may be a list of lines.
const JSON_FORMATS: [&str; 8] =
    ["json", "jsonc", "json5", "geojson", "ipynb", "webmanifest", "topojson", "code-workspace"];

/// The arguments as the tool's schema wants them, as far as they can mean only that. Arguments that fit already are
/// not changed.
///
/// # Errors
///
/// The content of a file is no text, and may mean several.
pub(crate) fn coerced(
    mut arguments: Arguments,
    schema: &Value,
    tool: &ToolName,
    content: Option<FileContent>,
) -> Result<Arguments, ToolError> {
    // What is left after one step may be one object around all: each step leaves less.
    for _ in 0..MOST_STEPS {
        let taken = one_step(arguments.clone(), schema, tool, content)?;
        if taken == arguments {
            break;
        }
        arguments = taken;
    }
    Ok(arguments)
}

fn one_step(
    arguments: Arguments,
    schema: &Value,
    tool: &ToolName,
    content: Option<FileContent>,
) -> Result<Arguments, ToolError> {
    let mut arguments = if is_closed(schema) { unwrapped(arguments, schema) } else { arguments };
    // Before a list of one text would become that text.
    if let Some(content) = content
        && let Some(value) = arguments.get(content.argument)
        && let Some(text) = file_text(value, arguments.get(content.path)).transpose()
    {
        let text = text.map_err(|problem| ToolError::argument(content.argument, problem))?;
        arguments.insert(content.argument.to_owned(), text.into());
    }
    Ok(object(arguments, schema, Some(tool)))
}

/// The members of an object, coerced. `tool` is given for the arguments as a whole.
fn object(mut given: Arguments, schema: &Value, tool: Option<&ToolName>) -> Arguments {
    let Some(properties) = schema.get("properties").and_then(Value::as_object) else { return given };
    let is_closed = is_closed(schema);
    let is_required = |name: &str| required(schema).any(|required| required == name);
    if is_closed {
        gather_item(&mut given, properties);
    }
    let absent: Vec<&str> =
        properties.keys().map(String::as_str).filter(|name| !given.contains_key(*name)).collect();
    let mut taken = Arguments::new();
    for (name, value) in given {
        match properties.get(&name) {
            // Some models fill in every name of a schema.
            Some(wanted) if value.is_null() && !is_required(&name) && !fits(&value, wanted) => {}
            Some(wanted) => {
                let coerced = coerced_value(&value, wanted).unwrap_or(value);
                taken.insert(name, coerced);
            }
            None if is_closed && is_remark(&name, &value, &absent, tool) => {}
            None => {
                taken.insert(name, value);
            }
        }
    }
    taken
}

/// Whether a schema knows all members of its objects.
fn is_closed(schema: &Value) -> bool {
    schema.get("additionalProperties") == Some(&Value::Bool(false))
}

fn required(schema: &Value) -> impl Iterator<Item = &str> {
    schema.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str)
}

/// Arguments within one more object: `{"arguments": {"path": "a"}}`.
fn unwrapped(given: Arguments, schema: &Value) -> Arguments {
    let is_known = |name: &String| schema.get("properties").is_some_and(|known| known.get(name).is_some());
    let mut members = given.iter();
    let (Some((name, value)), None) = (members.next(), members.next()) else { return given };
    if is_known(name) {
        return given;
    }
    match parsed(value).unwrap_or_else(|| value.clone()) {
        Value::Object(inner)
            if !inner.is_empty()
                && inner.keys().all(is_known)
                && required(schema).all(|name| inner.contains_key(name)) =>
        {
            inner
        }
        Value::Null
        | Value::Bool(_)
        | Value::Number(_)
        | Value::String(_)
        | Value::Array(_)
        | Value::Object(_) => given,
    }
}

/// Moves unknown members that together are an item of the one list of objects that is missing into such a list:
/// `{"path": "a", "old": "1", "new": "2"}`.
fn gather_item(given: &mut Arguments, properties: &Arguments) {
    let unknown: Vec<String> = given.keys().filter(|name| !properties.contains_key(*name)).cloned().collect();
    if unknown.is_empty() {
        return;
    }
    let is_absent = |name: &String| given.get(name).is_none_or(Value::is_null);
    let lists = properties.iter().filter(|(name, list)| {
        is_absent(name) && list.get("items").and_then(|items| items.get("properties")).is_some()
    });
    let lists: Vec<(String, Value)> =
        lists.filter_map(|(name, list)| Some((name.clone(), list.get("items")?.clone()))).collect();
    let [(name, item)] = lists.as_slice() else { return };
    let is_of_item = |name: &&String| item.get("properties").is_some_and(|known| known.get(name).is_some());
    let members: Arguments = unknown
        .iter()
        .filter(is_of_item)
        .filter_map(|name| Some((name.clone(), given.get(name)?.clone())))
        .collect();
    let gathered = Value::Object(object(members.clone(), item, None));
    if !members.is_empty() && fits(&gathered, item) {
        given.retain(|name, _| !members.contains_key(name));
        given.insert(name.clone(), Value::Array(vec![gathered]));
    }
}

/// The text of a file that is given as a JSON value; `None` if it is given as a text.
fn file_text(value: &Value, path: Option<&Value>) -> Result<Option<String>, String> {
    let ending = path.and_then(Value::as_str).and_then(|path| path.rsplit(['/', '.']).next());
    let ending = ending.unwrap_or_default().to_lowercase();
    let is_one_of = |formats: &[&str]| formats.contains(&ending.as_str());
    match value {
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => Ok(None),
        Value::Array(_) | Value::Object(_) if is_one_of(&OTHER_FORMATS) => {
            Err(format!("is {} where a `.{ending}` file has its own form; give its text", in_words(value)))
        }
        Value::Array(items) if !is_one_of(&JSON_FORMATS) && items.iter().all(Value::is_string) => {
            Err("is a list of texts, which may mean lines of a text or JSON; give the text of the file"
                .to_owned())
        }
        Value::Array(_) | Value::Object(_) => {
            // A value of JSON can always be written.
            Ok(serde_json::to_string_pretty(value).ok().map(|text| text + "\n"))
        }
    }
}

fn in_words(value: &Value) -> &'static str {
    if value.is_array() { "a list" } else { "an object" }
}

#[cfg(test)]
#[path = "coercion/tests.rs"]
mod tests;
