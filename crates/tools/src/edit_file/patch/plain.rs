//! Takes a patch out of what models put around it, and out of the forms of other programs' tools.

const FENCE: &str = "```";
/// The marks of the form with files in an envelope.
const ENVELOPE: &str = "*** Begin Patch";
const UPDATE: &str = "*** Update File: ";
const ENDS: [&str; 2] = ["*** End Patch", "*** End of File"];
const OTHER_WORK: [&str; 3] = ["*** Add File: ", "*** Delete File: ", "*** Move to: "];
/// The marks of the form with blocks to search and replace.
const SEARCH: &str = "<<<<<<< SEARCH";
const BETWEEN: &str = "=======";
const REPLACE: &str = ">>>>>>> REPLACE";

/// The patch within a fence of a code block, if it stands in one.
pub(super) fn without_fence(patch: &str) -> &str {
    let trimmed = patch.trim();
    let Some((first, rest)) = trimmed.split_once('\n') else { return patch };
    let inner = rest.strip_suffix(FENCE).filter(|_| first.starts_with(FENCE));
    inner.filter(|inner| inner.is_empty() || inner.ends_with('\n')).unwrap_or(patch)
}

/// The hunks of another form, as those of a unified diff; `None` if the patch is in none of these forms.
pub(super) fn without_envelope(
    patch: &str,
    is_named: impl Fn(&str) -> bool,
) -> Result<Option<String>, String> {
    let lines = || patch.lines();
    // What follows a hunk may be a line of a file.
    let head = || lines().take_while(|line| !line.starts_with("@@"));
    if head().any(|line| line.trim_end() == SEARCH) {
        return of_blocks(patch).map(Some);
    }
    let is_mark = |line: &str| line.trim_end() == ENVELOPE || line.starts_with(UPDATE);
    if !head().any(is_mark) {
        return Ok(None);
    }
    let starts = |line: &&str, marks: &[&str]| marks.iter().any(|mark| line.starts_with(mark));
    if lines().any(|line| starts(&line, &OTHER_WORK)) {
        return Err("adds, deletes or moves a file; edit_file changes parts of a file".to_owned());
    }
    let mut files = lines().filter_map(|line| line.strip_prefix(UPDATE));
    match (files.next().map(str::trim), files.next()) {
        (None, _) => return Err("names no file to update".to_owned()),
        (Some(_), Some(_)) => return Err("is about several files; one call changes one".to_owned()),
        (Some(file), None) if !is_named(file) => {
            return Err(format!("is about {file}, and `path` names another file"));
        }
        (Some(_), None) => {}
    }
    let body = lines().skip_while(|line| !line.starts_with(UPDATE)).skip(1);
    let body: Vec<&str> = body.filter(|line| !starts(line, &ENDS)).collect();
    // The first hunk may have no mark of its own.
    let mark = if body.first().is_some_and(|line| line.starts_with("@@")) { "" } else { "@@\n" };
    Ok(Some(format!("{mark}{}\n", body.join("\n"))))
}

fn of_blocks(patch: &str) -> Result<String, String> {
    let mut hunks = String::new();
    let mut mark: Option<char> = None;
    for line in patch.lines() {
        mark = match (line.trim_end(), mark) {
            (SEARCH, None) => {
                hunks.push_str("@@\n");
                Some('-')
            }
            (BETWEEN, Some('-')) => Some('+'),
            (REPLACE, Some('+')) => None,
            (_, Some(mark)) => {
                hunks.push(mark);
                hunks.push_str(line);
                hunks.push('\n');
                Some(mark)
            }
            (_, None) => None,
        };
    }
    match mark {
        None => Ok(hunks),
        Some(_) => Err("has a block without its end".to_owned()),
    }
}
