//! Converts events to notes: keys, the pedal, programs, drums, and the effects of channels on sounding notes.

use super::channel::{ChannelChanges, ChannelState, N_KEYS};
use crate::base::{Error, ErrorKind, Result};
use crate::dsp::voices::{Burst, Score, ScoreNote, Timbre};
use midly::MidiMessage;
use std::collections::VecDeque;

const N_CHANNELS: usize = 16;
const N_PROGRAMS: usize = 128;
/// Index of the drum channel, which is channel 10 counted from 1.
const DRUMS: usize = 9;
const PEDAL: u8 = 64;
const PEDAL_DOWN: u8 = 64;
const ALL_SOUND_OFF: u8 = 120;
const RESET: u8 = 121;
/// Controllers for all notes off, and for the four changes of mode that imply it.
const ALL_NOTES_OFF: std::ops::RangeInclusive<u8> = 123..=127;
/// Length in seconds of a note that ends on the tick on which it begins.
const MIN_SECS: f64 = 0.001;

/// The notes of a score being read, in the order of their starts.
#[derive(Debug)]
pub struct Notes<'a> {
    score: &'a mut Score,
    timbre: Option<Timbre>,
    /// Index in the score of each program's timbre.
    programs: [Option<usize>; N_PROGRAMS],
    /// Index in the score of each drum key's timbre.
    drums: [Option<usize>; N_KEYS],
    channels: Vec<ChannelState>,
    started: Vec<OpenNote>,
    /// Number of notes cut to the maximum length.
    n_cut: usize,
    /// Total number of points of glides, pressures and pans.
    n_points: usize,
}

#[derive(Debug, Clone, Copy)]
struct OpenNote {
    channel: usize,
    key: u8,
    /// Number of "all sound off" messages on its channel before its start.
    n_cuts_before: usize,
}

