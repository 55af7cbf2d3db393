//! A sample depends on the texts and the seed only, and never exceeds its size.

use super::*;

fn corpus(random: &mut Random, count: usize) -> Vec<String> {
    (0..count)
        .map(|number| format!("{number} {}", "word ".repeat(random.index(20) + 1)))
        .collect()
}

fn as_sources(texts: &[String], files: usize) -> Vec<Source> {
    texts
        .chunks(texts.len().div_ceil(files))
        .enumerate()
        .map(|(index, texts)| {
            let text = texts.join("\n");
            let bytes = if index % 2 == 0 {
                zstd(text.as_bytes())
            } else {
                text.into_bytes()
            };
            Source::memory(index.to_string(), bytes, Format::Lines)
        })
        .collect()
}

fn draw(sources: &[Source], sample: Sample, threads: usize) -> (Vec<String>, SamplePlan) {
    let options = ReadOptions {
        threads,
        block_size: 500,
        ..ReadOptions::default()
    };
    let plan = plan_sample(sources, &options, sample, &Silent).unwrap();
    let options = ReadOptions {
        sample: Some(plan.clone()),
        ..options
    };
    let (documents, report) = read(sources, &options).unwrap();
    assert_eq!(report.bytes, plan.bytes());
    (documents, plan)
}

#[test]
fn threads_files_and_order_do_not_matter() {
    let mut random = Random(21);
    let mut texts = corpus(&mut random, 2_000);
    let total: u64 = texts.iter().map(|text| text.len() as u64).sum();
    for seed in 0..4 {
        let sample = Sample {
            max_bytes: total / 10,
            seed,
        };
        let (expected, plan) = draw(&as_sources(&texts, 1), sample, 1);
        assert!(
            plan.bytes() <= sample.max_bytes && plan.bytes() + 20 > sample.max_bytes,
            "{plan:?}"
        );
        assert_eq!(
            (plan.corpus_bytes(), plan.corpus_documents()),
            (total, 2_000)
        );
        for (files, threads) in [(1, 8), (7, 1), (20, 2)] {
            for i in (1..texts.len()).rev() {
                texts.swap(i, random.index(i + 1));
            }
            assert_eq!(
                draw(&as_sources(&texts, files), sample, threads).0,
                expected
            );
        }
    }
}

#[test]
fn the_sample_comes_from_everywhere_and_follows_the_seed() {
    let texts = corpus(&mut Random(22), 4_000);
    let sources = as_sources(&texts, 4);
    let one = draw(
        &sources,
        Sample {
            max_bytes: 40_000,
            seed: 1,
        },
        2,
    )
    .0;
    let two = draw(
        &sources,
        Sample {
            max_bytes: 40_000,
            seed: 2,
        },
        2,
    )
    .0;
    assert_ne!(one, two);
    for quarter in 0..4 {
        let numbers = quarter * 1_000..(quarter + 1) * 1_000;
        let drawn = one
            .iter()
            .filter(|text| {
                numbers.contains(&text.split(' ').next().unwrap().parse::<usize>().unwrap())
            })
            .count();
        assert!(
            drawn * 8 > one.len(),
            "only {drawn} of {} from quarter {quarter}",
            one.len()
        );
    }
}

#[test]
fn everything_is_drawn_if_it_fits() {
    let texts = corpus(&mut Random(23), 100);
    let total: u64 = texts.iter().map(|text| text.len() as u64).sum();
    let (documents, plan) = draw(
        &as_sources(&texts, 2),
        Sample {
            max_bytes: total,
            seed: 9,
        },
        2,
    );
    assert_eq!((documents.len(), plan.bytes()), (100, total));
}

#[test]
fn one_giant_document_does_not_crowd_out_the_rest() {
    let mut texts = corpus(&mut Random(24), 500);
    texts.push("giant ".repeat(100_000));
    for seed in 0..5 {
        let (documents, plan) = draw(
            &as_sources(&texts, 1),
            Sample {
                max_bytes: 10_000,
                seed,
            },
            2,
        );
        assert!(plan.bytes() > 9_900 && documents.len() > 50, "{plan:?}");
    }
}

