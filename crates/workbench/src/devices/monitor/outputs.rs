//! Choice of the playback device and its buffer size, saved in the settings.

use super::devices::Outputs;
use super::transport::Transport;
use crate::base::LoadedSettings;
use crate::bench::context::Context;
use crate::bench::notices::Severity;
use crate::files::Question;
use crate::services::{JobQueue, SettingsChanges};

/// The jobs that list the devices and save the choice.
#[derive(Default)]
pub struct OutputJobs {
    listing: JobQueue<(), Outputs>,
    saving: SettingsChanges,
}

impl OutputJobs {
    /// Lists the devices in a job, then asks the user to choose.
    pub fn ask(&mut self, transport: &Transport, context: &Context) {
        let (lister, folders) = (transport.lister.clone(), context.folders.clone());
        let chosen = transport.chosen_output.clone();
        let job = context.jobs.spawn("sound outputs", move |_| {
            let (device, buffer_frames) = match chosen {
                Some(chosen) => chosen,
                None => {
                    let loaded = LoadedSettings::load(&folders, |name| std::env::var(name).ok())?.settings;
                    (loaded.audio_device, loaded.audio_buffer_frames)
                }
            };
            Ok(Outputs { devices: lister(), device, buffer_frames })
        });
        self.listing.run_instead_unseen((), job);
    }

    /// Selects a device (`None`: the default) and its buffer for the next playback, and saves the choice.
    pub fn choose(&mut self, device: Option<String>, buffer_frames: u32, transport: &mut Transport) {
        transport.choose_output(device.clone(), buffer_frames);
        self.saving.push(move |settings| {
            settings.audio_device = device;
            settings.audio_buffer_frames = buffer_frames;
        });
    }

    /// Takes the results of the jobs.
    pub fn advance(&mut self, context: &mut Context) {
        if let Some(((), answer)) = self.listing.take_answer() {
            match answer {
                Ok(outputs) => {
                    context.notices.succeed("list the sound outputs");
                    context.ask(Question::Output(outputs));
                }
                Err(error) => context.fail("list the sound outputs", &error),
            }
        }
        if let Some(error) = self.saving.advance(&context.folders, &context.jobs) {
            let advice = Some("It applies until you quit Sonobrush; check the settings folder to keep it.");
            context.notify(Severity::Warning, format!("The choice was not saved: {error}."), advice);
        }
    }
}
