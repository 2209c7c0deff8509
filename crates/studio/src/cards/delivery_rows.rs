//! The settings of a delivery (an exported file), as on export cards.

use super::card_parts::{CardContext, captioned, value, weak};
use crate::base::{khz_from_hz, number};
use crate::document::brushes::Normalise;
use crate::document::{DeliveredChannels, Delivery, LevelTarget};
use crate::media::{BitRate, Container, Dither, ExportFormat, MAX_RATE_HZ, MIN_RATE_HZ, SampleFormat};
use crate::widgets;
use crate::widgets::theme;
use crate::workbench::{ChannelView, ExportShown, SPEEDS, channel_label};
use egui::{DragValue, Ui};

/// Widths of the lists in the two columns, in points.
const LISTS: [f32; 2] = [166.0, 230.0];
/// Sample rates offered in addition to the sound's own.
const RATES_HZ: [u32; 11] = [8_000, 11_025, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000, 88_200, 96_000, 192_000];

/// Draws all settings in two columns. `kind` draws the choice of the container and returns the chosen one.
pub(crate) fn ui(
    ui: &mut Ui,
    delivery: &mut Delivery,
    about: &CardContext<'_>,
    kind: impl FnOnce(&mut Ui, &mut Delivery) -> Container,
) -> Container {
    let shown = &about.export;
    let mut container = Container::default();
    ui.horizontal(|ui| {
        container = kind(ui, delivery);
        // Lossy files have no sample format, and others have no bit rate.
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

/// The choice of the file type.
pub(crate) fn kinds<T: PartialEq + Copy>(ui: &mut Ui, value: &mut T, all: &[T], label: impl Fn(T) -> String) {
    list(ui, ("Type", LISTS[0]), value, all, label);
}

/// A drop-down list in a column, with its caption.
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

fn format(ui: &mut Ui, delivery: &mut Delivery, container: Container, about: &CardContext<'_>) {
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
    // FLAC does not support floats.
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
    // A preset may have another value.
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
    // The rate can be chosen from the list, or typed into the field beside it.
    let unusual = Some(rate_hz).filter(|rate| !RATES_HZ.contains(rate));
    let all: Vec<Option<u32>> = std::iter::once(None).chain(RATES_HZ.map(Some)).chain(unusual.map(Some)).collect();
    let label = |rate: Option<u32>| rate.map_or_else(|| own.clone(), |hz| khz_from_hz(f64::from(hz)));
    list(ui, ("Rate", LISTS[0] - 84.0), &mut delivery.rate_hz, &all, label);
    let field = DragValue::new(&mut rate_hz).speed(100.0).range(MIN_RATE_HZ..=MAX_RATE_HZ);
    let field = field.custom_parser(crate::input::typed::hz_from_text).suffix(" Hz");
    if ui.add_sized([76.0, theme::FIELD_HEIGHT], field).accessible_name("Rate in hertz").changed() {
        delivery.rate_hz = Some(rate_hz);
    }
}

fn dither(ui: &mut Ui, delivery: &mut Delivery, container: Container, about: &CardContext<'_>) {
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
    // A preset may have another value.
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
    // Separate ids, so that text being typed into a field is not taken over by the other.
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
