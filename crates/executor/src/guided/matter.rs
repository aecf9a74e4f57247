//! What a step is about, as far as its words show it, and which programs can find out about that by themselves.

use artoo_types::{BlockedProgram, ToolName, is_unspaced};

/// Programs that every system has; which others are installed is said in the inventory.
const ORDINARY: [&str; 5] = ["awk", "find", "grep", "ls", "sed"];

/// All programs that can derive an answer by themselves.
const CAPABLE: [&str; 10] = ["awk", "find", "grep", "jq", "ls", "node", "perl", "python3", "sed", "sqlite3"];

/// The programs by which something can be found out on a machine with these programs, as `shell` starts them.
///
/// ```
/// let pairs = artoo_executor::capable_programs(&["git".to_owned(), "python3".to_owned()]);
/// let names: Vec<_> = pairs.iter().map(|pair| pair.program.as_str()).collect();
/// assert_eq!(names, ["awk", "find", "grep", "ls", "python3", "sed"]);
/// ```
pub fn capable_programs(installed: &[String]) -> Vec<BlockedProgram> {
    let pair = |program: &str| BlockedProgram { tool: ToolName::new("shell"), program: program.to_owned() };
    CAPABLE.into_iter().filter(|program| is_there(program, installed)).map(pair).collect()
}

/// What a step is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Matter {
    /// A table: fields with quotes and commas in them.
    Table,
    /// JSON.
    Json,
    /// The text of a file that is named.
    Text,
    /// What files that are not named have in them.
    Contents,
    /// Files and folders, or anything else.
    Files,
}

/// Words by which a step asks for what files contain.
const ABOUT_CONTENTS: [&str; 8] =
    ["contain", "contains", "containing", "mention", "mentions", "mentioning", "word", "phrase"];
/// The same in Chinese, which has no blanks between words.
const ABOUT_CONTENTS_UNSPACED: [&str; 3] = ["提到", "包含", "含有"];

impl Matter {
    /// Judged by the names of files in the words, and where there are none by words for contents; a bare ending (`.csv files`) or a wildcard names none.
    pub(crate) fn of(intent: &str) -> Self {
        let asks = |word: &str| ABOUT_CONTENTS.contains(&word.to_lowercase().as_str());
        let about_contents = intent.split(|c: char| !c.is_alphanumeric()).any(asks)
            || ABOUT_CONTENTS_UNSPACED.iter().any(|word| intent.contains(word));
        let mut found = if about_contents { Self::Contents } else { Self::Files };
        for word in intent.split_whitespace() {
            let word =
                word.trim_matches(|c: char| !c.is_alphanumeric() && !matches!(c, '.' | '/' | '_' | '*'));
            let word = word.trim_end_matches('.');
            let name = word.rsplit('/').next().unwrap_or(word);
            let Some((stem, ending)) = name.rsplit_once('.') else { continue };
            let is_ending =
                (2..=5).contains(&ending.len()) && ending.chars().all(|c| c.is_ascii_alphanumeric());
            if stem.is_empty() || stem.contains('*') || !is_ending || ending.parse::<u32>().is_ok() {
                continue;
            }
            match ending.to_ascii_lowercase().as_str() {
                "csv" | "tsv" => return Self::Table,
                "json" => return Self::Json,
                _ => found = Self::Text,
            }
        }
        found
    }

