//! Reading `policy.toml`.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{ErrorKind, Read};
use std::path::Path;

use artoo_consent::{Rule, Rules};
use artoo_shell_effects::Permission;
use artoo_types::EffectKind;
use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde::Deserialize;
use serde_json::Value as Json;
use toml::de::{DeTable, DeValue};

use crate::{PolicyError, Spot};

/// The most bytes of the file, and the most rules in it: more cannot have been read through.
const MAX_BYTES: u64 = 64 * 1024;
const MAX_RULES: usize = 200;

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

/// Reads the rules and checks their examples. Without a file there are none. `home` is what `~` means.
///
/// # Errors
///
/// It cannot be read, or a rule does not do what it says.
pub fn read(path: &Path, home: &Path) -> Result<Rules, PolicyError> {
    checked(path, &text_of(path)?, home)
}

/// The rules of a text that stands in the file, or would.
pub(crate) fn checked(path: &Path, text: &str, home: &Path) -> Result<Rules, PolicyError> {
    let (tables, places) = parse(path, text)?;
    let rules = tables.into_iter().map(Rule::from).collect();
    Rules::read(path.to_owned(), rules, home).map_err(|error| {
        let place = error.number.checked_sub(1).and_then(|number| places.get(number)).copied();
        PolicyError::Rule { place: Spot::of(path, text, place.unwrap_or(0)), error }
    })
}

/// The schema of `policy.toml`.
pub fn schema() -> Json {
    let mut settings = SchemaSettings::draft2020_12();
    settings.inline_subschemas = true;
    settings.into_generator().into_root_schema_for::<PolicyFile>().to_value()
}

/// The text of the file; nothing where there is none.
pub(crate) fn text_of(path: &Path) -> Result<String, PolicyError> {
    let unreadable = |source: std::io::Error| PolicyError::Unreadable { path: path.to_owned(), source };
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

/// Whether a person can read through it.
pub(crate) fn short_enough(path: &Path, text: &str) -> Result<(), PolicyError> {
    if text.len() as u64 > MAX_BYTES {
        return Err(too_much(path, "is longer than 64 KiB".to_owned()));
    }
    Ok(())
}

fn too_much(path: &Path, limit: String) -> PolicyError {
    PolicyError::TooMuch { path: path.to_owned(), limit }
}

/// The rules, and where in the text each begins.
fn parse(path: &Path, text: &str) -> Result<(Vec<RuleTable>, Vec<usize>), PolicyError> {
    let wrong = |error: toml::de::Error| {
        let place = error.span().map_or(0, |span| span.start);
        let problem = error.message().trim().to_owned();
        PolicyError::Malformed { place: Spot::of(path, text, place), problem }
    };
    let parsed = DeTable::parse(text).map_err(wrong)?;
    let known = ["rule"];
    let unknown =
        |(place, key, hint)| PolicyError::UnknownKey { place: Spot::of(path, text, place), key, hint };
    check_keys(parsed.get_ref(), &known).map_err(unknown)?;
    let rules = parsed.get_ref().get("rule").and_then(|rules| rules.get_ref().as_array());
    let rules = rules.map_or(&[][..], |rules| rules.as_ref());
    let known = ["decision", "effects", "program", "paths", "reason", "matches", "spares"];
    for rule in rules {
        if let DeValue::Table(table) = rule.get_ref() {
            check_keys(table, &known).map_err(unknown)?;
        }
    }
    if rules.len() > MAX_RULES {
        return Err(too_much(path, format!("has more than {MAX_RULES} rules")));
    }
    let file: PolicyFile = toml::from_str(text).map_err(wrong)?;
    Ok((file.rule, rules.iter().map(|rule| rule.span().start).collect()))
}

/// The place of a key that means nothing, the key, and what may help.
fn check_keys(table: &DeTable<'_>, known: &[&str]) -> Result<(), (usize, String, String)> {
    let unknown = table.keys().find(|key| !known.contains(&key.get_ref().as_ref()));
    let Some(key) = unknown else { return Ok(()) };
    let name = key.get_ref().as_ref();
    let hint = match nearest(name, known.iter().copied()) {
        Some(meant) => format!("did you mean `{meant}`?"),
        None => format!("known here: {}", known.join(", ")),
    };
    Err((key.span().start, name.to_owned(), hint))
}

/// The known name that was meant, if one is near enough: at most one slip per three letters.
fn nearest<'a>(word: &str, names: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    names
        .map(|name| (strsim::damerau_levenshtein(word, name), name))
        .filter(|(distance, name)| *distance <= (name.len() / 3).clamp(1, 3))
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, name)| name)
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

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
        let error = read(&path, Path::new(HOME)).unwrap_err();
        let text = format!("{error}\nhint: {}", error.hint().unwrap_or("see the schema"));
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
        let rules = read(&path, Path::new(HOME)).unwrap();
        let decisions: Vec<&str> = rules.rules().map(|rule| rule.decision.name()).collect();
        assert_eq!(decisions, ["deny", "ask", "allow"]);
        assert_eq!(rules.file(), Some(path.as_path()));
        let schema = schema();
        let as_json = |text: &str| serde_json::to_value(text.parse::<toml::Table>().unwrap()).unwrap();
        let validator = jsonschema::validator_for(&schema).unwrap();
        assert!(validator.is_valid(&as_json(GOOD)));
        assert!(!validator.is_valid(&as_json(&GOOD.replace("reason", "raeson"))));
    }

    #[test]
    fn the_example_of_the_docs_holds() {
        let page = include_str!("../../../docs/design/consent.md");
        let example = page.split("```toml\n").nth(1).and_then(|rest| rest.split("```").next()).unwrap();
        let (_folder, path) = file(example);
        assert_eq!(read(&path, Path::new(HOME)).unwrap().rules().count(), 1);
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
        assert!(read(folder.path(), Path::new(HOME)).unwrap_err().to_string().contains("cannot read"));
        assert_eq!(read(&folder.path().join("policy.toml"), Path::new(HOME)).unwrap().rules().count(), 0);
        std::fs::write(folder.path().join("policy.toml"), b"\xff").unwrap();
        assert!(read(&folder.path().join("policy.toml"), Path::new(HOME)).is_err());
    }
}
