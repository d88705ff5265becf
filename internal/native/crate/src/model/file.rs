//! The model file, mapped into memory. Everything it declares is checked here
//! once, so that later code may index without asking again.
//!
//! The mapping is shared with the page cache: an embedding table of 54 MB costs
//! only the rows that texts touch. The file must not be truncated in place while
//! it is open; replacing it by a rename is safe.

use std::collections::HashMap;
use std::fs::File;
use std::io::ErrorKind;
use std::ops::Range;
use std::path::Path;

use memmap2::{Mmap, UncheckedAdvice};

use super::fault::Fault;
use super::quant::{BLOCK, BLOCK_BYTES};
use super::reader::Reader;

const MAGIC: &[u8; 4] = b"E5S1";
const FLOAT: u8 = 0;
const NIBBLES: u8 = 1;

/// The sizes of the network.
#[derive(Debug, Clone, PartialEq)]
pub struct Shape {
    pub hidden: usize,
    pub layers: usize,
    pub heads: usize,
    pub inner: usize,
    pub words: usize,
    pub positions: usize,
    pub types: usize,
    pub epsilon: f32,
}

/// Ids with a meaning of their own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Specials {
    pub begin: u32,
    pub end: u32,
    pub pad: u32,
    pub unknown: u32,
}

/// The vocabulary as it lies in the file: piece `i` is `blob[offsets[i]..offsets[i+1]]`.
#[derive(Clone, Copy)]
pub struct Pieces<'a> {
    offsets: &'a [u8],
    scores: &'a [u8],
    blob: &'a [u8],
}

impl<'a> Pieces<'a> {
    pub fn new(offsets: &'a [u8], scores: &'a [u8], blob: &'a [u8]) -> Result<Pieces<'a>, Fault> {
        let pieces = Pieces {
            offsets,
            scores,
            blob,
        };
        let mut before = 0;
        for index in 0..=pieces.len() {
            let offset = pieces.offset(index);
            if offset < before || offset > blob.len() {
                return Err(Fault::corrupt(format_args!(
                    "piece {index} lies outside the pieces"
                )));
            }
            before = offset;
        }
        Ok(pieces)
    }

    pub fn len(&self) -> usize {
        self.scores.len() / 4
    }

    fn offset(&self, index: usize) -> usize {
        u32::from_le_bytes(four(self.offsets, index)) as usize
    }

    pub fn bytes(&self, index: usize) -> &'a [u8] {
        &self.blob[self.offset(index)..self.offset(index + 1)]
    }

    pub fn score(&self, index: usize) -> f32 {
        f32::from_le_bytes(four(self.scores, index))
    }
}

fn four(bytes: &[u8], index: usize) -> [u8; 4] {
    let mut out = [0; 4];
    out.copy_from_slice(&bytes[index * 4..index * 4 + 4]);
    out
}

pub struct ModelFile {
    map: Mmap,
    pub shape: Shape,
    pub specials: Specials,
    offsets: Range<usize>,
    scores: Range<usize>,
    blob: Range<usize>,
    rules: Range<usize>,
    rule_count: usize,
    tensors: HashMap<String, (u8, Range<usize>)>,
}

impl ModelFile {
    pub fn open(path: &Path) -> Result<ModelFile, Fault> {
        let name = path.display();
        let file = File::open(path).map_err(|error| match error.kind() {
            ErrorKind::NotFound => Fault::NotFound(format!(
                "open the model {name}: no such file; install it there"
            )),
            _ => Fault::Io(format!(
                "open the model {name}: {error}; check its permissions"
            )),
        })?;
        // SAFETY: the file is part of the installation and nobody writes to it in place.
        let map = unsafe { Mmap::map(&file) }
            .map_err(|error| Fault::Io(format!("map the model {name}: {error}; try again")))?;
        ModelFile::parse(map)
    }

