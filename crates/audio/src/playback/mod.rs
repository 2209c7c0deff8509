//! Playback: the audio callback, the feeder that reads ahead, and the thread that owns the device.
//!
//! A [`Player`] has three threads. The *feeder* reads snapshots 2 s ahead. The *control thread* owns the device,
//! executes commands and keeps a ring of at most 40 ms full; interactive sound over playback has a second ring, so that
//! its latency is as low as over silence. The *callback* runs on the device's thread and only copies and adds. A new
//! snapshot during playback is crossfaded in at the ring's end; stop and seek drop the ring after a fade.

mod callback;
mod control;
mod devices;
mod fold;
mod format;
mod hand;
mod levels;
mod monitor;
mod output;
mod playhead;
mod pump;
mod read_ahead;
mod recording;
mod ring;
mod sound;
mod status;
mod system;
mod watch;

pub use callback::{Callback, CallbackMeter};
pub use devices::{NamedDevice, audio_hosts, distinct_names, find_device, inputs_of};
pub use fold::ChannelFold;
pub use format::OutputFormat;
pub use hand::Voice;
pub use levels::Levels;
pub use monitor::MonitorGain;
pub use output::{AudioOutput, OpenOutput, OutputLister};
pub use playhead::Playhead;
pub use recording::{Recorder, RecordingOutput};
pub use sound::Sound;
pub use status::PlayerStatus;
pub use system::{output_devices, system_output};
pub use watch::CallbackTimeouts;
pub(crate) use watch::{DeviceFault, DeviceSigns, DeviceWatch};

use crate::base::trace;
use crate::document::{HeldPoint, LiveSound, Snapshot};
use control::{Control, ControlDesk, PlayRequest, PlayerCommand};
use std::ops::Range;
use std::sync::Arc;
use std::thread::JoinHandle;

/// Plays snapshots. No method blocks its caller.
#[derive(Debug)]
pub struct Player {
    desk: Arc<ControlDesk>,
    thread: Option<JoinHandle<()>>,
}

/// Minimum and maximum playback speed.
const SPEED_RANGE: [f64; 2] = [1.0 / 20.0, 8.0];

impl Player {
    /// Creates a player; the device is opened at the first playback.
    pub fn new(output: Box<dyn AudioOutput>) -> Player {
        let desk = Arc::new(ControlDesk::default());
        let theirs = desk.clone();
        let started = read_ahead::Feeder::start().and_then(|feeder| {
            std::thread::Builder::new()
                .name("audio control".into())
                .spawn(move || Control::new(theirs, output, feeder).run())
        });
        if let Err(error) = &started {
            desk.declare_dead(&format!("sound is off: no thread could be started: {error}"));
        }
        Player { desk, thread: started.ok() }
    }

    /// Sets the sound to play, with a crossfade of 6 ms during playback. `None` unloads it.
    pub fn load(&self, snapshot: Option<&Snapshot>) {
        self.desk.set_sound(snapshot.map(Sound::from));
    }

    /// As [`load`](Player::load), for a difference or a single channel.
    pub fn set_sound(&self, sound: &Sound) {
        self.desk.set_sound(Some(sound.clone()));
    }

    /// A ticket for a job that computes the next sound and sets it from its own thread. Taking another ticket or
    /// setting another sound invalidates it.
    pub fn ticket(&self) -> Ticket {
        Ticket { number: self.desk.next_ticket(), desk: self.desk.clone() }
    }

    /// Sets the monitor gain as a factor; a limiter keeps the output at or below full scale.
    pub fn set_gain(&self, gain: f32) {
        self.desk.send(PlayerCommand::SetGain(gain));
    }

    /// Selects the device (`None` is the system default) and buffer for the next playback; current playback stops.
    pub fn choose_output(&self, device: Option<String>, buffer_frames: u32) {
        self.desk.send(PlayerCommand::Choose { device, buffer_frames });
    }

    /// Plays from `from` to the end of `range` (both in samples of the document); if `looping`, playback continues at
    /// the start of `range`.
    pub fn play(&self, from: u64, range: Range<u64>, looping: bool) {
        self.desk.play(PlayRequest { from, range, looping, pace: 1.0 });
    }

    /// As [`play`](Player::play) at `pace` times the speed and pitch, 1/20 to 8; negative values play backwards to the
    /// start of `range`.
    pub fn shuttle(&self, from: u64, range: Range<u64>, looping: bool, pace: f64) {
        let speed =
            if pace.is_finite() && pace != 0.0 { pace.abs().clamp(SPEED_RANGE[0], SPEED_RANGE[1]) } else { 1.0 };
        self.desk.play(PlayRequest { from, range, looping, pace: if pace < 0.0 { -speed } else { speed } });
    }

    /// Turns looping on or off while playing.
    pub fn set_looping(&self, looping: bool) {
        self.desk.send(PlayerCommand::SetLooping(looping));
    }

    /// Stops playback and all held sounds after a short fade.
    pub fn stop(&self) {
        self.desk.stop(true);
    }

    /// Stops playback after a short fade; held sounds continue.
    pub fn stop_playback(&self) {
        self.desk.stop(false);
    }

    /// Scrubs: plays the sound towards a sample of the document, at the pointer's speed and in its direction, and is
    /// silent while the pointer rests. If the playback speed `pace` is below 1, slower movements are audible. Ends
    /// playback.
    pub fn scrub(&self, sample: f64, pace: f64) {
        self.desk.follow(PlayerCommand::Scrub(sample, pace));
    }

    /// Plays a tone while it is drawn, over playback. Needs a loaded sound, whose sample rate it uses.
    pub fn sing(&self, voice: Voice) {
        self.desk.follow(PlayerCommand::Sing(voice));
    }

    /// Plays the sound of a held brush over playback; the previous one rings on. Needs a loaded sound, whose sample
    /// rate and channels it uses.
    pub fn hold(&self, sound: Box<dyn LiveSound>, held: Vec<HeldPoint>) {
        self.desk.send(PlayerCommand::Hold { sound, held, requested_nanos: trace::now_nanos() });
    }

    /// Updates the held points of the current brush sound.
    pub fn touch(&self, held: Vec<HeldPoint>) {
        self.desk.follow(PlayerCommand::Touch(held));
    }

    /// Fades out scrubbing or a drawn tone, and releases the held brush sound, which rings on.
    pub fn let_go(&self) {
        self.desk.send(PlayerCommand::LetGo);
    }

    /// Panics the control thread, for tests.
    #[cfg(feature = "hooks")]
    pub fn panic(&self) {
        self.desk.send(PlayerCommand::Panic);
    }

    /// Status for display.
    pub fn status(&self) -> PlayerStatus {
        if self.thread.as_ref().is_some_and(JoinHandle::is_finished) {
            self.desk.declare_dead(
                "the sound worker stopped unexpectedly; restart Sonobrush to hear sound, and see the log",
            );
        }
        self.desk.status()
    }
}

/// Permission to pass a sound to a [`Player`] from any thread; see [`Player::ticket`].
#[derive(Debug)]
pub struct Ticket {
    number: u64,
    desk: Arc<ControlDesk>,
}

impl Ticket {
    /// As [`Player::set_sound`], unless the ticket is invalid.
    pub fn set_sound(&self, sound: &Sound) {
        self.desk.set_sound_with(self.number, sound.clone());
    }
}

impl Drop for Player {
    fn drop(&mut self) {
        // The thread is not joined, since closing a device may take 100 ms.
        self.desk.send(PlayerCommand::Quit);
    }
}
