//! Logging of `tracing` events: warnings on standard error, everything in the file named by `--log`.
//!
//! Every line passes the redactor. Standard output is never used.

mod entry;
mod json;
mod plain;
#[cfg(test)]
mod tests;

use std::sync::{Arc, PoisonError, RwLock};

use artoo_redaction::{Redactor, secrets_of};
use tracing::Subscriber;
use tracing_subscriber::EnvFilter;
use tracing_subscriber::layer::{Layer, SubscriberExt as _};
use tracing_subscriber::registry::Registry;

use crate::args::CommonArgs;
use crate::error::CommandError;
use crate::machine::{Environment, Folders, private_log};
use crate::terminal::Terminal;

/// The redactor for log lines. It learns the secrets of a run when the run is prepared.
#[derive(Clone, Debug)]
pub(crate) struct Secrets(Arc<RwLock<Redactor>>);

impl Secrets {
    pub(crate) fn new(redactor: Redactor) -> Self {
        Self(Arc::new(RwLock::new(redactor)))
    }

    /// Replaces the redactor; the new one has to include the secrets of the old one.
    pub(crate) fn are(&self, redactor: &Redactor) {
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = redactor.clone();
    }

    fn redactor(&self) -> Redactor {
        self.0.read().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// Starts logging as the options and `ARTOO_LOG` say.
///
/// # Errors
/// The log file cannot be written, or `ARTOO_LOG` is not a valid filter.
pub(crate) fn start(
    options: &CommonArgs,
    environment: &Environment,
    folders: &Folders,
    terminal: &Terminal,
) -> Result<Secrets, CommandError> {
    let variables = environment.names().filter_map(|name| Some((name, environment.text(name)?)));
    let secrets = Secrets::new(secrets_of(variables).fold(Redactor::new(), Redactor::secret));
    let subscriber = subscriber(options, environment, folders, terminal, &secrets)?;
    // A second subscriber would be refused; the program calls this only once.
    let _ = tracing::subscriber::set_global_default(subscriber);
    Ok(secrets)
}

fn subscriber(
    options: &CommonArgs,
    environment: &Environment,
    folders: &Folders,
    terminal: &Terminal,
    secrets: &Secrets,
) -> Result<impl Subscriber + Send + Sync + use<>, CommandError> {
    let asked = environment.text("ARTOO_LOG");
    let shown = match options.verbose {
        0 => "warn",
        1 => "warn,artoo=info",
        2.. => "warn,artoo=debug",
    };
    // `ARTOO_LOG` filters the log file if there is one, otherwise standard error.
    let (plain, kept) = match (&options.log, asked) {
        (None, asked) => (Some(filter(asked.unwrap_or(shown))?), None),
        (Some(path), asked) => {
            let kept = filter(asked.unwrap_or("debug"))?;
            let to_errors = path.as_os_str() == "-";
            let sink = if to_errors {
                json::Sink::Errors(terminal.errors())
            } else {
                let path = folders.whole(path)?;
                let file = private_log(&path).map_err(|error| {
                    CommandError::configuration(format!("cannot log into {}", path.display()))
                        .because(error)
                        .hint("name a file of yours or a new one, no link; `--log -` is standard error")
                })?;
                json::Sink::file(path, file, terminal.errors())
            };
            let plain = if to_errors { None } else { Some(filter(shown)?) };
            (plain, Some(json::Json::new(sink, secrets.clone()).with_filter(kept)))
        }
    };
    let plain = plain.map(|filter| {
        let detailed = options.verbose > 0;
        let colour = terminal.look().colour;
        plain::Plain::new(terminal.errors(), colour, secrets.clone(), detailed).with_filter(filter)
    });
    Ok(Registry::default().with(plain).with(kept))
}

/// The crates of the protocols log words of servers and whole messages, which no log of artoo has.
const NEVER: &str = "rmcp=off,agent_client_protocol=error";

fn filter(text: &str) -> Result<EnvFilter, CommandError> {
    EnvFilter::builder().parse(format!("{text},{NEVER}")).map_err(|error| {
        CommandError::configuration(format!("ARTOO_LOG is no filter: `{text}`"))
            .because(error)
            .hint("for example: ARTOO_LOG=debug, or ARTOO_LOG=warn,artoo_llm_http=debug")
    })
}
