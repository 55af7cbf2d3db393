//! Reading and writing model files. `docs/file-format.md` describes the format byte by byte.
//!
//! ```text
//! magic (8) | format version (4) | header length (8) | header, JSON | sections | checksum (8)
//! ```
//!
//! Each model has exactly one file: whatever could be written in two ways is written in one of them,
//! and the reader refuses the other. So models can be compared by their bytes.

#[cfg(feature = "files")]
mod disk;
mod error;
mod header;
mod sections;

#[cfg(feature = "files")]
pub use disk::SaveError;
pub use error::{LoadError, LooksLike};
pub use sections::Section;

use xxhash_rust::xxh3::xxh3_64;

use super::{AddedToken, BuildError, Facts, Model, ModelParts};
use header::Header;

/// The first bytes of every model file. As in PNG, a byte above 127 and both kinds of line endings
/// reveal a file that was copied as text.
pub const MAGIC: [u8; 8] = *b"\x89SWM\r\n\x1a\n";

/// The newest format version that can be read. See [`Model::format_version`] for what is written.
pub const FORMAT_VERSION: u32 = 2;

/// The most bytes of a header. Parsed JSON takes many times the memory of its text.
const MAX_HEADER_BYTES: usize = 1 << 23;

/// The part of it that is reserved for what is only known when writing: section lengths, program.
const HEADER_RESERVE: usize = 1 << 10;

/// The JSON reader stops at 128 levels, and the header adds two.
const MAX_FACTS_DEPTH: usize = 100;

/// The length of magic, version and header length.
const PREAMBLE_BYTES: usize = 20;
const CHECKSUM_BYTES: usize = 8;

impl Model {
    /// The format version of the file of this model: the oldest one that can hold it.
    pub fn format_version(&self) -> u32 {
        let parts = self.parts();
        let is_old = parts.normalizer.is_none()
            && !parts.whole_pieces
            && parts.order.is_none()
            && parts.unmade.is_empty()
            && parts.settings.is_empty()
            && parts.added.iter().all(AddedToken::is_plain_special)
            && !self.vocabulary().shares_ids();
        if is_old { 1 } else { FORMAT_VERSION }
    }

    /// The model as the bytes of a file. The same model always gives the same bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        let parts = self.parts();
        let (lengths, sections) = sections::write(parts);
        let version = self.format_version();
        let header = Header::to_json(parts, version, &lengths, header::PROGRAM);
        let mut file =
            Vec::with_capacity(PREAMBLE_BYTES + header.len() + sections.len() + CHECKSUM_BYTES);
        file.extend_from_slice(&MAGIC);
        file.extend_from_slice(&version.to_le_bytes());
        file.extend_from_slice(&(header.len() as u64).to_le_bytes());
        file.extend_from_slice(&header);
        file.extend_from_slice(&sections);
        file.extend_from_slice(&xxh3_64(&file).to_le_bytes());
        file
    }

    /// The inverse of [`Model::to_bytes`]. Any other bytes give an error and never a panic. Memory use
    /// is limited to a fixed amount plus a fixed multiple of the length.
    pub fn from_bytes(bytes: &[u8]) -> Result<Model, LoadError> {
        let (version, header_bytes, body) = verify(bytes)?;
        let header = Header::parse(header_bytes, version)?;
        let body_offset = PREAMBLE_BYTES + header_bytes.len();
        let content = sections::read(body, body_offset, version, &header.sections)?;
        let parts = ModelParts {
            method: header.method,
            pretokenizer: header.pretokenizer,
            alphabet: header.alphabet,
            picky_split: header.picky_split,
            events: content.events,
            ids: content.ids,
            added: header.added,
            normalizer: header.normalizer,
            whole_pieces: header.whole_pieces,
            order: content.order,
            unmade: content.unmade,
            settings: header.settings,
            ngrams: content.ngrams,
            facts: header.facts,
        };
        // Sections can only be written in one way. Headers are compared with the one right way.
        let canonical = Header::to_json(&parts, version, &header.sections, &header.written_by);
        if canonical != header_bytes {
            let same = canonical.iter().zip(header_bytes);
            let offset = PREAMBLE_BYTES + same.take_while(|(a, b)| a == b).count();
            return Err(LoadError::HeaderNotCanonical { offset });
        }
        let model = Model::build(parts)?;
        match model.format_version() {
            needed if needed != version => Err(LoadError::WrongVersion {
                found: version,
                needed,
            }),
            _ => Ok(model),
        }
    }
}

