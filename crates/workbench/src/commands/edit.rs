//! Commands that change the sound and its history.

use super::Code::{Backspace, Delete, Enter};
use super::Menu;
use super::Need::{
    AnyNoise, AppliedBrush, AppliedNoise, Document, Edits, LearningDone, NoPreview, RedoStep, Selection, UndoStep,
    WholeSound,
};
use super::table::icons;
use super::table::key::{ctrl, ctrl_shift, key, plain};
use super::table::row::rows;

/// A command that changes the sound, or moves in its history.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "its row says what each does")]
pub enum EditCommand {
    Undo,
    Redo,
    Lengthen,
    DeleteTime,
    KeepTime,
    DuplicateTime,
    InsertSilence,
    SplitToNew,
    ApplyToSelection,
    EraseSelection,
    AttenuateSelection,
    HealSelection,
    ReduceNoise,
    RemoveHum,
    Declip,
    DeEss,
    RemovePlosives,
    ReduceReverb,
    IsolateSpeech,
    RebuildPhase,
    Process(Process),
    Normalise,
    PitchShift,
    TimeStretch,
    Before,
}

/// An edit of samples in the selection or the whole file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "its row says what each does")]
pub enum Process {
    FadeIn,
    FadeOut,
    Reverse,
    RemoveDc,
}

