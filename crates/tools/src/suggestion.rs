//! Suggests a better tool after a failed command. Commands are never rewritten.

use artoo_types::{Arguments, ToolKind, ToolName};

use crate::Toolbox;

/// The suggestion for a failed command, if the better tool is in the toolbox.
pub(crate) fn better_tool(tool: &ToolName, arguments: &Arguments, toolbox: &Toolbox) -> Option<&'static str> {
    if !tool.is(ToolKind::Shell) {
        return None;
    }
    let has = |kind: ToolKind| toolbox.get(&kind.into()).is_some();
    let command = arguments.get("command")?.as_str()?;
    let words =
        command.split(|c: char| c.is_whitespace() || "|;&()".contains(c)).filter(|word| !word.is_empty());
    let (mut finds, mut home, mut gets) = (false, false, false);
    let (mut searches, mut edits, mut in_place) = (false, false, false);
    for word in words {
        let name = word.rsplit('/').next().unwrap_or(word);
        finds |= name == "find";
        home |= word.starts_with('~')
            || word.starts_with("$HOME")
            || word.starts_with("/home")
            || word.starts_with("/Users");
        gets |= matches!(name, "curl" | "wget");
        searches |= matches!(name, "grep" | "egrep" | "fgrep" | "rg");
        edits |= matches!(name, "sed" | "perl");
        in_place |= word.starts_with("-i") || word.starts_with("--in-place") || word.starts_with("-pi");
    }
    if gets && has(ToolKind::Fetch) {
        return Some("the tool fetch reads web pages");
    }
    if edits && in_place && has(ToolKind::EditFile) {
        return Some("the tool edit_file changes parts of a file by exact text");
    }
    if finds && home && has(ToolKind::Mdfind) {
        return Some("the tool mdfind finds files anywhere below ~");
    }
    (searches && has(ToolKind::Grep)).then_some("the tool grep searches the lines of files")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::{EditFile, Grep, Mdfind, Shell, Tool, ToolContext, ToolReport};

    /// A tool of that name.
    struct Fetch;

    #[async_trait::async_trait]
    impl Tool for Fetch {
        fn name(&self) -> ToolName {
            ToolName::new("fetch")
        }

        fn summary(&self) -> &str {
            "reads a page"
        }

        fn arguments(&self) -> serde_json::Value {
            json!({ "type": "object" })
        }

        async fn call(&self, _: &Arguments, _: &ToolContext) -> ToolReport {
            ToolReport::text("")
        }
    }

    #[test]
    fn a_better_tool_is_named_only_if_it_is_there() {
        let all = Toolbox::new().with(Shell).with(Mdfind::default()).with(EditFile).with(Grep).with(Fetch);
        for (command, expected) in [
            ("find ~ -name '*.pdf' | head", Some("mdfind")),
            ("cd /tmp; find /home/ada -iname x", Some("mdfind")),
            ("/usr/bin/find $HOME/docs -name x", Some("mdfind")),
            ("find . -name x", None),
            ("echo find", None),
            ("curl -s https://example.org", Some("fetch")),
            ("x=$(wget -qO- http://a)", Some("fetch")),
            ("true; wget http://a", Some("fetch")),
            ("ls ~", None),
            ("sed -i s/a/b/ x", Some("edit_file")),
            ("perl -pi -e s/a/b/ x", Some("edit_file")),
            ("sed -n 1p x", None),
            ("grep -rn a src", Some("grep")),
        ] {
            let Some(arguments) = json!({ "command": command }).as_object().cloned() else { continue };
            let shell = ToolName::new("shell");
            let got = better_tool(&shell, &arguments, &all);
            assert_eq!(got.map(|hint| hint.split(' ').nth(2).unwrap()), expected, "{command}");
            assert_eq!(better_tool(&shell, &arguments, &Toolbox::new().with(Shell)), None);
            assert_eq!(better_tool(&ToolName::new("glob"), &arguments, &all), None);
        }
    }
}
