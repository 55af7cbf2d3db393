//! The presets: names and their patterns.

use super::{PretokenizerConfig, ScriptPattern};

/// The names of the presets.
pub const PRESETS: [&str; 14] = [
    "gpt4o-script",
    "gpt4o-portable",
    "gpt4o",
    "gpt4o-export",
    "gpt4",
    "llama3",
    "cl100k",
    "qwen2",
    "qwen3.5",
    "tekken",
    "kimi-k2",
    "deepseek-v3",
    "command-r",
    "gpt2",
];

/// The default preset.
pub const DEFAULT_PRESET: &str = "gpt4o-portable";

/// The default eligibility pattern: the pretoken contains a letter.
pub const DEFAULT_ELIGIBLE: &str = r"\p{L}";

/// The pattern of GPT-4o (the paper's Listing 1).
pub(super) const GPT4O: &str = concat!(
    r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+",
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)?",
    r"|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*",
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)?",
    r"|\p{N}{1,3}",
    r"| ?[^\s\p{L}\p{N}]+[\r\n/]*",
    r"|\s*[\r\n]+",
    r"|\s+(?!\S)",
    r"|\s+",
);

/// One letter at a time, for scripts without spaces between words (Listing 2).
pub(super) const GPT4O_LETTERS: &str = concat!(
    r" ?\p{L}\p{M}*",
    r"|\p{N}{1,3}",
    r"| ?[^\s\p{L}\p{N}]+[\r\n/]*",
    r"|\s*[\r\n]+",
    r"|\s+(?!\S)",
    r"|\s+",
);

/// The scripts that Listing 2 is used for.
const GPT4O_SCRIPTS: [&str; 7] = [
    "Han", "Hiragana", "Katakana", "Thai", "Myanmar", "Khmer", "Lao",
];

/// The letters of [`GPT4O_SCRIPTS`], with the long vowel sign that Hiragana and Katakana share.
macro_rules! single {
    () => {
        r"\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Myanmar}\p{Khmer}\p{Lao}ー"
    };
}

/// The letters without case that are not in [`single`].
macro_rules! uncased {
    () => {
        concat!(r"[\p{Lm}\p{Lo}&&[^", single!(), "]]")
    };
}

/// Nearly what `gpt4o-script` does, as one pattern: the pattern of GPT-4o, in which each letter of
/// [`GPT4O_SCRIPTS`] is a word by itself.
///
/// Rust's regex engines, Oniguruma and tiktoken accept it as it stands, with the same meaning. All of
/// these letters are without case. Marks stay in the classes of the other words, so `\p{M}*` and
/// those classes take any mark that follows.
///
/// It has no look-behind, so the text from the start of a pretoken on decides where it ends. Exports
/// rely on this, and on what ends a word: a word of single letters ends where no mark follows, all
/// other words as with `gpt4o`.
pub(super) const GPT4O_PORTABLE: &str = concat!(
    r" ?[\p{L}&&[",
    single!(),
    r"]]\p{M}*",
    r"|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{M}",
    uncased!(),
    r"]*[\p{Ll}\p{M}",
    uncased!(),
    r"]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?",
    r"|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{M}",
    uncased!(),
    r"]+[\p{Ll}\p{M}",
    uncased!(),
    r"]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?",
    r"|\p{N}{1,3}",
    r"| ?[^\s\p{L}\p{N}]+[\r\n/]*",
    r"|\s*[\r\n]+",
    r"|\s+(?!\S)",
    r"|\s+",
);

/// The finer pattern for models that will be exported (Listing 3).
pub(super) const GPT4O_EXPORT: &str = concat!(
    r" ?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+",
    r"(?:['’](?:\p{L}\p{M}*)+)*",
    r"| ?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*",
    r"(?:['’](?:\p{L}\p{M}*)+)*",
    r"|\p{N}{1,3}",
    r"| ?[^\s\p{L}\p{N}]+[\r\n/]*",
    r"|\s*[\r\n]+",
    r"|\s+(?!\S)",
    r"|\s+",
);

