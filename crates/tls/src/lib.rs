//! HTTP clients whose TLS is rustls with the cryptography of ring.
//!
//! rustls needs cryptography from another crate. Its own choice is aws-lc, which has much more C code to compile. ring has less, and has no
//! key exchange that withstands quantum computers yet.
//!
//! *Architecture invariant*: no other crate names the cryptography. A program that has chosen its own before keeps it.
//!
//! ```
//! let client = artoo_tls::client().user_agent("example").build()?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use reqwest::{Client, ClientBuilder};
use rustls::crypto::{CryptoProvider, ring};

/// The builder of a client. It is the same as reqwest's own, which fails without cryptography.
pub fn client() -> ClientBuilder {
    install();
    Client::builder()
}

/// Makes ring the cryptography of this process, unless another has been chosen: for libraries that build their own client.
pub fn install() {
    if CryptoProvider::get_default().is_none() {
        // Fails if another thread has just chosen: then there is one.
        let _ = ring::default_provider().install_default();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_client_can_be_built_again_and_again() {
        for _ in 0..2 {
            assert!(client().build().is_ok());
        }
        let suites = &CryptoProvider::get_default().unwrap().cipher_suites;
        assert!(suites.iter().any(|suite| suite.tls13().is_some()), "{suites:?}");
        assert!(
            suites.iter().any(|suite| suite.tls13().is_none()),
            "servers that know only TLS 1.2: {suites:?}"
        );
    }
}
