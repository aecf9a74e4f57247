//! Model servers: which answer on this machine, and their models as a list to choose from.

use std::cmp::Reverse;
use std::net::IpAddr;
use std::time::Duration;

use artoo_llm_http::{HttpConfig, ListedModel, Timeouts, listed_models};
use tokio::task::JoinSet;

use super::questions::paragraph;
use crate::known_servers::KNOWN_SERVERS;
use crate::suggest::nearest;
use crate::terminal::{neutral_line, pad, width};
use crate::view::bytes;

/// How long a server on this machine may take to answer.
const WAIT: Duration = Duration::from_millis(300);
/// Most models in a list: some servers offer hundreds.
const MOST_ROWS: usize = 12;
/// Below this width, a row has two lines.
const NARROW: usize = 60;

/// A model server that answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct FoundServer {
    /// Its name, or its address.
    pub(super) name: String,
    /// Its address.
    pub(super) base_url: String,
    /// Its models.
    pub(super) models: Vec<ListedModel>,
}

/// The servers that answer on this machine.
pub(super) async fn on_this_machine() -> Vec<FoundServer> {
    let mut probes = JoinSet::new();
    for (place, server) in KNOWN_SERVERS.into_iter().enumerate() {
        let config = HttpConfig {
            timeouts: Timeouts { connect: WAIT, first_byte: Some(WAIT), idle: Some(WAIT) },
            ..HttpConfig::new(server.base_url, "")
        };
        probes.spawn(async move { (place, server, listed_models(&config).await) });
    }
    let mut answers = probes.join_all().await;
    answers.sort_by_key(|(place, ..)| *place);
    let found = answers.into_iter().filter_map(|(_, server, models)| {
        // Nothing listens there, or what does is no model server.
        let models = models.ok()?;
        Some(FoundServer { name: server.name.to_owned(), base_url: server.base_url.to_owned(), models })
    });
    found.collect()
}

/// A model of a server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ModelRow {
    /// The server's name.
    pub(super) server: String,
    /// Its address.
    pub(super) base_url: String,
    /// The model.
    pub(super) model: ListedModel,
    /// Whether the model alone is larger than the memory of the machine that it would run on.
    pub(super) is_too_large: bool,
}

/// The models of servers: first those that fit, the largest first, then those of unknown size, then those that are
/// larger than the memory. It is unknown for a server on another machine.
pub(super) fn rows(servers: &[FoundServer], memory: Option<u64>) -> Vec<ModelRow> {
    let of = |server: &FoundServer| {
        let (name, base_url) = (server.name.clone(), server.base_url.clone());
        let row = move |model: &ListedModel| ModelRow {
            server: name.clone(),
            base_url: base_url.clone(),
            is_too_large: model.size.zip(memory).is_some_and(|(size, memory)| size > memory),
            model: model.clone(),
        };
        server.models.iter().map(row).collect::<Vec<_>>()
    };
    let mut rows: Vec<ModelRow> = servers.iter().flat_map(of).collect();
    rows.sort_by_key(|row| (row.is_too_large, row.model.size.is_none(), Reverse(row.model.size)));
    rows
}

/// The list as it is shown.
pub(super) fn list(rows: &[ModelRow], memory: Option<u64>, columns: usize) -> Vec<String> {
    let shown = rows.get(..MOST_ROWS).unwrap_or(rows);
    let name = |row: &ModelRow| neutral_line(&row.model.name);
    let size = |row: &ModelRow| row.model.size.map(bytes).unwrap_or_default();
    let widest =
        |text: &dyn Fn(&ModelRow) -> String| shown.iter().map(|row| width(&text(row))).max().unwrap_or(0);
    let (name_width, size_width) = (widest(&name), widest(&size));
    let mut lines = Vec::new();
    for (number, row) in (1..).zip(shown) {
        let server = neutral_line(&row.server);
        if columns < NARROW {
            lines.push(format!("{number:>3}  {}", name(row)));
            let told = [size(row), server].into_iter().filter(|text| !text.is_empty());
            lines.push(format!("     {}", told.collect::<Vec<_>>().join(", ")));
        } else {
            let (name, size) = (pad(&name(row), name_width), pad(&size(row), size_width));
            let gap = if size_width > 0 { "  " } else { "" };
            lines.push(format!("{number:>3}  {name}  {size}{gap}{server}"));
        }
        if let Some(memory) = memory.filter(|_| row.is_too_large) {
            let note = format!("larger than the memory of this machine ({})", bytes(memory));
            lines.extend(paragraph(5, &note, columns));
        }
    }
    let more = rows.len().saturating_sub(shown.len());
    if more > 0 {
        lines.extend(paragraph(5, &format!("and {more} more, which can be typed by name"), columns));
    }
    lines
}

/// What was typed at the list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Typed {
    /// One of the models.
    Model(ModelRow),
    /// The address of a server.
    Address(String),
    /// Neither, and what is possible.
    Unknown(String),
}

