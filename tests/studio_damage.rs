//! Damage in the window: what is planted is listed, its row leads there, and its button repairs it; a list that the
//! sound has outgrown says so.
#![allow(clippy::print_stdout, reason = "the figures of docs/quality.md are read off what the tests print")]

use crate::hum::speech;
use crate::previews::{document, preview};
use crate::support::damage::{add_clicks, in_room, with_hum, with_pink_noise, with_sharp_sibilants};
use crate::support::measure::{si_sdr_db, snr_db_f32};
use crate::support::program::Place;
use crate::support::studio::{Bench, CTRL, Drawing, NONE, bits, open, samples};
use crate::support::wav::{Format, Wav};
use egui::Key;
use egui_kittest::kittest::{NodeT, Queryable};
use sonobrush::document::brushes::Reverse;
use sonobrush::document::{Edit, Snapshot};
use sonobrush::media::Source;
use sonobrush::workbench::commands::{EditCommand, FindCommand};
use sonobrush::workbench::{DamageAct, DamageState, DocumentAct, Panel, Repair, Severity};
use std::ops::Range;

const RATE: u32 = 16_000;

/// A bench on which sounds are shown.
fn bench() -> Bench {
    Bench::with_clip(Drawing::None, "crow_44k_mono.flac")
}

fn sound(channels: Vec<Vec<f32>>) -> Snapshot {
    Snapshot::new(Source::from_channels(channels, RATE).unwrap())
}

/// Speech without its offset.
fn clean() -> Vec<f32> {
    let speech = speech();
    let mean = speech.iter().map(|x| f64::from(*x)).sum::<f64>() / speech.len() as f64;
    speech.iter().map(|x| (f64::from(*x) - mean) as f32).collect()
}

/// Looks for damage in a sound through the menu.
fn look(bench: &mut Bench, channels: Vec<Vec<f32>>) {
    bench.show(sound(channels));
    for label in ["Select", "Find", "Find damage"] {
        bench.harness.get_all_by_label(label).next().unwrap().click();
        bench.settle();
    }
}

/// Each finding in words: `clipping: -3.0 dBFS, 2 % clipped`.
fn rows(bench: &Bench) -> Vec<String> {
    let rows = document(bench).damage().map(|damage| damage.rows().to_vec()).unwrap_or_default();
    rows.iter().map(|row| format!("{}: {}", row.kind.name(), row.what)).collect()
}

fn states(bench: &Bench) -> Vec<DamageState> {
    document(bench).damage().map(|damage| damage.states(document(bench).history())).unwrap_or_default()
}

/// Presses a button of the list.
fn press(bench: &mut Bench, button: &str) {
    bench.harness.get_by_label(button).click();
    bench.settle();
}

/// The sound after the button of the only finding, or of one of several, and after Enter where that is a preview.
fn repaired(bench: &mut Bench, button: &str) -> Vec<f32> {
    let before = bits(&bench.samples(0));
    let position = document(bench).history().position();
    press(bench, button);
    if document(bench).open_preview().is_some() {
        assert_eq!(bits(&bench.samples(0)), before, "nothing is changed before it is applied");
        assert!(preview(bench).fault().is_none(), "{:?}", preview(bench).fault());
        bench.key(NONE, Key::Enter);
    }
    assert_eq!(document(bench).history().position(), position + 1, "{:?}", bench.notices());
    bench.samples(0)
}

/// Places of 5 to 20 ms within loud speech, 50 ms apart.
fn spoken(samples: &[f32], n_gaps: usize) -> Vec<Range<usize>> {
    let mut places: Vec<Range<usize>> = Vec::new();
    let is_loud = |range: Range<usize>| {
        let n = range.len() as f64;
        (samples[range].iter().map(|x| f64::from(*x).powi(2)).sum::<f64>() / n).sqrt() > 0.01
    };
    for start in (1_600..samples.len() - 1_600).step_by(50) {
        let n = 80 + 40 * (places.len() % 7);
        let is_apart = places.last().is_none_or(|last| start > last.end + 800);
        let place = start..start + n;
        if is_apart && is_loud(start - 320..start) && is_loud(place.clone()) && is_loud(place.end..place.end + 320) {
            places.push(place);
        }
        if places.len() == n_gaps {
            break;
        }
    }
    places
}

