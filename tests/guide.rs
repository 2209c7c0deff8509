//! The tours of `docs/guide`: each test does what its page says, by mouse and keys, and checks that it worked. With
//! `SONOBRUSH_UPDATE_SNAPSHOTS=1` it takes the page's pictures again (`scripts/guide`).

use crate::hum::speech;
use crate::support::damage::{add_cough, add_whistle};
use crate::support::measure::{error_db, strongest_tone};
use crate::support::program::Place;
use crate::support::studio::{Bench, CTRL, Drawing, NONE, SHIFT, clip, has_gpu};
use crate::support::wav::{Format, Wav};
use egui::{Key, Modifiers, Pos2, pos2};
use egui_kittest::kittest::Queryable;
use sonobrush::workbench::Picked;
use sonobrush::workbench::commands::LabelCommand;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

const CTRL_SHIFT: Modifiers = Modifiers { shift: true, ..CTRL };
/// Of pictures, in points.
const SIZE: [f32; 2] = [1_280.0, 800.0];
const QUALITY: u8 = 85;

fn guide() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/guide")
}

fn takes_pictures() -> bool {
    std::env::var_os("SONOBRUSH_UPDATE_SNAPSHOTS").is_some()
}

/// A page's hand at the studio.
struct Tour {
    page: &'static str,
    bench: Bench,
    n_pictures: usize,
}

impl Tour {
    /// With a file of 16 bits in the window.
    fn of(page: &'static str, name: &str, channels: &[Vec<f32>], rate_hz: u32) -> Tour {
        let mut bench = Bench::new(Drawing::Wgpu);
        bench.harness.set_size(SIZE.into());
        let file = bench.out(name);
        let stored = |channel: &Vec<f32>| channel.iter().map(|x| (f64::from(*x) * 32_767.0).round() as i64).collect();
        let channels = channels.iter().map(stored).collect();
        Wav { format: Format::Pcm(16), rate: rate_hz, channels }.write(&file);
        bench.open(file);
        bench.settle();
        Tour { page, bench, n_pictures: 0 }
    }

    fn key(&mut self, modifiers: Modifiers, key: Key) {
        self.bench.key(modifiers, key);
    }

    fn place(&self, secs: f64, hz: f64) -> Pos2 {
        let viewport = self.bench.studio().viewport().unwrap();
        pos2(viewport.x_from_secs(secs) as f32, viewport.y_from_hz(hz) as f32)
    }

    /// Through places of seconds and hertz.
    fn drag(&mut self, places: &[[f64; 2]]) {
        let places: Vec<Pos2> = places.iter().map(|[secs, hz]| self.place(*secs, *hz)).collect();
        self.bench.drag(&places);
    }

    /// The next picture of the page, which has to show it.
    fn picture(&mut self) {
        self.n_pictures += 1;
        let name = format!("{}-{}.jpg", self.page, self.n_pictures);
        if takes_pictures() {
            let picture = self.bench.harness.render().unwrap();
            let file = std::fs::File::create(guide().join(&name)).unwrap();
            let picture = image::DynamicImage::ImageRgba8(picture).into_rgb8();
            image::codecs::jpeg::JpegEncoder::new_with_quality(file, QUALITY).encode_image(&picture).unwrap();
        }
        let page = std::fs::read_to_string(guide().join(format!("{}.md", self.page))).unwrap();
        assert!(page.contains(&format!("]({name})")), "{}.md shows no {name}", self.page);
    }
}

#[test]
fn a_cough_is_cleaned_out_of_speech() {
    if !has_gpu() {
        return;
    }
    let clean = speech();
    let mut coughing = clean.clone();
    let [from, to] = add_cough(&mut coughing, 16_000.0, 1);
    let mut tour = Tour::of("cough", "interview.wav", &[coughing], 16_000);
    let before = tour.bench.samples(0);
    tour.key(NONE, Key::Comma);
    tour.key(NONE, Key::T);
    tour.drag(&[[from - 0.005, 1_000.0], [to + 0.005, 1_000.0]]);
    tour.picture();
    tour.key(CTRL, Key::H);
    tour.picture();
    let gained_db = error_db(&before, &clean) - error_db(&tour.bench.samples(0), &clean);
    assert!(gained_db > 7.0, "{gained_db} dB");
}

