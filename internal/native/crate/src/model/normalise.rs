//! Writing a text the way the vocabulary spells it: single code points are
//! replaced by the file's table, and words begin with U+2581 instead of a space.

use super::fault::Fault;
use super::reader::Reader;

/// Stands for a space.
pub const WORD: char = '\u{2581}';

struct Rule {
    point: u32,
    start: usize,
    len: usize,
}

pub struct Normaliser {
    /// Sorted by code point.
    rules: Vec<Rule>,
    replacements: Vec<char>,
}

impl Normaliser {
    pub fn decode(bytes: &[u8], count: usize) -> Result<Normaliser, Fault> {
        let mut reader = Reader::new(bytes);
        let mut rules = Vec::new();
        let mut replacements = Vec::new();
        for index in 0..count {
            let what = format!("normaliser rule {index}");
            let point = reader.u32(&what)?;
            let len = usize::from(reader.u8(&what)?);
            rules.push(Rule {
                point,
                start: replacements.len(),
                len,
            });
            for _ in 0..len {
                let value = reader.u32(&what)?;
                let value = char::from_u32(value).ok_or_else(|| {
                    Fault::corrupt(format_args!("{what} yields {value}, which is no character"))
                })?;
                replacements.push(value);
            }
        }
        rules.sort_by_key(|rule| rule.point);
        Ok(Normaliser {
            rules,
            replacements,
        })
    }

    /// At most `limit` characters of the normalised text; never empty.
    pub fn apply(&self, text: &str, limit: usize) -> String {
        let mut out = String::with_capacity(text.len().min(limit) + WORD.len_utf8());
        out.push(WORD);
        let mut written = 1;
        let mut after_space = true;
        for char in text.chars() {
            if written >= limit {
                break;
            }
            let point = u32::from(char);
            match self.rules.binary_search_by_key(&point, |rule| rule.point) {
                Ok(index) => {
                    let Rule { start, len, .. } = self.rules[index];
                    for char in &self.replacements[start..start + len] {
                        written += push(&mut out, *char, &mut after_space);
                    }
                }
                Err(_) => written += push(&mut out, char, &mut after_space),
            }
        }
        out
    }
}

/// Appends a character, spaces only once in a row; returns how many were written.
fn push(out: &mut String, char: char, after_space: &mut bool) -> usize {
    let space = char == ' ';
    if space && *after_space {
        return 0;
    }
    out.push(if space { WORD } else { char });
    *after_space = space;
    1
}
