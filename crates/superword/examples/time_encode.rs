//! Measures encoding with a saved model on one thread, in processor time: the first pass over each
//! text with empty caches, and later passes. The documents of a file are separated by NUL bytes, or
//! by line breaks if there are none:
//! `cargo run --release --example time_encode MODEL ROUNDS FILE...`.
//!
//! The last number of each line is a hash of all ids, so that two versions can be compared.

use std::sync::Arc;
use std::time::{Duration, Instant};

use superword::encode::Encoder;
use superword::model::Model;

/// Warm passes after each first one.
const WARM: usize = 2;

#[allow(clippy::print_stdout)] // a command-line tool
fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [model, rounds, files @ ..] = &arguments[..] else {
        return Err("give a model, a number of rounds and text files".into());
    };
    let rounds: usize = rounds.parse()?;
    let encoder = Encoder::new(Arc::new(Model::load(model)?))?;
    for file in files {
        let text = std::fs::read_to_string(file)?;
        let separator = if text.contains('\0') { '\0' } else { '\n' };
        let mut ids = Vec::new();
        let mut best = [Duration::MAX; 2];
        let mut hash = 0;
        for round in 0..rounds {
            encoder.clear_cache();
            for pass in 0..=WARM {
                let start = processor_time();
                for document in text.split_inclusive(separator) {
                    ids.clear();
                    encoder.encode_ordinary(document, &mut ids)?;
                    if round + 1 == rounds && pass == WARM {
                        hash = ids.iter().fold(hash, with_id);
                    }
                }
                let best = &mut best[pass.min(1)];
                // The last pass also hashes.
                if round + pass == 0 || round + 1 < rounds || pass < WARM {
                    *best = (*best).min(processor_time().saturating_sub(start));
                }
            }
        }
        let [first, warm] = best.map(|best| text.len() as f64 / best.as_secs_f64() / 1e6);
        println!("{file}: first {first:.1} MB/s, warm {warm:.1} MB/s, ids {hash:016x}");
    }
    Ok(())
}

fn with_id(hash: u64, &id: &u32) -> u64 {
    let hash = (hash ^ u64::from(id)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    hash ^ hash >> 29
}

/// The processor time of this thread where the system tells, and otherwise the time of a clock.
fn processor_time() -> Duration {
    static START: std::sync::OnceLock<Instant> = std::sync::OnceLock::new();
    let start = START.get_or_init(Instant::now);
    std::fs::read_to_string("/proc/thread-self/schedstat")
        .ok()
        .and_then(|times| Some(Duration::from_nanos(times.split(' ').next()?.parse().ok()?)))
        .unwrap_or_else(|| start.elapsed())
}