#[test]
fn a_whistle_is_taken_out_of_music() {
    if !has_gpu() {
        return;
    }
    let (rate, music) = crate::support::clips::recording("guitar_chord_44k_stereo.flac");
    let clean = music[0].clone();
    let mut whistling = clean.clone();
    let course = add_whistle(&mut whistling, rate);
    let mut tour = Tour::of("whistle", "song.wav", &[whistling], rate as u32);
    let before = tour.bench.samples(0);
    let ([start, _], [end, _]) = (course[0], course[course.len() - 1]);
    tour.bench.set_view(|view| (view.secs, view.hz) = ([start - 0.3, end + 0.3], [1_500.0, 5_500.0]));
    tour.bench.settle();
    tour.key(SHIFT, Key::H);
    tour.picture();
    tour.drag(&course);
    tour.picture();
    let gained_db = error_db(&before, &clean) - error_db(&tour.bench.samples(0), &clean);
    assert!(gained_db > 10.0, "{gained_db} dB");
}

#[test]
fn an_um_is_cut_and_the_gap_closed() {
    if !has_gpu() {
        return;
    }
    let speech = speech();
    let mut tour = Tour::of("um", "talk.wav", std::slice::from_ref(&speech), 16_000);
    tour.key(NONE, Key::T);
    tour.drag(&[[1.0, 1_000.0], [1.5, 1_000.0]]);
    tour.picture();
    tour.key(CTRL, Key::Delete);
    tour.picture();
    let n_cut = speech.len() - tour.bench.samples(0).len();
    assert!((n_cut as f64 / 16_000.0 - 0.5).abs() < 0.02, "{n_cut} samples");
}

/// Calls of 0.12 s that rise from 2,000 to 3,000 Hz, over a little noise.
fn calls(n: usize) -> Vec<f32> {
    let (rate_hz, apart, long) = (16_000.0, 8_000, 1_920);
    let mut samples = crate::support::signals::noise((n + 1) * apart, 5e-4, 36);
    for k in 1..=n {
        for at in 0..long {
            let (part, secs) = (at as f64 / long as f64, at as f64 / rate_hz);
            let phase = std::f64::consts::TAU * (2_000.0 * secs + 500.0 * part * secs);
            samples[k * apart + at] += (0.3 * (std::f64::consts::PI * part).sin() * phase.sin()) as f32;
        }
    }
    samples
}

#[test]
fn fifty_calls_are_labelled_and_measured() {
    if !has_gpu() {
        return;
    }
    let mut tour = Tour::of("calls", "dawn.wav", &[calls(50)], 16_000);
    let table = tour.bench.out("calls.csv");
    tour.bench.set_view(|view| (view.secs, view.hz) = ([0.0, 6.0], [1_000.0, 6_000.0]));
    tour.bench.settle();
    tour.key(NONE, Key::Num2);
    tour.drag(&[[0.48, 3_300.0], [0.64, 1_800.0]]);
    tour.key(CTRL_SHIFT, Key::A);
    tour.picture();
    tour.bench.act(LabelCommand::Places);
    tour.bench.settle();
    tour.bench.fill("Text of the label", "call");
    tour.key(NONE, Key::Enter);
    tour.picture();
    tour.bench.dialogs.answer(Picked::File(table.clone()));
    tour.bench.act(LabelCommand::Measure);
    tour.bench.settle();
    let text = std::fs::read_to_string(table).unwrap();
    assert_eq!(text.lines().count(), 1 + 50, "{text}");
}

