//! Detects the processor's SIMD instructions once, and runs code compiled for them.
//!
//! Code uses those instructions only if it is inlined into [`Simd::run`] or `vectorize`. So closures on that
//! path carry `#[inline(always)]`, and kernels use loops where other code would use closures.

use super::activation::Activation;
use super::format::Format;
#[cfg(target_arch = "x86_64")]
use super::tile::{ROWS, Tile};
#[cfg(target_arch = "x86_64")]
use pulp::x86::V3;

/// The instruction set to compute with.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Simd {
    /// AVX2 and FMA.
    #[cfg(target_arch = "x86_64")]
    Avx2(V3),
    /// The compiler's baseline.
    Portable,
}

impl Simd {
    /// The best that this processor supports.
    pub(crate) fn detect() -> Self {
        #[cfg(target_arch = "x86_64")]
        if let Some(simd) = V3::try_new() {
            return Self::Avx2(simd);
        }
        Self::Portable
    }

    /// Runs `work`, compiled for these instructions if it is inlined.
    #[inline(always)]
    pub(crate) fn run<R>(self, work: impl FnOnce() -> R) -> R {
        match self {
            #[cfg(target_arch = "x86_64")]
            Self::Avx2(simd) => simd.vectorize(work),
            Self::Portable => work(),
        }
    }

    /// Multiplies consecutive rows of weights with `N` rows of activations.
    pub(crate) fn dots<F: Format, const N: usize>(
        self,
        rows: &[F::Block],
        activations: [&[Activation]; N],
        out: &mut [[f32; N]],
    ) {
        let width = activations.first().map_or(1, |a| a.len().max(1));
        match self {
            #[cfg(target_arch = "x86_64")]
            Self::Avx2(simd) => {
                // Rows come in sixteens, so the two halves have the same length.
                let half = out.len() / 2;
                let (upper, lower) = rows.split_at((half * width).min(rows.len()));
                let (out_upper, out_lower) = out.split_at_mut(half);
                let rows = upper.chunks_exact(width).zip(lower.chunks_exact(width));
                // The iterator is created outside so that the closure is large: pulp passes closures of up to
                // 64 bytes in registers, through a function into which the intrinsics are not inlined (30
                // times slower).
                let work = rows.zip(out_upper).zip(out_lower);
                simd.vectorize(
                    #[inline(always)]
                    || {
                        for (((x, y), out_x), out_y) in work {
                            [*out_x, *out_y] = F::dot_avx2(simd, [x, y], activations);
                        }
                    },
                );
            }
            Self::Portable => {
                for (row, out) in rows.chunks_exact(width).zip(out) {
                    *out = activations.map(|a| F::dot(row, a));
                }
            }
        }
    }
}

/// Adds the products of block `block` of sixteen rows, `per_row` blocks each, and of all activations to
/// `sums`.
#[cfg(target_arch = "x86_64")]
pub(crate) fn add_tile<F: Format>(
    simd: V3,
    tile: &mut Tile,
    rows: &[F::Block],
    (block, per_row): (usize, usize),
    activations: &[Activation],
    sums: &mut [[f32; ROWS]],
) {
    simd.vectorize(
        #[inline(always)]
        || {
            for (row, source) in rows.iter().skip(block).step_by(per_row).enumerate() {
                F::unpack(tile, row, source);
            }
            let tile = &*tile;
            let mut activations = activations.iter().skip(block).step_by(per_row);
            let (fours, rest) = sums.as_chunks_mut::<4>();
            for four in fours {
                if let (Some(a), Some(b), Some(c), Some(d)) =
                    (activations.next(), activations.next(), activations.next(), activations.next())
                {
                    F::add_avx2(simd, tile, [a, b, c, d], four.each_mut());
                }
            }
            for (sums, a) in rest.iter_mut().zip(activations) {
                F::add_avx2(simd, tile, [a], [sums]);
            }
        },
    );
}
