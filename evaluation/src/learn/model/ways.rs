//! The simulated model's candidate ways to do a request, in its order of preference.

use std::collections::BTreeSet;

/// The subject of a request. The question follows from the kind of file that it names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Subject {
    /// The number of entries of a list in a YAML file.
    Entries {
        /// The file.
        path: String,
    },
    /// The sum of a column of a CSV file.
    Sum {
        /// The file.
        path: String,
        /// The column.
        column: String,
    },
    /// The output of a user's script about something.
    Script {
        /// The script.
        path: String,
        /// Its argument: a word, or a file.
        about: String,
    },
    /// The number of lines of a text.
    Lines {
        /// The file.
        path: String,
    },
}

/// One way to do it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Way {
    /// What it has in common with the same way for another file.
    pub(super) manner: Manner,
    /// The command.
    pub(super) command: String,
    /// Whether its output is the answer.
    pub(super) answers: bool,
}

/// The common property of two commands that do the same to different files. Later variants are more specific.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Manner {
    /// The candidate with this number.
    Thought(usize),
    /// With the file in another folder than the request says.
    In(String),
    /// Under a path found by a search.
    Found,
}

impl Subject {
    /// The subject of a text; `None` if the model does not understand it.
    pub(super) fn of(text: &str) -> Option<Self> {
        let words: Vec<&str> = text.split_whitespace().map(bare).collect();
        let after = |word: &str| {
            let at = words.iter().rposition(|other| *other == word)?;
            words.get(at.checked_add(1)?).map(|word| (*word).to_owned())
        };
        let named =
            |ending: &str| words.iter().find(|word| word.ends_with(ending)).map(|word| (*word).to_owned());
        if let Some(path) = named(".sh") {
            return Some(Self::Script { path, about: named(".txt").or_else(|| after("of"))? });
        }
        let entries = named(".yaml").map(|path| Self::Entries { path });
        let sum = || Some(Self::Sum { path: named(".csv")?, column: columns(&words).pop_first()? });
        entries.or_else(sum).or_else(|| named(".txt").map(|path| Self::Lines { path }))
    }

    /// The candidate ways for this subject.
    pub(super) fn ways(&self) -> Vec<Way> {
        let commands = match self {
            Self::Entries { path } => vec![
                format!("yq '.. | select(tag == \"!!seq\") | length' {path}"),
                format!("xidel -s -e 'count($json//*)' {path}"),
                format!("yaml2json {path} | wc -l"),
                format!("grep -c '^ *- ' {path}"),
            ],
            Self::Sum { path, column } => [",", "'\\t'", "';'", "'|'"]
                .iter()
                .map(|separator| {
                    let heading = format!("NR==1{{for(i=1;i<=NF;i++)if($i==\"{column}\")c=i;next}}");
                    format!("awk -F{separator} '{heading}c{{s+=$c}}END{{print s}}' {path}")
                })
                .collect(),
            Self::Script { path, about } => {
                let mut commands: Vec<String> = ["", "--name ", "-n "]
                    .iter()
                    .map(|option| format!("sh {path} {option}{about}"))
                    .collect();
                // Without the script, if there is a file to inspect.
                commands.extend(about.contains('/').then(|| format!("awk 'END {{ print NR }}' {about}")));
                commands
            }
            Self::Lines { path } => {
                let (folder, name) = parted(path);
                let small = name.to_lowercase();
                let count = |name: &str| format!("wc -l < {folder}{name}");
                vec![
                    count(name),
                    count(&respelled(&small, |mark| mark.0)),
                    count(&respelled(&small, |mark| mark.1)),
                    format!("wc -l < documents/{path}"),
                    format!("wc -l < archive/{path}"),
                    format!("find . -iname '{name}'"),
                ]
            }
        };
        let way = |(number, command): (usize, String)| {
            let answers = !command.starts_with("find ");
            Way { manner: Manner::Thought(number), command, answers }
        };
        commands.into_iter().enumerate().map(way).collect()
    }

    /// The same, plus those with the file in one of these folders.
    pub(super) fn ways_with(&self, folders: &[String]) -> Vec<Way> {
        let mut ways = self.ways();
        if let Self::Lines { path } = self {
            let (own, name) = parted(path);
            let others = folders.iter().filter(|folder| *folder != own);
            ways.extend(others.map(|folder| Way {
                manner: Manner::In(folder.clone()),
                command: format!("wc -l < {folder}{name}"),
                answers: true,
            }));
        }
        ways
    }

    /// The way for a file that was found there.
    pub(super) fn at(&self, path: &str) -> Way {
        Way { manner: Manner::Found, command: format!("wc -l < {path}"), answers: true }
    }

    /// Whether a path ends in the requested name.
    pub(super) fn is_called(&self, path: &str) -> bool {
        match self {
            Self::Lines { path: own } => parted(path).1.to_lowercase() == parted(own).1.to_lowercase(),
            Self::Entries { .. } | Self::Sum { .. } | Self::Script { .. } => false,
        }
    }

    /// The same question about what this word names, in a text of these words; empty if a word of its kind
    /// cannot be the subject.
    pub(super) fn about(&self, word: &str, text: &[&str]) -> Vec<Self> {
        let path = word.to_owned();
        match self {
            Self::Entries { .. } if word.ends_with(".yaml") => vec![Self::Entries { path }],
            Self::Lines { .. } if word.ends_with(".txt") => vec![Self::Lines { path }],
            Self::Sum { .. } if word.ends_with(".csv") => {
                columns(text).into_iter().map(|column| Self::Sum { path: path.clone(), column }).collect()
            }
            Self::Script { path, about } if !about.contains('/') || word.ends_with(".txt") => {
                vec![Self::Script { path: path.clone(), about: word.to_owned() }]
            }
            Self::Entries { .. } | Self::Lines { .. } | Self::Sum { .. } | Self::Script { .. } => Vec::new(),
        }
    }
}

/// The columns named in a text.
fn columns(words: &[&str]) -> BTreeSet<String> {
    let names = words.windows(2).filter_map(|pair| match pair {
        ["column" | "columna", name] => Some((*name).to_owned()),
        _ => None,
    });
    names.collect()
}

/// A path split into the folder with its slash, and the name.
pub(super) fn parted(path: &str) -> (&str, &str) {
    path.rfind('/').and_then(|at| path.split_at_checked(at.saturating_add(1))).unwrap_or(("", path))
}

/// A word without surrounding punctuation.
pub(super) fn bare(word: &str) -> &str {
    let marks = |c: char| !(c.is_alphanumeric() || c == '/' || c == '_');
    word.trim_matches(marks)
}

/// Letters with diacritics: without them, and in German transliteration.
const MARKED: [(char, (&str, &str)); 5] =
    [('ä', ("a", "ae")), ('ö', ("o", "oe")), ('ü', ("u", "ue")), ('å', ("a", "aa")), ('ß', ("s", "ss"))];

fn respelled(name: &str, which: impl Fn((&'static str, &'static str)) -> &'static str) -> String {
    name.chars().fold(String::new(), |mut spelled, c| {
        match MARKED.iter().find(|(marked, _)| *marked == c) {
            Some((_, spellings)) => spelled.push_str(which(*spellings)),
            None => spelled.push(c),
        }
        spelled
    })
}
