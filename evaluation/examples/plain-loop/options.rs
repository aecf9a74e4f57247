//! The loop's options: those of `artoo run` that it uses.

use std::{fs, path::PathBuf, time::Duration};

/// The options.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Options {
    /// The folder to work in.
    pub home: PathBuf,
    /// A folder for created files.
    pub workspace: PathBuf,
    /// Time limit.
    pub timeout: Duration,
    /// The model.
    pub model: Model,
    /// The request.
    pub request: String,
}

/// The model.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Model {
    /// An OpenAI-compatible server.
    Served {
        /// Its address.
        address: String,
        /// The model's name.
        name: String,
    },
    /// The embedded model, from its file.
    Embedded(PathBuf),
}

impl Options {
    /// Parses the arguments after the program's name.
    pub(crate) fn read(arguments: impl Iterator<Item = String>) -> Result<Self, String> {
        let (mut home, mut workspace, mut data, mut address, mut name) = (None, None, None, None, None);
        let mut timeout = Duration::from_secs(600);
        let mut arguments = arguments.peekable();
        while let Some(argument) = arguments.next() {
            let mut value = || arguments.next().ok_or_else(|| format!("{argument} needs a value"));
            match argument.as_str() {
                "--" => break,
                "run" | "--json" | "--no-memory" => {}
                "--cwd" => home = Some(PathBuf::from(value()?)),
                "--workspace" => workspace = Some(PathBuf::from(value()?)),
                "--data-dir" => data = Some(PathBuf::from(value()?)),
                "--timeout" => timeout = span(&value()?)?,
                "--base-url" => address = Some(value()?),
                "--model" => name = Some(value()?),
                "--yes" | "-c" => drop(value()?),
                other => return Err(format!("the plain loop does not know {other}")),
            }
        }
        let request: Vec<String> = arguments.collect();
        if request.is_empty() {
            return Err("there is no request behind --".to_owned());
        }
        let model = match (address, data) {
            (Some(address), _) => Model::Served { address, name: name.unwrap_or_default() },
            (None, Some(data)) => Model::Embedded(embedded(data.join("models"))?),
            (None, None) => return Err("there is no model: give --base-url or --data-dir".to_owned()),
        };
        let home = home.ok_or("--cwd is missing")?;
        let workspace = workspace.ok_or("--workspace is missing")?;
        Ok(Self { home, workspace, timeout, model, request: request.join(" ") })
    }
}

/// The only model file in a folder.
fn embedded(folder: PathBuf) -> Result<PathBuf, String> {
    let entries = fs::read_dir(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let mut files: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    files.retain(|path| path.extension().is_some_and(|ending| ending == "gguf"));
    match files.as_slice() {
        [file] => Ok(file.clone()),
        files => Err(format!("{} holds {} models, not one", folder.display(), files.len())),
    }
}

/// `90s`, `10m`, `1h`.
fn span(text: &str) -> Result<Duration, String> {
    let refused = || format!("{text} is no time: write for example 10m");
    let number = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let seconds = match text.strip_prefix(number) {
        Some("s") => 1,
        Some("m") => 60,
        Some("h") => 3600,
        _ => return Err(refused()),
    };
    let number: u64 = number.parse().map_err(|_| refused())?;
    Ok(Duration::from_secs(number.saturating_mul(seconds)))
}
