//! The audio control thread: executes commands, owns the device, fills the ring, and watches for an unresponsive
//! device.

use super::callback::CallbackMeter;
use super::hand::{Hand, Voice};
use super::levels::Levels;
use super::output::{AudioOutput, OpenOutput, rings};
use super::playhead::Playhead;
use super::pump::Pump;
use super::read_ahead::{Feeder, Route};
use super::sound::Sound;
use super::status::PlayerStatus;
use super::watch::{DeviceFault, DeviceWatch};
use crate::base::{Error, ErrorKind, khz_from_hz, lock};
use crate::document::{HeldPoint, LiveSound};
use std::collections::VecDeque;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Interval at which the ring, which holds 34 ms, is refilled.
const TICK: Duration = Duration::from_millis(4);
/// Time after which an idle device is closed.
const IDLE_TIME: Duration = Duration::from_secs(8);
/// Time after which a device that is still opening is reported.
const OPENING_TIME: Duration = Duration::from_secs(4);

/// Commands of the player.
#[derive(Debug)]
pub(super) enum PlayerCommand {
    Load(Option<Box<Sound>>),
    Play {
        way: PlayRequest,
        turn: u64,
    },
    SetGain(f32),
    Choose {
        device: Option<String>,
        buffer_frames: u32,
    },
    SetLooping(bool),
    Stop {
        ends_held: bool,
    },
    /// Scrubs: plays the sound from a sample of the document at a playback speed.
    Scrub(f64, f64),
    /// Plays a tone while it is drawn.
    Sing(Voice),
    /// Holds a brush's sound, requested at `requested_nanos` of the trace.
    Hold {
        sound: Box<dyn LiveSound>,
        held: Vec<HeldPoint>,
        requested_nanos: u64,
    },
    /// Updates the points of the held brush.
    Touch(Vec<HeldPoint>),
    /// Ends scrubbing or a drawn tone, or releases the held brush.
    LetGo,
    /// Causes a panic, for tests.
    #[cfg(feature = "hooks")]
    Panic,
    Quit,
}

/// Maximum sample rate requested from a device, in hertz.
const MAX_DEVICE_HZ: f64 = 96_000.0;
/// Rate requested for sounds above [`MAX_DEVICE_HZ`], in hertz.
const DEFAULT_DEVICE_HZ: f64 = 48_000.0;

/// A range to play, in samples of the document, and how to play it.
#[derive(Debug, Clone)]
pub(super) struct PlayRequest {
    pub from: u64,
    pub range: Range<u64>,
    pub looping: bool,
    pub pace: f64,
}

/// State shared by the control thread and the player. The lock is held only briefly, and never by the audio callback.
#[derive(Debug, Default)]
pub(super) struct ControlDesk {
    inner: Mutex<DeskState>,
    wake: Condvar,
    pub(super) playhead: Arc<Mutex<Playhead>>,
}

#[derive(Debug, Default)]
struct DeskState {
    commands: VecDeque<PlayerCommand>,
    /// Number of the current playback, so that the end of one does not stop the next.
    turn: u64,
    /// Number of the latest ticket; a sound computed for an older ticket is not played.
    ticket: u64,
    /// The sound requested last.
    wanted: Option<Sound>,
    playing: bool,
    /// Position of the playhead while nothing is audible.
    rest_secs: f64,
    /// Meter and sample rate of the open device.
    open: Option<(Arc<CallbackMeter>, f64)>,
    /// Whether the first frame of this playback has been written.
    is_running: bool,
    opening_since: Option<Instant>,
    past_underruns: u64,
    device: Option<String>,
    /// Whether the device has taken sound since the last fault.
    has_sounded: bool,
    fault: Option<Error>,
    is_dead: bool,
}

impl DeskState {
    fn fail(&mut self, fault: Error) {
        self.has_sounded = false;
        self.fault = Some(fault);
    }
}

