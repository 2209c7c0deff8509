//! The overview above the canvas, the spectrum panel, and panels that fold and hide: driven by label and pointer, with
//! a look at view, numbers and the clipboard.

use crate::support::signals::tone;
use crate::support::studio::{Bench, Drawing, NONE, has_gpu, samples};
use crate::support::wav::{Format, Wav};
use egui::pos2;
use egui_kittest::kittest::{NodeT, Queryable};
use sonobrush::workbench::Panel;
use sonobrush::workbench::Picked;
use sonobrush::workbench::commands::FindCommand;

fn view_secs(bench: &Bench) -> [f64; 2] {
    bench.studio().document().unwrap().view().secs
}

fn set_view(bench: &mut Bench, secs: [f64; 2]) {
    bench.set_view(|view| view.secs = secs);
    bench.settle();
}

/// A place in the overview by its moment.
fn place(bench: &Bench, secs: f64) -> egui::Pos2 {
    let rect = bench.harness.get_by_label("Overview of the whole file").rect();
    let duration_secs = bench.studio().document().unwrap().duration_secs();
    pos2(rect.left() + (secs / duration_secs) as f32 * rect.width(), rect.center().y)
}

/// Seconds of a point of the strip.
fn point_secs(bench: &Bench) -> f64 {
    let rect = bench.harness.get_by_label("Overview of the whole file").rect();
    bench.studio().document().unwrap().duration_secs() / f64::from(rect.width())
}

fn assert_near(found: [f64; 2], wanted: [f64; 2], within: f64) {
    assert!((0..2).all(|i| (found[i] - wanted[i]).abs() <= within), "{found:?} is not {wanted:?} within {within}");
}

#[test]
fn the_box_in_the_overview_is_dragged_resized_and_jumps() {
    if !has_gpu() {
        return;
    }
    let mut bench = Bench::with_clip(Drawing::Wgpu, "guitar_chord_44k_stereo.flac");
    let point = 1.5 * point_secs(&bench);
    let picture = bench.studio().picture_rect().unwrap();
    let strip = bench.harness.get_by_label("Overview of the whole file").rect();
    assert_eq!((strip.left(), strip.right()), (picture.left(), picture.right()), "one edge with the picture below");
    assert!(strip.bottom() <= bench.studio().canvas_rect().top());

    set_view(&mut bench, [2.0, 5.0]);
    bench.drag(&[place(&bench, 3.5), place(&bench, 4.0), place(&bench, 5.5)]);
    assert_near(view_secs(&bench), [4.0, 7.0], point);
    bench.drag(&[place(&bench, 4.0), place(&bench, 4.6), place(&bench, 5.0)]);
    assert_near(view_secs(&bench), [5.0, 7.0], point);
    bench.drag(&[place(&bench, 7.0), place(&bench, 9.0)]);
    assert_near(view_secs(&bench), [5.0, 9.0], point);
    // The other edge is no wall to fall through.
    bench.drag(&[place(&bench, 9.0), place(&bench, 1.0)]);
    let [start, end] = view_secs(&bench);
    assert!((start - 5.0).abs() < point && end > start, "{start} to {end}");

    set_view(&mut bench, [0.0, 2.0]);
    bench.drag(&[place(&bench, 6.0)]);
    assert_near(view_secs(&bench), [5.0, 7.0], point);
    // Pressed beside the box, it comes along.
    bench.drag(&[place(&bench, 2.0), place(&bench, 3.0)]);
    assert_near(view_secs(&bench), [2.0, 4.0], point);
    bench.drag(&[place(&bench, 3.0), place(&bench, -2.0)]);
    assert_near(view_secs(&bench), [0.0, 2.0], point);
    assert!(bench.studio().document().unwrap().selection().is_none(), "the canvas below took no part in it");
    assert_eq!(bench.studio().document().unwrap().history().entries().len(), 1);
}