/// Checks magic, version, checksum and the length of the header, in that order. Returns the version,
/// the header and the sections.
fn verify(bytes: &[u8]) -> Result<(u32, &[u8], &[u8]), LoadError> {
    let version = verify_start(bytes)?;
    let too_short = LoadError::TooShort {
        bytes: bytes.len(),
        needed: PREAMBLE_BYTES + CHECKSUM_BYTES,
    };
    let Some((content, stored)) = bytes.split_last_chunk::<CHECKSUM_BYTES>() else {
        return Err(too_short);
    };
    if content.len() < PREAMBLE_BYTES {
        return Err(too_short);
    }
    let (stored, computed) = (u64::from_le_bytes(*stored), xxh3_64(content));
    if stored != computed {
        return Err(LoadError::Checksum {
            stored,
            computed,
            bytes: bytes.len(),
            described: described_length(content, version),
        });
    }
    let (header, sections) = split_header(content)?;
    Ok((version, header, sections))
}

/// Checks the magic and the version, which need only the first bytes. Returns the version.
fn verify_start(bytes: &[u8]) -> Result<u32, LoadError> {
    let common = bytes.len().min(MAGIC.len());
    if bytes[..common] != MAGIC[..common] {
        return Err(LoadError::BadMagic {
            looks_like: LooksLike::of(bytes),
        });
    }
    let Some(version) = bytes[common..].first_chunk::<4>() else {
        return Err(LoadError::TooShort {
            bytes: bytes.len(),
            needed: PREAMBLE_BYTES + CHECKSUM_BYTES,
        });
    };
    match u32::from_le_bytes(*version) {
        0 => Err(LoadError::VersionZero),
        version @ 1..=FORMAT_VERSION => Ok(version),
        found => Err(LoadError::NewerVersion {
            found,
            supported: FORMAT_VERSION,
        }),
    }
}

/// Splits everything before the checksum into the header and the sections.
fn split_header(content: &[u8]) -> Result<(&[u8], &[u8]), LoadError> {
    let (preamble, rest) = content.split_at(PREAMBLE_BYTES);
    let length = preamble[12..]
        .iter()
        .rev()
        .fold(0, |length: u64, &byte| length << 8 | u64::from(byte));
    if length > MAX_HEADER_BYTES as u64 {
        return Err(LoadError::HeaderTooLarge {
            length,
            limit: MAX_HEADER_BYTES,
        });
    }
    rest.split_at_checked(length as usize)
        .ok_or(LoadError::HeaderBeyondEnd {
            length,
            left: rest.len(),
        })
}

/// The length that the file should have according to its own header, if that can be read. It tells a
/// truncated file from an altered one.
fn described_length(content: &[u8], version: u32) -> Option<u64> {
    let (header, _) = match split_header(content) {
        Ok(split) => split,
        Err(LoadError::HeaderBeyondEnd { length, .. }) => {
            return Some((PREAMBLE_BYTES + CHECKSUM_BYTES) as u64 + length);
        }
        Err(_) => return None,
    };
    let sections = Header::parse(header, version).ok()?.sections;
    let fixed = (PREAMBLE_BYTES + header.len() + CHECKSUM_BYTES) as u64;
    sections
        .iter()
        .try_fold(fixed, |sum, section| sum.checked_add(section.bytes))
}

/// Checks that the content of the header can be written and read back.
pub(super) fn check_description(model: &Model) -> Result<(), BuildError> {
    let parts = model.parts();
    // The depth is checked first, because writing nested facts is recursive.
    if !shallow_map(&parts.settings, MAX_FACTS_DEPTH) {
        return Err(BuildError::SettingsTooDeep {
            limit: MAX_FACTS_DEPTH,
        });
    }
    if !shallow_map(&parts.facts, MAX_FACTS_DEPTH) {
        return Err(BuildError::FactsTooDeep {
            limit: MAX_FACTS_DEPTH,
        });
    }
    let bytes = Header::to_json(parts, model.format_version(), &[], "").len();
    let limit = MAX_HEADER_BYTES - HEADER_RESERVE;
    if bytes > limit {
        return Err(BuildError::DescriptionTooLarge { bytes, limit });
    }
    Ok(())
}

fn shallow_map(map: &Facts, levels: usize) -> bool {
    levels > 0 && map.values().all(|value| shallow(value, levels - 1))
}

fn shallow(value: &serde_json::Value, levels: usize) -> bool {
    match value {
        serde_json::Value::Object(map) => shallow_map(map, levels),
        serde_json::Value::Array(items) => {
            levels > 0 && items.iter().all(|item| shallow(item, levels - 1))
        }
        _ => true,
    }
}
