//! A family: one kind of request, its generator, and how people would put it in several languages, as written in `fixtures/tasks`.

use std::path::Path;

use clap::ValueEnum;
use serde::{Deserialize, Serialize};

use super::families::{ALL, Generator};
use crate::{Error, Result, files};

/// What families are for. Each belongs to one split for good.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ValueEnum)]
#[serde(rename_all = "snake_case")]
#[value(rename_all = "snake_case")]
pub enum Split {
    /// To develop with: everything may be looked at.
    #[value(name = "dev", alias = "development")]
    Development,
    /// To set thresholds and to leave parts out, in comparison.
    Calibration,
    /// To measure: nobody sees a request or an answer.
    Test,
}

/// One kind of request.
#[derive(Clone, Debug)]
pub(crate) struct Family {
    /// Its generator.
    pub generator: Generator,
    /// How it is put.
    pub wordings: Wordings,
}

/// The file of a family.
#[derive(Clone, Debug, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
pub(crate) struct Wordings {
    /// What is asked, for the table.
    pub kind: String,
    /// Where the family belongs.
    pub split: Split,
    /// How people would put it.
    #[serde(rename = "wording")]
    pub all: Vec<Wording>,
}

/// How somebody would put it.
#[derive(Clone, Debug, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
pub(crate) struct Wording {
    /// The language.
    pub lang: String,
    /// The request, with `{placeholders}` for what the generator drew.
    pub text: String,
    /// Whether it is kept for the test split.
    #[serde(default)]
    pub unseen: bool,
}

impl Split {
    /// Its name on the command line.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Development => "dev",
            Self::Calibration => "calibration",
            Self::Test => "test",
        }
    }
}

impl Family {
    /// The wordings that a run of this split may use. The test split has the families of its own, and of the others what nobody has
    /// worked with: their unseen wordings.
    pub(crate) fn eligible(&self, split: Split) -> Vec<&Wording> {
        let is_own = self.wordings.split == split;
        let may = |wording: &&Wording| match split {
            Split::Development | Split::Calibration => is_own && !wording.unseen,
            Split::Test => is_own || wording.unseen,
        };
        self.wordings.all.iter().filter(may).collect()
    }
}

impl Wording {
    /// The request, with the words in their places.
    ///
    /// # Errors
    /// A placeholder has no word.
    pub(crate) fn filled(&self, words: &[(&str, String)]) -> Result<String> {
        let mut filled = String::new();
        let mut rest = self.text.as_str();
        while let Some((before, after)) = rest.split_once('{') {
            let (name, behind) = after.split_once('}').unwrap_or((after, ""));
            let word = words.iter().find(|(word, _)| *word == name);
            let (_, word) =
                word.ok_or_else(|| Error::Other(format!("nothing stands for {{{name}}} in: {}", self.text)))?;
            filled.push_str(before);
            filled.push_str(word);
            rest = behind;
        }
        Ok(filled + rest)
    }
}

