//! The job with artoo's runtime, in-process.

use std::{path::Path, sync::Arc};

use artoo_llm_client::LlmClient;
use artoo_llm_http::{HttpConfig, OpenAiCompatible, ProxyPolicy};
use artoo_runtime::{Artoo, RunRequest};
use artoo_types::{Surroundings, TerminalState};

use crate::{Failure, job};

/// artoo with this model, recording into `folder`. Everything else is the default: journal, evidence, audit,
/// confinement.
pub(crate) fn artoo(model: Arc<dyn LlmClient>, folder: &Path) -> Result<Artoo, Failure> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let environment = [("PATH".into(), path)].into_iter().collect();
    let artoo = Artoo::builder().model(model).environment(environment).parallel(8);
    Ok(artoo.data_folder(folder.join("data")).build()?)
}

/// The model behind a server.
pub(crate) fn remote(url: &str) -> Result<Arc<dyn LlmClient>, Failure> {
    let config = HttpConfig { proxy: ProxyPolicy::None, ..HttpConfig::new(url, "mock") };
    Ok(Arc::new(OpenAiCompatible::new(config)?))
}

/// Does the job once, up to its recorded result.
pub(crate) async fn run(artoo: &Artoo, folder: &Path) -> Result<(), Failure> {
    let request = RunRequest::new(
        job::REQUEST,
        Surroundings {
            now: chrono::Local::now().fixed_offset(),
            zone: "UTC".to_owned(),
            working_folder: folder.join("home"),
            workspace: folder.join("workspace"),
            home: folder.join("home"),
            platform: "linux".to_owned(),
        },
    );
    let result = artoo.start(request)?.finished().await;
    let is_right = result.output.as_str() == Some(job::ANSWER);
    if result.directive == TerminalState::Accept && result.replans == 0 && is_right {
        return Ok(());
    }
    let (summary, output, unmet) = (&result.summary, &result.output, &result.unmet);
    Err(format!("the job was not done: {summary} {output} {unmet:?}").into())
}

/// The folders of a measurement, with the files that the steps read.
pub(crate) fn folders(folder: &Path) -> std::io::Result<()> {
    for name in ["home", "workspace", "data"] {
        std::fs::create_dir_all(folder.join(name))?;
    }
    ["alpha", "beta", "gamma"]
        .iter()
        .try_for_each(|word| std::fs::write(folder.join("home").join(word).with_extension("txt"), word))
}
