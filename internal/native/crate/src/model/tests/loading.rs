use std::path::Path;

use super::made::{Made, Noise, SMALL, Temporary, make, words};
use crate::model::Model;
use crate::model::fault::Fault;
use crate::model::stop::Stop;

fn made() -> Made {
    make(SMALL, &words(), &vec![(0x41, vec![0x61])])
}

/// Opens these bytes as a model and uses it if it opens.
fn try_bytes(bytes: &[u8]) -> Result<Vec<f32>, Fault> {
    let file = Temporary::new(bytes);
    let model = Model::open(&file.0, 1)?;
    let mut out = vec![0.0; model.dims()];
    model.embed(&["A word 中"], &mut out, &Stop::default())?;
    Ok(out)
}

#[test]
fn the_whole_file_opens() {
    let vector = try_bytes(&made().bytes).expect("the file is whole");
    assert!(vector.iter().all(|value| value.is_finite()));
}

#[test]
fn a_file_cut_anywhere_is_damaged() {
    let bytes = made().bytes;
    let step = bytes.len() / 300;
    for len in (0..200).chain((200..bytes.len()).step_by(step)) {
        let got = try_bytes(&bytes[..len]);
        assert!(
            matches!(got, Err(Fault::Corrupt(_) | Fault::Io(_))),
            "cut at {len}: {got:?}"
        );
    }
}

#[test]
fn damage_never_panics() {
    let bytes = made().bytes;
    let directory = bytes.len() - 4096;
    let mut noise = Noise(7);
    for round in 0..1500 {
        let mut bytes = bytes.clone();
        for _ in 0..=round % 3 {
            // Mostly where the sizes and offsets are.
            let reach = if round % 4 == 0 { directory } else { 1400 };
            let at = noise.next() as usize % reach;
            bytes[at] = [0, 1, 0x7f, 0x80, 0xff, noise.next() as u8][noise.next() as usize % 6];
        }
        if let Ok(vector) = try_bytes(&bytes) {
            assert!(vector.iter().all(|value| value.is_finite()));
        }
    }
}

#[test]
fn faults_say_what_to_do() {
    let missing = Model::open(Path::new("/nonexistent/model"), 1).err();
    let Some(Fault::NotFound(text)) = missing else {
        panic!("{missing:?}");
    };
    assert!(text.contains("/nonexistent/model") && text.contains("install"));
    let file = Temporary::new(&made().bytes);
    for threads in [0, 65] {
        let refused = Model::open(&file.0, threads).err();
        assert!(matches!(refused, Some(Fault::Invalid(_))), "{refused:?}");
    }
    let Err(Fault::Corrupt(text)) = try_bytes(b"GGUF and more") else {
        panic!("a foreign file was opened");
    };
    assert!(
        text.starts_with("open the model /") && text.ends_with("install it again"),
        "{text}"
    );
}
