//! Asks how and where to export: preset, path and every choice of a delivery on one card.

use super::card_parts::{
    About, CardAnswer, captioned, expanded, heading, primary, select_name, takes_enter, value, weak,
};
use super::export_presets;
use super::{boxes, theme, widgets};
use crate::base::{clock_from_secs, khz_from_hz, number, shown_path};
use crate::document::brushes::Normalise;
use crate::document::{DeliveredChannels, Delivery, LevelTarget};
use crate::media::{BitRate, Clipping, Container, Dither, ExportFormat, MAX_RATE_HZ, MIN_RATE_HZ, SampleFormat};
use crate::workbench::{
    ChannelView, ClippingShown, ExportShown, ExportWish, Purpose, Reply, SPEEDS, channel_label, named_by_pattern,
};
use egui::{DragValue, RichText, Ui};
use std::path::{Path, PathBuf};

/// Width of the card's content, in points.
pub const WIDTH: f32 = 560.0;
/// Widths of the lists of its two columns.
const LISTS: [f32; 2] = [166.0, 230.0];
/// Rates that are offered beside the sound's own.
const RATES_HZ: [u32; 11] = [8_000, 11_025, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000, 88_200, 96_000, 192_000];

/// Draws it; `text` is the path, `replaces` a file there that the user was told of.
pub fn ui(
    ui: &mut Ui,
    wish: &mut ExportWish,
    text: &mut String,
    replaces: &mut Option<PathBuf>,
    about: &About<'_>,
    is_new: bool,
) -> Option<CardAnswer> {
    let mut answer = heading(ui, &format!("Export {}", about.name));
    let entered = path(ui, text, replaces, is_new);
    let is_naming = wish.naming.is_some();
    let of_presets = export_presets::row(ui, wish, text, about.export.presets);
    if let Some(chosen) = of_presets.chosen {
        *text = path_for(text, &chosen, about.export.own_container);
        *replaces = None;
        *wish.delivery = chosen;
    }
    let container = choices(ui, wish, text, replaces, about);
    if wish.delivery.container.is_some() {
        // What is typed at the end of the name counts.
        wish.delivery.container = Some(container);
    }
    // Before a file closes all of it is exported.
    if let Some([start, end]) = about.selected_secs.filter(|_| wish.then.is_none()) {
        let [from, to] = [start, end].map(clock_from_secs);
        let part = boxes::checkbox(ui, &mut wish.is_selection, format!("Export the selection only, {from} to {to}"));
        if part.on_hover_text("The selected range of time, at all frequencies.").changed() {
            *text = named_for(text, wish.is_selection);
            *replaces = None;
        }
    }
    outcome(ui, wish, text, about);
    ui.horizontal(|ui| {
        let button = if replaces.is_some() { "Replace" } else { "Export" };
        // Enter behind the name of a preset saves that.
        if (primary(ui, button) || entered) && !is_naming && !text.trim().is_empty() {
            let (purpose, path) = (Purpose::Export(wish.clone()), expanded(text));
            answer = Some(CardAnswer::Reply(Reply::Path { purpose, path, replaces: replaces.clone() }));
        }
        if ui.button("Save as\u{2026}").on_hover_text("Choose the place in a file dialog.").clicked() {
            answer = Some(CardAnswer::Reply(Reply::ExportWhere(wish.clone())));
        }
        // A file that is about to close stays open.
        if ui.button(if wish.then.is_some() { "Keep editing" } else { "Cancel" }).clicked() {
            answer = Some(CardAnswer::Close);
        }
    });
    of_presets.answer.map(|answer| CardAnswer::Reply(Reply::Preset(answer))).or(answer)
}

