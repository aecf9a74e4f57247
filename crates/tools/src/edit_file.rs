//! `edit_file` tool: changes parts of a text file.

mod closest;
mod patch;
mod replace;

use std::io::Read;
use std::path::Path;
use std::sync::Arc;

use artoo_types::{Arguments, Excerpt, ToolKind, ToolName};
use async_trait::async_trait;
use serde_json::{Value, json};

use self::patch::Hunk;
use self::replace::Replacement;
use crate::arguments::Given;
use crate::blocking::blocking;
use crate::consent::diff;
use crate::file_target::FileTarget;
use crate::line_endings::Lines;
use crate::open_file::open_file;
use crate::protected::is_private_key;
use crate::text_form::TextForm;
use crate::{Captured, Tool, ToolContext, ToolEffect, ToolError, ToolReport, open_files, paths};

/// Changes parts of a text file: replaces exact texts one after the other, or applies the hunks of a
/// unified diff by their context. A text that is missing or ambiguous is refused with the closest lines. All
/// edits are applied or none. The file keeps its encoding (UTF-8, UTF-16 with a byte order mark, Windows-1252), its mark,
/// and the ending of each line, which edits need not know. A file that existed
/// before the run is changed only with consent to this very change.
#[derive(Debug, Clone, Copy, Default)]
pub struct EditFile;

/// Maximum number of replacements in one call.
const MOST_EDITS: usize = 200;

#[async_trait]
impl Tool for EditFile {
    fn name(&self) -> ToolName {
        ToolKind::EditFile.into()
    }

    fn summary(&self) -> &str {
        "change parts of a text file: all edits or none"
    }

    fn description(&self) -> &str {
        "Change parts of a text file. Either all edits of a call are made or none. The output shows what changed."
    }

    fn effect(&self) -> ToolEffect {
        ToolEffect::Edits
    }

    fn excerpt(&self) -> Excerpt {
        Excerpt::Head
    }

    fn arguments(&self) -> Value {
        json!({
            "type": "object",
            "properties": {
                "path": { "type": "string", "maxLength": 400, "description": "relative to the working folder, or from $WORKSPACE or $TMPDIR" },
                "edits": {
                    "type": "array",
                    "maxItems": MOST_EDITS,
                    "description": "replacements, made one after the other",
                    "items": {
                        "type": "object",
                        "properties": {
                            "old": { "type": "string", "maxLength": 50000, "description": "text to replace, exactly as in the file, with its indentation; it must occur once, unless all is true" },
                            "new": { "type": "string", "maxLength": 50000, "description": "text in its place" },
                            "all": { "type": "boolean", "description": "replace every occurrence" },
                        },
                        "required": ["old", "new"],
                        "additionalProperties": false,
                    },
                },
                "patch": { "type": "string", "maxLength": 100000, "description": "instead of edits: a unified diff with context lines" },
            },
            "required": ["path"],
            "additionalProperties": false,
        })
    }

    /// A diff is no answer to a question.
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

/// The requested edits.
enum Wanted {
    Replacements(Vec<Replacement>),
    Patch(Vec<Hunk>),
}

impl Wanted {
    /// Whether it gives line endings other than `\n`, which a file keeps.
    fn is_about_endings(&self) -> bool {
        match self {
            Self::Replacements(edits) => {
                edits.iter().any(|edit| edit.old.contains('\r') != edit.new.contains('\r'))
            }
            Self::Patch(_) => false,
        }
    }
}

/// Why an edit does not apply, with the lines closest to the text it looked for.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Misfit {
    problem: String,
    closest: String,
}

/// A file that was read, and its new content.
struct Edited {
    target: FileTarget,
    before: Vec<u8>,
    after: Result<Vec<u8>, Misfit>,
}

async fn call(arguments: &Arguments, cx: &ToolContext) -> Result<ToolReport, ToolError> {
    let given = Given::new(arguments, &["path", "edits", "patch"])?;
    let path = given.path("path")?.to_owned();
    let wanted = wanted(given, |named| is_same_file(named, &path, cx))?;
    if cx.cancel.is_cancelled() {
        return Err(ToolError::Cancelled);
    }
    let (context, editor) = (cx.clone(), open_files::in_editor(&path, cx).await);
    // Not raced against the cancellation token, as in `write_file`.
    let Edited { target, before, after } =
        blocking(EditFile.name(), move || edit(&path, &wanted, editor.as_deref(), &context)).await?;
    let after = match after {
        Ok(after) => Arc::<[u8]>::from(after),
        Err(Misfit { problem, closest }) => {
            let refused = ToolReport::from(ToolError::Misfit { path: target.shown, problem });
            return Ok(ToolReport { output: Captured::Bytes(closest.into_bytes()), ..refused });
        }
    };
    target.consent(EditFile.name(), Some(&before), &after, cx).await?;
    let context = cx.clone();
    blocking(EditFile.name(), move || {
        let change = target.write(&after, &context)?;
        let what = diff(&before, &after).unwrap_or_else(|| "[too long to be compared]\n".to_owned());
        let text = format!("changed {} ({} bytes)\n{what}", target.real.display(), after.len());
        Ok(ToolReport { files: target.recorded(change), ..ToolReport::text(text) })
    })
    .await
}

