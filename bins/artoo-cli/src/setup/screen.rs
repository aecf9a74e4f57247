//! The screen of setup: three ways to a model, with what each takes on this machine.

use super::embedded::{EXPECTATION, EmbeddedModel};
use super::model_servers::{FoundServer, rows};
use super::questions::paragraph;
use crate::terminal::neutral_line;

/// What the screen tells of this machine.
#[derive(Clone, Debug)]
pub(super) struct Situation {
    /// The servers that answer.
    pub(super) servers: Vec<FoundServer>,
    /// The variables with keys that are set.
    pub(super) keys: Vec<&'static str>,
    /// The embedded model.
    pub(super) embedded: EmbeddedModel,
}

/// A way to a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Way {
    Server,
    Key,
    Embedded,
}

impl Situation {
    /// What an empty answer takes: what needs nothing else to be done, then a download that fits.
    pub(super) fn usual(&self) -> Option<Way> {
        let has_model =
            rows(&self.servers, self.embedded.memory).first().is_some_and(|row| !row.is_too_large);
        let (embedded, fits) = (&self.embedded, self.embedded.fits());
        if embedded.is_installed() && fits {
            Some(Way::Embedded)
        } else if has_model {
            Some(Way::Server)
        } else if !self.keys.is_empty() {
            Some(Way::Key)
        } else {
            fits.then_some(Way::Embedded)
        }
    }

    /// The way that an answer names.
    pub(super) fn way(&self, answer: &str) -> Option<Way> {
        match answer {
            "" => self.usual(),
            "1" => Some(Way::Server),
            "2" => Some(Way::Key),
            "3" => Some(Way::Embedded),
            _ => None,
        }
    }

    /// The question below the screen.
    pub(super) fn prompt(&self) -> String {
        match self.usual() {
            Some(usual) => format!("1, 2 or 3 (Enter: {}, q: leave)", usual.number()),
            None => "1, 2 or 3 (q: leave)".to_owned(),
        }
    }

    /// The screen, wrapped at words.
    pub(super) fn lines(&self, columns: usize) -> Vec<String> {
        let mut lines = paragraph(0, "Which model shall artoo work with?", columns);
        let mut way = |way: Way, title: &str, texts: &[&str]| {
            lines.push(String::new());
            let number = way.number();
            lines.extend(paragraph(5, title, columns).into_iter().enumerate().map(|(at, line)| match at {
                0 => line.replacen("     ", &format!("  {number}  "), 1),
                _ => line,
            }));
            texts.iter().for_each(|text| lines.extend(paragraph(5, text, columns)));
        };
        way(Way::Server, "A model server", &[&self.servers_in_words()]);
        way(Way::Key, "A provider, with your key", &[&self.keys_in_words()]);
        let title = format!("The embedded model {}", self.embedded.entry.name);
        let expectation = format!("{EXPECTATION} For real work choose 1 or 2.");
        way(Way::Embedded, &title, &[&self.embedded.needs(), &expectation]);
        lines.push(String::new());
        lines
    }

    fn servers_in_words(&self) -> String {
        let found = self.servers.iter().map(|server| {
            let names: Vec<String> =
                server.models.iter().take(3).map(|model| neutral_line(&model.name)).collect();
            let more = match server.models.len().saturating_sub(names.len()) {
                0 => String::new(),
                more => format!(" and {more} more"),
            };
            match names.is_empty() {
                true => format!("{} answers on this machine, and has no models.", server.name),
                false => format!("{} answers on this machine, with {}{more}.", server.name, names.join(", ")),
            }
        });
        let found: Vec<String> = found.collect();
        match found.is_empty() {
            true => "None answers on this machine. You can type the address of one elsewhere.".to_owned(),
            false => format!("{} Or type the address of another one.", found.join(" ")),
        }
    }

    fn keys_in_words(&self) -> String {
        let set = match self.keys.as_slice() {
            [] => {
                "OpenAI, Anthropic, or another one. No key is set here; artoo says how to set it.".to_owned()
            }
            [one] => format!("{one} is set."),
            several => format!("{} are set.", several.join(" and ")),
        };
        format!("{set} Requests, and what tools find, are sent to the provider.")
    }
}

impl Way {
    /// Its number on the screen.
    const fn number(self) -> u8 {
        match self {
            Self::Server => 1,
            Self::Key => 2,
            Self::Embedded => 3,
        }
    }
}

#[cfg(test)]
mod tests {
    use artoo_llm_http::ListedModel;
    use artoo_llm_local::store::{CATALOGUE, ModelState};

    use super::*;

    const GB: u64 = 1_000_000_000;

    fn situation(state: ModelState, memory: u64) -> Situation {
        let embedded = EmbeddedModel { entry: &CATALOGUE[0], state, memory: Some(memory) };
        Situation { servers: Vec::new(), keys: Vec::new(), embedded }
    }

    fn ollama(models: &[&str]) -> FoundServer {
        let models = models.iter().map(|name| ListedModel { name: (*name).to_owned(), size: None });
        FoundServer {
            name: "Ollama".to_owned(),
            base_url: "http://a/v1".to_owned(),
            models: models.collect(),
        }
    }

    fn screen(situation: &Situation, columns: usize) -> String {
        format!("{}\n{} >", situation.lines(columns).join("\n"), situation.prompt())
    }

    #[test]
    fn a_machine_with_nothing() {
        let bare = situation(ModelState::Absent, 25_300_000_000);
        insta::assert_snapshot!("nothing_is_there_at_80_columns", screen(&bare, 80));
        insta::assert_snapshot!("nothing_is_there_at_40_columns", screen(&bare, 40));
    }

    #[test]
    fn a_machine_with_a_server_a_key_and_part_of_the_model() {
        let rich = Situation {
            servers: vec![ollama(&["qwen3:8b", "gemma3:1b", "llama3.3:70b", "phi4"]), ollama(&[])],
            keys: vec!["OPENAI_API_KEY", "ANTHROPIC_API_KEY"],
            ..situation(ModelState::Partial { bytes: 302_000_000 }, GB)
        };
        insta::assert_snapshot!("everything_is_there_at_80_columns", screen(&rich, 80));
        insta::assert_snapshot!("everything_is_there_at_40_columns", screen(&rich, 40));
    }

    #[test]
    fn an_empty_answer_takes_what_is_there() {
        let installed = ModelState::Installed { path: "/m".into() };
        let absent = || situation(ModelState::Absent, 8 * GB);
        assert_eq!(absent().usual(), Some(Way::Embedded));
        assert_eq!(situation(ModelState::Absent, GB).usual(), None);
        let keyed = Situation { keys: vec!["OPENAI_API_KEY"], ..absent() };
        assert_eq!(keyed.usual(), Some(Way::Key));
        let empty = Situation { servers: vec![ollama(&[])], ..keyed.clone() };
        assert_eq!(empty.usual(), Some(Way::Key));
        let served = Situation { servers: vec![ollama(&["m"])], ..keyed };
        assert_eq!(served.usual(), Some(Way::Server));
        let local = Situation { embedded: situation(installed, 8 * GB).embedded, ..served };
        assert_eq!(
            (local.usual(), local.way("1"), local.way("4")),
            (Some(Way::Embedded), Some(Way::Server), None)
        );
    }
}
