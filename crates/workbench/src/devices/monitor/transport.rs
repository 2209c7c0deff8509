//! Playback of the document: from the cursor, the pointer or the selection, once or in a loop, at varying speed and in
//! reverse; monitor gain and meters.

use super::meters::Meters;
use crate::bench::limits::held;
use crate::document::{Brush, HeldPoint, Snapshot, TimeChange};
use crate::documents::OpenDocument;
use crate::playback::{AudioOutput, OutputLister, Player, PlayerStatus, Sound, Ticket, Voice};
use crate::preview::loop_secs;
use std::collections::BTreeMap;
use std::ops::Range;

/// Maximum speed of the shuttle.
const MAX_SHUTTLE_SPEED: f64 = 8.0;
/// Available playback speeds; the pitch changes with the speed.
pub const SPEEDS: [f64; 11] = [1.0 / 20.0, 1.0 / 16.0, 0.1, 0.125, 0.2, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0];
/// Limits of hearing, in hertz.
const AUDIBLE_HZ: [f64; 2] = [20.0, 20_000.0];
/// Range of the monitor gain, in decibels.
pub const GAIN_DB: [f64; 2] = [-60.0, 24.0];

/// Monitoring settings; never part of a file.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Monitor {
    /// Gain in decibels, within [`GAIN_DB`]; the output is limited to full scale.
    pub gain_db: f64,
    /// The channel played alone.
    pub solo: Option<usize>,
}

/// The sound played by hand.
#[derive(Debug, Clone, PartialEq)]
enum ManualState {
    Away,
    /// Scrubs at a time of the document, in seconds; whether playback was running when scrubbing began.
    Scrubs(f64, bool),
    Sings(Voice),
    Holds(HeldBrush),
}

/// A brush held by a pen or by keys.
#[derive(Debug, Clone, PartialEq)]
pub struct HeldBrush {
    /// The brush, with its settings when its sound began.
    pub brush: Brush,
    /// The points of the pen or the keys.
    pub points: Vec<HeldPoint>,
    /// Unique for each stroke; `None` for keys.
    pub stroke: Option<u64>,
}

impl HeldBrush {
    /// Whether `next` continues the same sound.
    fn goes_on_as(&self, next: &HeldBrush) -> bool {
        self.stroke == next.stroke && self.brush == next.brush
    }
}

/// A sound played by hand.
#[derive(Debug, Clone)]
pub enum ManualSound {
    /// A steady tone, and whether keys play it.
    Tone(Voice, bool),
    /// The sound of the brush.
    Live(HeldBrush),
}

impl ManualSound {
    /// Transposes a stroke by the playback speed, as playback will; keys keep their pitch.
    fn at_speed(mut self, speed: f64) -> ManualSound {
        match &mut self {
            ManualSound::Tone(voice, false) => voice.hz *= speed,
            ManualSound::Live(held) if held.stroke.is_some() => {
                held.points.iter_mut().for_each(|point| point.hz *= speed);
            }
            ManualSound::Tone(..) | ManualSound::Live(_) => {}
        }
        self
    }

    /// Whether keys play it. Keys are mixed with playback; a stroke is already part of the sound that is played.
    fn is_of_keys(&self) -> bool {
        match self {
            ManualSound::Tone(_, is_of_keys) => *is_of_keys,
            ManualSound::Live(held) => held.stroke.is_none(),
        }
    }
}

/// The player, and the state last sent to it.
pub struct Transport {
    player: Player,
    loaded: Option<(u64, Sound)>,
    /// Number of cuts and insertions of time ([`OpenDocument::moves`]) in the loaded sound.
    n_moves: usize,
    /// The range of samples being played.
    range: Range<u64>,
    sent_gain_db: f64,
    /// Current playback speed; negative in reverse.
    pace: f64,
    /// Playback speed by document; 1 for documents without an entry.
    speeds: BTreeMap<u64, f64>,
    hand: ManualState,
    /// Gain of a library sound played in place of the document.
    audition_gain_db: Option<f64>,
    /// Whether the loop of a preview is playing.
    plays_preview: bool,
    /// Whether playback loops.
    pub looping: bool,
    /// Status as of this frame.
    pub status: PlayerStatus,
    /// Monitoring settings.
    pub monitor: Monitor,
    /// Level meters of the output.
    pub meters: Meters,
    /// Lists the output devices; may block.
    pub lister: OutputLister,
    /// Device (`None`: the default) and buffer size in frames, if chosen in this run.
    pub chosen_output: Option<(Option<String>, u32)>,
}

