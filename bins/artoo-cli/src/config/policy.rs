//! Parser of `policy.toml`, the user's approval rules.
//!
//! The file is in the user's config folder and nowhere else.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};

use artoo_consent::{Rule, Rules};
use artoo_shell_effects::Permission;
use artoo_types::EffectKind;
use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde::Deserialize;
use serde_json::Value as Json;
use toml::de::{DeTable, DeValue};

use super::file::at;
use crate::error::CommandError;
use crate::machine::Environment;
use crate::suggest::nearest;

/// Limits of the file's size and number of rules: more than that, nobody has read through.
const MAX_BYTES: u64 = 64 * 1024;
const MAX_RULES: usize = 200;

const SEE: &str = "see: artoo config schema --policy";

/// The whole file.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(title = "artoo policy")]
struct PolicyFile {
    /// The rules. The strictest that matches wins, wherever it stands.
    #[serde(default)]
    rule: Vec<RuleTable>,
}

/// One rule.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct RuleTable {
    /// What it decides.
    decision: Decided,
    /// The kinds of effects that it is about.
    effects: BTreeSet<EffectKind>,
    /// The program, or programs, that it is about, by name or by whole path. A call is allowed only where it starts no other, beside
    /// `echo` and its like. All programs where none is named.
    #[serde(default)]
    program: Programs,
    /// Globs of the files that it is about, from `/` or `~/`. All files where there is none.
    #[serde(default)]
    paths: Vec<String>,
    /// Why.
    reason: String,
    /// Commands that it must decide about. An allowing or denying rule has at least one.
    #[serde(default)]
    matches: Vec<String>,
    /// Commands that it must not decide about. An allowing or denying rule has at least one.
    #[serde(default)]
    spares: Vec<String>,
}

#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Decided {
    Allow,
    Ask,
    Deny,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(untagged)]
enum Programs {
    One(String),
    Several(Vec<String>),
}

impl Default for Programs {
    fn default() -> Self {
        Self::Several(Vec::new())
    }
}

impl From<RuleTable> for Rule {
    fn from(table: RuleTable) -> Self {
        let RuleTable { decision, effects, program, paths, reason, matches, spares } = table;
        let decision = match decision {
            Decided::Allow => Permission::Allow,
            Decided::Ask => Permission::Ask,
            Decided::Deny => Permission::Deny,
        };
        let programs = match program {
            Programs::One(name) => vec![name],
            Programs::Several(names) => names,
        };
        Self { decision, effects, programs, paths, reason, matches, spares }
    }
}

/// Path of the rules. No variable can name another file, and the working folder is never searched.
pub(crate) fn path(environment: &Environment, home: &Path) -> PathBuf {
    let folder = environment.folder("XDG_CONFIG_HOME").unwrap_or_else(|| home.join(".config"));
    folder.join("artoo").join("policy.toml")
}

/// Reads the rules and checks their examples. No file means no rules.
pub(crate) fn rules(path: &Path, home: &Path) -> Result<Rules, CommandError> {
    checked(path, &read(path)?, home)
}

/// Parses and checks rules from the text of an existing or future file.
pub(super) fn checked(path: &Path, text: &str, home: &Path) -> Result<Rules, CommandError> {
    let (tables, places) = parse(path, text)?;
    let rules = tables.into_iter().map(Rule::from).collect();
    Rules::read(path.to_owned(), rules, home).map_err(|error| {
        let place = error.number.checked_sub(1).and_then(|number| places.get(number)).copied();
        at(path, text, place.unwrap_or(0), &error.to_string())
            .hint("correct the rule or its examples; no run begins with a rule that does not do what it says")
    })
}

/// The JSON Schema of `policy.toml`.
pub(crate) fn policy_schema() -> Json {
    let mut settings = SchemaSettings::draft2020_12();
    settings.inline_subschemas = true;
    settings.into_generator().into_root_schema_for::<PolicyFile>().to_value()
}

