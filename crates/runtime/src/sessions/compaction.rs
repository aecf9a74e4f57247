//! Shortens old turns of a session, so that a session used for months stays bounded. The runs, which each
//! turn names, keep the full results.

use super::session::{Session, SessionTurn};

/// Number of turns above which a session is compacted soon: as a later one is added, after some kilobytes.
pub const COMPACT_ABOVE: usize = 200;

/// Number of newest turns that stay unchanged.
pub const KEPT_WHOLE: usize = 100;

/// Maximum characters kept of an old request.
const REQUEST: usize = 200;

/// Maximum characters kept of an old result.
const RESULT: usize = 120;

/// Shortens all but the newest [`KEPT_WHOLE`] turns if more than [`COMPACT_ABOVE`] are uncompacted. Returns
/// whether it did.
pub(super) fn compact(session: &mut Session) -> bool {
    let whole = session.turns.iter().filter(|turn| !turn.compacted).count();
    if whole <= COMPACT_ABOVE {
        return false;
    }
    let old = session.turns.len().saturating_sub(KEPT_WHOLE);
    session.turns.iter_mut().take(old).for_each(shorten);
    true
}

/// Keeps the request and the result as one line each; the run's id leads to the rest.
fn shorten(turn: &mut SessionTurn) {
    turn.compacted = true;
    turn.request = first_line(&turn.request, REQUEST);
    if let Some(end) = &mut turn.end {
        end.result = first_line(&end.result, RESULT);
        end.files.clear();
    }
}

fn first_line(text: &str, most: usize) -> String {
    let line = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default().trim();
    let cut: String = line.chars().take(most).collect();
    if cut.len() < text.trim().len() { format!("{cut}…") } else { cut }
}