#[test]
fn a_sample_smaller_than_every_document_is_an_error() {
    let source = memory(b"twelve bytes\nthirteen bytes\n", Format::Lines);
    let sample = Sample {
        max_bytes: 11,
        seed: 0,
    };
    let error = plan_sample(&[source], &ReadOptions::default(), sample, &Silent).unwrap_err();
    assert_eq!(
        error,
        CorpusError::SampleTooSmall {
            max_bytes: 11,
            documents: 2,
            smallest: 12
        }
        .into()
    );
}

#[test]
fn bad_lines_and_stops_end_the_planning_too() {
    let source = memory(b"{}", Format::Jsonl);
    let sample = Sample {
        max_bytes: 11,
        seed: 0,
    };
    let error = plan_sample(&[source], &ReadOptions::default(), sample, &Silent).unwrap_err();
    assert!(matches!(
        error,
        ReadError::Corpus(CorpusError::FieldMissing { .. })
    ));
}

/// Plans a sample of two groups, `light` of weight 1 and `heavy` of the given weight.
fn plan_weighted(light: &[String], heavy: &[String], weight: f64, max_bytes: u64) -> SamplePlan {
    let sources = [as_sources(light, 1), as_sources(heavy, 1)].concat();
    let groups = vec![("light".to_owned(), 1.0), ("heavy".to_owned(), weight)];
    let options = ReadOptions {
        threads: 2,
        groups: Groups::new(groups, vec![0, 1]),
        ..ReadOptions::default()
    };
    let sample = Sample { max_bytes, seed: 5 };
    plan_sample(&sources, &options, sample, &Silent).unwrap()
}

#[test]
fn a_sample_is_drawn_before_weights_apply() {
    let texts = corpus(&mut Random(25), 1_000);
    let (light, heavy) = texts.split_at(500);
    let expected = plan_weighted(light, heavy, 1.0, 10_000);
    assert!(expected.bytes() > 9_900, "{expected:?}");
    for weight in [0.25, 2.0, 2.5, 1e6] {
        assert_eq!(plan_weighted(light, heavy, weight, 10_000), expected);
    }
}

#[test]
fn documents_of_weight_zero_take_no_room_in_a_sample() {
    let texts = corpus(&mut Random(26), 1_000);
    let (light, heavy) = texts.split_at(500);
    let plan = plan_weighted(light, heavy, 0.0, 10_000);
    assert_eq!(plan.corpus_documents(), 500);
    let drawn = light.iter().filter(|text| plan.contains(text));
    let bytes: usize = drawn.map(|text| text.len()).sum();
    assert_eq!(bytes as u64, plan.bytes());
}

/// What a pass reads, by source.
type Read = (Vec<(usize, String, u64)>, ReadReport);

#[derive(Default)]
struct BySource(usize, Vec<(usize, String, u64)>);

impl DocumentSink for BySource {
    type Error = Infallible;

    fn source(&mut self, source: usize) {
        self.0 = source;
    }

    fn document(&mut self, text: &str) -> Result<(), Infallible> {
        self.document_times(text, 1)
    }

    fn document_times(&mut self, text: &str, times: u64) -> Result<(), Infallible> {
        self.1.push((self.0, text.to_owned(), times));
        Ok(())
    }
}

fn sorted(sinks: Vec<BySource>, report: ReadReport) -> Read {
    let mut documents: Vec<_> = sinks.into_iter().flat_map(|sink| sink.1).collect();
    documents.sort();
    (documents, report)
}