impl Transport {
    /// A transport with nothing loaded.
    pub fn new(output: Box<dyn AudioOutput>) -> Transport {
        let lister = output.lister();
        Transport {
            player: Player::new(output),
            loaded: None,
            n_moves: 0,
            range: 0..0,
            sent_gain_db: 0.0,
            pace: 1.0,
            speeds: BTreeMap::new(),
            hand: ManualState::Away,
            audition_gain_db: None,
            plays_preview: false,
            looping: false,
            status: PlayerStatus::default(),
            monitor: Monitor::default(),
            meters: Meters::default(),
            lister,
            chosen_output: None,
        }
    }

    /// Called once per frame: passes the sound to the player (`None`: no change), and reads the player's status.
    pub fn follow(&mut self, document: Option<&OpenDocument>, sound: Option<Sound>, now_secs: f64) {
        match (document, sound) {
            (Some(document), Some(sound)) if self.audition_gain_db.is_none() => self.load(document, sound),
            (Some(_), _) => {}
            (None, _) if self.loaded.is_some() => {
                self.player.stop();
                self.player.load(None);
                self.hand = ManualState::Away;
                self.loaded = None;
                self.monitor.solo = None;
            }
            (None, _) => {}
        }
        self.send_gain();
        self.ask();
        self.meters.show(now_secs);
    }

    fn send_gain(&mut self) {
        let gain_db = self.monitor.gain_db + self.audition_gain_db.unwrap_or_default();
        if self.sent_gain_db != gain_db {
            self.sent_gain_db = gain_db;
            self.player.set_gain(10f64.powf(gain_db / 20.0) as f32);
        }
    }

    /// Plays a sound that belongs to no document, once, with a gain on top of the monitor's.
    pub fn audition(&mut self, snapshot: &Snapshot, gain_db: f64) {
        self.player.stop();
        self.hand = ManualState::Away;
        // The document's sound is loaded again when it is played next.
        self.loaded = None;
        self.audition_gain_db = Some(gain_db);
        self.send_gain();
        self.player.load(Some(snapshot));
        self.player.play(0, 0..snapshot.n_samples(), false);
        self.ask();
    }

    /// Whether a sound that belongs to no document is playing.
    pub fn is_auditioning(&self) -> bool {
        self.audition_gain_db.is_some()
    }

    /// Stops the sound that belongs to no document.
    pub fn end_audition(&mut self) {
        if self.audition_gain_db.take().is_some() {
            self.player.stop();
            self.player.load(None);
        }
    }

    fn load(&mut self, document: &OpenDocument, sound: Sound) {
        let solo = self.monitor.solo.filter(|&channel| channel < sound.n_channels());
        let sound = Sound { solo, ..sound };
        let is_loaded = |(id, loaded): &(u64, Sound)| *id == document.id() && loaded.is_same(&sound);
        if self.loaded.as_ref().is_some_and(is_loaded) {
            return;
        }
        if self.loaded.as_ref().is_some_and(|(id, _)| *id != document.id()) {
            self.player.stop();
        }
        let moves = document.moves();
        let is_same_document = self.loaded.as_ref().is_some_and(|(id, _)| *id == document.id());
        let moves_since = moves.get(self.n_moves..).filter(|_| is_same_document).unwrap_or_default();
        self.n_moves = moves.len();
        self.player.set_sound(&sound);
        self.loaded = Some((document.id(), sound));
        if self.status.playing && !moves_since.is_empty() {
            self.play_on(moves_since, document);
        }
    }

    /// Continues playback at the same moment of the sound after time was cut or inserted, or at the cut if that moment
    /// was removed.
    fn play_on(&mut self, moves: &[TimeChange], document: &OpenDocument) {
        let (rate_hz, all) = (document.shown().sample_rate_hz(), n_samples(document));
        let place = |at: f64| moves.iter().fold(at, |at, change| change.place_after(at));
        let from = (place(self.status.position_secs * rate_hz).round() as u64).min(all);
        let [start, end] = moves
            .iter()
            .fold([self.range.start as f64, self.range.end as f64], |range, change| change.range_after(range));
        let (start, end) = (start as u64, (end as u64).min(all));
        self.range = if start < end && (start..end).contains(&from) { start..end } else { 0..all };
        self.player.shuttle(from, self.range.clone(), self.looping, self.pace);
    }

    fn ask(&mut self) {
        // The player returns a fault once; keep it until it is reported, which may be several calls later.
        let fault = self.status.fault.take();
        self.status = self.player.status();
        self.status.fault = self.status.fault.take().or(fault);
        if self.audition_gain_db.is_some() && !self.status.playing {
            self.end_audition();
        }
        // `playing` is false for a library sound: it refers only to the document.
        self.status.playing &= self.audition_gain_db.is_none();
        self.meters.note(&self.status.levels);
    }

