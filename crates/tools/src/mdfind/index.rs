//! Queries a system file index (Spotlight or plocate) for candidates.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use artoo_sandbox::Ending;

use super::query::Query;
use crate::program::{self, Said};
use crate::{SystemProgram, ToolContext, ToolError};

/// The database of `plocate`, where it is built to look for it.
const DATABASE: &str = "/var/lib/plocate/plocate.db";

/// A file index of this machine, by the path of the program that queries it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Index {
    /// Spotlight, by `mdfind`.
    Spotlight(SystemProgram),
    /// The database of `plocate`.
    Plocate(SystemProgram),
}

/// The answer of an index.
#[derive(Debug)]
pub(crate) enum Answer {
    /// Candidate paths, and whether there were more.
    Candidates(Vec<PathBuf>, bool),
    /// The index cannot be used; the reason.
    Unusable(String),
}

impl Index {
    /// The index of this machine, if it has one that can be used under the kernel's rules. Blocks.
    pub(crate) fn probe(search_path: &[PathBuf]) -> Option<Self> {
        let spotlight = SystemProgram::find("mdfind", search_path).map(Self::Spotlight);
        // Usually only its group may read the database, which `plocate` gets by its set-group-id bit and loses under the rules.
        let plocate = || SystemProgram::find("plocate", search_path).filter(|_| File::open(DATABASE).is_ok());
        spotlight.or_else(|| plocate().map(Self::Plocate))
    }

    /// A name for people.
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Self::Spotlight(_) => "Spotlight",
            Self::Plocate(_) => "the index of plocate",
        }
    }

    /// Candidate files below the home folder.
    ///
    /// # Errors
    ///
    /// The program cannot be started, or the call was cancelled.
    pub(crate) async fn ask(&self, query: &Query, cx: &ToolContext) -> Result<Answer, ToolError> {
        // An index stores real paths.
        let home = cx.home.canonicalize().unwrap_or_else(|_| cx.home.clone());
        let (program, arguments) = match self {
            Self::Spotlight(program) => (program, spotlight(query, &home)),
            Self::Plocate(program) => (program, plocate(query, &home)),
        };
        let said = program::run(program, arguments, cx.limits.walk_time, cx).await?;
        match said.ending {
            Ending::Exited(0) => Ok(Answer::Candidates(paths(&said), said.cut)),
            // plocate exits with 1 and no message if there is no match; errors come with a message.
            Ending::Exited(1) if said.stderr.is_empty() => Ok(Answer::Candidates(Vec::new(), false)),
            Ending::Exited(status) => {
                let first = said.stderr.lines().next().unwrap_or_default();
                Ok(Answer::Unusable(format!("exit status {status}: {first}")))
            }
            Ending::Signaled(signal) => Ok(Answer::Unusable(format!("it was ended by signal {signal}"))),
            Ending::TimedOut => Ok(Answer::Unusable("it took too long".to_owned())),
            Ending::Crowded => Ok(Answer::Unusable("it had too many processes".to_owned())),
            Ending::OutOfRoom => Ok(Answer::Unusable("the disk is full".to_owned())),
            Ending::OutOfMemory => Ok(Answer::Unusable("it used too much memory".to_owned())),
            Ending::Cancelled => Err(ToolError::Cancelled),
        }
    }
}

/// Splits NUL-terminated paths, since a name may hold any other byte. A truncated last path is dropped.
fn paths(said: &Said) -> Vec<PathBuf> {
    let whole = said.output.iter().rposition(|byte| *byte == 0).map_or(0, |end| end + 1);
    let whole = said.output.get(..whole).unwrap_or_default();
    let parts = whole.split(|byte| *byte == 0).filter(|part| !part.is_empty());
    parts.map(|part| Path::new(OsStr::from_bytes(part)).to_owned()).collect()
}

