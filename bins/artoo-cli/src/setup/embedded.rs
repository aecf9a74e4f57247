//! What is said of the embedded model: what it takes, and what to expect of it.

use artoo_llm_local::store::{CatalogueEntry, ModelState};

use crate::view::bytes;

/// What to expect of it. The figures are those of `docs/evaluation.md`, and a test compares them.
pub(crate) const EXPECTATION: &str = "It is small, and good for short questions about files. Of 80 requests that it was not \
    tuned to, 51 ended right; of 25 results that artoo accepted, 2 were wrong (measured 2026-11-26).";

/// The embedded model on this machine.
#[derive(Clone, Debug)]
pub(super) struct EmbeddedModel {
    /// Its entry of the catalogue.
    pub(super) entry: &'static CatalogueEntry,
    /// Whether its file is there.
    pub(super) state: ModelState,
    /// The memory of the machine, if it is known.
    pub(super) memory: Option<u64>,
}

impl EmbeddedModel {
    /// Whether it can be used without a download.
    pub(super) fn is_installed(&self) -> bool {
        match self.state {
            ModelState::Installed { .. } => true,
            ModelState::Absent | ModelState::Partial { .. } | ModelState::Corrupt { .. } => false,
        }
    }

    /// Whether the machine has the memory that it needs. Assumed where the system does not tell.
    pub(super) fn fits(&self) -> bool {
        self.memory.is_none_or(|memory| memory >= self.entry.memory)
    }

    /// What it takes to use it.
    pub(super) fn needs(&self) -> String {
        let size = bytes(self.entry.size);
        let download = match &self.state {
            ModelState::Installed { .. } => "It is installed".to_owned(),
            ModelState::Absent => format!("A download of {size}, once"),
            ModelState::Partial { bytes: there } => {
                format!("A download of {size}, of which {} are here already", bytes(*there))
            }
            ModelState::Corrupt { .. } => format!("Its file is damaged and is fetched again: {size}"),
        };
        let memory = bytes(self.entry.memory);
        let memory = match self.memory {
            None => format!("It needs {memory} of memory."),
            Some(there) if self.fits() => format!("It needs {memory} of memory; {} are here.", bytes(there)),
            Some(there) => format!(
                "It needs {memory} of memory and only {} are here: it would be very slow, or the system would end it.",
                bytes(there)
            ),
        };
        format!(
            "{download}; licence {}. It runs on the CPU, and nothing leaves this machine. {memory}",
            self.entry.licence
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The figures of the page, which each evaluation writes anew.
    #[test]
    fn what_is_to_be_expected_was_measured() {
        let page = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/evaluation.md");
        let page = std::fs::read_to_string(page).unwrap();
        let row = |name: &str| page.lines().find_map(|line| line.strip_prefix(name)).unwrap().to_owned();
        let number = |row: &str| -> u32 {
            row.trim_matches(['|', ' ', '*']).split([' ', '|']).next().unwrap().parse().unwrap()
        };
        let solved = row("| solved: accepted and right, or rightly not accepted");
        let unclaimed = row("| right, but not claimed as accept");
        let wrong = row("| **wrong among accepted**");
        assert!(solved.contains("of 80:"), "{solved}");
        let right = number(&solved) + number(&unclaimed);
        let of = wrong.split("of ").nth(1).unwrap().split(':').next().unwrap();
        let said = [
            format!("Of 80 requests that it was not tuned to, {right} ended right"),
            format!("of {of} results that artoo accepted, {} were wrong", number(&wrong)),
        ];
        for part in said {
            assert!(EXPECTATION.contains(&part), "{part}");
        }
        let first = page.lines().find(|line| line.starts_with("- artoo, qwen2.5-coder-1.5b")).unwrap();
        assert!(first.contains("linux, 2026-11-26:"), "{first}");
    }
}