    /// For a job that computes the next sound of the loaded document: its ticket, and the channel played alone.
    pub fn ticket(&self) -> (Ticket, Option<usize>) {
        (self.player.ticket(), self.loaded.as_ref().and_then(|(_, sound)| sound.solo))
    }

    /// Whether the sound of this document is loaded.
    pub fn has_loaded(&self, document: u64) -> bool {
        self.loaded.as_ref().is_some_and(|(id, _)| *id == document)
    }

    /// Plays the selected range of time, else from the cursor to the end; a preview loops, with a margin before and
    /// after.
    pub fn play(&mut self, document: &OpenDocument) {
        let preview = document.open_preview();
        let range_secs = match preview {
            Some(preview) => loop_secs(preview, document.duration_secs()),
            None => document.selected_secs(),
        };
        let (from, range) = match range_secs {
            Some([start, end]) if sample(document, start) < sample(document, end) => {
                (sample(document, start), sample(document, start)..sample(document, end))
            }
            _ => (sample(document, document.cursor_secs()), 0..n_samples(document)),
        };
        self.start(document, from, range, self.looping || preview.is_some(), self.speed(document.id()));
        self.plays_preview = preview.is_some();
    }

    /// Ends the loop of a closed preview.
    pub fn end_preview_loop(&mut self) {
        if std::mem::take(&mut self.plays_preview) && self.status.playing {
            self.stop();
        }
    }

    /// Plays from a time to the end; loops over the whole document if [`looping`](Transport::looping) is on.
    pub fn play_from(&mut self, document: &OpenDocument, secs: f64) {
        self.start(document, sample(document, secs), 0..n_samples(document), self.looping, self.speed(document.id()));
    }

    /// The playback speed of a document: one of [`SPEEDS`].
    pub fn speed(&self, document: u64) -> f64 {
        self.speeds.get(&document).copied().unwrap_or(1.0)
    }

    /// The frequencies of a document that are audible at its speed, in hertz.
    pub fn audible_hz(&self, document: u64) -> [f64; 2] {
        AUDIBLE_HZ.map(|hz| hz / self.speed(document))
    }

    /// Sets the playback speed of a document to the nearest available one, also while playing; ignored unless it is
    /// finite and positive.
    pub fn set_speed(&mut self, document: &OpenDocument, speed: f64) {
        if !speed.is_finite() || speed <= 0.0 {
            return;
        }
        let distance = |known: f64| (known / speed).ln().abs();
        let nearest = SPEEDS.into_iter().min_by(|a, b| distance(*a).total_cmp(&distance(*b))).unwrap_or(1.0);
        if nearest == self.speed(document.id()) {
            return;
        }
        self.speeds.insert(document.id(), nearest);
        let is_audible = self.loaded.as_ref().is_some_and(|(id, _)| *id == document.id());
        if is_audible && self.status.playing && self.audition_gain_db.is_none() {
            let from = sample(document, self.status.position_secs);
            self.pace = nearest.copysign(self.pace);
            self.player.shuttle(from, self.range.clone(), self.looping || self.plays_preview, self.pace);
            self.ask();
        }
    }

    /// Switches to the next slower or faster speed.
    pub fn step_speed(&mut self, document: &OpenDocument, is_faster: bool) {
        let at = SPEEDS.iter().position(|speed| *speed == self.speed(document.id())).unwrap_or(7);
        let next = if is_faster { (at + 1).min(SPEEDS.len() - 1) } else { at.saturating_sub(1) };
        self.set_speed(document, SPEEDS[next]);
    }

    /// Shuttles from the current position, forward or in reverse; each further press in the same direction doubles the
    /// speed.
    pub fn shuttle(&mut self, document: &OpenDocument, direction: i32) {
        let direction = f64::from(direction);
        let is_faster = self.status.playing && self.pace.signum() == direction;
        let pace = match is_faster {
            true => (self.pace * 2.0).clamp(-MAX_SHUTTLE_SPEED, MAX_SHUTTLE_SPEED),
            false => direction * self.speed(document.id()),
        };
        let from = sample(document, self.playhead_secs().unwrap_or(document.cursor_secs()));
        // At the start, there is nothing to play in reverse.
        if direction > 0.0 || from > 0 {
            self.start(document, from, 0..n_samples(document), false, pace);
        }
    }

    fn start(&mut self, document: &OpenDocument, from: u64, range: Range<u64>, looping: bool, pace: f64) {
        self.end_audition();
        if self.loaded.as_ref().is_none_or(|(id, _)| *id != document.id()) {
            self.load(document, Sound::from(document.shown()));
        }
        (self.pace, self.plays_preview, self.range) = (pace, false, range.clone());
        self.player.shuttle(from, range, looping, pace);
        self.ask();
    }