/// The field; whether Enter was pressed in it.
fn path(ui: &mut Ui, text: &mut String, replaces: &mut Option<PathBuf>, is_new: bool) -> bool {
    let field = captioned(ui, "Path", |ui, name| {
        let hint = "A sound, such as /home/you/sound.wav";
        let field = ui.add(egui::TextEdit::singleline(text).desired_width(f32::INFINITY).hint_text(hint));
        field.labelled_by(name).accessible_name("Path")
    });
    let what = "The file to write. Its name may have fields: {name}, {start} and {end}, as in {name}_{start}.wav.";
    let field = field.on_hover_text(what);
    if field.changed() {
        *replaces = None;
    }
    if is_new {
        field.request_focus();
        select_name(ui.ctx(), field.id, text);
    }
    if replaces.is_some() {
        let palette = theme::palette(ui.ctx());
        ui.label(RichText::new("This file already exists and would be replaced.").color(palette.danger));
    }
    field.lost_focus() && takes_enter(ui.ctx())
}

/// The path with the name and ending that a preset asks for.
fn path_for(text: &str, preset: &Delivery, own: Container) -> String {
    let path = Path::new(text.trim());
    let container = preset.container_for(own);
    let path = match &preset.name {
        Some(name) => path.with_file_name(format!("{name}.{}", container.ending())),
        None if Container::of(path) == container && path.extension().is_some() => path.to_path_buf(),
        None => path.with_extension(container.ending()),
    };
    path.to_string_lossy().into_owned()
}

/// All choices in two columns; the kind of file.
fn choices(
    ui: &mut Ui,
    wish: &mut ExportWish,
    text: &mut String,
    replaces: &mut Option<PathBuf>,
    about: &About<'_>,
) -> Container {
    let shown = &about.export;
    let delivery = &mut *wish.delivery;
    let mut container = Container::of(Path::new(text.trim()));
    ui.horizontal(|ui| {
        container = kind(ui, delivery, text, replaces);
        // Lossy files hold no samples, and others have no bit rate.
        match container.is_lossy() {
            true => {
                (delivery.format, delivery.dither) = (ExportFormat::Source, None);
                bit_rate(ui, delivery, container);
            }
            false => {
                delivery.bit_rate = BitRate::Usual;
                format(ui, delivery, container, about);
            }
        }
    });
    ui.horizontal(|ui| {
        rate(ui, delivery, shown);
        if !container.is_lossy() {
            dither(ui, delivery, container, about);
        }
    });
    ui.horizontal(|ui| {
        channels(ui, delivery, shown);
        speed(ui, delivery, shown);
    });
    ui.horizontal(|ui| level(ui, delivery));
    container
}

/// A choice in a column, its name beside it.
fn list<T: PartialEq + Copy>(
    ui: &mut Ui,
    (name, width): (&str, f32),
    value: &mut T,
    all: &[T],
    label: impl Fn(T) -> String,
) {
    captioned(ui, name, |ui, caption| {
        if let Some(chosen) = widgets::named_choice(ui, caption, name, width, *value, all, label) {
            *value = chosen;
        }
    });
}

/// The kind of file, which the ending of the name states.
fn kind(ui: &mut Ui, delivery: &mut Delivery, text: &mut String, replaces: &mut Option<PathBuf>) -> Container {
    let now = Container::of(Path::new(text.trim()));
    let mut chosen = now;
    list(ui, ("Type", LISTS[0]), &mut chosen, &Container::ALL, |container| container.name().to_string());
    if chosen != now {
        let path = Path::new(text.trim()).with_extension(chosen.ending());
        *text = path.to_string_lossy().into_owned();
        *replaces = None;
        delivery.container = Some(chosen);
    }
    chosen
}

fn format(ui: &mut Ui, delivery: &mut Delivery, container: Container, about: &About<'_>) {
    let formats: &[ExportFormat] = match container {
        Container::Wav | Container::Mp3 | Container::Opus => &[
            ExportFormat::Source,
            ExportFormat::Pcm16,
            ExportFormat::Pcm24,
            ExportFormat::Pcm32,
            ExportFormat::Float32,
        ],
        Container::Flac => &[ExportFormat::Source, ExportFormat::Pcm16, ExportFormat::Pcm24, ExportFormat::Pcm32],
    };
    // FLAC holds no floats.
    if !formats.contains(&delivery.format) {
        delivery.format = ExportFormat::Pcm24;
    }
    let label = |format| format_name(format, about.source_format, container);
    list(ui, ("Format", LISTS[1]), &mut delivery.format, formats, label);
}

