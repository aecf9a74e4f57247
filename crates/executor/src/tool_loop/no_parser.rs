//! What the user is told of a model server that passes tool calls through as text that cannot be read.

/// The reason, behind the count of turns that came to nothing over such calls. The options are those of the servers.
pub(super) const NO_PARSER: &str = ": the model server passes tool calls through as text that cannot be read. It seems to have no parser for the calls of this model; \
     vLLM takes --enable-auto-tool-choice with --tool-call-parser, llama-server --jinja";