impl Typed {
    /// The meaning of an answer. An empty one is the first model, unless that is too large.
    pub(super) fn of(text: &str, rows: &[ModelRow]) -> Self {
        let usual = rows.first().filter(|row| text.is_empty() && !row.is_too_large);
        let number = || rows.get(text.parse::<usize>().ok()?.checked_sub(1)?);
        let named = || rows.iter().find(|row| row.model.name == text);
        if let Some(row) = usual.or_else(number).or_else(named) {
            return Self::Model(row.clone());
        }
        if is_address(text) {
            return Self::Address(text.to_owned());
        }
        Self::Unknown(possible(text, rows))
    }
}

fn possible(text: &str, rows: &[ModelRow]) -> String {
    let numbers = match rows.len() {
        0 => "type the address of a server, for example http://192.168.0.7:11434".to_owned(),
        1 => "type 1, the model's name, or the address of another server".to_owned(),
        count => format!("type a number from 1 to {count}, a model's name, or the address of another server"),
    };
    if text.is_empty() {
        return format!("please {numbers}");
    }
    match nearest(text, rows.iter().map(|row| row.model.name.as_str())) {
        Some(near) => format!("there is no `{}`; did you mean `{}`?", neutral_line(text), neutral_line(near)),
        None => format!("`{}` is no choice: {numbers}", neutral_line(text)),
    }
}

/// Whether a text can be the address of a server: it has a scheme or a path, or it is a host with a port.
fn is_address(text: &str) -> bool {
    if text.contains(char::is_whitespace) {
        return false;
    }
    let has_port =
        || text.rsplit_once(':').is_some_and(|(host, port)| !host.is_empty() && port.parse::<u16>().is_ok());
    text.contains("://")
        || text.contains('/')
        || text == "localhost"
        || text.parse::<IpAddr>().is_ok()
        || has_port()
}

#[cfg(test)]
mod tests {
    use super::*;

    const GB: u64 = 1_000_000_000;

    fn server(name: &str, models: &[(&str, Option<u64>)]) -> FoundServer {
        let models = models.iter().map(|(name, size)| ListedModel { name: (*name).to_owned(), size: *size });
        FoundServer { name: name.to_owned(), base_url: format!("http://{name}/v1"), models: models.collect() }
    }

    fn servers() -> Vec<FoundServer> {
        vec![
            server(
                "Ollama",
                &[("gemma3:1b", Some(GB)), ("llama3.3:70b", Some(43 * GB)), ("qwen3:8b", Some(5 * GB))],
            ),
            server("LM Studio", &[("mistral-small", None)]),
        ]
    }

    #[test]
    fn the_largest_that_fits_comes_first() {
        let memory = Some(16 * GB);
        let rows = rows(&servers(), memory);
        insta::assert_snapshot!("model_list_at_80_columns", list(&rows, memory, 80).join("\n"));
        insta::assert_snapshot!("model_list_at_40_columns", list(&rows, memory, 40).join("\n"));
        let unknown = super::rows(&servers(), None);
        assert!(unknown.iter().all(|row| !row.is_too_large));
        assert_eq!(unknown[0].model.name, "llama3.3:70b");
    }

    #[test]
    fn a_server_with_hundreds_of_models_shows_some() {
        let names: Vec<String> = (0..300).map(|number| format!("m{number}")).collect();
        let models: Vec<(&str, Option<u64>)> = names.iter().map(|name| (name.as_str(), None)).collect();
        let rows = rows(&[server("vLLM", &models)], None);
        let lines = list(&rows, None, 80);
        assert_eq!(
            (lines.len(), lines.last().unwrap().trim()),
            (13, "and 288 more, which can be typed by name")
        );
        assert!(matches!(Typed::of("m250", &rows), Typed::Model(row) if row.model.name == "m250"));
    }

    #[test]
    fn a_number_a_name_and_an_address_are_told_apart() {
        let rows = rows(&servers(), Some(16 * GB));
        let typed = |text: &str| match Typed::of(text, &rows) {
            Typed::Model(row) => row.model.name,
            Typed::Address(address) => format!("at {address}"),
            Typed::Unknown(why) => why,
        };
        for (text, expected) in [
            ("", "qwen3:8b"),
            ("2", "gemma3:1b"),
            ("llama3.3:70b", "llama3.3:70b"),
            ("localhost:1234", "at localhost:1234"),
            ("10.0.0.7", "at 10.0.0.7"),
            ("https://openrouter.ai/api/v1", "at https://openrouter.ai/api/v1"),
            ("qwen3:9b", "there is no `qwen3:9b`; did you mean `qwen3:8b`?"),
            (
                "5",
                "`5` is no choice: type a number from 1 to 4, a model's name, or the address of another server",
            ),
            (
                "0",
                "`0` is no choice: type a number from 1 to 4, a model's name, or the address of another server",
            ),
        ] {
            assert_eq!(typed(text), expected, "{text:?}");
        }
        let huge = super::rows(&servers(), Some(GB / 2));
        assert!(matches!(Typed::of("", &huge), Typed::Model(row) if row.model.name == "mistral-small"));
        assert!(matches!(Typed::of("", &huge[1..]), Typed::Unknown(_)));
        let Typed::Unknown(why) = Typed::of("9", &[]) else { panic!() };
        assert!(!why.contains("from 1 to"), "{why}");
    }
}
