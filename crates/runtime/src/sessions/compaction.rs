//! Old turns, in short. A session that is used for months must not grow without bounds, and nobody reads the
//! results of its first day in it: they are kept by the runs, which each turn names.

use super::session::{Session, SessionTurn};

/// A session with more turns than this is compacted when the next one is added.
pub const COMPACT_ABOVE: usize = 200;

/// The newest turns that stay as they are.
pub const KEPT_WHOLE: usize = 100;

/// The most characters that are left of an old request.
const REQUEST: usize = 200;

/// The most characters that are left of an old result.
const RESULT: usize = 120;

/// Shortens all but the newest [`KEPT_WHOLE`] turns, where there are more than [`COMPACT_ABOVE`] that are
/// whole. Says whether it did.
pub(super) fn compact(session: &mut Session) -> bool {
    let whole = session.turns.iter().filter(|turn| !turn.compacted).count();
    if whole <= COMPACT_ABOVE {
        return false;
    }
    let old = session.turns.len().saturating_sub(KEPT_WHOLE);
    session.turns.iter_mut().take(old).for_each(shorten);
    true
}

/// What was asked and what came of it, each in a line; the run's id says where the rest is.
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
