//! Prompt sections for a judge: lines by code and foreign texts, cut to the limits of its model.

use std::{borrow::Cow, fmt::Write as _, path::Path};

use artoo_checks::{Content, Filesystem};
use artoo_llm_client::{ModelProfile, Origin, fair_share, fenced, fenced_file, fenced_output, inline};
use artoo_types::{
    Arguments, CallEnding, EarlierResult, FileChangeKind, Law, OutputRecord, ToolCall, ToolKind,
};

use serde_json::Value;

use crate::excerpt;

/// The longest call that is shown on the line of its number, in bytes.
const ONE_LINE: usize = 200;

/// Builder of such a prompt, section by section.
///
/// A text that fits is shown in full. If there is not room for all, the long ones are cut evenly, to the
/// lines that bear on what is judged, and each cut says how much is missing. Binary content is only named.
///
/// ```
/// use artoo_judging::{Exhibits, conformance::call};
/// use artoo_llm_client::ModelProfile;
///
/// let count = call(1, "3\n", true);
/// let mut shown = Exhibits::default();
/// shown.line("Step: Count the files");
/// shown.call(1, &count);
/// let text = shown.render(&ModelProfile::default(), "It is a number");
/// assert_eq!(
///     text,
///     "Step: Count the files\nCall 1: shell do 1 (exit status 0)\n<<<data: tool output\n3\ndata>>>\n"
/// );
/// ```
#[derive(Debug, Default)]
pub struct Exhibits<'a> {
    parts: Vec<Part<'a>>,
}

#[derive(Debug)]
enum Part<'a> {
    Line(String),
    Text { fence: Fence<'a>, text: Cow<'a, str> },
}

#[derive(Debug)]
enum Fence<'a> {
    Output(Option<&'a str>),
    Of(Origin),
    File(String),
}

impl<'a> Exhibits<'a> {
    /// Adds a line. Foreign text in it must have been passed through [`inline`].
    pub fn line(&mut self, line: impl Into<String>) {
        self.parts.push(Part::Line(line.into()));
    }

    /// Adds a block of lines by code, in which foreign text is fenced already; nothing if it is empty.
    pub fn block(&mut self, block: &str) {
        if !block.is_empty() {
            self.line(block.trim_end());
        }
    }

    /// Adds the person's laws, which are words of the person like the request.
    pub fn laws(&mut self, laws: &[Law]) {
        self.block(&artoo_llm_client::laws(laws));
    }

    /// Adds a foreign text.
    pub fn text(&mut self, origin: Origin, text: impl Into<Cow<'a, str>>) {
        self.parts.push(Part::Text { fence: Fence::Of(origin), text: text.into() });
    }

    /// Adds a call with its number: the arguments, the ending and the output.
    pub fn call(&mut self, number: usize, call: &'a ToolCall) {
        let ending = match &call.ending {
            CallEnding::Exited { status } => format!("exit status {status}"),
            CallEnding::Signalled { signal } => format!("ended by signal {signal}"),
            CallEnding::Returned if call.succeeded() => "done".to_owned(),
            CallEnding::Returned => "failed".to_owned(),
            CallEnding::TimedOut => "took too long and was stopped".to_owned(),
            CallEnding::Cancelled => "cancelled".to_owned(),
            CallEnding::Refused => "refused, not run".to_owned(),
        };
        let made = if is_edit(call) { the_file(&call.arguments) } else { made_with(&call.arguments) };
        if made.len() <= ONE_LINE && !made.contains('\n') {
            self.line(format!("Call {number}: {} ({ending})", inline(&format!("{} {made}", call.tool))));
        } else {
            self.line(format!("Call {number}: {} ({ending}), made with", call.tool));
            self.text(Origin::Arguments, made);
        }
        self.output(&call.output);
        if !call.stderr.shown.trim().is_empty() {
            self.line("Its stderr:");
            self.output(&call.stderr);
        }
    }

    fn output(&mut self, output: &'a OutputRecord) {
        let text = if is_text(&output.shown) {
            Cow::Borrowed(output.shown.as_str())
        } else {
            Cow::Owned(format!("[no text: {} bytes of binary data]", output.bytes))
        };
        self.parts.push(Part::Text { fence: Fence::Output(output.origin.as_deref()), text });
    }

    /// Adds a file by its name, with as much content as the model can be shown; nothing if it does not exist.
    /// The name may come from a model or from a tool.
    pub fn file(&mut self, what: &str, path: &Path, world: &Filesystem, profile: &ModelProfile) {
        let Some(content) = world.content(path, profile.shown_bytes()) else { return };
        let name = path.display().to_string();
        match content {
            Content::Text { head, more } => {
                self.line(format!("{what}:"));
                let text = if more == 0 { head } else { format!("{head}\n[... {more} more bytes ...]") };
                self.parts.push(Part::Text { fence: Fence::File(name), text: Cow::Owned(text) });
            }
            Content::Other { kind, bytes } => {
                self.line(format!("{what}: {} ({kind}, {bytes} bytes)", inline(&name)));
            }
        }
    }