fn bit_rate(ui: &mut Ui, delivery: &mut Delivery, container: Container) {
    let mut all = vec![BitRate::Usual];
    match container {
        Container::Mp3 => {
            all.extend([0, 2, 4, 6].map(BitRate::Quality));
            all.extend([64, 96, 128, 160, 192, 256, 320].map(BitRate::Kbps));
        }
        Container::Wav | Container::Flac | Container::Opus => {
            all.extend([16, 24, 32, 48, 64, 96, 128, 160, 192, 256].map(BitRate::Kbps));
        }
    }
    // That of a preset may be another.
    if !all.contains(&delivery.bit_rate) {
        all.push(delivery.bit_rate);
    }
    let label = |bit_rate| match (bit_rate, container) {
        (BitRate::Usual, Container::Mp3) => "Usual: VBR V2, mono 96 kbit/s".into(),
        (BitRate::Usual, _) => "Usual: 64 kbit/s a channel".into(),
        (BitRate::Kbps(kbps), _) => format!("{kbps} kbit/s"),
        (BitRate::Quality(quality), _) => format!("VBR V{quality}"),
    };
    list(ui, ("Bit rate", LISTS[1]), &mut delivery.bit_rate, &all, label);
}

fn rate(ui: &mut Ui, delivery: &mut Delivery, shown: &ExportShown<'_>) {
    let paced_hz = f64::from(shown.rate_hz) * delivery.speed;
    let own = format!("{}, as it is", khz_from_hz(paced_hz));
    let Some(mut rate_hz) = delivery.rate_hz else {
        let all: Vec<Option<u32>> = std::iter::once(None).chain(RATES_HZ.map(Some)).collect();
        let label = |rate: Option<u32>| rate.map_or_else(|| own.clone(), |hz| khz_from_hz(f64::from(hz)));
        return list(ui, ("Rate", LISTS[0]), &mut delivery.rate_hz, &all, label);
    };
    // One of the list, or any that is typed beside it.
    let unusual = Some(rate_hz).filter(|rate| !RATES_HZ.contains(rate));
    let all: Vec<Option<u32>> = std::iter::once(None).chain(RATES_HZ.map(Some)).chain(unusual.map(Some)).collect();
    let label = |rate: Option<u32>| rate.map_or_else(|| own.clone(), |hz| khz_from_hz(f64::from(hz)));
    list(ui, ("Rate", LISTS[0] - 84.0), &mut delivery.rate_hz, &all, label);
    let field = DragValue::new(&mut rate_hz).speed(100.0).range(MIN_RATE_HZ..=MAX_RATE_HZ);
    let field = field.custom_parser(super::typed::hz_from_text).suffix(" Hz");
    if ui.add_sized([76.0, theme::FIELD_HEIGHT], field).accessible_name("Rate in hertz").changed() {
        delivery.rate_hz = Some(rate_hz);
    }
}

fn dither(ui: &mut Ui, delivery: &mut Delivery, container: Container, about: &About<'_>) {
    let source_is_float = !matches!(about.source_format, Some(SampleFormat::Pcm { .. }));
    let is_float = container == Container::Wav
        && (delivery.format == ExportFormat::Float32 || delivery.format == ExportFormat::Source && source_is_float);
    if is_float {
        return captioned(ui, "Dither", |ui, _| weak(ui, "None: floats are not rounded."));
    }
    let label = |dither| {
        match dither {
            None => "Automatic (16 bits and below)",
            Some(Dither::Tpdf) => "TPDF",
            Some(Dither::None) => "None",
        }
        .to_string()
    };
    let all = [None, Some(Dither::Tpdf), Some(Dither::None)];
    list(ui, ("Dither", LISTS[1]), &mut delivery.dither, &all, label);
}

