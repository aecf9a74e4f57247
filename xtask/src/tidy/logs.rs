//! Rule about the fields of log warnings, which are shown on screens and kept in logs that are passed on.

use super::{Finding, Tree, code};

/// Allowed fields of warnings and errors: numbers, ids, words of closed sets, and artoo's and the system's
/// errors. A request, an argument, an output or a provider's text is none of them.
const FIELDS: [&str; 11] =
    ["error", "failures", "kind", "path", "purpose", "reason", "role", "roles", "run", "server", "wait"];

/// Finds warnings with other fields, with interpolated messages, or with a target of their own, which a
/// filter may not know.
pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in tree.ending(&[".rs"]).filter(|file| !file.is_test()) {
        let text = code::without_tests(&file.text);
        for marker in ["warn!(", "error!("] {
            for (at, _) in text.match_indices(marker) {
                if !text.get(..at).is_some_and(|before| before.ends_with("tracing::")) {
                    continue;
                }
                let (before, rest) = text.split_at(at + marker.len());
                let fields = rest.split(");").next().unwrap_or_default();
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
        ] {
            assert_eq!(found(good), 0, "{good}");
        }
        for bad in [
            "tracing::warn!(%request, \"it could not be sent\");",
            "tracing::warn!(\"{text} could not be sent\");",
            "tracing::error!(target: \"mine\", \"it broke\");",
            "tracing::warn!(text = request.text, \"it could not be sent\");",
        ] {
            assert_eq!(found(bad), 1, "{bad}");
        }
    }
}
