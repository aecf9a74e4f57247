//! A call in one line: what was called, how it ended, and what it changed.

use artoo_case_file::visibility::Limit;
use artoo_types::ToolCall;

use crate::inline;

/// The maximum number of changed files that are named behind a call.
const FILES: usize = 3;

/// One line on a call that ended. The words of the call and of its failure are foreign: the caller fences the
/// line.
/// ```
/// use artoo_case_file::visibility::Limit;
/// use artoo_llm_client::call_line;
/// use artoo_types::{Arguments, CallEnding, CallId, FileChange, FileChangeKind, ToolCall, ToolName};
///
/// let id: CallId = "00000000-0000-0000-0000-000000000000".parse()?;
/// let arguments: Arguments = [("command".to_owned(), "touch a.txt".into())].into_iter().collect();
/// let call = ToolCall {
///     files: vec![FileChange::new("/home/ada/a.txt", FileChangeKind::Created)],
///     ..ToolCall::new(id, ToolName::new("shell"), arguments, CallEnding::Exited { status: 0 }, Default::default())
/// };
/// let limit = Limit { items: 1, characters: 99 };
/// assert_eq!(call_line(&call, limit), "shell: touch a.txt -> succeeded; created /home/ada/a.txt");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn call_line(call: &ToolCall, limit: Limit) -> String {
    let cut = |text: &str| inline(&limit.cut(text));
    let ended = match &call.failure {
        None => "succeeded".to_owned(),
        Some(failure) => format!("failed: {}", cut(&failure.reason)),
    };
    format!("{}: {} -> {ended}{}", call.tool, cut(&call.target()), changes(call))
}

/// The first files that a call changed, and its build output by folder.
fn changes(call: &ToolCall) -> String {
    let named = call.files.iter().take(FILES);
    let mut told: Vec<String> = named
        .map(|file| match file.git_summary() {
            Some(moved) => inline(&moved),
            None => format!("{} {}", file.change.name(), inline(&file.path.display().to_string())),
        })
        .collect();
    let more = call.files.len().saturating_sub(FILES);
    if more > 0 {
        told.push(format!("[... {more} more files ...]"));
    }
    told.extend(call.build_output.iter().map(|folder| inline(&folder.to_string())));
    if told.is_empty() { String::new() } else { format!("; {}", told.join(", ")) }
}
