//! Maps options of `run` and `sandbox` to keys of the configuration.

use crate::args::{PermissionArgs, RunArgs, SandboxArgs};
use crate::commands::path_value;
use crate::config::{Given, MemoryMode, Span};
use crate::error::CommandError;

/// The options of `run` as keys of the configuration.
pub(crate) fn given(args: &RunArgs) -> Result<Given, CommandError> {
    let mut given = Given::default();
    if let Some(url) = &args.base_url {
        given.for_every_role.push(("--base-url", "provider", "openai".into()));
        given.for_every_role.push(("--base-url", "base_url", url.as_str().into()));
    }
    if let Some(model) = &args.model {
        given.for_every_role.push(("--model", "model", model.as_str().into()));
    }
    permitted(&args.permissions, &mut given)?;
    let mut set = |option, key, value| given.options.push((option, key, value));
    // A number beyond `i64` is practically no limit, so the maximum is equivalent.
    let whole = |number: u64| toml::Value::from(i64::try_from(number).unwrap_or(i64::MAX));
    if let Some(time) = args.time_budget {
        set("--time-budget", "run.time_budget", Span(time).to_string().into());
    }
    if let Some(replans) = args.max_replans {
        set("--max-replans", "run.max_replans", i64::from(replans).into());
    }
    if let Some(tokens) = args.max_tokens {
        set("--max-tokens", "run.max_tokens", whole(tokens));
    }
    if let Some(turns) = args.ask_after_turns {
        set("--ask-after-turns", "run.ask_after_turns", whole(turns));
    }
    if let Some(tokens) = args.ask_after_tokens {
        set("--ask-after-tokens", "run.ask_after_tokens", whole(tokens));
    }
    if let Some(amount) = args.max_cost {
        set("--max-cost", "run.max_cost", amount.units().into());
    }
    if let Some(time) = args.timeout {
        set("--timeout", "run.timeout", Span(time).to_string().into());
    }
    if args.no_memory {
        set("--no-memory", "memory.mode", MemoryMode::Off.name().into());
    }
    if let Some(mode) = &args.memory {
        set("--memory", "memory.mode", mode.as_str().into());
    }
    if args.strict {
        set("--strict", "run.strict", true.into());
    }
    Ok(given)
}

/// The options of `sandbox` as keys of the configuration.
pub(super) fn given_for_command(args: &SandboxArgs) -> Result<Given, CommandError> {
    let mut given = Given::default();
    permitted(&args.permissions, &mut given)?;
    Ok(given)
}

fn permitted(args: &PermissionArgs, given: &mut Given) -> Result<(), CommandError> {
    let mut set = |option, key, value| given.options.push((option, key, value));
    if let Some(mode) = args.sandbox {
        set("--sandbox", "run.sandbox", mode.as_str().into());
    }
    if let Some(folder) = &args.workspace {
        set("--workspace", "run.workspace", path_value("--workspace", folder)?);
    }
    Ok(())
}
