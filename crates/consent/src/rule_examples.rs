//! Checks a rule's examples: commands that it must decide, and commands that it must not.

use std::path::{Path, PathBuf};

use artoo_shell_effects::{Effects, Paths, Permission, Place, Seen, effects_of};

use super::asked_about;
use super::in_words;
use super::rules::{Rule, Rules};
use crate::secrets_in;

/// Checks the examples of a rule against the rule alone, in the user's home. The state of the disk does not
/// matter, so the result never changes: a matching command matches in one of the imagined homes, a spared
/// command is spared in all of them.
pub(super) fn check(rule: &Rule, alone: &Rules, home: &Path) -> Result<(), String> {
    if rule.decision != Permission::Ask {
        for (name, examples) in [("matches", &rule.matches), ("spares", &rule.spares)] {
            if examples.is_empty() {
                return Err(format!("`{name}` is empty, and a rule that does not ask needs an example"));
            }
        }
    }
    let decided = |text: &str| decided(rule, alone, home, text);
    for text in &rule.matches {
        let [nothing, files, by_name] = decided(text);
        if ![&nothing, &files, &by_name].iter().any(|(is_matched, _)| *is_matched) {
            let protected = if files.1.protected.is_empty() { "" } else { ", in a protected place" };
            let effects = asked_about(&files.1);
            let would = if effects.is_empty() {
                "do nothing that needs consent".to_owned()
            } else {
                in_words(&effects)
            };
            return Err(format!(
                "its example in `matches` is not matched: `{text}` would {would}{protected}"
            ));
        }
    }
    for text in &rule.spares {
        if let Some((_, effects)) = decided(text).iter().find(|(is_matched, _)| *is_matched) {
            let would = in_words(&asked_about(effects));
            return Err(format!("its example in `spares` is not spared: `{text}` would {would}"));
        }
    }
    Ok(())
}

/// Whether the rule alone decides a command in one of the imagined homes.
pub(super) fn may_match(rule: &Rule, alone: &Rules, home: &Path, text: &str) -> bool {
    decided(rule, alone, home, text).iter().any(|(is_matched, _)| *is_matched)
}

/// Whether the rule alone decides a command, and the command's effects, in each of the imagined homes.
fn decided(rule: &Rule, alone: &Rules, home: &Path, text: &str) -> [(bool, Effects); World::ALL.len()] {
    let protected: Vec<PathBuf> = secrets_in(home).collect();
    World::ALL.map(|world| {
        let paths = Imagined { world, home };
        let place =
            Place { home, working_folder: home, workspace: home, protected: &protected, paths: &paths };
        let effects = effects_of(text, place);
        let may_be_allowed = effects.protected.is_empty() || rule.decision != Permission::Allow;
        let ruled = alone.ruling_of(&effects).map(|ruled| ruled.decision);
        (may_be_allowed && ruled == Some(rule.decision), effects)
    })
}

/// The contents of an imagined home.
#[derive(Clone, Copy)]
enum World {
    Nothing,
    Files,
    /// Names with a dot are files, others are folders.
    ByName,
}

impl World {
    const ALL: [Self; 3] = [Self::Nothing, Self::Files, Self::ByName];
}

struct Imagined<'a> {
    world: World,
    home: &'a Path,
}

impl Paths for Imagined<'_> {
    fn look(&self, path: &Path) -> Seen {
        let mut tidy = PathBuf::new();
        for part in path.components() {
            match part {
                std::path::Component::ParentDir => {
                    tidy.pop();
                }
                std::path::Component::CurDir => {}
                part @ (std::path::Component::Prefix(_)
                | std::path::Component::RootDir
                | std::path::Component::Normal(_)) => tidy.push(part),
            }
        }
        let has_dot = tidy.file_name().is_some_and(|name| name.as_encoded_bytes().contains(&b'.'));
        match self.world {
            _ if self.home.starts_with(&tidy) => Seen::Folder(tidy),
            World::Nothing => Seen::Nothing(tidy),
            World::Files => Seen::File(tidy),
            World::ByName if has_dot => Seen::File(tidy),
            World::ByName => Seen::Folder(tidy),
        }
    }
}
