//! Signals to analyse and edit in a sound of several channels.

use crate::Snapshot;
use crate::base::{Error, ErrorKind, Result};
use crate::dsp::NoiseSignal;

/// The channels that an edit changes.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Channels {
    /// Every channel, each separately.
    #[default]
    All,
    /// These channels, counted from 0.
    List(Vec<usize>),
    /// `(L + R) / 2` of a stereo file.
    Mid,
    /// `(L - R) / 2` of a stereo file.
    Side,
}

/// A signal to analyse and edit: a channel, or mid or side of two.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Signal {
    /// One channel.
    Channel(usize),
    /// `(L + R) / 2`.
    Mid,
    /// `(L - R) / 2`.
    Side,
}

impl Signal {
    /// The signals that an edit of these channels works on.
    ///
    /// # Errors
    /// [`Script`](ErrorKind::Script) for a channel that the sound does not have, and for mid and side of sound that is
    /// not stereo.
    pub fn of(channels: &Channels, n_channels: usize) -> Result<Vec<Signal>> {
        let stereo = |signal| {
            if n_channels == 2 {
                return Ok(vec![signal]);
            }
            Err(Error::new(ErrorKind::Script, format!("mid and side need 2 channels; this sound has {n_channels}")))
        };
        match channels {
            Channels::All => Ok((0..n_channels).map(Signal::Channel).collect()),
            Channels::Mid => stereo(Signal::Mid),
            Channels::Side => stereo(Signal::Side),
            Channels::List(list) => match list.iter().find(|&&channel| channel >= n_channels) {
                Some(channel) => {
                    let last = n_channels - 1;
                    Err(Error::new(
                        ErrorKind::Script,
                        format!("channel {channel} does not exist; the last one is {last}"),
                    ))
                }
                None => Ok(list.iter().copied().map(Signal::Channel).collect()),
            },
        }
    }

    /// The signal's samples from `first` on, 0 beyond the ends.
    ///
    /// # Errors
    /// Read errors of the source.
    pub fn read(self, snapshot: &Snapshot, first: i64, out: &mut [f32]) -> Result<()> {
        let sign = match self {
            Signal::Channel(channel) => return snapshot.read(channel, first, out),
            Signal::Mid => 1.0,
            Signal::Side => -1.0,
        };
        let mut right = vec![0.0; out.len()];
        snapshot.read(0, first, out)?;
        snapshot.read(1, first, &mut right)?;
        for (left, right) in out.iter_mut().zip(&right) {
            *left = (*left + sign * right) * 0.5;
        }
        Ok(())
    }

    /// As `Snapshot::silent_until`, for this signal.
    pub fn silent_until(self, snapshot: &Snapshot, first: u64) -> u64 {
        match self {
            Signal::Channel(channel) => snapshot.silent_until(channel, first),
            Signal::Mid | Signal::Side => snapshot.silent_until(0, first).min(snapshot.silent_until(1, first)),
        }
    }

    /// Which spectrum of a noise profile applies to it.
    pub fn noise_of(self) -> NoiseSignal {
        match self {
            Signal::Channel(channel) => NoiseSignal::Channel(channel),
            Signal::Mid => NoiseSignal::Mid,
            Signal::Side => NoiseSignal::Side,
        }
    }

    /// A number that is unique among the signals of a sound.
    pub(crate) fn number(self) -> u64 {
        match self {
            Signal::Channel(channel) => channel as u64,
            Signal::Mid => u64::MAX,
            Signal::Side => u64::MAX - 1,
        }
    }

    /// The channels that a change of this signal is added to, each with the sign of the change.
    pub(crate) fn targets(self) -> Vec<(usize, f32)> {
        match self {
            Signal::Channel(channel) => vec![(channel, 1.0)],
            Signal::Mid => vec![(0, 1.0), (1, 1.0)],
            Signal::Side => vec![(0, 1.0), (1, -1.0)],
        }
    }
}
