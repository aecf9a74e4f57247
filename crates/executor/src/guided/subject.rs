//! The subject of a step: the existing paths that its text names.

use std::path::{Path, PathBuf};

use artoo_checks::{Filesystem, Mentions};
use artoo_llm_client::{indented, inline};
use artoo_types::{Perturbation, Said, SubTask};
use serde_json::Value;

use super::code_block::Language;
use super::table::{Table, Values};
use super::told_apart;
use super::values::{self, NamedValue};
use crate::prompt::line;
use crate::{AttemptContext, CallTool};

/// The maximum number of paths shown.
const MOST_TOLD: usize = 4;
/// The maximum number of bytes of a file that are looked at. A longer JSON is shown as text.
const LOOKED_AT: usize = 64 * 1024;
/// The maximum number of lines shown, of those of markup, whose first ones say little, and of characters of each.
const LINES_SHOWN: usize = 2;
const LINES_OF_MARKUP: usize = 6;
const LONGEST_LINE: usize = 120;

/// The paths that the step's intent names; if it names none, those that the request names. What the plan, a law
/// or memory names besides is not what the step is about.
pub(crate) async fn of(cx: &AttemptContext) -> Vec<PathBuf> {
    let (here, texts) =
        (cx.surroundings.clone(), [cx.subtask.intent.clone(), cx.subtask.briefing.request.clone()]);
    let look = move || {
        let world = Filesystem::of(&here);
        texts
            .iter()
            .map(|text| Mentions::of(text, &world).paths)
            .find(|paths| !paths.is_empty())
            .unwrap_or_default()
    };
    // This fails only when the process shuts down.
    tokio::task::spawn_blocking(look).await.unwrap_or_default()
}

/// The subject in words that can be copied into a command. A weak model does not quote blanks, and translates
/// names.
pub(crate) fn told(subject: &[PathBuf], working_folder: &Path) -> Option<String> {
    let one = |path: &PathBuf| {
        let kind = if path.is_dir() { "folder" } else { "file" };
        Some(format!("{} ({kind})", quoted(&shown(path, working_folder)?)))
    };
    let all: Vec<String> = subject.iter().take(MOST_TOLD).filter_map(one).collect();
    (!all.is_empty()).then(|| all.join(", "))
}

/// Whether a command omits the name of any path that the step is about.
pub(crate) fn is_left_out(subject: &[PathBuf], command: &str) -> bool {
    let names = subject.iter().filter_map(|path| path.file_name()?.to_str());
    names.into_iter().any(|name| !command.contains(name))
}

/// What the step names, as it is told.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Described {
    /// Each thing with what it is, and how a file begins; empty if nothing is named.
    pub(crate) text: String,
    /// The names, as they lie there.
    pub(crate) names: Vec<String>,
    /// The one table among them.
    pub(crate) table: Option<TableFile>,
    /// Whether that is the only file among them, so that a query of it can answer.
    pub(crate) is_of_a_table: bool,
    /// The values of that table which the request names.
    pub(crate) values: Vec<NamedValue>,
}

/// A table, and the name of the file that it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TableFile {
    pub(crate) name: String,
    pub(crate) table: Table,
}

impl Described {
    /// The values that the request names, with their fields as a command names them; `None` if there are none.
    pub(crate) fn told_values(&self, language: Language) -> Option<String> {
        let one = |named: &NamedValue| {
            format!("{} ({})", Value::from(named.value.as_str()), named.field.told(language))
        };
        let all: Vec<String> = self.values.iter().map(one).collect();
        (!all.is_empty()).then(|| format!("Values that the task names: {}", all.join(", ")))
    }
}

/// Describes what the step names. It is looked at where commands run, so that what they may not read is not shown
/// either.
pub(crate) async fn described(
    subtask: &SubTask,
    subject: &[PathBuf],
    folder: &Path,
    tools: &dyn CallTool,
) -> Described {
    let (mut text, mut names, mut tables) = (String::new(), Vec::new(), Vec::new());
    for path in subject.iter().take(MOST_TOLD) {
        let Some(shown) = shown(path, folder) else { continue };
        let name = quoted(&shown);
        let looked =
            if path.is_dir() { format!("ls -A -- {name}") } else { format!("head -c {LOOKED_AT} -- {name}") };
        let seen = tools.rehearse(&looked, &Perturbation::AsIs).await.ok().filter(|seen| seen.status == 0);
        let what = match seen.map(|seen| seen.stdout) {
            Some(Said::Whole(bytes)) if path.is_dir() => {
                let what = folder_of(&String::from_utf8_lossy(&bytes));
                match told_apart_in(&shown, subtask, tools).await {
                    Some(word) => {
                        format!("{what}; {word} stands in the text of some of its files, and in no name")
                    }
                    None => what,
                }
            }
            Some(Said::Whole(bytes)) => {
                let (what, table) = beginning(&bytes);
                tables.extend(table.map(|(table, cells)| (TableFile { name: shown.clone(), table }, cells)));
                what
            }
            Some(Said::Hash(_)) | None if path.is_dir() => "a folder".to_owned(),
            Some(Said::Hash(_)) | None => "a file".to_owned(),
        };
        line(&mut text, format_args!("{}: {what}", inline(&name)));
        names.push(shown);
    }
    let only = if tables.len() == 1 { tables.pop() } else { None };
    let (table, cells) = only.map_or((None, Vec::new()), |(table, cells)| (Some(table), cells));
    let values = values::named(&subtask.intent, &names, cells);
    let text = if text.is_empty() { text } else { format!("Names:\n{text}") };
    let is_of_a_table = subject.iter().filter(|path| !path.is_dir()).count() == 1
        && table.as_ref().is_some_and(|file: &TableFile| file.table.between().is_some());
    Described { text, names, table, is_of_a_table, values }
}

