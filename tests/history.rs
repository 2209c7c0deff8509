//! A full disk, reported in the window.

use crate::support::snapshots::bits;
use crate::support::studio::{Bench, CTRL, Drawing, NONE};
use sonobrush::base::ScratchFile;
use sonobrush::document::BLOCK_SAMPLES;
use std::path::Path;

const BLOCK_BYTES: u64 = 4 * BLOCK_SAMPLES as u64;

#[test]
fn the_studio_tells_of_a_full_disk_and_goes_on() {
    let mut bench = Bench::with_clip(Drawing::None, "speech_16k_mono.wav");
    let store = bench.studio().document().unwrap().history().original().store().clone();
    store.limit_with(0, ScratchFile::at(Path::new("/dev/full"), BLOCK_BYTES as usize).unwrap());
    let before = bits(&bench.samples(0));
    bench.select(Some([0.5, 0.8]), None);
    bench.key(NONE, egui::Key::Delete);
    let reported = bench.notices();
    assert!(
        reported.iter().any(|(_, what)| what.to_lowercase().contains("disk is full; free some space")),
        "{reported:?}"
    );
    assert_ne!(bits(&bench.samples(0)), before);
    bench.key(CTRL, egui::Key::Z);
    assert_eq!(bits(&bench.samples(0)), before);
}
