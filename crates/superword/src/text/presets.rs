//! The presets: names and their patterns.

use super::{PretokenizerConfig, ScriptPattern};

/// The names of the presets.
pub const PRESETS: [&str; 5] = ["gpt4o-script", "gpt4o", "gpt4o-export", "gpt4", "gpt2"];

/// The default preset.
pub const DEFAULT_PRESET: &str = "gpt4o-script";

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

/// The pattern of GPT-4 (cl100k).
pub(super) const GPT4: &str = concat!(
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)",
    r"|[^\r\n\p{L}\p{N}]?\p{L}+",
    r"|\p{N}{1,3}",
    r"| ?[^\s\p{L}\p{N}]+[\r\n]*",
    r"|\s*[\r\n]+",
    r"|\s+(?!\S)",
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
            "gpt4o-export" => GPT4O_EXPORT,
            "gpt4" => GPT4,
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
