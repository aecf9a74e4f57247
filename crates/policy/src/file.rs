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

use crate::place::PlaceTable;
use crate::{Block, Enforcement, Place, PolicyError, Spot};

/// The most bytes of the file, and the most rules or places in it: more cannot have been read through.
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
    /// Files and folders that every run leaves alone.
    #[serde(default)]
    place: Vec<PlaceTable>,
}

/// What the file says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Policy {
    /// The rules of consent.
    pub rules: Rules,
    /// The places that every run leaves alone.
    pub places: Vec<Place>,
}

impl Policy {
    /// The places in which a run may do no such thing.
    ///
    /// ```
    /// use artoo_policy::{Block, Place, Policy};
    ///
    /// let (path, reason) = ("/home/ada/Photos".into(), "there is no other copy".to_owned());
    /// let place = Place { path, block: Block::Changes, reason, law: None };
    /// let policy = Policy { places: vec![place], ..Policy::default() };
    /// assert_eq!(policy.blocked(Block::Changes).count(), 1);
    /// assert_eq!(policy.blocked(Block::Access).count(), 0);
    /// ```
    pub fn blocked(&self, block: Block) -> impl Iterator<Item = &Path> {
        self.places.iter().filter(move |place| place.block == block).map(|place| place.path.as_path())
    }
}

/// One rule.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct RuleTable {
    /// What it decides.
    decision: Decided,
    /// The kinds of effects that it is about. A rule that asks or denies and names a program may leave them out: then it is about
    /// every use of the program.
    #[serde(default)]
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
    /// The law in memory that it enforces. It is removed when the law is forgotten.
    #[serde(default)]
    law: Option<String>,
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
        let RuleTable { decision, effects, program, paths, reason, matches, spares, law: _ } = table;
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

/// Reads the rules, whose examples are checked, and the places. Without a file there are none. `home` is what
/// `~` means.
///
/// # Errors
///
/// It cannot be read, or a rule does not do what it says, or a place is none.
pub fn read(path: &Path, home: &Path) -> Result<Policy, PolicyError> {
    checked(path, &text_of(path)?, home)
}

/// What a text says that stands in the file, or would.
pub(crate) fn checked(path: &Path, text: &str, home: &Path) -> Result<Policy, PolicyError> {
    let Parsed { file, rules_at, places_at } = parse(path, text)?;
    let spot = |places: &[usize], number: usize| {
        Spot::of(path, text, places.get(number).copied().unwrap_or_default())
    };
    let rules = file.rule.into_iter().map(Rule::from).collect();
    let rules = Rules::read(path.to_owned(), rules, home).map_err(|error| PolicyError::Rule {
        place: spot(&rules_at, error.number.saturating_sub(1)),
        error,
    })?;
    let places = file.place.into_iter().enumerate().map(|(number, table)| {
        table
            .checked(home)
            .map_err(|problem| PolicyError::Malformed { place: spot(&places_at, number), problem })
    });
    Ok(Policy { rules, places: places.collect::<Result<_, _>>()? })
}