fn channels(ui: &mut Ui, delivery: &mut Delivery, shown: &ExportShown<'_>) {
    let n = shown.n_channels;
    let mut all = vec![DeliveredChannels::All];
    if n == 2 {
        all.extend([DeliveredChannels::Left, DeliveredChannels::Right, DeliveredChannels::Mid, DeliveredChannels::Mix]);
    } else if n > 2 {
        all.push(DeliveredChannels::Mid);
        all.extend((0..n).map(DeliveredChannels::One));
    }
    // That of a preset may be another.
    if !all.contains(&delivery.channels) {
        all.push(delivery.channels);
    }
    let label = |choice: DeliveredChannels| match choice {
        DeliveredChannels::All => match n {
            1 => "Mono, as it is".into(),
            2 => "Stereo, as it is".into(),
            n => format!("All {n}"),
        },
        DeliveredChannels::Left => "Left".into(),
        DeliveredChannels::Right => "Right".into(),
        DeliveredChannels::Mid if n > 2 => "Mono: their mean".into(),
        DeliveredChannels::Mid => "Mono: (L+R)/2".into(),
        DeliveredChannels::Mix if n > 2 => "Mono mix: their mean".into(),
        DeliveredChannels::Mix => "Mono: (L+R)/\u{221a}2".into(),
        DeliveredChannels::One(channel) => {
            format!("Channel {}", channel_label(ChannelView::One(channel), n, shown.channel_mask))
        }
    };
    list(ui, ("Channels", LISTS[0]), &mut delivery.channels, &all, label);
}

fn speed(ui: &mut Ui, delivery: &mut Delivery, shown: &ExportShown<'_>) {
    let mut all = SPEEDS.to_vec();
    if !all.contains(&delivery.speed) {
        all.push(delivery.speed);
    }
    let label = |speed: f64| {
        let times = match speed {
            1.0 => "As recorded".to_owned(),
            speed if speed < 1.0 => format!("1/{}", number(1.0 / speed, 0)),
            speed => format!("{}\u{d7}", number(speed, 0)),
        };
        let rate = khz_from_hz((f64::from(shown.rate_hz) * speed).round());
        match speed == shown.speed && speed != 1.0 {
            true => format!("{times}, {rate}, as played"),
            false => format!("{times}, {rate}"),
        }
    };
    list(ui, ("Speed", LISTS[1]), &mut delivery.speed, &all, label);
}

fn level(ui: &mut Ui, delivery: &mut Delivery) {
    let (peak, loudness) = match delivery.level {
        LevelTarget::AsIs => (Normalise::PEAK_DB, LevelTarget::LOUDNESS_LUFS),
        LevelTarget::Peak(db) => (db, LevelTarget::LOUDNESS_LUFS),
        LevelTarget::Loudness(lufs) => (Normalise::PEAK_DB, lufs),
    };
    let all = [LevelTarget::AsIs, LevelTarget::Peak(peak), LevelTarget::Loudness(loudness)];
    let label = |target| match target {
        LevelTarget::AsIs => "As it is".to_owned(),
        LevelTarget::Peak(_) => "To a peak".to_owned(),
        LevelTarget::Loudness(_) => "To a loudness".to_owned(),
    };
    list(ui, ("Level", LISTS[0]), &mut delivery.level, &all, label);
    let range = Normalise::LEVELS[0]..=Normalise::LEVELS[1];
    // Each has a field of its own: what is being typed into one is no number of the other.
    let mut field = |name: &str, what: &str, unit: &str, level: &mut f64| {
        let number = DragValue::new(level).speed(0.1).max_decimals(2);
        ui.push_id(name, |ui| value(name, what, unit).show_within(ui, number, range.clone()));
    };
    match &mut delivery.level {
        LevelTarget::AsIs => {}
        LevelTarget::Peak(db) => field("Peak", "The loudest sample that is written.", "dBFS", db),
        LevelTarget::Loudness(lufs) => {
            field("Loudness", "Integrated loudness of what is written, by ITU-R BS.1770.", "LUFS", lufs);
        }
    }
}

