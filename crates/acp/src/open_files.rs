//! Files that are open in the client.

use std::path::Path;

use agent_client_protocol::Client;
use agent_client_protocol::v1::ConnectionTo;
use agent_client_protocol::v1::schema::{
    FileSystemCapabilities, ReadTextFileRequest, SessionId, WriteTextFileRequest,
};
use artoo_front_end::OpenFiles;
use async_trait::async_trait;

/// The client's files, as far as it offers them.
pub(crate) struct FilesOfClient {
    pub(crate) session: SessionId,
    pub(crate) connection: ConnectionTo<Client>,
    pub(crate) offers: FileSystemCapabilities,
}

impl std::fmt::Debug for FilesOfClient {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("FilesOfClient").field("session", &self.session).finish_non_exhaustive()
    }
}

#[async_trait]
impl OpenFiles for FilesOfClient {
    async fn text(&self, path: &Path) -> Option<String> {
        if !self.offers.read_text_file {
            return None;
        }
        let request = ReadTextFileRequest::new(self.session.clone(), path);
        // A client that does not know the file says so by an error: then the disk counts.
        self.connection.send_request(request).block_task().await.ok().map(|read| read.content)
    }

    async fn save(&self, path: &Path, text: &str) -> bool {
        if !self.offers.write_text_file {
            return false;
        }
        let request = WriteTextFileRequest::new(self.session.clone(), path, text);
        self.connection.send_request(request).block_task().await.is_ok()
    }
}