#[test]
fn what_is_planted_is_found_and_its_button_repairs_it() {
    let (clean, mut bench) = (clean(), bench());
    look(&mut bench, vec![clean.clone()]);
    assert_eq!(bench.notices().last().unwrap(), &(Severity::Info, "No damage found.".to_owned()));
    assert!(document(&bench).damage().is_none());

    let mut clicked = clean.clone();
    add_clicks(&mut clicked, 30, 0);
    let hummed = with_hum(&clean, f64::from(RATE), 50.0, 0.0, -35.0, 1);
    let offset: Vec<f32> = clean.iter().map(|x| x + 0.02).collect();
    let mut dropped = clean.clone();
    let gaps = spoken(&clean, 40);
    assert_eq!(gaps.len(), 40);
    for (at, gap) in gaps.into_iter().enumerate() {
        let held = if at % 2 == 0 { 0.0 } else { dropped[gap.start] };
        dropped[gap].fill(held);
    }
    let planted = [
        ("30 clicks", clicked, "Heal: Clicks", 10.0),
        ("hum", hummed, "Remove hum: Hum", 12.0),
        ("offset", offset, "Remove DC offset: DC offset", 20.0),
        ("40 dropouts", dropped, "Heal: Dropouts", 5.0),
    ];
    for (what, damaged, button, min_db) in planted {
        look(&mut bench, vec![damaged.clone()]);
        let rows = rows(&bench);
        // What is left between forty dropouts may hold a click.
        let named =
            |row: &&String| button.to_lowercase().ends_with(row.split(':').next().unwrap().to_lowercase().as_str());
        let Some(row) = rows.iter().find(named) else { panic!("{what}: {rows:?}") };
        assert!(rows.len() == 1 || what == "40 dropouts", "{what}: {rows:?}");
        // Two clicks in one place are one.
        let counts: &[&str] = match what {
            "30 clicks" => &["28", "29", "30"],
            "40 dropouts" => &["40"],
            _ => &[],
        };
        let has_count = |count: &&str| row.split_whitespace().any(|word| word == *count);
        assert!(counts.is_empty() || counts.iter().any(has_count), "{what}: {row}");
        let after = repaired(&mut bench, button);
        let before_db = snr_db_f32(&damaged, &clean);
        let gained_db = snr_db_f32(&after, &clean) - before_db;
        println!("{what}: {row}; {before_db:.1} dB, gained {gained_db:.1} dB");
        assert!(gained_db >= min_db, "{what}: {gained_db} dB");
        assert!(states(&bench).contains(&DamageState::Repaired));
        assert!(rows.len() > 1 || bench.has("All damage repaired"));
        bench.key(CTRL, Key::Z);
        assert!(states(&bench).iter().all(|state| *state == DamageState::Found), "an undone repair counts no more");
        assert_eq!(bits(&bench.samples(0)), bits(&damaged));
    }
}

#[test]
fn speech_in_noise_or_a_room_and_sharp_sibilants_are_rows_whose_buttons_repair_them() {
    let still = vec![0.0; 12_000];
    let (clean, mut bench) = ([still.clone(), clean(), still].concat(), bench());
    let planted = [
        ("pink noise at 10 dB", with_pink_noise(&clean, -10.0, 2), "Isolate speech: Noise", 3.0),
        ("a room of 0.8 s", in_room(RATE, &clean, 0.8, 3), "Reduce reverb: Reverberation", 0.5),
        ("sibilants 9 dB up", with_sharp_sibilants(f64::from(RATE), &clean, 9.0), "De-ess: Sibilants", 1.0),
    ];
    for (what, damaged, button, min_db) in planted {
        look(&mut bench, vec![damaged.clone()]);
        let rows = rows(&bench);
        assert!(rows.len() == 1, "{what}: {rows:?}");
        let after = repaired(&mut bench, button);
        let before_db = si_sdr_db(&damaged, &clean);
        let gained_db = si_sdr_db(&after, &clean) - before_db;
        println!("{what}: {}; {before_db:.1} dB, gained {gained_db:.1} dB", rows[0]);
        assert!(gained_db >= min_db, "{what}: {gained_db} dB");
        assert!(states(&bench) == [DamageState::Repaired] && bench.has("All damage repaired"));
        bench.key(CTRL, Key::Z);
        assert_eq!(bits(&bench.samples(0)), bits(&damaged));
    }
    // The noise of a row is its own: neither learnt for the brush, nor a setting of the repair.
    let tools = bench.studio().workbench().tools();
    assert!(tools.noise().is_none());
    assert_eq!(tools.settings().repair(Repair::Isolate), Repair::Isolate.first());
    // The row of the sibilants leads to each.
    let row = rows(&bench)[0].replace("sibilants: ", "Sibilants: ");
    press(&mut bench, &row);
    let places = document(&bench).damage().unwrap().rows()[0].secs.len();
    assert!(bench.has(&format!("{places} sibilants found")) || bench.has("1 sibilant found"), "{places}");
}

