//! Rendering of previewed file changes in a question: one by one, or grouped by folder.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use artoo_types::{BuildFolder, PreviewedChange, PreviewedKind};

use super::groups::{Group, by_folder, by_folders, is_folder};
use super::place::Place;
use super::told::Told;
use crate::terminal::{Style, exact, exact_ends};
use crate::view::near::near;
use crate::view::units::{bytes, counted};

/// Order of the kinds: losses come first.
const ORDER: [PreviewedKind; 5] = [
    PreviewedKind::Deleted,
    PreviewedKind::Changed,
    PreviewedKind::Renamed,
    PreviewedKind::Attributes,
    PreviewedKind::Created,
];

/// Reasons shown of changes that are told together.
const MOST_REASONS: usize = 2;

/// Number of changes of each kind.
pub(super) fn counts(changes: &[PreviewedChange]) -> String {
    let word = |kind| match kind {
        PreviewedKind::Deleted => "deleted",
        PreviewedKind::Changed => "changed",
        PreviewedKind::Renamed => "renamed",
        PreviewedKind::Attributes => "with another mode, owner or time",
        PreviewedKind::Created => "new",
    };
    let count = |kind| changes.iter().filter(|change| change.change == kind).count();
    let counts = ORDER.map(|kind| (count(kind), word(kind)));
    let told = counts.iter().filter(|(count, _)| *count > 0).map(|(count, word)| format!("{count} {word}"));
    told.collect::<Vec<_>>().join(", ")
}

/// All changes: per kind at most `most` one by one, otherwise at most `most`
/// folder groups. Paths are named and cut as `place` says.
pub(super) fn by_kind<'a>(changes: &'a [PreviewedChange], most: usize, place: Place<'_>) -> Vec<Told<'a>> {
    let mut told = Vec::new();
    for kind in ORDER {
        let all = changes.iter().filter(|change| change.change == kind);
        // What a program would run by itself comes first, each with the reason, and is in no group with the rest.
        let (later, rest): (Vec<&PreviewedChange>, Vec<_>) = all.partition(|change| change.autorun.is_some());
        let (built, rest): (Vec<&PreviewedChange>, Vec<_>) =
            rest.into_iter().partition(|change| change.build_output.is_some());
        for part in [later, rest, built] {
            told.extend(of_kind(kind, &part, most, place));
        }
    }
    told
}

/// Changes of one kind.
fn of_kind<'a>(
    kind: PreviewedKind,
    all: &[&'a PreviewedChange],
    most: usize,
    place: Place<'_>,
) -> Vec<Told<'a>> {
    let most_reasons = most.min(MOST_REASONS);
    let with_reasons =
        |told, members: &[&'a PreviewedChange]| with_reasons(told, members, most_reasons, place);
    if all.len() <= most {
        all.iter().flat_map(|change| with_reasons(one(change, place), &[*change])).collect()
    } else if kind == PreviewedKind::Renamed {
        let ends = |change: &PreviewedChange| (origin(change).to_owned(), change.path.clone());
        let groups = by_folders(all, ends, most);
        groups.iter().flat_map(|group| with_reasons(renames(group, place), &group.members)).collect()
    } else {
        let path = |change: &PreviewedChange| change.path.clone();
        let groups = by_folder(all, path, most);
        groups.iter().flat_map(|group| with_reasons(together(kind, group, place), &group.members)).collect()
    }
}

/// The line of some changes, and below it who would run them without being asked to: at most so many reasons.
fn with_reasons<'a>(
    told: Told<'a>,
    members: &[&'a PreviewedChange],
    most: usize,
    place: Place<'_>,
) -> Vec<Told<'a>> {
    let reasons: BTreeSet<&str> = members.iter().filter_map(|change| change.autorun.as_deref()).collect();
    // The lines that differ stand below all of it.
    let diff = told.diff;
    let mut all: Vec<Told<'a>> = vec![Told { diff: None, ..told }];
    all.extend(reasons.iter().take(most).map(|why| {
        let (why, is_cut) = exact_ends(why, place.columns);
        Told::new(why, is_cut).styled(2, Style::Notice)
    }));
    if let Some(last) = all.last_mut() {
        last.diff = diff;
        let more = reasons.len().saturating_sub(most);
        if more > 0 {
            let more = counted(more as u64, "more reason", "more reasons");
            last.text.push_str(&format!(" … and {more}"));
            last.is_cut = true;
        }
    }
    all
}

