//! Rule about the fields of log warnings, which are shown on screens and kept in logs that are passed on.

use super::{Finding, Tree, strip};

/// Allowed fields of warnings and errors: numbers, ids, words of closed sets, and artoo's and the system's
/// errors. A request, an argument, an output or a provider's text is none of them.
const FIELDS: [&str; 12] = [
    "call", "error", "kind", "model", "path", "purpose", "reason", "role", "roles", "run", "server",
    "subtask",
];

/// What makes warnings, and the spans whose fields are shown with them. A span has the level of an error, or a warning in it would
/// lose it with the default filter.
const MACROS: [&str; 3] = ["warn!(", "error!(", "error_span!("];

/// What would log, or begin a span, out of the sight of this rule.
const HIDDEN: [&str; 7] = [
    "#[instrument",
    "#[tracing::instrument",
    "tracing::event!(",
    "tracing::span!(",
    "tracing::info_span!(",
    "tracing::warn_span!(",
    "tracing::debug_span!(",
];

/// Finds warnings and spans with other fields, with words put into their message, or with a target of their own, which a filter may not
/// know; and what is written in another way, so that this rule would not see it.
pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in tree.ending(&[".rs"]).filter(|file| !file.is_test()) {
        let text = strip::without_tests(&file.text);
        for hidden in HIDDEN {
            for (at, _) in text.match_indices(hidden) {
                let line = text.get(..at).unwrap_or_default().matches('\n').count();
                let message =
                    format!("`{hidden}` hides what is logged: see MACROS in xtask/src/tidy/logs.rs");
                findings.push(Finding::line("logs", &file.path, line, message));
            }
        }
        for marker in MACROS {
            for (at, _) in text.match_indices(marker) {
                let before = text.get(..at).unwrap_or_default();
                if before.ends_with(|c: char| c.is_alphanumeric() || c == '_') {
                    continue;
                }
                if !before.ends_with("tracing::") {
                    let message = format!("write `tracing::{marker}...)`, so that every warning is found");
                    findings.push(Finding::line("logs", &file.path, before.matches('\n').count(), message));
                    continue;
                }
                let (before, rest) = text.split_at(at + marker.len());
                let fields = arguments(rest);
                // In the code, strings are blanked: the file has their words at the same position.
                let words = file.text.chars().skip(before.chars().count()).take(fields.chars().count());
                let line = before.matches('\n').count();
                let unfit = unfit(
                    fields,
                    words.collect::<String>().split_once('"').map_or("", |(_, message)| message),
                );
                findings.extend(unfit.map(|message| Finding::line("logs", &file.path, line, message)));
            }
        }
    }
    findings
}

/// What stands before the parenthesis that closes a call.
fn arguments(rest: &str) -> &str {
    let mut open = 1_u32;
    let end = rest.find(|c: char| {
        match c {
            '(' => open += 1,
            ')' => open -= 1,
            _ => {}
        }
        open == 0
    });
    end.and_then(|end| rest.get(..end)).unwrap_or(rest)
}

/// What is wrong with the arguments of a warning.
fn unfit(fields: &str, message: &str) -> Option<String> {
    if message.contains('{') {
        return Some("a warning has its values in fields, not in its message".to_owned());
    }
    let named = fields.split(',').map(str::trim).filter(|field| !field.is_empty());
    for field in named {
        let name = field.split('=').next().unwrap_or_default().trim().trim_start_matches(['%', '?']);
        if name.starts_with("target:") {
            return Some("a warning has the target of its module".to_owned());
        }
        if !FIELDS.contains(&name) {
            return Some(format!("a warning may not carry `{name}`: see FIELDS in xtask/src/tidy/logs.rs"));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(line: &str) -> usize {
        check(&Tree::of([("crates/runtime/src/x.rs", line)])).len()
    }

    #[test]
    fn a_warning_carries_no_text() {
        for good in [
            "tracing::warn!(%error, \"a journal (of a run) could not be written\");",
            "tracing::warn!(run = %bus.run_id(), %error, \"it was refused\");",
            "tracing::debug!(request, \"{request}\");",
            "tracing::error_span!(\"tool_call\", call = %id);",
        ] {
            assert_eq!(found(good), 0, "{good}");
        }
        for bad in [
            "tracing::warn!(%request, \"it could not be sent\");",
            "tracing::warn!(\"{text} could not be sent\");",
            "tracing::error!(target: \"mine\", \"it broke\");",
            "tracing::error_span!(\"tool_call\", arguments = %text);",
            "tracing::info_span!(\"tool_call\", call = %id);",
            "warn!(%error, \"it was imported\");",
            "tracing::warn!(text = request.text, \"it could not be sent\");",
        ] {
            assert_eq!(found(bad), 1, "{bad}");
        }
    }
}