/// Speech of a second, twice as loud as its limits at an input SDR.
fn clipped_at(clean: &[f32], sdr_db: f64) -> Vec<f32> {
    let clipped = |level: f32| -> Vec<f32> { clean.iter().map(|x| x.clamp(-level, level)).collect() };
    let (mut low, mut high) = (0.0f32, 1.0f32);
    for _ in 0..30 {
        let level = (low + high) / 2.0;
        if snr_db_f32(&clipped(level), clean) < sdr_db { low = level } else { high = level }
    }
    clipped(high)
}

#[test]
fn clipping_is_found_at_three_levels_and_through_mp3() {
    let mut bench = bench();
    let clean = &clean()[20_000..44_000];
    for (sdr_db, min_db) in [(7.0, 3.0), (15.0, 3.0), (20.0, 3.0)] {
        let clipped = clipped_at(clean, sdr_db);
        look(&mut bench, vec![clipped.clone()]);
        let rows = rows(&bench);
        assert!(rows.len() == 1 && rows[0].starts_with("clipping: "), "{sdr_db} dB: {rows:?}");
        let after = repaired(&mut bench, "Declip: Clipping");
        let gained_db = snr_db_f32(&after, clean) - snr_db_f32(&clipped, clean);
        println!("clipped at {sdr_db} dB: {}, gained {gained_db:.1} dB", rows[0]);
        assert!(gained_db >= min_db, "{sdr_db} dB: {gained_db} dB");
    }
    // Through MP3 its levels are no longer exact.
    let place = Place::new();
    let clipped = clipped_at(clean, 7.0);
    let stored = clipped.iter().map(|x| (f64::from(*x) * 32_768.0).round() as i64).collect();
    Wav { format: Format::Pcm(16), rate: RATE, channels: vec![stored] }.write(&place.path("in.wav"));
    place.done(&["export", "in.wav", "-o", "out.mp3", "--bit-rate", "64"]);
    let coded = samples(&open(&place.path("out.mp3")), 0);
    let n = coded.len().min(clean.len());
    look(&mut bench, vec![coded[..n].to_vec()]);
    let rows = rows(&bench);
    assert!(rows.len() == 1 && rows[0].starts_with("clipping: "), "MP3: {rows:?}");
    let after = repaired(&mut bench, "Declip: Clipping");
    let gained_db = snr_db_f32(&after, &clean[..n]) - snr_db_f32(&coded[..n], &clean[..n]);
    println!("clipped through MP3: {}, gained {gained_db:.1} dB", rows[0]);
    assert!(gained_db >= 1.0, "{gained_db} dB");
}

/// Stereo: the left channel is clipped, both have an offset and a dropout, and the right one is shown.
fn stereo(bench: &mut Bench) {
    let clean = &clean()[20_000..52_000];
    let mut left: Vec<f32> = clipped_at(clean, 10.0).iter().map(|x| x + 0.03).collect();
    let mut right: Vec<f32> = clean.iter().map(|x| x / 2.0 + 0.03).collect();
    let gap = spoken(clean, 1).remove(0);
    left[gap.clone()].fill(0.0);
    right[gap].fill(0.0);
    look(bench, vec![left, right]);
}

