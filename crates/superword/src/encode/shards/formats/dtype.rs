//! The types of numbers in shards.

/// How a number is stored. All are little-endian.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dtype {
    /// 16 bits, for ids below 65,536.
    Uint16,
    /// 32 bits.
    Uint32,
    /// 32 bits with a sign, for formats without unsigned numbers of that size.
    Int32,
    /// 64 bits.
    Uint64,
}

impl Dtype {
    const ALL: [Dtype; 4] = [Dtype::Uint16, Dtype::Uint32, Dtype::Int32, Dtype::Uint64];

    /// The name that numpy uses, such as `uint16`.
    pub fn name(self) -> &'static str {
        match self {
            Dtype::Uint16 => "uint16",
            Dtype::Uint32 => "uint32",
            Dtype::Int32 => "int32",
            Dtype::Uint64 => "uint64",
        }
    }

    /// The inverse of [`Dtype::name`].
    pub fn from_name(name: &str) -> Option<Dtype> {
        Dtype::ALL.into_iter().find(|dtype| dtype.name() == name)
    }

    /// Bytes of one number.
    pub fn size(self) -> u64 {
        match self {
            Dtype::Uint16 => 2,
            Dtype::Uint32 | Dtype::Int32 => 4,
            Dtype::Uint64 => 8,
        }
    }

    /// The name in the header of an npy file, such as `<u2`.
    pub(super) fn npy_name(self) -> &'static str {
        match self {
            Dtype::Uint16 => "<u2",
            Dtype::Uint32 => "<u4",
            Dtype::Int32 => "<i4",
            Dtype::Uint64 => "<u8",
        }
    }
}
