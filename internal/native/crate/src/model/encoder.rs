//! The network: a BERT encoder with its norms after each half layer, and the mean
//! over a text's tokens as its vector.

use std::ops::Range;

use rayon::prelude::*;
use rten_gemm::GemmExecutor;
use rten_simd::{SimdOp, SimdUnaryOp};
use rten_vecmath::{Gelu, Normalize, NormalizeOptions, Sum, SumSquare, SumSquareSub};

use super::attention::Attention;
use super::fault::Fault;
use super::file::{ModelFile, Shape};
use super::linear::{Kernel, Linear};
use super::quant::{Activations, BLOCK, BLOCK_BYTES, read_row};
use super::stop::Stop;

pub struct Encoder {
    shape: Shape,
    words: Range<usize>,
    positions: Vec<f32>,
    first_type: Vec<f32>,
    norm: Norm,
    layers: Vec<Layer>,
}

struct Layer {
    joined: Linear,
    attended: Linear,
    attended_norm: Norm,
    inner: Linear,
    outer: Linear,
    outer_norm: Norm,
}

struct Norm {
    weights: Vec<f32>,
    biases: Vec<f32>,
    epsilon: f32,
}

impl Norm {
    fn load(file: &ModelFile, name: &str) -> Result<Norm, Fault> {
        let Shape {
            hidden, epsilon, ..
        } = file.shape;
        let weights = file.floats(&format!("{name}.w"), hidden)?;
        Ok(Norm {
            weights,
            biases: file.floats(&format!("{name}.b"), hidden)?,
            epsilon,
        })
    }

    fn apply(&self, row: &mut [f32]) {
        let count = row.len() as f32;
        let mean = Sum::new(row).dispatch() / count;
        let variance = SumSquareSub::new(row, mean).dispatch() / count;
        let options = NormalizeOptions {
            pre_scale_bias: mean,
            scale: 1.0 / (variance + self.epsilon).sqrt(),
            element_scale: Some(&self.weights),
            element_bias: Some(&self.biases),
            ..NormalizeOptions::default()
        };
        Normalize::new_mut(row, options).dispatch();
    }
}

impl Layer {
    fn load(file: &ModelFile, kernel: &Kernel, index: usize) -> Result<Layer, Fault> {
        let Shape { hidden, inner, .. } = file.shape;
        let name = |part: &str| format!("l{index}.{part}");
        let linear = |parts: &[&str], inputs, outputs| {
            let names: Vec<String> = parts.iter().map(|part| name(part)).collect();
            Linear::load(file, kernel, &names, inputs, outputs)
        };
        Ok(Layer {
            joined: linear(&["q", "k", "v"], hidden, hidden)?,
            attended: linear(&["ao"], hidden, hidden)?,
            attended_norm: Norm::load(file, &name("aln"))?,
            inner: linear(&["fi"], hidden, inner)?,
            outer: linear(&["fo"], inner, hidden)?,
            outer_norm: Norm::load(file, &name("oln"))?,
        })
    }
}

impl Encoder {
    pub fn load(file: &ModelFile) -> Result<Encoder, Fault> {
        let shape = file.shape.clone();
        let layers = (0..shape.layers)
            .into_par_iter()
            .map(|index| Layer::load(file, &Kernel::default(), index))
            .collect::<Result<Vec<Layer>, Fault>>()?;
        let mut first_type = file.floats("emb.type", shape.types * shape.hidden)?;
        first_type.truncate(shape.hidden);
        Ok(Encoder {
            words: file.nibbles("emb.word", shape.words, shape.hidden)?,
            positions: file.floats("emb.pos", shape.positions * shape.hidden)?,
            first_type,
            norm: Norm::load(file, "emb.ln")?,
            layers,
            shape,
        })
    }

