//! Code as a weak model writes it: in a block, behind a beginning that it is given.

use std::sync::LazyLock;

use artoo_types::ToolKind;
use regex::Regex;
use serde_json::Value;

use super::subject::{TableFile, quoted};
use crate::Action;

/// What a derivation is written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Language {
    Shell,
    Python,
    /// A query of the one table that a step names.
    Sql,
}

/// The program that runs Python.
pub(crate) const PYTHON: &str = "python3";
/// What every program finds imported if it uses it: a weak model forgets some.
const IMPORTS: &str = "import csv, json, os, re, shutil, subprocess, sys, tarfile, time, zipfile
from collections import Counter, defaultdict
from datetime import date, datetime, timedelta
from pathlib import Path
from xml.etree import ElementTree
";
/// The program that runs a query: its arguments are the table, what stands between the columns, and the query.
const QUERY: &str = include_str!("../../prompts/query.py");
/// The first word of a query.
const SELECT: &str = "SELECT";
/// The last words of a program's beginning, which the model goes on behind.
const BEGUN: &str = "from pathlib import Path\nimport";
impl Language {
    /// The constant part of the prompt.
    pub(crate) const fn prompt(self) -> &'static str {
        match self {
            Self::Shell => include_str!("../../prompts/shell.md"),
            Self::Python => include_str!("../../prompts/python.md"),
            Self::Sql => include_str!("../../prompts/sql.md"),
        }
    }

    /// The beginning of the answer. Behind the word `import` a model writes a program; behind the mark of a block alone
    /// it may write the answer itself, which it cannot know.
    pub(crate) fn begun(self) -> String {
        match self {
            Self::Shell => "```bash\n".to_owned(),
            Self::Python => format!("```python\n{BEGUN}"),
            Self::Sql => format!("```sql\n{SELECT}"),
        }
    }
}

/// The command that an answer comes to; `None` if it has none. The answer goes on behind [`Language::begun`], or
/// has a block of its own, or is a call of the shell, as other prompts ask for it. A query is one of this table.
pub(crate) fn command(language: Language, answer: &str, table: Option<&TableFile>) -> Option<String> {
    if let Some(command) = called(answer) {
        return Some(command);
    }
    let code = code(answer);
    if code.trim().is_empty() {
        return None;
    }
    match language {
        Language::Shell => Some(code.trim().to_owned()),
        Language::Python => {
            // It goes on behind the words that it was given.
            let begun = if code.starts_with(' ') { "import" } else { "" };
            let program = with_lists(&format!("{begun}{}", code.trim_end()));
            Some(format!("{PYTHON} -c {}", quoted(&format!("{}{program}", imports(&program)))))
        }
        Language::Sql => {
            let table = table?;
            let between = quoted(&table.table.between()?.to_string());
            let is_whole =
                code.trim_start().get(..SELECT.len()).is_some_and(|word| word.eq_ignore_ascii_case(SELECT));
            let begun = if is_whole { String::new() } else { format!("{SELECT} ") };
            let query = quoted(&format!("{begun}{}", code.trim()));
            Some(format!(
                "{PYTHON} -c {} {} {between} {query}",
                quoted(QUERY.trim_end()),
                quoted(&table.name)
            ))
        }
    }
}

/// Whether a command is a query of a table, as [`command`] writes it.
pub(crate) fn is_query(command: &str) -> bool {
    let rest = command.strip_prefix(PYTHON).and_then(|rest| rest.strip_prefix(" -c "));
    rest.is_some_and(|rest| rest.starts_with(&quoted(QUERY.trim_end())))
}

