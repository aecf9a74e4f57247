//! Names under which a model calls the tools of servers: `SERVER__TOOL`.

use std::collections::BTreeSet;

use sha2::{Digest, Sha256};

use crate::{Definition, ServerName};

/// The longest name that model servers take, in bytes.
const LONGEST: usize = 64;
/// Letters of the hash that tells two names apart.
const HASH: usize = 8;

/// The name of each of these tools, in their order: `SERVER__TOOL`, with `_` for what no name of a tool may have. Where two would be the
/// same, or one is too long, each of them ends in a hash of its own name: the same tools have the same names in each run. No name of artoo's
/// own tools has `__`.
///
/// ```
/// use artoo_mcp::{Definition, tool_names};
///
/// let tool = |name: &str| Definition {
///     name: name.into(), title: None, description: None, input: serde_json::json!({}), output: None, annotations: None,
/// };
/// assert_eq!(tool_names(&"hub".parse()?, &[tool("read_file"), tool("say hello")]), ["hub__read_file", "hub__say_hello"]);
/// # Ok::<(), artoo_mcp::McpError>(())
/// ```
pub fn tool_names(server: &ServerName, definitions: &[Definition]) -> Vec<String> {
    let plain: Vec<String> = definitions.iter().map(|definition| plain(server, &definition.name)).collect();
    let (mut once, mut twice) = (BTreeSet::new(), BTreeSet::new());
    for name in &plain {
        if !once.insert(name) {
            twice.insert(name.clone());
        }
    }
    let named = plain.iter().zip(definitions);
    named
        .map(|(name, definition)| {
            if name.len() <= LONGEST && !twice.contains(name) {
                return name.clone();
            }
            let hash = hex::encode(Sha256::digest(&definition.name));
            let kept: String = name.chars().take(LONGEST - HASH - 1).collect();
            format!("{kept}_{}", hash.chars().take(HASH).collect::<String>())
        })
        .collect()
}

fn plain(server: &ServerName, tool: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    let tool: String = tool.chars().map(|c| if is_plain(c) { c } else { '_' }).collect();
    format!("{server}__{tool}")
}

#[cfg(test)]
mod tests {
    use artoo_types::ToolKind;

    use super::*;

    fn names(tools: &[&str]) -> Vec<String> {
        let tool = |name: &&str| Definition {
            name: (*name).to_owned(),
            title: None,
            description: None,
            input: serde_json::json!({}),
            output: None,
            annotations: None,
        };
        tool_names(&"a".parse().unwrap(), &tools.iter().map(tool).collect::<Vec<_>>())
    }

    #[test]
    fn names_are_taken_by_every_model_and_differ() {
        let long = "x".repeat(128);
        let other = format!("{}y", "x".repeat(127));
        let all = names(&["read", "a b", "a.b", "ü", &long, &other, "shell"]);
        let distinct: BTreeSet<&String> = all.iter().collect();
        assert_eq!(distinct.len(), all.len(), "{all:?}");
        assert_eq!((all[0].as_str(), all[3].as_str()), ("a__read", "a___"));
        assert!(all[1].starts_with("a__a_b_") && all[2].starts_with("a__a_b_"));
        for name in &all {
            assert!(
                name.len() <= LONGEST
                    && name.bytes().all(|b| b.is_ascii_alphanumeric() || b"_-".contains(&b))
            );
            assert!(ToolKind::ALL.iter().all(|kind| kind.name() != name));
        }
        assert_eq!(names(&["a.b", "a b"]), [all[2].clone(), all[1].clone()], "the order does not matter");
    }
}