/// The pattern of Mistral's tekken: that of GPT-4o without contractions and with single digits.
pub(super) const TEKKEN: &str = concat!(
    r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+",
    r"|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*",
    r"|\p{N}",
    r"| ?[^\s\p{L}\p{N}]+[\r\n/]*",
    r"|\s*[\r\n]+",
    r"|\s+(?!\S)",
    r"|\s+",
);

/// The pattern of Kimi K2: that of GPT-4o, in which runs of Han are words and `/` follows no newline.
pub(super) const KIMI_K2: &str = concat!(
    r"[\p{Han}]+",
    r"|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}&&[^\p{Han}]]*",
    r"[\p{Ll}\p{Lm}\p{Lo}\p{M}&&[^\p{Han}]]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?",
    r"|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}&&[^\p{Han}]]+",
    r"[\p{Ll}\p{Lm}\p{Lo}\p{M}&&[^\p{Han}]]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?",
    r"|\p{N}{1,3}",
    r"| ?[^\s\p{L}\p{N}]+[\r\n]*",
    r"|\s*[\r\n]+",
    r"|\s+(?!\S)",
    r"|\s+",
);

/// The pattern of GPT-4 as first published, which Llama 3, GLM and OLMo use too.
pub(super) const GPT4: &str = concat!(
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)",
    r"|[^\r\n\p{L}\p{N}]?\p{L}+",
    r"|\p{N}{1,3}",
    r"| ?[^\s\p{L}\p{N}]+[\r\n]*",
    r"|\s*[\r\n]+",
    r"|\s+(?!\S)",
    r"|\s+",
);

/// The pattern of GPT-4 as tiktoken has it today, in a spelling that other engines read alike. To
/// Oniguruma, tiktoken's own `{1,3}+` is not possessive.
///
/// It is not quite the pattern above: white space at the end of a text is one pretoken, even if it
/// contains newlines.
pub(super) const CL100K: &str = concat!(
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)",
    r"|[^\r\n\p{L}\p{N}]?\p{L}+",
    r"|\p{N}{1,3}",
    r"| ?[^\s\p{L}\p{N}]+[\r\n]*",
    r"|\s++$",
    r"|\s*[\r\n]+",
    r"|\s+(?!\S)",
    r"|\s+",
);

/// The pattern of Qwen 1.5 to 3: that of GPT-4 with single digits.
pub(super) const QWEN2: &str = concat!(
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)",
    r"|[^\r\n\p{L}\p{N}]?\p{L}+",
    r"|\p{N}",
    r"| ?[^\s\p{L}\p{N}]+[\r\n]*",
    r"|\s*[\r\n]+",
    r"|\s+(?!\S)",
    r"|\s+",
);

/// The pattern of Qwen 3.5 and later, in which marks belong to words.
pub(super) const QWEN35: &str = concat!(
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)",
    r"|[^\r\n\p{L}\p{N}]?[\p{L}\p{M}]+",
    r"|\p{N}",
    r"| ?[^\s\p{L}\p{M}\p{N}]+[\r\n]*",
    r"|\s*[\r\n]+",
    r"|\s+(?!\S)",
    r"|\s+",
);

/// The characters that DeepSeek V3 splits off after the numbers.
macro_rules! cjk {
    () => {
        "一-龥぀-ゟ゠-ヿ"
    };
}

/// The splits of DeepSeek V3, one after the other, as they are published. The preset `deepseek-v3` is
/// one pattern for all of them.
pub const DEEPSEEK_SPLITS: [&str; 3] = [
    r"\p{N}{1,3}",
    concat!("[", cjk!(), "]+"),
    concat!(
        r##"[!"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+"##,
        "|[^\r\n\\p{L}\\p{P}\\p{S}]?[\\p{L}\\p{M}]+",
        "| ?[\\p{P}\\p{S}]+[\r\n]*|\\s*[\r\n]+|\\s+(?!\\S)|\\s+",
    ),
];

