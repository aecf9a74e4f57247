//! A server's question to the user during a call: forms, field by field, and addresses to open.
//!
//! What is typed goes to the server. It is on record as any answer to a question of a run is, so secrets of known forms are taken out there;
//! a server that asks for a password gets what the person types.

use artoo_consent::Consent;
use reqwest::Url;
use rmcp::model::{ElicitRequestParams, ElicitResult, ElicitationAction};
use serde_json::{Map, Number, Value};

use crate::{ServerName, config::is_near, definition::short};

/// The most fields of a form.
const MOST_FIELDS: usize = 20;
/// The most choices that are listed.
const MOST_CHOICES: usize = 50;
/// The word for the value that the server suggests.
const USUAL: &str = "default";
/// How often an answer that does not fit is asked for again.
const TRIES: usize = 2;

/// The answer of the person to a question of this server. Nobody there is a no.
pub(crate) async fn answer(
    server: &ServerName,
    request: ElicitRequestParams,
    consent: &dyn Consent,
) -> ElicitResult {
    match request {
        ElicitRequestParams::FormElicitationParams { message, requested_schema, .. } => {
            let order = requested_schema.property_order.clone();
            let schema = serde_json::to_value(&requested_schema).unwrap_or_default();
            let asked = format!("the server {server} asks: {}", short(&message));
            match form(&asked, &schema, order, consent).await {
                Some(content) => {
                    ElicitResult::new(ElicitationAction::Accept).with_content(Value::Object(content))
                }
                None => ElicitResult::new(ElicitationAction::Decline),
            }
        }
        ElicitRequestParams::UrlElicitationParams { message, url, .. } => {
            let is_accepted = match page(&url) {
                Some(url) => {
                    let asked = format!(
                        "the server {server} asks you to open {url} in your browser: {} Say yes once you have done that, and no if you will not.",
                        short(&message)
                    );
                    consent.ask_words(asked).await.and_then(|said| yes_or_no(&said)) == Some(true)
                }
                None => false,
            };
            ElicitResult::new(if is_accepted {
                ElicitationAction::Accept
            } else {
                ElicitationAction::Decline
            })
        }
        _ => ElicitResult::new(ElicitationAction::Decline),
    }
}

/// An address that a person may be sent to.
fn page(url: &str) -> Option<Url> {
    let url = Url::parse(url).ok().filter(|url| url.as_str().len() <= 2_000)?;
    let has_user = !url.username().is_empty() || url.password().is_some();
    let is_page = url.scheme() == "https" || (url.scheme() == "http" && is_near(&url));
    (is_page && !has_user).then_some(url)
}

/// All fields; `None` if one that is required has no answer, or none at all has one.
async fn form(
    asked: &str,
    schema: &Value,
    order: Option<Vec<String>>,
    consent: &dyn Consent,
) -> Option<Map<String, Value>> {
    let properties = schema.get("properties").and_then(Value::as_object)?;
    let names = order.unwrap_or_else(|| properties.keys().cloned().collect());
    if names.len() > MOST_FIELDS {
        return None;
    }
    let required = schema.get("required").and_then(Value::as_array);
    let mut content = Map::new();
    for name in &names {
        let Some(field) = properties.get(name) else { continue };
        let is_required = required.is_some_and(|required| required.iter().any(|one| one == name.as_str()));
        match ask(asked, name, field, is_required, consent).await {
            Some(value) => drop(content.insert(name.clone(), value)),
            None if is_required => return None,
            None => {}
        }
    }
    (!content.is_empty() || names.is_empty()).then_some(content)
}

async fn ask(
    asked: &str,
    name: &str,
    field: &Value,
    is_required: bool,
    consent: &dyn Consent,
) -> Option<Value> {
    let text = |key: &str| field.get(key).and_then(Value::as_str);
    let described =
        [text("title"), text("description")].into_iter().flatten().map(short).collect::<Vec<_>>().join(": ");
    let label = if described.is_empty() { short(name) } else { format!("{} ({described})", short(name)) };
    let optional = if is_required { "" } else { " It may be left out." };
    let default = field.get("default").filter(|value| !value.is_null());
    let usual =
        default.map(|value| format!(" Say {USUAL} for {}.", short(&value.to_string()))).unwrap_or_default();
    let mut problem = String::new();
    for _ in 0..TRIES {
        let question = format!("{asked} {label}: {}.{optional}{usual}{problem}", wanted(field));
        let said = consent.ask_words(question).await?;
        if let Some(default) = default.filter(|_| said.trim() == USUAL) {
            return Some(default.clone());
        }
        match read(said.trim(), field) {
            Ok(value) => return Some(value),
            Err(why) => problem = format!(" The last answer did not fit: {why}."),
        }
    }
    None
}

