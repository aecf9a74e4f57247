//! What the user is told if the model server passes tool calls through as text that cannot be read.

/// Follows the count of fruitless turns, if some of them had such calls. The options are those of the servers.
pub(super) const NO_PARSER: &str = ": the model server passes tool calls through as text that cannot be read. It seems to have no parser for the calls of this model; \
     vLLM takes --enable-auto-tool-choice with --tool-call-parser, llama-server --jinja";