/// The families, by name. `only` picks some of them; none means all.
///
/// # Errors
/// A family has no wordings, or `only` names none.
pub(crate) fn load(folder: &Path, only: &[String]) -> Result<Vec<Family>> {
    if let Some(name) = only.iter().find(|name| !ALL.iter().any(|family| family.name == name.as_str())) {
        return Err(Error::Other(format!("there is no family called {name}")));
    }
    let wanted = |family: &&Generator| only.is_empty() || only.iter().any(|name| name == family.name);
    let read = |generator: &Generator| {
        let path = folder.join(format!("{}.toml", generator.name));
        let wordings = toml::from_str(&files::read(&path)?)
            .map_err(|error| Error::Content { path, reason: error.to_string() })?;
        Ok(Family { generator: *generator, wordings })
    };
    ALL.iter().filter(wanted).map(read).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::rng::Draw;

    fn all() -> Vec<Family> {
        load(&files::root().join("fixtures/tasks"), &[]).unwrap()
    }

    #[test]
    fn every_family_is_put_in_twelve_ways_and_six_languages_and_six_of_them_are_unseen() {
        let families = all();
        assert!(families.len() >= 40);
        for Family { generator, wordings } in &families {
            let texts: BTreeSet<&str> = wordings.all.iter().map(|wording| wording.text.as_str()).collect();
            let languages: BTreeSet<&str> =
                wordings.all.iter().map(|wording| wording.lang.as_str()).collect();
            let unseen = wordings.all.iter().filter(|wording| wording.unseen).count();
            assert!(texts.len() >= 12 && languages.len() >= 6, "{}", generator.name);
            assert!(unseen >= 6 && wordings.all.len() - unseen >= 6, "{}", generator.name);
        }
    }

    /// A wording that stands there twice, once as unseen, has been seen.
    #[test]
    fn no_wording_of_a_family_stands_there_twice() {
        for Family { generator, wordings } in all() {
            let letters = |text: &str| -> String {
                text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
            };
            let mut texts = BTreeSet::new();
            let twice = wordings.all.iter().filter(|wording| !texts.insert(letters(&wording.text)));
            let twice: Vec<&str> = twice.map(|wording| wording.lang.as_str()).collect();
            assert!(twice.is_empty(), "{}: {twice:?}", generator.name);
        }
    }

    #[test]
    fn no_file_is_without_its_generator_and_no_family_unlisted() {
        let folder = files::root().join("fixtures/tasks");
        let listed = files::read(files::root().join("fixtures/README.md")).unwrap();
        for family in ALL {
            assert!(
                listed.contains(&format!("`{}`", family.name)),
                "fixtures/README.md does not list {}",
                family.name
            );
        }
        assert_eq!(files::walk(&folder, |_| true).unwrap().len(), ALL.len());
    }

    /// The split of a family is settled: a change of it shows here, and makes all figures before it void.
    #[test]
    fn every_family_belongs_to_one_split_for_good() {
        let mut families = all();
        families.sort_by_key(|family| family.wordings.split.name());
        let lines: Vec<String> = families
            .iter()
            .map(|family| {
                format!(
                    "{}: {}: {}",
                    family.wordings.split.name(),
                    family.generator.name,
                    family.wordings.kind
                )
            })
            .collect();
        insta::assert_snapshot!("splits", lines.join("\n"));
    }

    /// A wording that leaves something out, or asks for something that the generator does not have, is no request of its family.
    #[test]
    fn every_wording_uses_every_word_of_its_family() {
        for Family { generator, wordings } in all() {
            let made = (generator.make)(&mut Draw::new(1));
            for wording in &wordings.all {
                let filled = wording.filled(&made.words).unwrap();
                assert!(!filled.contains(['{', '}']), "{filled}");
                for (name, _) in &made.words {
                    assert!(
                        wording.text.contains(&format!("{{{name}}}")),
                        "{}: {name}: {filled}",
                        generator.name
                    );
                }
            }
        }
    }

    #[test]
    fn unseen_wordings_are_for_the_test_split_alone() {
        for family in all() {
            let own = family.wordings.split;
            for split in [Split::Development, Split::Calibration] {
                let eligible = family.eligible(split);
                assert_eq!(eligible.is_empty(), split != own);
                assert!(eligible.iter().all(|wording| !wording.unseen));
            }
            let test = family.eligible(Split::Test);
            assert_eq!(test.len(), if own == Split::Test { 12 } else { 6 }, "{}", family.generator.name);
        }
    }

    #[test]
    fn a_word_is_not_read_for_placeholders() {
        let wording = Wording { lang: "en".into(), text: "a {x} b {y}".into(), unseen: false };
        let words = [("x", "{y}".to_owned()), ("y", "2".to_owned())];
        assert_eq!(wording.filled(&words).unwrap(), "a {y} b 2");
        assert!(wording.filled(&words[..1]).is_err());
    }

    #[test]
    fn a_name_that_is_not_there_is_an_error() {
        let folder = files::root().join("fixtures/tasks");
        assert_eq!(load(&folder, &["column-sum".to_owned()]).unwrap().len(), 1);
        assert!(load(&folder, &["column-sun".to_owned()]).is_err());
    }
}
