//! Sound out: the audio callback, the feeder that reads ahead, the thread that owns the device.
//!
//! Three threads stand behind a [`Player`]. The *feeder* reads snapshots 2 s ahead. The *control thread* owns the
//! device, carries out commands and keeps a ring of at most 40 ms full. The *callback* belongs to the device, and only
//! copies. A new snapshot in mid-play is crossfaded in at the ring's end; stop and seek drop the ring after a fade.

mod callback;
mod control;
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
mod sound;
mod status;
mod system;

pub use callback::{Callback, CallbackMeter};
pub use format::OutputFormat;
pub use hand::Voice;
pub use levels::Levels;
pub use output::{AudioOutput, OpenOutput, OutputLister};
pub use recording::{Recorder, RecordingOutput};
pub use sound::Sound;
pub use status::PlayerStatus;
pub use system::{output_devices, system_output};

use crate::document::Snapshot;
use control::{Control, ControlDesk, PlayRequest, PlayerCommand};
use std::ops::Range;
use std::sync::Arc;
use std::thread::JoinHandle;

/// Plays snapshots. Never blocks its caller.
#[derive(Debug)]
pub struct Player {
    desk: Arc<ControlDesk>,
    thread: Option<JoinHandle<()>>,
}

impl Player {
    /// A player on an output; the device is opened at the first play.
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

    /// What is heard from now on, also in mid-play: crossfades over 5 to 8 ms. None unloads.
    pub fn load(&self, snapshot: Option<&Snapshot>) {
        self.desk.hear(snapshot.map(Sound::from));
    }

    /// The same for what is no snapshot by itself: a difference, or a channel alone.
    pub fn hear(&self, sound: &Sound) {
        self.desk.hear(Some(sound.clone()));
    }

    /// For a job that computes what should be heard next: it may hand it over itself. Whoever wants to hear something
    /// else takes another ticket.
    pub fn ticket(&self) -> Ticket {
        Ticket { number: self.desk.next_ticket(), desk: self.desk.clone() }
    }

    /// How loud everything is heard from now on, as a factor; beyond full scale a limiter holds it.
    pub fn set_gain(&self, gain: f32) {
        self.desk.send(PlayerCommand::SetGain(gain));
    }

    /// Plays through another device (none: the system's default) with another buffer from the next play on; what plays
    /// now stops.
    pub fn choose_output(&self, device: Option<String>, buffer_frames: u32) {
        self.desk.send(PlayerCommand::Choose { device, buffer_frames });
    }

    /// Plays from `from` to the end of `range` (both in samples of the document); in a loop, again from its start.
    pub fn play(&self, from: u64, range: Range<u64>, looping: bool) {
        self.desk.play(PlayRequest { from, range, looping, pace: 1 });
    }

    /// The same, `pace` times as fast, and backwards to the start of `range` where that is negative.
    pub fn shuttle(&self, from: u64, range: Range<u64>, looping: bool, pace: i32) {
        self.desk.play(PlayRequest { from, range, looping, pace: if pace == 0 { 1 } else { pace } });
    }

    /// Turns looping on or off while playing.
    pub fn set_looping(&self, looping: bool) {
        self.desk.send(PlayerCommand::SetLooping(looping));
    }

    /// Silence, after a short fade.
    pub fn stop(&self) {
        self.desk.stop();
    }

    /// The sound under a hand that is at a sample of the document now, as fast and in the direction that it moves;
    /// silence while it rests. What was playing ends.
    pub fn scrub(&self, sample: f64) {
        self.desk.follow(PlayerCommand::Scrub(sample));
    }

    /// A tone that a hand draws, as it is now. What was playing ends. Only where a sound is loaded, at its rate.
    pub fn sing(&self, voice: Voice) {
        self.desk.follow(PlayerCommand::Sing(voice));
    }

    /// The hand is gone: what followed it fades out.
    pub fn let_go(&self) {
        self.desk.send(PlayerCommand::LetGo);
    }

    /// For tests: the control thread meets a defect.
    #[cfg(feature = "hooks")]
    pub fn panic(&self) {
        self.desk.send(PlayerCommand::Panic);
    }

    /// What to show.
    pub fn status(&self) -> PlayerStatus {
        if self.thread.as_ref().is_some_and(JoinHandle::is_finished) {
            self.desk.declare_dead("the sound worker stopped unexpectedly; start Sonobrush again to hear, see the log");
        }
        self.desk.status()
    }
}

/// The right to hand a sound to a [`Player`], from any thread, until the next ticket is given.
#[derive(Debug)]
pub struct Ticket {
    number: u64,
    desk: Arc<ControlDesk>,
}

impl Ticket {
    /// As [`Player::hear`], if nothing else was wanted since.
    pub fn hear(&self, sound: &Sound) {
        self.desk.hear_with(self.number, sound.clone());
    }
}

impl Drop for Player {
    fn drop(&mut self) {
        // Not joined: closing a device may take 100 ms.
        self.desk.send(PlayerCommand::Quit);
    }
}
