//! `python -c`: one-liners that surely only read.
//!
//! A program is let through by what it may name, not by what it must not: modules, names behind a dot and uses of `open` come from
//! short lists, and nothing that can turn a text into code or a name exists outside of them.

use std::path::Path;

use super::place::Seen;
use super::python_tokens::{Token, tokens};
use super::value::Value;
use super::walk::{Input, Walker};

/// Modules whose use is followed.
const MODULES: [&str; 28] = [
    "sys",
    "os",
    "os.path",
    "csv",
    "json",
    "glob",
    "re",
    "math",
    "statistics",
    "collections",
    "itertools",
    "datetime",
    "string",
    "pathlib",
    "decimal",
    "fractions",
    "functools",
    "textwrap",
    "unicodedata",
    "hashlib",
    "time",
    "random",
    "fnmatch",
    "calendar",
    "heapq",
    "bisect",
    "html",
    "pprint",
];

/// Names that turn texts into code, into names or into files, or that show a pager.
const FORBIDDEN: [&str; 13] = [
    "exec",
    "eval",
    "compile",
    "getattr",
    "setattr",
    "delattr",
    "globals",
    "locals",
    "vars",
    "breakpoint",
    "help",
    "input",
    "memoryview",
];

/// Names behind a dot that read, compute or print, on whatever stands before the dot.
const ATTRIBUTES: &[&str] = &[
    // os, os.path, glob, pathlib
    "path listdir walk scandir stat lstat getcwd environ sep linesep exists lexists join basename dirname \
     getsize getmtime getctime getatime isfile isdir islink splitext abspath expanduser relpath realpath \
     normpath commonpath glob iglob rglob iterdir is_file is_dir name stem suffix suffixes parent parents \
     parts as_posix cwd home resolve absolute relative_to with_suffix read_text read_bytes st_size \
     st_mtime st_ctime st_atime st_mode Path PurePath fnmatch access R_OK",
    // files and streams
    "read readline readlines close argv stdin stdout stderr write writelines flush exit buffer maxsize",
    // csv, json
    "reader DictReader writer DictWriter writerow writerows writeheader fieldnames load loads dump dumps \
     line_num QUOTE_ALL QUOTE_NONE QUOTE_MINIMAL JSONDecodeError",
    // texts
    "strip lstrip rstrip split rsplit splitlines lower upper title capitalize casefold swapcase \
     startswith endswith replace find rfind index count format encode decode isdigit isalpha isalnum \
     isspace isupper islower isnumeric zfill ljust rjust center partition rpartition removeprefix \
     removesuffix translate maketrans hex ascii_letters ascii_lowercase digits punctuation",
    // collections
    "items keys values get setdefault update pop popitem append extend insert sort reverse add discard \
     union intersection difference symmetric_difference issubset issuperset copy clear Counter \
     defaultdict OrderedDict namedtuple deque most_common appendleft popleft elements fromkeys",
    // re
    "findall finditer match search sub subn compile fullmatch group groups groupdict start end span \
     IGNORECASE MULTILINE DOTALL I M S escape",
    // figures
    "mean median mode stdev pstdev variance fmean sqrt floor ceil fsum gcd log log10 log2 exp pow prod pi \
     e inf nan isnan isclose hypot factorial trunc Decimal Fraction quantize real as_integer_ratio \
     is_integer bit_length",
    // times
    "datetime date timedelta now today utcnow fromtimestamp strptime strftime isoformat fromisoformat \
     year month day hour minute second weekday isoweekday timestamp total_seconds days seconds timezone \
     utc time sleep localtime gmtime ctime monthrange month_name day_name",
    // itertools, functools, heapq, others
    "groupby chain from_iterable islice accumulate combinations permutations product zip_longest starmap \
     takewhile dropwhile reduce lru_cache partial nlargest nsmallest heappush heappop bisect bisect_left \
     md5 sha1 sha256 sha512 hexdigest digest wrap fill dedent normalize category unescape pprint pformat \
     seed randint choice shuffle sample random",
];

fn is_followed(name: &str) -> bool {
    ATTRIBUTES.iter().any(|names| names.split(' ').any(|one| one == name))
}

