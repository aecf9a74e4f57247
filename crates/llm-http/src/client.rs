//! Macro for the public clients, whose interface is the same for every wire format.

/// Makes `$client`, a tuple struct around an `HttpModel`, a client.
///
/// A macro, since a caller cannot name the wire format in `HttpModel<W>`: `pub type Client = HttpModel<W>`
/// would make all its types public.
macro_rules! client {
    ($client:ident) => {
        impl $client {
            /// A client for the configured server. Nothing is sent and no certificate is read before the
            /// first call.
            ///
            /// # Errors
            ///
            /// [`LlmError::Configuration`](artoo_llm_client::LlmError::Configuration) for an invalid base
            /// URL, proxy or model name.
            pub fn new(config: $crate::HttpConfig) -> Result<Self, artoo_llm_client::LlmError> {
                $crate::model::HttpModel::new(config).map(Self)
            }

            /// Whether tool calls are sent in the server's native form: for a model known to support them,
            /// true until the server has refused them.
            pub fn takes_tools(&self) -> bool {
                self.0.takes_tools()
            }

            /// The endpoint, without credentials and query.
            pub fn endpoint(&self) -> &str {
                self.0.endpoint()
            }
        }

        #[async_trait::async_trait]
        impl artoo_llm_client::LlmClient for $client {
            fn model(&self) -> &str {
                self.0.model()
            }

            fn server(&self) -> Option<&str> {
                Some(self.0.endpoint())
            }

            /// True until the server has refused every native way. A server may also silently ignore a
            /// schema, which is why [`ask`](artoo_llm_client::ask) checks every answer.
            fn structured(&self) -> bool {
                self.0.structured()
            }

            fn profile(&self) -> artoo_llm_client::ModelProfile {
                self.0.profile()
            }

            async fn complete(
                &self,
                request: &artoo_llm_client::Request,
            ) -> Result<artoo_llm_client::Completion, artoo_llm_client::LlmError> {
                self.0.complete(request).await
            }
        }

        impl std::fmt::Debug for $client {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.debug_struct(stringify!($client))
                    .field("endpoint", &self.0.endpoint())
                    .field("model", &self.0.model())
                    .finish()
            }
        }
    };
}

pub(crate) use client;
