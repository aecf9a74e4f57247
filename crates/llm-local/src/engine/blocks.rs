//! The quantised block formats of Q4_K_M GGUF files, with 256 weights per block.

/// Weights in a block.
pub(crate) const BLOCK: usize = 256;
/// Bytes of a Q4_K block.
pub(crate) const Q4K_BYTES: usize = 144;
/// Bytes of a Q6_K block.
pub(crate) const Q6K_BYTES: usize = 210;

/// 256 weights of 4 bits: weight = `scale * scales[i / 32] * q - floor * mins[i / 32]`.
pub(crate) struct Q4K<'a> {
    pub(crate) scale: f32,
    pub(crate) floor: f32,
    pub(crate) scales: [u8; 8],
    pub(crate) mins: [u8; 8],
    /// 32 bytes for 64 weights: the low halves are the first 32, the high halves the second.
    pub(crate) quants: &'a [[u8; 32]; 4],
}

/// 256 weights of 6 bits: weight = `scale * scales[i / 16] * (q - 32)`.
pub(crate) struct Q6K<'a> {
    pub(crate) scale: f32,
    pub(crate) scales: [i8; 16],
    /// Two halves of 128 weights; each has 2 × 32 bytes of low bits and 32 of high bits.
    pub(crate) low: &'a [[[u8; 32]; 2]; 2],
    pub(crate) high: [[u8; 32]; 2],
}

/// Splits a Q4_K block.
#[inline(always)]
pub(crate) fn q4k(block: &[u8; Q4K_BYTES]) -> Q4K<'_> {
    let [header, quants @ ..]: &[[u8; 16]; 9] = bytemuck::must_cast_ref(block);
    let [factors, first, second, third] = bytemuck::must_cast::<_, [u32; 4]>(*header).map(u32::from_le);
    // Six bits each: the first four of scales and mins are in whole bytes, with the upper bits of the others
    // above them.
    let scales_low = first & 0x3F3F_3F3F;
    let scales_high = (third & 0x0F0F_0F0F) | ((first >> 2) & 0x3030_3030);
    let mins_low = second & 0x3F3F_3F3F;
    let mins_high = ((third >> 4) & 0x0F0F_0F0F) | ((second >> 2) & 0x3030_3030);
    let join = |low: u32, high: u32| (u64::from(low) | (u64::from(high) << 32)).to_le_bytes();
    Q4K {
        scale: half(factors as u16),
        floor: half((factors >> 16) as u16),
        scales: join(scales_low, scales_high),
        mins: join(mins_low, mins_high),
        quants: bytemuck::must_cast_ref(quants),
    }
}

/// Splits a Q6_K block.
#[inline(always)]
pub(crate) fn q6k(block: &[u8; Q6K_BYTES]) -> Q6K<'_> {
    let [body @ .., scale]: &[[u8; 2]; 105] = bytemuck::must_cast_ref(block);
    let [low @ .., high_a, high_b, high_c, high_d, scales]: &[[u8; 16]; 13] = bytemuck::must_cast_ref(body);
    Q6K {
        scale: half(u16::from_le_bytes(*scale)),
        scales: bytemuck::must_cast(*scales),
        low: bytemuck::must_cast_ref(low),
        high: bytemuck::must_cast([*high_a, *high_b, *high_c, *high_d]),
    }
}

impl Q4K<'_> {
    /// The weights.
    pub(crate) fn write(&self, out: &mut [f32; BLOCK]) {
        let (parts, _) = out.as_chunks_mut::<32>();
        let factors = self.scales.iter().zip(&self.mins);
        let factors = factors.map(|(s, m)| (self.scale * f32::from(*s), self.floor * f32::from(*m)));
        for ((j, (scale, min)), part) in factors.enumerate().zip(parts) {
            let shift = 4 * (j % 2);
            for (w, byte) in part.iter_mut().zip(self.quants.get(j / 2).into_iter().flatten()) {
                *w = scale * f32::from((byte >> shift) & 15) - min;
            }
        }
    }
}

impl Q6K<'_> {
    /// The raw numbers 0..64, before scaling; 32 represents zero.
    #[inline(always)]
    pub(crate) fn raw(&self) -> [[u8; 32]; 8] {
        let mut out = [[0; 32]; 8];
        let (halves, _) = out.as_chunks_mut::<4>();
        for ((parts, [low_a, low_b]), high) in halves.iter_mut().zip(self.low).zip(&self.high) {
            let [a, b, c, d] = parts;
            for ((((((a, b), c), d), la), lb), h) in
                a.iter_mut().zip(b).zip(c).zip(d).zip(low_a).zip(low_b).zip(high)
            {
                *a = (la & 15) | ((h & 3) << 4);
                *b = (lb & 15) | (((h >> 2) & 3) << 4);
                *c = (la >> 4) | (((h >> 4) & 3) << 4);
                *d = (lb >> 4) | ((h >> 6) << 4);
            }
        }
        out
    }

    /// The weights.
    pub(crate) fn write(&self, out: &mut [f32; BLOCK]) {
        let raw = self.raw();
        let (parts, _) = out.as_chunks_mut::<16>();
        let (raw, _) = raw.as_flattened().as_chunks::<16>();
        for ((part, raw), scale) in parts.iter_mut().zip(raw).zip(self.scales) {
            let scale = self.scale * f32::from(scale);
            for (w, q) in part.iter_mut().zip(raw) {
                *w = scale * (f32::from(*q) - 32.0);
            }
        }
    }
}

/// Converts a half-precision number.
///
/// Without branches and without subnormal arithmetic: scales have random signs and are often subnormal, so a
/// mispredicted branch or a microcode-assisted multiplication here would cost as much as the rest of the
/// block.
#[inline(always)]
pub(crate) fn half(bits: u16) -> f32 {
    let sign = u32::from(bits & 0x8000) << 16;
    let magnitude = u32::from(bits & 0x7FFF);
    // Exponent and mantissa moved into place; 2^112 corrects for the different bias.
    let normal = f32::from_bits((magnitude << 13) + (0xE0 << 23)) * f32::from_bits(0x0780_0000);
    // The mantissa of a subnormal number as the tail of a number between 1/2 and 1.
    let subnormal = f32::from_bits(magnitude | (126 << 23)) - 0.5;
    let choice = u32::from(magnitude < 0x400).wrapping_neg();
    f32::from_bits(sign | (subnormal.to_bits() & choice) | (normal.to_bits() & !choice))
}
