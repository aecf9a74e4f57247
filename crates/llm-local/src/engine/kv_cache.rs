//! KV cache of the processed tokens.

/// The keys and values of every layer for the tokens processed so far. A clone is a snapshot to continue from
/// later.
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
        // With spare capacity: a copy is made to be appended to.
        let copy = |from: &Vec<f32>| {
            let mut to = Vec::with_capacity(from.len() + from.len() / 2);
            to.extend_from_slice(from);
            to
        };
        Self { keys: copy(&self.keys), values: copy(&self.values) }
    }
}

impl State {
    /// An empty state.
    pub(crate) fn new(layers: usize) -> Self {
        Self { layers: (0..layers).map(|_| Memory::default()).collect(), length: 0 }
    }

    /// Number of tokens.
    pub(crate) fn len(&self) -> usize {
        self.length
    }

    /// The state after the first of its tokens; all of them if it has fewer.
    pub(crate) fn cut(&self, tokens: usize) -> Self {
        let tokens = tokens.min(self.length);
        let first = |rows: &Vec<f32>| {
            let row = rows.len().checked_div(self.length).unwrap_or(0);
            rows.get(..row * tokens).unwrap_or_default().to_vec()
        };
        let layer = |layer: &Memory| Memory { keys: first(&layer.keys), values: first(&layer.values) };
        Self { layers: self.layers.iter().map(layer).collect(), length: tokens }
    }

    /// All keys and values: for each layer the keys, then the values.
    pub(crate) fn rows(&self) -> impl Iterator<Item = &[f32]> {
        self.layers.iter().flat_map(|layer| [layer.keys.as_slice(), layer.values.as_slice()])
    }

    /// The state with these [`rows`](Self::rows), of `tokens` tokens with `width` numbers each; `None` if the
    /// shape does not match.
    pub(crate) fn of_rows(numbers: &[f32], layers: usize, tokens: usize, width: usize) -> Option<Self> {
        let row = tokens.checked_mul(width).filter(|row| *row > 0)?;
        if numbers.len() != row.checked_mul(layers)?.checked_mul(2)? {
            return None;
        }
        let mut rows = numbers.chunks_exact(row).map(<[f32]>::to_vec);
        let mut layer = || Some(Memory { keys: rows.next()?, values: rows.next()? });
        Some(Self { layers: (0..layers).map(|_| layer()).collect::<Option<_>>()?, length: tokens })
    }

    /// The layers, to append `tokens` more.
    pub(crate) fn advance(&mut self, tokens: usize) -> &mut [Memory] {
        self.length += tokens;
        &mut self.layers
    }
}
