//! A small model file made here, with the floats its weights stand for.

use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};

/// Repeatable noise.
pub struct Noise(pub u64);

impl Noise {
    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// Between -1 and 1.
    pub fn unit(&mut self) -> f32 {
        (self.next() >> 40) as f32 / (1 << 23) as f32 - 1.0
    }
}

/// A matrix as the file stores it and as it is meant.
pub struct Blocks {
    pub bytes: Vec<u8>,
    pub floats: Vec<f32>,
}

pub fn blocks(noise: &mut Noise, len: usize) -> Blocks {
    let mut made = Blocks {
        bytes: Vec::new(),
        floats: Vec::new(),
    };
    for _ in 0..len / 32 {
        // Powers of two as halves, with either sign.
        let pick = noise.next() % 3;
        let negative = noise.next().is_multiple_of(2);
        let bits = (8 + pick as u16) << 10 | u16::from(negative) << 15;
        let scale = 2f32.powi(pick as i32 - 7) * if negative { -1.0 } else { 1.0 };
        let nibbles: Vec<u8> = (0..32).map(|_| (noise.next() % 16) as u8).collect();
        made.bytes.extend(bits.to_le_bytes());
        made.bytes
            .extend((0..16).map(|i| nibbles[i] | nibbles[i + 16] << 4));
        made.floats
            .extend(nibbles.iter().map(|n| (f32::from(*n) - 8.0) * scale));
    }
    made
}

#[derive(Clone, Copy)]
pub struct Sizes {
    pub hidden: usize,
    pub layers: usize,
    pub heads: usize,
    pub inner: usize,
    pub positions: usize,
}

pub const SMALL: Sizes = Sizes {
    hidden: 32,
    layers: 2,
    heads: 2,
    inner: 64,
    positions: 24,
};

/// Pieces whose first four are begin, pad, end and unknown.
pub type Words = Vec<(String, f32)>;
pub type Rules = Vec<(u32, Vec<u32>)>;

pub fn words() -> Words {
    let mut words: Words = ["<s>", "<pad>", "</s>", "<unk>"]
        .map(|mark| (mark.to_string(), 0.0))
        .into();
    words.push(("\u{2581}".into(), -3.0));
    for (index, letter) in ('a'..='z').enumerate() {
        words.push((letter.into(), -4.0 - index as f32 / 8.0));
        words.push((format!("\u{2581}{letter}"), -4.5 - index as f32 / 8.0));
    }
    words.push(("ab".into(), -5.0));
    words.push(("中".into(), -6.0));
    words
}

/// What the file says, in order of writing, with the floats of every tensor.
pub struct Made {
    pub bytes: Vec<u8>,
    pub tensors: std::collections::HashMap<String, Vec<f32>>,
}

pub fn make(sizes: Sizes, words: &Words, rules: &Rules) -> Made {
    let Sizes {
        hidden,
        layers,
        heads,
        inner,
        positions,
    } = sizes;
    let mut out = b"E5S1\x01\0\0\0".to_vec();
    let numbers = [hidden, layers, heads, inner, words.len(), positions, 2];
    for number in numbers {
        out.extend((number as i32).to_le_bytes());
    }
    out.extend(1e-12f32.to_le_bytes());
    for number in [32, words.len(), 0, 2, 1, 3] {
        out.extend((number as i32).to_le_bytes());
    }
    let blob: String = words.iter().map(|(text, _)| text.as_str()).collect();
    out.extend((blob.len() as u64).to_le_bytes());
    let mut offset = 0u32;
    out.extend(offset.to_le_bytes());
    for (text, _) in words {
        offset += text.len() as u32;
        out.extend(offset.to_le_bytes());
    }
    for (_, score) in words {
        out.extend(score.to_le_bytes());
    }
    out.extend(blob.as_bytes());
    let mut table = Vec::new();
    for (point, replacement) in rules {
        table.extend(point.to_le_bytes());
        table.push(replacement.len() as u8);
        for value in replacement {
            table.extend(value.to_le_bytes());
        }
    }
    out.extend((rules.len() as i32).to_le_bytes());
    out.extend((table.len() as i32).to_le_bytes());
    out.extend(table);
    tensors(out, sizes, words.len(), layers)
}

fn tensors(mut out: Vec<u8>, sizes: Sizes, words: usize, layers: usize) -> Made {
    let Sizes {
        hidden,
        inner,
        positions,
        ..
    } = sizes;
    let mut list: Vec<(String, usize, bool)> = vec![
        ("emb.word".into(), words * hidden, true),
        ("emb.pos".into(), positions * hidden, false),
        ("emb.type".into(), 2 * hidden, false),
        ("emb.ln.w".into(), hidden, false),
        ("emb.ln.b".into(), hidden, false),
    ];
    for layer in 0..layers {
        for (part, outputs, inputs) in [
            ("q", hidden, hidden),
            ("k", hidden, hidden),
            ("v", hidden, hidden),
            ("ao", hidden, hidden),
            ("fi", inner, hidden),
            ("fo", hidden, inner),
        ] {
            list.push((format!("l{layer}.{part}.w"), outputs * inputs, true));
            list.push((format!("l{layer}.{part}.b"), outputs, false));
        }
        for part in ["aln.w", "aln.b", "oln.w", "oln.b"] {
            list.push((format!("l{layer}.{part}"), hidden, false));
        }
    }
    let mut noise = Noise(0x5eed);
    let mut floats = std::collections::HashMap::new();
    let mut bodies = Vec::new();
    for (name, len, coded) in &list {
        let body = if *coded {
            let made = blocks(&mut noise, *len);
            floats.insert(name.clone(), made.floats);
            made.bytes
        } else {
            let one = if name.ends_with("ln.w") { 1.0 } else { 0.0 };
            let values: Vec<f32> = (0..*len).map(|_| one + noise.unit() / 4.0).collect();
            let bytes = values
                .iter()
                .flat_map(|value| value.to_le_bytes())
                .collect();
            floats.insert(name.clone(), values);
            bytes
        };
        bodies.push(body);
    }
    let directory: usize = list.iter().map(|(name, ..)| 2 + name.len() + 21).sum();
    let mut offset = out.len() + 4 + directory;
    out.extend((list.len() as i32).to_le_bytes());
    for ((name, _, coded), body) in list.iter().zip(&bodies) {
        out.extend((name.len() as u16).to_le_bytes());
        out.extend(name.as_bytes());
        out.extend([u8::from(*coded), 0, 0, 0, 0]);
        out.extend((offset as u64).to_le_bytes());
        out.extend((body.len() as u64).to_le_bytes());
        offset += body.len();
    }
    for body in bodies {
        out.extend(body);
    }
    Made {
        bytes: out,
        tensors: floats,
    }
}

/// A file that disappears with the test.
pub struct Temporary(pub PathBuf);

impl Temporary {
    pub fn new(bytes: &[u8]) -> Temporary {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = format!("mlp-model-{}-{number}", std::process::id());
        let path = std::env::temp_dir().join(name);
        std::fs::write(&path, bytes).expect("writing a temporary file");
        Temporary(path)
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}
