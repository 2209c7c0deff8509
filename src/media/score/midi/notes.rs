//! From events to notes: keys, the pedal, programs and pitch bends.

use crate::base::{Error, ErrorKind, Result};
use crate::dsp::voices::{Score, ScoreNote, Timbre};
use midly::MidiMessage;
use std::collections::VecDeque;

const N_CHANNELS: usize = 16;
const N_KEYS: usize = 128;
/// Channel 10, counted from 0.
const DRUMS: usize = 9;
const PEDAL: u8 = 64;
const PEDAL_DOWN: u8 = 64;
/// How far the pitch bend reaches.
const BEND_SEMITONES: f64 = 2.0;
/// What a note that ends on its own tick lasts.
const LEAST_SECS: f64 = 0.001;
/// Most points of all glides together.
const MOST_BENDS: usize = 1 << 21;

/// Notes in the order in which they begin.
#[derive(Debug)]
pub struct Notes<'a> {
    score: &'a mut Score,
    timbre: Option<Timbre>,
    /// The index of each program's timbre in the score.
    programs: [Option<usize>; N_KEYS],
    channels: Vec<ChannelState>,
    /// Channel and key of each note, counted as musicians do.
    places: Vec<[usize; 2]>,
    n_drums: usize,
    /// Notes that are cut at the most that a note may last.
    n_cut: usize,
    n_bends: usize,
}

#[derive(Debug)]
struct ChannelState {
    program: u8,
    is_pedal_down: bool,
    /// Notes whose keys are down, by key, the earliest first.
    down: Vec<VecDeque<usize>>,
    /// Notes that the pedal holds.
    held: Vec<usize>,
    /// Time and semitones.
    bends: Vec<[f64; 2]>,
}