/// The word of the step that tells the files of a folder apart by their texts.
async fn told_apart_in(folder: &str, subtask: &SubTask, tools: &dyn CallTool) -> Option<String> {
    let words = told_apart::kept(&subtask.intent, &[folder.to_owned()], &subtask.context);
    if words.is_empty() {
        return None;
    }
    let search = told_apart::search(&quoted(folder), &words);
    match tools.rehearse(&search, &Perturbation::AsIs).await.ok()?.stdout {
        Said::Whole(bytes) => told_apart::told_apart(&String::from_utf8_lossy(&bytes)),
        Said::Hash(_) => None,
    }
}

/// A folder, of which these are the names.
fn folder_of(names: &str) -> String {
    let is_repository = names.lines().any(|name| name == ".git");
    if is_repository { "a folder, a git repository".to_owned() } else { "a folder".to_owned() }
}

/// How a file begins: the first of a list of JSON, or the first lines of a text; and the table that it is, with its values.
fn beginning(bytes: &[u8]) -> (String, Option<(Table, Values)>) {
    const NO_TEXT: &str = "a file that is no text";
    // The look may end within a character.
    let text = bytes.utf8_chunks().next().map_or("", |chunk| chunk.valid());
    if bytes.len() - text.len() > 3 || text.contains('\0') {
        return (NO_TEXT.to_owned(), None);
    }
    let cut = |line: &str| line.chars().take(LONGEST_LINE).collect::<String>();
    let json = serde_json::from_str::<Value>(text);
    let table = json.as_ref().map_or_else(|_| Table::of(text), Table::of_json);
    let (what, shown) = match json {
        Ok(Value::Array(items)) if items.first().is_some_and(Value::is_object) => {
            let first = items.first().map(Value::to_string).unwrap_or_default();
            (format!("JSON, a list of {}, of which the first is", items.len()), cut(&first))
        }
        Ok(json @ Value::Object(_)) => ("JSON, which begins with".to_owned(), cut(&json.to_string())),
        Ok(_) | Err(_) => {
            let most = if text.starts_with('<') { LINES_OF_MARKUP } else { LINES_SHOWN };
            let lines: Vec<String> = text.lines().take(most).map(cut).collect();
            ("a text that begins with".to_owned(), lines.join("\n"))
        }
    };
    if shown.trim().is_empty() {
        return ("an empty file".to_owned(), None);
    }
    (format!("{what}\n{}", indented(&shown)), table)
}

/// A name quoted so that a shell takes it as one word.
pub(super) fn quoted(name: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || matches!(c, '/' | '.' | '_' | '-' | '+' | ',');
    if name.chars().all(is_plain) && !name.starts_with('-') && !name.is_empty() {
        name.to_owned()
    } else {
        format!("'{}'", name.replace('\'', r"'\''"))
    }
}

/// The code with the name of the one folder, and of the one file, in place of the words that stand for them in the
/// prompts, which a weak model copies.
pub(crate) fn with_names(code: &str, subject: &[PathBuf], folder: &Path) -> String {
    let one = |is_folder: bool| {
        let mut alike = subject.iter().filter(|path| path.is_dir() == is_folder);
        alike.next().filter(|_| alike.next().is_none()).and_then(|path| shown(path, folder))
    };
    let put = |code: String, word: &str, name: Option<String>| match name {
        // The folder of an example, before a name that is complete.
        Some(name) => code.replace(&format!("{word}/{name}"), &name).replace(word, &name),
        None => code,
    };
    put(put(code.to_owned(), "FOLDER", one(true)), "FILE", one(false))
}

