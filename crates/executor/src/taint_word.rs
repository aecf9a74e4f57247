//! Foreign words that steer a call: those that choose the program, the address or a path elsewhere. File
//! names come out of listings all the time and mean nothing as long as the folder is the one from the
//! request.

use std::path::{Component, Path, PathBuf};

use artoo_consent::{ProposedEffects, on_file};
use artoo_types::{EffectKind, Surroundings, Taint};

/// A foreign word or phrase, and the word of the call that contains it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ForeignWord {
    /// The word of the call, in lower case and without quotes.
    pub(crate) whole: String,
    pub(crate) taint: Taint,
}

impl ForeignWord {
    /// Whether the word steers a call with these effects.
    pub(crate) fn leads(&self, proposed: ProposedEffects<'_>, place: &Surroundings) -> bool {
        self.is_program(proposed) || self.is_address(proposed) || self.is_elsewhere(proposed, place)
    }

    fn is_program(&self, proposed: ProposedEffects<'_>) -> bool {
        let is_it = |program: &String| {
            let program = program.to_lowercase();
            let name = program.rsplit('/').next().unwrap_or_default();
            // A phrase counts as a command if one of its words is a program.
            self.taint.words.split(' ').any(|word| word == name || word == program)
                || self.whole == program.trim_start_matches("./")
        };
        proposed.programs.iter().any(is_it)
    }

    fn is_address(&self, proposed: ProposedEffects<'_>) -> bool {
        let is_account =
            || self.whole.split_once('@').is_some_and(|(user, host)| !user.is_empty() && !host.is_empty());
        // Without a program the word is data: nothing is contacted.
        let is_written = !proposed.programs.is_empty() && (self.whole.starts_with("//") || is_account());
        let is_asked = proposed.effects.iter().chain(proposed.free).any(|effect| match effect.kind {
            EffectKind::Network | EffectKind::OutsideMachine => {
                [&effect.what, &effect.word].into_iter().any(|text| text.to_lowercase().contains(&self.whole))
            }
            EffectKind::Creates
            | EffectKind::Overwrites
            | EffectKind::Deletes
            | EffectKind::Commits
            | EffectKind::Privilege
            | EffectKind::Unknown => false,
        });
        is_written || is_asked
    }

    fn is_elsewhere(&self, proposed: ProposedEffects<'_>, place: &Surroundings) -> bool {
        let small = |path: &Path| PathBuf::from(path.to_string_lossy().to_lowercase());
        let folders = [small(&place.working_folder), small(&place.workspace)];
        let is_outside = |path: &Path| !folders.iter().any(|folder| path.starts_with(folder));
        let names_it = self.path(place).is_some_and(|path| is_outside(&small(&path)));
        let is_changed = proposed.effects.iter().chain(proposed.free).filter_map(on_file).any(|path| {
            let path = small(path);
            let has = |words: &str| path.components().any(|part| part.as_os_str() == words);
            is_outside(&path) && (has(&self.taint.words) || path.ends_with(&self.whole))
        });
        names_it || is_changed
    }

    /// The path that the word names, unless it only descends from the working folder.
    fn path(&self, place: &Surroundings) -> Option<PathBuf> {
        if self.whole.starts_with("//") {
            return None;
        }
        let path = match self.whole.strip_prefix("~/") {
            Some(below) => place.home.join(below),
            None => place.working_folder.join(&self.whole),
        };
        let mut real = PathBuf::new();
        for part in path.components() {
            match part {
                Component::ParentDir => drop(real.pop()),
                Component::CurDir => {}
                Component::Prefix(_) | Component::RootDir | Component::Normal(_) => real.push(part),
            }
        }
        Some(real)
    }
}

#[cfg(test)]
mod tests {
    use artoo_types::{Effect, Foreign};

    use super::*;

    fn place() -> Surroundings {
        Surroundings {
            now: chrono::DateTime::default(),
            zone: "UTC".to_owned(),
            working_folder: "/home/Ada/Project".into(),
            workspace: "/home/Ada/artoo_workspace".into(),
            home: "/home/Ada".into(),
            platform: "linux".to_owned(),
        }
    }

    fn leads(whole: &str, words: &str, programs: &[&str], effects: &[(EffectKind, &str)]) -> bool {
        let taint = Taint { words: words.to_owned(), call_id: None, foreign: Foreign::Command };
        let effect = |(kind, what): &(EffectKind, &str)| Effect {
            kind: *kind,
            what: (*what).to_owned(),
            word: String::new(),
            why: String::new(),
        };
        let programs: Vec<String> = programs.iter().map(|program| (*program).to_owned()).collect();
        let effects: Vec<Effect> = effects.iter().map(effect).collect();
        let proposed =
            ProposedEffects { programs: &programs, effects: &effects, ..ProposedEffects::default() };
        ForeignWord { whole: whole.to_owned(), taint }.leads(proposed, &place())
    }

    #[test]
    fn a_word_leads_where_it_says_what_is_started_who_is_asked_or_what_lies_elsewhere() {
        use EffectKind::{Deletes, Network, Overwrites};
        for (whole, words, programs, effects) in [
            ("tidy-all.sh", "tidy-all.sh", &["./Tidy-All.sh"][..], &[][..]),
            ("/opt/x/tidy", "tidy", &["/opt/x/tidy"], &[]),
            ("rm -rf important", "rm -rf important", &["rm"], &[]),
            ("//evil.example/x", "evil.example", &["curl"], &[]),
            ("eve@evil.example", "eve@evil.example", &["ssh"], &[]),
            ("host-9.example", "host-9.example", &["ping"], &[(Network, "Host-9.example")]),
            ("/etc/keys.d", "keys.d", &["cat"], &[]),
            ("~/notes-1.txt", "notes-1.txt", &["cat"], &[]),
            ("../other/x-1", "x-1", &["cat"], &[]),
            ("home/x-1.txt", "x-1.txt", &["rm"], &[(Deletes, "/home/Ada/X-1.txt")]),
        ] {
            assert!(leads(whole, words, programs, effects), "{whole}");
        }
        for (whole, words, programs, effects) in [
            ("b-2024.txt", "b-2024.txt", &["rm"][..], &[(Deletes, "/home/Ada/Project/b-2024.txt")][..]),
            ("/home/ada/project/docs/b.txt", "b.txt", &["rm"], &[]),
            ("~/artoo_workspace/../project/b.txt", "b.txt", &["rm"], &[]),
            ("docs/b.txt", "docs/b.txt", &["sort"], &[(Overwrites, "/tmp/other")]),
            // The content written to a file is data.
            ("//evil.example/x", "evil.example", &[], &[(Overwrites, "/home/Ada/Project/links.md")]),
            ("the sort of", "the sort of", &["cat"], &[]),
        ] {
            assert!(!leads(whole, words, programs, effects), "{whole}");
        }
    }
}
