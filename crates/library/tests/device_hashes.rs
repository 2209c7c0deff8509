//! A device computes the same hashes of picture files as the CPU.

use base::{EngineChoice, Progress};
use engine::Engine;
use library::batches::{BatchEngine, BatchOrder, KnownRates};
use library::identity::pictures::{FileHashes, hash_files};
use std::path::PathBuf;
use test_engine::gpu::gpu;

fn hashed(engine: &mut BatchEngine, paths: &[PathBuf]) -> Vec<FileHashes> {
    let hashes = hash_files(paths, false, engine, &Progress::new()).unwrap();
    hashes.into_iter().map(Result::unwrap).collect()
}

/// PNG and JPEG files of every kind, a flat and a tall one too, in batches of seven.
#[test]
fn picture_files_have_the_hashes_of_the_cpu() {
    let Some(gpu) = gpu() else { return };
    let folder = support::root().join("tests/reference/pictures");
    let mut paths: Vec<PathBuf> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    assert!(paths.len() >= 30, "{}", paths.len());
    let order = BatchOrder { choice: EngineChoice::Gpu, batch_size: Some(7), ..BatchOrder::cpu() };
    let mut on_gpu = BatchEngine::on(Some(Engine::on(gpu)), &order, KnownRates::default());
    let expected = hashed(&mut BatchEngine::cpu(), &paths);
    assert_eq!(hashed(&mut on_gpu, &paths), expected);
    let [cpu, device] = on_gpu.take_counts();
    assert_eq!((cpu.items, device.items as usize, device.fallbacks), (0, paths.len(), 0));
    assert!(device.largest <= 7 && device.batches >= 5, "{device:?}");
    // Control: hashes tell the files apart.
    let distinct: std::collections::HashSet<&str> = expected.iter().map(|one| one.whash.as_str()).collect();
    assert!(distinct.len() > 15, "{}", distinct.len());
}
