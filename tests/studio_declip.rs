//! Clipped peaks in the window: previewed, compared, restored, and what is said of them.

use crate::previews::preview;
use crate::support::measure::{changed, snr_db_f32};
use crate::support::studio::{Bench, CTRL, Drawing, NONE, bits, clip, open, samples};
use egui::Key;
use sonobrush::document::Snapshot;
use sonobrush::document::brushes::{Brush, Declip};
use sonobrush::dsp::repair::declip::DeclipQuality;
use sonobrush::media::Source;
use sonobrush::workbench::commands::{EditCommand, PreviewCommand};
use sonobrush::workbench::{Repair, Severity};

fn shown(samples: Vec<f32>) -> Bench {
    let mut bench = Bench::with_clip(Drawing::None, "crow_44k_mono.flac");
    bench.show(Snapshot::new(Source::from_channels(vec![samples], 16_000).unwrap()));
    bench
}

#[test]
fn clipped_peaks_are_previewed_compared_and_restored() {
    let speech = samples(&open(&clip("speech_16k_mono.wav")), 0)[20_000..36_000].to_vec();
    let peak = speech.iter().fold(0.0f32, |peak, x| peak.max(x.abs()));
    let clean: Vec<f32> = speech.iter().map(|x| 3.0 * x / peak).collect();
    let clipped: Vec<f32> = clean.iter().map(|x| x.clamp(-1.0, 1.0)).collect();
    let mut bench = shown(clipped.clone());
    // A band is selected: all frequencies come back, in its time.
    bench.select(Some([0.0, 0.9]), Some([500.0, 600.0]));
    bench.act(EditCommand::Declip);
    bench.settle();
    assert!(preview(&bench).is_up_to_date() && preview(&bench).fault().is_none(), "{:?}", bench.notices());
    let found = preview(&bench).found().unwrap().to_owned();
    assert!(found.contains("dBFS, ") && found.ends_with(" % clipped") && bench.has(&found), "{found}");
    assert!(preview(&bench).notice().unwrap().starts_with("peaks reach +"));
    // Fast is another sound.
    let best = samples(preview(&bench).sound(), 0);
    bench.set_tools(|tools| tools.keep(Declip { quality: DeclipQuality::Fast, ..Declip::DEFAULT }.into()));
    bench.settle();
    let fast = samples(preview(&bench).sound(), 0);
    assert!(!changed(&best, &fast).is_empty() && changed(&clipped, &fast).iter().all(|at| *at < 14_400));
    // Heard before and after.
    let shown = |bench: &Bench| bits(&samples(bench.studio().document().unwrap().shown(), 0));
    bench.act(PreviewCommand::HearBefore);
    bench.settle();
    assert_eq!(shown(&bench), bits(&clipped));
    bench.act(PreviewCommand::HearAfter);
    bench.settle();
    assert_eq!(shown(&bench), bits(&fast));
    bench.key(NONE, Key::Enter);
    bench.settle();
    assert_eq!(bench.studio().document().unwrap().history().position(), 1, "{:?}", bench.notices());
    let after = bench.samples(0);
    assert_eq!(bits(&after), bits(&fast), "what was previewed is applied");
    let gained_db = snr_db_f32(&after[..14_400], &clean[..14_400]) - snr_db_f32(&clipped[..14_400], &clean[..14_400]);
    assert!(gained_db > 3.0, "{gained_db} dB");
    bench.key(CTRL, Key::Z);
    assert_eq!(bits(&bench.samples(0)), bits(&clipped), "undone");
    let quality = |bench: &Bench| match bench.studio().workbench().tools().settings().repair(Repair::Declip) {
        Brush::Declip(declip) => declip.quality,
        other => panic!("{other:?}"),
    };
    assert_eq!(quality(&bench), DeclipQuality::Fast, "it stays as it was set");
}

#[test]
fn a_sound_that_is_not_clipped_is_left_alone_with_a_sentence() {
    let speech = samples(&open(&clip("speech_16k_mono.wav")), 0);
    let mut bench = shown(speech[..32_000].to_vec());
    bench.act(EditCommand::Declip);
    bench.settle();
    bench.key(NONE, Key::Enter);
    assert_eq!(bench.notices().pop(), Some((Severity::Info, "No clipping found.".to_owned())));
    assert_eq!(bench.studio().document().unwrap().history().position(), 0);
    bench.key(NONE, Key::Escape);
}