/// Reads the file; empty if it does not exist.
pub(super) fn read(path: &Path) -> Result<String, CommandError> {
    let unreadable = |error: std::io::Error| {
        CommandError::configuration(format!("cannot read {}", path.display()))
            .because(error)
            .hint("check the file's owner, permissions and encoding")
    };
    match path.metadata() {
        Ok(found) if found.is_file() => {}
        Ok(_) => return Err(unreadable(std::io::Error::other("it is not a file"))),
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(String::new()),
        Err(error) => return Err(unreadable(error)),
    }
    let mut text = String::new();
    let file = File::open(path).map_err(unreadable)?;
    file.take(MAX_BYTES + 1).read_to_string(&mut text).map_err(unreadable)?;
    short_enough(path, &text)?;
    Ok(text)
}

/// Checks the size limit.
pub(super) fn short_enough(path: &Path, text: &str) -> Result<(), CommandError> {
    if text.len() as u64 > MAX_BYTES {
        return Err(CommandError::configuration(format!("{} is longer than 64 KiB", path.display()))
            .hint("fewer rules can be read through"));
    }
    Ok(())
}

/// The rules, and the byte offset at which each begins.
fn parse(path: &Path, text: &str) -> Result<(Vec<RuleTable>, Vec<usize>), CommandError> {
    let wrong = |error: toml::de::Error| {
        let place = error.span().map_or(0, |span| span.start);
        at(path, text, place, error.message().trim()).hint(SEE)
    };
    let parsed = DeTable::parse(text).map_err(wrong)?;
    let known = ["rule"];
    check_keys(parsed.get_ref(), &known)
        .map_err(|(place, what, hint)| at(path, text, place, &what).hint(hint))?;
    let rules = parsed.get_ref().get("rule").and_then(|rules| rules.get_ref().as_array());
    let rules = rules.map_or(&[][..], |rules| rules.as_ref());
    let known = ["decision", "effects", "program", "paths", "reason", "matches", "spares"];
    for rule in rules {
        if let DeValue::Table(table) = rule.get_ref() {
            check_keys(table, &known)
                .map_err(|(place, what, hint)| at(path, text, place, &what).hint(hint))?;
        }
    }
    if rules.len() > MAX_RULES {
        return Err(CommandError::configuration(format!(
            "{} has more than {MAX_RULES} rules",
            path.display()
        ))
        .hint("fewer rules can be read through"));
    }
    let file: PolicyFile = toml::from_str(text).map_err(wrong)?;
    Ok((file.rule, rules.iter().map(|rule| rule.span().start).collect()))
}

/// Rejects an unknown key, with its offset, the problem and a hint.
fn check_keys(table: &DeTable<'_>, known: &[&str]) -> Result<(), (usize, String, String)> {
    let unknown = table.keys().find(|key| !known.contains(&key.get_ref().as_ref()));
    let Some(key) = unknown else { return Ok(()) };
    let name = key.get_ref().as_ref();
    let hint = match nearest(name, known.iter().copied()) {
        Some(meant) => format!("did you mean `{meant}`?"),
        None => format!("known here: {}", known.join(", ")),
    };
    Err((key.span().start, format!("unknown key `{name}`"), hint))
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOME: &str = "/home/nobody-here";

    fn file(text: &str) -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("policy.toml");
        std::fs::write(&path, text).unwrap();
        (folder, path)
    }

    fn refusal(text: &str) -> String {
        let (folder, path) = file(text);
        let error = rules(&path, Path::new(HOME)).unwrap_err();
        let text = format!("{error}\nhint: {}", error.next_step().unwrap_or_default());
        text.replace(&folder.path().display().to_string(), "")
    }

    const GOOD: &str = r#"
[[rule]]
decision = "deny"
effects = ["deletes", "overwrites"]
paths = ["~/photos/**"]
reason = "there is no other copy"
matches = ["rm ~/photos/a.jpg", "rm -r ~/photos", "echo > ~/photos/a.jpg", "sudo rm ~/photos/a.jpg", "mv ~/photos ~/old"]
spares = ["rm ~/drafts/a.jpg", "cat ~/photos/a.jpg"]

[[rule]]
decision = "ask"
effects = ["creates"]
reason = "new files need a look"

