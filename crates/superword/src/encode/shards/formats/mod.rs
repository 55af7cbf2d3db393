//! The formats of shards: their files, and how each is written.

mod datatrove;
mod dtype;
mod megatron;
mod npy;
mod packed;
mod parquet;
mod raw;

use std::path::{Path, PathBuf};

pub use dtype::Dtype;
pub use parquet::{Table, Tables};

use super::ShardError;
use crate::disk::Replacement;

/// The most ids that 16 bits can tell apart.
const UINT16_IDS: u64 = 1 << 16;

/// The format of the files of a shard.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum ShardFormat {
    /// Arrays in numpy's file format: the ids, and where each document starts and ends.
    #[default]
    Npy,
    /// The ids without a header, as nanoGPT and OLMo map them, and the same second file as `Npy`.
    Raw,
    /// The indexed dataset of Megatron-LM and NeMo.
    Megatron,
    /// The tokenized files of datatrove.
    Datatrove,
    /// A Parquet file with a list of ids for each document.
    Parquet,
    /// The ids in as few bits as the vocabulary needs, and the same second file as `Npy`.
    Packed,
}

/// What the files of a shard depend on besides its documents.
pub(super) struct NewShard<'a> {
    pub(super) directory: &'a Path,
    pub(super) number: usize,
    pub(super) dtype: Dtype,
    /// The bits that hold every id of the vocabulary.
    pub(super) bits: u32,
    /// SHA-256 of the model file, in hexadecimal.
    pub(super) model_sha256: &'a str,
    pub(super) tables: &'a dyn Tables,
}

impl NewShard<'_> {
    fn path(&self, suffix: &str) -> PathBuf {
        self.directory.join(file_name(self.number, suffix))
    }
}

/// The files of one shard while they are written. Dropped before they are put in place, they leave
/// nothing behind.
pub(super) trait ShardFiles {
    /// Appends a document of `tokens` ids, given as numbers of the type [`ShardFormat::written`].
    fn append(&mut self, ids: &[u8], tokens: u64) -> Result<(), ShardError>;

    /// Appends several documents with these numbers of ids, each of `size` bytes.
    fn append_all(&mut self, ids: &[u8], lengths: &[u64], size: u64) -> Result<(), ShardError> {
        let mut rest = ids;
        for &tokens in lengths {
            let (document, more) = rest.split_at((tokens * size) as usize);
            self.append(document, tokens)?;
            rest = more;
        }
        Ok(())
    }

    /// Writes the rest. The files are returned in the order of [`ShardFormat::suffixes`], ready to
    /// be put in place.
    fn finish(self: Box<Self>) -> Result<Vec<Replacement>, ShardError>;
}

impl ShardFormat {
    const ALL: [ShardFormat; 6] = [
        ShardFormat::Npy,
        ShardFormat::Raw,
        ShardFormat::Megatron,
        ShardFormat::Datatrove,
        ShardFormat::Parquet,
        ShardFormat::Packed,
    ];