/// The command with these paths quoted wherever it names one without quotes, or with its blanks as underscores. A
/// weak model forgets quotes. Within quotes nothing is touched: what stands there is a text.
pub(crate) fn with_quotes(command: &str, subject: &[PathBuf], folder: &Path) -> String {
    let mut names: Vec<(String, String)> = subject
        .iter()
        .filter_map(|path| shown(path, folder))
        .filter(|name| name.contains(' ') && !name.contains(['"', '\'']))
        .flat_map(|name| {
            let forms = [name.clone(), name.replace(' ', r"\ "), name.replace(' ', "_")];
            forms.map(|form| (form, quoted(&name)))
        })
        .filter(|(form, _)| !folder.join(form).exists() || form.contains(' '))
        .collect();
    names.sort_by_key(|(form, _)| std::cmp::Reverse(form.len()));
    let (mut out, mut quote, mut rest) = (String::with_capacity(command.len()), None, command);
    while let Some(c) = rest.chars().next() {
        let is_word_start = !out.ends_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | '-'));
        let found = names
            .iter()
            .find(|(form, _)| quote.is_none() && is_word_start && rest.starts_with(form.as_str()));
        if let Some((form, name)) = found {
            out.push_str(name);
            rest = rest.get(form.len()..).unwrap_or_default();
            continue;
        }
        if quote != Some('\'') && c == '\\' {
            // What is escaped opens and closes nothing.
            let escaped: String = rest.chars().take(2).collect();
            out.push_str(&escaped);
            rest = rest.get(escaped.len()..).unwrap_or_default();
            continue;
        }
        match (quote, c) {
            (None, '"' | '\'') => quote = Some(c),
            (Some(open), c) if c == open => quote = None,
            (None | Some(_), _) => {}
        }
        out.push(c);
        rest = rest.get(c.len_utf8()..).unwrap_or_default();
    }
    out
}

/// The path as it is told: below the working folder without it.
fn shown(path: &Path, folder: &Path) -> Option<String> {
    let folder = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
    path.strip_prefix(&folder).unwrap_or(path).to_str().map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_quoted_where_a_shell_would_take_them_apart() {
        let home = tempfile::tempdir().unwrap();
        let folder = home.path().canonicalize().unwrap();
        for name in ["Mes papiers", "a b"] {
            std::fs::create_dir(folder.join(name)).unwrap();
        }
        let subject = [folder.join("Mes papiers")];
        for (written, expected) in [
            ("ls Mes papiers/x | wc", "ls 'Mes papiers'/x | wc"),
            (r"ls Mes\ papiers", "ls 'Mes papiers'"),
            ("ls Mes_papiers", "ls 'Mes papiers'"),
            ("ls 'Mes papiers' \"Mes papiers\"", "ls 'Mes papiers' \"Mes papiers\""),
            (r"echo it\'s; ls Mes papiers", r"echo it\'s; ls 'Mes papiers'"),
            (r"python3 -c 'open('\''Mes papiers'\'')'", r"python3 -c 'open('\''Mes papiers'\'')'"),
            ("ls NoMes papiers", "ls NoMes papiers"),
            ("ls a b", "ls a b"),
        ] {
            assert_eq!(with_quotes(written, &subject, &folder), expected, "{written}");
        }
        assert_eq!(with_names("ls FOLDER; cat FILE", &subject, &folder), "ls Mes papiers; cat FILE");
    }

    #[test]
    fn a_file_is_described_by_how_it_begins() {
        for (bytes, what, is_table) in [
            (&b"name,n\nada,1\nbob,2\n"[..], "a text that begins with\n    name,n\n    ada,1", true),
            (br#"[{"n": 1}, {"n": 2}]"#, "JSON, a list of 2, of which the first is\n    {\"n\":1}", true),
            (br#"{"n": 1}"#, "JSON, which begins with\n    {\"n\":1}", true),
            (b"{}", "JSON, which begins with\n    {}", false),
            (
                b"<a>\n<b/>\n<c/>\n</a>",
                "a text that begins with\n    <a>\n    <b/>\n    <c/>\n    </a>",
                false,
            ),
            (b"\x7fELF\0\0", "a file that is no text", false),
            (b"\xff\xfe\xff\xfe\xff", "a file that is no text", false),
            (b"", "an empty file", false),
            ("gr\u{fc}n".as_bytes().get(..3).unwrap(), "a text that begins with\n    gr", false),
        ] {
            let (told, table) = beginning(bytes);
            assert_eq!((told.as_str(), table.is_some()), (what, is_table));
        }
    }

    #[test]
    fn names_are_told_as_a_shell_takes_them() {
        let home = tempfile::tempdir().unwrap();
        let folder = home.path().canonicalize().unwrap();
        std::fs::create_dir(folder.join("Mes papiers")).unwrap();
        let all =
            [folder.join("Mes papiers"), folder.join("会议.txt"), folder.join("it's.txt"), folder.join("-x")];
        assert_eq!(
            told(&all, home.path()).unwrap(),
            r"'Mes papiers' (folder), 会议.txt (file), 'it'\''s.txt' (file), '-x' (file)"
        );
        assert_eq!(told(&[], home.path()), None);
    }
}
