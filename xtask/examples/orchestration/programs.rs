//! Costs of the two programs from outside: wall and processor time of the whole process, and memory.

use std::{
    ffi::OsString,
    path::Path,
    process::Stdio,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU32, AtomicU64, Ordering},
    },
    time::Instant,
};

use artoo_llm_client::estimate_tokens;
use artoo_llm_http::doubles::{MockServer, Reply};
use tokio::process::Command;

use crate::{Failure, job, stats};

/// One run of a program.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Sample {
    /// Time from its start to its end.
    pub(crate) wall_ms: f64,
    /// Processor time of it and of all processes that it started and waited for.
    pub(crate) cpu_ms: f64,
    /// Time from its start to its first request.
    pub(crate) first_request_ms: f64,
    /// Time from its first request to its last.
    pub(crate) requests_ms: f64,
    /// Time from its last request to its end.
    pub(crate) end_ms: f64,
    /// Peak memory up to its last calls.
    pub(crate) peak_mib: f64,
    /// Model calls.
    pub(crate) calls: f64,
    /// Estimated tokens sent: all messages, without the schemas.
    pub(crate) prompt_tokens: f64,
}

/// Starts the program in a folder, against its own server, and waits for its end.
pub(crate) async fn sample(
    program: &Path,
    arguments: impl Fn(&str) -> Vec<OsString>,
    (home, folder): (&Path, &Path),
) -> Result<Sample, Failure> {
    let arrived: Arc<Mutex<Vec<Instant>>> = Arc::default();
    let (pid, peak) = (Arc::new(AtomicU32::new(0)), Arc::new(AtomicU64::new(0)));
    let handler = {
        let (arrived, pid, peak) = (Arc::clone(&arrived), Arc::clone(&pid), Arc::clone(&peak));
        move |call: &artoo_llm_http::doubles::Call| {
            arrived.lock().unwrap_or_else(PoisonError::into_inner).push(Instant::now());
            // Reading it takes the kernel a moment, so only the last calls do.
            if call.ordinal >= 9 {
                peak.fetch_max(peak_kib(pid.load(Ordering::Acquire)), Ordering::AcqRel);
            }
            Reply::text(job::answer_http(&call.body))
        }
    };
    let server = MockServer::start(handler).await?;
    let mut command = Command::new(program);
    command.args(arguments(&server.base_url())).current_dir(folder).env_clear();
    command.env("HOME", home).env("PATH", std::env::var_os("PATH").unwrap_or_default());
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let (started, cpu) = (Instant::now(), stats::cpu_of_children()?);
    let child = command.spawn()?;
    pid.store(child.id().unwrap_or(0), Ordering::Release);
    let output = child.wait_with_output().await?;
    let (ended, cpu) = (Instant::now(), stats::cpu_of_children()?.saturating_sub(cpu));
    if !output.status.success() {
        let stderr = String::from_utf8_lossy(&output.stderr);
        return Err(format!("{} ended with {}: {stderr}", program.display(), output.status).into());
    }
    let answer = String::from_utf8_lossy(&output.stdout);
    if !answer.contains(job::ANSWER) {
        return Err(format!("{} did not do the job, its answer is: {answer}", program.display()).into());
    }
    let arrived = arrived.lock().unwrap_or_else(PoisonError::into_inner).clone();
    let (first, last) = arrived.first().zip(arrived.last()).ok_or("the program made no request")?;
    let bodies = server.calls();
    let tokens: u64 =
        bodies.iter().flat_map(|call| job::contents(&call.body)).map(|(_, text)| estimate_tokens(text)).sum();
    Ok(Sample {
        wall_ms: stats::ms(ended.duration_since(started)),
        cpu_ms: stats::ms(cpu),
        first_request_ms: stats::ms(first.duration_since(started)),
        requests_ms: stats::ms(last.duration_since(*first)),
        end_ms: stats::ms(ended.duration_since(*last)),
        peak_mib: peak.load(Ordering::Acquire) as f64 / 1024.0,
        calls: bodies.len() as f64,
        prompt_tokens: tokens as f64,
    })
}

/// The peak memory of a process so far.
fn peak_kib(pid: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmHWM:"));
    line.and_then(|line| line.split_whitespace().nth(1)?.parse().ok()).unwrap_or(0)
}
