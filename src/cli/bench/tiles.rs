//! Measures tiles of the canvas, and the analysis of an hour of samples that are on the device, beside plain copies.

use super::stopwatch::{RATE_HZ, Stopwatch, noise};
use crate::base::Result;
use crate::document::{Signal, Snapshot};
use crate::dsp::transforms::rows::RowsParams;
use crate::dsp::{CellRect, Grid, GridPlan, Region, StftParams, Transform};
use crate::engine::EngineRegion;
use crate::gpu::{Gpu, GpuRegion, PlaneTextures};
use crate::media::Source;
use crate::view::{Analysis, ChannelView, TILE_ENTRIES};
use std::collections::VecDeque;

/// Duration of the sound under the tiles.
const TILE_SOUND_SECS: usize = 30;
/// Duration of the resident sound: larger than the caches of devices, smaller than the pages that the device keeps.
const RESIDENT_SECS: usize = 300;
/// Number of times that it is analysed, which makes an hour.
const N_RESIDENT: usize = 3600 / RESIDENT_SECS;
/// Number of results kept, so that no write hits a cache: 128 MB.
const N_KEPT: usize = 4;
/// Copies of [`REGION_BYTES`] that make 1 GiB.
const N_COPIES: usize = (1 << 30) / REGION_BYTES;
/// Bytes of both planes of a copied region.
const REGION_BYTES: usize = 32 << 20;

pub(super) fn measure(stopwatch: &mut Stopwatch<'_>) -> Result<()> {
    // With the CPU engine, any adapter draws the cells.
    if let Some(gpu) = stopwatch.engine.gpu().cloned().or_else(|| Gpu::headless(None).ok()) {
        let transforms: [(_, Transform); 2] =
            [("tile_256_frames", StftParams::default().into()), ("tile_256_rows", RowsParams::music().into())];
        for (name, transform) in transforms {
            if stopwatch.wants(name)? {
                tile(stopwatch, name, &transform, &gpu)?;
            }
        }
    }
    if let Some(gpu) = stopwatch.engine.gpu().cloned() {
        if stopwatch.wants("stft_hour_resident")? {
            hour(stopwatch, "stft_hour_resident")?;
        }
        if stopwatch.wants("copy_1gib")? {
            copy(stopwatch, "copy_1gib", &gpu)?;
        }
    }
    Ok(())
}

/// Writes cells into textures.
pub(super) fn draw(gpu: &Gpu, region: &EngineRegion, planes: &PlaneTextures) -> Result<()> {
    match region {
        EngineRegion::Gpu(region) => gpu.in_batch(|batch| gpu.scatter(batch, region, &region.rect, planes)),
        EngineRegion::Cpu(region) => gpu.write_planes(region, planes),
    }
}

/// Measures a tile of full cells of mono, from samples that the engine's device keeps, if it has one, to its textures.
fn tile(stopwatch: &mut Stopwatch<'_>, name: &str, transform: &Transform, gpu: &Gpu) -> Result<()> {
    let engine = stopwatch.engine;
    let sound = Snapshot::new(Source::from_channels(vec![noise(TILE_SOUND_SECS * RATE_HZ as usize)], RATE_HZ as u32)?);
    let analysis = Analysis::new(&sound, ChannelView::All, engine.plans().view(transform, RATE_HZ)?)?;
    let entries = TILE_ENTRIES..2 * TILE_ENTRIES;
    let planes = gpu.plane_textures(&CellRect::new(entries.clone(), analysis.grid().all_cells().bins))?;
    stopwatch.time(name, || {
        draw(gpu, &analysis.region_on(engine, entries.clone())?, &planes)?;
        gpu.finish();
        Ok(())
    })
}

/// Measures the STFT of an hour of mono whose samples are in pages on the device, with all cells written.
fn hour(stopwatch: &mut Stopwatch<'_>, name: &str) -> Result<()> {
    let engine = stopwatch.engine;
    let samples = noise(RESIDENT_SECS * RATE_HZ as usize);
    let grid = Grid::new(StftParams::default(), RATE_HZ, samples.len() as u64);
    let sound = Snapshot::new(Source::from_channels(vec![samples], RATE_HZ as u32)?);
    let plan = GridPlan::from(engine.plans().get(grid.transform().stft()?));
    let pieces = super::transforms::pieces(engine, &grid);
    stopwatch.time(name, || {
        let mut kept = VecDeque::new();
        for frames in (0..N_RESIDENT).flat_map(|_| &pieces) {
            let rect = grid.all_bins(frames.clone());
            kept.push_back(engine.analyse_sound(&plan, &sound.signal(Signal::Channel(0)), &rect)?);
            if kept.len() > N_KEPT {
                kept.pop_front();
            }
        }
        engine.finish();
        Ok(())
    })
}

/// Measures copies of 1 GiB on the device, for its memory bandwidth: each byte is read and written once.
fn copy(stopwatch: &mut Stopwatch<'_>, name: &str, gpu: &Gpu) -> Result<()> {
    let rect = CellRect::new(0..REGION_BYTES / 8 / 1024, 0..1024);
    let regions: Vec<GpuRegion> =
        (0..N_KEPT).map(|_| gpu.upload(&Region::zeros(rect.clone()))).collect::<Result<_>>()?;
    stopwatch.time(name, || {
        gpu.in_batch(|batch| {
            for i in 0..N_COPIES {
                gpu.copy_region(batch, &regions[i % N_KEPT], &regions[(i + N_KEPT / 2) % N_KEPT]);
            }
            Ok(())
        })?;
        gpu.finish();
        Ok(())
    })
}