    /// Adds the files that a call changed: for at most `most` of them the changed lines, or the current
    /// content if the diff is unknown; for the rest the names. Content that the call itself shows is not
    /// repeated: a whole file among its arguments, and the diff that an edit outputs.
    pub fn written(&mut self, call: &'a ToolCall, world: &Filesystem, profile: &ModelProfile, most: usize) {
        let (shown, rest) = call.files.split_at(call.files.len().min(most));
        let is_given = |path: &Path| {
            is_edit(call)
                || matches!(world.content(path, profile.shown_bytes()), Some(Content::Text { head, more: 0 }) if gives(call, &head))
        };
        for file in
            shown.iter().filter(|file| file.change == FileChangeKind::Deleted || !is_given(&file.path))
        {
            let name = |path: &Path| inline(&path.display().to_string());
            let what = match file.change {
                FileChangeKind::Created => "Created",
                FileChangeKind::Changed => "Changed",
                FileChangeKind::Deleted => "Deleted",
            };
            match (&file.moved_from, &file.diff, file.change) {
                (Some(from), ..) => self.line(format!("Moved: {} to {}", name(from), name(&file.path))),
                (None, Some(diff), _) => {
                    self.line(format!("{what}: {}", name(&file.path)));
                    self.text(Origin::File, diff.as_str());
                }
                (None, None, FileChangeKind::Created | FileChangeKind::Changed) => {
                    self.file(what, &file.path, world, profile);
                }
                (None, None, FileChangeKind::Deleted) => {
                    self.line(format!("{what}: {}", name(&file.path)));
                }
            }
        }
        if let (Some(first), Some(last)) = (rest.first(), rest.last()) {
            let name = |path: &Path| inline(&path.display().to_string());
            self.line(format!(
                "[... {} more files written or deleted, from {} to {} ...]",
                rest.len(),
                name(&first.path),
                name(&last.path)
            ));
        }
    }

    /// Adds the results of earlier steps.
    pub fn earlier(&mut self, earlier: &'a [EarlierResult]) {
        for result in earlier {
            self.line(format!("Result of an earlier step ({}):", inline(&result.intent)));
            let text = match result.left_out_bytes {
                0 => Cow::Borrowed(result.output.as_str()),
                more => Cow::Owned(format!("{}\n[... {more} more bytes ...]", result.output)),
            };
            self.text(Origin::SubTask, text);
        }
    }

    /// Renders the prompt. Each text is at most as long as the profile says, and all of them at most half of
    /// the model's context. `sought` is what is judged.
    pub fn render(self, profile: &ModelProfile, sought: &str) -> String {
        let lengths = self.parts.iter().map(|part| match part {
            Part::Line(_) => 0,
            Part::Text { text, .. } => text.len(),
        });
        let limit = fair_share(lengths, half_of_the_context(profile)).min(profile.shown_bytes());
        let mut prompt = String::new();
        for part in self.parts {
            // Writing to a string cannot fail.
            let _ = match part {
                Part::Line(line) => writeln!(prompt, "{line}"),
                Part::Text { fence, text } => {
                    let shown = excerpt(&text, limit, sought);
                    writeln!(
                        prompt,
                        "{}",
                        match fence {
                            Fence::Output(from) => fenced_output(from, &shown),
                            Fence::Of(origin) => fenced(origin, &shown),
                            Fence::File(name) => fenced_file(&name, &shown),
                        }
                    )
                }
            };
        }
        prompt
    }
}

/// Whether a call edited a file and its output shows the edit.
fn is_edit(call: &ToolCall) -> bool {
    call.tool.is(ToolKind::EditFile) && call.succeeded()
}

/// Whether a call has this text as an argument.
fn gives(call: &ToolCall, text: &str) -> bool {
    call.arguments.values().any(|value| value.as_str() == Some(text))
}

/// The path argument of a call.
fn the_file(arguments: &Arguments) -> String {
    arguments.get("path").and_then(Value::as_str).unwrap_or_default().to_owned()
}

