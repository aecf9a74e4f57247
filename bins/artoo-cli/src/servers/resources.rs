//! `@NAME:ADDRESS` in a request: what a server has at an address, as an attached file. Its words stay the server's.

use artoo_front_end::Attachment;
use tokio::runtime::Runtime;

use super::{ServersOfRun, hint};
use crate::error::CommandError;

impl ServersOfRun {
    /// Reads the resources that a request names.
    ///
    /// # Errors
    /// A server does not give what is at an address. A name that is no server's is left as it stands.
    pub(crate) fn attachments(&self, text: &str, threads: &Runtime) -> Result<Vec<Attachment>, CommandError> {
        let named: Vec<(&str, &str)> = text.split_whitespace().filter_map(named).collect();
        let mut attachments = Vec::new();
        for (server, uri) in named {
            let Some(connection) = self.connections.iter().find(|one| one.name().to_string() == server)
            else {
                continue;
            };
            let content = threads.block_on(connection.read_resource(uri)).map_err(|error| {
                let hint = hint(&error).unwrap_or_else(|| {
                    "not every server has resources; its documentation names their addresses".to_owned()
                });
                CommandError::usage(format!("@{server}:{uri} cannot be read: {error}")).hint(hint)
            })?;
            let name = uri.rsplit(['/', ':']).find(|part| !part.is_empty()).unwrap_or("resource");
            attachments.push(Attachment { name: format!("{server}-{name}"), bytes: content.into_bytes() });
        }
        Ok(attachments)
    }
}

/// The server and the address that a word names, as in `@NAME:ADDRESS`.
pub(crate) fn named(word: &str) -> Option<(&str, &str)> {
    let (server, uri) = word.strip_prefix('@')?.split_once(':')?;
    let uri = uri.trim_end_matches([',', ';', '?', '!']);
    let is_name =
        !server.is_empty() && server.bytes().all(|b| b.is_ascii_alphanumeric() || b"_-".contains(&b));
    (is_name && uri.contains(':')).then_some((server, uri))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_names_a_server_and_an_address() {
        assert_eq!(named("@everything:demo://resource/1,"), Some(("everything", "demo://resource/1")));
        for word in
            ["everything:demo://x", "@src/main.rs", "@a:b", "@:demo://x", "ada@example.org:x://y", "@a b:x"]
        {
            assert_eq!(named(word), None, "{word}");
        }
    }
}
