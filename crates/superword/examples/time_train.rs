//! Measures whole training runs in the engine:
//! `cargo run --release --example time_train METHOD SIZE THREADS FILE...`.

use std::time::Instant;

use superword::corpus::{ReadOptions, Source};
use superword::observe::Silent;
use superword::train::{Resources, train};
use superword::{Method, Pretokenizer, PretokenizerConfig, TrainOptions};

#[allow(clippy::print_stdout)] // a command-line tool
fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [method, size, threads, files @ ..] = &arguments[..] else {
        return Err("give a method, a vocabulary size, threads, and files".into());
    };
    let method = match method.as_str() {
        "bpe" => Method::Bpe,
        "boundless" => Method::Boundless,
        "superbpe" => Method::SuperBpe,
        _ => return Err("the method is bpe, boundless or superbpe".into()),
    };
    let mut options = TrainOptions::new(method, size.parse()?);
    if method == Method::SuperBpe {
        options.supermerges = options.vocab_size / 4;
    }
    let read = ReadOptions {
        threads: threads.parse()?,
        ..ReadOptions::default()
    };
    let sources = files
        .iter()
        .map(|file| Source::from_path(file, None))
        .collect::<Result<Vec<_>, _>>()?;
    let pretokenizer = Pretokenizer::new(PretokenizerConfig::default())?;
    let resources = Resources::default();
    let start = Instant::now();
    let (model, report) = train(
        &sources,
        &read,
        &pretokenizer,
        &options,
        &resources,
        &Silent,
    )?;
    let wall = start.elapsed();
    let sum = model.to_bytes().iter().fold(0u64, |sum, &byte| {
        sum.wrapping_mul(31).wrapping_add(byte.into())
    });
    for phase in &report.times {
        println!("{:>12} {:.2?}", phase.phase.name(), phase.time);
    }
    println!(
        "{:>12} {wall:.2?}, {:.2} s of CPU time, {} MB at the peak, {} distinct pretokens, {} candidates, check {sum:x}",
        "whole",
        cpu_seconds(),
        peak_kilobytes() / 1000,
        report.text.unique_pretokens,
        report.unique_candidates,
    );
    Ok(())
}

/// The CPU time of this process in seconds, on Linux.
fn cpu_seconds() -> f64 {
    let text = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields: Vec<&str> = text.rsplit(')').next().unwrap_or("").split(' ').collect();
    let ticks = |at: usize| fields.get(at).and_then(|field| field.parse::<f64>().ok());
    (ticks(12).unwrap_or(0.0) + ticks(13).unwrap_or(0.0)) / 100.0
}

/// The largest amount of memory that this process has used, on Linux.
fn peak_kilobytes() -> u64 {
    let text = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = text.lines().find(|line| line.starts_with("VmHWM:"));
    let number = line.and_then(|line| line.split_whitespace().nth(1)?.parse().ok());
    number.unwrap_or(0)
}
