//! The numbers of a network in a file: eight bytes that name it, then each tensor with its rank (u8), its sizes (u16)
//! and its numbers (f16), all little-endian.

use crate::base::{Error, ErrorKind, Result};
use half::f16;

/// Reads tensor after tensor.
pub struct WeightReader<'a> {
    rest: &'a [u8],
}

impl<'a> WeightReader<'a> {
    /// Reads a file's bytes, which must begin with the magic.
    ///
    /// # Errors
    /// [`Unsupported`](ErrorKind::Unsupported) for another format.
    pub fn new(bytes: &'a [u8], magic: &[u8; 8]) -> Result<WeightReader<'a>> {
        Ok(WeightReader { rest: bytes.strip_prefix(magic).ok_or_else(damaged)? })
    }

    /// The numbers of the next tensor, which must have these sizes.
    ///
    /// # Errors
    /// [`Unsupported`](ErrorKind::Unsupported) for a file that is cut short, or of another network.
    pub fn tensor(&mut self, sizes: &[usize]) -> Result<Vec<f32>> {
        let [rank] = *self.take(1)? else { return Err(damaged()) };
        let found = self.take(2 * usize::from(rank))?;
        let found = found.chunks_exact(2).map(|size| usize::from(u16::from_le_bytes([size[0], size[1]])));
        if !found.eq(sizes.iter().copied()) {
            return Err(damaged());
        }
        let numbers = self.take(2 * sizes.iter().product::<usize>())?;
        Ok(numbers.chunks_exact(2).map(|number| f16::from_le_bytes([number[0], number[1]]).to_f32()).collect())
    }

    /// Ends the reading.
    ///
    /// # Errors
    /// [`Unsupported`](ErrorKind::Unsupported) where bytes are left.
    pub fn done(self) -> Result<()> {
        if self.rest.is_empty() { Ok(()) } else { Err(damaged()) }
    }

    fn take(&mut self, n: usize) -> Result<&'a [u8]> {
        let (taken, rest) = self.rest.split_at_checked(n).ok_or_else(damaged)?;
        self.rest = rest;
        Ok(taken)
    }
}

/// The error about an invalid file.
fn damaged() -> Error {
    Error::new(ErrorKind::Unsupported, "a model is damaged; install Sonobrush again")
}
