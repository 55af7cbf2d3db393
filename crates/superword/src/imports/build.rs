//! Models of vocabularies whose counts are not known.

use std::collections::HashMap;

use serde_json::Value;

use super::error::Reason;
use super::rules::{Rules, check_alphabet};
use crate::model::{
    AddedToken, Facts, Method, Model, NamedEvent, NamedParts, Normalizer, PickySplit,
};
use crate::text::{DEFAULT_ELIGIBLE, Pretokenizer, PretokenizerConfig};

/// The parts of an imported model.
pub(super) struct Parts<'a> {
    pub(super) pretokenizer: PretokenizerConfig,
    pub(super) rules: Rules<'a>,
    /// The tokens of the alphabet and those of `rules`, made or not, with their ids.
    pub(super) ids: HashMap<&'a [u8], u32>,
    pub(super) added: Vec<AddedToken>,
    /// More tokens that nothing makes, whatever their bytes are.
    pub(super) names: Vec<(Vec<u8>, u32)>,
    pub(super) normalizer: Option<Normalizer>,
    pub(super) whole_pieces: bool,
    pub(super) settings: Facts,
    /// What is recorded about the import.
    pub(super) facts: Facts,
}

impl Parts<'_> {
    /// The model. The counts of its merges are written as 1.
    pub(super) fn build(self) -> Result<Model, Reason> {
        let Parts { rules, ids, .. } = self;
        let alphabet = check_alphabet(|byte| ids.contains_key(&[byte][..]))?;
        let (mut unmade, made) = (self.names, ids.into_iter());
        let mut kept = HashMap::with_capacity(made.len());
        // Without unmade tokens, looking up whole pretokens finds what merging makes. A pretoken is
        // never empty.
        let whole_pieces = self.whole_pieces && rules.unmade.iter().any(|token| !token.is_empty());
        for (token, id) in made {
            match rules.unmade.contains(token) {
                true => unmade.push((token.to_vec(), id)),
                false => {
                    kept.insert(token.to_vec(), id);
                }
            }
        }
        unmade.sort_by_key(|(_, id)| *id);
        let events = rules.merges.iter().map(|rule| {
            let [left, right] = rule.parts().map(<[u8]>::to_vec);
            NamedEvent::Join {
                is_supermerge: false,
                left,
                right,
                count: 1,
            }
        });
        let parts = NamedParts {
            method: Method::Bpe,
            pretokenizer: self.pretokenizer,
            alphabet,
            picky_split: PickySplit::Parts,
            events: events.collect(),
            ids: Some(kept),
            added: self.added,
            normalizer: self.normalizer,
            whole_pieces,
            order: rules.order,
            unmade,
            settings: self.settings,
            facts: facts_of(self.facts),
        };
        Ok(parts.build()?)
    }
}

fn facts_of(mut imported: Facts) -> Facts {
    imported.insert("counts".into(), "not known, written as 1".into());
    Facts::from_iter([
        ("version".to_owned(), env!("CARGO_PKG_VERSION").into()),
        ("imported".to_owned(), Value::Object(imported)),
    ])
}

/// The pretokenizer with this pattern, stored as it is written. If a preset has the same pattern, it
/// is that preset, and the model shows its name.
pub(super) fn pretokenizer_for(pattern: &str) -> Result<PretokenizerConfig, Reason> {
    let config = PretokenizerConfig {
        name: None,
        pattern: pattern.to_owned(),
        script: None,
        eligible: DEFAULT_ELIGIBLE.to_owned(),
    };
    Pretokenizer::new(config.clone()).map_err(Reason::Pattern)?;
    Ok(config.or_preset())
}
