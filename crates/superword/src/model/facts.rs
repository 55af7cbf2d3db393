//! The facts that a model records about the text it was trained on.

use super::{Facts, Model};

/// The facts about the text, as opposed to the options and the version.
const TEXT_FACTS: [&str; 7] = [
    "documents",
    "bytes",
    "skipped_documents",
    "pretokens",
    "unique_pretokens",
    "groups",
    "pruned",
];

/// The facts of text that was read to count candidates.
pub fn read_facts(documents: u64, bytes: u64, skipped: u64) -> Facts {
    let numbers = [documents, bytes, skipped];
    TEXT_FACTS
        .into_iter()
        .zip(numbers)
        .map(|(name, number)| (name.to_owned(), number.into()))
        .collect()
}

impl Model {
    /// The recorded facts about the text. A model that adds superwords to this one inherits them.
    pub fn text_facts(&self) -> Facts {
        let facts = &self.parts().facts;
        TEXT_FACTS
            .into_iter()
            .filter_map(|name| Some((name.to_owned(), facts.get(name)?.clone())))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_reading_have_the_names_that_models_use() {
        let facts = read_facts(3, 2000, 1);
        let value = |name: &str| facts[name].as_u64();
        assert_eq!(value("documents"), Some(3));
        assert_eq!(value("bytes"), Some(2000));
        assert_eq!(value("skipped_documents"), Some(1));
        assert_eq!(facts.len(), 3);
    }
}
