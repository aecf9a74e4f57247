//! Known model families, from `families.toml`.

use std::sync::LazyLock;

use serde::Deserialize;

use super::ToolCalling;

/// A family, as in the file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Family {
    pub(super) family: String,
    names: Vec<String>,
    pub(super) context_tokens: Option<u32>,
    pub(super) output_tokens: Option<u32>,
    pub(super) tool_calling: Option<ToolCalling>,
    #[serde(default)]
    pub(super) images: bool,
    #[serde(default)]
    pub(super) reasoning: bool,
    #[serde(default = "super::usually")]
    pub(super) temperature: bool,
    pub(super) guided_below: Option<u32>,
}

impl Family {
    /// The first family that a model's name belongs to.
    pub(super) fn of(model: &str) -> Option<&'static Self> {
        let name = model.to_lowercase();
        FAMILIES.iter().find(|family| family.names.iter().any(|part| begins_a_word(&name, part)))
    }
}

#[derive(Debug, Deserialize)]
struct Families {
    family: Vec<Family>,
}

static FAMILIES: LazyLock<Vec<Family>> = LazyLock::new(|| {
    // A test reads the file; with a broken one all models would be unknown.
    toml::from_str::<Families>(include_str!("families.toml"))
        .map(|families| families.family)
        .unwrap_or_default()
});

fn begins_a_word(name: &str, part: &str) -> bool {
    name.match_indices(part).any(|(at, _)| {
        let begins = name.get(..at).is_some_and(|before| !before.ends_with(|c: char| c.is_alphanumeric()));
        // `gpt-4o` belongs to `gpt-4`, but `claudette` not to `claude`.
        let goes_on = part.ends_with(|c: char| c.is_alphabetic())
            && name
                .get(at + part.len()..)
                .is_some_and(|after| after.starts_with(|c: char| c.is_alphabetic()));
        begins && !goes_on
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_is_read_whole() {
        assert!(FAMILIES.len() > 10);
        let names: Vec<&String> = FAMILIES.iter().flat_map(|family| &family.names).collect();
        assert!(names.iter().all(|name| **name == name.to_lowercase() && !name.is_empty()), "{names:?}");
    }
}
