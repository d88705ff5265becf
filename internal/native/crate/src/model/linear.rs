//! A linear layer: int8 weights packed for the kernel of this processor, with a
//! scale and a bias per output.

use rten_gemm::{GemmExecutor, GemmInputA, GemmInputB, GemmOptions, PackedBMatrix};
use rten_simd::ops::{BitOps, NumOps, ToFloat};
use rten_simd::{Isa, SimdOp};
use rten_tensor::{Matrix, NdTensorView};

use super::fault::Fault;
use super::file::ModelFile;
use super::quant::{Activations, BLOCK, BLOCK_BYTES, requantise_row};

pub type Kernel = GemmExecutor<u8, i8, i32>;

pub struct Linear {
    packed: PackedBMatrix<i8>,
    /// The sum of each output's weights, to take off what an activation's zero
    /// adds to a product. The kernel could do that itself, but in rten-gemm 0.27
    /// it uses the zeros of the first rows for all.
    totals: Vec<i32>,
    scales: Vec<f32>,
    biases: Vec<f32>,
}

impl Linear {
    /// Loads the layers called `names` side by side, each with `outputs` outputs:
    /// one product then serves them all.
    pub fn load(
        file: &ModelFile,
        kernel: &Kernel,
        names: &[String],
        inputs: usize,
        outputs: usize,
    ) -> Result<Linear, Fault> {
        let total = outputs * names.len();
        let mut codes = vec![0i8; total * inputs];
        let mut scales = Vec::with_capacity(total);
        let mut biases = Vec::with_capacity(total);
        for (name, codes) in names.iter().zip(codes.chunks_exact_mut(outputs * inputs)) {
            let range = file.nibbles(&format!("{name}.w"), outputs, inputs)?;
            let rows = file
                .bytes(range.clone())
                .chunks_exact(inputs / BLOCK * BLOCK_BYTES);
            for (row, codes) in rows.zip(codes.chunks_exact_mut(inputs)) {
                scales.push(requantise_row(row, codes));
            }
            file.forget(range);
            biases.extend(file.floats(&format!("{name}.b"), outputs)?);
        }
        let totals = codes
            .chunks_exact(inputs)
            .map(|row| row.iter().map(|code| i32::from(*code)).sum());
        let totals = totals.collect();
        let matrix = NdTensorView::from_slice_with_strides([inputs, total], &codes, [1, inputs])
            .expect("the strides are those of the rows just written");
        Ok(Linear {
            packed: kernel.prepack_b(matrix),
            totals,
            scales,
            biases,
        })
    }

    pub fn outputs(&self) -> usize {
        self.scales.len()
    }

    /// Calls `row` with the index and the outputs of each row of `input`.
    pub fn apply(
        &self,
        kernel: &Kernel,
        input: &Activations,
        sums: &mut [i32],
        out: &mut [f32],
        mut each: impl FnMut(usize, &mut [f32]),
    ) {
        let rows = input.zeros.len();
        let sums = &mut sums[..rows * self.outputs()];
        let matrix = Matrix::from_data([rows, self.packed.rows()], input.codes.as_slice());
        let (left, right) = (
            GemmInputA::Unpacked(matrix),
            GemmInputB::Packed(&self.packed),
        );
        kernel
            .gemm(sums, left, right, GemmOptions::default())
            .expect("the sizes were checked when the model was loaded");
        let sums = sums.chunks_exact(self.outputs());
        for (index, (sums, out)) in sums.zip(out.chunks_exact_mut(self.outputs())).enumerate() {
            let (zero, scale) = (i32::from(input.zeros[index]), input.scales[index]);
            Rescale {
                layer: self,
                sums,
                zero,
                scale,
                out,
            }
            .dispatch();
            each(index, out);
        }
    }
}

/// out = (sums - zero * totals) * scale * scales + biases
struct Rescale<'a> {
    layer: &'a Linear,
    sums: &'a [i32],
    zero: i32,
    scale: f32,
    out: &'a mut [f32],
}

impl SimdOp for Rescale<'_> {
    type Output = ();

    #[inline(always)]
    fn eval<I: Isa>(self, isa: I) {
        let Rescale {
            layer:
                Linear {
                    totals,
                    scales,
                    biases,
                    ..
                },
            sums,
            zero,
            scale,
            out,
        } = self;
        let (floats, ints) = (isa.f32(), isa.i32());
        let width = floats.len();
        let (zeros, factor) = (ints.splat(zero), floats.splat(scale));
        let whole = out.len() / width * width;
        for at in (0..whole).step_by(width) {
            let part = at..at + width;
            let offsets = ints.mul(ints.load(&totals[part.clone()]), zeros);
            let sums = ints.to_float(ints.sub(ints.load(&sums[part.clone()]), offsets));
            let factors = floats.mul(floats.load(&scales[part.clone()]), factor);
            let biases = floats.load(&biases[part.clone()]);
            floats.store(floats.mul_add(sums, factors, biases), &mut out[part]);
        }
        for at in whole..out.len() {
            out[at] = (sums[at] - zero * totals[at]) as f32 * scale * scales[at] + biases[at];
        }
    }
}
