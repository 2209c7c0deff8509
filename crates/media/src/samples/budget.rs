//! The memory that decoded samples may use.

use crate::base::{Error, ErrorKind, Result, available_bytes};

/// Remaining memory for decoded samples; larger allocations are refused.
#[derive(Debug)]
pub(crate) struct Budget {
    left_bytes: u64,
}

impl Budget {
    /// Three quarters of the free memory; 8 GiB if that is unknown.
    pub(crate) fn new() -> Budget {
        Budget { left_bytes: available_bytes().map_or(8 << 30, |free| free / 4 * 3) }
    }

    /// Refuses an allocation that exceeds the budget.
    fn check(&self, n_bytes: u64) -> Result<()> {
        if n_bytes > self.left_bytes {
            return Err(too_long(n_bytes));
        }
        Ok(())
    }

    /// Returns memory to the budget.
    pub(crate) fn give_back(&mut self, n_bytes: u64) {
        self.left_bytes += n_bytes;
    }

    /// Reserves memory for exactly `n` more values in every channel, without reducing the budget.
    pub(crate) fn reserve_exact<T>(&self, channels: &mut [Vec<T>], n: u64) -> Result<()> {
        let n_bytes = n.saturating_mul(channels.len() as u64 * size_of::<T>() as u64);
        let n = usize::try_from(n).map_err(|_| too_long(n_bytes))?;
        self.check(n_bytes)?;
        for channel in channels {
            channel.try_reserve_exact(n).map_err(|_| too_long(n_bytes))?;
        }
        Ok(())
    }

    /// Reserves memory for `n` more values, and reduces the budget by it.
    pub(crate) fn reserve<T>(&mut self, values: &mut Vec<T>, n: usize) -> Result<()> {
        let n_bytes = (n as u64).saturating_mul(size_of::<T>() as u64);
        self.check(n_bytes)?;
        values.try_reserve(n).map_err(|_| too_long(n_bytes))?;
        self.left_bytes -= n_bytes;
        Ok(())
    }
}

fn too_long(n_bytes: u64) -> Error {
    let gb = n_bytes as f64 / 1e9;
    let sentence = format!("is too long for the free memory ({gb:.1} GB more are needed); split it into parts");
    Error::new(ErrorKind::Limit, sentence)
}
