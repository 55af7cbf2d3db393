//! Measures encoding with a saved model on one thread. The texts of the file are separated by NUL
//! bytes, or by line breaks if there are none:
//! `cargo run --release --example time_encode MODEL FILE [CACHE_BYTES]`.

use std::sync::Arc;
use std::time::Instant;

use superword::encode::Encoder;
use superword::model::Model;

#[allow(clippy::print_stdout)] // a command-line tool
fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [model, file, cache_bytes @ ..] = &arguments[..] else {
        return Err("give a model and a text file".into());
    };
    let start = Instant::now();
    let model = Arc::new(Model::load(model)?);
    let loaded = start.elapsed();
    let encoder = Encoder::new(model)?;
    println!("load {loaded:?}, prepare {:?}", start.elapsed() - loaded);
    if let [bytes] = cache_bytes {
        encoder.set_cache_bytes(bytes.parse()?);
    }
    let text = std::fs::read_to_string(file)?;
    let separator = if text.contains('\0') { '\0' } else { '\n' };
    let mut ids = Vec::new();
    for pass in ["first", "second", "third"] {
        let start = Instant::now();
        let mut tokens = 0;
        for line in text.split_inclusive(separator) {
            ids.clear();
            encoder.encode_ordinary(line, &mut ids)?;
            tokens += ids.len();
        }
        let seconds = start.elapsed().as_secs_f64();
        let rate = text.len() as f64 / seconds / 1e6;
        println!("{pass} pass: {rate:.1} MB/s, {tokens} tokens");
    }
    Ok(())
}
