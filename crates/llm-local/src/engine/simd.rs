//! Detects the processor's SIMD instructions once, and runs code compiled for them.
//!
//! Code between the matrix products uses those instructions only if it is inlined into [`Simd::run`]. So closures on
//! that path carry `#[inline(always)]`. The kernels of the products are compiled for their instructions themselves.

#[cfg(target_arch = "x86_64")]
use archmage::{SimdToken as _, X64V3Token, X64V4xToken, arcane};

use super::activation::Activation;
use super::format::Format;

/// The instruction set to compute with. A token is the proof that this processor has it.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Simd {
    /// AVX-512 with its dot products of bytes (VNNI).
    #[cfg(target_arch = "x86_64")]
    Avx512(X64V4xToken),
    /// AVX2 and FMA.
    #[cfg(target_arch = "x86_64")]
    Avx2(X64V3Token),
    /// The compiler's baseline.
    Portable,
}

impl Simd {
    /// All that this processor supports, the best first.
    pub(crate) fn supported() -> Vec<Self> {
        let mut all = Vec::new();
        #[cfg(target_arch = "x86_64")]
        {
            all.extend(X64V4xToken::summon().map(Self::Avx512));
            all.extend(X64V3Token::summon().map(Self::Avx2));
        }
        all.push(Self::Portable);
        all
    }

    /// The best that this processor supports.
    pub(crate) fn detect() -> Self {
        Self::supported().into_iter().next().unwrap_or(Self::Portable)
    }

    /// Runs `work`, compiled for AVX2 if it is inlined, also where there is AVX-512.
    #[inline(always)]
    pub(crate) fn run<R>(self, work: impl FnOnce() -> R) -> R {
        match self {
            #[cfg(target_arch = "x86_64")]
            Self::Avx512(simd) => run_avx2(simd.v3(), work),
            #[cfg(target_arch = "x86_64")]
            Self::Avx2(simd) => run_avx2(simd, work),
            Self::Portable => work(),
        }
    }

    /// Multiplies consecutive rows of weights, an even number, with `N` rows of activations.
    pub(crate) fn dots<F: Format, const N: usize>(
        self,
        rows: &[F::Block],
        activations: [&[Activation]; N],
        out: &mut [[f32; N]],
    ) {
        match self {
            #[cfg(target_arch = "x86_64")]
            Self::Avx512(simd) => F::dots_avx512(simd, rows, activations, out),
            #[cfg(target_arch = "x86_64")]
            Self::Avx2(simd) => F::dots_avx2(simd, rows, activations, out),
            Self::Portable => {
                let width = activations.first().map_or(1, |a| a.len().max(1));
                for (row, out) in rows.chunks_exact(width).zip(out) {
                    *out = activations.map(|a| F::dot(row, a));
                }
            }
        }
    }
}

#[cfg(target_arch = "x86_64")]
#[arcane]
fn run_avx2<R>(_simd: X64V3Token, work: impl FnOnce() -> R) -> R {
    work()
}
