//! The sections of a model file: events, ids, n-grams, ranks and unmade tokens as bytes.
//!
//! Numbers are in LEB128: seven bits per byte, low bits first, with the high bit set in all bytes but
//! the last. They always take the fewest possible bytes. 300 is `AC 02`.

use super::LoadError;
use crate::model::{Event, ModelParts};
use crate::token::{Symbol, TokenId};

const MERGE: u8 = 0;
const SUPERMERGE: u8 = 1;
const DELETE: u8 = 2;

/// One of the parts of the file that follow the header.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Section {
    /// The events.
    Events,
    /// The id of each symbol, if ids do not follow from the events.
    Ids,
    /// The n-grams for greedy splitting.
    Ngrams,
    /// The rank of each merge, if ranks are not the order of the events.
    Order,
    /// The tokens that no merge makes.
    Unmade,
}

impl Section {
    const ALL: [Section; 5] = [
        Section::Events,
        Section::Ids,
        Section::Ngrams,
        Section::Order,
        Section::Unmade,
    ];

    /// The name in the header: `events`, `ids`, `ngrams`, `order`, `unmade`.
    pub fn name(self) -> &'static str {
        match self {
            Section::Events => "events",
            Section::Ids => "ids",
            Section::Ngrams => "ngrams",
            Section::Order => "order",
            Section::Unmade => "unmade",
        }
    }

    /// The inverse of [`Section::name`].
    pub fn from_name(name: &str) -> Option<Section> {
        Section::ALL
            .into_iter()
            .find(|section| section.name() == name)
    }

    /// The first format version that has the section.
    fn since(self) -> u32 {
        match self {
            Section::Events | Section::Ids | Section::Ngrams => 1,
            Section::Order | Section::Unmade => 2,
        }
    }

    /// The fewest bytes of an item: a deletion of a small symbol, an id, an n-gram of two small
    /// symbols, a small rank, or the empty token.
    fn smallest_item(self) -> u64 {
        match self {
            Section::Events => 2,
            Section::Ids => 4,
            Section::Ngrams => 3,
            Section::Order | Section::Unmade => 1,
        }
    }
}

impl std::fmt::Display for Section {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

/// The length of a section according to the header.
#[derive(Clone, Copy, Debug)]
pub(super) struct SectionLength {
    pub(super) section: Section,
    pub(super) bytes: u64,
    pub(super) items: u64,
}

/// The content of all sections.
pub(super) struct Content {
    pub(super) events: Vec<Event>,
    pub(super) ids: Option<Vec<TokenId>>,
    pub(super) ngrams: Vec<Vec<Symbol>>,
    pub(super) order: Option<Vec<u32>>,
    pub(super) unmade: Vec<Vec<u8>>,
}

/// Writes the sections of a model one after the other and returns their lengths.
pub(super) fn write(parts: &ModelParts) -> (Vec<SectionLength>, Vec<u8>) {
    let mut bytes = Vec::with_capacity(parts.events.len() * 10);
    let mut lengths = Vec::new();
    let mut end = |section, items: usize, bytes: &Vec<u8>| {
        let before: u64 = lengths
            .iter()
            .map(|length: &SectionLength| length.bytes)
            .sum();
        lengths.push(SectionLength {
            section,
            bytes: bytes.len() as u64 - before,
            items: items as u64,
        });
    };
    for event in &parts.events {
        let (kind, left, right, count) = match *event {
            Event::Merge { left, right, count } => (MERGE, left, right, count),
            Event::Supermerge { left, right, count } => (SUPERMERGE, left, right, count),
            Event::Delete { token } => {
                bytes.push(DELETE);
                put_number(&mut bytes, token.0.into());
                continue;
            }
        };
        bytes.push(kind);
        put_number(&mut bytes, left.0.into());
        put_number(&mut bytes, right.0.into());
        put_number(&mut bytes, count);
    }
    end(Section::Events, parts.events.len(), &bytes);
    if let Some(ids) = &parts.ids {
        for id in ids {
            bytes.extend_from_slice(&id.0.to_le_bytes());
        }
        end(Section::Ids, ids.len(), &bytes);
    }
    if !parts.ngrams.is_empty() {
        for ngram in &parts.ngrams {
            put_number(&mut bytes, ngram.len() as u64);
            for token in ngram {
                put_number(&mut bytes, token.0.into());
            }
        }
        end(Section::Ngrams, parts.ngrams.len(), &bytes);
    }
    if let Some(order) = &parts.order {
        for &rank in order {
            put_number(&mut bytes, rank.into());
        }
        end(Section::Order, order.len(), &bytes);
    }
    if !parts.unmade.is_empty() {
        for token in &parts.unmade {
            put_number(&mut bytes, token.len() as u64);
            bytes.extend_from_slice(token);
        }
        end(Section::Unmade, parts.unmade.len(), &bytes);
    }
    (lengths, bytes)
}

fn put_number(bytes: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

/// Reads the sections from `body`, which starts at byte `offset` of a file of this version.
pub(super) fn read(
    body: &[u8],
    offset: usize,
    version: u32,
    lengths: &[SectionLength],
) -> Result<Content, LoadError> {
    check_lengths(body, version, lengths)?;
    let mut content = Content {
        events: Vec::new(),
        ids: None,
        ngrams: Vec::new(),
        order: None,
        unmade: Vec::new(),
    };
    let mut start = 0;
    for length in lengths {
        // In bounds, because the lengths add up to the length of the body.
        let end = start + length.bytes as usize;
        let mut reader = Reader {
            bytes: &body[start..end],
            at: 0,
            offset: offset + start,
            section: length.section,
            item: 0,
        };
        match length.section {
            Section::Events => content.events = reader.items(length.items, Reader::event)?,
            Section::Ids => content.ids = Some(reader.items(length.items, Reader::id)?),
            Section::Ngrams => content.ngrams = reader.items(length.items, Reader::ngram)?,
            Section::Order => content.order = Some(reader.items(length.items, Reader::rank)?),
            Section::Unmade => content.unmade = reader.items(length.items, Reader::token)?,
        }
        start = end;
    }
    Ok(content)
}

/// Checks that this version has the sections, that they are in order, that their lengths add up, and that they are long enough
/// for their items.
fn check_lengths(body: &[u8], version: u32, lengths: &[SectionLength]) -> Result<(), LoadError> {
    if let Some(later) = lengths
        .iter()
        .find(|length| length.section.since() > version)
    {
        return Err(LoadError::SectionOfLaterVersion {
            section: later.section,
            version,
        });
    }
    if lengths.first().map(|length| length.section) != Some(Section::Events) {
        return Err(LoadError::NoEvents);
    }
    if let Some(pair) = lengths
        .windows(2)
        .find(|pair| pair[0].section >= pair[1].section)
    {
        return Err(LoadError::SectionOrder {
            section: pair[1].section,
        });
    }
    let described = lengths
        .iter()
        .fold(0, |sum: u64, length| sum.saturating_add(length.bytes));
    if described != body.len() as u64 {
        return Err(LoadError::SectionsLength {
            described,
            present: body.len(),
        });
    }
    for &SectionLength {
        section,
        bytes,
        items,
    } in lengths
    {
        if items > bytes / section.smallest_item() {
            return Err(LoadError::TooManyItems {
                section,
                items,
                bytes,
            });
        }
        if items == 0 && section != Section::Events {
            return Err(LoadError::SectionEmpty { section });
        }
    }
    Ok(())
}

struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
    /// The start of the section in the file.
    offset: usize,
    section: Section,
    item: u64,
}

impl Reader<'_> {
    /// Reads all items. `count` has been checked against the length of the section.
    fn items<T>(
        &mut self,
        count: u64,
        read: impl Fn(&mut Self) -> Result<T, LoadError>,
    ) -> Result<Vec<T>, LoadError> {
        let mut items = Vec::with_capacity(count as usize);
        while self.item < count {
            items.push(read(self)?);
            self.item += 1;
        }
        let left = self.bytes.len() - self.at;
        if left > 0 {
            return Err(LoadError::BytesLeft {
                section: self.section,
                left,
                offset: self.offset + self.at,
            });
        }
        Ok(items)
    }