    fn parse(map: Mmap) -> Result<ModelFile, Fault> {
        let mut reader = Reader::new(&map);
        if reader.take(4, "the magic")? != MAGIC {
            return Err(Fault::corrupt("it does not begin like an embedding model"));
        }
        reader.skip(4, "the version")?;
        let shape = Shape {
            hidden: reader.count("the hidden size", BLOCK, 1 << 13)?,
            layers: reader.count("the number of layers", 1, 256)?,
            heads: reader.count("the number of heads", 1, 256)?,
            inner: reader.count("the feed-forward size", BLOCK, 1 << 15)?,
            words: reader.count("the vocabulary size", 1, 1 << 24)?,
            positions: reader.count("the number of positions", 3, 1 << 12)?,
            types: reader.count("the number of token types", 1, 1 << 8)?,
            epsilon: reader.f32("epsilon")?,
        };
        let even = [shape.hidden, shape.inner]
            .iter()
            .all(|size| size.is_multiple_of(BLOCK))
            && shape.hidden.is_multiple_of(shape.heads);
        if !even {
            return Err(Fault::corrupt("its sizes do not divide evenly"));
        }
        if !(0.0..1.0).contains(&shape.epsilon) {
            return Err(Fault::corrupt("epsilon is out of range"));
        }
        reader.skip(4, "an unused field")?;
        let pieces = reader.count("the number of pieces", 4, shape.words)?;
        let specials = Specials {
            begin: reader.count("the id of begin", 0, pieces - 1)? as u32,
            end: reader.count("the id of end", 0, pieces - 1)? as u32,
            pad: reader.count("the id of padding", 0, pieces - 1)? as u32,
            unknown: reader.count("the id of unknown", 0, pieces - 1)? as u32,
        };
        let blob_len = reader.size("the length of the pieces")?;
        let offsets = reader.skip((pieces + 1) * 4, "the piece offsets")?;
        let scores = reader.skip(pieces * 4, "the piece scores")?;
        let blob = reader.skip(blob_len, "the pieces")?;
        let rule_count = reader.count("the number of normaliser rules", 0, 0x11_0000)?;
        let rules_len = reader.count("the length of the normaliser rules", 0, i32::MAX as usize)?;
        let rules = reader.skip(rules_len, "the normaliser rules")?;
        let tensors = directory(&mut reader, map.len())?;
        Pieces::new(
            &map[offsets.clone()],
            &map[scores.clone()],
            &map[blob.clone()],
        )?;
        Ok(ModelFile {
            map,
            shape,
            specials,
            offsets,
            scores,
            blob,
            rules,
            rule_count,
            tensors,
        })
    }

    /// The vocabulary; `parse` has checked it.
    pub fn pieces(&self) -> Pieces<'_> {
        Pieces {
            offsets: &self.map[self.offsets.clone()],
            scores: &self.map[self.scores.clone()],
            blob: &self.map[self.blob.clone()],
        }
    }

    /// The normaliser rules, undecoded, and how many they are.
    pub fn rules(&self) -> (&[u8], usize) {
        (&self.map[self.rules.clone()], self.rule_count)
    }

    /// A tensor of `len` floats.
    pub fn floats(&self, name: &str, len: usize) -> Result<Vec<f32>, Fault> {
        let bytes = &self.map[self.range(name, FLOAT, len * 4)?];
        Ok((0..len)
            .map(|index| f32::from_le_bytes(four(bytes, index)))
            .collect())
    }

    /// A matrix of four-bit blocks: where its `rows` rows of `columns` weights lie.
    pub fn nibbles(&self, name: &str, rows: usize, columns: usize) -> Result<Range<usize>, Fault> {
        self.range(name, NIBBLES, rows * columns / BLOCK * BLOCK_BYTES)
    }

    /// Bytes of the file; `range` comes from `nibbles`.
    pub fn bytes(&self, range: Range<usize>) -> &[u8] {
        &self.map[range]
    }

    fn range(&self, name: &str, kind: u8, size: usize) -> Result<Range<usize>, Fault> {
        let Some((stored, range)) = self.tensors.get(name) else {
            return Err(Fault::corrupt(format_args!("tensor {name} is missing")));
        };
        if *stored != kind || range.len() != size {
            return Err(Fault::corrupt(format_args!(
                "tensor {name} has type {stored} and {} bytes, not type {kind} and {size}",
                range.len()
            )));
        }
        Ok(range.clone())
    }

    /// Gives back the pages of bytes that are not needed for now.
    pub fn forget(&self, range: Range<usize>) {
        // SAFETY: the mapping is read-only and backed by a file: a page that is
        // dropped is read again when it is touched. Failing changes nothing.
        let _ = unsafe {
            self.map
                .unchecked_advise_range(UncheckedAdvice::DontNeed, range.start, range.len())
        };
    }
}

fn directory(
    reader: &mut Reader<'_>,
    file_len: usize,
) -> Result<HashMap<String, (u8, Range<usize>)>, Fault> {
    let count = reader.count("the number of tensors", 1, 1 << 16)?;
    let mut tensors = HashMap::with_capacity(count);
    for index in 0..count {
        let what = format!("tensor {index}");
        let name_len = reader.u16(&what)?;
        let name = String::from_utf8_lossy(reader.take(name_len.into(), &what)?).into_owned();
        let kind = reader.u8(&what)?;
        reader.skip(4, &what)?;
        let start = reader.size(&what)?;
        let size = reader.size(&what)?;
        let Some(end) = start.checked_add(size).filter(|end| *end <= file_len) else {
            return Err(Fault::corrupt(format_args!(
                "tensor {name} ends after the {file_len} bytes of the file"
            )));
        };
        tensors.insert(name, (kind, start..end));
    }
    Ok(tensors)
}