#[test]
fn a_row_leads_to_its_places_and_is_ticked_off_by_its_own_repair() {
    let mut bench = bench();
    stereo(&mut bench);
    let kinds: Vec<String> = rows(&bench).iter().map(|row| row.split(':').next().unwrap().to_owned()).collect();
    assert_eq!(kinds, ["clipping", "DC offset", "dropouts"], "{:?}", rows(&bench));
    assert!(bench.studio().workbench().remembered().layout.fold(Panel::Labels).is_shown);
    assert!(bench.has("0 of 3 repaired"));
    // The row goes there, and the places are rows of their own below.
    let dropout = rows(&bench)[2].replace("dropouts", "Dropouts");
    press(&mut bench, &dropout);
    let found = document(&bench).damage().unwrap().rows()[2].clone();
    assert_eq!(document(&bench).selection(), found.repair.select.as_ref());
    assert!((document(&bench).cursor_secs() - found.secs[0][0]).abs() < 1e-9);
    assert!(bench.has("1 dropout found"));
    assert!(found.what.starts_with("1 dropout, up to ") && found.amount().starts_with("1, up to "), "{found:?}");
    // The preview of a row is of its own channels and place, not of what is selected and shown.
    press(&mut bench, "Declip: Clipping in L");
    assert!(preview(&bench).edit().select.is_none());
    assert!(bench.harness.get_by_label("Heal: Dropouts").accesskit_node().is_disabled(), "one thing at a time");
    let kept = bits(&bench.samples(1));
    bench.key(NONE, Key::Escape);
    assert_eq!(states(&bench), [DamageState::Found; 3]);
    press(&mut bench, "Declip: Clipping in L");
    bench.key(NONE, Key::Enter);
    assert_eq!(bits(&bench.samples(1)), kept, "the other channel keeps its bits");
    assert_eq!(states(&bench), [DamageState::Repaired, DamageState::Found, DamageState::Found]);
    press(&mut bench, "Heal: Dropouts");
    press(&mut bench, "Remove DC offset: DC offset");
    assert_eq!(states(&bench), [DamageState::Repaired; 3]);
    bench.act(FindCommand::Damage);
    bench.settle();
    assert!(document(&bench).damage().is_none(), "nothing is left: {:?}", rows(&bench));
    let settings = bench.studio().workbench().tools().settings();
    assert_eq!(settings.repair(Repair::Declip), Repair::Declip.first(), "the menu's own repair still finds its levels");
}

#[test]
fn a_list_that_the_sound_has_outgrown_says_so() {
    let mut bench = bench();
    stereo(&mut bench);
    // Without the offset the clipped samples lie elsewhere; the dropout is where it was.
    press(&mut bench, "Remove DC offset: DC offset");
    assert_eq!(states(&bench), [DamageState::Stale, DamageState::Repaired, DamageState::Found]);
    bench.key(CTRL, Key::Z);
    assert_eq!(states(&bench), [DamageState::Found; 3]);
    let transform = document(&bench).view().transform.clone();
    bench.act(DocumentAct::Edit(Box::new(Edit::of(Reverse, transform))));
    bench.settle();
    assert_eq!(states(&bench), [DamageState::Stale; 3]);
    assert!(bench.has("The sound has changed since.") && !bench.has("Heal: Dropouts"));
    // A row that is out of date does nothing.
    let (position, selected) = (document(&bench).history().position(), document(&bench).selection().cloned());
    bench.act(DamageAct::Repair(2));
    bench.act(DamageAct::GoTo(2));
    bench.settle();
    assert_eq!((document(&bench).history().position(), document(&bench).selection().cloned()), (position, selected));
    // What says so looks again.
    bench.click("Find damage");
    assert_eq!(states(&bench), [DamageState::Found; 3]);
    bench.click("Clear the list of damage");
    assert!(document(&bench).damage().is_none() && !bench.has("Find damage"));
    bench.act(EditCommand::Undo);
    bench.settle();
    // Looking is stopped as all work is.
    bench.act(FindCommand::Damage);
    bench.key(NONE, Key::Escape);
    assert!(document(&bench).damage().is_none());
}