/// The arguments of a call, verbatim: a script is judged by its lines.
fn made_with(arguments: &Arguments) -> String {
    let text = |value: &Value| match value {
        Value::String(text) => text.clone(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => {
            value.to_string()
        }
    };
    let given: Vec<_> = arguments.iter().filter(|(_, value)| !value.is_null()).collect();
    if let [(_, only)] = given.as_slice() {
        return text(only);
    }
    let named: Vec<String> = given.iter().map(|(name, value)| format!("{name}: {}", text(value))).collect();
    let is_long = named.iter().any(|one| one.contains('\n'));
    named.join(if is_long { "\n" } else { ", " })
}

/// Half of the context in bytes, at about four bytes per token.
fn half_of_the_context(profile: &ModelProfile) -> usize {
    usize::try_from(profile.context_tokens).unwrap_or(usize::MAX).saturating_mul(2)
}

/// Whether a record is text: invalid characters were replaced by marks, and text has few of those.
fn is_text(shown: &str) -> bool {
    let (mut marks, mut all) = (0_usize, 0_usize);
    for c in shown.chars() {
        all += 1;
        marks += usize::from(matches!(c, char::REPLACEMENT_CHARACTER | '\0'));
    }
    marks * 10 <= all
}

#[cfg(test)]
mod tests {
    use artoo_types::FileChange;
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;
    use crate::conformance::call;

    fn profile(context_tokens: u32) -> ModelProfile {
        ModelProfile { context_tokens, ..ModelProfile::default() }
    }

    /// A judge could not see whether a script computed a sum or printed it: the script was folded into one
    /// line of 110 characters.
    #[test]
    fn lesson_a_script_is_judged_by_its_lines() {
        let script = format!("python3 - <<'E'\nif True:\n    print({})\nE", "1 + ".repeat(99) + "1");
        let with = |arguments: Value| ToolCall {
            arguments: serde_json::from_value(arguments).unwrap(),
            ..call(1, "100", true)
        };
        let shown = |call: &ToolCall| {
            let mut exhibits = Exhibits::default();
            exhibits.call(1, call);
            exhibits.render(&ModelProfile::default(), "")
        };
        let ran = shown(&with(json!({"command": script})));
        assert!(
            ran.contains(&format!(
                "Call 1: shell (exit status 0), made with\n<<<data: call\n{script}\ndata>>>\n"
            )),
            "{ran}"
        );
        let both = shown(&with(json!({"command": script, "timeout_seconds": 9, "background": null})));
        assert!(both.contains(&format!("command: {script}\ntimeout_seconds: 9\ndata>>>")), "{both}");
        let brief = shown(&with(json!({"path": "a.py", "first_line": 2})));
        assert!(brief.starts_with("Call 1: shell path: a.py, first_line: 2 (exit status 0)\n"), "{brief}");
    }

    /// A correct file failed, since its judge saw only 1,200 bytes of it and no mark of the cut; and judges
    /// were shown the bytes of images.
    #[test]
    fn lesson_judges_see_whole_files_and_text_only() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        let page: String = (1..=300).map(|n| format!("line {n} of the page\n")).collect();
        std::fs::write(path("page.html"), &page).unwrap();
        std::fs::write(path("a.pyc"), b"\xcb\r\r\n\0\0\0\0").unwrap();
        let world = Filesystem::new(folder.path(), folder.path(), Default::default());
        let change = |name: &str, change| FileChange::new(path(name), change);
        let wrote = ToolCall {
            files: vec![
                change("page.html", FileChangeKind::Created),
                change("a.pyc", FileChangeKind::Created),
                change("old.txt", FileChangeKind::Deleted),
                change("b.txt", FileChangeKind::Changed),
                change("c.txt", FileChangeKind::Changed),
            ],
            ..call(1, "\u{fffd}PNG\u{fffd}\u{fffd}", true)
        };
        let shown = |profile: &ModelProfile| {
            let mut exhibits = Exhibits::default();
            exhibits.call(1, &wrote);
            exhibits.written(&wrote, &world, profile, 3);
            exhibits.render(profile, "line 250 is there").replace(&*folder.path().display().to_string(), "")
        };
        let whole = shown(&profile(200_000));
        assert!(whole.contains(page.trim_end()), "{whole}");
        for part in [
            "[no text: 12 bytes of binary data]",
            "Created: /a.pyc (no UTF-8 text, 8 bytes)\n",
            "Deleted: /old.txt\n",
            "[... 2 more files written or deleted, from /b.txt to /c.txt ...]\n",
        ] {
            assert!(whole.contains(part), "{part} is not in {whole}");
        }
        let cut = shown(&profile(2_000));
        assert!(cut.contains("more bytes ...]") || cut.contains("left out here"), "{cut}");
        assert!(cut.len() < 4_000, "{}", cut.len());
    }

    proptest! {
        /// For any amount of text, the texts take at most half of the context, plus the marks of cuts.
        #[test]
        fn it_is_bounded(lengths in prop::collection::vec(0usize..20_000, 0..12), context in 4_000u32..20_000) {
            let calls: Vec<ToolCall> = lengths.iter().map(|length| call(1, &"x".repeat(*length), true)).collect();
            let mut exhibits = Exhibits::default();
            for (number, call) in (1..).zip(&calls) {
                exhibits.call(number, call);
            }
            let shown = exhibits.render(&profile(context), "x").matches('x').count();
            let wanted = lengths.iter().sum::<usize>();
            prop_assert!(shown <= 2 * context as usize + 12 * 2, "{shown} of {wanted}");
        }
    }
}
