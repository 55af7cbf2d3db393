//! Text to pretokens.

/// A named, saved way of cutting text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PretokenizerConfig {
    /// The name of a preset, or none for patterns of one's own.
    pub name: Option<String>,
    /// The main pattern.
    pub pattern: String,
    /// The pattern of some scripts.
    pub script: Option<ScriptPattern>,
    /// What a pretoken must contain to take part in supermerges.
    pub eligible: String,
}

/// A pattern of its own for some scripts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScriptPattern {
    /// The pattern.
    pub pattern: String,
    /// The scripts it serves, by name.
    pub scripts: Vec<String>,
}
