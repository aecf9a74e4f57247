//! Changes `policy.toml`: appends a rule or what enforces a law, and removes the latter again.
//!
//! The rest of the text stays as it is, and nothing is written unless the result parses.

use std::fs::{DirBuilder, File};
use std::io::{self, ErrorKind};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

use artoo_anchored_files::replace;
use artoo_consent::Rule;
use rustix::fs::{FlockOperation, flock};
use serde_json::Value as Json;

use toml_edit::{DocumentMut, Item};

use crate::file::{checked, short_enough, text_of};
use crate::{Enforcement, Policy, PolicyError};

/// The rule as TOML text.
pub fn rule_text(rule: &Rule) -> String {
    let Rule { decision, effects, programs, paths, reason, matches, spares } = rule;
    let kinds: Vec<String> = effects.iter().map(|kind| kind.name().to_owned()).collect();
    let mut text = format!("[[rule]]\ndecision = {}\neffects = {}\n", string(decision.name()), list(&kinds));
    match &programs[..] {
        [] => {}
        [one] => text.push_str(&format!("program = {}\n", string(one))),
        several => text.push_str(&format!("program = {}\n", list(several))),
    }
    if !paths.is_empty() {
        text.push_str(&format!("paths = {}\n", list(paths)));
    }
    text.push_str(&format!("reason = {}\n", string(reason)));
    text.push_str(&format!("matches = {}\nspares = {}\n", list(matches), list(spares)));
    text
}

/// Appends a rule and returns its position in the file, from 1. The file is replaced atomically; a symbolic
/// link is kept and its target replaced.
///
/// # Errors
///
/// The existing or the resulting text does not parse as rules whose examples hold, or it cannot be written.
/// The file is unchanged then.
pub fn add(path: &Path, home: &Path, rule: &Rule) -> Result<usize, PolicyError> {
    let policy = rewrite(path, home, |old| Some(format!("{}{}", behind(old), rule_text(rule))))?;
    Ok(policy.rules.rules().count())
}

/// Appends what enforces a law of memory: a place, or a rule that denies every use of a program. The reason is
/// the law in its words.
///
/// # Errors
///
/// As [`add()`].
pub fn enforce(
    path: &Path,
    home: &Path,
    (law, reason): (&str, &str),
    enforcement: &Enforcement,
) -> Result<(), PolicyError> {
    let entry = match enforcement {
        Enforcement::Place { path, block } => format!(
            "[[place]]\npath = {}\nblock = {}\nreason = {}\nlaw = {}\n",
            string(&path.display().to_string()),
            string(block.name()),
            string(reason),
            string(law)
        ),
        Enforcement::Program(program) => format!(
            "[[rule]]\ndecision = \"deny\"\nprogram = {}\nreason = {}\nmatches = {}\nspares = {}\nlaw = {}\n",
            string(program),
            string(reason),
            list(std::slice::from_ref(program)),
            list(&["echo".to_owned()]),
            string(law)
        ),
    };
    rewrite(path, home, |old| Some(format!("{}{entry}", behind(old)))).map(drop)
}

/// Removes what enforces a law of memory, and returns how many entries that were. The rest of the file stays
/// as it is.
///
/// # Errors
///
/// As [`add()`].
pub fn lift(path: &Path, home: &Path, law: &str) -> Result<usize, PolicyError> {
    let mut removed = 0;
    rewrite(path, home, |old| {
        // A text that does not parse is refused by the check of the old text.
        let mut document: DocumentMut = old.parse().ok()?;
        for name in ["rule", "place"] {
            let Some(tables) = document.get_mut(name).and_then(Item::as_array_of_tables_mut) else {
                continue;
            };
            let before = tables.len();
            tables.retain(|table| table.get("law").and_then(Item::as_str) != Some(law));
            removed += before - tables.len();
            if tables.is_empty() {
                document.remove(name);
            }
        }
        (removed > 0).then(|| document.to_string())
    })?;
    Ok(removed)
}

/// Replaces the text of the file by a new one, or leaves it, and returns what it says then.
fn rewrite(
    path: &Path,
    home: &Path,
    renew: impl FnOnce(&str) -> Option<String>,
) -> Result<Policy, PolicyError> {
    let failed = |source: io::Error| PolicyError::NotWritten { path: path.to_owned(), source };
    let folder = path.parent().unwrap_or(Path::new("/"));
    DirBuilder::new().recursive(true).mode(0o700).create(folder).map_err(failed)?;
    // Serializes concurrent runs. On a file system without locks, the file is still written atomically.
    let lock = File::open(folder).map_err(failed)?;
    let _ = flock(&lock, FlockOperation::LockExclusive);

    let target = target(path).map_err(failed)?;
    let old = text_of(path)?;
    let policy = checked(path, &old, home)?;
    let Some(new) = renew(&old) else { return Ok(policy) };
    short_enough(path, &new)?;
    let policy = checked(path, &new, home)?;
    replace(&target, new.as_bytes()).map_err(failed)?;
    Ok(policy)
}

