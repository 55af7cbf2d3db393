//! Text to pretokens.
//!
//! A [`Pretokenizer`] cuts a text into pretokens that tile it: nothing is lost. It is described by a
//! [`PretokenizerConfig`]: a main pattern, maybe a script pattern with the scripts it serves, and a
//! pattern that says which pretokens may become part of a superword. The presets have scanners
//! written by hand; any other pattern runs on a regex engine.
//!
//! ```
//! use superword::text::{Pretokenizer, PretokenizerConfig};
//! let pretokenizer = Pretokenizer::new(PretokenizerConfig::default())?;
//! let pretokens = pretokenizer.split("It's HYDAC电磁 12345!")?;
//! assert_eq!(pretokens, ["It's", " HYDAC", "电", "磁", " ", "123", "45", "!"]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Categories and scripts are those of Unicode 17.0, from tables that a script generates.

mod engine;
mod error;
mod presets;
mod scan;
mod script;
mod tables;
#[cfg(test)]
mod tests;
mod unicode;

use std::sync::Arc;

use engine::{Engine, Purpose};
pub use error::{PatternError, SplitError};
pub use presets::{DEFAULT_ELIGIBLE, DEFAULT_PRESET, PRESETS};
use scan::Scanner;
pub use script::{Run, Script, ScriptSet, is_real, script_of, scripts_in};
use unicode::{Classes, class_at};

/// Everything that decides how a text is cut; saved in full with a model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PretokenizerConfig {
    /// The name of the preset it comes from, if any. The patterns decide, not the name.
    pub name: Option<String>,
    /// The main pattern: its matches are the pretokens, and so is the text between two of them.
    pub pattern: String,
    /// The pattern for runs of certain scripts. Without it, text is not cut into script runs.
    pub script: Option<ScriptPattern>,
    /// A pretoken that this pattern matches anywhere may become part of a superword.
    pub eligible: String,
}

/// A pattern for runs of text in one of these scripts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScriptPattern {
    /// The pattern.
    pub pattern: String,
    /// Names of real scripts, as Unicode spells them.
    pub scripts: Vec<String>,
}

/// Takes the pretokens of a text as they are found: each starts where the one before it ends. Any `FnMut(usize, usize)` is one; a type of its
/// own can say that its `pretoken` is always inlined into the scanners, which a closure cannot.
pub trait Sink {
    /// The next pretoken, from `start` to `end` in bytes.
    fn pretoken(&mut self, start: usize, end: usize);

    /// The next few pretokens, the first from `start` on: each bit that is set, plus `base`, is
    /// the end of one and the start of the next.
    #[inline(always)]
    fn pretokens(&mut self, mut start: usize, base: usize, mut ends: u64) {
        while ends != 0 {
            let end = base + ends.trailing_zeros() as usize;
            ends &= ends - 1;
            self.pretoken(start, end);
            start = end;
        }
    }
}

impl<F: FnMut(usize, usize)> Sink for F {
    #[inline]
    fn pretoken(&mut self, start: usize, end: usize) {
        self(start, end);
    }
}

/// Cuts texts into pretokens. Cheap to clone, safe to share among threads.
#[derive(Clone, Debug)]
pub struct Pretokenizer {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    config: PretokenizerConfig,
    main: Splitter,
    script: Option<ScriptSplitter>,
    eligible: Eligible,
}

#[derive(Debug)]
struct ScriptSplitter {
    splitter: Splitter,
    /// By script index: served by this pattern.
    serves: [bool; 256],
}

#[derive(Debug)]
enum Splitter {
    Scanner(Scanner),
    Engine(Engine),
}

#[derive(Debug)]
enum Eligible {
    Letter,
    Matcher(Matcher),
}

impl Splitter {
    fn new(pattern: &str, by_engine: bool) -> Result<Self, PatternError> {
        match Scanner::for_pattern(pattern) {
            Some(scanner) if !by_engine => Ok(Splitter::Scanner(scanner)),
            _ => Engine::new(pattern, Purpose::Split).map(Splitter::Engine),
        }
    }

    #[inline]
    fn scan(&self, text: &str, base: usize, sink: &mut impl Sink) -> Result<(), SplitError> {
        match self {
            Splitter::Scanner(scanner) => {
                scanner.scan(text.as_bytes(), base, sink);
                Ok(())
            }
            Splitter::Engine(engine) => {
                engine.scan(text, base, &mut |start, end| sink.pretoken(start, end))
            }
        }
    }
}

impl Pretokenizer {
    /// Compiles a configuration. Pattern texts that are those of a preset get its scanner, whatever
    /// the name; script names are brought to the spelling of Unicode.
    pub fn new(config: PretokenizerConfig) -> Result<Self, PatternError> {
        Self::build(config, false)
    }

    /// The same pretokenizer with every pattern run by a regex engine, the presets' too: the oracle
    /// that the scanners are tested against. Many times slower, and equal in every result.
    pub fn new_generic(config: PretokenizerConfig) -> Result<Self, PatternError> {
        Self::build(config, true)
    }

