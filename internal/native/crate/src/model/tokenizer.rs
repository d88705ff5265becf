//! Unigram segmentation: of all ways to cut a text into pieces, the one with the
//! highest sum of scores.

use super::fault::Fault;
use super::file::{ModelFile, Pieces, Specials};
use super::normalise::Normaliser;
use super::vocabulary::{Vocabulary, starts_char};

/// How far below the worst piece a character without a piece is scored.
const UNKNOWN_PENALTY: f32 = 10.0;

pub struct Tokenizer {
    normaliser: Normaliser,
    vocabulary: Vocabulary,
    specials: Specials,
    /// Tokens of a text, the marks at both ends included.
    limit: usize,
}

/// The best way to reach a place: its score, and the last piece with its start.
#[derive(Clone, Copy)]
struct Step {
    score: f32,
    piece: u32,
    from: u32,
}

impl Tokenizer {
    pub fn load(file: &ModelFile) -> Result<Tokenizer, Fault> {
        let (rules, count) = file.rules();
        Ok(Tokenizer {
            normaliser: Normaliser::decode(rules, count)?,
            vocabulary: Vocabulary::build(file.pieces(), file.specials),
            specials: file.specials,
            limit: file.shape.positions,
        })
    }

    /// The ids of a text between the begin and the end mark, cut at the limit.
    pub fn encode(&self, pieces: Pieces<'_>, text: &str) -> Vec<u32> {
        let most = self.limit - 2;
        // Twice what the longest pieces could cover: where the rest was cut off
        // changes no token that is kept, and a huge text costs no more than this.
        let chars = most * self.vocabulary.longest_chars() * 2;
        let mut ids = vec![self.specials.begin];
        ids.extend(
            self.segment(pieces, &self.normaliser.apply(text, chars))
                .iter()
                .take(most),
        );
        ids.push(self.specials.end);
        ids
    }

    /// The number of tokens of a whole text with both marks, beyond the limit too.
    pub fn count(&self, pieces: Pieces<'_>, text: &str) -> usize {
        self.segment(pieces, &self.normaliser.apply(text, usize::MAX))
            .len()
            + 2
    }

    fn segment(&self, pieces: Pieces<'_>, text: &str) -> Vec<u32> {
        let bytes = text.as_bytes();
        let unknown_score = self.vocabulary.lowest_score() - UNKNOWN_PENALTY;
        let nowhere = Step {
            score: f32::NEG_INFINITY,
            piece: self.specials.unknown,
            from: 0,
        };
        let mut steps = vec![nowhere; bytes.len() + 1];
        steps[0].score = 0.0;
        for from in (0..bytes.len()).filter(|at| starts_char(bytes[*at])) {
            let here = steps[from].score;
            self.vocabulary.matches(pieces, bytes, from, |end, piece| {
                let score = here + pieces.score(piece as usize);
                if score > steps[end].score {
                    steps[end] = Step {
                        score,
                        piece,
                        from: from as u32,
                    };
                }
            });
            let mut next = from + 1;
            while next < bytes.len() && !starts_char(bytes[next]) {
                next += 1;
            }
            let score = here + unknown_score;
            if score > steps[next].score {
                steps[next] = Step {
                    score,
                    piece: self.specials.unknown,
                    from: from as u32,
                };
            }
        }
        let mut ids = Vec::new();
        let mut at = bytes.len();
        while at > 0 {
            let step = steps[at];
            ids.push(step.piece);
            at = step.from as usize;
        }
        ids.reverse();
        ids
    }
}