/// The existing text with the separator before an appended rule.
fn behind(old: &str) -> String {
    match old {
        "" => String::new(),
        old if old.ends_with('\n') => format!("{old}\n"),
        old => format!("{old}\n\n"),
    }
}

/// The file that the path resolves to.
fn target(path: &Path) -> io::Result<PathBuf> {
    match path.symlink_metadata() {
        Ok(found) if found.is_symlink() => path.canonicalize().map_err(|error| {
            let is_nowhere = error.kind() == ErrorKind::NotFound;
            if is_nowhere { io::Error::new(error.kind(), "it is a link that leads nowhere") } else { error }
        }),
        Ok(_) => Ok(path.to_owned()),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(path.to_owned()),
        Err(error) => Err(error),
    }
}

/// A string as a TOML basic string. TOML knows all of JSON's escapes; U+007F has to be escaped in addition.
fn string(text: &str) -> String {
    Json::from(text).to_string().replace('\u{7f}', "\\u007f")
}

fn list(texts: &[String]) -> String {
    let strings: Vec<String> = texts.iter().map(|text| string(text)).collect();
    format!("[{}]", strings.join(", "))
}

#[cfg(test)]
mod tests {
    use std::fs::{self, Permissions};
    use std::os::unix::fs::PermissionsExt;

    use artoo_shell_effects::Permission;
    use artoo_types::EffectKind;

    use super::*;
    use crate::read as rules;

    const HOME: &str = "/home/nobody-here";
    const OWN: &str =
        "# My rules.\r\n\n[[rule]] # the first\ndecision = \"ask\"\neffects = ['creates']\nreason = \"数\"";

    fn rule(reason: &str) -> Rule {
        Rule {
            decision: Permission::Allow,
            effects: [EffectKind::Deletes].into(),
            programs: vec!["rm".to_owned()],
            paths: vec!["~/a \\[1\\].txt".to_owned()],
            reason: reason.to_owned(),
            matches: vec!["rm ~/'a [1].txt'\necho 0".to_owned()],
            spares: vec!["rm ~/other.txt".to_owned()],
        }
    }

    fn add(path: &Path, rule: &Rule) -> Result<usize, PolicyError> {
        super::add(path, Path::new(HOME), rule)
    }

    /// With what caused it.
    fn words(error: &PolicyError) -> String {
        let causes = std::iter::successors(Some(error as &dyn std::error::Error), |error| error.source());
        causes.map(ToString::to_string).collect::<Vec<_>>().join(": ")
    }

    fn mode(path: &Path) -> u32 {
        path.metadata().unwrap().permissions().mode() & 0o777
    }

    fn names(folder: &Path) -> Vec<String> {
        let names = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name());
        let mut names: Vec<String> = names.map(|name| name.into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    fn a_file_comes_to_be_for_its_owner_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("config/artoo/policy.toml");
        assert_eq!(add(&path, &rule("notes are short-lived")).unwrap(), 1);
        assert_eq!(add(&path, &rule("again")).unwrap(), 2);
        assert_eq!((mode(&path), mode(path.parent().unwrap())), (0o600, 0o700));
        assert_eq!(names(path.parent().unwrap()), ["policy.toml"]);
        insta::assert_snapshot!(fs::read_to_string(&path).unwrap());
        let read = rules(&path, Path::new(HOME)).unwrap();
        assert!(read.rules.rules().eq([&rule("notes are short-lived"), &rule("again")]));
    }