#[test]
fn the_overview_is_spoken_and_moved_without_a_pointer() {
    if !has_gpu() {
        return;
    }
    let mut bench = Bench::with_clip(Drawing::Wgpu, "guitar_chord_44k_stereo.flac");
    set_view(&mut bench, [2.0, 4.0]);
    let value = |bench: &Bench, label: &str| bench.harness.get_by_label(label).value();
    assert_eq!(value(&bench, "Visible range").as_deref(), Some("0:02.000"));
    assert_eq!(value(&bench, "Right edge of the visible range").as_deref(), Some("0:04.000"));
    bench.harness.get_by_label("Visible range").focus();
    bench.settle();
    bench.key(NONE, egui::Key::ArrowRight);
    assert_near(view_secs(&bench), [2.25, 4.25], 1e-9);
    bench.harness.get_by_label("Left edge of the visible range").focus();
    bench.settle();
    bench.key(NONE, egui::Key::ArrowLeft);
    assert_near(view_secs(&bench), [2.0, 4.25], 1e-9);
    bench.click("Whole file");
    assert_near(view_secs(&bench), [0.0, bench.studio().document().unwrap().duration_secs()], 1e-9);
}

#[test]
fn the_overview_shows_every_sample_and_follows_strokes() {
    if !has_gpu() {
        return;
    }
    let mut bench = Bench::with_clip(Drawing::Wgpu, "guitar_chord_44k_stereo.flac");
    // From the samples themselves, column by column.
    let check = |bench: &Bench| {
        let shown = bench.studio().document().unwrap().shown();
        let channels = [samples(shown, 0), samples(shown, 1)];
        let columns = bench.studio().envelope().unwrap().columns().to_vec();
        let (n, n_columns) = (channels[0].len(), columns.len());
        for (i, column) in columns.iter().enumerate() {
            let under = i * n / n_columns..(i + 1) * n / n_columns;
            let both = channels.iter().flat_map(|channel| channel[under.clone()].iter().copied());
            let wanted = both.fold([f32::INFINITY, f32::NEG_INFINITY], |[a, b], x| [a.min(x), b.max(x)]);
            assert_eq!(*column, wanted, "column {i}");
        }
        columns
    };
    let before = check(&bench);
    bench.select(Some([2.0, 3.0]), None);
    bench.key(NONE, egui::Key::Delete);
    let after = check(&bench);
    let n_changed = before.iter().zip(&after).filter(|(a, b)| a != b).count();
    let second = before.len() as f64 / bench.studio().document().unwrap().duration_secs();
    assert!((n_changed as f64 - second).abs() < 0.1 * second, "{n_changed} columns changed");
    bench.click("Original");
    assert_eq!(check(&bench), before);
}

/// Opens this sound, of 44,100 Hz.
fn open_mono(bench: &mut Bench, sound: &[f32]) {
    let path = bench.out("made.wav");
    let bits = sound.iter().map(|sample| i64::from(sample.to_bits())).collect();
    Wav { format: Format::F32, rate: 44_100, channels: vec![bits] }.write(&path);
    bench.dialogs.answer(Picked::File(path));
    bench.click("Open\u{2026}");
    assert!(bench.studio().document().is_some(), "{:?}", bench.notices());
}

/// A bench with 2 s of two tones: 440 Hz at -6 dB, 3,000 Hz at -26 dB.
fn two_tones() -> Bench {
    let mut bench = Bench::new(Drawing::Wgpu);
    let (low, high) = (tone(88_200, 44_100.0, 440.0, 0.5), tone(88_200, 44_100.0, 3000.0, 0.05));
    let sum: Vec<f32> = low.iter().zip(&high).map(|(a, b)| a + b).collect();
    open_mono(&mut bench, &sum);
    bench
}

fn set_cursor(bench: &mut Bench, secs: f64) {
    bench.put_cursor(secs);
    bench.settle();
}

