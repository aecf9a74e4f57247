//! Query of `mdfind`: name words, a kind, an extension.

use globset::{GlobBuilder, GlobMatcher};

use crate::ToolError;

/// A query. The same matching applies to candidates of an index and of a walk.
#[derive(Debug, Clone)]
pub(crate) struct Query {
    words: Vec<Word>,
    kind: Kind,
    /// Extensions in lower case without the dot; empty for any.
    endings: Vec<String>,
}

#[derive(Debug, Clone)]
enum Word {
    /// A substring of the name, in lower case.
    Part(String),
    /// A glob for the whole name.
    Pattern(GlobMatcher, String),
}

/// A kind of file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Any,
    Folder,
    Document,
    Image,
    Audio,
    Video,
    Archive,
}

/// The kinds by name.
pub(crate) const KINDS: [(&str, Kind); 7] = [
    ("any", Kind::Any),
    ("folder", Kind::Folder),
    ("document", Kind::Document),
    ("image", Kind::Image),
    ("audio", Kind::Audio),
    ("video", Kind::Video),
    ("archive", Kind::Archive),
];

impl Kind {
    /// The extensions of the kind; empty if it is recognised otherwise.
    fn endings(self) -> &'static [&'static str] {
        match self {
            Self::Any | Self::Folder => &[],
            Self::Document => &[
                "pdf", "doc", "docx", "odt", "rtf", "txt", "md", "pages", "xls", "xlsx", "ods", "csv",
                "numbers", "ppt", "pptx", "odp", "key", "epub", "tex", "html",
            ],
            Self::Image => &[
                "jpg", "jpeg", "png", "gif", "webp", "heic", "tif", "tiff", "bmp", "svg", "raw", "cr2",
                "nef", "avif",
            ],
            Self::Audio => &["mp3", "m4a", "wav", "flac", "ogg", "opus", "aac", "aiff", "wma"],
            Self::Video => &["mp4", "mov", "mkv", "avi", "webm", "m4v", "wmv", "mpg", "mpeg"],
            Self::Archive => &["zip", "tar", "gz", "tgz", "bz2", "xz", "7z", "rar", "dmg", "zst"],
        }
    }
}

impl Query {
    /// Parses a query: words are separated by whitespace; a word with `*` or `?` is a glob for the whole
    /// name.
    pub(crate) fn new(words: &str, kind: Kind, ending: &str) -> Result<Self, ToolError> {
        if words.chars().any(char::is_control) {
            return Err(ToolError::argument("words", "contains a control character"));
        }
        let ending = ending.trim().trim_start_matches(['*', '.']).to_lowercase();
        if ending.contains(['/', '*', '?']) || ending.chars().any(char::is_control) {
            return Err(ToolError::argument("extension", "must be an ending like pdf"));
        }
        let words = words.split_whitespace().map(word).collect::<Result<Vec<_>, _>>()?;
        let endings = if ending.is_empty() {
            kind.endings().iter().map(|ending| (*ending).to_owned()).collect()
        } else {
            vec![ending]
        };
        if words.is_empty() && endings.is_empty() {
            return Err(ToolError::argument(
                "words",
                "is missing; name a word, a kind of file, or an extension",
            ));
        }
        Ok(Self { words, kind, endings })
    }

    /// Whether a file or folder of this name matches.
    pub(crate) fn fits(&self, name: &str, is_folder: bool) -> bool {
        let lower = name.to_lowercase();
        let kind = match self.kind {
            Kind::Folder => is_folder,
            // A folder named `old.zip` is not an archive.
            Kind::Document | Kind::Image | Kind::Audio | Kind::Video | Kind::Archive => !is_folder,
            Kind::Any => true,
        };
        let ending = self.endings.is_empty()
            || self.endings.iter().any(|ending| {
                lower.strip_suffix(ending.as_str()).is_some_and(|stem| stem.len() > 1 && stem.ends_with('.'))
            });
        kind && ending
            && self.words.iter().all(|word| match word {
                Word::Part(part) => lower.contains(part),
                Word::Pattern(pattern, _) => pattern.is_match(&lower),
            })
    }

