//! Commands of the transport.

use crate::studio::app::Studio;
use crate::workbench::commands::PlayCommand;
use crate::workbench::{Hearing, OpenDocument, Transport};

impl Studio {
    pub(super) fn play_command(&mut self, command: PlayCommand) {
        match command {
            PlayCommand::PlayStop if self.bench.transport().status.playing => {
                self.bench.transport_mut().stop();
            }
            PlayCommand::PlayStop => {
                if let (transport, Some(document)) = self.transport_and_document() {
                    transport.play(document);
                }
            }
            PlayCommand::PlayFromPointer => self.play_from_pointer(),
            PlayCommand::Pause => {
                if let (transport, Some(document)) = self.transport_and_document()
                    && let Some(secs) = transport.stop()
                {
                    document.cursor_secs = secs.clamp(0.0, document.duration_secs());
                }
            }
            PlayCommand::Stop => {
                self.bench.transport_mut().stop();
            }
            PlayCommand::Loop => self.bench.transport_mut().toggle_loop(),
            PlayCommand::ShuttleBack => self.shuttle(-1),
            PlayCommand::ShuttleForward => self.shuttle(1),
            PlayCommand::ToStart => self.go_to_start(),
            PlayCommand::ToEnd => self.go_to_end(),
            PlayCommand::BandOnly => self.bench.toggle_hearing(Hearing::Band),
            PlayCommand::Delta => self.bench.toggle_hearing(Hearing::Delta),
            PlayCommand::SoloLeft => self.bench.transport_mut().toggle_solo(0),
            PlayCommand::SoloRight => self.bench.transport_mut().toggle_solo(1),
            PlayCommand::NextSolo => {
                let n_channels = self.facts().n_channels;
                self.bench.transport_mut().next_solo(n_channels);
            }
            PlayCommand::MonitorLouder => self.bench.transport_mut().change_gain(3.0),
            PlayCommand::MonitorQuieter => self.bench.transport_mut().change_gain(-3.0),
            PlayCommand::MonitorReset => self.bench.transport_mut().monitor.gain_db = 0.0,
            PlayCommand::ClearClips => self.bench.transport_mut().meters.clear_clips(),
            PlayCommand::Output => self.bench.ask_outputs(),
        }
    }

    fn transport_and_document(&mut self) -> (&mut Transport, Option<&mut OpenDocument>) {
        let parts = self.bench.parts();
        (parts.transport, parts.document)
    }

    fn play_from_pointer(&mut self) {
        let pointed_secs = self.bench.readout().map(|readout| readout.secs);
        if let (transport, Some(document)) = self.transport_and_document() {
            transport.play_from(document, pointed_secs.unwrap_or(document.cursor_secs));
        }
    }

    fn shuttle(&mut self, direction: i32) {
        if let (transport, Some(document)) = self.transport_and_document() {
            transport.shuttle(document, direction);
        }
    }

    /// Playback goes on from there.
    fn go_to_start(&mut self) {
        let (transport, Some(document)) = self.transport_and_document() else { return };
        let span = document.view.secs[1] - document.view.secs[0];
        document.cursor_secs = 0.0;
        document.view.secs = [0.0, span.min(document.duration_secs())];
        if transport.status.playing {
            transport.play(document);
        }
    }

    fn go_to_end(&mut self) {
        let (transport, Some(document)) = self.transport_and_document() else { return };
        let duration_secs = document.duration_secs();
        let span = document.view.secs[1] - document.view.secs[0];
        document.cursor_secs = duration_secs;
        document.view.secs = [(duration_secs - span).max(0.0), duration_secs];
        if transport.status.playing {
            transport.stop();
        }
    }
}