/// The pattern of DeepSeek V3: its three splits in sequence, as one pattern.
///
/// The first two split off numbers and then runs of [`cjk`]. The third splits both those runs and
/// all other text, each as a text of its own. So no branch crosses from one into the other, and
/// white space before a number or such a run is at the end of its text. The third split leaves some
/// text unmatched, such as control characters. Here the fourth and the last branch match it.
pub(super) const DEEPSEEK_V3: &str = concat!(
    r"\p{N}{1,3}",
    r"|[",
    cjk!(),
    r"&&[^\p{L}\p{P}\p{S}]]?[",
    cjk!(),
    r"&&[\p{L}\p{M}]]+",
    r"|[",
    cjk!(),
    r"&&[\p{P}\p{S}]]+",
    r"|[",
    cjk!(),
    r"&&[^\p{L}\p{M}\p{P}\p{S}]]+(?![",
    cjk!(),
    r"&&[\p{L}\p{M}]])",
    r"|[!-/:-@\[-`{-~][A-Za-z]+",
    r"|[^\r\n\p{L}\p{N}\p{P}\p{S}",
    cjk!(),
    r"]?[\p{L}\p{M}&&[^",
    cjk!(),
    r"]]+",
    r"| ?[\p{P}\p{S}&&[^",
    cjk!(),
    r"]]+[\r\n]*",
    r"|\s*[\r\n]+",
    r"|\s+(?![^\s\p{N}",
    cjk!(),
    r"])",
    r"|\s+",
    r"|[^\s\p{L}\p{M}\p{N}\p{P}\p{S}",
    cjk!(),
    r"]+(?![\p{L}\p{M}&&[^",
    cjk!(),
    r"]])",
);

/// The pattern of Command R and Aya: single digits are split off, and then the pattern of GPT-2 splits
/// the rest. White space before a digit is at the end of its text.
pub(super) const COMMAND_R: &str = concat!(
    r"\p{N}",
    r"|'(?:[sdmt]|ll|ve|re)",
    r"| ?\p{L}+",
    r"| ?[^\s\p{L}\p{N}]+",
    r"|\s+(?![^\s\p{N}])",
    r"|\s+",
);

/// The pattern of GPT-2.
pub(super) const GPT2: &str = concat!(
    r"'(?:[sdmt]|ll|ve|re)",
    r"| ?\p{L}+",
    r"| ?\p{N}+",
    r"| ?[^\s\p{L}\p{N}]+",
    r"|\s+(?!\S)",
    r"|\s+",
);

impl PretokenizerConfig {
    /// The configuration of a preset, or `None` if there is no preset with this name.
    pub fn preset(name: &str) -> Option<Self> {
        let pattern = match name {
            "gpt4o" | "gpt4o-script" => GPT4O,
            "gpt4o-portable" => GPT4O_PORTABLE,
            "gpt4o-export" => GPT4O_EXPORT,
            "gpt4" | "llama3" => GPT4,
            "cl100k" => CL100K,
            "qwen2" => QWEN2,
            "qwen3.5" => QWEN35,
            "tekken" => TEKKEN,
            "kimi-k2" => KIMI_K2,
            "deepseek-v3" => DEEPSEEK_V3,
            "command-r" => COMMAND_R,
            "gpt2" => GPT2,
            _ => return None,
        };
        let script = (name == "gpt4o-script").then(|| ScriptPattern {
            pattern: GPT4O_LETTERS.to_owned(),
            scripts: GPT4O_SCRIPTS.map(str::to_owned).to_vec(),
        });
        Some(PretokenizerConfig {
            name: Some(name.to_owned()),
            pattern: pattern.to_owned(),
            script,
            eligible: DEFAULT_ELIGIBLE.to_owned(),
        })
    }
}

impl Default for PretokenizerConfig {
    fn default() -> Self {
        Self::preset(DEFAULT_PRESET).unwrap_or_else(|| unreachable!("the default preset exists"))
    }
}
