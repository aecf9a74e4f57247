//! Token sampling: temperature, top-k, top-p and repetition penalty.

use llguidance::toktrie::{SimpleVob, TokenId};

/// Tokens considered when sampling with a temperature: the model vendor's own recommendation.
const TOP_K: usize = 20;
/// Share of probability considered when sampling with a temperature: also the vendor's.
const TOP_P: f32 = 0.8;
/// How many tokens back the repetition penalty looks.
const PENALTY_WINDOW: usize = 64;

/// A random number generator with a reproducible sequence for each seed (splitmix64).
#[derive(Clone, Debug)]
pub(crate) struct Seeded(u64);

impl Seeded {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// A new generator derived from this one, which continues.
    pub(crate) fn fork(&mut self) -> Self {
        Self(self.bits())
    }

    /// An independent generator for each number.
    pub(crate) fn apart(mut self, number: u64) -> Self {
        Self(self.bits() ^ Self(number).bits())
    }

    /// The next number in 0..1.
    fn next(&mut self) -> f32 {
        // The upper 24 bits fill an f32's mantissa exactly.
        (self.bits() >> 40) as f32 / (1u64 << 24) as f32
    }

    fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }
}

/// Lowers the logits of tokens in `recent`; `percent` 100 changes nothing.
pub(crate) fn penalize(logits: &mut [f32], recent: &[TokenId], percent: u16) {
    if percent == 100 {
        return;
    }
    let penalty = f32::from(percent) / 100.0;
    let start = recent.len().saturating_sub(PENALTY_WINDOW);
    let mut seen: Vec<TokenId> = recent.get(start..).unwrap_or_default().to_vec();
    seen.sort_unstable();
    seen.dedup();
    for token in seen {
        if let Some(logit) = logits.get_mut(token as usize) {
            *logit = if *logit > 0.0 { *logit / penalty } else { *logit * penalty };
        }
    }
}

/// The probability of a token among the allowed ones, at temperature 1.
pub(crate) fn probability(logits: &[f32], allowed: &SimpleVob, token: TokenId) -> Option<f32> {
    let score = |id: u32| logits.get(id as usize).copied().filter(|score| score.is_finite());
    let all: Vec<f32> = allowed.iter().filter_map(score).collect();
    let top = all.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let total: f32 = all.iter().map(|score| (score - top).exp()).sum();
    Some((score(token)? - top).exp() / total)
}

/// The chosen token among the allowed ones; `None` if there is no candidate.
///
/// `temperature_percent` 0 takes the best one.
pub(crate) fn choose(
    logits: &[f32],
    allowed: Option<&SimpleVob>,
    temperature_percent: u16,
    random: &mut Seeded,
) -> Option<TokenId> {
    let candidates = (0..).zip(logits.iter().copied()).filter(|(id, logit)| {
        !logit.is_nan() && allowed.is_none_or(|a| (*id as usize) < a.len() && a.is_allowed(*id))
    });
    if temperature_percent == 0 {
        return candidates
            .fold(None, |best: Option<(TokenId, f32)>, (id, logit)| match best {
                Some((_, top)) if top >= logit => best,
                Some(_) | None => Some((id, logit)),
            })
            .map(|(id, _)| id);
    }
    let mut ranked: Vec<(TokenId, f32)> = candidates.collect();
    // Of a whole vocabulary only the best are put in order: sorting all of it takes a good part of a step.
    let better = |a: &(TokenId, f32), b: &(TokenId, f32)| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0));
    if ranked.len() > TOP_K {
        ranked.select_nth_unstable_by(TOP_K, better);
        ranked.truncate(TOP_K);
    }
    ranked.sort_unstable_by(better);
    let top = ranked.first()?.1;
    let temperature = f32::from(temperature_percent) / 100.0;
    for (_, logit) in &mut ranked {
        *logit = ((*logit - top) / temperature).exp();
    }
    let total: f32 = ranked.iter().map(|(_, p)| p).sum();
    let mut nucleus = 0.0;
    let kept = ranked
        .iter()
        .position(|(_, p)| {
            nucleus += p / total;
            nucleus >= TOP_P
        })
        .map_or(ranked.len(), |last| last + 1);
    ranked.truncate(kept);
    let mut point = random.next() * ranked.iter().map(|(_, p)| p).sum::<f32>();
    for (id, p) in &ranked {
        point -= p;
        if point <= 0.0 {
            return Some(*id);
        }
    }
    ranked.last().map(|(id, _)| *id)
}
