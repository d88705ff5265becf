//! Finding the pieces that begin at a place of a text.
//!
//! The pieces stay in the file. Beside them are a hash table of ids and a bit for
//! the hash of every beginning of a piece, which ends a search as soon as nothing
//! longer can match: the work per character is bounded by the longest piece.

use super::file::{Pieces, Specials};

const EMPTY: u64 = u64::MAX;
/// Bits in the set of beginnings, per piece: keeps it about 6 % full.
const BITS_PER_PIECE: usize = 32;

/// An FNV-1a hash that grows byte by byte.
#[derive(Clone, Copy)]
struct Running(u64);

impl Running {
    const START: Running = Running(0xcbf2_9ce4_8422_2325);

    fn push(&mut self, byte: u8) {
        self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    }

    /// FNV mixes its high bits badly; tables are indexed by this instead.
    fn mixed(self) -> u64 {
        let value = (self.0 ^ (self.0 >> 32)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        value ^ (value >> 29)
    }
}

pub struct Vocabulary {
    /// The upper half of a hash above the id it belongs to; open addressing.
    slots: Vec<u64>,
    beginnings: Vec<u64>,
    longest_bytes: usize,
    longest_chars: usize,
    lowest_score: f32,
}

impl Vocabulary {
    /// Indexes all pieces a text may contain. Those that stand for no text, such
    /// as the end mark, are left out: a text that spells one is only text.
    pub fn build(pieces: Pieces<'_>, specials: Specials) -> Vocabulary {
        let size = (pieces.len() * 2).next_power_of_two();
        let bits = (pieces.len() * BITS_PER_PIECE).next_power_of_two().max(64);
        let mut built = Vocabulary {
            slots: vec![EMPTY; size],
            beginnings: vec![0; bits / 64],
            longest_bytes: 1,
            longest_chars: 1,
            lowest_score: 0.0,
        };
        let Specials {
            begin,
            end,
            pad,
            unknown,
        } = specials;
        for id in 0..pieces.len() {
            let score = pieces.score(id);
            let bytes = pieces.bytes(id);
            if score.is_finite() {
                built.lowest_score = built.lowest_score.min(score);
            }
            let control = [begin, end, pad, unknown].contains(&(id as u32)) || score >= 0.0;
            if !control && !bytes.is_empty() && score.is_finite() {
                built.insert(pieces, id as u32, bytes);
            }
        }
        built
    }

    fn insert(&mut self, pieces: Pieces<'_>, id: u32, bytes: &[u8]) {
        let mut hash = Running::START;
        let mut chars = 0;
        for (index, byte) in bytes.iter().enumerate() {
            hash.push(*byte);
            if bytes.get(index + 1).is_none_or(|next| starts_char(*next)) {
                let bit = hash.mixed() as usize & (self.beginnings.len() * 64 - 1);
                self.beginnings[bit / 64] |= 1 << (bit % 64);
                chars += 1;
            }
        }
        self.longest_bytes = self.longest_bytes.max(bytes.len());
        self.longest_chars = self.longest_chars.max(chars);
        let mixed = hash.mixed();
        let mut slot = mixed as usize & (self.slots.len() - 1);
        while self.slots[slot] != EMPTY {
            if pieces.bytes(self.slots[slot] as u32 as usize) == bytes {
                return; // the first of two equal pieces wins
            }
            slot = (slot + 1) & (self.slots.len() - 1);
        }
        self.slots[slot] = (mixed >> 32 << 32) | u64::from(id);
    }

    /// Calls `found` with the end and the id of each piece that begins at `from`.
    pub fn matches(
        &self,
        pieces: Pieces<'_>,
        text: &[u8],
        from: usize,
        mut found: impl FnMut(usize, u32),
    ) {
        let stop = text.len().min(from + self.longest_bytes);
        let mut hash = Running::START;
        let mut end = from;
        while end < stop {
            hash.push(text[end]);
            end += 1;
            if text.get(end).is_some_and(|next| !starts_char(*next)) {
                continue;
            }
            let mixed = hash.mixed();
            let bit = mixed as usize & (self.beginnings.len() * 64 - 1);
            if self.beginnings[bit / 64] & (1 << (bit % 64)) == 0 {
                return;
            }
            if let Some(id) = self.find(pieces, &text[from..end], mixed) {
                found(end, id);
            }
        }
    }

    fn find(&self, pieces: Pieces<'_>, wanted: &[u8], mixed: u64) -> Option<u32> {
        let mut slot = mixed as usize & (self.slots.len() - 1);
        loop {
            let entry = self.slots[slot];
            if entry == EMPTY {
                return None;
            }
            let id = entry as u32;
            if entry >> 32 == mixed >> 32 && pieces.bytes(id as usize) == wanted {
                return Some(id);
            }
            slot = (slot + 1) & (self.slots.len() - 1);
        }
    }

    pub fn longest_chars(&self) -> usize {
        self.longest_chars
    }

    pub fn lowest_score(&self) -> f32 {
        self.lowest_score
    }
}

/// Whether a byte of UTF-8 is the first of a character.
pub fn starts_char(byte: u8) -> bool {
    byte & 0xc0 != 0x80
}