    fn build(mut config: PretokenizerConfig, by_engine: bool) -> Result<Self, PatternError> {
        let main = Splitter::new(&config.pattern, by_engine)?;
        let script = match &mut config.script {
            None => None,
            Some(script) => {
                if script.scripts.is_empty() {
                    return Err(PatternError::NoScripts);
                }
                let mut serves = [false; 256];
                for name in &mut script.scripts {
                    let found = Script::from_name(name)?;
                    if !is_real(found) {
                        return Err(PatternError::NotARealScript { name: name.clone() });
                    }
                    serves[found.index() as usize] = true;
                    *name = found.name().to_owned();
                }
                let splitter = Splitter::new(&script.pattern, by_engine)?;
                Some(ScriptSplitter { splitter, serves })
            }
        };
        let eligible = match config.eligible.as_str() {
            DEFAULT_ELIGIBLE if !by_engine => Eligible::Letter,
            pattern => Eligible::Matcher(Matcher::new(pattern)?),
        };
        Ok(Pretokenizer {
            inner: Arc::new(Inner {
                config,
                main,
                script,
                eligible,
            }),
        })
    }

    /// The configuration, in full.
    pub fn config(&self) -> &PretokenizerConfig {
        &self.inner.config
    }

    /// Calls `emit(start, end)`, in bytes, for each pretoken in order; they tile the text exactly.
    ///
    /// Fails only where a pattern needs the backtracking engine and that gives up; the pretokens
    /// before that place were emitted.
    #[inline]
    pub fn for_each(
        &self,
        text: &str,
        mut emit: impl FnMut(usize, usize),
    ) -> Result<(), SplitError> {
        self.feed(text, &mut emit)
    }

    /// The same into a [`Sink`].
    #[inline]
    pub fn feed(&self, text: &str, sink: &mut impl Sink) -> Result<(), SplitError> {
        let mut start = 0;
        // One call of `scan` for both cases: each preset's scanner is compiled once per sink.
        while start < text.len() {
            let (end, splitter) = match &self.inner.script {
                None => (text.len(), &self.inner.main),
                Some(script) => {
                    let run = script::next_run(text.as_bytes(), start);
                    match script.serves[run.script.index() as usize] {
                        true => (run.end, &script.splitter),
                        false => (run.end, &self.inner.main),
                    }
                }
            };
            splitter.scan(&text[start..end], start, sink)?;
            start = end;
        }
        Ok(())
    }

    /// The pretokens of a text, in order: `" of the"` gives `[" of", " the"]`.
    pub fn split<'t>(&self, text: &'t str) -> Result<Vec<&'t str>, SplitError> {
        let mut pretokens = Vec::new();
        self.for_each(text, |start, end| pretokens.push(&text[start..end]))?;
        Ok(pretokens)
    }

    /// True if the pretoken may become part of a superword: the eligibility pattern matches in it.
    /// A pattern that needs the backtracking engine counts as no match where that gives up.
    #[inline]
    pub fn is_eligible(&self, pretoken: &str) -> bool {
        match &self.inner.eligible {
            Eligible::Letter => has_letter(pretoken.as_bytes()),
            Eligible::Matcher(matcher) => matcher.is_match(pretoken),
        }
    }

    /// False only if the pretoken is certainly not eligible; found out from its first bytes mostly.
    #[inline(always)]
    pub fn may_be_eligible(&self, pretoken: &[u8]) -> bool {
        match &self.inner.eligible {
            Eligible::Letter => pretoken
                .iter()
                .any(|byte| byte.is_ascii_alphabetic() || !byte.is_ascii()),
            Eligible::Matcher(_) => true,
        }
    }

    /// The runs of one script that a text falls into, whether or not this configuration uses them.
    pub fn script_runs(&self, text: &str) -> Vec<Run> {
        script::runs(text.as_bytes()).collect()
    }
}

/// True if valid UTF-8 holds a letter.
#[inline]
fn has_letter(bytes: &[u8]) -> bool {
    let mut i = 0;
    while i < bytes.len() {
        let (class, len) = class_at(bytes, i);
        if Classes::LETTER.has(class) {
            return true;
        }
        i += len;
    }
    false
}

/// A compiled pattern that is only searched for.
///
/// ```
/// use superword::text::Matcher;
/// let matcher = Matcher::new(r"\p{Han}$")?;
/// assert!(matcher.is_match("12电") && !matcher.is_match("电12"));
/// # Ok::<(), superword::text::PatternError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Matcher {
    engine: Engine,
}

impl Matcher {
    /// Compiles a pattern. It may match the empty string.
    pub fn new(pattern: &str) -> Result<Self, PatternError> {
        Engine::new(pattern, Purpose::Search).map(|engine| Matcher { engine })
    }

    /// True if the pattern matches anywhere in the text; false where the backtracking engine, which
    /// few patterns need, gives up. [`Matcher::try_is_match`] tells the two apart.
    pub fn is_match(&self, text: &str) -> bool {
        self.try_is_match(text).unwrap_or(false)
    }

    /// True if the pattern matches anywhere in the text.
    pub fn try_is_match(&self, text: &str) -> Result<bool, SplitError> {
        self.engine.is_match(text)
    }
}