    /// The name of the format, such as `megatron`.
    pub fn name(self) -> &'static str {
        match self {
            ShardFormat::Npy => "npy",
            ShardFormat::Raw => "raw",
            ShardFormat::Megatron => "megatron",
            ShardFormat::Datatrove => "datatrove",
            ShardFormat::Parquet => "parquet",
            ShardFormat::Packed => "packed",
        }
    }

    /// The inverse of [`ShardFormat::name`].
    pub fn from_name(name: &str) -> Option<ShardFormat> {
        let mut all = ShardFormat::ALL.into_iter();
        all.find(|format| format.name() == name)
    }

    /// The types that can hold the ids of a vocabulary, the best first.
    ///
    /// ```
    /// use superword::encode::shards::{Dtype, ShardFormat};
    /// assert_eq!(ShardFormat::Npy.dtypes(300)[0], Dtype::Uint16);
    /// assert_eq!(ShardFormat::Megatron.dtypes(100_000), [Dtype::Int32]);
    /// ```
    pub fn dtypes(self, n_vocab: u64) -> &'static [Dtype] {
        match self {
            ShardFormat::Megatron => megatron::dtypes(n_vocab),
            ShardFormat::Parquet => &[Dtype::Int32],
            _ if n_vocab <= UINT16_IDS => &[Dtype::Uint16, Dtype::Uint32],
            _ => &[Dtype::Uint32],
        }
    }

    /// The type in which [`ShardFiles::append`] takes ids that readers get as `dtype`.
    pub(super) fn written(self, dtype: Dtype) -> Dtype {
        match self {
            ShardFormat::Packed => Dtype::Uint32,
            _ => dtype,
        }
    }

    /// How the names of the files of a shard end. The first file holds the ids. The second, if
    /// there is one, says where the documents are.
    pub(super) fn suffixes(self) -> &'static [&'static str] {
        match self {
            ShardFormat::Npy => &[".npy", ".documents.npy"],
            ShardFormat::Raw => &[".bin", ".documents.npy"],
            ShardFormat::Megatron => &[".bin", ".idx"],
            ShardFormat::Datatrove => &[".ds", ".ds.index", ".ds.metadata"],
            ShardFormat::Parquet => &[".parquet"],
            ShardFormat::Packed => &[".packed", ".documents.npy"],
        }
    }

    /// The names of the files of a shard, in the order of [`ShardFormat::suffixes`].
    pub(super) fn files(self, number: usize) -> Vec<String> {
        let suffixes = self.suffixes().iter();
        suffixes.map(|suffix| file_name(number, suffix)).collect()
    }

    /// True for the names that files of shards have in this format.
    ///
    /// ```
    /// use superword::encode::shards::ShardFormat;
    /// assert!(ShardFormat::Megatron.is_file_name("shard-00000.idx"));
    /// assert!(!ShardFormat::Megatron.is_file_name("shard-00000.npy"));
    /// ```
    pub fn is_file_name(self, name: &str) -> bool {
        let Some((number, suffix)) = name
            .strip_prefix("shard-")
            .and_then(|rest| Some(rest.split_at(rest.find('.')?)))
        else {
            return false;
        };
        number.len() >= 5
            && number.bytes().all(|b| b.is_ascii_digit())
            && self.suffixes().contains(&suffix)
    }

    /// True for the names that files of shards have in some format.
    pub(super) fn any_has_file_name(name: &str) -> bool {
        let mut all = ShardFormat::ALL.into_iter();
        all.any(|format| format.is_file_name(name))
    }

    /// Starts the files of a shard.
    pub(super) fn create(self, shard: &NewShard<'_>) -> Result<Box<dyn ShardFiles>, ShardError> {
        Ok(match self {
            ShardFormat::Npy => Box::new(npy::NpyShard::create(shard)?),
            ShardFormat::Raw => Box::new(raw::RawShard::create(shard)?),
            ShardFormat::Megatron => Box::new(megatron::MegatronShard::create(shard)?),
            ShardFormat::Datatrove => Box::new(datatrove::DatatroveShard::create(shard)?),
            ShardFormat::Parquet => Box::new(parquet::ParquetShard::create(shard)?),
            ShardFormat::Packed => Box::new(packed::PackedShard::create(shard)?),
        })
    }

    /// The sizes of the files of a shard with these counts, in the order of
    /// [`ShardFormat::suffixes`]; `None` for a file whose size depends on more than that. Nothing at
    /// all if a size does not fit into 64 bits: then the counts are wrong.
    pub(super) fn sizes(
        self,
        dtype: Dtype,
        bits: u32,
        tokens: u64,
        documents: u64,
    ) -> Option<Sizes> {
        let ids = tokens.checked_mul(dtype.size())?;
        match self {
            ShardFormat::Npy => npy::sizes(ids, documents),
            ShardFormat::Raw => raw::sizes(ids, documents),
            ShardFormat::Megatron => megatron::sizes(ids, documents),
            ShardFormat::Datatrove => datatrove::sizes(ids, documents),
            ShardFormat::Parquet => Some(vec![None]),
            ShardFormat::Packed => packed::sizes(bits, tokens, documents),
        }
    }
}

