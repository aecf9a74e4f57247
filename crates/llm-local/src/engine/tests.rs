//! The fast kernels against the portable ones, and those against the definition of the format.

use super::activation::Activation;
use super::blocks::{self, BLOCK, Q4K_BYTES, Q6K_BYTES};
use super::format::{Format, Q4K, Q6K};
use super::math;
use super::simd::Simd;
#[cfg(target_arch = "x86_64")]
use super::{tile::Place, tile::Tile, tile_avx2};

struct Noise(u64);

impl Noise {
    fn byte(&mut self) -> u8 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 56) as u8
    }

    fn q4k(&mut self) -> [u8; Q4K_BYTES] {
        let mut block = [(); Q4K_BYTES].map(|()| self.byte());
        block[..4].copy_from_slice(&[0x12, 0x14, 0x31, 0x18]);
        block
    }

    fn q6k(&mut self) -> [u8; Q6K_BYTES] {
        let mut block = [(); Q6K_BYTES].map(|()| self.byte());
        block[208..].copy_from_slice(&[0x12, 0x14]);
        block
    }

    fn values(&mut self, count: usize) -> Vec<f32> {
        (0..count).map(|_| (f32::from(self.byte()) - 127.5) / 40.0).collect()
    }
}

fn activations(values: &[f32]) -> Vec<Activation> {
    values.as_chunks::<BLOCK>().0.iter().map(Activation::round).collect()
}

/// 16 rows of 3 blocks times 7 rows of activations: by definition, portably, and with each fast kernel.
fn check<F: Format>(blocks: Vec<F::Block>) {
    let mut noise = Noise(7);
    let values = noise.values(7 * 3 * BLOCK);
    let a = activations(&values);
    for (row, weights) in blocks.chunks(3).enumerate() {
        for (input, numbers) in a.chunks(3).zip(values.chunks(3 * BLOCK)) {
            let (mut exact, mut size) = (0.0, 0.0);
            for (block, numbers) in weights.iter().zip(numbers.chunks(BLOCK)) {
                let mut w = [0f32; BLOCK];
                F::write(block, &mut w);
                for (w, n) in w.iter().zip(numbers) {
                    exact += f64::from(w * n);
                    size += f64::from((w * n).abs());
                }
            }
            let plain = f64::from(F::dot(weights, input));
            // Rounding to 127 steps errs by half a step in either direction, so most of it cancels out.
            assert!((plain - exact).abs() < 0.003 * size, "row {row}: {plain} for {exact} of {size}");
        }
    }
    let expected: Vec<f32> =
        a.chunks(3).flat_map(|input| blocks.chunks(3).map(|row| F::dot(row, input))).collect();
    for simd in Simd::supported() {
        let mut alone = Vec::new();
        for (input, expected) in a.chunks(3).zip(expected.chunks(16)) {
            let mut out = [[0f32; 1]; 16];
            simd.dots::<F, 1>(&blocks, [input], &mut out);
            close(out.as_flattened(), expected);
            alone.extend(out);
        }
        // Batched results equal single ones to the bit: a sequence decoded beside others gives the same answer.
        let rows: Vec<_> = a.chunks(3).collect();
        let mut out = [[0f32; 4]; 16];
        simd.dots::<F, 4>(&blocks, [rows[0], rows[1], rows[2], rows[3]], &mut out);
        for (number, alone) in alone.chunks(16).take(4).enumerate() {
            assert_eq!(out.map(|row| row[number]), alone.as_flattened(), "{simd:?}");
        }
        #[cfg(target_arch = "x86_64")]
        if let Some(sums) = by_tiles::<F>(simd, &blocks, &a) {
            close(sums.as_flattened(), &expected);
        }
    }
}

/// The sums of 7 rows of activations, with a kernel for tiles.
#[cfg(target_arch = "x86_64")]
fn by_tiles<F: Format>(simd: Simd, blocks: &[F::Block], a: &[Activation]) -> Option<[[f32; 16]; 7]> {
    let mut tile = Tile::boxed();
    let mut sums = [[0f32; 16]; 7];
    for block in 0..3 {
        let place = Place { block, per_row: 3 };
        match simd {
            Simd::Avx512(simd) => F::add_avx512(simd, &mut tile, blocks, place, a, &mut sums),
            Simd::Avx2(simd) => tile_avx2::add::<F>(simd, &mut tile, blocks, place, a, &mut sums),
            Simd::Portable => return None,
        }
    }
    Some(sums)
}

fn close(found: &[f32], expected: &[f32]) {
    for (found, expected) in found.iter().zip(expected) {
        assert!((found - expected).abs() <= 1e-3 * expected.abs().max(1.0), "{found} for {expected}");
    }
}

#[test]
fn four_bits() {
    let mut noise = Noise(1);
    check::<Q4K>((0..48).map(|_| noise.q4k()).collect());
}

#[test]
fn six_bits() {
    let mut noise = Noise(2);
    check::<Q6K>((0..48).map(|_| noise.q6k()).collect());
}

#[test]
fn extreme_bits_do_not_overflow() {
    // The largest weights, scales and activations that the formats can represent.
    let values = vec![1f32; 3 * BLOCK];
    let mut four = [0xFF; Q4K_BYTES];
    four[..4].copy_from_slice(&[0, 0x14, 0, 0]);
    let mut six = [0xFF; Q6K_BYTES];
    six[192..208].fill(0x80);
    six[208..].copy_from_slice(&[0, 0x14]);
    let mut negative = values.clone();
    negative.iter_mut().skip(1).step_by(2).for_each(|v| *v = -1.0);
    for values in [values, negative] {
        let a = activations(&values);
        #[cfg(target_arch = "x86_64")]
        let seven: Vec<Activation> = a.iter().cycle().take(7 * 3).copied().collect();
        let (of_four, of_six) = ([Q4K::dot(&[four; 3], &a); 16], [Q6K::dot(&[six; 3], &a); 16]);
        for simd in Simd::supported() {
            let mut out = [[0f32; 1]; 16];
            simd.dots::<Q4K, 1>(&[four; 48], [&a], &mut out);
            close(out.as_flattened(), &of_four);
            simd.dots::<Q6K, 1>(&[six; 48], [&a], &mut out);
            close(out.as_flattened(), &of_six);
            #[cfg(target_arch = "x86_64")]
            for sums in by_tiles::<Q4K>(simd, &[four; 48], &seven).into_iter().flatten() {
                close(&sums, &of_four);
            }
            #[cfg(target_arch = "x86_64")]
            for sums in by_tiles::<Q6K>(simd, &[six; 48], &seven).into_iter().flatten() {
                close(&sums, &of_six);
            }
        }
    }
}

#[test]
fn half_precision() {
    for (bits, value) in [
        (0x3C00, 1.0),
        (0xC000, -2.0),
        (0x0001, 2f32.powi(-24)),
        (0x7BFF, 65504.0),
        (0, 0.0),
        (0x3555, 0.333_251_95),
    ] {
        assert_eq!(blocks::half(bits), value);
    }
}

#[test]
fn exponential() {
    for i in -800..800 {
        let x = i as f32 / 10.0;
        let (found, expected) = (f64::from(math::exp(x)), f64::from(x).exp());
        assert!((found - expected).abs() <= 1e-6 * expected, "{x}: {found} for {expected}");
    }
}
