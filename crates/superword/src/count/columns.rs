//! Counts as columns in the layout of Arrow: offsets, bytes, counts.
//!
//! Tokens `b"a"` and `b" of"` with the counts 3 and 2 are the offsets `[0, 1, 4]`, the bytes
//! `b"a of"` and the counts `[3, 2]`. Numbers are little-endian. Columns that are written have
//! offsets of 32 bits and come in batches, because Arrow's offsets cannot exceed 2 GiB. Columns that
//! are read have offsets of 64 bits.

/// Rows of a batch, at most.
const BATCH_ROWS: usize = 1 << 20;

/// Bytes of the tokens of a batch, unless a single row has more.
const BATCH_BYTES: usize = 1 << 28;

/// Bytes of the tokens of a row, at most: their offsets must fit in 32 bits.
const MAX_ROW_BYTES: usize = 1 << 30;

/// Why columns cannot be written or read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ColumnError {
    /// A row that is too long for offsets of 32 bits.
    #[error("a token of more than 1 GB does not fit into a table")]
    RowTooLong,
    /// Offsets or counts that do not match the other columns.
    #[error("the columns do not have the same number of rows, or their offsets are wrong")]
    Mismatch,
    /// A token without bytes.
    #[error("a token is empty")]
    EmptyToken,
}

impl ColumnError {
    /// What to do next, where there is something to do.
    pub fn hint(self) -> Option<String> {
        match self {
            ColumnError::RowTooLong => {
                Some("leave such documents out, or use a pretokenizer that splits them".into())
            }
            ColumnError::Mismatch | ColumnError::EmptyToken => None,
        }
    }
}

/// A batch of rows. Each row has one or more tokens and a count.
#[derive(Clone, Debug)]
pub struct Columns {
    rows: usize,
    tokens: i32,
    runs: Vec<u8>,
    offsets: Vec<u8>,
    data: Vec<u8>,
    counts: Vec<u8>,
}

impl Default for Columns {
    fn default() -> Columns {
        let zero = 0i32.to_le_bytes().to_vec();
        Columns {
            rows: 0,
            tokens: 0,
            runs: zero.clone(),
            offsets: zero,
            data: Vec::new(),
            counts: Vec::new(),
        }
    }
}

impl Columns {
    /// Appends a row.
    pub fn push<'b>(&mut self, tokens: impl Iterator<Item = &'b [u8]>, count: u64) {
        for token in tokens {
            self.data.extend_from_slice(token);
            let end = self.data.len() as i32;
            self.offsets.extend_from_slice(&end.to_le_bytes());
            self.tokens += 1;
        }
        self.runs.extend_from_slice(&self.tokens.to_le_bytes());
        self.counts.extend_from_slice(&count.to_le_bytes());
        self.rows += 1;
    }

    fn has_room(&self, bytes: usize) -> bool {
        self.rows == 0 || (self.rows < BATCH_ROWS && self.data.len() + bytes <= BATCH_BYTES)
    }

    /// The batch that starts at a row, and the row after its last one. `bytes` is the size of a row,
    /// and `push` appends it.
    pub fn batch(
        first: usize,
        rows: usize,
        bytes: impl Fn(usize) -> usize,
        push: impl Fn(usize, &mut Columns),
    ) -> Result<(Columns, usize), ColumnError> {
        let (mut batch, mut row) = (Columns::default(), first);
        while row < rows && batch.has_room(bytes(row)) {
            if bytes(row) > MAX_ROW_BYTES {
                return Err(ColumnError::RowTooLong);
            }
            push(row, &mut batch);
            row += 1;
        }
        Ok((batch, row))
    }

    /// The offsets of the rows in the tokens. Only needed if rows have several tokens.
    pub fn runs(&self) -> &[u8] {
        &self.runs
    }

    /// The offsets of the tokens in the bytes.
    pub fn offsets(&self) -> &[u8] {
        &self.offsets
    }

    /// The bytes of all tokens.
    pub fn data(&self) -> &[u8] {
        &self.data
    }

    /// The counts.
    pub fn counts(&self) -> &[u8] {
        &self.counts
    }
}

/// The 64-bit numbers of a column.
pub fn numbers(column: &[u8]) -> impl Iterator<Item = u64> + '_ {
    let (numbers, _) = column.as_chunks::<8>();
    numbers.iter().map(|&number| u64::from_le_bytes(number))
}

/// A column of tokens to read, with offsets of 64 bits. Not trusted: every access is checked.
#[derive(Clone, Copy, Debug)]
pub struct TokenColumn<'b> {
    offsets: &'b [u8],
    data: &'b [u8],
}

