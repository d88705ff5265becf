//! The embedded model: text in, unit vector out, with no network and no other
//! process. The weights are those of multilingual-e5-small in one mapped file.

mod attention;
mod encoder;
mod fault;
mod ffi;
mod file;
mod linear;
mod normalise;
mod quant;
mod reader;
mod stop;
mod tokenizer;
mod vocabulary;

#[cfg(test)]
mod tests;

use std::path::Path;

use rayon::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};

use encoder::Encoder;
use fault::Fault;
use file::ModelFile;
use stop::Stop;
use tokenizer::Tokenizer;

/// Tokens that go through the network together: enough to use every weight many
/// times once it is in the cache, few enough that the buffers stay small.
const BATCH_TOKENS: usize = 256;
const MOST_THREADS: usize = 64;
/// Of one call: bounds what it allocates before it has checked the time.
const MOST_TEXTS: usize = 4096;
/// Of one text that is counted to its end.
const MOST_BYTES: usize = 2 << 20;

pub struct Model {
    file: ModelFile,
    tokenizer: Tokenizer,
    encoder: Encoder,
    /// Of its own, so that the caller decides how many threads the kernels use.
    workers: ThreadPool,
}

impl Model {
    pub fn open(path: &Path, threads: usize) -> Result<Model, Fault> {
        if !(1..=MOST_THREADS).contains(&threads) {
            return Err(Fault::Invalid(format!(
                "open the model: {threads} threads; ask for 1 to {MOST_THREADS}"
            )));
        }
        Model::load(path, threads).map_err(|fault| fault.of(path))
    }

    fn load(path: &Path, threads: usize) -> Result<Model, Fault> {
        let file = ModelFile::open(path)?;
        let workers = ThreadPoolBuilder::new()
            .num_threads(threads)
            .thread_name(|index| format!("mlp-model-{index}"))
            .build()
            .map_err(|error| {
                Fault::Io(format!("start the model's threads: {error}; ask for fewer"))
            })?;
        let (tokenizer, encoder) =
            workers.install(|| rayon::join(|| Tokenizer::load(&file), || Encoder::load(&file)));
        Ok(Model {
            tokenizer: tokenizer?,
            encoder: encoder?,
            file,
            workers,
        })
    }

    /// The length of a vector.
    pub fn dims(&self) -> usize {
        self.file.shape.hidden
    }

    /// The number of tokens of a text with its marks, however long it is.
    pub fn count_tokens(&self, text: &str) -> Result<usize, Fault> {
        if text.len() > MOST_BYTES {
            return Err(Fault::Invalid(format!(
                "count the tokens of {} bytes; send at most {MOST_BYTES}",
                text.len()
            )));
        }
        Ok(self.tokenizer.count(self.file.pieces(), text))
    }

    /// The tokens that represent a text in the network.
    #[cfg(test)]
    pub fn ids(&self, text: &str) -> Vec<u32> {
        self.tokenizer.encode(self.file.pieces(), text)
    }

    /// Writes the vectors of `texts` one after the other into `out`. A text longer
    /// than the model's window is represented by its beginning.
    pub fn embed(&self, texts: &[&str], out: &mut [f32], stop: &Stop) -> Result<(), Fault> {
        let dims = self.dims();
        if out.len() != texts.len() * dims {
            return Err(Fault::Invalid(format!(
                "embed {} texts: room for {} numbers; {} are needed",
                texts.len(),
                out.len(),
                texts.len() * dims
            )));
        }
        stop.check()?;
        self.workers.install(|| {
            let tokens: Vec<Vec<u32>> = texts
                .par_iter()
                .map(|text| self.tokenizer.encode(self.file.pieces(), text))
                .collect();
            let mut batches = Vec::new();
            let (mut tokens, mut out) = (tokens.as_slice(), out);
            while !tokens.is_empty() {
                let count = batch_length(tokens);
                let (texts, others) = tokens.split_at(count);
                let (vectors, rest) = out.split_at_mut(count * dims);
                batches.push((texts, vectors));
                (tokens, out) = (others, rest);
            }
            batches.into_par_iter().try_for_each(|(texts, vectors)| {
                self.encoder.embed(&self.file, texts, vectors, stop)
            })
        })
    }
}

/// How many of the first texts fit into one batch; at least one.
fn batch_length(texts: &[Vec<u32>]) -> usize {
    let mut tokens = 0;
    let fits = texts.iter().take_while(|text| {
        tokens += text.len();
        tokens <= BATCH_TOKENS
    });
    fits.count().max(1)
}