/// What the file is called where its name is a pattern, and what becomes of the samples.
fn outcome(ui: &mut Ui, wish: &mut ExportWish, text: &str, about: &About<'_>) {
    let palette = theme::palette(ui.ctx());
    let refused = |ui: &mut Ui, what: &str| {
        ui.label(RichText::new(crate::workbench::sentence(what)).color(palette.danger));
    };
    if text.contains('{') {
        let secs = about.selected_secs.filter(|_| wish.is_selection).unwrap_or([0.0, about.export.secs]);
        let stem = Path::new(&about.name).file_stem().map(|stem| stem.to_string_lossy().into_owned());
        match named_by_pattern(&expanded(text), &stem.unwrap_or_default(), secs) {
            Ok(path) => {
                let name = path.file_name().map(|name| shown_path(Path::new(name))).unwrap_or_default();
                weak(ui, &format!("Named {name}."));
            }
            Err(error) => refused(ui, error.message()),
        }
    }
    match about.export.clipping {
        ClippingShown::Pending => weak(ui, "Looking for samples that would clip\u{2026}"),
        ClippingShown::Refused(why) => refused(ui, why),
        ClippingShown::Known(Clipping { n_samples: 0, .. }) => weak(
            ui,
            match is_plain(&wish.delivery) && !Container::of(Path::new(text.trim())).is_lossy() {
                true => "Nothing clips. Samples outside your edits are written unchanged.",
                false => "Nothing clips.",
            },
        ),
        ClippingShown::Known(clipping) => {
            ui.horizontal(|ui| {
                let samples = match clipping.n_samples {
                    1 => "1 sample would clip".to_owned(),
                    n => format!("{} samples would clip", number(n as f64, 0)),
                };
                let what = format!("{samples}, by up to {} dB.", number(clipping.over_db, 1));
                ui.label(RichText::new(what).color(palette.danger));
                let peak = format!("Gives the loudest sample {} dBFS.", number(Normalise::PEAK_DB, 0));
                if ui.button("Normalise").on_hover_text(peak).clicked() {
                    wish.delivery.level = LevelTarget::Peak(Normalise::PEAK_DB);
                }
            });
        }
    }
}

/// Whether samples go into the file as they are.
fn is_plain(delivery: &Delivery) -> bool {
    let Delivery { format, channels, level, rate_hz, .. } = delivery;
    let usual = Delivery::default();
    (*format, *channels, *level, *rate_hz) == (usual.format, usual.channels, usual.level, usual.rate_hz)
}

fn format_name(format: ExportFormat, source: Option<SampleFormat>, container: Container) -> String {
    match (format, container) {
        (ExportFormat::Source, _) => match (source, container) {
            (Some(SampleFormat::Pcm { bits }), _) => format!("Same as source ({bits} bit)"),
            (Some(_), Container::Flac) => "24 bit (FLAC holds no floats)".into(),
            (Some(SampleFormat::Float32), _) => "Same as source (32-bit float)".into(),
            (Some(SampleFormat::Float64), _) => "Same as source (64-bit float)".into(),
            (Some(SampleFormat::Lossy), _) => "As decoded (32-bit float)".into(),
            (None, _) => "Same as source".into(),
        },
        (ExportFormat::Pcm16, _) => "16 bit".into(),
        (ExportFormat::Pcm24, _) => "24 bit".into(),
        (ExportFormat::Pcm32, Container::Flac) => "32 bit (few players read it)".into(),
        (ExportFormat::Pcm32, _) => "32 bit".into(),
        (ExportFormat::Float32, _) => "32-bit float".into(),
    }
}

/// A suggested name follows what is exported; a name of the user's own stays.
fn named_for(text: &str, is_selection: bool) -> String {
    let (from, to) = if is_selection { ("-edited.", "-part.") } else { ("-part.", "-edited.") };
    match text.rsplit_once(from) {
        Some((stem, ending)) if !ending.contains(['/', '.']) => format!("{stem}{to}{ending}"),
        _ => text.to_owned(),
    }
}