/// The program with lists in place of what yields the entries of a folder once: a weak model asks for its length, sorts it,
/// or goes through it twice.
fn with_lists(program: &str) -> String {
    static ENTRIES: LazyLock<Option<Regex>> =
        LazyLock::new(|| Regex::new(r"\b\w+(?:\([^()]*\))?\.(?:rglob|glob|iterdir)\([^()]*\)").ok());
    let Some(entries) = ENTRIES.as_ref() else { return program.to_owned() };
    let mut mended = String::with_capacity(program.len());
    let mut end = 0;
    for found in entries.find_iter(program) {
        mended.push_str(program.get(end..found.start()).unwrap_or_default());
        // The next of a list is an error.
        if mended.ends_with("next(") {
            mended.push_str(found.as_str());
        } else {
            mended.push_str(&format!("list({})", found.as_str()));
        }
        end = found.end();
    }
    mended + program.get(end..).unwrap_or_default()
}

/// The imports that a program lacks, line by line.
fn imports(program: &str) -> String {
    let is_import = |statement: &&str| statement.starts_with("import ") || statement.starts_with("from ");
    let statements = program.split('\n').flat_map(|line| line.split("; "));
    let (own, rest): (Vec<&str>, Vec<&str>) = statements.partition(is_import);
    let has =
        |statements: &[&str], name: &str| statements.iter().any(|one| words(one).any(|word| word == name));
    let mut lines = String::new();
    for line in IMPORTS.lines() {
        let Some((module, names)) = line.split_once("import ") else { continue };
        let lacking = names.split(", ").filter(|name| has(&rest, name) && !has(&own, name));
        let names = lacking.collect::<Vec<_>>().join(", ");
        if !names.is_empty() {
            lines.push_str(&format!("{module}import {names}\n"));
        }
    }
    lines
}

fn words(statement: &str) -> impl Iterator<Item = &str> {
    statement.split(|c: char| !c.is_alphanumeric() && c != '_')
}

fn code(answer: &str) -> &str {
    let code = match answer.split_once("```") {
        // What stands before it, if anything, is said about it, unless the answer only closes the block that
        // was begun.
        Some((before, rest)) => match rest.split_once('\n').map(|(_, body)| body.split_once("```")) {
            Some(Some((body, _))) => body,
            Some(None) if before.trim().is_empty() => rest.split_once('\n').map_or(rest, |(_, body)| body),
            Some(None) | None => before,
        },
        None => answer,
    };
    code.trim_start_matches('\n')
}

