//! Promises of whole runs: changed inputs are noticed, and kept words are the learned words.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::sync::{Arc, Mutex};

use super::build::Learned;
use super::words::{WordStep, Words};
use super::*;
use crate::corpus::{Format, ReadOptions, Sample, Source};
use crate::model::{Facts, Method, Model, PickySplit};
use crate::observe::{Observer, Phase, Silent};
use crate::text::{Pretokenizer, PretokenizerConfig};

/// Rewrites a file when a phase starts.
struct ChangesAt {
    phase: Phase,
    path: PathBuf,
    done: AtomicBool,
}

impl ChangesAt {
    fn new(phase: Phase, path: &Path) -> ChangesAt {
        ChangesAt {
            phase,
            path: path.to_owned(),
            done: AtomicBool::new(false),
        }
    }
}

impl Observer for ChangesAt {
    fn progress(&self, phase: Phase, _done: u64, _total: Option<u64>) {
        if phase == self.phase && !self.done.swap(true, SeqCst) {
            std::fs::write(&self.path, text(9)).unwrap();
        }
    }

    fn stop_requested(&self) -> bool {
        false
    }
}

fn text(seed: usize) -> String {
    let words = [
        "one", "of", "the", "words", "in", "a", "list", "of", "words",
    ];
    let line = |at: usize| {
        let words = (0..12).map(|word| words[(at * 7 + word * word + seed) % words.len()]);
        words.collect::<Vec<_>>().join(" ")
    };
    (0..60).map(|at| line(at) + "\n").collect()
}

fn pretokenizer() -> Pretokenizer {
    Pretokenizer::new(PretokenizerConfig::preset("gpt4o").unwrap()).unwrap()
}

/// Two files and a run over them.
struct Setup {
    directory: tempfile::TempDir,
    options: TrainOptions,
    piece_bytes: u64,
}

impl Setup {
    fn new(options: TrainOptions) -> Setup {
        let setup = Setup {
            directory: tempfile::tempdir().unwrap(),
            options,
            // Each file is one piece.
            piece_bytes: 4000,
        };
        for number in 0..2 {
            let text = text(number);
            assert!((2001..4000).contains(&text.len()));
            std::fs::write(setup.path(number), text).unwrap();
        }
        setup
    }

    fn path(&self, number: usize) -> PathBuf {
        self.directory.path().join(format!("{number}.txt"))
    }

    fn train(&self, kept: bool, observer: &dyn Observer) -> Result<Model, TrainError> {
        let sources: Vec<Source> = (0..2)
            .map(|number| Source::from_path(self.path(number), Some(Format::Lines)).unwrap())
            .collect();
        let read = ReadOptions {
            threads: 1,
            ..ReadOptions::default()
        };
        let work_dir = kept.then(|| WorkDir::open(self.directory.path().join("work")).unwrap());
        let resources = Resources {
            work_dir: work_dir.map(Arc::new),
            piece_bytes: Some(self.piece_bytes),
            ..Resources::default()
        };
        let pretokenizer = pretokenizer();
        let options = &self.options;
        let trained = train(
            &sources,
            &read,
            &pretokenizer,
            options,
            &resources,
            observer,
        );
        trained.map(|(model, _)| model)
    }
}

fn superbpe() -> TrainOptions {
    TrainOptions {
        supermerges: 3,
        ..TrainOptions::new(Method::SuperBpe, 275)
    }
}

fn sampled() -> TrainOptions {
    TrainOptions {
        sample: Some(Sample {
            max_bytes: 2000,
            seed: 1,
        }),
        ..TrainOptions::new(Method::Bpe, 270)
    }
}

#[test]
fn an_input_that_changes_between_two_passes_is_an_error_that_names_it() {
    for (options, phase) in [
        (TrainOptions::new(Method::Boundless, 275), Phase::Merge),
        (TrainOptions::new(Method::Boundless, 275), Phase::Candidates),
        (superbpe(), Phase::Merge),
        (superbpe(), Phase::Candidates),
        (sampled(), Phase::Sample),
    ] {
        for kept in [false, true] {
            let setup = Setup::new(options.clone());
            let observer = ChangesAt::new(phase, &setup.path(1));
            let error = setup.train(kept, &observer).map(|_| ()).unwrap_err();
            let source_name = setup.path(1).display().to_string();
            let what = format!("{phase:?} {:?} kept: {kept}", options.method);
            assert_eq!(error, TrainError::InputChanged { source_name }, "{what}");
            // The next run sees the new text only, also if the first one kept something.
            let wanted = setup.train(false, &Silent).unwrap();
            let got = setup.train(kept, &Silent).unwrap();
            assert!(got.to_bytes() == wanted.to_bytes(), "{what}");
        }
    }
}