pub(super) fn run(walker: &mut Walker<'_>, program: &Value, arguments: &[Value], input: &Input) {
    let name = program.text();
    let mut rest = arguments;
    while let [first, more @ ..] = rest {
        if !["-B", "-E", "-I", "-s", "-S", "-u", "-q", "-OO", "-O"].contains(&first.text()) {
            break;
        }
        rest = more;
    }
    let (text, word) = match (rest, input) {
        ([first], _) if ["-V", "--version", "-h", "--help", "-VV"].contains(&first.text()) => return,
        ([option, text, ..], _) if option.is("-c") => match &text.text {
            Some(known) => (known.clone(), text.source.clone()),
            None => return walker.unknown(name, &text.source, "the program shows only when it runs"),
        },
        ([option, tool, operands @ ..], _) if option.is("-m") && tool.is("json.tool") => {
            let plain = |one: &&Value| {
                !["--indent", "--sort-keys", "--compact", "--no-ensure-ascii", "--json-lines"]
                    .contains(&one.text())
            };
            return match operands.iter().filter(plain).collect::<Vec<_>>().as_slice() {
                [] => {}
                [one] if !one.may_be_option() && !one.many && !one.splits => {
                    walker.reads(one, "Python reads it")
                }
                [first, ..] => walker.unknown(name, &first.source, "json.tool writes its second file"),
            };
        }
        ([], Input::Text(text)) => (text.clone(), "the here-document".to_owned()),
        ([dash], Input::Text(text)) if dash.is("-") => (text.clone(), "the here-document".to_owned()),
        ([], Input::Nothing) => return,
        _ => {
            return walker.unknown(
                name,
                &program.source,
                "what this program of Python does is not looked at",
            );
        }
    };
    match check(&text) {
        Err(why) => walker.unknown("the program of Python", &word, why),
        Ok(modules) => {
            for module in modules {
                shadowed(walker, &module, &word);
            }
            // What it names may be a place that nobody may read.
            for token in tokens(&text).unwrap_or_default() {
                if let Token::Text(path) = token
                    && path.contains('/')
                {
                    let home = path.strip_prefix("~/").map(|rest| walker.place.home.join(rest));
                    let path = home.map_or(path, |home| home.display().to_string());
                    walker
                        .guards(&Value { source: word.clone(), ..Value::known(path) }, "Python may read it");
                }
            }
        }
    }
}

/// A file beside the program takes the place of a module.
fn shadowed(walker: &mut Walker<'_>, module: &str, word: &str) {
    let name = module.split('.').next().unwrap_or_default();
    if ["os", "sys", "time"].contains(&name) {
        return;
    }
    let Some(folder) = walker.scope.folder.clone() else {
        return walker.unknown(
            module,
            word,
            "a file in a folder that is not known may take the place of this module",
        );
    };
    for file in [format!("{name}.py"), format!("{name}/__init__.py")] {
        if !matches!(walker.place.paths.look(&folder.join(Path::new(&file))), Seen::Nothing(_)) {
            walker.unknown(&file, word, "this file takes the place of a module of Python");
        }
    }
}

/// The modules of a program that only reads, or why that is not sure.
fn check(text: &str) -> Result<Vec<String>, String> {
    let tokens = tokens(text)?;
    let modules = imports(&tokens)?;
    let paths = modules.iter().any(|module| module == "pathlib");
    let word = |at: usize| tokens.get(at).and_then(Token::name);
    let sign = |at: usize, one: char| tokens.get(at) == Some(&Token::Sign(one));
    for (at, token) in tokens.iter().enumerate() {
        let Some(name) = token.name() else { continue };
        let behind_dot = at > 0 && sign(at - 1, '.');
        if name.starts_with('_') && (name != "_" || behind_dot) {
            return Err(format!("`{name}` reaches behind what is followed"));
        }
        if behind_dot {
            if !is_followed(name) && !in_import(&tokens, at) {
                return Err(format!("what `.{name}` does is not known"));
            }
            // `Path.replace` and `os.replace` move files; `Path.copy` copies them.
            let of_os = at > 1 && word(at - 2) == Some("os");
            if (paths || of_os) && ["replace", "copy"].contains(&name) {
                return Err(format!("`.{name}` may change files"));
            }
            if at > 1 && word(at - 2) == Some("sys") && name == "path" {
                return Err("`sys.path` says where modules come from".to_owned());
            }
        } else if name == "open" {
            opens(&tokens, at)?;
        } else if FORBIDDEN.contains(&name) && !is_keyword_argument(&tokens, at) {
            return Err(format!("`{name}` is not followed"));
        } else if ["os", "sys"].contains(&name) && !sign(at + 1, '.') && !in_import(&tokens, at) {
            return Err(format!("`{name}` goes by another name"));
        }
    }
    Ok(modules)
}

