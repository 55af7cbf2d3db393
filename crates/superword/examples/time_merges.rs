//! Measures the learning of phase 1 alone, several times with the same counts:
//! `cargo run --release --example time_merges SIZE THREADS ROUNDS FILE...`.

use std::time::Instant;

use superword::corpus::{ReadOptions, Source};
use superword::model::{Event, Facts, Method};
use superword::observe::Silent;
use superword::text::{Pretokenizer, PretokenizerConfig};
use superword::train::{Text, TrainOptions, count_pretokens, train_words};

#[allow(clippy::print_stdout)] // a command-line tool
fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [size, threads, rounds, files @ ..] = &arguments[..] else {
        return Err("give a vocabulary size, threads, rounds, and files".into());
    };
    let (size, threads, rounds): (usize, usize, usize) =
        (size.parse()?, threads.parse()?, rounds.parse()?);
    let sources = files
        .iter()
        .map(|file| Source::from_path(file, None))
        .collect::<Result<Vec<_>, _>>()?;
    let read = ReadOptions {
        threads,
        ..ReadOptions::default()
    };
    let start = Instant::now();
    let pretokenizer =
        Pretokenizer::new(PretokenizerConfig::preset("gpt4o").ok_or("no such preset")?)?;
    let text = Text {
        sources: &sources,
        read: &read,
        sample: None,
        max_memory: None,
    };
    let counted = count_pretokens(&text, &pretokenizer, false, &Silent)?;
    println!(
        "count {:?}, {} distinct pretokens",
        start.elapsed(),
        counted.counts.len()
    );
    let options = TrainOptions::new(Method::Bpe, size);
    for _ in 0..rounds {
        let (start, cpu) = (Instant::now(), cpu_ms());
        let facts = Facts::new();
        let learn = train_words(
            &counted.counts,
            &pretokenizer,
            &options,
            facts,
            threads,
            &Silent,
        );
        let (model, _) = learn?;
        let seconds = start.elapsed();
        let events = &model.parts().events;
        let sum = events.iter().fold(0u64, |sum, event| match event {
            Event::Merge { count, .. } => sum.wrapping_mul(31).wrapping_add(*count),
            _ => sum,
        });
        println!(
            "merge {seconds:?}, {:.0} ms of CPU time, {} steps, check {sum:x}",
            cpu_ms() - cpu,
            events.len()
        );
    }
    Ok(())
}

/// The CPU time of this thread in milliseconds, on Linux. On a busy machine this is a better measure
/// than elapsed time.
fn cpu_ms() -> f64 {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let nanoseconds = text.split(' ').next().and_then(|word| word.parse().ok());
    nanoseconds.unwrap_or(0.0) / 1e6
}