rows! { EditCommand:
    HISTORY in (Menu::Edit) {
        Undo => row("undo", "Undo", "Reverts the last edit exactly.", &[Document, UndoStep])
            .keys(&[ctrl('Z')]).icon(icons::UNDO_2).repeats(),
        Redo => row("redo", "Redo", "Reapplies the last edit undone.", &[Document, NoPreview, RedoStep])
            .keys(&[ctrl_shift('Z'), ctrl('Y')]).icon(icons::REDO_2).repeats(),
    }
    CHANGES in (Menu::Edit) {
        ApplyToSelection => row("apply_to_selection", "Apply brush to selection",
            "Applies the last brush, with its settings, to the whole selection at once.",
            &[Document, WholeSound, NoPreview, Selection, AppliedBrush, AppliedNoise]).keys(&[plain(Enter)]).icon(icons::CHECK),
        EraseSelection => row("erase_selection", "Erase selection",
            "Silences the selection.", &[Document, WholeSound, NoPreview, Selection])
            .keys(&[plain(Delete), plain(Backspace)]).icon(icons::TRASH_2),
    }
    TIME in (Menu::Edit, "Time") {
        DeleteTime => row("delete_time", "Delete time",
            "Cuts the selected time out of all channels; what follows closes the gap.",
            &[Document, WholeSound, NoPreview, Selection]).keys(&[plain(Delete).with_ctrl(), plain(Backspace).with_ctrl()]),
        KeepTime => row("keep_time", "Trim to selection",
            "Cuts off all before and after the selected time (crop).", &[Document, WholeSound, NoPreview, Selection])
            .keys(&[ctrl('T')]),
        DuplicateTime => row("duplicate_time", "Duplicate time",
            "Repeats the selected time behind itself; what follows moves.", &[Document, WholeSound, NoPreview, Selection]),
        InsertSilence => row("insert_silence", "Insert silence\u{2026}",
            "Inserts silence at the start of the selection or at the cursor; what follows moves.",
            &[Document, WholeSound, NoPreview]).keys(&[ctrl_shift('M')]),
        SplitToNew => row("split_to_new", "Split to new document",
            "Opens the selected time as a document of its own.", &[Document, WholeSound, NoPreview, Selection]),
    }
    HEALING in (Menu::Edit, "Repair") {
        AttenuateSelection => row("attenuate_selection", "Attenuate selection to its surroundings",
            "Lowers anything louder than its surroundings to their level, like the heal brush.",
            &[Document, WholeSound, NoPreview, Selection]).keys(&[plain(Delete).with_shift()]).icon(icons::VOLUME_1),
        HealSelection => row("heal_selection", "Heal selection",
            "Fills it from its surroundings, using the heal brush's mode.", &[Document, WholeSound, NoPreview, Selection])
            .keys(&[ctrl('H')]),
    }
    REPAIRS in (Menu::Edit, "Repair") {
        ReduceNoise => row("reduce_noise", "Reduce noise\u{2026}",
            "Previews the selection or the whole file without the learnt noise; Enter applies it.",
            &[Document, WholeSound, LearningDone, AnyNoise]).keys(&[ctrl_shift('N')]).icon(icons::SPARKLES),
        RemoveHum => row("remove_hum", "Remove hum\u{2026}",
            "Finds mains hum in the selected time or the whole file and previews the sound without it; Enter applies it.",
            &[Document, WholeSound]),
        Declip => row("declip", "Declip\u{2026}",
            "Finds clipped peaks in the selected time or the whole file and previews the sound with them restored; Enter applies it.",
            &[Document, WholeSound]),
        DeEss => row("de_ess", "De-ess\u{2026}",
            "Previews the selected time or the whole file with its sibilants lowered; Enter applies it.",
            &[Document, WholeSound]),
        RemovePlosives => row("remove_plosives", "Remove plosives\u{2026}",
            "Finds blasts of breath in the selected time or the whole file and previews it without them; Enter applies it.",
            &[Document, WholeSound]),
        ReduceReverb => row("reduce_reverb", "Reduce reverb\u{2026}",
            "Finds the decay of the room and previews the selected time or the whole file drier; Enter applies it.",
            &[Document, WholeSound]),
        IsolateSpeech => row("isolate_speech", "Isolate speech\u{2026}",
            "Previews the selection or the whole file with nothing but its speech; Enter applies it.",
            &[Document, WholeSound]),
        RebuildPhase => row("rebuild_phase", "Rebuild phase of selection",
            "Rebuilds the phase from the magnitudes, which do not change.",
            &[Document, WholeSound, NoPreview, Selection]).keys(&[ctrl_shift('R')]).icon(icons::REFRESH_CW),
    }
    PROCESS in (Menu::Edit, "Process") {
        Process(Process::FadeIn) => row("fade_in", "Fade in",
            "Raises the selection or the whole file from silence to its level.", &[Document, WholeSound, NoPreview]),
        Process(Process::FadeOut) => row("fade_out", "Fade out",
            "Lowers the selection or the whole file from its level to silence.", &[Document, WholeSound, NoPreview]),
        Normalise => row("normalise", "Normalise\u{2026}",
            "Raises or lowers the selection or the whole file to a peak or a loudness.", &[Document, WholeSound, NoPreview]),
        Process(Process::Reverse) => row("reverse", "Reverse",
            "Turns the selection or the whole file backwards.", &[Document, WholeSound, NoPreview]),
        Process(Process::RemoveDc) => row("remove_dc", "Remove DC offset",
            "Centres the waveform of the selection or the whole file around 0.", &[Document, WholeSound, NoPreview]),
        PitchShift => row("pitch_shift", "Pitch shift\u{2026}",
            "Moves the selection up or down by semitones; its length stays.", &[Document, WholeSound, NoPreview, Selection]),
        TimeStretch => row("time_stretch", "Time stretch\u{2026}",
            "Makes the selection longer or shorter at its own pitch; the result floats until you place it.",
            &[Document, WholeSound, NoPreview, Selection]),
    }
    LENGTHEN in (Menu::Edit, "Process") {
        Lengthen => row("lengthen", "Add silence at the end\u{2026}", "Adds silence at the end.", &[Document, WholeSound, NoPreview])
            .keys(&[ctrl('M')]),
    }
    COMPARE in (Menu::Edit) {
        Before => row("before", "Original",
            "Shows and plays the file as it was opened, or the sound before a preview; press again to return.", &[Document, Edits])
            .keys(&[key('B')]).icon(icons::SQUARE_SPLIT_HORIZONTAL),
    }
}
