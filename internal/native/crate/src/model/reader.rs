//! A cursor over untrusted bytes: every read says what it wanted and is checked.

use std::ops::Range;

use super::fault::Fault;

pub struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Reader<'a> {
    pub fn new(bytes: &'a [u8]) -> Reader<'a> {
        Reader { bytes, at: 0 }
    }

    /// Passes over `len` bytes and returns where they are.
    pub fn skip(&mut self, len: usize, what: &str) -> Result<Range<usize>, Fault> {
        let end = self
            .at
            .checked_add(len)
            .filter(|end| *end <= self.bytes.len());
        let Some(end) = end else {
            return Err(Fault::corrupt(format_args!(
                "{what} needs {len} bytes at offset {}, but it ends after {}",
                self.at,
                self.bytes.len()
            )));
        };
        let range = self.at..end;
        self.at = end;
        Ok(range)
    }

    pub fn take(&mut self, len: usize, what: &str) -> Result<&'a [u8], Fault> {
        let range = self.skip(len, what)?;
        Ok(&self.bytes[range])
    }

    fn array<const N: usize>(&mut self, what: &str) -> Result<[u8; N], Fault> {
        let mut out = [0; N];
        out.copy_from_slice(self.take(N, what)?);
        Ok(out)
    }

    pub fn u8(&mut self, what: &str) -> Result<u8, Fault> {
        Ok(u8::from_le_bytes(self.array(what)?))
    }

    pub fn u16(&mut self, what: &str) -> Result<u16, Fault> {
        Ok(u16::from_le_bytes(self.array(what)?))
    }

    pub fn u32(&mut self, what: &str) -> Result<u32, Fault> {
        Ok(u32::from_le_bytes(self.array(what)?))
    }

    pub fn f32(&mut self, what: &str) -> Result<f32, Fault> {
        Ok(f32::from_le_bytes(self.array(what)?))
    }

    /// A 64-bit length or offset.
    pub fn size(&mut self, what: &str) -> Result<usize, Fault> {
        let value = u64::from_le_bytes(self.array(what)?);
        usize::try_from(value)
            .map_err(|_| Fault::corrupt(format_args!("{what} is {value}, out of range")))
    }

    /// A signed 32-bit count, which has to lie between `least` and `most`.
    pub fn count(&mut self, what: &str, least: usize, most: usize) -> Result<usize, Fault> {
        let value = i32::from_le_bytes(self.array(what)?);
        usize::try_from(value)
            .ok()
            .filter(|value| (least..=most).contains(value))
            .ok_or_else(|| {
                Fault::corrupt(format_args!("{what} is {value}, not in {least}..={most}"))
            })
    }
}