#[test]
fn a_chord_is_painted() {
    if !has_gpu() {
        return;
    }
    let mut tour = Tour::of("chord", "canvas.wav", &[vec![0.0; 3 * 44_100]], 44_100);
    tour.key(SHIFT, Key::T);
    tour.bench.set_view(|view| view.hz = [100.0, 2_000.0]);
    tour.bench.settle();
    tour.key(NONE, Key::N);
    let notes = [261.63, 329.63, 392.0];
    // Not quite where the notes are.
    tour.drag(&[[0.4, 1.01 * notes[0]], [1.5, 0.99 * notes[0]], [2.6, notes[0]]]);
    tour.picture();
    for hz in &notes[1..] {
        tour.drag(&[[0.4, 1.01 * hz], [1.5, 0.99 * hz], [2.6, *hz]]);
    }
    tour.picture();
    let heard = tour.bench.samples(0);
    for hz in notes {
        let found = strongest_tone(&heard[44_100..2 * 44_100], 44_100.0, 0.97 * hz, 1.03 * hz);
        let cents = 1_200.0 * (found.hz / hz).log2();
        assert!(cents.abs() < 2.0 && found.level > 0.01, "{hz} Hz: {cents} cents, {}", found.level);
    }
}

#[test]
fn a_folder_is_run_through() {
    if !has_gpu() {
        return;
    }
    let tone = |k: usize| (0..8_000).map(|n| (0.2 * (f64::from(n) * (0.05 + 0.01 * k as f64)).sin()) as f32).collect();
    let mut tour = Tour::of("batch", "take 1.wav", &[tone(0)], 16_000);
    let folder = tour.bench.out("takes");
    std::fs::create_dir_all(&folder).unwrap();
    for k in 1..=12 {
        let take: Vec<f32> = tone(k);
        let channels = vec![take.iter().map(|x| (f64::from(*x) * 32_767.0) as i64).collect()];
        Wav { format: Format::Pcm(16), rate: 16_000, channels }.write(&folder.join(format!("take {k:02}.wav")));
    }
    tour.key(NONE, Key::T);
    tour.drag(&[[0.1, 1_000.0], [0.3, 1_000.0]]);
    tour.key(NONE, Key::Delete);
    tour.bench.click("Find a command\u{2026}");
    tour.bench.harness.get_by_label("Command to find").type_text("Run on files");
    tour.bench.settle();
    tour.key(NONE, Key::Enter);
    tour.bench.fill("Folders and files", &folder.to_string_lossy());
    tour.picture();
    tour.bench.click("Run");
    tour.picture();
    let made = std::fs::read_dir(folder.with_file_name("takes-painted")).unwrap();
    let sounds = made.filter(|made| made.as_ref().unwrap().path().extension().is_some_and(|ending| ending == "wav"));
    assert_eq!(sounds.count(), 12);
}

#[test]
fn a_picture_is_printed_for_a_paper() {
    let place = Place::new();
    let clip = clip("crow_44k_mono.flac");
    let command = ["image", clip.to_str().unwrap(), "-o", "figure.png", "--axes", "--size", "1600x800"];
    place.done(&[&command[..], &["--frequency", "500,12000", "--range", "-90,-10", "--colormap", "grey"]].concat());
    let figure = image::open(place.path("figure.png")).unwrap();
    assert_eq!((figure.width(), figure.height()), (1_600, 800));
    if takes_pictures() {
        std::fs::copy(place.path("figure.png"), guide().join("paper-1.png")).unwrap();
    }
    let page = std::fs::read_to_string(guide().join("paper.md")).unwrap();
    assert!(page.contains("](paper-1.png)") && page.contains("--axes --size 1600x800"), "{page}");
}

/// What pages name in italics stands on the screen, pictures that they show are there, and each page is on the first.
#[test]
fn pages_name_what_is_on_the_screen() {
    let texts: BTreeSet<String> =
        crate::words::texts().into_values().flatten().map(|text| text.replace('\u{2026}', "...")).collect();
    let first = std::fs::read_to_string(guide().join("README.md")).unwrap();
    let mut n_names = 0;
    for entry in std::fs::read_dir(guide()).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|ending| ending != "md") {
            continue;
        }
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let page = std::fs::read_to_string(&path).unwrap();
        assert!(name == "README.md" || first.contains(&format!("]({name})")), "{name} is on no list");
        for link in page.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            assert!(link.contains("://") || guide().join(link).exists(), "{name}: {link} is not there");
        }
        for (k, named) in page.split('*').enumerate().filter(|(k, _)| k % 2 == 1) {
            assert!(texts.contains(named), "{name}: {named} ({k}) is on no button and in no menu");
            n_names += 1;
        }
    }
    assert!(n_names > 20);
    assert!(!texts.contains("Clean up everything"), "the control");
}