impl ControlDesk {
    fn lock(&self) -> MutexGuard<'_, DeskState> {
        lock(&self.inner)
    }

    /// Queues a command.
    pub(super) fn send(&self, command: PlayerCommand) {
        let mut state = self.lock();
        state.commands.push_back(command);
        self.wake.notify_one();
    }

    /// Queues an update of scrubbing, a drawn tone or a held brush. It replaces an update of the same kind at the end
    /// of the queue.
    pub(super) fn follow(&self, command: PlayerCommand) {
        let mut state = self.lock();
        let is_old = matches!(
            (state.commands.back(), &command),
            (Some(PlayerCommand::Scrub(..)), PlayerCommand::Scrub(..))
                | (Some(PlayerCommand::Sing(_)), PlayerCommand::Sing(_))
        ) || matches!(
            (state.commands.back(), &command),
            (Some(PlayerCommand::Touch(last)), PlayerCommand::Touch(next)) if has_same_keys(last, next)
        );
        if is_old {
            state.commands.pop_back();
        }
        state.commands.push_back(command);
        self.wake.notify_one();
    }

    fn next_command(&self) -> Option<PlayerCommand> {
        self.lock().commands.pop_front()
    }

    /// Issues a ticket and invalidates the earlier ones.
    pub(super) fn next_ticket(&self) -> u64 {
        let mut state = self.lock();
        state.ticket += 1;
        state.ticket
    }

    /// Queues a sound, or `None` to unload it. Queuing the same sound again has no effect; any other invalidates all
    /// tickets.
    pub(super) fn set_sound(&self, sound: Option<Sound>) {
        let mut state = self.lock();
        let is_requested = match (&state.wanted, &sound) {
            (Some(wanted), Some(sound)) => wanted.is_same(sound),
            _ => false,
        };
        if !is_requested {
            state.ticket += 1;
            self.want(state, sound);
        }
    }

    /// Queues a sound unless the ticket is invalid.
    pub(super) fn set_sound_with(&self, ticket: u64, sound: Sound) {
        let state = self.lock();
        if state.ticket == ticket {
            self.want(state, Some(sound));
        }
    }

    fn want(&self, mut state: MutexGuard<'_, DeskState>, sound: Option<Sound>) {
        state.wanted = sound.clone();
        // Of several queued sounds only the last is kept.
        if matches!(state.commands.back(), Some(PlayerCommand::Load(_))) {
            state.commands.pop_back();
        }
        state.commands.push_back(PlayerCommand::Load(sound.map(Box::new)));
        self.wake.notify_one();
    }

    pub(super) fn play(&self, way: PlayRequest) {
        let turn = {
            let mut state = self.lock();
            state.turn += 1;
            state.playing = !state.is_dead;
            state.is_running = false;
            // Until the first frame is audible, the playhead is at the start of the playback.
            if let Some(sound) = &state.wanted {
                state.rest_secs = way.from as f64 / sound.snapshot.sample_rate_hz();
            }
            state.turn
        };
        self.send(PlayerCommand::Play { way, turn });
    }

    pub(super) fn stop(&self, ends_held: bool) {
        {
            let mut state = self.lock();
            state.rest_secs = self.audible_secs(&state).unwrap_or(state.rest_secs);
            state.turn += 1;
            state.playing = false;
            state.is_running = false;
        }
        self.send(PlayerCommand::Stop { ends_held });
    }

    fn audible_secs(&self, state: &DeskState) -> Option<f64> {
        let (meter, rate_hz) = state.open.as_ref().filter(|_| state.is_running)?;
        let frame = meter.audible_frame(*rate_hz)?;
        lock(&self.playhead).secs_at(frame)
    }

    pub(super) fn status(&self) -> PlayerStatus {
        let mut state = self.lock();
        if state.opening_since.is_some_and(|since| since.elapsed() > OPENING_TIME) {
            state.opening_since = None;
            state.playing = false;
            state.fail(Error::new(ErrorKind::Audio, "the sound system does not respond; try again later"));
        }
        let underruns = state.past_underruns + state.open.as_ref().map_or(0, |(meter, _)| meter.underruns());
        PlayerStatus {
            playing: state.playing,
            position_secs: self.audible_secs(&state).unwrap_or(state.rest_secs),
            underruns,
            device: state.device.clone(),
            has_sounded: state.has_sounded,
            fault: state.fault.take(),
            levels: state.open.as_ref().map_or_else(Levels::default, |(meter, _)| meter.take_levels()),
        }
    }

    /// Records that the control thread has ended; `why` is the fault to report.
    pub(super) fn declare_dead(&self, why: &str) {
        let mut state = self.lock();
        if !state.is_dead {
            state.is_dead = true;
            state.playing = false;
            state.open = None;
            state.fail(Error::new(ErrorKind::Internal, why));
        }
    }

    /// Ends a playback, unless another has started.
    fn end(&self, turn: u64, rest_secs: Option<f64>, fault: Option<Error>) {
        let mut state = self.lock();
        if state.turn == turn {
            state.rest_secs = rest_secs.or_else(|| self.audible_secs(&state)).unwrap_or(state.rest_secs);
            state.playing = false;
            state.is_running = false;
        }
        if let Some(fault) = fault {
            tracing::warn!(%fault, "playback");
            state.fail(fault);
        }
    }
}