/// One change with its diff.
pub(super) fn one<'a>(change: &'a PreviewedChange, place: Place<'_>) -> Told<'a> {
    let (path, is_cut) = shown(&change.path, place);
    let modes = change.mode_before.zip(change.mode_after);
    if let Some(files) = change.build_output {
        let verb = if change.change == PreviewedKind::Created { "makes" } else { "changes" };
        return Told::new(format!("{verb} {}", BuildFolder::new(path, files)), is_cut);
    }
    let text = match (change.change, modes) {
        (PreviewedKind::Deleted, _) => format!("deletes {path}{}", sizes(change)),
        (PreviewedKind::Changed, modes) => {
            let modes = modes.map(|modes| format!(", mode {}", of_modes(modes))).unwrap_or_default();
            // Binary, too long, or a secret key.
            let hidden = if change.diff.is_none() { ", the difference cannot be shown" } else { "" };
            format!("changes {path}{}{modes}{hidden}", sizes(change))
        }
        (PreviewedKind::Renamed, _) => {
            let (from, is_from_cut) = shown(origin(change), place);
            let mode = modes.map(|modes| format!(", mode {}", of_modes(modes))).unwrap_or_default();
            return Told::new(format!("renames {from} -> {path}{mode}"), is_cut || is_from_cut);
        }
        (PreviewedKind::Attributes, None) => format!("changes the owner or the time of {path}"),
        (PreviewedKind::Attributes, Some(modes)) => {
            format!("changes the mode of {path}: {}", of_modes(modes))
        }
        (PreviewedKind::Created, _) => format!("makes {path}{}", sizes(change)),
    };
    Told { diff: change.diff.as_deref().map(without_header), ..Told::new(text, is_cut) }
}

/// Grouped changes of one kind other than renames.
fn together<'a>(
    kind: PreviewedKind,
    group: &Group<PathBuf, &'a PreviewedChange>,
    place: Place<'_>,
) -> Told<'a> {
    let Group { place: at, members } = group;
    let (Some(first), 2..) = (members.iter().find(|member| member.path != *at), members.len()) else {
        return members.first().map_or_else(|| Told::new(String::new(), false), |one_| one(one_, place));
    };
    let (folder, _) = shown(&at.join(""), place);
    let (example, _) = shown(first.path.strip_prefix(at).unwrap_or(&first.path), place);
    let things = things(members);
    let text = match kind {
        PreviewedKind::Deleted => {
            let size: u64 =
                members.iter().filter_map(|member| member.bytes_before).fold(0, u64::saturating_add);
            let size = bytes(size);
            if members.iter().any(|member| member.path == *at) {
                format!("deletes {folder} with all that is in it: {things} ({size})")
            } else {
                format!("deletes {things} in {folder} ({size}), for example {example}")
            }
        }
        PreviewedKind::Changed => format!("changes {things} in {folder}, for example {example}"),
        PreviewedKind::Renamed => format!("renames {things} in {folder}, for example {example}"),
        PreviewedKind::Attributes => {
            let modes = first.mode_before.zip(first.mode_after);
            let modes = modes.map(|modes| format!(": {}", of_modes(modes))).unwrap_or_default();
            format!("changes the mode, owner or time of {things} in {folder}, for example {example}{modes}")
        }
        PreviewedKind::Created => format!("makes {things} in {folder}, for example {example}"),
    };
    let lines: usize = members
        .iter()
        .filter_map(|member| member.diff.as_deref())
        .map(|diff| lines(without_header(diff)).count())
        .sum();
    let diffs = match lines {
        0 => String::new(),
        lines => format!(" ({} of differences)", counted(lines as u64, "line", "lines")),
    };
    Told::new(text + &diffs, true)
}

fn renames<'a>(group: &Group<(PathBuf, PathBuf), &'a PreviewedChange>, place: Place<'_>) -> Told<'a> {
    let Group { place: (from, to), members } = group;
    let (Some(first), 2..) = (members.first(), members.len()) else {
        return members.first().map_or_else(|| Told::new(String::new(), false), |one_| one(one_, place));
    };
    let below = |path: &Path, folder: &Path| shown(path.strip_prefix(folder).unwrap_or(path), place).0;
    let example = format!("{} -> {}", below(origin(first), from), below(&first.path, to));
    let folder = |folder: &Path| shown(&folder.join(""), place).0;
    let things = things(members);
    let text = if from == to {
        format!("renames {things} in {}, for example {example}", folder(from))
    } else {
        format!("moves {things} from {} to {}, for example {example}", folder(from), folder(to))
    };
    Told::new(text, true)
}

/// The path before the change.
pub(super) fn origin(change: &PreviewedChange) -> &Path {
    change.from.as_deref().unwrap_or(&change.path)
}