fn is_keyword_argument(tokens: &[Token], at: usize) -> bool {
    let sign = |at: usize, one: char| tokens.get(at) == Some(&Token::Sign(one));
    at > 0 && (sign(at - 1, ',') || sign(at - 1, '(')) && sign(at + 1, '=') && !sign(at + 2, '=')
}

/// Whether a token stands in an import statement, each of which [`imports`] has looked at.
fn in_import(tokens: &[Token], at: usize) -> bool {
    let ends = |token: &Token| matches!(token, Token::End | Token::Sign(';' | ':'));
    let from = tokens.get(..at).unwrap_or_default().iter().rposition(ends).map_or(0, |end| end + 1);
    let statement = tokens.get(from..).unwrap_or_default().split(ends).next().unwrap_or_default();
    let begins = matches!(statement.first().and_then(Token::name), Some("import" | "from"));
    begins && statement.iter().any(|token| token.name() == Some("import"))
}

/// The modules that a program imports, each one that is followed.
fn imports(tokens: &[Token]) -> Result<Vec<String>, String> {
    let mut modules = Vec::new();
    for statement in tokens.split(|token| matches!(token, Token::End | Token::Sign(';' | ':'))) {
        let has_import = statement.iter().any(|token| matches!(token.name(), Some("import")));
        if !has_import {
            continue;
        }
        let text: Vec<String> = statement.iter().map(Token::shown).collect();
        let joined = text.join(" ").replace(" . ", ".");
        let known = |module: &str| {
            if MODULES.contains(&module) {
                Ok(module.to_owned())
            } else {
                Err(format!("the module `{module}` is not followed"))
            }
        };
        if let Some(list) = joined.strip_prefix("import ") {
            for one in list.split(" , ") {
                let (module, alias) =
                    one.split_once(" as ").map_or((one, None), |(module, alias)| (module, Some(alias)));
                if alias.is_some() && ["os", "os.path", "sys"].contains(&module) {
                    return Err(format!("`{module}` goes by another name"));
                }
                modules.push(known(module)?);
            }
        } else if let Some((module, names)) =
            joined.strip_prefix("from ").and_then(|rest| rest.split_once(" import "))
        {
            modules.push(known(module)?);
            for one in names.trim_matches(['(', ')', ' ']).split(" , ") {
                let name = one.split(" as ").next().unwrap_or_default().trim();
                let moves = ["replace", "copy"].contains(&name) && (module == "os" || module == "pathlib")
                    || name == "path" && module == "sys";
                if !is_followed(name) || moves {
                    return Err(format!("what `{name}` of `{module}` does is not known"));
                }
            }
        } else {
            return Err("an import is not followed".to_owned());
        }
    }
    Ok(modules)
}

/// `open` has to be called where it stands, with a mode that reads.
fn opens(tokens: &[Token], at: usize) -> Result<(), String> {
    let aside = || Err("`open` is used in a way that is not followed".to_owned());
    if tokens.get(at + 1) != Some(&Token::Sign('(')) {
        return aside();
    }
    let (mut depth, mut argument, mut first) = (0_usize, 0_usize, true);
    let mut at = at + 2;
    while let Some(token) = tokens.get(at) {
        match token {
            Token::Sign('(' | '[' | '{') => depth += 1,
            Token::Sign(')') if depth == 0 => return Ok(()),
            Token::Sign(')' | ']' | '}') => depth = depth.saturating_sub(1),
            Token::Sign(',') if depth == 0 => {
                (argument, first) = (argument + 1, true);
                at += 1;
                continue;
            }
            Token::Sign('*') if depth == 0 && first => return aside(),
            Token::Name(name) if depth == 0 && name == "for" => return aside(),
            Token::Name(_) | Token::Text(_) | Token::Number | Token::Sign(_) | Token::End => {}
        }
        if depth == 0 && first {
            let keyword = token.name().filter(|_| tokens.get(at + 1) == Some(&Token::Sign('=')));
            let ends = |at: usize| matches!(tokens.get(at), Some(Token::Sign(')' | ',')));
            let reads = |at: usize| match tokens.get(at) {
                Some(Token::Text(mode)) => {
                    ends(at + 1) && mode.chars().all(|one| matches!(one, 'r' | 'b' | 't' | 'U'))
                }
                _ => false,
            };
            match (keyword, argument) {
                (Some("mode"), _) if reads(at + 2) => {}
                (Some("encoding" | "newline" | "errors" | "buffering" | "file"), _) => {}
                (Some(_), _) => return aside(),
                (None, 1) if !reads(at) && !matches!(token, Token::Sign(')')) => {
                    return Err("`open` may write".to_owned());
                }
                (None, _) => {}
            }
        }
        first = false;
        at += 1;
    }
    aside()
}