/// The documents of a sample, read from the sources and from what was kept.
fn read_both_ways(
    sources: &[Source],
    options: &ReadOptions,
    sample: Sample,
) -> (Read, Option<Read>) {
    let directory = tempfile::tempdir().unwrap();
    let drawn = draw_sample(sources, options, sample, directory.path(), &Silent).unwrap();
    assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 0);
    let plan = plan_sample(sources, options, sample, &Silent).unwrap();
    assert_eq!(drawn.plan, plan);
    let with_plan = ReadOptions {
        sample: Some(plan),
        ..options.clone()
    };
    let read = read_parallel(sources, &with_plan, Phase::Count, &Silent, |_| {
        BySource::default()
    });
    let (sinks, report) = read.unwrap();
    assert_eq!(drawn.report.skipped, report.skipped);
    assert_eq!(drawn.report.first_skips, report.first_skips);
    let wanted = sorted(sinks, report);
    let got = drawn.texts.map(|texts| {
        let (all, count) = (0..texts.chunks().len(), sources.len());
        let make = |_| BySource::default();
        let read = read_texts(&texts, all, count, options, Phase::Count, &Silent, make);
        let (sinks, mut report) = read.unwrap();
        // What is skipped is known from drawing the sample.
        report.skipped = wanted.1.skipped;
        report.first_skips.clone_from(&wanted.1.first_skips);
        for (got, wanted) in report.per_source.iter_mut().zip(&wanted.1.per_source) {
            (got.skipped, got.raw_bytes) = (wanted.skipped, wanted.raw_bytes);
        }
        sorted(sinks, report)
    });
    (wanted, got)
}

#[test]
fn what_is_kept_of_a_sample_is_the_sample() {
    let mut random = Random(31);
    let texts = corpus(&mut random, 2_000);
    let mut sources = as_sources(&texts, 4);
    let damaged = b"good one\n\xff\n\nanother good one\n";
    sources.push(Source::memory("damaged", *damaged, Format::Lines));
    let names = ["a", "b", "c"].map(String::from);
    let weights = [0.5, 2.5, 0.0];
    let groups = names.into_iter().zip(weights).collect();
    for groups in [None, Groups::new(groups, vec![0, 1, 2, 0, 1])] {
        for (threads, max_bytes) in [(1, 10_000), (3, 10_000), (2, 50), (2, 60_000)] {
            let options = ReadOptions {
                threads,
                groups: groups.clone(),
                block_size: 500,
                on_error: OnError::Skip,
                ..ReadOptions::default()
            };
            let sample = Sample { max_bytes, seed: 3 };
            let (wanted, got) = read_both_ways(&sources, &options, sample);
            assert_eq!(got, Some(wanted));
        }
        // All documents fit, so nothing needs to be kept.
        let sample = Sample {
            max_bytes: 1 << 20,
            seed: 3,
        };
        let options = ReadOptions {
            on_error: OnError::Skip,
            groups,
            ..ReadOptions::default()
        };
        assert_eq!(read_both_ways(&sources, &options, sample).1, None);
    }
}

/// More text than is kept in any case, so that documents are dropped on the way, and kept ones go to a
/// file.
#[test]
fn what_is_kept_of_a_large_text_is_the_sample() {
    let mut random = Random(32);
    let texts: Vec<String> = (0..4_000)
        .map(|number| {
            let words = (0..random.index(2_000)).map(|_| random.next().to_string());
            format!("{number} {}", words.collect::<String>())
        })
        .collect();
    let sources = as_sources(&texts, 3);
    let options = ReadOptions {
        threads: 2,
        ..ReadOptions::default()
    };
    for seed in 0..2 {
        let sample = Sample {
            max_bytes: 5_000_000,
            seed,
        };
        let (wanted, got) = read_both_ways(&sources, &options, sample);
        assert!(wanted.1.bytes > 4_990_000, "{}", wanted.1.bytes);
        assert!(got == Some(wanted), "{seed}");
    }
}

#[test]
fn an_unusable_directory_is_an_error_only_if_it_is_needed() {
    let nowhere = std::path::Path::new("/no such directory");
    let sample = Sample {
        max_bytes: 2_000,
        seed: 0,
    };
    let options = ReadOptions::default();
    let texts = corpus(&mut Random(33), 1_000);
    assert!(draw_sample(&as_sources(&texts, 1), &options, sample, nowhere, &Silent).is_ok());
    let mut random = Random(34);
    let long: String = (0..2_000_000).map(|_| random.next().to_string()).collect();
    let texts = [vec![long], texts].concat();
    let failed = draw_sample(&as_sources(&texts, 1), &options, sample, nowhere, &Silent);
    let failed = failed.map(|_| ());
    assert!(
        matches!(&failed, Err(ReadError::Sink(KeepError::Io(_)))),
        "{failed:?}"
    );
}