/// Whether a patch names the file at this path: the same place, or a part of the path from its end.
fn is_same_file(named: &str, path: &str, cx: &ToolContext) -> bool {
    let (named, path) = (Path::new(named), Path::new(path));
    let place = |path: &Path| paths::resolve(&path.to_string_lossy(), cx);
    place(named) == place(path) || path.ends_with(named) || named.ends_with(path)
}

fn wanted(given: Given<'_>, is_named: impl Fn(&str) -> bool) -> Result<Wanted, ToolError> {
    let patch = given.any_text("patch")?.filter(|patch| !patch.trim().is_empty());
    let edits = given.list("edits")?.filter(|edits| !edits.is_empty());
    match (edits, patch) {
        (Some(_), Some(_)) => Err(ToolError::argument("patch", "stands beside `edits`; give one of both")),
        (None, None) => Err(ToolError::argument("edits", "is missing, and so is `patch`")),
        (Some(edits), None) if edits.len() > MOST_EDITS => {
            Err(ToolError::argument("edits", format!("are {}; at most {MOST_EDITS}", edits.len())))
        }
        (Some(edits), None) => {
            let edits = edits.iter().enumerate().map(|(at, edit)| {
                Replacement::read(edit)
                    .map_err(|problem| ToolError::argument(&format!("edits[{at}]"), problem))
            });
            Ok(Wanted::Replacements(edits.collect::<Result<_, _>>()?))
        }
        (None, Some(patch)) => {
            let hunks =
                patch::parse(patch, is_named).map_err(|problem| ToolError::argument("patch", problem))?;
            Ok(Wanted::Patch(hunks))
        }
    }
}

fn edit(path: &str, wanted: &Wanted, editor: Option<&str>, cx: &ToolContext) -> Result<Edited, ToolError> {
    let named = paths::resolve(path, cx);
    let shown = paths::show(&named, cx);
    let failed = |source| ToolError::Io { action: "edit", path: shown.clone(), source };
    // Links are resolved: the target must be there and allowed.
    named.canonicalize().map_err(failed)?;
    let target = FileTarget::look(&named, cx)?;
    let (file, real) = open_file(&target.real, &shown, cx)?;
    if real != target.real {
        return Err(ToolError::ChangedMeanwhile { path: shown });
    }
    let most = cx.limits.written as u64;
    let bytes = file.metadata().map_err(failed)?.len();
    let too_large = |bytes| ToolError::TooLarge { path: shown.clone(), bytes, most };
    if bytes > most {
        return Err(too_large(bytes));
    }
    let mut disk = Vec::new();
    file.take(most).read_to_end(&mut disk).map_err(failed)?;
    let (target, before) = target.with_editor(disk, editor);
    // Not at its beginning alone.
    if is_private_key(&before) {
        return Err(ToolError::Protected { path: shown });
    }
    let Some((form, text)) = TextForm::read(&before) else {
        return Err(ToolError::NotUtf8 { path: shown });
    };
    let mut lines = Lines::of(&text);
    let edited = match wanted {
        Wanted::Replacements(edits) => {
            let edits: Vec<Replacement> = edits.iter().map(|edit| edit.taken(&lines)).collect();
            replace::replace(&mut lines, edits.into_iter())
        }
        Wanted::Patch(hunks) => patch::patch(&mut lines, hunks.iter().cloned()),
    };
    let not_in =
        |character| ToolError::NotInEncoding { path: shown.clone(), encoding: form.encoding, character };
    let after = match edited {
        Ok(()) => Ok(form.written(&lines.written()).map_err(not_in)?),
        Err(misfit) => Err(misfit),
    };
    match &after {
        Ok(after) if *after == before => {
            let name = if matches!(wanted, Wanted::Patch(_)) { "patch" } else { "edits" };
            let why = if wanted.is_about_endings() {
                ": line endings are kept; change them through shell"
            } else {
                ""
            };
            Err(ToolError::argument(name, format!("would change nothing{why}")))
        }
        Ok(after) if after.len() as u64 > most => Err(too_large(after.len() as u64)),
        Ok(_) | Err(_) => Ok(Edited { target, before, after }),
    }
}
