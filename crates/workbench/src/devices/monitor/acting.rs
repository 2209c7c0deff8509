//! Performs the commands and acts of the transport.
#![deny(clippy::wildcard_enum_match_arm)]

use super::audition::Hearing;
use super::playback_monitor::PlaybackMonitor;
use crate::bench::acts::PlayAct;
use crate::bench::context::Context;
use crate::commands::PlayCommand;
use crate::documents::{Documents, OpenDocument};

impl PlaybackMonitor {
    /// Performs a transport command.
    pub fn perform(&mut self, command: PlayCommand, context: &mut Context) {
        let pointed_secs = context.readout.map(|readout| readout.secs);
        let documents = &mut context.documents;
        match command {
            PlayCommand::PlayStop if self.transport.status.playing || self.transport.is_auditioning() => {
                self.transport.stop();
            }
            PlayCommand::PlayStop => {
                if let Some(document) = documents.active() {
                    self.transport.play(document);
                }
            }
            PlayCommand::PlayFromPointer => {
                if let Some(document) = documents.active() {
                    self.transport.play_from(document, pointed_secs.unwrap_or(document.cursor_secs()));
                }
            }
            PlayCommand::Pause => self.pause(documents),
            PlayCommand::Stop => {
                self.transport.stop();
            }
            PlayCommand::Loop => self.transport.toggle_loop(),
            PlayCommand::Slower | PlayCommand::Faster => {
                if let Some(document) = documents.active() {
                    self.transport.step_speed(document, command == PlayCommand::Faster);
                }
            }
            PlayCommand::ShuttleBack => self.shuttle(-1, documents),
            PlayCommand::ShuttleForward => self.shuttle(1, documents),
            PlayCommand::ToStart => self.go_to_start(documents),
            PlayCommand::ToEnd => self.go_to_end(documents),
            PlayCommand::RecordNotes => self.toggle_take(),
            PlayCommand::BandOnly => self.toggle(Hearing::Band),
            PlayCommand::Delta => {
                // The difference of a preview is played from the sound with the preview.
                if let Some(document) = documents.active_mut().filter(|document| document.open_preview().is_some()) {
                    document.show_current();
                }
                self.toggle(Hearing::Delta);
            }
            PlayCommand::SoloLeft => self.transport.toggle_solo(0),
            PlayCommand::SoloRight => self.transport.toggle_solo(1),
            PlayCommand::NextSolo => {
                let n_channels = |document: &OpenDocument| document.history().original().n_channels();
                self.transport.next_solo(documents.active().map_or(0, n_channels));
            }
            PlayCommand::MonitorLouder => self.transport.change_gain(3.0),
            PlayCommand::MonitorQuieter => self.transport.change_gain(-3.0),
            PlayCommand::MonitorReset => self.transport.set_gain(0.0),
            PlayCommand::ClearClips => self.transport.clear_clips(),
            PlayCommand::Output => self.ask_outputs(context),
        }
    }

    /// Performs a playback act.
    pub fn act(&mut self, act: PlayAct, documents: &Documents) {
        match act {
            PlayAct::Gain(db) => self.transport.set_gain(db),
            PlayAct::Speed(speed) => {
                if let Some(document) = documents.active() {
                    self.transport.set_speed(document, speed);
                }
            }
        }
    }

    fn pause(&mut self, documents: &mut Documents) {
        if let Some(document) = documents.active_mut()
            && let Some(secs) = self.transport.stop()
        {
            document.set_cursor(secs);
        }
    }

    fn shuttle(&mut self, direction: i32, documents: &Documents) {
        if let Some(document) = documents.active() {
            self.transport.shuttle(document, direction);
        }
    }

    /// Moves cursor and view to the start, and running playback with them.
    fn go_to_start(&mut self, documents: &mut Documents) {
        let Some(document) = documents.active_mut() else { return };
        let span = document.view().secs[1] - document.view().secs[0];
        let end_secs = span.min(document.duration_secs());
        document.set_cursor(0.0);
        document.change_view(|view| view.secs = [0.0, end_secs]);
        if self.transport.status.playing {
            self.transport.play(document);
        }
    }

    fn go_to_end(&mut self, documents: &mut Documents) {
        let Some(document) = documents.active_mut() else { return };
        let duration_secs = document.duration_secs();
        let span = document.view().secs[1] - document.view().secs[0];
        document.set_cursor(duration_secs);
        document.change_view(|view| view.secs = [(duration_secs - span).max(0.0), duration_secs]);
        if self.transport.status.playing {
            self.transport.stop();
        }
    }
}