    /// The programs of this machine that can find out about it, the most dependable first. Neighbours work differently, so
    /// that what one gets wrong the next one need not.
    pub(crate) fn programs(self, installed: &[String]) -> impl Iterator<Item = &'static str> {
        let programs: &[&'static str] = match self {
            Self::Table => &["python3", "sqlite3", "awk", "node", "perl"],
            Self::Json => &["python3", "jq", "node", "perl"],
            Self::Text => &["awk", "grep", "python3", "sed", "perl"],
            Self::Contents => &["grep", "python3", "perl", "awk", "find"],
            Self::Files => &["find", "python3", "ls", "grep", "perl"],
        };
        programs.iter().copied().filter(move |program| is_there(program, installed))
    }

    /// Whether a program can derive an answer by itself.
    pub(crate) fn is_capable(program: &str) -> bool {
        CAPABLE.contains(&program)
    }

    /// How the program is used on it. Names in capitals, since a small model copies an example as it is: see [`placeholder`].
    pub(crate) fn form(self, program: &str, intent: &str) -> Option<&'static str> {
        // Where words have no blanks between them, none stands by itself.
        let runs_together = intent.contains(is_unspaced);
        match (self, program) {
            (Self::Table, "sqlite3") => {
                Some("Its form: sqlite3 :memory: -cmd '.import --csv FILE t' 'select max(COLUMN) from t'")
            }
            (Self::Table, "awk") => Some(
                "A quoted field may hold commas, so count columns from the end: $NF is the last, $(NF-1) the one before.",
            ),
            (Self::Json, "python3") => Some(
                "Its form: python3 -c 'import json; print(*[r[\"FIELD\"] for r in json.load(open(\"FILE\")) if r[\"KEY\"] == \"VALUE\"], sep=chr(10))'",
            ),
            (Self::Json, "jq") => Some("Its form: jq -r '.[] | select(.KEY == \"VALUE\") | .FIELD' FILE"),
            (Self::Files, "python3") => Some(
                "The files below FOLDER with this ENDING are [p for p in glob.glob(\"FOLDER/**/*ENDING\", recursive=True) if os.path.isfile(p)].",
            ),
            (Self::Files, "ls") => {
                Some("ls -1 prints one name a line; ls -l begins with a line that is no file.")
            }
            (Self::Contents, "grep") if runs_together => {
                Some("To name the files that have WORD in them, its form is: grep -rl WORD FOLDER")
            }
            (Self::Contents, "grep") => {
                // The form comes last: what follows it is copied, too.
                Some("To name the files that have WORD in them, its form is: grep -rlw WORD FOLDER")
            }
            (Self::Contents, "python3") => Some(
                "Its form: python3 -c 'import glob, os; print(*[f for f in glob.glob(\"FOLDER/**/*\", recursive=True) if os.path.isfile(f) and \"WORD\" in open(f, errors=\"replace\").read()], sep=chr(10))'",
            ),
            (Self::Table | Self::Json | Self::Text | Self::Contents | Self::Files, _) => None,
        }
    }
}

/// The name of a form that a command still has in it, where the step does not have it: the command looks into a folder that nobody has,
/// and counts nothing there. Not KEY, VALUE and FILE, which commands use themselves, and none that the command gives a value.
pub(crate) fn placeholder(command: &str, intent: &str) -> Option<&'static str> {
    const NAMES: [&str; 5] = ["FOLDER", "ENDING", "COLUMN", "FIELD", "WORD"];
    let in_word = |c: char| c.is_alphanumeric() || c == '_';
    let has = |text: &str, name: &str| text.split(|c| !in_word(c)).any(|word| word == name);
    let is_given = |name: &str| ["=", " =", " in "].iter().any(|by| command.contains(&format!("{name}{by}")));
    NAMES.into_iter().find(|name| has(command, name) && !has(intent, name) && !is_given(name))
}

fn is_there(program: &str, installed: &[String]) -> bool {
    ORDINARY.contains(&program) || installed.iter().any(|other| other == program)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_matter_is_read_from_the_names_of_files() {
        let table = [
            ("What is the sum of the column price in shop/a.csv?", Matter::Table),
            ("Who is named in \"contacts.json\"?", Matter::Json),
            ("How many lines does logs/boot.log have?", Matter::Text),
            ("统计 notes.txt 的行数", Matter::Text),
            ("How many .csv files are in shop?", Matter::Files),
            ("Which of *.json is the largest, e.g. over 1.5 MB?", Matter::Files),
            ("List the folder shop.", Matter::Files),
            ("Which file in shop mentions the word discount?", Matter::Contents),
            ("shop 里哪个文件提到了“折扣”?", Matter::Contents),
            ("Does logs/boot.log contain the word panic?", Matter::Text),
            ("", Matter::Files),
        ];
        for (intent, matter) in table {
            assert_eq!(Matter::of(intent), matter, "{intent}");
        }
    }

    #[test]
    fn a_name_of_a_form_is_known_where_it_was_copied() {
        let glob = "python3 -c 'import glob; print(len(glob.glob(\"FOLDER/**/*ENDING\", recursive=True)))'";
        assert_eq!(placeholder(glob, "How many notes are there?"), Some("FOLDER"));
        assert_eq!(placeholder("grep -rlw WORD docs", "Which file mentions plums?"), Some("WORD"));
        for (command, intent) in [
            ("ls FOLDER", "List the folder FOLDER"),
            ("for FOLDER in a b; do ls $FOLDER; done", "List a and b"),
            ("FOLDER=docs; ls $FOLDER", "List docs"),
            ("grep -c PASSWORD a.txt; ls MY_FOLDER", "How many?"),
            ("sqlite3 a.db 'select KEY from t'", "Which?"),
        ] {
            assert_eq!(placeholder(command, intent), None, "{command}");
        }
    }

    #[test]
    fn every_program_of_a_matter_is_capable() {
        let all = CAPABLE.map(str::to_owned);
        for matter in [Matter::Table, Matter::Json, Matter::Text, Matter::Contents, Matter::Files] {
            assert!(matter.programs(&all).all(Matter::is_capable));
            // Even a bare system has two ways to look at text and files.
            let bare = matter.programs(&[]).count();
            assert!(bare >= 2 || matches!(matter, Matter::Table | Matter::Json), "{matter:?}");
        }
    }
}
