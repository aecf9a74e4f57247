//! What of git's configuration counts for a commit of artoo: a list of plain settings, and the programs that are named beside them.

use std::collections::{BTreeMap, BTreeSet};

/// The settings that decide about contents and names, none of which makes git start a program. What is not here has no effect.
const PLAIN: [&str; 25] = [
    "author.email",
    "author.name",
    "committer.email",
    "committer.name",
    "core.autocrlf",
    "core.attributesfile",
    "core.bigfilethreshold",
    "core.checkroundtripencoding",
    "core.checkstat",
    "core.compression",
    "core.eol",
    "core.excludesfile",
    "core.filemode",
    "core.ignorecase",
    "core.loosecompression",
    "core.precomposeunicode",
    "core.protecthfs",
    "core.protectntfs",
    "core.safecrlf",
    "core.sharedrepository",
    "core.symlinks",
    "core.trustctime",
    "extensions.objectformat",
    "user.email",
    "user.name",
];
/// Git's configuration, as it was listed.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Settings {
    /// The last value of each key. git puts section and name into lower case, and leaves what is between them.
    values: BTreeMap<String, String>,
}

impl Settings {
    /// Reads the output of `git config --list -z`.
    pub(crate) fn read(listed: &[u8]) -> Self {
        let text = String::from_utf8_lossy(listed);
        let entries = text.split('\0').filter(|entry| !entry.is_empty());
        // A key without a value is true.
        let pair = |entry: &str| match entry.split_once('\n') {
            Some((key, value)) => (key.to_owned(), value.to_owned()),
            None => (entry.to_owned(), "true".to_owned()),
        };
        Self { values: entries.map(pair).collect() }
    }

    /// A configuration with the plain settings alone.
    pub(crate) fn plain(&self) -> String {
        let mut text = String::new();
        let has_format = self.values.contains_key("extensions.objectformat");
        text.push_str(&format!("[core]\n\trepositoryformatversion = {}\n", u8::from(has_format)));
        text.push_str("\tbare = false\n\tsplitIndex = false\n\tlogAllRefUpdates = false\n");
        text.push_str("[user]\n\tuseConfigOnly = true\n");
        for key in PLAIN {
            if let (Some(value), Some((section, name))) = (self.values.get(key), key.split_once('.')) {
                text.push_str(&format!("[{section}]\n\t{name} = {}\n", quoted(value)));
            }
        }
        text
    }

    /// The program of a filter that makes the content of a commit, where one is set.
    pub(crate) fn filter(&self, name: &str) -> Option<&str> {
        let named =
            ["clean", "process"].iter().filter_map(|what| self.values.get(&format!("filter.{name}.{what}")));
        named.map(String::as_str).find(|program| !program.trim().is_empty())
    }

    /// Whether the attribute `filter` or `merge` with this value starts a program, for any direction.
    pub(crate) fn has_program(&self, attribute: &str, value: &str) -> bool {
        let is_set = |key: String| self.values.get(&key).is_some_and(|program| !program.trim().is_empty());
        match attribute {
            "filter" => self.filter(value).is_some() || is_set(format!("filter.{value}.smudge")),
            "merge" => is_set(format!("merge.{value}.driver")),
            _ => false,
        }
    }

    /// Whether there is any such program.
    pub(crate) fn has_programs(&self) -> bool {
        let keys = self.values.keys().filter_map(|key| key.split_once('.'));
        let mut named = keys.filter_map(|(section, rest)| Some((section, rest.rsplit_once('.')?.0)));
        named.any(|(attribute, value)| self.has_program(attribute, value))
    }

    /// Whether commits are to be signed.
    pub(crate) fn signs(&self) -> bool {
        let value = self.values.get("commit.gpgsign").map(|value| value.to_lowercase());
        matches!(value.as_deref(), Some("true" | "yes" | "on" | "1"))
    }

    /// The names of hooks that the configuration itself has.
    pub(crate) fn hooks(&self) -> BTreeSet<String> {
        let name = |key: &String| Some(key.strip_prefix("hook.")?.strip_suffix(".command")?.to_owned());
        self.values.keys().filter_map(name).collect()
    }
}

/// A value as a file of configuration has it.
fn quoted(value: &str) -> String {
    let mut text = String::from("\"");
    for c in value.chars() {
        match c {
            '"' => text.push_str("\\\""),
            '\\' => text.push_str("\\\\"),
            '\n' => text.push_str("\\n"),
            '\t' => text.push_str("\\t"),
            c => text.push(c),
        }
    }
    text.push('"');
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_plain_settings_are_taken_over() {
        let listed = b"user.name\nAda \"L\" \\ Lovelace\0core.autocrlf\ninput\0core.fsmonitor\n/tmp/spy\0core.filemode\0\
            filter.lfs.clean\ngit-lfs clean -- %f\0include.path\n/tmp/more\0commit.gpgsign\ntrue\0\
            hook.check.command\n./check\0filter.off.clean\n\0";
        let settings = Settings::read(listed);
        let plain = settings.plain();
        for word in ["fsmonitor", "filter", "include", "gpgsign", "hook"] {
            assert!(!plain.contains(word), "{plain}");
        }
        assert!(plain.contains("\tname = \"Ada \\\"L\\\" \\\\ Lovelace\"\n"), "{plain}");
        assert!(
            plain.contains("\tautocrlf = \"input\"\n") && plain.contains("\tfilemode = \"true\"\n"),
            "{plain}"
        );
        assert_eq!(settings.filter("lfs"), Some("git-lfs clean -- %f"));
        assert_eq!((settings.filter("off"), settings.filter("none")), (None, None));
        assert!(settings.has_programs() && settings.has_program("filter", "lfs"));
        assert!(!settings.has_program("filter", "off") && !settings.has_program("merge", "lfs"));
        let drivers = Settings::read(b"merge.a.b.driver\nrun %A\0filter.off.smudge\n\0");
        assert!(drivers.has_programs() && drivers.has_program("merge", "a.b"));
        assert!(!Settings::read(b"merge.ff\nonly\0merge.x.name\ny\0").has_programs());
        assert!(settings.signs());
        assert_eq!(settings.hooks(), ["check".to_owned()].into());
    }
}
