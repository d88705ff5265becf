use std::time::{Duration, Instant};

use super::made::{SMALL, Sizes, Temporary, make, words};
use super::plain::{Plain, dot};
use crate::model::fault::Fault;
use crate::model::stop::Stop;
use crate::model::{MOST_BYTES, Model};

const TEXTS: [&str; 6] = [
    "",
    "a",
    "cab",
    "the quick brown fox",
    "中 zebra 中 \u{1f600}",
    "a text that is much longer than the window of the small model can hold",
];

fn open(sizes: Sizes, threads: usize) -> Model {
    let made = make(sizes, &words(), &Vec::new());
    let file = Temporary::new(&made.bytes);
    Model::open(&file.0, threads).expect("opening a made model")
}

fn embed(model: &Model, texts: &[&str]) -> Vec<Vec<f32>> {
    let mut out = vec![0.0; texts.len() * model.dims()];
    model
        .embed(texts, &mut out, &Stop::default())
        .expect("embedding");
    out.chunks_exact(model.dims())
        .map(<[f32]>::to_vec)
        .collect()
}

#[test]
fn vectors_are_those_of_the_plain_network() {
    let wide = Sizes {
        hidden: 96,
        layers: 3,
        heads: 3,
        inner: 1120, // more than one block of depth in the kernels
        positions: 40,
    };
    for sizes in [SMALL, wide] {
        let made = make(sizes, &words(), &Vec::new());
        let file = Temporary::new(&made.bytes);
        let model = Model::open(&file.0, 1).expect("opening a made model");
        let plain = Plain { made: &made, sizes };
        for (text, got) in TEXTS.iter().zip(embed(&model, &TEXTS)) {
            let want = plain.embed(&model.ids(text));
            let cosine = dot(&got, &want);
            assert!(cosine > 0.997, "{text:?}: {cosine}");
            assert!((dot(&got, &got) - 1.0).abs() < 1e-5);
        }
    }
}

#[test]
fn batches_and_threads_change_nothing() {
    let (one, two) = (open(SMALL, 1), open(SMALL, 2));
    let many: Vec<&str> = TEXTS.iter().cycle().copied().take(100).collect();
    let together = embed(&one, &many);
    for (text, want) in TEXTS.iter().zip(&together) {
        assert_eq!(&embed(&one, &[text])[0], want, "{text:?}");
    }
    assert_eq!(embed(&two, &many), together);
    assert!(embed(&one, &[]).is_empty());
}

#[test]
fn long_texts_are_cut_at_the_window() {
    let model = open(SMALL, 1);
    let long = "ab ".repeat(40_000);
    let ids = model.ids(&long);
    assert_eq!(ids.len(), SMALL.positions);
    assert_eq!((ids[0], ids[SMALL.positions - 1]), (0, 2));
    assert_eq!(model.count_tokens("ab ab"), Ok(2 + 4));
    assert!(model.count_tokens(&long).is_ok_and(|count| count > 40_000));
    let vast = " ".repeat(MOST_BYTES + 1);
    assert!(matches!(model.count_tokens(&vast), Err(Fault::Invalid(_))));
    assert_eq!(model.ids(&vast).len(), 3);
}

#[test]
fn work_stops_when_it_is_told_to() {
    let model = open(SMALL, 1);
    let mut out = vec![0.0; model.dims()];
    let late = Stop {
        deadline: Some(Instant::now()),
        ..Stop::default()
    };
    assert_eq!(model.embed(&["a"], &mut out, &late), Err(Fault::Timeout));
    let raised = Stop::default();
    raised
        .cancelled
        .store(true, std::sync::atomic::Ordering::Relaxed);
    assert_eq!(
        model.embed(&["a"], &mut out, &raised),
        Err(Fault::Cancelled)
    );
    let ample = Stop {
        deadline: Some(Instant::now() + Duration::from_secs(3600)),
        ..Stop::default()
    };
    assert_eq!(model.embed(&["a"], &mut out, &ample), Ok(()));
    let wrong = model.embed(&["a", "b"], &mut out, &ample);
    assert!(matches!(wrong, Err(Fault::Invalid(_))));
}
