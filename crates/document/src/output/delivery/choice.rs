//! The settings of a delivery.

use crate::base::{Error, ErrorKind, Result, khz_from_hz};
use crate::document::brushes::Normalise;
use crate::document::labels::{NamePattern, NamedFiles};
use crate::media::{BitRate, Container, Dither, ExportFormat, MAX_RATE_HZ, MIN_RATE_HZ, SourceInfo};

/// Minimum and maximum playback speed of a file.
pub const SPEED_LIMITS: [f64; 2] = [1.0 / 20.0, 8.0];

/// The channels of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum DeliveredChannels {
    /// All channels, unchanged.
    #[default]
    All,
    /// The first of two or more; the only channel of mono.
    Left,
    /// The second of two or more.
    Right,
    /// One channel: half the sum of left and right; the mean of more than two channels.
    Mid,
    /// One channel: the sum of left and right divided by the square root of 2; the mean of more than two channels.
    Mix,
    /// A single channel, counted from 0.
    One(usize),
}

impl DeliveredChannels {
    /// The named choices.
    pub const NAMED: [DeliveredChannels; 5] = [
        DeliveredChannels::All,
        DeliveredChannels::Left,
        DeliveredChannels::Right,
        DeliveredChannels::Mid,
        DeliveredChannels::Mix,
    ];

    /// The name in presets and on the command line; the number of a single channel.
    pub fn name(self) -> String {
        match self {
            DeliveredChannels::All => "all".into(),
            DeliveredChannels::Left => "left".into(),
            DeliveredChannels::Right => "right".into(),
            DeliveredChannels::Mid => "mid".into(),
            DeliveredChannels::Mix => "mix".into(),
            DeliveredChannels::One(channel) => channel.to_string(),
        }
    }

    /// The choice with a name, or for the number of a channel; `None` for any other text.
    pub fn named(name: &str) -> Option<DeliveredChannels> {
        let known = DeliveredChannels::NAMED.into_iter().find(|choice| choice.name() == name);
        known.or_else(|| name.parse().ok().map(DeliveredChannels::One))
    }

    /// The channels taken from a sound with `n_channels`.
    ///
    /// # Errors
    /// [`Unsupported`](ErrorKind::Unsupported) for a channel that does not exist.
    pub(super) fn of(self, n_channels: usize) -> Result<Taken> {
        let one = |channel: usize, what: &str| {
            if channel < n_channels {
                return Ok(if n_channels == 1 { Taken::All } else { Taken::One(channel) });
            }
            let has = if n_channels == 1 { "1 channel".into() } else { format!("{n_channels} channels") };
            Err(Error::new(ErrorKind::Unsupported, format!("the sound has {has} and no {what}; choose another")))
        };
        match self {
            DeliveredChannels::All => Ok(Taken::All),
            DeliveredChannels::Left => one(0, "left channel"),
            DeliveredChannels::Right => one(1, "right channel"),
            DeliveredChannels::One(channel) => one(channel, &format!("channel {channel}, counted from 0")),
            DeliveredChannels::Mid | DeliveredChannels::Mix if n_channels == 1 => Ok(Taken::All),
            DeliveredChannels::Mix if n_channels == 2 => Ok(Taken::Sum(std::f64::consts::FRAC_1_SQRT_2)),
            DeliveredChannels::Mid | DeliveredChannels::Mix => Ok(Taken::Sum(1.0 / n_channels as f64)),
        }
    }
}

/// The channels taken from a sound.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Taken {
    All,
    One(usize),
    /// The sum of all channels, times this factor.
    Sum(f64),
}

/// Target level of a file.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum LevelTarget {
    /// Unchanged.
    #[default]
    AsIs,
    /// Peak level in dBFS.
    Peak(f64),
    /// Integrated loudness by BS.1770, in LUFS.
    Loudness(f64),
}

impl LevelTarget {
    /// Default loudness, usual for podcasts.
    pub const LOUDNESS_LUFS: f64 = -16.0;

    /// The level in dBFS or LUFS; `None` if unchanged.
    pub fn level(self) -> Option<f64> {
        match self {
            LevelTarget::AsIs => None,
            LevelTarget::Peak(level) | LevelTarget::Loudness(level) => Some(level),
        }
    }
}

