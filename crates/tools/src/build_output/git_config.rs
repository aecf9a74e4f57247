//! The entries of a file of git's configuration.
//!
//! Source: `git-config(1)`, "Configuration File".

/// One entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Entry {
    /// In small letters.
    pub(super) section: String,
    /// What stands between quotes behind the name of the section.
    pub(super) subsection: Option<String>,
    /// In small letters.
    pub(super) key: String,
    /// `None` where no `=` follows the key.
    pub(super) value: Option<String>,
}

/// The entries of a file in order; `None` where git would refuse it.
pub(super) fn entries(text: &str) -> Option<Vec<Entry>> {
    let mut reader = Reader { rest: text.strip_prefix('\u{feff}').unwrap_or(text) };
    let mut section: Option<(String, Option<String>)> = None;
    let mut entries = Vec::new();
    while let Some(first) = reader.next_of_line() {
        match first {
            '[' => section = Some(reader.section()?),
            first if first.is_ascii_alphabetic() => {
                let (section, subsection) = section.clone()?;
                let key = reader.key(first);
                let value = reader.value()?;
                entries.push(Entry { section, subsection, key, value });
            }
            _ => return None,
        }
    }
    Some(entries)
}

struct Reader<'a> {
    rest: &'a str,
}

impl Reader<'_> {
    fn take(&mut self) -> Option<char> {
        let mut chars = self.rest.chars();
        let next = chars.next()?;
        self.rest = chars.as_str();
        // The end of a line may be two characters.
        if next == '\r' && self.rest.starts_with('\n') { self.take() } else { Some(next) }
    }

    /// The next character that is neither blank nor in a comment.
    fn next_of_line(&mut self) -> Option<char> {
        loop {
            match self.take()? {
                '#' | ';' => {
                    self.rest = self.rest.find('\n').and_then(|end| self.rest.get(end..)).unwrap_or_default()
                }
                blank if blank.is_whitespace() => {}
                other => return Some(other),
            }
        }
    }

    /// The rest of `[section "subsection"]`.
    fn section(&mut self) -> Option<(String, Option<String>)> {
        let mut name = String::new();
        loop {
            match self.take()? {
                ']' => return Some((name.to_ascii_lowercase(), None)),
                ' ' | '\t' => break,
                part if part.is_ascii_alphanumeric() || matches!(part, '-' | '.') => name.push(part),
                _ => return None,
            }
        }
        self.rest = self.rest.trim_start_matches([' ', '\t']).strip_prefix('"')?;
        let mut subsection = String::new();
        loop {
            match self.take()? {
                '"' => break,
                '\n' => return None,
                '\\' => subsection.push(self.take()?),
                part => subsection.push(part),
            }
        }
        self.rest = self.rest.strip_prefix(']')?;
        Some((name.to_ascii_lowercase(), Some(subsection)))
    }

    fn key(&mut self, first: char) -> String {
        let is_end = |part: char| !part.is_ascii_alphanumeric() && part != '-';
        let (key, rest) = self.rest.split_at(self.rest.find(is_end).unwrap_or(self.rest.len()));
        self.rest = rest;
        format!("{first}{key}").to_ascii_lowercase()
    }

    /// The value behind a key, without comments and the blanks around it; the outer `None` if git would refuse it.
    fn value(&mut self) -> Option<Option<String>> {
        self.rest = self.rest.trim_start_matches([' ', '\t', '\r']);
        match self.take() {
            None | Some('\n') => return Some(None),
            Some('=') => {}
            Some(_) => return None,
        }
        self.rest = self.rest.trim_start_matches([' ', '\t']);
        let (mut value, mut is_quoted) = (String::new(), false);
        // What follows the last character that is no blank is left out.
        let mut end = 0;
        loop {
            let next = self.take();
            match next {
                None | Some('\n') if is_quoted => return None,
                None | Some('\n') => break,
                Some('#' | ';') if !is_quoted => {
                    self.rest = self.rest.find('\n').and_then(|at| self.rest.get(at..)).unwrap_or_default();
                    continue;
                }
                Some('"') => {
                    is_quoted = !is_quoted;
                    end = value.len();
                    continue;
                }
                Some('\\') => match self.take()? {
                    '\n' => continue,
                    'n' => value.push('\n'),
                    't' => value.push('\t'),
                    'b' => value.push('\u{8}'),
                    same @ ('"' | '\\') => value.push(same),
                    _ => return None,
                },
                Some(blank) if blank.is_whitespace() && !is_quoted => {
                    value.push(blank);
                    continue;
                }
                Some(part) => value.push(part),
            }
            end = value.len();
        }
        value.truncate(end);
        Some(Some(value))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn values(text: &str) -> Option<Vec<(String, Option<String>)>> {
        let name = |entry: Entry| {
            let within = entry.subsection.map(|name| format!("{name}.")).unwrap_or_default();
            (format!("{}.{within}{}", entry.section, entry.key), entry.value)
        };
        Some(entries(text)?.into_iter().map(name).collect())
    }

    #[test]
    fn entries_are_read_as_git_reads_them() {
        for (text, expected) in [
            ("[core]\n\texcludesFile = ~/.ignore\n", vec![("core.excludesfile", Some("~/.ignore"))]),
            ("[Core] ExcludesFile=a b  # c\n", vec![("core.excludesfile", Some("a b"))]),
            ("# x\n[core]\nbare\n", vec![("core.bare", None)]),
            ("[a]\nb = \"x ; y\" \\\n  z\\\\\\\"\n", vec![("a.b", Some("x ; y   z\\\""))]),
            ("[a]\nb =\nc = \" d \"\n", vec![("a.b", Some("")), ("a.c", Some(" d "))]),
            (
                "[includeIf \"gitdir:~/w \\\"\"]\r\npath = x\r\n",
                vec![("includeif.gitdir:~/w \".path", Some("x"))],
            ),
            ("", vec![]),
        ] {
            let expected: Vec<_> =
                expected.into_iter().map(|(key, value)| (key.to_owned(), value.map(str::to_owned))).collect();
            assert_eq!(values(text), Some(expected), "{text:?}");
        }
    }

    #[test]
    fn what_git_refuses_is_refused() {
        for text in [
            "a = b\n",
            "[a\nb = c\n",
            "[a]\nb c\n",
            "[a]\nb = \"c\n",
            "[a]\nb = \\x\n",
            "[a \"b]\n",
            "[a]\n=\n",
        ] {
            assert_eq!(values(text), None, "{text:?}");
        }
    }

    proptest! {
        #[test]
        fn nothing_panics(text in "[\\PC\\n\\r\\t]{0,80}", more in "[\\[\\]\"\\\\=#;ab \\n]{0,40}") {
            let _ = (entries(&text), entries(&more));
        }
    }
}