[[rule]]
decision = "allow"
effects = ["unknown"]
program = "deployer"
reason = "it is only ever planned"
matches = ["deployer plan"]
spares = ["deployer plan; ./x.sh", "x=deployer; $y plan", "deployer plan | sh"]
"#;

    #[test]
    fn rules_whose_examples_hold_are_read() {
        let (_folder, path) = file(GOOD);
        let rules = rules(&path, Path::new(HOME)).unwrap();
        let decisions: Vec<&str> = rules.rules().map(|rule| rule.decision.name()).collect();
        assert_eq!(decisions, ["deny", "ask", "allow"]);
        assert_eq!(rules.file(), Some(path.as_path()));
        let schema = policy_schema();
        let as_json = |text: &str| serde_json::to_value(text.parse::<toml::Table>().unwrap()).unwrap();
        let validator = jsonschema::validator_for(&schema).unwrap();
        assert!(validator.is_valid(&as_json(GOOD)));
        assert!(!validator.is_valid(&as_json(&GOOD.replace("reason", "raeson"))));
    }

    #[test]
    fn the_example_of_the_docs_holds() {
        let page = include_str!("../../../../docs/design/consent.md");
        let example = page.split("```toml\n").nth(1).and_then(|rest| rest.split("```").next()).unwrap();
        let (_folder, path) = file(example);
        assert_eq!(rules(&path, Path::new(HOME)).unwrap().rules().count(), 1);
    }

    #[test]
    fn what_is_wrong_is_said_with_its_place_and_a_remedy() {
        let rule = |lines: &str| {
            format!("[[rule]]\ndecision = \"allow\"\neffects = [\"deletes\"]\nreason = \"r\"\n{lines}\n")
        };
        let cases = [
            "rules = []".to_owned(),
            GOOD.replace("program =", "programm ="),
            GOOD.replace("\"ask\"", "\"maybe\""),
            GOOD.replace("\"unknown\"", "\"everything\""),
            rule(""),
            rule("matches = [\"rm ~/x\"]"),
            rule("matches = [\"cat ~/x\"]\nspares = [\"ls\"]"),
            rule("matches = [\"rm ~/.ssh/id_rsa\"]\nspares = [\"ls\"]"),
            rule("matches = [\"rm ~/x\"]\nspares = [\"rm ~/y\"]"),
            rule("paths = [\"docs/**\"]\nmatches = [\"rm ~/x\"]\nspares = [\"ls\"]"),
            rule("paths = [\"~/[\"]\nmatches = [\"rm ~/x\"]\nspares = [\"ls\"]"),
            rule("program = \"./x.sh\"\nmatches = [\"rm ~/x\"]\nspares = [\"ls\"]"),
            rule("matches = [\"rm ~/x\"]\nspares = [\"ls\"]").replace("deletes", "unknown"),
            rule("paths = [\"~/x\"]\nmatches = [\"rm ~/x\"]\nspares = [\"ls\"]")
                .replace("deletes", "network"),
            rule("").replace("reason = \"r\"", ""),
        ];
        let said: Vec<String> = cases.iter().map(|text| refusal(text)).collect();
        insta::assert_snapshot!(said.join("\n\n"));
    }

    #[test]
    fn a_hostile_file_is_refused_and_nothing_worse() {
        assert!(refusal(&"#".repeat(1024 * 1024)).contains("longer than 64 KiB"));
        assert!(refusal(&format!("rule = {}", "[".repeat(60_000))).contains("policy.toml:1:"));
        assert!(refusal(&format!("a{} = 1", ".a".repeat(30_000))).contains("policy.toml"));
        let many = "[[rule]]\ndecision=\"ask\"\neffects=[\"creates\"]\nreason=\"r\"\n".repeat(201);
        assert!(refusal(&many).contains("more than 200 rules"));
        assert!(refusal("rule = 3").contains("policy.toml:1:8"));
        let folder = tempfile::tempdir().unwrap();
        assert!(rules(folder.path(), Path::new(HOME)).unwrap_err().to_string().contains("cannot read"));
        assert_eq!(rules(&folder.path().join("policy.toml"), Path::new(HOME)).unwrap().rules().count(), 0);
        std::fs::write(folder.path().join("policy.toml"), b"\xff").unwrap();
        assert!(rules(&folder.path().join("policy.toml"), Path::new(HOME)).is_err());
    }
}