/// How to write a sound to a file.
#[derive(Debug, Clone, PartialEq)]
pub struct Delivery {
    /// File format; `None` uses that of the name or the source.
    pub container: Option<Container>,
    /// How samples are stored.
    pub format: ExportFormat,
    /// Dither of integers; `None` chooses by bit depth.
    pub dither: Option<Dither>,
    /// Bit rate of a lossy file.
    pub bit_rate: BitRate,
    /// Sample rate in hertz; `None` is that of the sound, times the speed.
    pub rate_hz: Option<u32>,
    /// The channels written.
    pub channels: DeliveredChannels,
    /// Target level.
    pub level: LevelTarget,
    /// Playback speed: the samples are played at the sound's sample rate times this factor.
    pub speed: f64,
    /// Name of the file without extension, as a [`NamePattern`]; `None` if unspecified.
    pub name: Option<String>,
}

impl Default for Delivery {
    /// Writes a sound like its source.
    fn default() -> Delivery {
        Delivery {
            container: None,
            format: ExportFormat::Source,
            dither: None,
            bit_rate: BitRate::Usual,
            rate_hz: None,
            channels: DeliveredChannels::All,
            level: LevelTarget::AsIs,
            speed: 1.0,
            name: None,
        }
    }
}

impl Delivery {
    /// Returns the delivery if all of its values are valid.
    ///
    /// # Errors
    /// [`Script`](ErrorKind::Script), with the name of the invalid value.
    pub fn checked(self) -> Result<Delivery> {
        let refused = |what: String| Err(Error::new(ErrorKind::Script, what));
        let [low, high] = Normalise::LEVELS;
        let (name, unit) = match self.level {
            LevelTarget::Loudness(_) => ("loudness", "LUFS"),
            LevelTarget::AsIs | LevelTarget::Peak(_) => ("peak", "dBFS"),
        };
        if self.level.level().is_some_and(|level| !(low..=high).contains(&level)) {
            return refused(format!("the {name} must be from {low} to {high} {unit}"));
        }
        if self.rate_hz.is_some_and(|rate| !(MIN_RATE_HZ..=MAX_RATE_HZ).contains(&rate)) {
            let [low, high] = [MIN_RATE_HZ, MAX_RATE_HZ].map(|hz| khz_from_hz(f64::from(hz)));
            return refused(format!("the sample rate must be from {low} to {high}"));
        }
        if !(SPEED_LIMITS[0]..=SPEED_LIMITS[1]).contains(&self.speed) {
            return refused(format!("the speed must be from {} to {}", SPEED_LIMITS[0], SPEED_LIMITS[1]));
        }
        if let Some(name) = &self.name {
            NamePattern::parse(name, NamedFiles::Parts)?;
        }
        Ok(self)
    }

    /// The file format for a sound, given that of its source.
    pub fn container_for(&self, source: Container) -> Container {
        self.container.unwrap_or(source)
    }

    /// Checks that a file format supports these settings.
    ///
    /// # Errors
    /// [`Unsupported`](ErrorKind::Unsupported) for a format other than the chosen one, and as
    /// [`Container::refuse_chosen`].
    pub fn check_in(&self, container: Container) -> Result<()> {
        if let Some(chosen) = self.container.filter(|chosen| *chosen != container) {
            let what = format!("would contain {}; end its name in .{}", chosen.name(), chosen.ending());
            return Err(Error::new(ErrorKind::Unsupported, what));
        }
        let has_format = self.format != ExportFormat::Source || self.dither.is_some();
        container.refuse_chosen(has_format, self.bit_rate)
    }

    /// Checks that a sound supports these settings.
    ///
    /// # Errors
    /// [`Unsupported`](ErrorKind::Unsupported) for a channel that does not exist, and a speed that needs a sample rate
    /// that no file has.
    pub fn check_for(&self, sound: &SourceInfo) -> Result<()> {
        self.channels.of(sound.n_channels)?;
        self.paced_hz(sound.sample_rate_hz).map(drop)
    }

    /// The sample rate at which a sound plays at the chosen speed, in whole hertz.
    pub(super) fn paced_hz(&self, sound_hz: u32) -> Result<u32> {
        if self.speed == 1.0 {
            return Ok(sound_hz);
        }
        let paced_hz = (f64::from(sound_hz) * self.speed).round() as u32;
        if (MIN_RATE_HZ..=MAX_RATE_HZ).contains(&paced_hz) {
            return Ok(paced_hz);
        }
        let what =
            format!("at this speed the file would have {}; choose another speed", khz_from_hz(f64::from(paced_hz)));
        Err(Error::new(ErrorKind::Unsupported, what))
    }
}