fn has_same_keys(a: &[HeldPoint], b: &[HeldPoint]) -> bool {
    a.iter().map(|point| point.key).eq(b.iter().map(|point| point.key))
}

/// An open device with its pump.
struct Device {
    output: OpenOutput,
    /// The requested sample rate.
    requested_hz: f64,
    meter: Arc<CallbackMeter>,
    pump: Pump,
    watch: DeviceWatch,
    /// Number of frames taken by the device before the current playback.
    n_taken: u64,
    idle_since: Option<Instant>,
}

impl Device {
    /// Whether the device has failed, or has shown signs of failure.
    fn has_failed(&self) -> bool {
        self.meter.broken().is_some() || self.watch.is_failing()
    }
}

/// The thread's own state.
pub(super) struct Control {
    desk: Arc<ControlDesk>,
    output: Box<dyn AudioOutput>,
    feeder: Feeder,
    sound: Option<Sound>,
    gain: f32,
    device: Option<Device>,
    turn: u64,
    end_secs: f64,
    /// Whether opening the device for interactive sound failed. It is not tried again before [`PlayerCommand::LetGo`].
    has_refused_hand: bool,
}

impl Control {
    pub(super) fn new(desk: Arc<ControlDesk>, output: Box<dyn AudioOutput>, feeder: Feeder) -> Control {
        Control {
            desk,
            output,
            feeder,
            sound: None,
            gain: 1.0,
            device: None,
            turn: 0,
            end_secs: 0.0,
            has_refused_hand: false,
        }
    }

    /// Runs until [`PlayerCommand::Quit`]. A panic is reported and ends only the current playback.
    pub(super) fn run(mut self) {
        while catch_unwind(AssertUnwindSafe(|| self.run_until_quit())).is_err() {
            self.restart();
        }
    }

    /// Resets the state after a panic: closes the device and keeps the sound.
    fn restart(&mut self) {
        self.close();
        // The command that panicked may have been a `Load`, so the requested sound is set here.
        self.sound = self.desk.lock().wanted.clone();
        let what = "the sound worker stopped unexpectedly and was restarted; press play to continue";
        self.desk.end(self.turn, None, Some(Error::new(ErrorKind::Internal, what)));
    }