impl<'a> Notes<'a> {
    /// Adds notes to an empty score, all in one timbre, or each in that of its program.
    pub fn new(score: &'a mut Score, timbre: Option<Timbre>) -> Notes<'a> {
        let channel = || ChannelState {
            program: 0,
            is_pedal_down: false,
            down: vec![VecDeque::new(); N_KEYS],
            held: Vec::new(),
            bends: Vec::new(),
        };
        let channels = (0..N_CHANNELS).map(|_| channel()).collect();
        Notes {
            score,
            timbre,
            programs: [None; N_KEYS],
            channels,
            places: Vec::new(),
            n_drums: 0,
            n_cut: 0,
            n_bends: 0,
        }
    }

    /// Takes a message.
    ///
    /// # Errors
    /// [`Script`](ErrorKind::Script) beyond the most notes or pitch bends.
    pub fn take(&mut self, secs: f64, channel: u8, message: MidiMessage) -> Result<()> {
        let channel = usize::from(channel);
        match message {
            MidiMessage::NoteOn { key, vel } if vel.as_int() > 0 => {
                self.begin(secs, channel, key.as_int(), vel.as_int())
            }
            MidiMessage::NoteOn { key, .. } | MidiMessage::NoteOff { key, .. } => {
                let state = &mut self.channels[channel];
                match state.down[usize::from(key.as_int())].pop_front() {
                    Some(note) if state.is_pedal_down => state.held.push(note),
                    Some(note) => self.end(note, secs)?,
                    None => {}
                }
                Ok(())
            }
            MidiMessage::Controller { controller, value } if controller.as_int() == PEDAL => {
                let state = &mut self.channels[channel];
                state.is_pedal_down = value.as_int() >= PEDAL_DOWN;
                if !state.is_pedal_down {
                    for note in std::mem::take(&mut state.held) {
                        self.end(note, secs)?;
                    }
                }
                Ok(())
            }
            MidiMessage::ProgramChange { program } => {
                self.channels[channel].program = program.as_int();
                Ok(())
            }
            MidiMessage::PitchBend { bend } => {
                let semitones = BEND_SEMITONES * bend.as_f64();
                self.channels[channel].bends.push([secs, semitones]);
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn begin(&mut self, secs: f64, channel: usize, key: u8, velocity: u8) -> Result<()> {
        if channel == DRUMS {
            self.n_drums += 1;
            return Ok(());
        }
        let note = self.score.notes.len();
        if note == Score::MOST_NOTES {
            let what = format!("holds more than {} notes, the most that a score may have", Score::MOST_NOTES);
            return Err(Error::new(ErrorKind::Script, what));
        }
        let timbre = self.timbre_of(self.channels[channel].program);
        self.score.notes.push(ScoreNote {
            pitch: f64::from(key),
            start_secs: secs,
            duration_secs: LEAST_SECS,
            velocity: f64::from(velocity) / 127.0,
            pan: 0.0,
            timbre,
            glide: Vec::new(),
            pressure: Vec::new(),
        });
        self.places.push([channel + 1, usize::from(key)]);
        self.channels[channel].down[usize::from(key)].push_back(note);
        Ok(())
    }

    fn end(&mut self, index: usize, secs: f64) -> Result<()> {
        let note = &mut self.score.notes[index];
        // A key that hangs sounds for as long as a note may, rather than spoil the file.
        self.n_cut += usize::from(secs - note.start_secs > Score::MOST_NOTE_SECS);
        let secs = secs.min(note.start_secs + Score::MOST_NOTE_SECS);
        let lasted = (secs - note.start_secs).min(Score::MOST_NOTE_SECS);
        note.duration_secs = if lasted > 0.0 { lasted } else { LEAST_SECS };
        let bends = &self.channels[self.places[index][0] - 1].bends;
        let first = bends.partition_point(|bend| bend[0] <= note.start_secs);
        let last = first + bends[first..].partition_point(|bend| bend[0] <= secs);
        let at_start = first.checked_sub(1).map_or(0.0, |before| bends[before][1]);
        let bent = |semitones: f64| (note.pitch + semitones).clamp(0.0, Score::MOST_PITCH);
        if first == last {
            note.pitch = bent(at_start);
            return Ok(());
        }
        self.n_bends += last - first;
        if self.n_bends > MOST_BENDS {
            let what = format!("bends the pitch of its notes more than {MOST_BENDS} times");
            return Err(Error::new(ErrorKind::Script, what));
        }
        // A bend is a step: the value before it holds until then.
        let mut glide = vec![[0.0, bent(at_start)]];
        let mut before = at_start;
        for [at, semitones] in &bends[first..last] {
            let since = at - note.start_secs;
            glide.extend([[since, bent(before)], [since, bent(*semitones)]]);
            before = *semitones;
        }
        note.glide = glide;
        Ok(())
    }

    /// The index of a program's timbre in the score.
    fn timbre_of(&mut self, program: u8) -> usize {
        let program = if self.timbre.is_some() { 0 } else { program };
        if let Some(known) = self.programs[usize::from(program)] {
            return known;
        }
        let timbre = self.timbre.clone().or_else(|| Timbre::named(name_of_program(program))).unwrap_or_default();
        let same = self.score.timbres.iter().position(|known| *known == timbre);
        let index = same.unwrap_or(self.score.timbres.len());
        if same.is_none() {
            self.score.timbres.push(timbre);
        }
        self.programs[usize::from(program)] = Some(index);
        index
    }

    /// Ends what still sounds with the last event. Channel and key of each note.
    ///
    /// # Errors
    /// [`Script`](ErrorKind::Script) beyond the most pitch bends.
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
            self.end(note, end_secs)?;
        }
        if self.n_cut > 0 {
            let most = Score::MOST_NOTE_SECS;
            notices.push(format!("{} longer than {most} s, cut there: a note lasts no longer", notes(self.n_cut)));
        }
        if self.n_drums > 0 {
            notices.push(format!("left out: {} on channel 10, which is for drums", notes(self.n_drums)));
        }
        Ok(self.places)
    }
}

fn notes(n: usize) -> String {
    if n == 1 { "1 note".into() } else { format!("{n} notes") }
}

/// General MIDI's programs, from 0.
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
