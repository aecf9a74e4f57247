//! Glob of a user's rule: matches paths, and their parents and children.

use std::path::{Path, PathBuf};

use globset::{GlobBuilder, GlobMatcher};

use super::real;

/// One glob of a rule.
#[derive(Clone, Debug)]
pub(super) struct PathPattern {
    whole: GlobMatcher,
    /// The deepest folder named without a wildcard, or the path itself if it has none.
    base: PathBuf,
    /// The parent folders of a match, if they contain wildcards.
    above: Vec<GlobMatcher>,
}

impl PathPattern {
    /// Parses a glob that begins with `/` or `~/`: as written, and with the links in its fixed part resolved.
    /// Blocks.
    ///
    /// # Errors
    ///
    /// A description of what is wrong.
    pub(super) fn read(text: &str, home: &Path) -> Result<Vec<Self>, String> {
        let (root, below) = match (text.strip_prefix("~/"), text.strip_prefix('/')) {
            (Some(below), _) => (home, below),
            (None, Some(below)) => (Path::new("/"), below),
            (None, None) => return Err(format!("`{text}` must begin with `/` or `~/`")),
        };
        let parts: Vec<&str> = below.split('/').filter(|part| !part.is_empty()).collect();
        if parts.iter().any(|part| matches!(*part, "." | "..")) {
            return Err(format!("`{text}` must not hold `.` or `..`"));
        }
        let fixed = parts.iter().take_while(|part| !part.contains(['*', '?', '[', '{', '\\'])).count();
        let (named, open) = parts.split_at(fixed);
        let mut base = root.to_owned();
        base.extend(named);
        let mut bases = vec![real(&base)];
        if !bases.contains(&base) {
            bases.push(base);
        }
        bases
            .into_iter()
            .map(|base| Self::below(base, open).map_err(|why| format!("`{text}` {why}")))
            .collect()
    }

    fn below(base: PathBuf, open: &[&str]) -> Result<Self, String> {
        let Some(start) = base.to_str() else { return Err("leads to a path that is no text".to_owned()) };
        let start = globset::escape(start.trim_end_matches('/'));
        let glob = |parts: &[&str]| {
            let text = [start.as_str()].iter().chain(parts).copied().collect::<Vec<_>>().join("/");
            let built = GlobBuilder::new(&text).literal_separator(true).backslash_escape(true).build();
            built
                .map(|glob| glob.compile_matcher())
                .map_err(|error| format!("is not a glob: {}", error.kind()))
        };
        let above: Result<Vec<GlobMatcher>, String> =
            (1..open.len()).map(|end| glob(open.get(..end).unwrap_or_default())).collect();
        Ok(Self { whole: glob(open)?, base, above: above? })
    }

    /// Whether the glob matches exactly this path.
    pub(super) fn means(&self, path: &Path) -> bool {
        self.whole.is_match(path)
    }

    /// Whether the glob matches this path or a path around it, or its fixed part lies below this path.
    pub(super) fn concerns(&self, path: &Path) -> bool {
        self.base.starts_with(path) || path.ancestors().any(|path| self.whole.is_match(path))
    }

    /// Whether a match could lie below this path.
    pub(super) fn may_lie_below(&self, path: &Path) -> bool {
        self.above.iter().any(|above| above.is_match(path))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pattern(text: &str) -> PathPattern {
        PathPattern::read(text, Path::new("/home/nobody-here")).unwrap().remove(0)
    }

    #[test]
    fn a_folder_is_around_what_lies_in_it() {
        let keys = pattern("~/projects/*/keys/**");
        let home = Path::new("/home/nobody-here");
        // Path; matches; concerns; a match may lie below.
        let table = [
            ("projects/a/keys/x/y", [true, true, false]),
            ("projects/a/keys", [false, false, true]),
            ("projects/a", [false, false, true]),
            ("projects", [false, true, false]),
            ("", [false, true, false]),
            ("other", [false, false, false]),
            ("projects/a/b/c", [false, false, false]),
        ];
        for (below, expected) in table {
            let path = if below.is_empty() { home.to_owned() } else { home.join(below) };
            let found = [keys.means(&path), keys.concerns(&path), keys.may_lie_below(&path)];
            assert_eq!(found, expected, "{below}");
        }
        let one = pattern("~/keep.txt");
        assert!(one.means(&home.join("keep.txt")) && one.concerns(&home.join("keep.txt/below")));
        assert!(!one.concerns(&home.join("keep.txt2")));
    }

    #[test]
    fn what_is_no_whole_path_is_no_pattern() {
        let refused = |text| PathPattern::read(text, Path::new("/home/nobody-here")).unwrap_err();
        for text in ["", "docs/**", "*", "~", "~ada/x", "../x"] {
            assert_eq!(refused(text), format!("`{text}` must begin with `/` or `~/`"));
        }
        assert_eq!(refused("~/a/../b"), "`~/a/../b` must not hold `.` or `..`");
        for text in ["/a/[", "/a/{b/c}", "/a/{b"] {
            assert!(refused(text).contains("is not a glob"), "{text}");
        }
    }
}
