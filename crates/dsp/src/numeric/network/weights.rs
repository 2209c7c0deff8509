//! Weights of a network in a file: an eight-byte magic number, then for each tensor its rank (u8), its sizes (u16) and
//! its values (f16, in some files f32), all little-endian.

use crate::base::{Error, ErrorKind, Result};
use half::f16;

/// Reads the tensors of a file one after another.
pub struct WeightReader<'a> {
    rest: &'a [u8],
    /// Number of bytes per value.
    n_bytes: usize,
}

impl<'a> WeightReader<'a> {
    /// A reader for a file of f16, which must begin with the magic number.
    ///
    /// # Errors
    /// [`Unsupported`](ErrorKind::Unsupported) for another format.
    pub fn new(bytes: &'a [u8], magic: &[u8; 8]) -> Result<WeightReader<'a>> {
        Ok(WeightReader { rest: bytes.strip_prefix(magic).ok_or_else(damaged)?, n_bytes: 2 })
    }

    /// A reader for a file of f32, which must begin with the magic number.
    ///
    /// # Errors
    /// As [`new`](WeightReader::new).
    pub fn of_f32(bytes: &'a [u8], magic: &[u8; 8]) -> Result<WeightReader<'a>> {
        Ok(WeightReader { n_bytes: 4, ..WeightReader::new(bytes, magic)? })
    }

    /// The values of the next tensor, which must have these sizes.
    ///
    /// # Errors
    /// [`Unsupported`](ErrorKind::Unsupported) for a truncated file, or one of another network.
    pub fn tensor(&mut self, sizes: &[usize]) -> Result<Vec<f32>> {
        let [rank] = *self.take(1)? else { return Err(damaged()) };
        let found = self.take(2 * usize::from(rank))?;
        let found = found.chunks_exact(2).map(|size| usize::from(u16::from_le_bytes([size[0], size[1]])));
        if !found.eq(sizes.iter().copied()) {
            return Err(damaged());
        }
        let numbers = self.take(self.n_bytes * sizes.iter().product::<usize>())?;
        let number = |bytes: &[u8]| match *bytes {
            [a, b, c, d] => f32::from_le_bytes([a, b, c, d]),
            [a, b] => f16::from_le_bytes([a, b]).to_f32(),
            _ => 0.0,
        };
        Ok(numbers.chunks_exact(self.n_bytes).map(number).collect())
    }

    /// Checks that the whole file was read.
    ///
    /// # Errors
    /// [`Unsupported`](ErrorKind::Unsupported) if bytes are left.
    pub fn done(self) -> Result<()> {
        if self.rest.is_empty() { Ok(()) } else { Err(damaged()) }
    }

    fn take(&mut self, n: usize) -> Result<&'a [u8]> {
        let (taken, rest) = self.rest.split_at_checked(n).ok_or_else(damaged)?;
        self.rest = rest;
        Ok(taken)
    }
}

/// The error for an invalid file.
fn damaged() -> Error {
    Error::new(ErrorKind::Unsupported, "a model is damaged; install Sonobrush again")
}
