//! Local model servers that `setup` looks for.

/// A model server that people run on their own machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct KnownServer {
    /// Its name.
    pub(crate) name: &'static str,
    /// Its default address.
    pub(crate) base_url: &'static str,
}

/// The servers that `setup` looks for.
pub(crate) const KNOWN_SERVERS: [KnownServer; 4] = [
    KnownServer { name: "Ollama", base_url: "http://127.0.0.1:11434/v1" },
    KnownServer { name: "LM Studio", base_url: "http://127.0.0.1:1234/v1" },
    KnownServer { name: "llama-server", base_url: "http://127.0.0.1:8080/v1" },
    KnownServer { name: "vLLM", base_url: "http://127.0.0.1:8000/v1" },
];
