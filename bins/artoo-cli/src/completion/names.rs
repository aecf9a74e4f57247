//! The names that a shell completes: runs, sessions, models, servers of tools.

use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

use artoo_llm_local::store::CATALOGUE;
use artoo_redaction::Redactor;
use artoo_runtime::runs;
use artoo_runtime::sessions::Sessions;
use clap_complete::engine::CompletionCandidate;
use toml::Value;

use crate::commands::Loaded;
use crate::config::Given;
use crate::machine::{Environment, Folders};
use crate::terminal::{clip_at_word, neutral_line};
use crate::view::{end, id_digits};

/// The most names of a kind.
const MOST: usize = 50;
/// The most columns of what is said about a name.
const ABOUT: usize = 60;

/// Where names are found. What cannot be read has none.
#[derive(Clone, Debug, Default)]
pub(super) struct Names {
    data_folder: Option<PathBuf>,
    models: Vec<String>,
    servers: Vec<String>,
}

impl Names {
    /// The names of the user's configuration, and of the data folder that the command line or the configuration names.
    pub(super) fn of(line: &[OsString], environment: &Environment) -> Self {
        let loaded = Folders::of_process(environment).and_then(|folders| {
            let given = match data_folder(line) {
                Some(folder) => {
                    Given { options: vec![("--data-dir", "run.data_dir", folder.into())], ..Given::default() }
                }
                None => Given::default(),
            };
            Loaded::for_names(environment, &folders, &given)
        });
        let Ok(loaded) = loaded else { return Self::default() };
        let mut models: Vec<String> = CATALOGUE.iter().map(|entry| entry.name.to_owned()).collect();
        named_models(&Value::Table(loaded.merged.table.clone()), &mut models);
        models.sort();
        models.dedup();
        let servers = loaded.settings.servers.iter().map(|server| server.name.to_string()).collect();
        Self { data_folder: Some(loaded.settings.data_dir), models, servers }
    }

    /// Runs by the end of their id, the newest first; of an id that is typed from its beginning, the whole.
    pub(super) fn runs(&self, typed: &OsStr) -> Vec<CompletionCandidate> {
        let (Some(folder), Some(typed)) = (&self.data_folder, typed.to_str()) else { return Vec::new() };
        let mut ids = runs::ids(folder).unwrap_or_default();
        ids.sort_unstable_by(|a, b| b.cmp(a));
        let whole: Vec<String> = ids.iter().map(ToString::to_string).collect();
        let digits = id_digits(&whole);
        let name = |id: &String| {
            let short = end(id, digits);
            let fits = [short, id.as_str()].into_iter().find(|name| name.starts_with(typed));
            fits.map(str::to_owned)
        };
        let named = ids.iter().zip(&whole).filter_map(|(id, whole)| Some((*id, name(whole)?)));
        let found = named.take(MOST).map(|(id, name)| {
            let request = runs::request(folder, id).unwrap_or_default();
            candidate(&name, &request)
        });
        let last = "last".starts_with(typed).then(|| candidate("last", "the newest run"));
        last.into_iter().chain(found).collect()
    }

    /// Sessions by a name without blanks, or by the end of their id, the last used first.
    pub(super) fn sessions(&self, typed: &OsStr) -> Vec<CompletionCandidate> {
        let (Some(folder), Some(typed)) = (&self.data_folder, typed.to_str()) else { return Vec::new() };
        let listed = Sessions::new(folder, Redactor::new()).list(MOST).unwrap_or_default();
        let found = listed.into_iter().flatten().filter_map(|session| {
            let id = session.id.to_string();
            let name = session.name.as_deref().filter(|name| !name.contains(char::is_whitespace));
            let names = [name, Some(end(&id, 8)), Some(id.as_str())];
            let name = names.into_iter().flatten().find(|name| name.starts_with(typed))?;
            Some(candidate(name, session.title()))
        });
        let last = "last".starts_with(typed).then(|| candidate("last", "the last used session"));
        last.into_iter().chain(found).collect()
    }

