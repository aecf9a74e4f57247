//! `LocalOptions`: the configuration of the embedded model.

use std::path::PathBuf;

use artoo_llm_client::ProfileOverrides;

/// The configuration of the embedded model. Everything that could vary a result is here; nothing is read from
/// the machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LocalOptions {
    /// The GGUF file.
    pub file: PathBuf,
    /// The name shown to people and written to the journal.
    pub name: String,
    /// Maximum tokens of prompt and answer together. Each token that a request really uses takes 56 KiB of
    /// memory with the default model, until the request is answered.
    pub context: usize,
    /// Overrides of the model's usual profile. Its context is the engine's: `context`.
    pub profile: ProfileOverrides,
    /// Number of prompt prefixes whose state is kept; 0 for none.
    pub prefixes: usize,
    /// Folder in which these states are kept for other processes, too; `None` for none. The files contain a
    /// text's state, not the text: tens of megabytes each, eight of them at most.
    pub prefix_folder: Option<PathBuf>,
    /// Seed of the sampler for requests with a temperature. The same seed and the same requests in the same
    /// order give the same answers; requests without a temperature do not depend on it at all.
    pub seed: u64,
    /// How much less likely a token becomes if it occurred in the last 64 tokens of a free-text answer, in
    /// hundredths; 100 is off. Never applied to answers with a schema, whose syntax repeats by design.
    pub repetition_penalty_percent: u16,
    /// Copies the weights into private memory instead of mapping the file. Loading takes longer and the
    /// memory cannot be shared or dropped; whether tokens come faster depends on the machine: measure with
    /// the example `speed`.
    pub copy_weights: bool,
    /// Compute threads; 0 uses one per processor.
    pub threads: usize,
    /// Maximum characters of a string for which a schema sets no bound; 0 for none. Small models sometimes
    /// generate without end.
    pub string_limit: usize,
    /// Maximum items of a list for which a schema sets no bound; 0 for none.
    pub list_limit: usize,
}

impl LocalOptions {
    /// The defaults for a model file: 8,192 tokens of context, 8 prefixes, seed 0, no repetition
    /// penalty: free text is code for the most part, which repeats names by design.
    ///
    /// ```
    /// let options = artoo_llm_local::LocalOptions::new("/models/qwen.gguf", "qwen2.5-coder-1.5b");
    /// assert_eq!(options.context, 8192);
    /// ```
    pub fn new(file: impl Into<PathBuf>, name: impl Into<String>) -> Self {
        Self {
            file: file.into(),
            name: name.into(),
            context: 8192,
            profile: ProfileOverrides::default(),
            prefixes: 8,
            prefix_folder: None,
            seed: 0,
            repetition_penalty_percent: 100,
            copy_weights: false,
            threads: 0,
            string_limit: 1000,
            list_limit: 32,
        }
    }
}
