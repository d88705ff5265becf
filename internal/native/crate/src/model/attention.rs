//! Self-attention of one text: every token looks at every other one.

use rten_gemm::{GemmExecutor, GemmInputA, GemmInputB, GemmOptions};
use rten_simd::SimdOp;
use rten_tensor::NdTensorView;
use rten_vecmath::Softmax;

/// Buffers that one worker reuses.
#[derive(Default)]
pub struct Attention {
    weights: Vec<f32>,
    mixed: Vec<f32>,
}

impl Attention {
    /// `joined` holds query, key and value of each token side by side, `out` gets
    /// one row of `hidden` floats per token.
    pub fn apply(
        &mut self,
        kernel: &GemmExecutor<f32>,
        joined: &[f32],
        out: &mut [f32],
        hidden: usize,
        heads: usize,
    ) {
        let stride = 3 * hidden;
        let tokens = joined.len() / stride;
        let depth = hidden / heads;
        self.weights.resize(tokens * tokens, 0.0);
        self.mixed.resize(tokens * depth, 0.0);
        for head in 0..heads {
            let part = |number: usize, shape: [usize; 2], strides: [usize; 2]| {
                let start = number * hidden + head * depth;
                let data = &joined[start..joined.len() - stride + start + depth];
                NdTensorView::from_slice_with_strides(shape, data, strides)
                    .expect("a head lies within each row")
            };
            let queries = part(0, [tokens, depth], [stride, 1]);
            let keys = part(1, [depth, tokens], [1, stride]);
            let values = part(2, [tokens, depth], [stride, 1]);
            let options = GemmOptions {
                alpha: 1.0 / (depth as f32).sqrt(),
                ..GemmOptions::default()
            };
            product(kernel, &mut self.weights, queries, keys, options);
            for row in self.weights.chunks_exact_mut(tokens) {
                Softmax::new_mut(row).dispatch();
            }
            let weights = NdTensorView::from_data([tokens, tokens], self.weights.as_slice());
            product(
                kernel,
                &mut self.mixed,
                weights,
                values,
                GemmOptions::default(),
            );
            let rows = out
                .chunks_exact_mut(hidden)
                .zip(self.mixed.chunks_exact(depth));
            for (row, mixed) in rows {
                row[head * depth..(head + 1) * depth].copy_from_slice(mixed);
            }
        }
    }
}

fn product(
    kernel: &GemmExecutor<f32>,
    out: &mut [f32],
    left: NdTensorView<'_, f32, 2>,
    right: NdTensorView<'_, f32, 2>,
    options: GemmOptions<'_, f32, f32, f32>,
) {
    kernel
        .gemm(
            out,
            GemmInputA::Unpacked(left),
            GemmInputB::Unpacked(right),
            options,
        )
        .expect("both sides come from the same rows");
}
