//! Rendering of a commit that a question is about: the branch, the author, the message, the files.

use artoo_types::{CommittedChange, CommittedFile, ProposedCommit};

use super::told::Told;
use crate::terminal::{Style, exact_ends};
use crate::view::units::counted;

/// The lines, with at most `most` lines of the message and `most` files.
pub(super) fn lines<'a>(commit: &ProposedCommit, most: usize, columns: usize) -> Vec<Told<'a>> {
    let ProposedCommit { repository, branch, author, message, files, left_out } = commit;
    let text = |text: &str| exact_ends(text, columns);
    let mut told = Vec::new();
    let (branch, branch_is_cut) = text(branch);
    let (repository, repository_is_cut) = text(&repository.display().to_string());
    let head =
        format!("{} to the branch {branch} of {repository}:", counted(files.len() as u64, "file", "files"));
    told.push(Told::new(head, branch_is_cut || repository_is_cut).styled(1, Style::Strong));
    let (author, is_cut) = text(author);
    told.push(Told::new(format!("by {author}, and nothing is pushed"), is_cut));
    let lines: Vec<&str> = message.lines().collect();
    told.extend(lines.iter().take(most).map(|line| {
        let (line, is_cut) = text(line);
        Told::new(format!("| {line}"), is_cut)
    }));
    let more = lines.len().saturating_sub(most);
    if more > 0 {
        told.push(Told::new(
            format!("… {} of the message", counted(more as u64, "more line", "more lines")),
            true,
        ));
    }
    told.extend(files.iter().take(most).map(|file| {
        let (path, is_cut) = text(&file.path);
        Told::new(format!("{} {path}{}", word(file.change), kind(file)), is_cut)
    }));
    let more = files.len().saturating_sub(most);
    if more > 0 {
        told.push(Told::new(format!("… and {}", counted(more as u64, "more file", "more files")), true));
    }
    told.extend(left_out.iter().map(|left_out| {
        let (left_out, is_cut) = text(left_out);
        Told::new(left_out, is_cut).styled(1, Style::Notice)
    }));
    told
}

fn word(change: CommittedChange) -> &'static str {
    match change {
        CommittedChange::Added => "adds",
        CommittedChange::Changed => "changes",
        CommittedChange::Deleted => "deletes",
        CommittedChange::Kind => "makes another kind of",
        CommittedChange::Mode => "changes the mode of",
    }
}

fn kind(file: &CommittedFile) -> &'static str {
    if file.is_repository { ", another repository" } else { "" }
}
