//! Small numbers for large ones. The file keeps a matrix as blocks of 32 four-bit
//! weights under one half-precision scale; products run on int8 weights with one
//! scale per output and on uint8 activations with one scale and zero per token.

use std::mem::MaybeUninit;

use rten_simd::SimdOp;
use rten_vecmath::{MinMax, Quantize};

/// Weights of a block, and its bytes: the scale, then two weights to a byte, the
/// low halves first.
pub const BLOCK: usize = 32;
pub const BLOCK_BYTES: usize = 2 + BLOCK / 2;
/// The nibble that stands for zero.
const MIDDLE: i32 = 8;
const TOP: f32 = 127.0;

fn half(bits: u16) -> f32 {
    let sign = u32::from(bits & 0x8000) << 16;
    let (exponent, fraction) = (u32::from(bits >> 10 & 0x1f), u32::from(bits & 0x3ff));
    let magnitude = match exponent {
        0 => return fraction as f32 / (1 << 24) as f32 * if sign == 0 { 1.0 } else { -1.0 },
        31 => 0xff << 23,
        _ => (exponent + 127 - 15) << 23,
    };
    f32::from_bits(sign | magnitude | fraction << 13)
}

fn scale_of(block: &[u8]) -> f32 {
    half(u16::from_le_bytes([block[0], block[1]]))
}

/// Decodes a row of blocks into `out`, a multiple of `BLOCK` floats.
pub fn read_row(row: &[u8], out: &mut [f32]) {
    for (block, out) in row
        .chunks_exact(BLOCK_BYTES)
        .zip(out.chunks_exact_mut(BLOCK))
    {
        let scale = scale_of(block);
        let (low, high) = out.split_at_mut(BLOCK / 2);
        for ((byte, low), high) in block[2..].iter().zip(low).zip(high) {
            *low = (i32::from(byte & 15) - MIDDLE) as f32 * scale;
            *high = (i32::from(byte >> 4) - MIDDLE) as f32 * scale;
        }
    }
}

/// Re-codes a row of blocks as int8 under one scale, which is returned.
pub fn requantise_row(row: &[u8], out: &mut [i8]) -> f32 {
    let mut largest = 0f32;
    for block in row.chunks_exact(BLOCK_BYTES) {
        let reach = block[2..]
            .iter()
            .map(|byte| nibble_reach(byte & 15).max(nibble_reach(byte >> 4)))
            .max()
            .unwrap_or(0);
        largest = largest.max(scale_of(block).abs() * reach as f32);
    }
    if largest == 0.0 || !largest.is_finite() {
        out.fill(0);
        return 0.0;
    }
    for (block, out) in row
        .chunks_exact(BLOCK_BYTES)
        .zip(out.chunks_exact_mut(BLOCK))
    {
        let ratio = scale_of(block) / largest * TOP;
        // Sixteen nibbles, sixteen answers: rounding is done once for the block.
        let codes: [i8; 16] =
            std::array::from_fn(|nibble| ((nibble as i32 - MIDDLE) as f32 * ratio).round() as i8);
        let (low, high) = out.split_at_mut(BLOCK / 2);
        for ((byte, low), high) in block[2..].iter().zip(low).zip(high) {
            *low = codes[usize::from(byte & 15)];
            *high = codes[usize::from(byte >> 4)];
        }
    }
    largest / TOP
}

fn nibble_reach(nibble: u8) -> i32 {
    (i32::from(nibble) - MIDDLE).abs()
}

/// Rows of activations as uint8: value = (code - zero) * scale.
#[derive(Default)]
pub struct Activations {
    pub codes: Vec<u8>,
    pub zeros: Vec<u8>,
    pub scales: Vec<f32>,
}

impl Activations {
    /// Codes rows of `width` floats with codes up to `top`. Kernels that add
    /// products in 16 bits overflow with the whole range and get half of it.
    pub fn fill(&mut self, rows: &[f32], width: usize, top: u8) {
        self.zeros.clear();
        self.scales.clear();
        self.codes.clear();
        self.codes.reserve(rows.len());
        let spare = &mut self.codes.spare_capacity_mut()[..rows.len()];
        for (row, codes) in rows.chunks_exact(width).zip(spare.chunks_exact_mut(width)) {
            let (scale, zero) = quantise(row, codes, top);
            self.scales.push(scale);
            self.zeros.push(zero);
        }
        // SAFETY: `quantise` has written every code of the whole rows counted here.
        unsafe { self.codes.set_len(self.zeros.len() * width) };
    }
}

