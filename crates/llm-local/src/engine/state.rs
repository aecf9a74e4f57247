//! What a model remembers of the tokens it has read.

/// The keys and values of every layer for the tokens read so far. A clone is a snapshot to go on from later.
#[derive(Clone, Debug, Default)]
pub(crate) struct State {
    layers: Vec<Memory>,
    length: usize,
}

/// The keys and values of one layer, one row per token.
#[derive(Debug, Default)]
pub(crate) struct Memory {
    pub(crate) keys: Vec<f32>,
    pub(crate) values: Vec<f32>,
}

impl Clone for Memory {
    fn clone(&self) -> Self {
        // Room to go on in: a copy is made to be appended to.
        let copy = |from: &Vec<f32>| {
            let mut to = Vec::with_capacity(from.len() + from.len() / 2);
            to.extend_from_slice(from);
            to
        };
        Self { keys: copy(&self.keys), values: copy(&self.values) }
    }
}

impl State {
    /// Nothing read yet.
    pub(crate) fn new(layers: usize) -> Self {
        Self { layers: (0..layers).map(|_| Memory::default()).collect(), length: 0 }
    }

    /// Tokens read.
    pub(crate) fn len(&self) -> usize {
        self.length
    }

    /// The layers, to read `tokens` more with.
    pub(crate) fn advance(&mut self, tokens: usize) -> &mut [Memory] {
        self.length += tokens;
        &mut self.layers
    }
}