    /// The unit vectors of texts, given as tokens, one after the other in `out`.
    /// The tokens of all texts go through each matrix together.
    pub fn embed(
        &self,
        file: &ModelFile,
        texts: &[Vec<u32>],
        out: &mut [f32],
        stop: &Stop,
    ) -> Result<(), Fault> {
        let Shape {
            hidden,
            inner,
            heads,
            ..
        } = self.shape;
        // Choosing kernels is cheap; they cannot be handed from thread to thread.
        let (kernel, float_kernel) = (Kernel::default(), GemmExecutor::default());
        // The largest code of an activation that the kernel multiplies exactly.
        let top = if kernel.may_saturate() { 127 } else { 255 };
        let mut state = self.lookup(file, texts);
        let rows = state.len() / hidden;
        let mut coded = Activations::default();
        let mut sums = vec![0; rows * inner.max(3 * hidden)];
        let mut joined = vec![0.0; rows * 3 * hidden];
        let mut context = vec![0.0; rows * hidden];
        let mut expanded = vec![0.0; rows * inner];
        let mut attention = Attention::default();
        for layer in &self.layers {
            stop.check()?;
            coded.fill(&state, hidden, top);
            layer
                .joined
                .apply(&kernel, &coded, &mut sums, &mut joined, |_, _| {});
            let mut first = 0;
            for text in texts {
                let end = first + text.len();
                attention.apply(
                    &float_kernel,
                    &joined[first * 3 * hidden..end * 3 * hidden],
                    &mut context[first * hidden..end * hidden],
                    hidden,
                    heads,
                );
                first = end;
            }
            coded.fill(&context, hidden, top);
            layer
                .attended
                .apply(&kernel, &coded, &mut sums, &mut context, |index, row| {
                    let state = &mut state[index * hidden..(index + 1) * hidden];
                    add(state, row);
                    layer.attended_norm.apply(state);
                });
            coded.fill(&state, hidden, top);
            layer
                .inner
                .apply(&kernel, &coded, &mut sums, &mut expanded, |_, row| {
                    Gelu {}.map_mut(row);
                });
            coded.fill(&expanded, inner, top);
            layer
                .outer
                .apply(&kernel, &coded, &mut sums, &mut context, |index, row| {
                    let state = &mut state[index * hidden..(index + 1) * hidden];
                    add(state, row);
                    layer.outer_norm.apply(state);
                });
        }
        let mut first = 0;
        for (text, out) in texts.iter().zip(out.chunks_exact_mut(hidden)) {
            let end = first + text.len();
            pool(&state[first * hidden..end * hidden], out)?;
            first = end;
        }
        Ok(())
    }

    /// Word, position and type of each token, added and normed.
    fn lookup(&self, file: &ModelFile, texts: &[Vec<u32>]) -> Vec<f32> {
        let hidden = self.shape.hidden;
        let row_bytes = hidden / BLOCK * BLOCK_BYTES;
        let words = file.bytes(self.words.clone());
        let rows = texts.iter().map(Vec::len).sum::<usize>();
        let mut state = vec![0.0; rows * hidden];
        let tokens = texts.iter().flat_map(|text| text.iter().enumerate());
        for ((position, id), row) in tokens.zip(state.chunks_exact_mut(hidden)) {
            let start = *id as usize * row_bytes;
            read_row(&words[start..start + row_bytes], row);
            add(
                row,
                &self.positions[position * hidden..(position + 1) * hidden],
            );
            add(row, &self.first_type);
            self.norm.apply(row);
        }
        state
    }
}

fn add(row: &mut [f32], other: &[f32]) {
    for (value, other) in row.iter_mut().zip(other) {
        *value += other;
    }
}

/// The mean of the rows, scaled to length one.
fn pool(rows: &[f32], out: &mut [f32]) -> Result<(), Fault> {
    out.fill(0.0);
    for row in rows.chunks_exact(out.len()) {
        add(out, row);
    }
    let length = SumSquare::new(out).dispatch().sqrt();
    if !length.is_finite() || length <= f32::MIN_POSITIVE {
        return Err(Fault::corrupt("its weights yield no usable vector"));
    }
    for value in out {
        *value /= length;
    }
    Ok(())
}