    /// Called once per frame: updates scrubbing and sounds played by hand. Keys are audible at all times, a stroke only
    /// while nothing else plays. After scrubbing, playback that was running continues from there.
    pub fn follow_hand(
        &mut self,
        document: Option<&OpenDocument>,
        scrub_secs: Option<f64>,
        sound: Option<ManualSound>,
    ) {
        let Some(document) = document else {
            self.hand = ManualState::Away;
            return;
        };
        // A drawn stroke sounds as it will at the playback speed.
        let sound = sound.map(|sound| sound.at_speed(self.speed(document.id())));
        let sound = sound.filter(|sound| sound.is_of_keys() || !self.status.playing);
        let next = match (scrub_secs, sound) {
            (Some(secs), _) => {
                let was_playing = matches!(self.hand, ManualState::Scrubs(_, true)) || self.status.playing;
                ManualState::Scrubs(secs, was_playing)
            }
            (None, Some(ManualSound::Tone(voice, _))) => ManualState::Sings(voice),
            (None, Some(ManualSound::Live(held))) => ManualState::Holds(held),
            (None, None) => ManualState::Away,
        };
        if next == self.hand {
            return;
        }
        if next != ManualState::Away {
            self.end_audition();
        }
        if next != ManualState::Away && self.loaded.as_ref().is_none_or(|(id, _)| *id != document.id()) {
            self.load(document, Sound::from(document.shown()));
        }
        match (&self.hand, &next) {
            (_, ManualState::Scrubs(secs, _)) => {
                self.player.scrub(secs * document.shown().sample_rate_hz(), self.speed(document.id()));
            }
            (_, ManualState::Sings(voice)) => self.player.sing(voice.clone()),
            (ManualState::Holds(held), ManualState::Holds(next)) if held.goes_on_as(next) => {
                self.player.touch(next.points.clone())
            }
            (_, ManualState::Holds(held)) => {
                if let Some(sound) = held.brush.live() {
                    self.player.hold(sound, held.points.clone());
                }
            }
            (ManualState::Scrubs(secs, true), ManualState::Away) => {
                let from = sample(document, *secs);
                self.start(document, from, 0..n_samples(document), self.looping, self.speed(document.id()));
            }
            (_, ManualState::Away) => self.player.let_go(),
        }
        self.hand = next;
        self.ask();
    }

    /// For tests: makes the player's thread panic.
    #[cfg(feature = "hooks")]
    pub fn panic(&self) {
        self.player.panic();
    }

    /// Stops everything except held keys. Returns the playback position in seconds if it was playing.
    pub fn stop(&mut self) -> Option<f64> {
        let was_at = self.status.playing.then_some(self.status.position_secs);
        self.end_audition();
        self.player.stop_playback();
        self.ask();
        was_at
    }

    /// Turns the loop on or off, also while playing.
    pub fn toggle_loop(&mut self) {
        self.looping = !self.looping;
        self.player.set_looping(self.looping);
    }

    /// Changes the monitor gain by `by_db` decibels, within [`GAIN_DB`].
    pub fn change_gain(&mut self, by_db: f64) {
        self.monitor.gain_db = (self.monitor.gain_db + by_db).clamp(GAIN_DB[0], GAIN_DB[1]);
    }

    /// Sets the monitor's gain in decibels, clamped to [`GAIN_DB`]; ignored if it is not finite.
    pub fn set_gain(&mut self, db: f64) {
        self.monitor.gain_db = held(db, GAIN_DB, self.monitor.gain_db);
    }

    /// Clears the clip lights of the meters.
    pub fn clear_clips(&mut self) {
        self.meters.clear_clips();
    }

    /// Toggles playing one channel alone.
    pub fn toggle_solo(&mut self, channel: usize) {
        self.monitor.solo = (self.monitor.solo != Some(channel)).then_some(channel);
    }

    /// Plays the next channel alone; after the last channel, all of them.
    pub fn next_solo(&mut self, n_channels: usize) {
        let next = self.monitor.solo.map_or(0, |channel| channel + 1);
        self.monitor.solo = (next < n_channels).then_some(next);
    }

    /// Switches to another output device and buffer.
    pub fn choose_output(&mut self, device: Option<String>, buffer_frames: u32) {
        self.chosen_output = Some((device.clone(), buffer_frames));
        self.player.choose_output(device, buffer_frames);
    }

    /// Position of the playhead in seconds; `None` while nothing plays.
    pub fn playhead_secs(&self) -> Option<f64> {
        self.status.playing.then_some(self.status.position_secs)
    }
}

fn n_samples(document: &OpenDocument) -> u64 {
    document.shown().n_samples()
}

fn sample(document: &OpenDocument, secs: f64) -> u64 {
    let rate_hz = document.shown().sample_rate_hz();
    ((secs * rate_hz).round().max(0.0) as u64).min(n_samples(document))
}