    fn run_until_quit(&mut self) {
        loop {
            self.wait();
            // Take commands one by one, so that a panic does not lose those that follow.
            while let Some(command) = self.desk.next_command() {
                match command {
                    PlayerCommand::Load(sound) => self.load(sound.map(|sound| *sound)),
                    PlayerCommand::Play { way, turn } => self.play(way, turn),
                    PlayerCommand::SetGain(gain) => {
                        self.gain = gain;
                        if let Some(device) = &mut self.device {
                            device.pump.set_gain(gain);
                        }
                    }
                    PlayerCommand::Choose { device, buffer_frames } => {
                        self.output.choose(device, buffer_frames);
                        self.reopen();
                    }
                    PlayerCommand::SetLooping(looping) => {
                        if let Some(device) = &mut self.device {
                            device.pump.swap(|route| route.looping = looping, &self.feeder);
                        }
                    }
                    PlayerCommand::Stop { ends_held } => {
                        if let Some(device) = &mut self.device {
                            device.pump.stop(&self.feeder);
                            if ends_held {
                                device.pump.stop_held();
                            }
                        }
                    }
                    PlayerCommand::Scrub(sample, pace) => self.scrub(sample, pace),
                    PlayerCommand::Sing(voice) => self.sing(voice),
                    PlayerCommand::Hold { sound, held, requested_nanos } => self.hold(sound, &held, requested_nanos),
                    PlayerCommand::Touch(held) => {
                        let hand = self.device.as_mut().and_then(|device| device.pump.hand());
                        if let Some(live) = hand.and_then(Hand::live_mut) {
                            live.touch(&held);
                        }
                    }
                    PlayerCommand::LetGo => {
                        self.has_refused_hand = false;
                        if let Some(device) = &mut self.device
                            && let Some(hand) = device.pump.hand()
                            && !hand.let_go()
                        {
                            if hand.is_over_playback() {
                                device.pump.stop_held();
                            } else {
                                device.pump.stop(&self.feeder);
                            }
                        }
                    }
                    #[cfg(feature = "hooks")]
                    PlayerCommand::Panic => panic!("a test asked for a panic of the sound worker"),
                    PlayerCommand::Quit => return,
                }
            }
            self.tick();
        }
    }

    /// Waits for a command, or for the next tick of an open device.
    fn wait(&self) {
        let state = self.desk.lock();
        if !state.commands.is_empty() {
            return;
        }
        match &self.device {
            None => drop(self.desk.wake.wait(state).unwrap_or_else(PoisonError::into_inner)),
            Some(device) => {
                let time = if device.pump.is_idle() { Duration::from_millis(200) } else { TICK };
                drop(self.desk.wake.wait_timeout(state, time).unwrap_or_else(PoisonError::into_inner));
            }
        }
    }

    fn load(&mut self, sound: Option<Sound>) {
        let swaps = matches!((&self.sound, &sound), (Some(a), Some(b)) if a.has_shape_of(b));
        if let Some(device) = &mut self.device {
            match &sound {
                Some(new) if swaps => {
                    device.pump.swap(|route| route.sound = new.clone(), &self.feeder);
                    if let Some(hand) = device.pump.hand() {
                        hand.set_sound(new);
                    }
                }
                _ => {
                    device.pump.stop_held();
                    if device.pump.stop(&self.feeder) {
                        self.desk.end(self.turn, None, None);
                    }
                }
            }
        }
        self.sound = sound;
    }

    fn play(&mut self, way: PlayRequest, turn: u64) {
        self.turn = turn;
        let Some(sound) = self.sound.clone() else {
            self.desk.end(turn, None, None);
            return;
        };
        let PlayRequest { from, range, looping, pace } = way;
        let range = range.start..range.end.min(sound.n_samples());
        let from = match pace < 0.0 {
            false if from < range.end => from,
            false => range.start,
            true if from > range.start => from.min(range.end),
            true => range.end,
        };
        let rate_hz = sound.sample_rate_hz();
        if range.is_empty() {
            self.desk.end(turn, Some(from as f64 / rate_hz), None);
            return;
        }
        self.end_secs = if pace < 0.0 { range.start } else { range.end } as f64 / rate_hz;
        self.desk.lock().rest_secs = from as f64 / rate_hz;
        if let Err(fault) = self.wake_device(rate_hz) {
            return self.desk.end(turn, None, Some(fault));
        }
        let Some(device) = &mut self.device else { return };
        match device.pump.start(Route { sound, from, range, looping, pace }, &self.feeder) {
            Ok(()) => {
                let mut state = self.desk.lock();
                state.is_running = state.turn == turn;
            }
            Err(fault) => self.desk.end(turn, None, Some(fault)),
        }
    }