    /// Substrings of every matching name, for an index that supports no more.
    pub(crate) fn literals(&self) -> Vec<String> {
        let parts = self.words.iter().flat_map(|word| match word {
            Word::Part(part) => vec![part.clone()],
            Word::Pattern(_, text) => text
                .split(['*', '?', '[', ']', '{', '}', '\\'])
                .filter(|part| !part.is_empty())
                .map(str::to_owned)
                .collect(),
        });
        let mut parts: Vec<String> = parts.collect();
        if let [only] = self.endings.as_slice() {
            parts.push(format!(".{only}"));
        }
        parts
    }

    /// The allowed extensions; empty for any.
    pub(crate) fn endings(&self) -> &[String] {
        &self.endings
    }

    /// Whether hidden names match.
    pub(crate) fn is_dotted(&self) -> bool {
        self.words.iter().any(|word| match word {
            Word::Part(text) | Word::Pattern(_, text) => text.starts_with('.'),
        })
    }
}

fn word(text: &str) -> Result<Word, ToolError> {
    let lower = text.to_lowercase();
    if !lower.contains(['*', '?']) {
        return Ok(Word::Part(lower));
    }
    // Brackets and braces are literal here: file names contain them more often than people mean classes.
    let escaped: String =
        lower.chars().flat_map(|c| if "[]{}\\".contains(c) { vec!['\\', c] } else { vec![c] }).collect();
    let glob = GlobBuilder::new(&escaped).backslash_escape(true).build();
    let glob =
        glob.map_err(|error| ToolError::argument("words", format!("is not a pattern: {}", error.kind())))?;
    Ok(Word::Pattern(glob.compile_matcher(), lower))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn fits(words: &str, kind: Kind, ending: &str, name: &str) -> bool {
        Query::new(words, kind, ending).unwrap().fits(name, false)
    }

    /// Lesson 32: wildcards never matched.
    #[test]
    fn lesson_32_words_and_wildcards_mean_what_they_say() {
        for (words, ending, name, expected) in [
            ("tax 2025", "", "2025 Tax return.pdf", true),
            ("tax 2025", "", "tax.pdf", false),
            ("*.pdf", "", "Tax.PDF", true),
            ("tax*", "", "my tax.pdf", false),
            ("t?x*", "", "tox.txt", true),
            ("", "pdf", "a.PDF", true),
            ("", ".pdf", "a.pdf", true),
            ("", "*.pdf", "a.pdf", true),
            ("", "pdf", "pdf", false),
            ("", "pdf", ".pdf", false),
            ("", "tar.gz", "a.tar.gz", true),
            ("报告", "", "年度报告.docx", true),
            ("ÜBER", "", "über uns.txt", true),
            ("a[1]", "", "A[1].txt", true),
            ("a[1]*", "", "a[1].txt", true),
        ] {
            assert_eq!(fits(words, Kind::Any, ending, name), expected, "{words} {ending} {name}");
        }
        assert!(fits("", Kind::Image, "", "x.JPG") && !fits("", Kind::Image, "", "x.pdf"));
        assert!(!Query::new("", Kind::Archive, "").unwrap().fits("old.zip", true));
        assert!(Query::new("x", Kind::Folder, "").unwrap().fits("x", true));
    }

    #[test]
    fn what_means_nothing_is_refused() {
        for (words, ending) in [("", ""), ("  ", "."), ("a\nb", ""), ("a", "p/f"), ("a\u{1b}", "")] {
            assert!(Query::new(words, Kind::Any, ending).is_err(), "{words:?} {ending:?}");
        }
    }

    proptest! {
        #[test]
        fn a_name_that_fits_holds_every_literal(words in "[a-cÉ*? ]{1,8}", name in "[a-cé. ]{1,12}", ending in "(|a|b)") {
            if let Ok(query) = Query::new(&words, Kind::Any, &ending)
                && query.fits(&name, false)
            {
                let lower = name.to_lowercase();
                prop_assert!(query.literals().iter().all(|part| lower.contains(part)));
            }
        }

        #[test]
        fn no_words_panic(words in "\\PC{0,20}", ending in "\\PC{0,6}", name in "\\PC{0,20}") {
            if let Ok(query) = Query::new(&words, Kind::Any, &ending) {
                query.fits(&name, false);
            }
        }
    }
}
