//! The lowest layer: every default that does not depend on the machine or the model.

use artoo_ggs_core::Profile;
use artoo_llm_client::RetryPolicy;
use artoo_llm_http::Timeouts;
use artoo_types::Limits;
use toml::{Table, Value};

use super::Span;
use super::layer::{Layer, Origin, put};

/// The defaults.
pub(crate) fn layer() -> Layer {
    let limits = Limits::default();
    let timeouts = Timeouts::default();
    let span = |duration| Value::String(Span(duration).to_string());
    let values: [(&str, Value); 16] = [
        ("run.sandbox", "workspace-write".into()),
        ("run.workspace", "~/artoo_workspace".into()),
        ("run.data_dir", "~/.artoo".into()),
        ("run.max_replans", i64::from(limits.max_replans).into()),
        ("run.max_retries", i64::from(limits.max_retries).into()),
        ("run.strict", false.into()),
        ("tools.web", false.into()),
        ("tools.apps", false.into()),
        ("tools.private_addresses", false.into()),
        ("tools.search", "duckduckgo".into()),
        ("controller.rules", Profile::Default.name().into()),
        ("http.connect_timeout", span(timeouts.connect)),
        ("http.first_byte_timeout", span(timeouts.first_byte)),
        ("http.idle_timeout", span(timeouts.idle)),
        ("http.attempts", i64::from(RetryPolicy::default().attempts).into()),
        ("http.proxy", "system".into()),
    ];
    let mut table = Table::new();
    for (path, value) in values {
        put(&mut table, path, value);
    }
    Layer { origin: Origin::Default, for_every_role: false, table }
}