fn spotlight(query: &Query, home: &Path) -> Vec<OsString> {
    let clause = |text: &str, front: &str, back: &str| {
        // These are special within quotes.
        let escaped: String =
            text.chars().flat_map(|c| if "\\\"'*".contains(c) { vec!['\\', c] } else { vec![c] }).collect();
        format!("kMDItemFSName == \"{front}{escaped}{back}\"cd")
    };
    let mut clauses: Vec<String> = query.literals().iter().map(|text| clause(text, "*", "*")).collect();
    if query.endings().len() > 1 {
        let endings: Vec<_> =
            query.endings().iter().map(|text| clause(&format!(".{text}"), "*", "")).collect();
        clauses.push(format!("({})", endings.join(" || ")));
    }
    if clauses.is_empty() {
        clauses.push("kMDItemFSName == \"*\"".to_owned());
    }
    vec!["-0".into(), "-onlyin".into(), home.into(), clauses.join(" && ").into()]
}

fn plocate(query: &Query, home: &Path) -> Vec<OsString> {
    // Every pattern must match the path. Backslashes escape pattern characters.
    let plain = |text: &OsStr| {
        let mut escaped = Vec::new();
        for byte in text.as_bytes() {
            if b"*?[]\\".contains(byte) {
                escaped.push(b'\\');
            }
            escaped.push(*byte);
        }
        OsStr::from_bytes(&escaped).to_owned()
    };
    // Escaped text counts as a pattern, which must match the whole path; so each becomes `*text*`.
    let anywhere = |text: &OsStr| {
        let mut pattern = OsString::from("*");
        pattern.push(plain(text));
        pattern.push("*");
        pattern
    };
    let mut within = plain(home.as_os_str());
    within.push("/*");
    let mut arguments: Vec<OsString> =
        ["--database", DATABASE, "--ignore-case", "--null", "--"].map(OsString::from).into();
    arguments.push(within);
    arguments.extend(query.literals().iter().map(|text| anywhere(OsStr::new(text))));
    arguments
}

#[cfg(test)]
mod tests {
    use super::super::query::Kind;
    use super::*;

    #[test]
    fn questions_cannot_be_left() {
        let query = Query::new("o'brien \"x\" a*b\\", Kind::Any, "pdf").unwrap();
        assert_eq!(
            spotlight(&query, Path::new("/home/ada")),
            [
                "-0",
                "-onlyin",
                "/home/ada",
                "kMDItemFSName == \"*o\\'brien*\"cd && kMDItemFSName == \"*\\\"x\\\"*\"cd && \
                 kMDItemFSName == \"*a*\"cd && kMDItemFSName == \"*b*\"cd && kMDItemFSName == \"*.pdf*\"cd",
            ]
        );
        assert_eq!(
            plocate(&query, Path::new("/home/[a]")),
            [
                "--database",
                DATABASE,
                "--ignore-case",
                "--null",
                "--",
                "/home/\\[a\\]/*",
                "*o'brien*",
                "*\"x\"*",
                "*a*",
                "*b*",
                "*.pdf*"
            ]
        );
        let dashes = Query::new("--database=/etc/passwd", Kind::Any, "").unwrap();
        assert_eq!(plocate(&dashes, Path::new("/h"))[4..], ["--", "/h/*", "*--database=/etc/passwd*"]);
    }

    #[test]
    fn kinds_are_asked_for_by_their_endings() {
        let query = Query::new("", Kind::Audio, "").unwrap();
        let [.., question] =
            spotlight(&query, Path::new("/h")).try_into().unwrap_or([const { OsString::new() }; 4]);
        let question = question.into_string().unwrap();
        assert!(question.starts_with("(kMDItemFSName == \"*.mp3\"cd || "), "{question}");
        let folders = Query::new("*", Kind::Folder, "").unwrap();
        assert_eq!(spotlight(&folders, Path::new("/h"))[3], "kMDItemFSName == \"*\"");
    }

    #[test]
    fn a_path_that_was_cut_off_is_no_path() {
        let said = |output: &[u8]| Said {
            ending: Ending::Exited(0),
            output: output.to_vec(),
            cut: true,
            stderr: String::new(),
        };
        assert_eq!(paths(&said(b"/a b\0/c\nd\0/e")), [Path::new("/a b"), Path::new("/c\nd")]);
        assert!(paths(&said(b"")).is_empty() && paths(&said(b"/e")).is_empty());
    }
}