#[test]
fn the_spectrum_finds_tones_before_and_after() {
    if !has_gpu() {
        return;
    }
    let mut bench = two_tones();
    set_cursor(&mut bench, 1.0);
    let slice = bench.studio().slice().unwrap().clone();
    // Within half a frame of the requested time.
    assert!((slice.secs - 1.0).abs() <= 0.5 * slice.grid.secs_from_frame(1.0), "{}", slice.secs);
    assert!(slice.before.is_none(), "nothing was edited");
    for (peak, (hz, db)) in slice.peaks.iter().zip([(440.0, -6.02), (3000.0, -26.02)]) {
        assert!((peak.hz - hz).abs() < 0.1 * slice.grid.hz_from_bin(1.0), "{peak:?}");
        assert!((peak.db - db).abs() < 0.1, "{peak:?}");
    }
    let spoken = bench.harness.get_by_label_contains("Peak 1:").accesskit_node().value().unwrap();
    assert!(spoken.contains("440.0 Hz, A4 0 cents, \u{2212}6.0 dB"), "{spoken}");

    // The lower tone goes; before, it was there.
    bench.select(None, Some([300.0, 700.0]));
    bench.key(NONE, egui::Key::Delete);
    let slice = bench.studio().slice().unwrap().clone();
    let bin = slice.grid.bin_from_hz(440.0).round() as usize;
    assert!((slice.peaks[0].hz - 3000.0).abs() < 2.2, "{:?}", slice.peaks[0]);
    let before = slice.before.as_ref().unwrap();
    assert!(before[bin] > -8.0 && slice.after[bin] < before[bin] - 40.0, "{} {}", before[bin], slice.after[bin]);
}

#[test]
fn the_spectrum_follows_the_pointer_and_goes_back_to_the_cursor() {
    if !has_gpu() {
        return;
    }
    let mut bench = two_tones();
    set_cursor(&mut bench, 0.5);
    let at = |bench: &Bench| bench.studio().slice().unwrap().secs;
    assert!((at(&bench) - 0.5).abs() < 0.01);
    let rect = bench.studio().picture_rect().unwrap();
    let there = pos2(rect.left() + 0.75 * rect.width(), rect.center().y);
    bench.harness.event(egui::Event::PointerMoved(there));
    bench.settle();
    assert!((at(&bench) - 1.5).abs() < 0.01, "{}", at(&bench));
    bench.harness.event(egui::Event::PointerGone);
    bench.settle();
    assert!((at(&bench) - 0.5).abs() < 0.01);
}

#[test]
fn mean_and_maximum_are_over_what_is_selected() {
    if !has_gpu() {
        return;
    }
    // Half of the time silent: the mean power is half of what it is where it sounds, the maximum is what it is there.
    let mut bench = Bench::new(Drawing::Wgpu);
    let mut sound = tone(88_200, 44_100.0, 1000.0, 0.5);
    sound[44_100..].fill(0.0);
    open_mono(&mut bench, &sound);
    assert!(bench.studio().extent().is_none(), "nothing is selected");
    bench.select(Some([0.5, 1.5]), Some([500.0, 2000.0]));
    let extent = bench.studio().extent().unwrap().clone();
    let bin = extent.grid.bin_from_hz(1000.0).round() as usize;
    let alone = extent.max[bin];
    assert!((alone - (-6.02)).abs() < 1.5, "the loudest bin is within a scallop of the tone: {alone}");
    // One frame more or less of the 86, and the frames over the end of the tone.
    assert!((f64::from(alone - extent.mean[bin]) - 3.01).abs() < 0.15, "{} {}", alone, extent.mean[bin]);
    let outside = extent.grid.bin_from_hz(4000.0).round() as usize;
    assert_eq!((extent.mean[outside], extent.max[outside]), (f32::NEG_INFINITY, f32::NEG_INFINITY));
}

#[test]
fn silence_has_no_peaks() {
    if !has_gpu() {
        return;
    }
    let mut bench = Bench::new(Drawing::Wgpu);
    // What erasing leaves: far below the last bit of 24.
    let mut sound = tone(88_200, 44_100.0, 1000.0, 3e-8);
    sound[44_100..].iter_mut().for_each(|sample| *sample *= 1e6);
    open_mono(&mut bench, &sound);
    let n_peaks = |bench: &mut Bench, secs: f64| {
        set_cursor(bench, secs);
        bench.studio().slice().map(|slice| slice.peaks.len())
    };
    assert_eq!(n_peaks(&mut bench, 0.5), Some(0));
    assert!(n_peaks(&mut bench, 1.5) > Some(0), "the control");
}

