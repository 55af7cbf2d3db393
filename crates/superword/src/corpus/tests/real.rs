//! Real text, if available: `SUPERWORD_CORPUS`, or `shared/corpus` beside the project.

use std::path::PathBuf;

use super::*;

fn corpus() -> Option<PathBuf> {
    let beside = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus");
    let path = std::env::var_os("SUPERWORD_CORPUS").map_or(beside, PathBuf::from);
    if !path.is_dir() {
        let _ = writeln!(
            std::io::stderr(),
            "skipped: no real text at {}",
            path.display()
        );
        return None;
    }
    Some(path)
}

#[test]
fn real_files_read_as_serde_json_reads_them() {
    let Some(corpus) = corpus() else { return };
    for name in ["zh", "ar", "en", "udhr-all"] {
        let path = corpus.join(format!("multi/{name}.jsonl.zst"));
        let Ok(file) = std::fs::File::open(&path) else {
            continue;
        };
        let text = std::io::read_to_string(::zstd::Decoder::new(file).unwrap()).unwrap();
        let mut expected: Vec<String> = text
            .lines()
            .map(|line| {
                serde_json::from_str::<serde_json::Value>(line).unwrap()["text"]
                    .as_str()
                    .unwrap()
                    .into()
            })
            .collect();
        expected.sort();
        let source = Source::from_path(&path, None).unwrap();
        let options = ReadOptions {
            threads: 2,
            block_size: 100_000,
            ..ReadOptions::default()
        };
        let (documents, report) = read(&[source], &options).unwrap();
        assert!(documents == expected, "{name}: documents differ");
        assert_eq!(
            report.per_source[0].raw_bytes,
            std::fs::metadata(&path).unwrap().len()
        );
    }
}

/// `cargo test --release -p superword reading_speed -- --ignored --nocapture`
#[test]
#[ignore = "takes time: run it by name"]
fn reading_speed() {
    struct Nothing;
    impl DocumentSink for Nothing {
        type Error = Infallible;
        fn document(&mut self, text: &str) -> Result<(), Infallible> {
            std::hint::black_box(text.len());
            Ok(())
        }
    }
    let Some(corpus) = corpus() else { return };
    let path = corpus.join("en-1.jsonl.zst");
    let packed = Source::from_path(&path, None).unwrap();
    let plain =
        std::io::read_to_string(::zstd::Decoder::new(std::fs::File::open(&path).unwrap()).unwrap())
            .unwrap()
            .into_bytes();
    let sources = [
        ("plain", memory(&plain, Format::Jsonl)),
        ("zstd", packed),
        ("gzip", memory(&gzip(&plain), Format::Jsonl)),
    ];
    let mut stderr = std::io::stderr();
    for (name, source) in &sources {
        for threads in [1, 2] {
            let options = ReadOptions {
                threads,
                ..ReadOptions::default()
            };
            let start = std::time::Instant::now();
            let (_, report) = read_parallel(
                std::slice::from_ref(source),
                &options,
                Phase::Count,
                &Silent,
                |_| Nothing,
            )
            .unwrap();
            let rate = report.bytes as f64 / start.elapsed().as_secs_f64() / 1e6;
            let _ = writeln!(stderr, "{name}, {threads} threads: {rate:.0} MB/s of text");
        }
    }
}