/// The documents of a sample are kept, so only the first pass reads the inputs.
#[test]
fn an_input_that_changes_after_the_sample_was_drawn_changes_nothing() {
    for method in [Method::Bpe, Method::Boundless] {
        for kept in [false, true] {
            let mut setup = Setup::new(TrainOptions {
                sample: Some(Sample {
                    max_bytes: 2000,
                    seed: 1,
                }),
                ..TrainOptions::new(method, 270)
            });
            setup.piece_bytes = 500;
            let wanted = setup.train(false, &Silent).unwrap();
            let observer = ChangesAt::new(Phase::Count, &setup.path(1));
            let got = setup.train(kept, &observer).unwrap();
            assert!(observer.done.load(SeqCst));
            assert!(got.to_bytes() == wanted.to_bytes(), "{method:?} {kept}");
            // The next run sees the new text.
            let wanted = setup.train(false, &Silent).unwrap();
            assert!(wanted.to_bytes() != got.to_bytes());
            let got = setup.train(kept, &Silent).unwrap();
            assert!(got.to_bytes() == wanted.to_bytes(), "{method:?} {kept}");
        }
    }
}

#[test]
fn a_kept_sample_is_used_again_if_it_is_whole() {
    let setup = Setup::new(sampled());
    let wanted = setup.train(false, &Silent).unwrap();
    let stopped = setup.train(true, &StopsAt::new(Phase::Count, -1.0));
    assert!(matches!(stopped, Err(TrainError::Stopped(_))));
    let work = setup.directory.path().join("work");
    let find = |suffix: &str| {
        let mut paths = std::fs::read_dir(&work)
            .unwrap()
            .map(|name| name.unwrap().path());
        paths
            .find(|path| {
                let name = path.file_name().unwrap().to_string_lossy();
                name.starts_with("sample-") && name.ends_with(suffix)
            })
            .unwrap()
    };
    let texts = find(".texts");
    let bytes = std::fs::read(&texts).unwrap();
    // The same size, but not the same content.
    let mut damaged = bytes.clone();
    damaged[bytes.len() / 2] ^= 1;
    std::fs::write(&texts, damaged).unwrap();
    let error = setup.train(true, &Silent).map(|_| ()).unwrap_err();
    let path = texts.display().to_string();
    assert!(
        matches!(&error, TrainError::WorkFile { path: named, reason, .. }
            if *named == path && reason.contains("damaged")),
        "{error:?}"
    );
    // Without the texts or their record, the inputs are read again.
    std::fs::write(&texts, &bytes[1..]).unwrap();
    assert!(setup.train(true, &Silent).unwrap().to_bytes() == wanted.to_bytes());
    std::fs::write(&texts, &bytes).unwrap();
    std::fs::write(find(".json"), "{}").unwrap();
    assert!(setup.train(true, &Silent).unwrap().to_bytes() == wanted.to_bytes());
    // Without the plan, the sample is drawn again.
    std::fs::remove_file(find(".plan")).unwrap();
    let watch = StopsAt::new(Phase::Sample, 2.0);
    assert!(setup.train(true, &watch).unwrap().to_bytes() == wanted.to_bytes());
    assert!(!watch.seen.into_inner().unwrap().is_empty());
    assert!(find(".plan").is_file() && find(".json").is_file());
}

#[test]
fn counts_of_an_input_that_changed_are_not_kept() {
    let setup = Setup::new(TrainOptions::new(Method::Bpe, 270));
    let old = text(0);
    let observer = ChangesAt::new(Phase::Count, &setup.path(0));
    setup.train(true, &observer).unwrap_err();
    // The old text again, with its old time: nothing may be left of the new one.
    std::fs::write(setup.path(0), old).unwrap();
    let wanted = setup.train(false, &Silent).unwrap();
    assert!(setup.train(true, &Silent).unwrap().to_bytes() == wanted.to_bytes());
    let names = std::fs::read_dir(setup.directory.path().join("work")).unwrap();
    let records = names.filter(|name| {
        let name = name.as_ref().unwrap().file_name();
        name.to_string_lossy().ends_with(".json")
    });
    assert_eq!(records.count(), 2);
}

/// Stops when a part of a phase is done, and remembers the progress.
struct StopsAt {
    phase: Phase,
    share: f64,
    seen: Mutex<Vec<(u64, u64)>>,
    reached: AtomicBool,
}