impl<'a> Notes<'a> {
    /// Adds notes to an empty score. All notes except drums get `timbre`, or that of their program if it is `None`.
    pub fn new(score: &'a mut Score, timbre: Option<Timbre>) -> Notes<'a> {
        let channels = (0..N_CHANNELS).map(|_| ChannelState::new()).collect();
        Notes {
            score,
            timbre,
            programs: [None; N_PROGRAMS],
            drums: [None; N_KEYS],
            channels,
            started: Vec::new(),
            n_cut: 0,
            n_points: 0,
        }
    }

    /// Applies a message.
    ///
    /// # Errors
    /// [`Script`](ErrorKind::Script) for more notes than a score may have.
    pub fn take(&mut self, secs: f64, channel: u8, message: MidiMessage) -> Result<()> {
        let channel = usize::from(channel);
        let state = &mut self.channels[channel];
        match message {
            MidiMessage::NoteOn { key, vel } if vel.as_int() > 0 => {
                return self.begin(secs, channel, key.as_int(), vel.as_int());
            }
            MidiMessage::NoteOn { key, .. } | MidiMessage::NoteOff { key, .. } => {
                if let Some(note) = state.down[usize::from(key.as_int())].pop_front() {
                    self.let_go(channel, note, secs);
                }
            }
            MidiMessage::Controller { controller, value } => {
                self.control(secs, channel, controller.as_int(), value.as_int());
            }
            MidiMessage::ProgramChange { program } => state.program = program.as_int(),
            MidiMessage::PitchBend { bend } => state.bend(secs, bend.as_f64()),
            _ => {}
        }
        Ok(())
    }

    fn control(&mut self, secs: f64, channel: usize, controller: u8, value: u8) {
        let state = &mut self.channels[channel];
        match controller {
            PEDAL => self.set_pedal(channel, value >= PEDAL_DOWN, secs),
            ALL_SOUND_OFF => {
                state.cuts.push(secs);
                let down: Vec<usize> = state.down.iter_mut().flat_map(std::mem::take).collect();
                let held = std::mem::take(&mut state.held);
                down.into_iter().chain(held).for_each(|note| self.end(note, secs));
            }
            // Notes held by the pedal continue.
            _ if ALL_NOTES_OFF.contains(&controller) => {
                let down: Vec<usize> = state.down.iter_mut().flat_map(std::mem::take).collect();
                down.into_iter().for_each(|note| self.let_go(channel, note, secs));
            }
            _ => {
                state.control(secs, controller, value);
                if controller == RESET {
                    self.set_pedal(channel, false, secs);
                }
            }
        }
    }

    fn set_pedal(&mut self, channel: usize, is_down: bool, secs: f64) {
        let state = &mut self.channels[channel];
        state.is_pedal_down = is_down;
        if !is_down {
            std::mem::take(&mut state.held).into_iter().for_each(|note| self.end(note, secs));
        }
    }

    /// Releases a note's key; if the pedal is down, it holds the note.
    fn let_go(&mut self, channel: usize, note: usize, secs: f64) {
        let state = &mut self.channels[channel];
        if state.is_pedal_down { state.held.push(note) } else { self.end(note, secs) }
    }

    fn begin(&mut self, secs: f64, channel: usize, key: u8, velocity: u8) -> Result<()> {
        let note = self.score.notes.len();
        if note == Score::MAX_NOTES {
            let what = format!("holds more than {} notes, the most that a score may have", Score::MAX_NOTES);
            return Err(Error::new(ErrorKind::Script, what));
        }
        let burst = (channel == DRUMS).then(|| Burst::of_drum(key));
        let timbre = match burst {
            Some(burst) => self.timbre_of_drum(key, burst),
            None => self.timbre_of(self.channels[channel].program),
        };
        self.score.notes.push(ScoreNote {
            pitch: burst.map_or(f64::from(key), |burst| burst.pitch),
            start_secs: secs,
            duration_secs: burst.map_or(MIN_SECS, Burst::note_secs),
            velocity: f64::from(velocity) / 127.0,
            pan: 0.0,
            timbre,
            glide: Vec::new(),
            pressure: Vec::new(),
            sides: Vec::new(),
        });
        let state = &mut self.channels[channel];
        self.started.push(OpenNote { channel, key, n_cuts_before: state.cuts.len() });
        // Drum notes end without a note-off message.
        if burst.is_none() {
            state.down[usize::from(key)].push_back(note);
        }
        Ok(())
    }

    fn end(&mut self, index: usize, secs: f64) {
        let note = &mut self.score.notes[index];
        // A hanging note is cut to the maximum length, so that the file can still be opened.
        self.n_cut += usize::from(secs - note.start_secs > Score::MAX_NOTE_SECS);
        let secs = secs.min(note.start_secs + Score::MAX_NOTE_SECS);
        let lasted = (secs - note.start_secs).min(Score::MAX_NOTE_SECS);
        note.duration_secs = if lasted > 0.0 { lasted } else { MIN_SECS };
    }

    /// Adds the channel's changes of pitch, level and pan during a note, including its release.
    ///
    /// # Errors
    /// [`Script`](ErrorKind::Script) for more changes than a score may have.
    fn shape(&mut self, index: usize) -> Result<()> {
        let note = &mut self.score.notes[index];
        let OpenNote { channel, n_cuts_before, .. } = self.started[index];
        let state = &self.channels[channel];
        let start_secs = note.start_secs;
        let end_secs = start_secs + note.duration_secs + self.score.timbres[note.timbre].adsr.release_secs;
        let (levels, sides) = (&state.levels, &state.sides);
        let n_pitches = if channel == DRUMS { 0 } else { state.pitches.n_points(start_secs, end_secs) };
        self.n_points += levels.n_points(start_secs, end_secs) + sides.n_points(start_secs, end_secs) + n_pitches;
        if self.n_points > Score::MAX_POINTS {
            let max = Score::MAX_POINTS / 2;
            let what = format!("changes the pitch and the level of its notes more than {max} times");
            return Err(Error::new(ErrorKind::Script, what));
        }
        note.pressure = steps(levels, start_secs, end_secs, |secs, [level]| [secs, level]);
        note.sides = steps(sides, start_secs, end_secs, |secs, [left, right]| [secs, left, right]);
        if channel != DRUMS {
            let bent = |semitones: f64| (note.pitch + semitones).clamp(0.0, Score::MAX_PITCH);
            let glide = steps(&state.pitches, start_secs, end_secs, |secs, [semitones]| [secs, bent(semitones)]);
            if let [[_, only]] = glide[..] {
                note.pitch = only;
            } else {
                note.glide = glide;
            }
        }
        if let Some(&cut_secs) = state.cuts.get(n_cuts_before)
            && cut_secs < end_secs
        {
            let since = cut_secs - start_secs;
            let level = note.pressure.iter().rev().find(|point| point[0] <= since).map_or(1.0, |point| point[1]);
            note.pressure.retain(|point| point[0] < since);
            note.pressure.extend([[since, level], [since, 0.0]]);
        }
        Ok(())
    }

    /// The index of a program's timbre in the score.
    fn timbre_of(&mut self, program: u8) -> usize {
        let program = if self.timbre.is_some() { 0 } else { program };
        if let Some(known) = self.programs[usize::from(program)] {
            return known;
        }
        let timbre = self.timbre.clone().or_else(|| Timbre::named(name_of_program(program))).unwrap_or_default();
        let index = self.index_of(timbre);
        self.programs[usize::from(program)] = Some(index);
        index
    }

    fn timbre_of_drum(&mut self, key: u8, burst: Burst) -> usize {
        if let Some(known) = self.drums[usize::from(key)] {
            return known;
        }
        let index = self.index_of(burst.timbre());
        self.drums[usize::from(key)] = Some(index);
        index
    }

    fn index_of(&mut self, timbre: Timbre) -> usize {
        let timbres = &mut self.score.timbres;
        timbres.iter().position(|known| *known == timbre).unwrap_or_else(|| {
            timbres.push(timbre);
            timbres.len() - 1
        })
    }

    /// Ends all sounding notes at the last event. Returns each note's channel, counted from 1, and key.
    ///
    /// # Errors
    /// [`Script`](ErrorKind::Script) for more changes of pitch and level than a score may have.
    pub fn finish(mut self, end_secs: f64, notices: &mut Vec<String>) -> Result<Vec<[usize; 2]>> {
        let mut left: Vec<usize> = Vec::new();
        for state in &mut self.channels {
            let keys_down: usize = state.down.iter().map(VecDeque::len).sum();
            if keys_down > 0 || !state.held.is_empty() {
                left.extend(state.down.iter_mut().flat_map(std::mem::take));
                left.append(&mut state.held);
            }
        }
        if !left.is_empty() {
            notices.push(format!("{} without an end: what is held ends with the last event", notes(left.len())));
        }
        for note in left {
            self.end(note, end_secs);
        }
        for note in 0..self.started.len() {
            self.shape(note)?;
        }
        if self.n_cut > 0 {
            let max = Score::MAX_NOTE_SECS;
            notices.push(format!("{} longer than {max} s, cut there: a note lasts no longer", notes(self.n_cut)));
        }
        Ok(self.started.iter().map(|note| [note.channel + 1, usize::from(note.key)]).collect())
    }
}

/// Converts stepwise changes to points relative to the start of a note: two at each change, so that the value jumps.
/// Empty if the default applies throughout.
fn steps<const N: usize, const M: usize>(
    changes: &ChannelChanges<N>,
    start_secs: f64,
    end_secs: f64,
    point: impl Fn(f64, [f64; N]) -> [f64; M],
) -> Vec<[f64; M]> {
    let (at_start, later) = changes.within(start_secs, end_secs);
    if later.is_empty() && at_start == changes.usual() {
        return Vec::new();
    }
    let mut points = vec![point(0.0, at_start)];
    let mut before = at_start;
    for &(at_secs, value) in later {
        let since = at_secs - start_secs;
        points.extend([point(since, before), point(since, value)]);
        before = value;
    }
    points
}

fn notes(n: usize) -> String {
    if n == 1 { "1 note".into() } else { format!("{n} notes") }
}

/// Name of the timbre for a program of General MIDI, counted from 0.
fn name_of_program(program: u8) -> &'static str {
    match program {
        52..=54 | 64..=79 => "breath",
        48..=55 | 88..=103 => "pad",
        0..=7 | 24..=47 => "pluck",
        16..=23 => "organ",
        8..=15 => "bell",
        _ => "pad",
    }
}
