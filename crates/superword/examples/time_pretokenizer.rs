//! Measures each preset on the text of a file, on one thread, and reports the best of fifteen runs:
//! `cargo run --release -p superword --example time_pretokenizer -- FILE [generic]`.
#![allow(clippy::print_stdout)]

use std::error::Error;
use std::time::Instant;

use superword::internal::generic_pretokenizer;
use superword::text::{PRESETS, Pretokenizer, PretokenizerConfig};

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let text = std::fs::read_to_string(arguments.next().ok_or("name a file")?)?;
    let generic = arguments.next().is_some();
    for name in PRESETS {
        let config = PretokenizerConfig::preset(name).ok_or("a preset")?;
        let pretokenizer = match generic {
            true => generic_pretokenizer(config)?,
            false => Pretokenizer::new(config)?,
        };
        let mut best = f64::INFINITY;
        let mut count = 0u64;
        let mut check = 0;
        for _ in 0..15 {
            (count, check) = (0, 0);
            let start = Instant::now();
            pretokenizer.for_each(&text, |start, end| {
                count += 1;
                check ^= end - start;
            })?;
            best = best.min(start.elapsed().as_secs_f64());
        }
        let per_byte = best * 1e9 / text.len() as f64;
        println!("{name:14} {per_byte:6.2} ns per byte, {count} pretokens (check {check})");
    }
    Ok(())
}
