//! Lookup of memory entries by id prefix, and the shortest unique prefix of an id.

use artoo_memory_store::Operator;
use artoo_types::MegramId;

use super::explained;
use crate::error::CommandError;

/// Lengths to which an id may be shortened, in characters with hyphens: ids
/// of one minute share the first eight.
const CUTS: [usize; 6] = [8, 13, 18, 23, 28, 32];
/// Maximum number of ambiguous ids that are listed.
const NAMED: usize = 5;

/// Whether a text can only be an id or its prefix: hexadecimal digits with at least one
/// number, so that no word matches by chance.
pub(super) fn looks_like_id(text: &str) -> bool {
    text.len() >= 6
        && text.chars().all(|c| c.is_ascii_hexdigit() || c == '-')
        && text.chars().any(|c| c.is_ascii_digit())
}

/// The single entry whose id has this prefix.
pub(super) fn find(memory: &dyn Operator, prefix: &str) -> Result<MegramId, CommandError> {
    let text = prefix.trim();
    if text.is_empty() || !text.chars().all(|c| c.is_ascii_hexdigit() || c == '-') {
        return Err(CommandError::usage(format!("`{prefix}` is no beginning of an id")).hint(LISTED));
    }
    let found = memory.find_prefix(text, NAMED + 1).map_err(explained)?;
    match found.as_slice() {
        [only] => Ok(*only),
        [] => Err(CommandError::usage(format!("nothing in memory has the id {text}")).hint(LISTED)),
        several => {
            let more = if several.len() > NAMED { "more than " } else { "" };
            let count = several.len().min(NAMED);
            let named: Vec<String> = several.iter().take(NAMED).map(ToString::to_string).collect();
            Err(CommandError::usage(format!("{more}{count} ids in memory begin with {text}"))
                .hint(format!("give more characters: {}", named.join(", "))))
        }
    }
}

const LISTED: &str = "list what there is: artoo memory list";

/// The shortest unique prefix of the entry's id.
pub(super) fn short(memory: &dyn Operator, id: MegramId) -> Result<String, CommandError> {
    let whole = id.to_string();
    for cut in CUTS {
        let Some(beginning) = whole.get(..cut) else { continue };
        if memory.find_prefix(beginning, 2).map_err(explained)?.len() < 2 {
            return Ok(beginning.to_owned());
        }
    }
    Ok(whole)
}
