//! Token ids as an independent implementation of the tokenizer gives them for the
//! real vocabulary. golden.tsv holds every piece that occurs in the texts.

use std::collections::HashMap;

use super::made::{Rules, SMALL, Sizes, Temporary, Words, make};
use crate::model::Model;

const GOLDEN: &str = include_str!("golden.tsv");

struct Golden {
    words: Words,
    /// The real id of each piece.
    ids: Vec<u32>,
    rules: Rules,
    texts: Vec<(String, Vec<u32>)>,
}

fn read() -> Golden {
    let mut golden = Golden {
        words: Vec::new(),
        ids: Vec::new(),
        rules: Vec::new(),
        texts: Vec::new(),
    };
    for line in GOLDEN.lines() {
        let fields: Vec<&str> = line.split('\t').collect();
        match fields[..] {
            ["piece", id, score, text] => {
                golden.ids.push(id.parse().unwrap());
                golden.words.push((text.into(), score.parse().unwrap()));
            }
            ["rule", point, ref replacement @ ..] => {
                let hex = |text: &str| u32::from_str_radix(text, 16).unwrap();
                let words = replacement.iter().flat_map(|text| text.split_whitespace());
                golden.rules.push((hex(point), words.map(hex).collect()));
            }
            ["text", ids, text] => {
                let ids = ids.split(' ').map(|id| id.parse().unwrap()).collect();
                let text = text.replace("\\t", "\t").replace("\\n", "\n");
                golden.texts.push((text, ids));
            }
            _ => panic!("golden.tsv has the line {line:?}"),
        }
    }
    golden
}

fn open(golden: &Golden) -> Model {
    let sizes = Sizes { layers: 1, ..SMALL };
    let made = make(sizes, &golden.words, &golden.rules);
    let file = Temporary::new(&made.bytes);
    Model::open(&file.0, 1).expect("opening a made model")
}

#[test]
fn token_ids_are_those_of_the_reference() {
    let golden = read();
    let model = open(&golden);
    for (text, want) in &golden.texts {
        let got: Vec<u32> = model
            .ids(text)
            .iter()
            .map(|id| golden.ids[*id as usize])
            .collect();
        assert_eq!(&got, want, "{text:?}");
        assert_eq!(model.count_tokens(text), Ok(want.len()), "{text:?}");
    }
}

#[test]
fn marks_spelled_in_a_text_are_only_text() {
    let golden = read();
    let model = open(&golden);
    let ids = model.ids("</s><s> <unk>");
    let marks: HashMap<u32, usize> = ids.iter().fold(HashMap::new(), |mut counts, id| {
        *counts.entry(*id).or_default() += 1;
        counts
    });
    assert_eq!((marks.get(&0), marks.get(&2)), (Some(&1), Some(&1)));
}

#[test]
fn hostile_texts_cost_little() {
    let model = open(&read());
    for unit in [
        " ",
        "a",
        "\u{301}",
        "\0",
        "\u{1f600}",
        "\u{fdfa}",
        "😀\u{200d}",
        "▁",
    ] {
        let text = unit.repeat((1 << 20) / unit.len());
        assert!(model.ids(&text).len() <= SMALL.positions, "{unit:?}");
        assert!(model.count_tokens(&text).is_ok(), "{unit:?}");
    }
}