/// What would fit, in words.
fn wanted(field: &Value) -> String {
    let choices = choices(field);
    if !choices.is_empty() {
        let listed: Vec<String> = choices.iter().take(MOST_CHOICES).map(|(_, shown)| short(shown)).collect();
        let several = if is_list(field) { "some of these, with commas between them" } else { "one of these" };
        return format!("{several}: {}", listed.join(", "));
    }
    match field.get("type").and_then(Value::as_str) {
        Some("boolean") => "yes or no".to_owned(),
        Some("integer") => "a whole number".to_owned(),
        Some("number") => "a number".to_owned(),
        _ => match field.get("format").and_then(Value::as_str) {
            Some(format) => format!("a text of the form {}", short(format)),
            None => "a text".to_owned(),
        },
    }
}

fn is_list(field: &Value) -> bool {
    field.get("type").and_then(Value::as_str) == Some("array")
}

/// The choices of a field: each value with what is shown of it.
fn choices(field: &Value) -> Vec<(String, String)> {
    let of = if is_list(field) { field.get("items").unwrap_or(field) } else { field };
    let titled = ["oneOf", "anyOf"].into_iter().filter_map(|key| of.get(key)?.as_array()).flatten();
    let titled = titled.filter_map(|one| {
        let value = one.get("const")?.as_str()?;
        Some((value.to_owned(), one.get("title").and_then(Value::as_str).unwrap_or(value).to_owned()))
    });
    let names = of.get("enumNames").and_then(Value::as_array);
    let plain = of.get("enum").and_then(Value::as_array).into_iter().flatten().enumerate().filter_map(
        |(at, value)| {
            let value = value.as_str()?;
            let shown = names.and_then(|names| names.get(at)?.as_str()).unwrap_or(value);
            Some((value.to_owned(), shown.to_owned()))
        },
    );
    titled.chain(plain).collect()
}

/// The value that was typed, or why it does not fit.
fn read(said: &str, field: &Value) -> Result<Value, String> {
    let choices = choices(field);
    let chosen = |word: &str| {
        let word = word.trim();
        let found = choices.iter().find(|(value, shown)| value == word || shown.eq_ignore_ascii_case(word));
        found
            .map(|(value, _)| Value::from(value.clone()))
            .ok_or_else(|| "it is none of the choices".to_owned())
    };
    if is_list(field) {
        return said.split(',').map(chosen).collect::<Result<Vec<_>, _>>().map(Value::Array);
    }
    if !choices.is_empty() {
        return chosen(said);
    }
    let number = |key: &str| field.get(key).and_then(Value::as_f64);
    let within = |value: f64| {
        let is_low = number("minimum").is_some_and(|least| value < least);
        let is_high = number("maximum").is_some_and(|most| value > most);
        if is_low || is_high { Err("it is too small or too large".to_owned()) } else { Ok(()) }
    };
    match field.get("type").and_then(Value::as_str) {
        Some("boolean") => {
            yes_or_no(said).map(Value::Bool).ok_or_else(|| "it is neither yes nor no".to_owned())
        }
        Some("integer") => {
            let whole: i64 = said.parse().map_err(|_| "it is no whole number".to_owned())?;
            within(whole as f64)?;
            Ok(Value::from(whole))
        }
        Some("number") => {
            let value: f64 = said.parse().map_err(|_| "it is no number".to_owned())?;
            within(value)?;
            Number::from_f64(value).map(Value::Number).ok_or_else(|| "it is no number".to_owned())
        }
        _ => {
            let count = said.chars().count() as u64;
            let length = |key: &str| field.get(key).and_then(Value::as_u64);
            let is_short = length("minLength").is_some_and(|least| count < least);
            if is_short || length("maxLength").is_some_and(|most| count > most) {
                return Err("it is too short or too long".to_owned());
            }
            Ok(Value::from(said))
        }
    }
}

fn yes_or_no(said: &str) -> Option<bool> {
    match said.trim().to_lowercase().as_str() {
        "y" | "yes" | "true" | "1" => Some(true),
        "n" | "no" | "false" | "0" => Some(false),
        _ => None,
    }
}
