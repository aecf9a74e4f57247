//! Code as a weak model writes it: in a block, behind a beginning that it is given.

use serde_json::Value;

use super::SHELL;
use super::subject::quoted;
use crate::Action;

/// What a derivation is written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Language {
    Shell,
    Python,
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
/// The last words of a program's beginning, which the model goes on behind.
const BEGUN: &str = "from pathlib import Path\nimport";
impl Language {
    /// The constant part of the prompt.
    pub(crate) const fn prompt(self) -> &'static str {
        match self {
            Self::Shell => include_str!("../../prompts/shell.md"),
            Self::Python => include_str!("../../prompts/python.md"),
        }
    }

    /// The beginning of the answer. Behind the word `import` a model writes a program; behind the mark of a block alone
    /// it may write the answer itself, which it cannot know.
    pub(crate) fn begun(self) -> String {
        match self {
            Self::Shell => "```bash\n".to_owned(),
            Self::Python => format!("```python\n{BEGUN}"),
        }
    }
}

/// The command that an answer comes to; `None` if it has none. The answer goes on behind [`Language::begun`], or
/// has a block of its own, or is a call of the shell, as other prompts ask for it.
pub(crate) fn command(language: Language, answer: &str) -> Option<String> {
    if let Some(command) = called(answer) {
        return Some(command);
    }
    let code = code(answer);
    if code.trim().is_empty() {
        return None;
    }
    // It goes on behind the words that it was given.
    let begun = if code.starts_with(' ') { "import" } else { "" };
    Some(match language {
        Language::Shell => code.trim().to_owned(),
        Language::Python => {
            let program = format!("{begun}{}", code.trim_end());
            format!("{PYTHON} -c {}", quoted(&format!("{}{program}", imports(&program))))
        }
    })
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
        Action::Call { tool, arguments, .. } if tool.as_str() == SHELL => {
            Some(arguments.get("command")?.as_str()?.to_owned())
        }
        Action::Call { .. } | Action::Answer(_) | Action::GiveUp(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

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
            assert_eq!(command(Language::Shell, answer).as_deref(), Some("wc -l < a.txt"), "{answer}");
        }
        for nothing in ["", "```", "```bash\n```", " \n"] {
            assert_eq!(command(Language::Shell, nothing), None, "{nothing:?}");
        }
    }

    #[test]
    fn a_program_finds_imported_what_it_uses() {
        let expected = "python3 -c 'import csv\nprint('\\''a'\\'')'";
        for answer in
            [" csv\nprint('a')\n```", "```python\nimport csv\nprint('a')\n```", "import csv\nprint('a')"]
        {
            assert_eq!(command(Language::Python, answer).as_deref(), Some(expected), "{answer}");
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

    proptest! {
        #[test]
        fn any_answer_is_read(answer in any::<String>()) {
            for language in [Language::Shell, Language::Python] {
                let _ = command(language, &answer);
            }
        }

        #[test]
        fn what_stands_in_a_block_is_the_code(code in "[a-z |]{0,20}[a-z]") {
            let of = |answer: String| command(Language::Shell, &answer);
            prop_assert_eq!(of(format!("{code}\n```")), Some(code.trim().to_owned()));
            prop_assert_eq!(of(format!("```bash\n{code}\n```\n")), Some(code.trim().to_owned()));
        }
    }
}