/// The command of a call of the shell.
fn called(answer: &str) -> Option<String> {
    let turn = serde_json::from_str::<Value>(answer.trim()).ok()?;
    match Action::read(&turn)? {
        Action::Call { tool, arguments, .. } if tool.is(ToolKind::Shell) => {
            Some(arguments.get("command")?.as_str()?.to_owned())
        }
        Action::Call { .. } | Action::Answer(_) | Action::AskUser(_) | Action::GiveUp(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::table::Table;
    use super::*;

    #[test]
    fn code_is_read_as_models_write_it() {
        for answer in [
            "wc -l < a.txt\n```",
            "wc -l < a.txt\n```\nThis counts the lines.",
            "```bash\nwc -l < a.txt\n```",
            "Here it is:\n```sh\nwc -l < a.txt\n```\nIt counts lines.",
            "```\nwc -l < a.txt",
            "  wc -l < a.txt ",
            r#"{"tool": "shell", "arguments": {"command": "wc -l < a.txt"}, "output_is_answer": true}"#,
        ] {
            assert_eq!(command(Language::Shell, answer, None).as_deref(), Some("wc -l < a.txt"), "{answer}");
        }
        for nothing in ["", "```", "```bash\n```", " \n"] {
            assert_eq!(command(Language::Shell, nothing, None), None, "{nothing:?}");
        }
    }

    #[test]
    fn a_program_finds_imported_what_it_uses() {
        let expected = "python3 -c 'import csv\nprint('\\''a'\\'')'";
        for answer in
            [" csv\nprint('a')\n```", "```python\nimport csv\nprint('a')\n```", "import csv\nprint('a')"]
        {
            assert_eq!(command(Language::Python, answer, None).as_deref(), Some(expected), "{answer}");
        }
        for (program, lacking) in [
            ("print(1)", ""),
            ("import os; print(os.sep, Path())", "from pathlib import Path\n"),
            ("import os\nprint(os.sep, Path(sys.argv[0]))", "import sys\nfrom pathlib import Path\n"),
            ("import datetime\nprint(datetime.date.today())", "from datetime import date\n"),
            ("from datetime import datetime as d\nprint(d.now())", ""),
            ("    import re\nprint(re.split('a', 'b'))", "import re\n"),
            ("Counter()\ndefaultdict(list)", "from collections import Counter, defaultdict\n"),
            ("ElementTree.parse('a')", "from xml.etree import ElementTree\n"),
            ("closed = recsv = json_file = 1", ""),
        ] {
            assert_eq!(imports(program), lacking, "{program}");
        }
    }

    /// Observed with the embedded model in all three programs: `len(Path("a").rglob("*"))`.
    #[test]
    fn lesson_the_entries_of_a_folder_are_a_list() {
        for (program, expected) in [
            ("len(Path(\"a\").rglob(\"*\"))", "len(list(Path(\"a\").rglob(\"*\")))"),
            ("files = folder.iterdir()", "files = list(folder.iterdir())"),
            (
                "[p for p in Path(\"a\").rglob(\"*\") if p.is_file()]",
                "[p for p in list(Path(\"a\").rglob(\"*\")) if p.is_file()]",
            ),
            ("glob.glob('*.txt')", "list(glob.glob('*.txt'))"),
            ("next(folder.glob('a*'))", "next(folder.glob('a*'))"),
            ("Path(a()).rglob(b())", "Path(a()).rglob(b())"),
            ("Path(a()).rglob('*')", "Path(a()).rglob('*')"),
        ] {
            assert_eq!(with_lists(program), expected);
        }
    }

    #[test]
    fn a_query_is_of_the_table_that_is_named() {
        let of = |answer: &str| {
            let (table, _) = Table::of("a;b\n1;2\n").unwrap();
            let file = TableFile { name: "my sales.csv".to_owned(), table };
            let command = command(Language::Sql, answer, Some(&file))?;
            let begun = format!("python3 -c {} 'my sales.csv' ';' ", quoted(QUERY.trim_end()));
            Some(command.strip_prefix(&begun).unwrap().to_owned())
        };
        for answer in
            [" a FROM data\n```", "\na FROM data", "```sql\nSELECT a FROM data\n```", "SELECT a FROM data"]
        {
            assert_eq!(of(answer).as_deref(), Some("'SELECT a FROM data'"), "{answer}");
        }
        assert_eq!(of("select a\nFROM data;").as_deref(), Some("'select a\nFROM data;'"));
        assert_eq!(command(Language::Sql, " a FROM data", None), None);
        let (json, _) = Table::of_json(&serde_json::json!([{"a": 1}])).unwrap();
        let json = TableFile { name: "a.json".to_owned(), table: json };
        assert_eq!(command(Language::Sql, " a FROM data", Some(&json)), None);
    }

    proptest! {
        #[test]
        fn any_answer_is_read(answer in any::<String>()) {
            let (table, _) = Table::of("a,b\n1,2\n").unwrap();
            let table = TableFile { name: "a.csv".to_owned(), table };
            for language in [Language::Shell, Language::Python, Language::Sql] {
                let _ = command(language, &answer, Some(&table));
            }
        }

        #[test]
        fn what_stands_in_a_block_is_the_code(code in "[a-z |]{0,20}[a-z]") {
            let of = |answer: String| command(Language::Shell, &answer, None);
            prop_assert_eq!(of(format!("{code}\n```")), Some(code.trim().to_owned()));
            prop_assert_eq!(of(format!("```bash\n{code}\n```\n")), Some(code.trim().to_owned()));
        }
    }
}
