//! Glob pattern, split into a literal base folder and a matcher for paths below it.

use std::path::PathBuf;

use globset::{GlobBuilder, GlobMatcher};

use crate::{ToolContext, ToolError, paths};

/// A parsed pattern.
#[derive(Debug)]
pub(crate) struct Pattern {
    /// The deepest folder that the pattern names literally.
    pub(crate) base: PathBuf,
    /// The rest, matched against paths relative to `base`.
    pub(crate) matcher: GlobMatcher,
    /// The maximum depth of a match; `None` if unbounded.
    pub(crate) depth: Option<usize>,
    /// A component of the pattern begins with a dot, so hidden names match too.
    pub(crate) dotted: bool,
    /// The pattern ends with a slash: only folders match.
    pub(crate) folders_only: bool,
    /// The components of the pattern and of its base folder.
    parts: Vec<String>,
}

impl Pattern {
    /// Parses a pattern with `*`, `?`, `[...]`, `{a,b}` and `**`; only `**` crosses a slash. A pattern that
    /// is absolute or begins with `~`, `$WORKSPACE` or `$TMPDIR` stands alone, any other is relative to `root` or the
    /// working folder.
    pub(crate) fn parse(text: &str, root: Option<&str>, cx: &ToolContext) -> Result<Self, ToolError> {
        let root = root.map_or_else(|| cx.working_folder.clone(), |root| paths::resolve(root, cx));
        let (first, rest) = text.split_at(text.find('/').unwrap_or(text.len()));
        let (mut base, text) = match paths::named_folder(first.as_ref(), cx) {
            Some(folder) => (folder.to_owned(), rest),
            None if first.is_empty() => (PathBuf::from("/"), text),
            None => (root, text),
        };
        let folders_only = text.ends_with('/');
        let mut parts: Vec<&str> = text.split('/').filter(|part| !part.is_empty() && *part != ".").collect();
        let literal = parts.iter().take_while(|part| !part.contains(['*', '?', '[', '{', '\\'])).count();
        // The last component is the name to find, unless it is `..`.
        let named = parts.last().is_some_and(|last| *last != "..");
        let rest = parts.split_off(if named { literal.min(parts.len() - 1) } else { literal });
        base.extend(&parts);
        let rest = if rest.is_empty() { vec!["*"] } else { rest };

        let glob = rest.join("/");
        let matcher = GlobBuilder::new(&glob)
            .literal_separator(true)
            .backslash_escape(true)
            .build()
            .map_err(|error| ToolError::argument("pattern", format!("is not a glob: {}", error.kind())))?
            .compile_matcher();
        let bounded = !glob.contains("**") && !glob.contains('{');
        let dotted =
            rest.iter().any(|part| part.starts_with('.') || part.contains("{.") || part.contains(",."));
        let named_folders = base.iter().map(|part| part.to_string_lossy().into_owned());
        let parts = named_folders.chain(rest.iter().map(|part| (*part).to_owned())).collect();
        Ok(Self { base, matcher, depth: bounded.then_some(rest.len()), dotted, folders_only, parts })
    }

    /// Whether the pattern or its base folder contains exactly this name.
    pub(crate) fn names(&self, name: &str) -> bool {
        self.parts.iter().any(|part| part == name)
    }
}