fn quantise(row: &[f32], codes: &mut [MaybeUninit<u8>], top: u8) -> (f32, u8) {
    let (low, high) = MinMax::new(row).dispatch();
    // Zero keeps a code of its own, so that padding of a kernel stays neutral.
    let (low, high) = (low.min(0.0), high.max(0.0));
    let span = high - low;
    if span.is_nan() || span <= f32::MIN_POSITIVE {
        codes.fill(MaybeUninit::new(0));
        return (0.0, 0);
    }
    let scale = span / f32::from(top);
    let zero = (-low / scale).round_ties_even() as u8;
    Quantize::new(row, codes, 1.0 / scale, zero).dispatch();
    (scale, zero)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_precision() {
        let cases: [(u16, f32); 8] = [
            (0x0000, 0.0),
            (0x3c00, 1.0),
            (0xc000, -2.0),
            (0x3555, 0.333_251_95),
            (0x0001, 5.960_464_5e-8),
            (0x03ff, 6.097_555e-5),
            (0x7bff, 65504.0),
            (0x7c00, f32::INFINITY),
        ];
        for (bits, want) in cases {
            assert_eq!(half(bits), want, "{bits:#06x}");
        }
        assert!(half(0x7e00).is_nan());
    }

    /// One block of scale 0.5 with the nibbles 0..=15 twice over.
    fn block() -> Vec<u8> {
        let mut bytes = vec![0x00, 0x38];
        bytes.extend((0..16u8).map(|low| low | (15 - low) << 4));
        bytes
    }

    #[test]
    fn rows_decode_low_nibbles_first() {
        let mut out = [0f32; BLOCK];
        read_row(&block(), &mut out);
        assert_eq!(out[..3], [-4.0, -3.5, -3.0]);
        assert_eq!(out[15], 3.5);
        assert_eq!(out[16..18], [3.5, 3.0]);
        assert_eq!(out[31], -4.0);
    }

    #[test]
    fn recoding_stays_within_half_a_step() {
        let mut row = block();
        row.extend([0x00, 0xb0]); // scale -0.125
        row.extend((0..16u8).map(|n| n.wrapping_mul(37)));
        let mut floats = [0f32; 2 * BLOCK];
        read_row(&row, &mut floats);
        let mut codes = [0i8; 2 * BLOCK];
        let scale = requantise_row(&row, &mut codes);
        for (code, want) in codes.iter().zip(floats) {
            assert!((f32::from(*code) * scale - want).abs() <= scale * 0.5001);
        }
    }

    #[test]
    fn recoding_survives_odd_scales() {
        for bits in [0x0000u16, 0x7c00, 0x7e00, 0xfc00] {
            let mut row = vec![0u8; BLOCK_BYTES];
            row[..2].copy_from_slice(&bits.to_le_bytes());
            let mut codes = [1i8; BLOCK];
            assert_eq!(requantise_row(&row, &mut codes), 0.0);
            assert_eq!(codes, [0; BLOCK]);
        }
    }

    #[test]
    fn activations_round_trip() {
        let rows: Vec<f32> = (0..96)
            .map(|i| ((i * 7919) % 97) as f32 / 9.0 - 3.0)
            .collect();
        for top in [127, 255] {
            let mut coded = Activations::default();
            coded.fill(&rows, 48, top);
            assert_eq!(coded.codes.len(), 96);
            for (index, want) in rows.iter().enumerate() {
                let (scale, zero) = (coded.scales[index / 48], coded.zeros[index / 48]);
                let got = (f32::from(coded.codes[index]) - f32::from(zero)) * scale;
                assert!((got - want).abs() <= scale, "{got} for {want}");
            }
        }
    }

    #[test]
    fn activations_without_a_span() {
        let mut coded = Activations::default();
        coded.fill(&[0.0, 0.0, f32::NAN, 1.0], 2, 255);
        assert_eq!(coded.codes.len(), 4);
        assert_eq!(coded.scales[0], 0.0);
    }
}