#[test]
fn the_spectrum_is_copied_line_by_line() {
    if !has_gpu() {
        return;
    }
    let mut bench = two_tones();
    set_cursor(&mut bench, 1.0);
    bench.select(Some([0.5, 1.5]), Some([300.0, 700.0]));
    bench.key(NONE, egui::Key::Delete);
    bench.harness.get_by_label("Copy spectrum").scroll_to_me();
    bench.settle();
    let text = bench.copied(|bench| bench.harness.get_by_label("Copy spectrum").click()).unwrap();
    let slice = bench.studio().slice().unwrap().clone();
    let mut lines = text.lines();
    assert_eq!(lines.next(), Some("hz,after_db,before_db,selection_mean_db,selection_maximum_db"));
    let rows: Vec<Vec<&str>> = lines.map(|line| line.split(',').collect()).collect();
    assert_eq!(rows.len(), slice.after.len());
    let bin = slice.grid.bin_from_hz(3000.0).round() as usize;
    let number = |text: &str| text.parse::<f32>().unwrap();
    assert!((number(rows[bin][0]) - slice.grid.hz_from_bin(bin as f64) as f32).abs() < 1e-2);
    assert!((number(rows[bin][1]) - slice.after[bin]).abs() < 0.006);
    assert!((number(rows[bin][2]) - slice.before.as_ref().unwrap()[bin]).abs() < 0.006);
    assert_eq!((rows[bin][3], rows[bin][4]), ("", ""), "3 kHz is not selected");
    let bin = slice.grid.bin_from_hz(500.0).round() as usize;
    assert!((number(rows[bin][3]) - bench.studio().extent().unwrap().mean[bin]).abs() < 0.006);
}

#[test]
fn panels_fold_hide_and_come_back() {
    let mut bench = Bench::with_clip(Drawing::None, "crow_44k_mono.flac");
    assert!(bench.has("Axis") || bench.has("Log axis"));
    bench.click("View panel");
    assert!(!bench.has("Log axis") && bench.has("View panel"), "only its heading is left");
    bench.click("View panel");
    assert!(bench.has("Log axis"));
    bench.click("View panel menu");
    bench.click("Hide this panel");
    assert!(!bench.has("View panel") && bench.has("Selection panel"));
    let ctx = bench.harness.ctx.clone();
    bench.harness.state_mut().apply(&ctx, sonobrush::workbench::commands::LayoutCommand::Panel(Panel::View));
    bench.settle();
    assert!(bench.has("Log axis"));
    bench.key(NONE, egui::Key::F9);
    assert!(!bench.has("Selection panel"));
    bench.key(NONE, egui::Key::F9);
    assert!(bench.has("Selection panel"));
}

#[test]
fn a_narrow_window_opens_one_panel_at_a_time_over_the_canvas() {
    let mut bench = Bench::with_clip(Drawing::None, "crow_44k_mono.flac");
    bench.harness.set_size(egui::vec2(900.0, 600.0));
    bench.settle();
    assert!(!bench.has("View panel"));
    bench.click("Open the View panel");
    assert!(bench.has("Log axis"));
    bench.click("Open the Selection panel");
    assert!(!bench.has("Log axis") && bench.has("Selection panel"));
    bench.click("Selection panel");
    assert!(!bench.has("Selection panel"), "its heading folds it away again");
}

/// At 1,280 x 800 the panels are higher than the window: the curve of a noise is not learnt out of sight.
#[test]
fn a_noise_that_was_just_learnt_comes_into_view_above_the_history() {
    if !has_gpu() {
        return;
    }
    let mut bench = Bench::with_clip(Drawing::Wgpu, "vinyl_hiss_44k_stereo.flac");
    bench.harness.set_size([1280.0, 800.0].into());
    bench.settle();
    bench.select(Some([1.0, 2.0]), None);
    let is_seen = |bench: &Bench| {
        let plot = bench.harness.get_by_label_contains("Spectrum at ").rect();
        let history = bench.harness.get_by_label("History panel").rect();
        plot.top() >= 79.0 && plot.bottom() <= history.top() + 1.0
    };
    assert!(!is_seen(&bench), "the check can fail");
    bench.act(FindCommand::LearnNoise);
    bench.settle();
    assert!(is_seen(&bench));
    let history = bench.harness.get_by_label("History panel").rect();
    assert!(bench.harness.get_by_label("noise").rect().bottom() <= history.top() + 1.0, "so is the legend");
    assert!(bench.harness.get_by_label_contains("Step 0:").rect().bottom() <= 721.0, "and the history");
}