    /// Opens the device at a sample rate, or keeps it open. Sounds above [`MAX_DEVICE_HZ`] are resampled to
    /// [`DEFAULT_DEVICE_HZ`], at any playback speed.
    fn wake_device(&mut self, rate_hz: f64) -> Result<(), Error> {
        let rate_hz = if rate_hz > MAX_DEVICE_HZ { DEFAULT_DEVICE_HZ } else { rate_hz };
        // A device that failed while idle is reopened without a notice.
        if self.device.as_ref().is_some_and(|device| device.requested_hz != rate_hz || device.has_failed()) {
            self.close();
        }
        if self.device.is_none() {
            self.open(rate_hz)?;
        }
        if let Some(device) = &mut self.device {
            device.n_taken = device.pump.n_taken();
            device.watch.start_again();
            device.idle_since = None;
        }
        Ok(())
    }

    fn scrub(&mut self, sample: f64, pace: f64) {
        let Some(sound) = self.sound.clone() else { return };
        let rate_hz = sound.sample_rate_hz();
        if !self.update_hand(|hand| hand.move_to(sample)) && self.ready_for_hand(rate_hz) {
            self.take_hand(Hand::scrub(sound, sample, pace));
        }
    }

    fn sing(&mut self, voice: Voice) {
        let Some(rate_hz) = self.sound.as_ref().map(Sound::sample_rate_hz) else { return };
        if !self.update_hand(|hand| hand.sing(voice.clone())) && self.ready_over_playback(rate_hz) {
            self.take_hand(Hand::tone(voice));
        }
    }

    /// Begins a brush's sound.
    fn hold(&mut self, sound: Box<dyn LiveSound>, held: &[HeldPoint], requested_nanos: u64) {
        let Some(of) = self.sound.as_ref().filter(|_| !self.has_refused_hand) else { return };
        let (rate_hz, n_channels) = (of.sample_rate_hz(), of.n_channels());
        if !self.ready_over_playback(rate_hz) {
            return;
        }
        let Some(device) = &mut self.device else { return };
        let device_hz = device.pump.rate_hz();
        let live = device.pump.hand().and_then(Hand::live_mut);
        if live.is_none_or(|live| !live.is_for(device_hz, n_channels)) {
            device.pump.take_hand(Hand::live(device_hz, n_channels), &self.feeder);
        }
        if let Some(live) = device.pump.hand().and_then(Hand::live_mut) {
            live.hold(sound, held, requested_nanos);
        }
    }

    /// Updates scrubbing or the drawn tone. Returns false if it must be started first; true after a failure to open the
    /// device, which is not tried again.
    fn update_hand(&mut self, update: impl FnOnce(&mut Hand) -> bool) -> bool {
        self.has_refused_hand || self.device.as_mut().and_then(|device| device.pump.hand()).is_some_and(update)
    }

    fn take_hand(&mut self, hand: Hand) {
        if let Some(device) = &mut self.device {
            device.pump.take_hand(hand, &self.feeder);
        }
    }

    /// Opens the device unless it is already playing. Returns false on failure, which is reported once.
    fn ready_over_playback(&mut self, rate_hz: f64) -> bool {
        let plays = |device: &Device| device.pump.is_playing() && device.meter.broken().is_none();
        self.device.as_ref().is_some_and(plays) || self.ready_for_hand(rate_hz)
    }

