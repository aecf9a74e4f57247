//! Effects on paths: reads, creates, overwrites, deletes.

use std::path::{Path, PathBuf};

use super::analysis::Walker;
use super::context::{Seen, tidy};
use super::effects::{Cause, Kind};
use super::value::Value;

/// Device files: writing to them changes nothing.
const SINKS: [&str; 5] = ["/dev/null", "/dev/stdout", "/dev/stderr", "/dev/tty", "/dev/zero"];

impl Walker<'_> {
    /// The path that a word names, if the word and the working folder are known.
    pub(super) fn at(&self, value: &Value) -> Option<PathBuf> {
        self.below_the_folder(value.text.as_deref()?)
    }

    fn below_the_folder(&self, text: &str) -> Option<PathBuf> {
        let path = Path::new(Some(text).filter(|text| !text.is_empty())?);
        if path.is_absolute() { Some(path.to_owned()) } else { Some(self.scope.folder()?.join(path)) }
    }

    fn shown(&self, value: &Value) -> String {
        self.at(value).map_or_else(|| value.source.clone(), |path| tidy(&path).display().to_string())
    }

    /// Reports a word that names something in a protected place.
    pub(super) fn guards(&mut self, value: &Value, why: &str) {
        if self.place.protected.is_empty() {
            return;
        }
        let begins = || self.below_the_folder(&value.prefix);
        let Some(path) = self.at(value).or_else(begins) else { return };
        let real = match self.place.paths.look(&path) {
            Seen::Nothing(real) | Seen::Folder(real) | Seen::File(real) => real,
            Seen::Unsure => path.clone(),
        };
        if self.place.is_protected(&real) || self.place.is_protected(&tidy(&path)) {
            let what = real.display().to_string();
            self.effects.protected.push(Cause { what, word: value.source.clone(), why: why.to_owned() });
        }
    }

    /// Reports a read of a file or folder.
    pub(super) fn reads(&mut self, value: &Value, why: &str) {
        let path = self.shown(value);
        if path.starts_with("/dev/tcp/") || path.starts_with("/dev/udp/") {
            return self.note(Kind::Network, path, &value.source, "the shell opens a connection");
        }
        if SINKS.contains(&path.as_str()) || value.prefix == "/dev/fd/" || value.is("-") {
            return;
        }
        self.guards(value, why);
        self.note(Kind::Reads, path, &value.source, why);
    }

    /// Reports a write to a file: it is created if missing, and overwritten otherwise.
    pub(super) fn writes(&mut self, value: &Value, why: &str) {
        if value.is("-") || value.prefix == "/dev/fd/" {
            return;
        }
        let Some(path) = self.at(value) else {
            self.guards(value, why);
            let why = format!("{why}, and which file that is shows only when it runs");
            return self.unknown(&value.source, &value.source, why);
        };
        let text = tidy(&path).display().to_string();
        if SINKS.contains(&text.as_str()) || text.starts_with("/dev/fd/") {
            return;
        }
        if text.starts_with("/dev/tcp/") || text.starts_with("/dev/udp/") {
            let why = "the shell sends to another machine";
            return self.note(Kind::OutsideMachine, text, &value.source, why);
        }
        self.guards(value, why);
        match self.place.paths.look(&path) {
            Seen::Nothing(real) => {
                self.note(Kind::Creates, real.display().to_string(), &value.source, why);
            }
            Seen::File(real) | Seen::Folder(real) => {
                self.note(Kind::Overwrites, real.display().to_string(), &value.source, why);
            }
            Seen::Unsure => {
                let why = format!("{why}, and whether something is there cannot be said");
                self.unknown(text, &value.source, why);
            }
        }
    }

    /// Reports the creation of something that stays as it is if it exists.
    pub(super) fn makes(&mut self, value: &Value, why: &str) {
        let there = self.at(value).map(|path| self.place.paths.look(&path));
        if !matches!(there, Some(Seen::Folder(_) | Seen::File(_))) {
            self.writes(value, why);
        }
    }

    /// Reports that something is deleted or changed in place.
    pub(super) fn alters(&mut self, kind: Kind, value: &Value, why: &str) {
        self.guards(value, why);
        let path = self.shown(value);
        self.note(kind, path, &value.source, why);
    }

    /// Reports a copy of `from` at `to`, or inside `to` if that is a folder.
    pub(super) fn copies(&mut self, from: &Value, to: &Value, why: &str) {
        let folder = self.at(to).filter(|path| matches!(self.place.paths.look(path), Seen::Folder(_)));
        let Some(folder) = folder else { return self.writes(to, why) };
        match from.text.as_deref().and_then(|text| Path::new(text).file_name()) {
            Some(name) => self.writes(&to.with(folder.join(name).to_string_lossy()), why),
            None => {
                let why = format!("{why}, and its name shows only when it runs");
                self.unknown(&to.source, &from.source, why);
            }
        }
    }
}
