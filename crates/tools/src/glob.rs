//! `glob` tool: finds files and folders by name.

use std::sync::Arc;

use artoo_types::{Arguments, Excerpt, ToolKind, ToolName};
use async_trait::async_trait;
use serde_json::{Value, json};

use crate::arguments::Given;
use crate::blocking::blocking_until;
use crate::glob_pattern::Pattern;
use crate::glob_walk::{Order, Walk, Wanted, check_base};
use crate::listing::listing;
use crate::protected::Protected;
use crate::{Tool, ToolContext, ToolEffect, ToolError, ToolReport, paths};

/// Finds files and folders whose path matches a pattern: `*` and `?` stay within a name, `**` crosses
/// folders.
///
/// Hidden names match if a component of the pattern begins with a dot, or with `hidden`. Folders named
/// `.git`, `node_modules` and `target` are skipped unless the pattern names them, `.gitignore` is respected
/// only with `gitignore`, and the output says what was skipped. Symlinks are listed and not followed. The
/// list is sorted and capped, the totals count everything. A walk that times out fails, with the matches
/// found so far.
#[derive(Debug, Clone, Copy, Default)]
pub struct Glob;

const KINDS: [(&str, Wanted); 3] =
    [("all", Wanted::All), ("files", Wanted::Files), ("folders", Wanted::Folders)];
const ORDERS: [(&str, Order); 3] =
    [("name", Order::Name), ("size", Order::Size), ("modified", Order::Modified)];

#[async_trait]
impl Tool for Glob {
    fn name(&self) -> ToolName {
        ToolKind::Glob.into()
    }

    fn summary(&self) -> &str {
        "find files and folders by pattern; `**/*.txt` searches all folders below"
    }

    fn description(&self) -> &str {
        "Find files and folders by a pattern of their names. `**/*.txt` searches all folders below. .git, node_modules and target are skipped unless the pattern names them."
    }

    fn effect(&self) -> ToolEffect {
        ToolEffect::Reads
    }

    fn excerpt(&self) -> Excerpt {
        Excerpt::Head
    }

    fn arguments(&self) -> Value {
        json!({
            "type": "object",
            "properties": {
                "pattern": { "type": "string", "maxLength": 200, "description": "for example docs/*.txt or ~/notes/**/*.md" },
                "root": { "type": "string", "maxLength": 200, "description": "folder to search; default: the working folder" },
                "kind": { "enum": ["all", "files", "folders"], "description": "default all" },
                "sort": { "enum": ["name", "size", "modified"], "description": "size: largest first; modified: newest first; default name" },
                "hidden": { "type": "boolean", "description": "include hidden names" },
                "gitignore": { "type": "boolean", "description": "leave out what .gitignore names" },
                "limit": { "type": "integer", "minimum": 1, "maximum": 1000, "description": "most entries to list" },
            },
            "required": ["pattern"],
            "additionalProperties": false,
        })
    }

    /// A listing is no answer by itself: the executor says which part of it answers a question.
    fn output_is_answer(&self) -> bool {
        false
    }

    async fn call(&self, arguments: &Arguments, cx: &ToolContext) -> ToolReport {
        match call(arguments, cx).await {
            Ok(report) => report,
            Err(error) => error.into(),
        }
    }
}

async fn call(arguments: &Arguments, cx: &ToolContext) -> Result<ToolReport, ToolError> {
    let known = ["pattern", "root", "kind", "sort", "hidden", "gitignore", "limit"];
    let given = Given::new(arguments, &known)?;
    let text = given.path("pattern")?;
    let root = given
        .any_text("root")?
        .filter(|root| !root.trim().is_empty())
        .map(|_| given.path("root"))
        .transpose()?;
    let wanted = given.word("kind", &KINDS, Wanted::All)?;
    let order = given.word("sort", &ORDERS, Order::Name)?;
    let (hidden, gitignore) = (given.flag("hidden")?, given.flag("gitignore")?);
    let most = cx.limits.listed.max(1);
    let most = given
        .whole("limit", 1..=u64::MAX)?
        .map_or(most, |wish| most.min(usize::try_from(wish).unwrap_or(most)));

    let mut pattern = Pattern::parse(text, root, cx)?;
    let (text, cx, cancel) = (text.to_owned(), cx.clone(), cx.cancel.clone());
    blocking_until(cancel, Glob.name(), move || {
        let shown = paths::show(&pattern.base, &cx);
        let real_base = check_base(&pattern.base).map_err(|source| ToolError::Io {
            action: "search",
            path: shown.clone(),
            source,
        })?;
        let protected = Arc::clone(Protected::of(&cx));
        if protected.covers(&real_base) {
            return Err(ToolError::Protected { path: shown });
        }
        if pattern.base.components().any(|part| part == std::path::Component::ParentDir) {
            pattern.base = real_base.clone();
        }
        let (base, cancel, time) = (pattern.base.clone(), cx.cancel.clone(), cx.limits.walk_time);
        let walk =
            Walk { pattern, real_base, wanted, order, hidden, gitignore, most, time, protected, cancel };
        let found = walk.run();
        let mut report = ToolReport::text(listing(&text, &base, &found, &cx));
        if found.incomplete {
            let error = if cx.cancel.is_cancelled() {
                ToolError::Cancelled
            } else {
                ToolError::TimedOut { tool: Glob.name(), after: time }
            };
            report.ending = error.ending();
            report.failure = Some(error.failure());
        }
        Ok(report)
    })
    .await
}
