//! An instruction file of a run, as events name it.

use artoo_types::Instruction;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A file with advice of the person.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct InstructionFile {
    /// Its path.
    pub source: String,
    /// How many bytes of it the run is told.
    pub bytes: u64,
}

impl From<&Instruction> for InstructionFile {
    fn from(instruction: &Instruction) -> Self {
        Self { source: instruction.source.clone(), bytes: instruction.text.len() as u64 }
    }
}
