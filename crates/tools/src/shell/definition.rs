//! What a model is told of `shell`.

use serde_json::{Value, json};

/// What it does. Where it may write and whether it has a network is said beside the step, as it holds in the run.
pub(super) const DESCRIPTION: &str = "Run a command with bash in the working folder. It has no input and no terminal, and what it starts ends with it. \
     If it would change or delete files that were there before this run, the user sees the changes and must agree first; \
     on refusal nothing is changed. Long output is cut; read_evidence shows the rest.";

/// Its arguments, with the longest command in bytes.
pub(super) fn arguments(most_command: usize) -> Value {
    json!({
        "type": "object",
        "properties": {
            "command": { "type": "string", "maxLength": most_command, "description": "command line; here-documents work" },
            "timeout_seconds": { "type": "integer", "minimum": 1, "maximum": 600, "description": "when to stop it; default 60, in the background never" },
            "background": { "type": "boolean", "description": "leave it running and return at once; the job tool reads its output, waits for it or stops it. It may write in $TMPDIR only" },
        },
        "required": ["command"],
        "additionalProperties": false,
    })
}