pub(super) type Sizes = Vec<Option<u64>>;

fn file_name(number: usize, suffix: &str) -> String {
    format!("shard-{number:05}{suffix}")
}

/// The number of tokens of a document as the formats with signed 32-bit lengths store it.
fn signed_length(tokens: u64, format: ShardFormat) -> Result<i32, ShardError> {
    i32::try_from(tokens).map_err(|_| ShardError::DocumentTooLong { tokens, format })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn file_names_are_recognised() {
        for format in ShardFormat::ALL {
            for number in [7, 123_456] {
                for name in format.files(number) {
                    assert!(format.is_file_name(&name), "{name}");
                    assert!(ShardFormat::any_has_file_name(&name), "{name}");
                }
            }
            assert_eq!(ShardFormat::from_name(format.name()), Some(format));
        }
        for name in [
            "shard-1.npy",
            "shard-00000.npy.bak",
            "shard-0000a.npy",
            "x-00000.npy",
            "shard-00000",
            "shard-00000.documents.npy.parquet",
        ] {
            assert!(!ShardFormat::any_has_file_name(name), "{name}");
        }
        assert!(!ShardFormat::Npy.is_file_name("shard-00000.parquet"));
    }

    /// The files of a shard with three documents.
    fn files_of(format: ShardFormat, append: impl Fn(&mut dyn ShardFiles, u64)) -> Vec<Vec<u8>> {
        let directory = tempfile::tempdir().unwrap();
        let dtype = format.dtypes(100_000)[0];
        let new = NewShard {
            directory: directory.path(),
            number: 0,
            dtype,
            bits: 17,
            model_sha256: "",
            tables: &parquet::tests::NoTables,
        };
        let mut shard = format.create(&new).unwrap();
        append(&mut *shard, format.written(dtype).size());
        for file in shard.finish().unwrap() {
            file.commit().unwrap();
        }
        let names = format.files(0).into_iter();
        names
            .map(|name| std::fs::read(directory.path().join(name)).unwrap())
            .collect()
    }

    #[test]
    fn documents_are_the_same_one_by_one_and_all_at_once() {
        // The second document is so long that it is written without a copy.
        let lengths = [3u64, 100_000, 0];
        let ids: Vec<u8> = (0..100_003u32).flat_map(u32::to_le_bytes).collect();
        for format in ShardFormat::ALL {
            if format == ShardFormat::Parquet {
                continue; // Written by the caller.
            }
            let one_by_one = files_of(format, |shard, size| {
                let mut rest = &ids[..];
                for tokens in lengths {
                    let (document, more) = rest.split_at((tokens * size) as usize);
                    shard.append(document, tokens).unwrap();
                    rest = more;
                }
            });
            let all_at_once = files_of(format, |shard, size| {
                shard.append_all(&ids, &lengths, size).unwrap();
            });
            assert_eq!(one_by_one, all_at_once, "{format:?}");
            assert!(one_by_one[0].len() > 100_003 * 17 / 8);
        }
    }

    #[test]
    fn sixteen_bits_are_used_as_far_as_the_readers_do() {
        let best = |format: ShardFormat, n_vocab| format.dtypes(n_vocab)[0].name();
        assert_eq!(best(ShardFormat::Npy, 65_536), "uint16");
        assert_eq!(best(ShardFormat::Raw, 65_537), "uint32");
        assert_eq!(best(ShardFormat::Megatron, 65_499), "uint16");
        assert_eq!(best(ShardFormat::Megatron, 65_500), "int32");
        assert!(
            ShardFormat::Megatron
                .dtypes(65_536)
                .contains(&Dtype::Uint16)
        );
        assert!(
            !ShardFormat::Megatron
                .dtypes(65_537)
                .contains(&Dtype::Uint16)
        );
        assert_eq!(best(ShardFormat::Parquet, 10), "int32");
    }
}
