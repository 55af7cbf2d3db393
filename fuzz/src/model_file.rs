//! **Promise:** any bytes are a valid model or give a typed error with a hint. A valid model is saved
//! as the same bytes, and it encodes and decodes.

use xxhash_rust::xxh3::xxh3_64;

use super::support::engine::{MAGIC, Model};
use super::support::input::text_of;
use super::support::usable::check_usable;

/// Magic, version, length of the header.
const PREAMBLE: usize = 20;

/// The first byte says how the rest is used: as it is, with a correct checksum, or as a header and
/// sections to which everything else is added.
pub fn check(data: &[u8]) {
    let Some((&mode, content)) = data.split_first() else {
        return;
    };
    match mode % 4 {
        0 => load(content),
        1 => load(&with_checksum(content.to_vec())),
        _ => load(&from_parts(1 + u32::from(mode % 2), content)),
    }
}

fn load(file: &[u8]) {
    match Model::from_bytes(file) {
        Err(error) => {
            assert!(!error.to_string().is_empty());
            assert!(error.hint().is_some(), "{error}");
        }
        Ok(model) => {
            let text = text_of(&file[PREAMBLE..file.len().min(PREAMBLE + 300)]);
            let saved = check_usable(&model, &text);
            // Only the version of the program that wrote the file may differ.
            let program = |file: &[u8]| find(file, b"\"written_by\"");
            assert_eq!(file[8..12], saved[8..12], "the same version");
            let (before, before_saved) = (program(file), program(&saved));
            assert_eq!(before, before_saved);
            assert_eq!(file[PREAMBLE..before], saved[PREAMBLE..before]);
        }
    }
}

fn find(bytes: &[u8], part: &[u8]) -> usize {
    let mut windows = bytes.windows(part.len());
    windows
        .position(|window| window == part)
        .unwrap_or(bytes.len())
}

/// Replaces the last eight bytes with the checksum of those before.
fn with_checksum(mut file: Vec<u8>) -> Vec<u8> {
    let end = file.len().saturating_sub(8);
    file.truncate(end);
    file.extend(xxh3_64(&file).to_le_bytes());
    file
}

/// A file whose header is everything up to the first zero byte.
fn from_parts(version: u32, content: &[u8]) -> Vec<u8> {
    let header = content.split(|&byte| byte == 0).next().unwrap_or_default();
    let sections = content.get(header.len() + 1..).unwrap_or_default();
    let mut file = MAGIC.to_vec();
    file.extend(version.to_le_bytes());
    file.extend((header.len() as u64).to_le_bytes());
    file.extend([header, sections, &[0; 8]].concat());
    with_checksum(file)
}