    #[test]
    fn what_was_there_stays_byte_for_byte() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("policy.toml");
        for (old, parted) in [(OWN.to_owned(), "\n\n"), (format!("{OWN}\n"), "\n"), (String::new(), "")] {
            fs::write(&path, &old).unwrap();
            fs::set_permissions(&path, Permissions::from_mode(0o640)).unwrap();
            add(&path, &rule("r")).unwrap();
            let text = fs::read_to_string(&path).unwrap();
            assert_eq!(text, format!("{old}{parted}{}", rule_text(&rule("r"))));
            assert_eq!(mode(&path), 0o640);
        }
    }

    /// What enforces a law comes and goes; what stands around it stays.
    #[test]
    fn what_enforces_a_law_goes_with_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("policy.toml");
        fs::write(&path, format!("{OWN}\n")).unwrap();
        let before = fs::read_to_string(&path).unwrap();
        let photos = Enforcement::Place {
            path: "/home/nobody-here/Photos \"1\"".into(),
            block: crate::Block::Changes,
        };
        let docker = Enforcement::Program("docker".to_owned());
        for enforcement in [&photos, &docker] {
            enforce(&path, Path::new(HOME), ("law-1", "never\nthat"), enforcement).unwrap();
        }
        enforce(&path, Path::new(HOME), ("law-2", "nor this"), &Enforcement::Program("npm".to_owned()))
            .unwrap();
        insta::assert_snapshot!("enforced", fs::read_to_string(&path).unwrap());
        let enforced = crate::enforced(&path, Path::new(HOME)).unwrap();
        let of_one: Vec<_> =
            enforced.iter().filter(|(law, _)| law == "law-1").map(|(_, what)| what).collect();
        assert_eq!(of_one, [&photos, &docker]);
        assert_eq!(lift(&path, Path::new(HOME), "law-3").unwrap(), 0);
        assert_eq!(lift(&path, Path::new(HOME), "law-1").unwrap(), 2);
        let left = fs::read_to_string(&path).unwrap();
        assert!(
            left.starts_with("# My rules.") && left.contains("# the first") && !left.contains("law-1"),
            "{left}"
        );
        assert_eq!(lift(&path, Path::new(HOME), "law-2").unwrap(), 1);
        assert_eq!(
            fs::read_to_string(&path).unwrap().replace("\r\n", "\n").trim(),
            before.replace("\r\n", "\n").trim()
        );
    }

    #[test]
    fn any_words_are_one_reason() {
        let folder = tempfile::tempdir().unwrap();
        for (at, reason) in ["\"", "\\", "a\tb\u{7f}\u{1b}[2J\u{0}", "'''", "数 \u{202e}x", "]\n[[rule]]"]
            .into_iter()
            .enumerate()
        {
            let path = folder.path().join(format!("{at}.toml"));
            add(&path, &rule(reason)).unwrap();
            let read = rules(&path, Path::new(HOME)).unwrap();
            assert!(read.rules.rules().eq([&rule(reason)]), "{reason}");
        }
    }

    #[test]
    fn a_link_stays_a_link() {
        let folder = tempfile::tempdir().unwrap();
        let (path, kept) = (folder.path().join("policy.toml"), folder.path().join("kept"));
        fs::create_dir(&kept).unwrap();
        fs::write(kept.join("rules"), OWN).unwrap();
        std::os::unix::fs::symlink("kept/rules", &path).unwrap();
        add(&path, &rule("r")).unwrap();
        assert!(path.is_symlink());
        assert!(fs::read_to_string(kept.join("rules")).unwrap().starts_with(OWN));
        assert_eq!(names(&kept), ["rules"]);

        fs::remove_file(kept.join("rules")).unwrap();
        let error = words(&add(&path, &rule("r")).unwrap_err());
        assert!(error.contains("it is a link that leads nowhere"), "{error}");
        assert_eq!(names(&kept).len(), 0);
    }

    #[test]
    fn where_it_fails_nothing_has_changed_and_it_is_said_why() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("policy.toml");
        let long = format!("#{}\n", "x".repeat(64 * 1024 - 50));
        let many = "[[rule]]\ndecision=\"ask\"\neffects=[\"creates\"]\nreason=\"r\"\n".repeat(200);
        let check = |old: &str, rule: &Rule, said: &str| {
            fs::write(&path, old).unwrap();
            let error = words(&add(&path, rule).unwrap_err());
            assert!(error.contains(said), "{error}");
            assert_eq!(fs::read_to_string(&path).unwrap(), old);
            assert_eq!(names(folder.path()), ["policy.toml"]);
        };
        let wrong = Rule { spares: vec!["rm ~/'a [1].txt'".to_owned()], ..rule("r") };
        check("rule = [", &rule("r"), "policy.toml:1:");
        // The file ends in an inline list, so nothing can be appended.
        check("rule = []\n", &rule("r"), "policy.toml:3:");
        check(&long, &rule("r"), "longer than 64 KiB");
        check(&many, &rule("r"), "more than 200 rules");
        check(OWN, &wrong, "is not spared");
        check(OWN, &rule("  "), "`reason` is empty");
    }

    #[test]
    fn what_cannot_be_written_is_an_error_and_leaves_nothing() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("artoo"), "a file").unwrap();
        let error = words(&add(&folder.path().join("artoo/policy.toml"), &rule("r")).unwrap_err());
        assert!(error.contains("was not written"), "{error}");
        let path = folder.path().join("policy.toml");
        // The path of the temporary file is taken by a non-empty folder.
        fs::create_dir_all(folder.path().join("policy.toml.new/x")).unwrap();
        fs::write(&path, OWN).unwrap();
        let error = words(&add(&path, &rule("r")).unwrap_err());
        assert!(error.contains("was not written"), "{error}");
        assert_eq!(fs::read_to_string(&path).unwrap(), OWN);
    }
}
