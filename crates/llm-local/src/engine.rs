//! Inference engine: weights are memory-mapped from a GGUF file and multiplied in place.
//!
//! Written for this project because the stock engines either copy the weights (twice, for the fast kernels of
//! candle) or need a C++ tool chain; see the crate's documentation for the measurements.

mod activation;
mod attention;
mod blocks;
mod dot;
#[cfg(target_arch = "x86_64")]
mod dot_avx2;
#[cfg(target_arch = "x86_64")]
mod dot_avx512;
mod format;
mod gguf;
mod gguf_vocab;
mod kv_cache;
mod math;
mod matrix;
#[cfg(target_arch = "x86_64")]
mod pairs;
mod simd;
#[cfg(target_arch = "x86_64")]
mod tile;
#[cfg(target_arch = "x86_64")]
mod tile_avx2;
#[cfg(target_arch = "x86_64")]
mod tile_avx512;
mod transformer;

#[cfg(test)]
mod tests;

use std::sync::Arc;

use crate::error::LocalError;
use crate::options::LocalOptions;
use crate::vocab::Vocab;

use gguf::Container;
pub(crate) use kv_cache::State;
pub(crate) use transformer::Part;
use transformer::Transformer;

/// A loaded model.
pub(crate) struct Model {
    transformer: Transformer,
    threads: rayon::ThreadPool,
}

impl Model {
    /// Opens the model file of the options, and tells how many of its bytes are in memory, of all.
    pub(crate) fn open(
        options: &LocalOptions,
        loaded: &dyn Fn(u64, u64),
    ) -> Result<(Self, Arc<Vocab>), LocalError> {
        let file = options.file.as_path();
        let bad = |reason: String| LocalError::BadFile { file: file.to_owned(), reason };
        let bytes =
            load(options).map_err(|source| LocalError::Unreadable { file: file.to_owned(), source })?;
        let container = Container::parse((*bytes).as_ref()).map_err(bad)?;
        let vocab = gguf_vocab::vocab(&container).map_err(bad)?;
        let transformer = Transformer::open(&bytes, &container).map_err(bad)?;
        let count = match options.threads {
            0 => std::thread::available_parallelism().map_or(1, usize::from),
            count => count,
        };
        let threads = rayon::ThreadPoolBuilder::new()
            .num_threads(count)
            .thread_name(|i| format!("artoo-llm-{i}"))
            .build()
            .map_err(|e| LocalError::Broken { reason: e.to_string() })?;
        touch((*bytes).as_ref(), loaded);
        Ok((Self { transformer, threads }, Arc::new(vocab)))
    }

    /// An empty state.
    pub(crate) fn fresh(&self) -> State {
        self.transformer.fresh()
    }

    /// The state of this many tokens from its [`rows`](State::rows); `None` if they do not fit this model.
    pub(crate) fn state(&self, rows: &[f32], tokens: usize) -> Option<State> {
        self.transformer.state(rows, tokens)
    }

    /// The number of its layers.
    pub(crate) fn layers(&self) -> usize {
        self.transformer.depth()
    }

    /// Processes the tokens of several sequences at once; with `score`, returns for each the logits after its
    /// last token, otherwise nothing. `None` if cancelled, which is asked before each [layer](Self::layers): then the states
    /// are unusable.
    pub(crate) fn read(
        &self,
        parts: &mut [Part<'_>],
        score: bool,
        cancelled: &(dyn Fn() -> bool + Sync),
    ) -> Option<Vec<Vec<f32>>> {
        self.threads.install(|| self.transformer.read(parts, score, cancelled))
    }
}

/// Touches each page of the file, in order. A mapped file comes into memory when it is used: this way the disk is read once from
/// front to end, and how far it is can be told. Every answer needs all of the weights.
fn touch(bytes: &[u8], loaded: &dyn Fn(u64, u64)) {
    const PAGE: usize = 4096;
    const STEP: usize = 16 * 1024 * 1024;
    let total = bytes.len() as u64;
    for (number, step) in bytes.chunks(STEP).enumerate() {
        loaded((number * STEP) as u64, total);
        std::hint::black_box(step.iter().step_by(PAGE).fold(0_u8, |sum, byte| sum ^ byte));
    }
}

/// The bytes of the model file, mapped or copied.
fn load(options: &LocalOptions) -> std::io::Result<matrix::Bytes> {
    Ok(if options.copy_weights {
        Arc::new(std::fs::read(&options.file)?)
    } else {
        Arc::new(artoo_mapped_file::map_file(&options.file)?)
    })
}