pub(super) fn things(members: &[&PreviewedChange]) -> String {
    let folders = members.iter().filter(|member| is_folder(&member.path)).count();
    let files = members.len() - folders;
    let files = (files > 0).then(|| counted(files as u64, "file", "files"));
    let folders = (folders > 0).then(|| counted(folders as u64, "folder", "folders"));
    [files, folders].into_iter().flatten().collect::<Vec<_>>().join(" and ")
}

fn sizes(change: &PreviewedChange) -> String {
    match (change.bytes_before, change.bytes_after) {
        (None, None) => String::new(),
        (Some(size), None) | (None, Some(size)) => format!(" ({})", bytes(size)),
        (Some(before), Some(after)) => format!(" ({}, then {})", bytes(before), bytes(after)),
    }
}

pub(super) fn shown(path: &Path, place: Place<'_>) -> (String, bool) {
    exact_ends(&near(path, place.folder).to_string_lossy(), place.columns)
}

/// `0755 rwxr-xr-x -> 0644 rw-r--r--`.
fn of_modes((before, after): (u32, u32)) -> String {
    format!("{before:04o} {} -> {after:04o} {}", letters(before), letters(after))
}

/// The permissions as `ls` prints them.
fn letters(mode: u32) -> String {
    let bit = |bit: u32, letter: char| if mode & bit == 0 { '-' } else { letter };
    let last = |bit: u32, special: u32, letter: char| match (mode & bit != 0, mode & special != 0) {
        (false, false) => '-',
        (true, false) => 'x',
        (true, true) => letter,
        (false, true) => letter.to_ascii_uppercase(),
    };
    let read_and_write = |shift: u32| [bit(0o4 << shift, 'r'), bit(0o2 << shift, 'w')];
    let [user, group, other] =
        [(6, last(0o100, 0o4000, 's')), (3, last(0o10, 0o2000, 's')), (0, last(0o1, 0o1000, 't'))]
            .map(|(shift, last)| read_and_write(shift).into_iter().chain([last]));
    user.chain(group).chain(other).collect()
}

/// The lines of a diff as shown.
pub(super) fn lines(diff: &str) -> impl Iterator<Item = String> + '_ {
    // The leading sign is not part of the line: for an empty line, its blank is not a trailing blank.
    let shown = |line: &str| match line.strip_prefix(' ') {
        Some(same) => format!(" {}", exact(same)),
        None => exact(line),
    };
    diff.strip_suffix('\n').unwrap_or(diff).split('\n').map(shown)
}

/// How many lines of a unified diff come, and how many go.
pub(super) fn lines_of_diff(diff: &str) -> (usize, usize) {
    let count = |sign| without_header(diff).lines().filter(|line| line.starts_with(sign)).count();
    (count('+'), count('-'))
}

/// A unified diff from its first hunk on; the file is named above it.
pub(super) fn without_header(diff: &str) -> &str {
    let line = |text: &'_ str, start: &str| -> Option<usize> {
        text.starts_with(start).then(|| text.find('\n').map_or(text.len(), |end| end + 1))
    };
    let rest = line(diff, "--- ").and_then(|end| diff.get(end..));
    let rest = rest.and_then(|rest| line(rest, "+++ ").and_then(|end| rest.get(end..)));
    rest.filter(|rest| rest.starts_with("@@ ")).unwrap_or(diff)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mode_is_written_in_both_ways() {
        for (modes, expected) in [
            ((0o755, 0o644), "0755 rwxr-xr-x -> 0644 rw-r--r--"),
            ((0o0, 0o4755), "0000 --------- -> 4755 rwsr-xr-x"),
            ((0o2640, 0o1777), "2640 rw-r-S--- -> 1777 rwxrwxrwt"),
            ((0o7000, 0o1), "7000 --S--S--T -> 0001 --------x"),
        ] {
            assert_eq!(of_modes(modes), expected);
        }
    }

    #[test]
    fn the_header_of_a_diff_is_no_line_of_the_file() {
        for (diff, expected) in [
            ("--- before\n+++ after\n@@ -1 +1 @@\n-a\n+b\n", "@@ -1 +1 @@\n-a\n+b\n"),
            ("--- nothing\n+++ after\n@@ -0,0 +1 @@\n+--- a\n", "@@ -0,0 +1 @@\n+--- a\n"),
            ("--- two dashes went\n+++ two came\n", "--- two dashes went\n+++ two came\n"),
            ("-a\n+b\n", "-a\n+b\n"),
            ("--- ", "--- "),
            ("", ""),
        ] {
            assert_eq!(without_header(diff), expected);
        }
        assert_eq!(lines("-a \r\n+\tb").collect::<Vec<_>>(), ["-a ␍", "+␉b"]);
        assert_eq!(lines("+a  \n \n   \n\n").collect::<Vec<_>>(), ["+a␠␠", " ", " ␠␠", ""]);
    }
}