#[cfg(test)]
mod tests {
    use super::check;

    #[test]
    fn one_liners_that_read_are_known() {
        for text in [
            "import csv; v=[float(r[\"amount\"]) for r in csv.DictReader(open(\"data/sales.csv\"))]; print(sum(v))",
            "import os; print(len([f for f in os.listdir(\"photos\") if f.endswith(\".jpg\")]))",
            "import glob, os; print(min(glob.glob(\"docs/**/*.txt\", recursive=True), key=os.path.getsize))",
            "import json\nwith open('people.json', 'r', encoding='utf-8') as f:\n    data = json.load(f)\nprint([p['name'] for p in data if p['city'] == 'Lisbon'])",
            "import sys, json; print(json.load(sys.stdin)['a'])",
            "from pathlib import Path; print(sum(1 for p in Path('docs').rglob('*.txt') if p.is_file()))",
            "print(f\"{3 + 4:>5} files\")",
            "from collections import Counter; print(Counter(open('a').read().split()).most_common(3))",
            "import os\nfor d, _, fs in os.walk('.'):\n    print(d, len(fs), 1e3, 0x1f)",
            "import re; print(len(re.findall(r'rm -rf', open('log').read())))",
        ] {
            assert!(check(text).is_ok(), "{text}: {:?}", check(text));
        }
    }

    #[test]
    fn whatever_may_write_or_run_is_not() {
        for text in [
            "import os; os.remove('x')",
            "import os; os.system('rm x')",
            "import shutil; shutil.rmtree('x')",
            "open('x', 'w').write('')",
            "open('x', mode='w')",
            "open('x', *['w'])",
            "open(file='x', mode='r+')",
            "m = 'w'; open('x', m)",
            "open('x', 'r' if 0 else 'w')",
            "f = open; f('x', 'w')",
            "list(map(open, ['x'], ['w']))",
            "(open)('x', 'w')",
            "import os as o; o.replace('a', 'b')",
            "import os; os.replace('a', 'b')",
            "import os; [os][0].replace('a', 'b')",
            "from os import replace; replace('a', 'b')",
            "from os import *",
            "from pathlib import Path; Path('a').replace('b')",
            "from pathlib import Path; Path('a').unlink()",
            "from pathlib import Path; Path('a').write_text('')",
            "import glob; glob.os.remove('x')",
            "exec('import os')",
            "__import__('os').remove('x')",
            "getattr(open('a'), 'x')",
            "().__class__.__bases__",
            "import subprocess",
            "f\"{open('x','w')}\"",
            "f'{__import__(\"os\")}'",
            "f\"{x[\"a\"]}\"",
            "\u{ff45}val('1')",
            "import os;os.path.os.remove('x')",
            "print('open",
            "import sys; sys.modules['os'].remove('x')",
            "import builtins",
            "def f(o=open): o('x','w')",
            "if 1: import os, shutil",
            "open(\"x\"\"w\", \"\" \"w\")",
            "(os.\nremove)('x')",
            "import os\n(os.\nreplace)('a', 'b')",
            "lambda: (yield\nfrom os.remove('x'))",
            "1..__class__",
            "import sys; sys.path.insert(0, '/tmp'); import csv",
            "from sys import path; path.append('/tmp'); import csv",
            "import sys as s; s.path.append('/tmp')",
        ] {
            assert!(check(text).is_err(), "{text}");
        }
    }
}
