//! Trains on files with progress, saves the model and loads it again:
//! `cargo run --example files [FILE...]`. Without arguments, it trains on a small file that it writes.
#![allow(clippy::print_stdout)]

use std::error::Error;
use std::path::PathBuf;
use std::sync::Mutex;

use superword::corpus::{ReadOptions, Source};
use superword::observe::{Observer, Phase};
use superword::train::{Resources, train};
use superword::{Encoder, Method, Model, Pretokenizer, PretokenizerConfig, TrainOptions};

/// Prints when a phase begins. The engine calls it from many threads.
#[derive(Default)]
struct Progress(Mutex<Option<Phase>>);

impl Observer for Progress {
    fn progress(&self, phase: Phase, _done: u64, total: Option<u64>) {
        let Ok(mut last) = self.0.lock() else { return };
        if last.replace(phase) != Some(phase) {
            let total = total.map_or("?".into(), |total| total.to_string());
            println!("{}: {total} {}", phase.name(), phase.unit());
        }
    }

    fn stop_requested(&self) -> bool {
        false
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let directory = std::env::temp_dir().join(format!("superword-example-{}", std::process::id()));
    std::fs::create_dir_all(&directory)?;
    let mut files: Vec<PathBuf> = std::env::args_os().skip(1).map(Into::into).collect();
    if files.is_empty() {
        let file = directory.join("corpus.jsonl");
        let line = r#"{"text": "Some of the words are at the end of the line."}"#;
        std::fs::write(&file, [line; 20].join("\n"))?;
        files.push(file);
    }
    let sources = files
        .iter()
        .map(|file| Source::from_path(file, None))
        .collect::<Result<Vec<_>, _>>()?;

    let pretokenizer = Pretokenizer::new(PretokenizerConfig::default())?;
    let options = TrainOptions::new(Method::Boundless, 280);
    let (model, report) = train(
        &sources,
        &ReadOptions::default(),
        &pretokenizer,
        &options,
        &Resources::default(),
        &Progress::default(),
    )?;
    println!(
        "{} documents, {} bytes",
        report.text.read.documents, report.text.read.bytes
    );

    let path = directory.join("my.superword");
    model.save(&path)?;
    let encoder = Encoder::new(Model::load(&path)?)?;
    println!("{:?}", encoder.encode("the end of the line")?);
    std::fs::remove_dir_all(&directory)?;
    Ok(())
}
