//! Effects on paths: what is read, made, changed, deleted.

use std::path::{Path, PathBuf};

use super::found::{Cause, Kind};
use super::place::{Seen, tidy};
use super::value::Value;
use super::walk::Walker;

/// Files that are no files: writing to them changes nothing.
const SINKS: [&str; 5] = ["/dev/null", "/dev/stdout", "/dev/stderr", "/dev/tty", "/dev/zero"];

impl Walker<'_> {
    /// The path that a word names, if both the word and the folder are known.
    pub(super) fn at(&self, value: &Value) -> Option<PathBuf> {
        let text = value.text.as_deref()?;
        let path = Path::new(text);
        if path.is_absolute() { Some(path.to_owned()) } else { Some(self.scope.folder.as_ref()?.join(path)) }
    }

    fn shown(&self, value: &Value) -> String {
        self.at(value).map_or_else(|| value.source.clone(), |path| tidy(&path).display().to_string())
    }

    /// Notes a word that names something in a protected place.
    pub(super) fn guards(&mut self, value: &Value, why: &str) {
        if self.place.protected.is_empty() {
            return;
        }
        let known = self.at(value);
        let begins = || Path::new(&value.prefix).is_absolute().then(|| PathBuf::from(&value.prefix));
        let Some(path) = known.or_else(begins) else { return };
        let real = match self.place.paths.look(&path) {
            Seen::Nothing(real) | Seen::Folder(real) | Seen::File(real) => real,
            Seen::Unsure => path.clone(),
        };
        if self.place.is_protected(&real) || self.place.is_protected(&tidy(&path)) {
            let cause =
                Cause { what: real.display().to_string(), word: value.source.clone(), why: why.to_owned() };
            self.effects.protected.push(cause);
        }
    }

    /// Reads a file or folder.
    pub(super) fn reads(&mut self, value: &Value, why: &str) {
        let path = self.shown(value);
        if path.starts_with("/dev/tcp/") || path.starts_with("/dev/udp/") {
            return self.note(Kind::Network, path, &value.source, "the shell opens a connection");
        }
        if SINKS.contains(&path.as_str()) || path.starts_with("/dev/fd/") || value.is("-") {
            return;
        }
        self.guards(value, why);
        self.note(Kind::Reads, path, &value.source, why);
    }

    /// Writes a file: makes it where there is none, changes it where there is one.
    pub(super) fn writes(&mut self, value: &Value, why: &str) {
        let Some(path) = self.at(value).filter(|_| !value.text().is_empty()) else {
            let why = format!("{why}, and which file that is shows only when it runs");
            return self.unknown(&value.source, &value.source, why);
        };
        let text = tidy(&path).display().to_string();
        if SINKS.contains(&text.as_str()) || text.starts_with("/dev/fd/") {
            return;
        }
        if text.starts_with("/dev/tcp/") || text.starts_with("/dev/udp/") {
            return self.note(
                Kind::OutsideMachine,
                text,
                &value.source,
                "the shell sends to another machine",
            );
        }
        self.guards(value, why);
        match self.place.paths.look(&path) {
            Seen::Nothing(real) => self.creates(&real, &value.source, why),
            Seen::File(real) | Seen::Folder(real) => {
                self.note(Kind::Overwrites, real.display().to_string(), &value.source, why);
            }
            Seen::Unsure => {
                self.unknown(
                    text,
                    &value.source,
                    format!("{why}, and whether something is there cannot be said"),
                );
            }
        }
    }

    fn creates(&mut self, real: &Path, word: &str, why: &str) {
        self.makings += 1;
        if !self.place.is_free(real) {
            self.effects.creates_only_where_free = false;
        }
        self.note(Kind::Creates, real.display().to_string(), word, why);
    }

    /// Makes a folder, or, with a time of now, an empty file; a folder that is there stays as it is.
    pub(super) fn makes(&mut self, value: &Value, why: &str, changes_what_is_there: bool) {
        let there = self.at(value).map(|path| self.place.paths.look(&path));
        match there {
            Some(Seen::Folder(_) | Seen::File(_)) if !changes_what_is_there => {}
            _ => self.writes(value, why),
        }
    }

    /// Deletes something.
    pub(super) fn deletes(&mut self, value: &Value, why: &str) {
        self.guards(value, why);
        let path = self.shown(value);
        self.note(Kind::Deletes, path, &value.source, why);
    }

    /// Changes something whose content, mode, owner or time is not what it was.
    pub(super) fn changes(&mut self, value: &Value, why: &str) {
        self.guards(value, why);
        let path = self.shown(value);
        self.note(Kind::Overwrites, path, &value.source, why);
    }

    /// Puts a copy of `from` at `to`, or below it where it is a folder.
    pub(super) fn copies(&mut self, from: &Value, to: &Value, why: &str) {
        let folder = self.at(to).filter(|path| matches!(self.place.paths.look(path), Seen::Folder(_)));
        let Some(folder) = folder else { return self.writes(to, why) };
        let name = from.text.as_deref().and_then(|text| Path::new(text).file_name());
        match name {
            Some(name) => {
                let value =
                    Value { source: to.source.clone(), ..Value::known(folder.join(name).to_string_lossy()) };
                self.writes(&value, why);
            }
            None => {
                self.unknown(&to.source, &from.source, format!("{why}, and its name shows only when it runs"))
            }
        }
    }
}