/// The laws of memory that the file enforces, with how.
///
/// # Errors
///
/// As [`read`].
pub fn enforced(path: &Path, home: &Path) -> Result<Vec<(String, Enforcement)>, PolicyError> {
    let text = text_of(path)?;
    let places = checked(path, &text, home)?.places.into_iter();
    let by_place = places
        .filter_map(|place| Some((place.law?, Enforcement::Place { path: place.path, block: place.block })));
    let by_rule = parse(path, &text)?.file.rule.into_iter().filter_map(|rule| {
        let programs = match rule.program {
            Programs::One(name) => name,
            Programs::Several(names) => names.join(", "),
        };
        Some((rule.law?, Enforcement::Program(programs)))
    });
    Ok(by_place.chain(by_rule).collect())
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

/// The file's tables, and where in the text each begins.
struct Parsed {
    file: PolicyFile,
    rules_at: Vec<usize>,
    places_at: Vec<usize>,
}

const RULE_KEYS: [&str; 8] =
    ["decision", "effects", "program", "paths", "reason", "matches", "spares", "law"];
const PLACE_KEYS: [&str; 4] = ["path", "block", "reason", "law"];

fn parse(path: &Path, text: &str) -> Result<Parsed, PolicyError> {
    let wrong = |error: toml::de::Error| {
        let place = error.span().map_or(0, |span| span.start);
        let problem = error.message().trim().to_owned();
        PolicyError::Malformed { place: Spot::of(path, text, place), problem }
    };
    let parsed = DeTable::parse(text).map_err(wrong)?;
    let unknown =
        |(place, key, hint)| PolicyError::UnknownKey { place: Spot::of(path, text, place), key, hint };
    check_keys(parsed.get_ref(), &["rule", "place"]).map_err(unknown)?;
    let tables = |name: &str, known: &[&str]| {
        let tables = parsed.get_ref().get(name).and_then(|tables| tables.get_ref().as_array());
        let tables = tables.map_or(&[][..], |tables| tables.as_ref());
        for table in tables {
            if let DeValue::Table(table) = table.get_ref() {
                check_keys(table, known).map_err(unknown)?;
            }
        }
        if tables.len() > MAX_RULES {
            return Err(too_much(path, format!("has more than {MAX_RULES} {name}s")));
        }
        Ok(tables.iter().map(|table| table.span().start).collect::<Vec<usize>>())
    };
    let (rules_at, places_at) = (tables("rule", &RULE_KEYS)?, tables("place", &PLACE_KEYS)?);
    let file: PolicyFile = toml::from_str(text).map_err(wrong)?;
    Ok(Parsed { file, rules_at, places_at })
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
        let rules = read(&path, Path::new(HOME)).unwrap().rules;
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
    fn places_are_read_and_checked() {
        let text = "[[place]]\npath = \"~/Photos\"\nblock = \"changes\"\nreason = \"no copy\"\nlaw = \"7\"\n\
                    [[place]]\npath = \"/srv/mail\"\nblock = \"access\"\nreason = \"private\"\n";
        let (_folder, path) = file(text);
        let place = |path: &str, block, reason: &str, law: Option<&str>| Place {
            path: path.into(),
            block,
            reason: reason.to_owned(),
            law: law.map(str::to_owned),
        };
        let photos = place("/home/nobody-here/Photos", Block::Changes, "no copy", Some("7"));
        let mail = place("/srv/mail", Block::Access, "private", None);
        assert_eq!(read(&path, Path::new(HOME)).unwrap().places, [photos.clone(), mail]);
        let enforcement = Enforcement::Place { path: photos.path, block: Block::Changes };
        assert_eq!(enforced(&path, Path::new(HOME)).unwrap(), [("7".to_owned(), enforcement)]);
        for wrong in ["photos", "~", "~/", "/", "/home", "/home/nobody-here", "~/a/../b", "/a/../b", ""] {
            let text = format!("[[place]]\npath = {wrong:?}\nblock = \"access\"\nreason = \"r\"\n");
            assert!(refusal(&text).starts_with("/policy.toml:1:"), "{wrong}: {}", refusal(&text));
        }
        assert!(refusal("[[place]]\npath = \"/a\"\nblok = \"access\"\nreason = \"r\"\n").contains("`block`"));
    }

    #[test]
    fn the_example_of_the_docs_holds() {
        let page = include_str!("../../../docs/design/consent.md");
        let example = page.split("```toml\n").nth(1).and_then(|rest| rest.split("```").next()).unwrap();
        let (_folder, path) = file(example);
        assert_eq!(read(&path, Path::new(HOME)).unwrap().rules.rules().count(), 1);
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
        assert_eq!(
            read(&folder.path().join("policy.toml"), Path::new(HOME)).unwrap().rules.rules().count(),
            0
        );
        std::fs::write(folder.path().join("policy.toml"), b"\xff").unwrap();
        assert!(read(&folder.path().join("policy.toml"), Path::new(HOME)).is_err());
    }
}
