//! Uploads to the device, downloads from it, and copies on it.

use super::pool::{BufferKind, Lease};
use super::reads::ReadBack;
use crate::base::{Error, ErrorKind, Result};
use crate::dsp::Region;
use crate::gpu::batch::Batch;
use crate::gpu::{Gpu, GpuRegion};
use std::sync::mpsc;

/// Maximum number of bytes copied to or from the device per submission.
const COPY_BYTES: usize = 16 << 20;

/// A range of bytes of a buffer, starting at a four-byte value.
pub(in crate::gpu) struct ReadPiece<'a> {
    pub what: ReadBack,
    pub lease: &'a Lease,
    pub first: usize,
    pub bytes: &'a mut [u8],
}

impl Gpu {
    /// Uploads a region from RAM.
    ///
    /// # Errors
    /// [`ErrorKind::Limit`] if it is larger than the device's largest buffer, [`ErrorKind::Gpu`] when the device fails.
    pub fn upload(&self, region: &Region) -> Result<GpuRegion> {
        self.guarded(|| {
            let on_device = self.region(region.rect.clone())?;
            self.write(&on_device.magnitude, &region.magnitude);
            self.write(&on_device.phase, &region.phase);
            Ok(on_device)
        })
    }

    /// Downloads a region to RAM. Waits for the result, so never call it on a UI thread.
    ///
    /// # Errors
    /// [`ErrorKind::Gpu`].
    pub fn download(&self, region: &GpuRegion) -> Result<Region> {
        self.guarded(|| {
            let mut in_ram = Region::zeros(region.rect.clone());
            self.read(ReadBack::Cells, &region.magnitude, 0, &mut in_ram.magnitude)?;
            self.read(ReadBack::Cells, &region.phase, 0, &mut in_ram.phase)?;
            Ok(in_ram)
        })
    }

    /// Copies the cells of a region to another of as many cells.
    pub fn copy_region(&self, batch: &mut Batch<'_>, from: &GpuRegion, to: &GpuRegion) {
        let n_bytes = 4 * from.rect.n_cells().min(to.rect.n_cells()) as u64;
        for (from, to) in [(&from.magnitude, &to.magnitude), (&from.phase, &to.phase)] {
            batch.copy(from, 0, to, 0, n_bytes);
        }
    }

    /// A buffer with these values.
    pub(in crate::gpu) fn uploaded<T: bytemuck::Pod>(&self, values: &[T]) -> Result<Lease> {
        let lease = self.pool.lease(BufferKind::Storage, size_of_val(values) as u64)?;
        self.write(&lease, values);
        Ok(lease)
    }

    pub(in crate::gpu) fn write<T: bytemuck::Pod>(&self, lease: &Lease, values: &[T]) {
        let bytes: &[u8] = bytemuck::cast_slice(values);
        for (i, piece) in bytes.chunks(COPY_BYTES).enumerate() {
            self.queue().write_buffer(lease.buffer(), (i * COPY_BYTES) as u64, piece);
            if bytes.len() > COPY_BYTES {
                self.device.submit(None);
            }
        }
    }

    /// Total number of bytes of a kind read back so far.
    pub fn bytes_read(&self, what: ReadBack) -> u64 {
        self.reads.bytes(what)
    }

    /// Reads four-byte values, starting at value `first`. Waits for them.
    pub(in crate::gpu) fn read<T: bytemuck::Pod>(
        &self,
        what: ReadBack,
        lease: &Lease,
        first: usize,
        values: &mut [T],
    ) -> Result<()> {
        self.read_in_copies([ReadPiece { what, lease, first, bytes: bytemuck::cast_slice_mut(values) }])
    }

    /// Reads the bytes of several buffers, with one wait for each [`COPY_BYTES`].
    pub(in crate::gpu) fn read_in_copies<'a>(&self, pieces: impl IntoIterator<Item = ReadPiece<'a>>) -> Result<()> {
        let (mut waiting, mut n_bytes) = (Vec::new(), 0);
        for ReadPiece { what, lease, first, bytes } in pieces {
            for (i, bytes) in bytes.chunks_mut(COPY_BYTES).enumerate() {
                if n_bytes + bytes.len() > COPY_BYTES {
                    self.read_pieces(&mut waiting)?;
                    waiting.clear();
                    n_bytes = 0;
                }
                n_bytes += bytes.len();
                waiting.push(ReadPiece { what, lease, first: first + i * COPY_BYTES / 4, bytes });
            }
        }
        if waiting.is_empty() { Ok(()) } else { self.read_pieces(&mut waiting) }
    }

    /// Reads the bytes of several buffers with one wait; together they must fit one copy.
    pub(in crate::gpu) fn read_pieces(&self, pieces: &mut [ReadPiece<'_>]) -> Result<()> {
        let n_bytes: u64 = pieces.iter().map(|piece| piece.bytes.len() as u64).sum();
        let staging = self.pool.lease(BufferKind::ReadBack, n_bytes)?;
        let mut batch = Batch::new(self)?;
        let mut at = 0;
        for ReadPiece { lease, first, bytes, .. } in pieces.iter() {
            batch.copy(lease, 4 * *first as u64, &staging, at, bytes.len() as u64);
            at += bytes.len() as u64;
        }
        let submission = batch.submit();
        let (sender, answer) = mpsc::channel();
        let slice = staging.buffer().slice(..n_bytes);
        // The receiver is gone only when the caller has given up on the device.
        slice.map_async(wgpu::MapMode::Read, move |result| drop(sender.send(result)));
        self.device.wait(submission, &answer)?;
        let copied = slice.get_mapped_range().map(|mapped| {
            let mut at = 0;
            for ReadPiece { what, bytes, .. } in pieces {
                bytes.copy_from_slice(&mapped[at..at + bytes.len()]);
                at += bytes.len();
                self.reads.add(*what, bytes.len() as u64);
            }
        });
        staging.buffer().unmap();
        copied.map_err(|_| Error::new(ErrorKind::Gpu, "the graphics device was lost"))
    }
}
