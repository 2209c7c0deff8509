//! The choice of the device that plays, and of its buffer. Kept in the settings.

use super::app::Studio;
use super::cards::{Answer, Card, heading, weak};
use super::jobs::Job;
use super::notices::Level;
use super::widgets;
use crate::base::{LoadedSettings, Settings};
use egui::Ui;

/// Frames of the buffers that are offered.
const BUFFERS: [u32; 3] = [512, 768, 1024];

/// What there is, and what is chosen.
#[derive(Debug, Clone, PartialEq)]
pub struct Outputs {
    /// Names of devices.
    pub devices: Vec<String>,
    /// None: the system's default.
    pub device: Option<String>,
    /// Frames per callback.
    pub buffer_frames: u32,
}

/// Work of this card.
#[derive(Default)]
pub struct OutputJobs {
    listing: Option<Job<Outputs>>,
    saving: Option<Job<()>>,
}

/// Draws it.
pub fn ui(ui: &mut Ui, outputs: &mut Outputs) -> Option<Answer> {
    let mut answer = heading(ui, "Sound output");
    let before = outputs.clone();
    if ui.radio(outputs.device.is_none(), "The system's default").clicked() {
        outputs.device = None;
    }
    for name in before.devices {
        let is_chosen = outputs.device.as_ref() == Some(&name);
        if ui.radio(is_chosen, &name).clicked() {
            outputs.device = Some(name);
        }
    }
    ui.horizontal(|ui| {
        weak(ui, "Frames at once");
        let label = |frames: u32| format!("{frames} frames");
        if let Some(frames) = widgets::choice(ui, "Buffer", 110.0, outputs.buffer_frames, &BUFFERS, label) {
            outputs.buffer_frames = frames;
        }
    });
    weak(ui, "A larger buffer is safer on a busy machine; what you do is heard a little later.");
    if (&outputs.device, outputs.buffer_frames) != (&before.device, before.buffer_frames) {
        answer = Some(Answer::Output(outputs.device.clone(), outputs.buffer_frames));
    }
    answer
}

impl Studio {
    /// Looks what devices there are; then the card opens.
    pub(super) fn ask_outputs(&mut self) {
        let (lister, folders) = (self.transport.lister.clone(), self.services.folders.clone());
        let chosen = self.transport.chosen_output.clone();
        self.output_jobs.listing = Some(self.services.jobs.spawn("sound outputs", move |_| {
            let (device, buffer_frames) = match chosen {
                Some(chosen) => chosen,
                None => {
                    let loaded = LoadedSettings::load(&folders, |name| std::env::var(name).ok())?.settings;
                    (loaded.audio_device, loaded.audio_buffer_frames)
                }
            };
            Ok(Outputs { devices: lister(), device, buffer_frames })
        }));
    }

    /// Once a frame.
    pub(super) fn poll_outputs(&mut self, now_secs: f64) {
        if let Some(answer) = self.output_jobs.listing.as_mut().and_then(Job::poll) {
            self.output_jobs.listing = None;
            match answer {
                Ok(outputs) => self.card = Some(Card::Output(outputs)),
                Err(error) => self.notices.fail(now_secs, "look for sound outputs", &error),
            }
        }
        if let Some(answer) = self.output_jobs.saving.as_mut().and_then(Job::poll) {
            self.output_jobs.saving = None;
            if let Err(error) = answer {
                let advice = Some("It holds until Sonobrush ends; check the settings folder to keep it.");
                self.notices.tell(now_secs, Level::Warning, format!("The choice is not kept: {error}."), advice);
            }
        }
    }

    /// Plays through it from the next play on, and keeps it.
    pub(super) fn choose_output(&mut self, device: Option<String>, buffer_frames: u32) {
        self.transport.choose_output(device.clone(), buffer_frames);
        let folders = self.services.folders.clone();
        self.output_jobs.saving = Some(self.services.jobs.spawn("settings", move |_| {
            Settings::save_change(&folders, |settings| {
                settings.audio_device = device;
                settings.audio_buffer_frames = buffer_frames;
            })
        }));
    }
}
