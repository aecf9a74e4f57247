//! Name resolution that filters out forbidden addresses.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use async_trait::async_trait;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};

use super::address::AddressRule;

/// Resolves host names.
#[async_trait]
pub trait Names: Send + Sync {
    /// The addresses of a name.
    ///
    /// # Errors
    ///
    /// There are none, or no resolver is reachable.
    async fn addresses(&self, name: &str) -> io::Result<Vec<IpAddr>>;
}

/// The system's resolver.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemNames;

#[async_trait]
impl Names for SystemNames {
    async fn addresses(&self, name: &str) -> io::Result<Vec<IpAddr>> {
        Ok(tokio::net::lookup_host((name, 0)).await?.map(|address| address.ip()).collect())
    }
}

/// The only resolver that the HTTP client has: a forbidden address is filtered out here, so it cannot be
/// connected to, whatever another lookup would return.
pub(crate) struct Guarded {
    pub(crate) names: Arc<dyn Names>,
    pub(crate) rule: AddressRule,
}

/// A name resolves only to forbidden addresses.
#[derive(Debug, thiserror::Error)]
#[error("{name} leads to {address}, which is not a public address")]
pub(crate) struct Forbidden {
    name: String,
    address: IpAddr,
}

impl Resolve for Guarded {
    fn resolve(&self, name: Name) -> Resolving {
        let (names, rule) = (Arc::clone(&self.names), self.rule.clone());
        Box::pin(async move {
            let found = names.addresses(name.as_str()).await?;
            let allowed: Vec<SocketAddr> = found
                .iter()
                .filter(|address| rule.allows(**address))
                .map(|address| SocketAddr::new(*address, 0))
                .collect();
            match (allowed.is_empty(), found.first()) {
                (true, Some(address)) => {
                    Err(Forbidden { name: name.as_str().to_owned(), address: *address }.into())
                }
                (true, None) => Err(io::Error::from(io::ErrorKind::NotFound).into()),
                (false, _) => Ok(Box::new(allowed.into_iter()) as Addrs),
            }
        })
    }
}