    fn event(&mut self) -> Result<Event, LoadError> {
        let offset = self.offset + self.at;
        Ok(match self.byte()? {
            MERGE => Event::Merge {
                left: self.symbol()?,
                right: self.symbol()?,
                count: self.number()?,
            },
            SUPERMERGE => Event::Supermerge {
                left: self.symbol()?,
                right: self.symbol()?,
                count: self.number()?,
            },
            DELETE => Event::Delete {
                token: self.symbol()?,
            },
            kind => {
                return Err(LoadError::EventKind {
                    event: self.item,
                    kind,
                    offset,
                });
            }
        })
    }

    fn id(&mut self) -> Result<TokenId, LoadError> {
        let Some(bytes) = self.bytes[self.at..].first_chunk::<4>() else {
            return Err(self.ends());
        };
        self.at += bytes.len();
        Ok(TokenId(u32::from_le_bytes(*bytes)))
    }

    fn ngram(&mut self) -> Result<Vec<Symbol>, LoadError> {
        let length = self.number()?;
        // Each symbol takes at least one byte, so no more memory is reserved than the section needs.
        if length > (self.bytes.len() - self.at) as u64 {
            return Err(self.ends());
        }
        (0..length).map(|_| self.symbol()).collect()
    }

    fn token(&mut self) -> Result<Vec<u8>, LoadError> {
        let length = self.number()?;
        let rest = &self.bytes[self.at..];
        let token = usize::try_from(length)
            .ok()
            .and_then(|length| rest.get(..length))
            .ok_or_else(|| self.ends())?;
        self.at += token.len();
        Ok(token.to_vec())
    }

    fn symbol(&mut self) -> Result<Symbol, LoadError> {
        self.rank().map(Symbol)
    }

    fn rank(&mut self) -> Result<u32, LoadError> {
        let start = self.at;
        let number = self.number()?;
        u32::try_from(number).map_err(|_| self.too_large(start, u32::MAX.into()))
    }

    fn number(&mut self) -> Result<u64, LoadError> {
        let start = self.at;
        let mut number = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            // The tenth byte contains the last of the 64 bits.
            if shift == 63 && byte > 1 {
                return Err(self.too_large(start, u64::MAX));
            }
            number |= u64::from(byte & 0x7F) << shift;
            if byte < 0x80 {
                if byte == 0 && shift > 0 {
                    return Err(LoadError::NumberNotShortest {
                        section: self.section,
                        item: self.item,
                        offset: self.offset + start,
                    });
                }
                return Ok(number);
            }
        }
        Err(self.too_large(start, u64::MAX))
    }

    fn byte(&mut self) -> Result<u8, LoadError> {
        let byte = *self.bytes.get(self.at).ok_or_else(|| self.ends())?;
        self.at += 1;
        Ok(byte)
    }

    fn ends(&self) -> LoadError {
        LoadError::SectionEnds {
            section: self.section,
            item: self.item,
            offset: self.offset + self.bytes.len(),
        }
    }

    fn too_large(&self, start: usize, limit: u64) -> LoadError {
        LoadError::NumberTooLarge {
            section: self.section,
            item: self.item,
            offset: self.offset + start,
            limit,
        }
    }
}