    /// Models of the catalogue and of the configuration. No server is asked for its own.
    pub(super) fn models(&self, typed: &OsStr) -> Vec<CompletionCandidate> {
        known(&self.models, typed)
    }

    /// Configured servers of tools.
    pub(super) fn servers(&self, typed: &OsStr) -> Vec<CompletionCandidate> {
        known(&self.servers, typed)
    }
}

fn known(names: &[String], typed: &OsStr) -> Vec<CompletionCandidate> {
    let typed = typed.to_str().unwrap_or_default();
    names.iter().filter(|name| name.starts_with(typed)).map(|name| candidate(name, "")).collect()
}

fn candidate(name: &str, about: &str) -> CompletionCandidate {
    let about = Some(clip_at_word(&neutral_line(about), ABOUT)).filter(|about| !about.trim().is_empty());
    CompletionCandidate::new(neutral_line(name)).help(about.map(Into::into))
}

/// The data folder that is named on the line.
fn data_folder(line: &[OsString]) -> Option<String> {
    const OPTION: &str = "--data-dir";
    let mut words = line.iter().filter_map(|word| word.to_str());
    while let Some(word) = words.next() {
        if word == OPTION {
            return words.next().map(str::to_owned);
        }
        if let Some(folder) = word.strip_prefix(OPTION).and_then(|rest| rest.strip_prefix('=')) {
            return Some(folder.to_owned());
        }
    }
    None
}

/// The models that a configuration names, wherever it does.
fn named_models(value: &Value, names: &mut Vec<String>) {
    let Some(table) = value.as_table() else { return };
    for (key, value) in table {
        match value {
            Value::String(name) if key == "model" => names.push(name.clone()),
            Value::Table(_) => named_models(value, names),
            Value::String(_)
            | Value::Integer(_)
            | Value::Float(_)
            | Value::Boolean(_)
            | Value::Datetime(_)
            | Value::Array(_) => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(found: &[CompletionCandidate]) -> Vec<&str> {
        found.iter().map(|candidate| candidate.get_value().to_str().unwrap()).collect()
    }

    #[test]
    fn runs_are_named_by_what_tells_them_apart() {
        let data = tempfile::tempdir().unwrap();
        for id in ["01970000-0000-7000-8000-0000000000aa", "01970000-0000-7000-8000-0000000000ab"] {
            std::fs::create_dir_all(runs::folder(data.path()).join(id)).unwrap();
        }
        let names = Names { data_folder: Some(data.path().to_owned()), ..Names::default() };
        assert_eq!(values(&names.runs(OsStr::new(""))), ["last", "0000ab", "0000aa"]);
        assert_eq!(values(&names.runs(OsStr::new("0000aa"))), ["0000aa"]);
        assert_eq!(values(&names.runs(OsStr::new("01970000-0"))).len(), 2);
        assert_eq!(values(&names.runs(OsStr::new("f"))).len(), 0);
        assert_eq!(values(&names.sessions(OsStr::new(""))), ["last"]);
        assert_eq!(values(&Names::default().runs(OsStr::new(""))).len(), 0);
    }

    #[test]
    fn the_data_folder_and_the_models_are_found() {
        let line = |words: &[&str]| words.iter().map(OsString::from).collect::<Vec<_>>();
        assert_eq!(data_folder(&line(&["artoo", "--data-dir", "/d", "runs"])).as_deref(), Some("/d"));
        assert_eq!(data_folder(&line(&["artoo", "--data-dir=/d"])).as_deref(), Some("/d"));
        assert_eq!(data_folder(&line(&["artoo", "runs", "--data-dir"])), None);
        let table = "model = 'a'\n[brain]\nmodel = 'b'\n[brain.planner]\nmodel = 'c'\nbase_url = 'd'";
        let mut names = Vec::new();
        named_models(&Value::Table(table.parse().unwrap()), &mut names);
        names.sort();
        assert_eq!(names, ["a", "b", "c"]);
    }
}
