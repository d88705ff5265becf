//! The network once more, in plain floats and loops: what the fast one must match.

use super::made::{Made, Sizes};

pub struct Plain<'a> {
    pub made: &'a Made,
    pub sizes: Sizes,
}

type Rows = Vec<Vec<f32>>;

impl Plain<'_> {
    fn tensor(&self, name: &str) -> &[f32] {
        &self.made.tensors[name]
    }

    fn linear(&self, name: &str, rows: &Rows) -> Rows {
        let weights = self.tensor(&format!("{name}.w"));
        let biases = self.tensor(&format!("{name}.b"));
        let output = |row: &Vec<f32>| {
            let inputs = row.len();
            let sum = |(index, bias): (usize, &f32)| {
                let weights = &weights[index * inputs..(index + 1) * inputs];
                bias + dot(row, weights)
            };
            biases.iter().enumerate().map(sum).collect()
        };
        rows.iter().map(output).collect()
    }

    fn norm(&self, name: &str, rows: &mut Rows) {
        let weights = self.tensor(&format!("{name}.w"));
        let biases = self.tensor(&format!("{name}.b"));
        for row in rows {
            let count = row.len() as f32;
            let mean = row.iter().sum::<f32>() / count;
            let variance = row.iter().map(|x| (x - mean).powi(2)).sum::<f32>() / count;
            for (index, x) in row.iter_mut().enumerate() {
                *x = (*x - mean) / (variance + 1e-12).sqrt() * weights[index] + biases[index];
            }
        }
    }

    fn attention(&self, layer: usize, rows: &Rows) -> Rows {
        let [queries, keys, values] =
            ["q", "k", "v"].map(|part| self.linear(&format!("l{layer}.{part}"), rows));
        let depth = self.sizes.hidden / self.sizes.heads;
        let mut out = vec![vec![0.0; self.sizes.hidden]; rows.len()];
        for head in 0..self.sizes.heads {
            let part = head * depth..(head + 1) * depth;
            for (query, out) in queries.iter().zip(&mut out) {
                let weight = |key: &Vec<f32>| {
                    let product = dot(&query[part.clone()], &key[part.clone()]);
                    (product / (depth as f32).sqrt()).exp()
                };
                let weights: Vec<f32> = keys.iter().map(weight).collect();
                let total: f32 = weights.iter().sum();
                for (weight, value) in weights.iter().zip(&values) {
                    for at in part.clone() {
                        out[at] += weight / total * value[at];
                    }
                }
            }
        }
        out
    }

    pub fn embed(&self, ids: &[u32]) -> Vec<f32> {
        let hidden = self.sizes.hidden;
        let part = |name: &str, index: usize| {
            self.tensor(name)[index * hidden..(index + 1) * hidden].to_vec()
        };
        let mut rows: Rows = Vec::new();
        for (position, id) in ids.iter().enumerate() {
            let mut row = part("emb.word", *id as usize);
            add(&mut row, &part("emb.pos", position));
            add(&mut row, &part("emb.type", 0));
            rows.push(row);
        }
        self.norm("emb.ln", &mut rows);
        for layer in 0..self.sizes.layers {
            let context = self.attention(layer, &rows);
            let attended = self.linear(&format!("l{layer}.ao"), &context);
            rows.iter_mut()
                .zip(&attended)
                .for_each(|(row, more)| add(row, more));
            self.norm(&format!("l{layer}.aln"), &mut rows);
            let mut inner = self.linear(&format!("l{layer}.fi"), &rows);
            inner.iter_mut().flatten().for_each(|x| *x = gelu(*x));
            let outer = self.linear(&format!("l{layer}.fo"), &inner);
            rows.iter_mut()
                .zip(&outer)
                .for_each(|(row, more)| add(row, more));
            self.norm(&format!("l{layer}.oln"), &mut rows);
        }
        let mut mean = vec![0.0; hidden];
        rows.iter().for_each(|row| add(&mut mean, row));
        let length = dot(&mean, &mean).sqrt();
        mean.iter().map(|x| x / length).collect()
    }
}

pub fn dot(left: &[f32], right: &[f32]) -> f32 {
    left.iter().zip(right).map(|(a, b)| a * b).sum()
}

fn add(row: &mut [f32], more: &[f32]) {
    row.iter_mut().zip(more).for_each(|(x, more)| *x += more);
}

/// With erf as the sum of its Taylor series, in double precision.
fn gelu(x: f32) -> f32 {
    let z = f64::from(x) / std::f64::consts::SQRT_2;
    if z.abs() > 4.0 {
        return x.max(0.0);
    }
    let (mut term, mut sum) = (z, z);
    for n in 1..80 {
        let n = f64::from(n);
        term *= -z * z / n;
        sum += term / (2.0 * n + 1.0);
    }
    let erf = sum * 2.0 / std::f64::consts::PI.sqrt();
    (f64::from(x) * 0.5 * (1.0 + erf)) as f32
}