impl<'b> TokenColumn<'b> {
    /// The column with these buffers.
    pub fn new(offsets: &'b [u8], data: &'b [u8]) -> Result<TokenColumn<'b>, ColumnError> {
        if !offsets.len().is_multiple_of(8) {
            return Err(ColumnError::Mismatch);
        }
        Ok(TokenColumn { offsets, data })
    }

    /// A token, which is not empty.
    pub fn get(&self, index: u64) -> Result<&'b [u8], ColumnError> {
        let at = usize::try_from(index).ok().and_then(|at| at.checked_mul(8));
        let bounds = at.and_then(|at| self.offsets.get(at..at.checked_add(16)?));
        let mut bounds = numbers(bounds.ok_or(ColumnError::Mismatch)?);
        let mut next = || usize::try_from(bounds.next()?).ok();
        let (Some(start), Some(end)) = (next(), next()) else {
            return Err(ColumnError::Mismatch);
        };
        match self.data.get(start..end) {
            None => Err(ColumnError::Mismatch),
            Some([]) => Err(ColumnError::EmptyToken),
            Some(token) => Ok(token),
        }
    }

    /// The tokens of a row: those from `runs[row]` to `runs[row + 1]`.
    pub fn run(&self, runs: &[u64], row: usize) -> Result<Vec<&'b [u8]>, ColumnError> {
        let Some(&[start, end]) = runs.get(row..row + 2) else {
            return Err(ColumnError::Mismatch);
        };
        (start..end).map(|index| self.get(index)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wide(numbers: &[u64]) -> Vec<u8> {
        numbers
            .iter()
            .flat_map(|number| number.to_le_bytes())
            .collect()
    }

    fn narrow(numbers: &[i32]) -> Vec<u8> {
        numbers
            .iter()
            .flat_map(|number| number.to_le_bytes())
            .collect()
    }

    #[test]
    fn rows_are_laid_out_as_arrow_does() {
        let mut columns = Columns::default();
        columns.push([b"of".as_slice(), b" the"].into_iter(), 12);
        columns.push([b"a".as_slice(), b"b", b"c"].into_iter(), 1 << 40);
        assert_eq!(columns.runs(), narrow(&[0, 2, 5]));
        assert_eq!(columns.offsets(), narrow(&[0, 2, 6, 7, 8, 9]));
        assert_eq!(columns.data(), b"of theabc");
        assert_eq!(columns.counts(), wide(&[12, 1 << 40]));
    }

    #[test]
    fn a_batch_ends_before_it_is_too_large() {
        // The sizes are only reported, not allocated, so the test needs little memory.
        let rows = [BATCH_BYTES + 1, 1, BATCH_BYTES, 3];
        let push = |_: usize, batch: &mut Columns| batch.push(std::iter::once(b"x".as_slice()), 1);
        let mut ends = Vec::new();
        let mut first = 0;
        while first < rows.len() {
            (_, first) = Columns::batch(first, rows.len(), |row| rows[row], push).unwrap();
            ends.push(first);
        }
        assert_eq!(ends, [2, 4]);
        let too_long = Columns::batch(0, 1, |_| MAX_ROW_BYTES + 1, |_, _| ());
        assert_eq!(too_long.unwrap_err(), ColumnError::RowTooLong);
    }

    #[test]
    fn columns_that_are_wrong_are_errors() {
        let offsets = wide(&[0, 2, 2, 9]);
        let column = TokenColumn::new(&offsets, b"abcd").unwrap();
        assert_eq!(column.get(0), Ok(b"ab".as_slice()));
        assert_eq!(column.get(1), Err(ColumnError::EmptyToken));
        assert_eq!(column.get(2), Err(ColumnError::Mismatch)); // beyond the bytes
        assert_eq!(column.get(3), Err(ColumnError::Mismatch)); // beyond the offsets
        assert_eq!(column.get(u64::MAX), Err(ColumnError::Mismatch));
        let backwards = wide(&[3, 1]);
        let column = TokenColumn::new(&backwards, b"abcd").unwrap();
        assert_eq!(column.get(0), Err(ColumnError::Mismatch));
        assert!(TokenColumn::new(&offsets[1..], b"abcd").is_err());
        let column = TokenColumn::new(&offsets, b"abcd").unwrap();
        assert_eq!(column.run(&[0, 1], 0), Ok(vec![b"ab".as_slice()]));
        assert_eq!(column.run(&[0, 1], 1), Err(ColumnError::Mismatch));
        assert_eq!(column.run(&[0, 99], 0), Err(ColumnError::EmptyToken));
    }
}
