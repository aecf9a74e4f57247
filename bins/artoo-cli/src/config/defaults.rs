//! Default layer of the configuration: every default that does not depend on the machine or the model.

use artoo_ggs_core::Profile;
use artoo_llm_client::RetryPolicy;
use artoo_llm_http::Timeouts;
use artoo_snapshot::{Retention, SnapshotLimits};
use artoo_types::Limits;
use toml::{Table, Value};

use super::Span;
use super::controller::put_profile;
use super::layer::{Layer, Origin, put};
use super::settings::DAY;

/// The default layer.
pub(crate) fn layer() -> Layer {
    let limits = Limits::default();
    let checkpoints = limits.checkpoints;
    let timeouts = Timeouts::default();
    let retention = Retention::default();
    let whole = |number: u64| Value::Integer(i64::try_from(number).unwrap_or(i64::MAX));
    let span = |duration| Value::String(Span(duration).to_string());
    let values: [(&str, Value); 28] = [
        ("run.sandbox", "workspace-write".into()),
        ("run.workspace", "~/artoo_workspace".into()),
        ("run.data_dir", "~/.artoo".into()),
        ("run.max_replans", i64::from(limits.max_replans).into()),
        ("run.max_retries", i64::from(limits.max_retries).into()),
        ("run.ask_after_turns", whole(checkpoints.turns.map_or(0, u64::from))),
        ("run.ask_after_tokens", whole(checkpoints.tokens.map_or(0, u64::from))),
        ("run.strict", false.into()),
        ("tools.web", false.into()),
        ("tools.network", false.into()),
        ("tools.apps", false.into()),
        ("tools.private_addresses", false.into()),
        ("tools.search", "duckduckgo".into()),
        ("acceptance.dependence", true.into()),
        ("acceptance.sampling", true.into()),
        ("acceptance.last_judge", true.into()),
        ("acceptance.continued_judge", true.into()),
        ("undo.max_age_days", whole(retention.max_age.as_secs() / DAY)),
        ("undo.max_bytes", whole(retention.max_bytes)),
        ("undo.max_run_bytes", whole(SnapshotLimits::default().bytes)),
        ("memory.mode", "on".into()),
        ("memory.dream", "model".into()),
        ("ui.keys", "emacs".into()),
        ("ui.notify", "osc9".into()),
        ("ui.screen_reader", false.into()),
        ("http.connect_timeout", span(timeouts.connect)),
        ("http.attempts", i64::from(RetryPolicy::default().attempts).into()),
        ("http.proxy", "system".into()),
    ];
    let mut table = Table::new();
    for (path, value) in values {
        put(&mut table, path, value);
    }
    put_profile(&mut table, Profile::Default);
    Layer { origin: Origin::Default, for_every_role: false, table }
}
