//! Rendering of what a question is about in a git repository: branches that move, what is checked out, what is under way.

use artoo_types::GitMoves;

use super::told::Told;
use crate::terminal::{Style, exact_ends};

/// The repository, and at most `most` facts about it.
pub(super) fn lines<'a>(moves: &GitMoves, most: usize, columns: usize) -> Vec<Told<'a>> {
    let (repository, is_cut) = exact_ends(&moves.repository.display().to_string(), columns);
    let head = Told::new(format!("in the git repository {repository}:"), is_cut).styled(1, Style::Strong);
    let facts = moves.lines();
    let line = |fact: &String| {
        let (text, is_cut) = exact_ends(fact, columns);
        Told::new(text, is_cut)
    };
    let more = facts.len().saturating_sub(most);
    let more = (more > 0).then(|| Told::new(format!("… and {more} more"), true));
    std::iter::once(head).chain(facts.iter().take(most).map(line)).chain(more).collect()
}