    /// Ends any playback and opens the device. Returns false on failure, which is reported once.
    fn ready_for_hand(&mut self, rate_hz: f64) -> bool {
        // End playback; the playhead stays at its position.
        self.desk.end(self.turn, None, None);
        let woken = self.wake_device(rate_hz);
        self.has_refused_hand = woken.is_err();
        if let Err(fault) = woken {
            self.desk.end(self.turn, None, Some(fault));
        }
        !self.has_refused_hand
    }

    fn open(&mut self, rate_hz: f64) -> Result<(), Error> {
        self.desk.lock().opening_since = Some(Instant::now());
        let mut ends = None;
        let opened = self.output.open(rate_hz, &mut |format| {
            let (callback, writers, meter) = rings(format);
            ends = Some((writers, meter));
            callback
        });
        self.desk.lock().opening_since = None;
        let output = opened?;
        let Some((writers, meter)) = ends else {
            return Err(Error::new(ErrorKind::Internal, "the sound device was opened without a callback"));
        };
        let format = output.format;
        tracing::info!(?format, "sound device opened");
        let buffer = match format.buffer_frames {
            Some(frames) => format!("{frames} frames"),
            None => "default buffer".into(),
        };
        let mut pump = Pump::new(writers, meter.clone(), format, self.desk.playhead.clone());
        pump.set_gain(self.gain);
        {
            let mut state = self.desk.lock();
            state.open = Some((meter.clone(), format.rate_hz));
            state.device = Some(format!("{}, {buffer}", khz_from_hz(format.rate_hz)));
        }
        let watch = DeviceWatch::new(output.timeouts);
        self.device = Some(Device { output, requested_hz: rate_hz, meter, pump, watch, n_taken: 0, idle_since: None });
        Ok(())
    }

    /// Stops playback and closes the device, so that the next playback opens the chosen one.
    fn reopen(&mut self) {
        let was_playing = self.device.as_ref().is_some_and(|device| !device.pump.is_idle());
        self.close();
        if was_playing {
            self.desk.end(self.turn, None, None);
        }
    }

    fn close(&mut self) {
        let Some(mut device) = self.device.take() else { return };
        device.pump.stop(&self.feeder);
        {
            let mut state = self.desk.lock();
            state.rest_secs = self.desk.audible_secs(&state).unwrap_or(state.rest_secs);
            state.open = None;
            state.past_underruns += device.meter.underruns();
        }
        close_elsewhere(device.output.stream);
    }

    fn tick(&mut self) {
        let now = Instant::now();
        let Some(device) = &mut self.device else { return };
        let is_playing = !device.pump.is_idle();
        let fault = match device.watch.look(now, device.meter.signs()) {
            Some(DeviceFault::Failed(code)) => {
                tracing::warn!(code, "the sound device reported an error");
                Some("the sound device was disconnected; press Play to look for it again")
            }
            Some(DeviceFault::Silent) if is_playing => {
                Some("the sound device stopped responding; press Play to try again")
            }
            _ => None,
        };
        if let Some(why) = fault {
            let fault = is_playing.then(|| Error::new(ErrorKind::Audio, why));
            self.desk.end(self.turn, None, fault);
            self.close();
            return;
        }
        if is_playing && device.pump.n_taken() > device.n_taken {
            self.desk.lock().has_sounded = true;
        }
        if let Err(error) = device.pump.tick(&self.feeder) {
            device.pump.stop_held();
            device.pump.stop(&self.feeder);
            self.desk.end(self.turn, None, Some(error));
        } else if device.pump.has_ended() {
            device.pump.stop(&self.feeder);
            self.desk.end(self.turn, Some(self.end_secs), None);
        }
        if device.pump.is_idle() {
            let since = *device.idle_since.get_or_insert(now);
            if now.duration_since(since) > IDLE_TIME {
                self.close();
            }
        }
    }
}

/// Drops the stream on another thread, since an unresponsive server would block this one.
fn close_elsewhere(stream: Box<dyn Send>) {
    if std::thread::Builder::new().name("sound device closing".into()).spawn(move || drop(stream)).is_err() {
        tracing::warn!("no thread to close the sound device on");
    }
}