impl StopsAt {
    fn new(phase: Phase, share: f64) -> StopsAt {
        StopsAt {
            phase,
            share,
            seen: Mutex::default(),
            reached: AtomicBool::new(false),
        }
    }
}

impl Observer for StopsAt {
    fn progress(&self, phase: Phase, done: u64, total: Option<u64>) {
        if phase == self.phase {
            let total = total.unwrap();
            self.seen.lock().unwrap().push((done, total));
            if done as f64 > self.share * total as f64 {
                self.reached.store(true, SeqCst);
            }
        }
    }

    fn stop_requested(&self) -> bool {
        self.reached.load(SeqCst)
    }
}

#[test]
fn a_stopped_run_resumes_within_a_file() {
    for phase in [Phase::Count, Phase::Candidates] {
        let mut setup = Setup::new(TrainOptions::new(Method::Boundless, 275));
        setup.piece_bytes = 300;
        let work = setup.directory.path().join("work");
        let records = || {
            let names = std::fs::read_dir(&work).unwrap();
            let paths = names.map(|name| name.unwrap().path());
            let prefix = format!("{}-", phase.name());
            let mut records: Vec<_> = paths
                .filter(|path| path.extension().is_some_and(|suffix| suffix == "json"))
                .filter(|path| {
                    let name = path.file_name().unwrap().to_string_lossy();
                    name.starts_with(&prefix)
                })
                .map(|path| (path.metadata().unwrap().modified().unwrap(), path))
                .collect();
            records.sort();
            records
        };
        let wanted = setup.train(false, &Silent).unwrap();
        // In the middle of the first file.
        let error = setup.train(true, &StopsAt::new(phase, 0.3)).map(|_| ());
        assert!(matches!(error, Err(TrainError::Stopped(_))), "{error:?}");
        let kept = records();
        assert!((2..12).contains(&kept.len()), "{kept:?}");
        let watch = StopsAt::new(phase, 2.0);
        let model = setup.train(true, &watch).unwrap();
        assert!(model.to_bytes() == wanted.to_bytes());
        let all = records();
        assert_eq!(all[..kept.len()], kept);
        assert!(all.len() >= 18, "{}", all.len());
        // Progress never goes back, and ends with all bytes of both files.
        let seen = watch.seen.into_inner().unwrap();
        assert!(seen.is_sorted(), "{seen:?}");
        let size = (0..2).map(|number| setup.path(number).metadata().unwrap().len());
        let size: u64 = size.sum();
        assert_eq!(*seen.last().unwrap(), (size, size));
    }
}

#[test]
fn a_single_pass_over_a_growing_file_is_no_error() {
    let setup = Setup::new(TrainOptions::new(Method::Bpe, 270));
    let observer = ChangesAt::new(Phase::Count, &setup.path(1));
    setup.train(false, &observer).unwrap();
    assert!(observer.done.load(SeqCst));
}

/// A run that resumes reads words from a model. Its candidates must be in the same symbols.
#[test]
fn the_words_of_a_kept_model_are_the_words_that_were_learned() {
    let source = Source::memory("text", text(3).into_bytes(), Format::Lines);
    let read = ReadOptions::default();
    let text = Text {
        sources: &[source],
        read: &read,
        sample: None,
        max_memory: None,
    };
    let counts = count_pretokens(&text, &pretokenizer(), false, &Silent)
        .unwrap()
        .counts;
    for picky in [None, Some(PickySplit::Parts), Some(PickySplit::Bytes)] {
        let options = TrainOptions {
            picky: picky.map(|split| Picky {
                threshold: 0.5,
                split,
            }),
            ..TrainOptions::new(Method::Bpe, 268)
        };
        let watch = WatchMerges::new(&Silent, Phase::Merge, 1);
        let words = Words::learn(std::borrow::Cow::Borrowed(&counts), &options, &watch).unwrap();
        assert_eq!(
            words.steps.iter().any(WordStep::is_deletion),
            picky.is_some()
        );
        let config = pretokenizer().config().clone();
        let learned = Learned::from_words(&words);
        let model = learned.build(&options, config, None, Facts::new()).unwrap();
        let again = Words::of_model(&model).unwrap();
        assert_eq!(again.steps, words.steps);
        assert_eq!(again.alive, words.alive);
        assert_eq!(again.size, words.size);
        let symbols = (0..words.tokens.len() as u32).map(crate::token::Symbol);
        for symbol in symbols {
            assert_eq!(again.tokens.bytes_of(symbol), words.tokens.bytes_of(symbol));
        }
    }
}
