//! Measures encoding a file into shards with a saved model:
//! `cargo run --release --example time_files MODEL FILE THREADS [DIRECTORY]`.
//!
//! The shards go to a new directory in DIRECTORY, `/dev/shm` if it is not given, and are removed
//! again. Each run is a new process, so every run starts with empty caches. The last number is a
//! checksum of all shards, which must be the same for any number of threads.

use std::hash::{DefaultHasher, Hasher};
use std::io;
use std::path::{Path, PathBuf};
use std::time::Instant;

use superword::corpus::{OnError, Source};
use superword::encode::shards::{
    Begun, InputRecord, Recipe, ShardFormat, ShardRun, Table, Tables, packed_bits,
};
use superword::observe::Silent;
use superword::{Encoder, Model};

struct NoTables;

impl Tables for NoTables {
    fn create(&self, _: &Path) -> io::Result<Box<dyn Table>> {
        Err(io::ErrorKind::Unsupported.into())
    }
}

#[allow(clippy::print_stdout)] // a command-line tool
fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [model, file, threads, directory @ ..] = &arguments[..] else {
        return Err("give a model, a file and a number of threads".into());
    };
    let directory = directory.first().map_or("/dev/shm", |given| given);
    let format = std::env::var("SHARD_FORMAT").unwrap_or("npy".into());
    let format = ShardFormat::from_name(&format).ok_or("no such format")?;
    let encoder = Encoder::new(Model::load(model)?)?;
    encoder.encode("a")?;
    // From now on the file is read from memory.
    io::copy(&mut std::fs::File::open(file)?, &mut io::sink())?;
    let size = std::fs::metadata(file)?.len();

    let n_vocab = encoder.model().n_vocab() as u64;
    let name = format!("superword-time-files-{}", std::process::id());
    let output = PathBuf::from(directory).join(name);
    let sources = [Source::from_path(file, None)?];
    let (cpu, start) = (cpu_seconds(), Instant::now());
    let recipe = Recipe {
        model_sha256: "0".repeat(64),
        n_vocab,
        format,
        dtype: format.dtypes(n_vocab)[0],
        eot_token: None,
        shard_size: 100_000_000,
        text_field: "text".into(),
        on_error: OnError::Stop,
        inputs: vec![InputRecord::file(Path::new(file), None)],
    };
    let Begun::Open(run) = ShardRun::begin(&output, recipe, false)? else {
        return Err("the directory is not empty".into());
    };
    let report = encoder.encode_files(&sources, threads.parse()?, &run, &NoTables, &Silent)?;
    let (wall, cpu) = (start.elapsed().as_secs_f64(), cpu_seconds() - cpu);
    drop(run);

    let mut check = DefaultHasher::new();
    let names = report.shards.iter().flat_map(|shard| &shard.files);
    for shard in names {
        check.write(&std::fs::read(output.join(&shard.name))?);
    }
    std::fs::remove_dir_all(&output)?;
    println!(
        "{threads:>2} threads: {wall:.3} s, {:.0} MB/s, {cpu:.2} s of CPU time, {} tokens of {} bits, check {:016x}",
        size as f64 / wall / 1e6,
        report.shards.iter().map(|shard| shard.tokens).sum::<u64>(),
        packed_bits(n_vocab),
        check.finish(),
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
