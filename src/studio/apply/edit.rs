//! Commands that change the sound: steps of the history, and edits of the selection.

use crate::document::{Edit, erasing};
use crate::dsp::Brush;
use crate::dsp::heal::Heal;
use crate::studio::app::Studio;
use crate::workbench::commands::EditCommand;

impl Studio {
    pub(super) fn edit_command(&mut self, command: EditCommand) {
        match command {
            EditCommand::Undo => self.undo(),
            EditCommand::Redo => {
                if let Some(document) = self.bench.document_mut() {
                    document.show_before = false;
                    document.history.redo();
                }
            }
            EditCommand::Before => {
                if let Some(document) = self.bench.document_mut() {
                    document.show_before = !document.show_before;
                }
            }
            EditCommand::Lengthen => self.bench.lengthen(),
            EditCommand::EraseSelection => {
                // What floats is not in the sound yet: to erase it, drop it.
                if !self.bench.drop_floating() {
                    self.edit_selection(Brush::Erase);
                }
            }
            EditCommand::AttenuateSelection => {
                let heal = self.bench.tools().heal.attenuation();
                self.edit_selection(Brush::Heal(heal));
            }
            EditCommand::HealSelection => {
                let selection = self.bench.document().and_then(|document| document.selection.as_ref());
                // Samples that are known to be damaged are all that need be made anew.
                let is_gap = selection.is_some_and(|selection| selection.has_moments());
                let heal = if is_gap { Heal::GAP } else { self.bench.tools().heal.heal() };
                self.edit_selection(Brush::Heal(heal));
            }
            EditCommand::RebuildPhase => {
                self.edit_selection(Brush::RebuildPhase { steps: crate::dsp::phase::DEFAULT_STEPS });
            }
            EditCommand::ReduceNoise => self.reduce_noise(),
        }
    }

    fn undo(&mut self) {
        // What floats is not in the sound yet: to undo the paste, drop it.
        if self.bench.drop_floating() {
            return;
        }
        let Some(document) = self.bench.document_mut() else { return };
        document.show_before = false;
        // An edit on its way is taken back before it arrives.
        if !document.edits.cancel_last() {
            document.history.undo();
        }
    }

    /// Applies a brush to the whole of the selection, at full strength.
    fn edit_selection(&mut self, brush: Brush) {
        let Some(document) = self.bench.document_mut() else { return };
        let Some(selection) = document.selection.clone() else { return };
        let edit = erasing(selection, document.view.channels.edited(), document.view.stft.clone());
        document.edit(Edit { brush, ..edit });
    }

    /// Takes the learnt noise out of the selection, or of the whole file.
    fn reduce_noise(&mut self) {
        let denoise = self.bench.tools().denoise();
        let (Some(document), Some(denoise)) = (self.bench.document_mut(), denoise) else { return };
        let edit = Edit {
            brush: Brush::Denoise(denoise),
            stroke: None,
            select: document.selection.clone(),
            channels: document.view.channels.edited(),
            transform: document.view.stft.clone(),
            strength: 1.0,
            consistency_steps: None,
        };
        document.edit(edit);
    }
}
