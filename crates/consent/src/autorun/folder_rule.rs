//! Where a file must lie to be run.

use std::path::Path;

use super::{Neighbours, fits};

/// Names of files and folders, in each of which a star stands for anything.
type Patterns = &'static [&'static str];

/// In which folders an entry of the table counts. What must be there was there before the run: a project that the run itself
/// makes has nobody yet who would start anything in it.
pub(super) enum FolderRule {
    /// In any folder.
    Any,
    /// Beside one of these.
    Beside(Patterns),
    /// Beside one of these, or in a folder below it.
    Within(Patterns),
    /// In a folder below one that holds one of these.
    Below(Patterns),
    /// Directly in a folder of this name.
    In(&'static str),
    /// Directly in a folder of this name that lies beside one of these.
    InBeside(&'static str, Patterns),
    /// Anywhere in a folder of this name.
    Under(&'static str),
    /// Anywhere in a folder of this name that lies beside one of these.
    UnderBeside(&'static str, Patterns),
    /// Anywhere in a folder of this name that was there.
    UnderOld(&'static str),
}

impl FolderRule {
    /// Whether a file in this folder is run.
    pub(super) fn holds(&self, folder: &Path, neighbours: &dyn Neighbours) -> bool {
        let has = |folder: &Path, patterns: Patterns| {
            let names = neighbours.names_before(folder);
            let names = names.iter().filter_map(|name| name.to_str());
            names.into_iter().any(|name| patterns.iter().any(|pattern| fits(pattern, name)))
        };
        let above = |folder: &Path, patterns| folder.ancestors().any(|folder| has(folder, patterns));
        let is_named = |folder: &Path, name: &str| folder.file_name().is_some_and(|found| found == name);
        let lies_beside =
            |folder: &Path, patterns| folder.parent().is_some_and(|parent| has(parent, patterns));
        match self {
            Self::Any => true,
            Self::Beside(patterns) => has(folder, patterns),
            Self::Within(patterns) => above(folder, patterns),
            Self::Below(patterns) => folder.parent().is_some_and(|parent| above(parent, patterns)),
            Self::In(name) => is_named(folder, name),
            Self::InBeside(name, patterns) => is_named(folder, name) && lies_beside(folder, patterns),
            Self::Under(name) => folder.ancestors().any(|folder| is_named(folder, name)),
            Self::UnderBeside(name, patterns) => {
                folder.ancestors().any(|folder| is_named(folder, name) && lies_beside(folder, patterns))
            }
            Self::UnderOld(name) => folder.ancestors().any(|folder| {
                let is_old =
                    |parent: &Path| neighbours.names_before(parent).iter().any(|found| found == name);
                is_named(folder, name) && folder.parent().is_some_and(is_old)
            }),
        }
    }

    /// Whether the folder alone decides, whatever the file is called.
    pub(super) fn is_of_a_folder(&self) -> bool {
        match self {
            Self::In(_) | Self::InBeside(..) | Self::Under(_) | Self::UnderBeside(..) | Self::UnderOld(_) => {
                true
            }
            Self::Any | Self::Beside(_) | Self::Within(_) | Self::Below(_) => false,
        }
    }

    /// Whether what must be there has the same name, in whatever case: who says the name means that one.
    pub(super) fn needs_namesake(&self, name: &str) -> bool {
        match self {
            Self::Beside(patterns) | Self::Within(patterns) | Self::Below(patterns) => {
                patterns.iter().any(|pattern| pattern.eq_ignore_ascii_case(name))
            }
            Self::Any
            | Self::In(_)
            | Self::InBeside(..)
            | Self::Under(_)
            | Self::UnderBeside(..)
            | Self::UnderOld(_) => false,
        }
    }
}
