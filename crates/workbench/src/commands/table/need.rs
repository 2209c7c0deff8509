//! Preconditions of commands.

/// The state that decides which commands are enabled.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[expect(missing_docs, reason = "each is a plain fact, which its name says")]
pub struct Facts {
    pub has_document: bool,
    pub saves_back: bool,
    pub is_reading: bool,
    pub n_recent: usize,
    pub is_largest: bool,
    pub is_smallest: bool,
    pub is_stereo: bool,
    pub n_channels: usize,
    pub channel_mask: Option<u32>,
    pub can_undo: bool,
    pub can_redo: bool,
    pub has_edits: bool,
    pub has_selection: bool,
    pub has_last_selection: bool,
    pub has_clip: bool,
    pub is_floating: bool,
    pub has_picture: bool,
    pub can_push: bool,
    pub has_labels: bool,
    pub has_time_of_day: bool,
    pub has_beat: bool,
    pub is_moving_label: bool,
    pub has_label_in_hand: bool,
    pub has_labels_beside: bool,
    pub is_labelling: bool,
    pub is_snapping: bool,
    pub has_figures: bool,
    pub has_spectrum: bool,
    pub has_noise: bool,
    pub is_learning: bool,
    pub n_kept_noises: usize,
    pub n_presets: usize,
    pub is_drawing_polygon: bool,
    pub is_playing: bool,
    pub is_recording: bool,
    pub is_busy: bool,
    pub has_brush: bool,
    pub is_selecting: bool,
    pub needs_stroke: bool,
    pub lacks_noise: bool,
    pub n_places: usize,
    pub is_band_only: bool,
    pub is_delta: bool,
    pub n_documents: usize,
    pub has_library_sound: bool,
    pub has_hole: bool,
    pub is_previewing: bool,
    pub can_compare: bool,
    pub was_healed: bool,
    pub heals_by: &'static str,
}

/// A precondition of a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Need {
    /// A document is open.
    Document,
    /// Saving back is switched on.
    SaveBack,
    /// The file has been read to its end.
    WholeSound,
    /// A recent file at this index, from 0.
    Recent(usize),
    /// Any recent file.
    AnyRecent,
    /// The interface is not at its largest size.
    RoomToGrow,
    /// The interface is not at its smallest size.
    RoomToShrink,
    /// A step to undo.
    UndoStep,
    /// A step to redo.
    RedoStep,
    /// The sound differs from the file that was opened.
    Edits,
    /// A clip on the clipboard.
    Clip,
    /// A floating paste: sound, notes or a picture that is not placed yet.
    Floating,
    /// A floating picture.
    Picture,
    /// Stretched sound floating over its original range.
    Stretched,
    /// Any label.
    Labels,
    /// A current label.
    LabelInHand,
    /// A label file beside the sound file.
    LabelsBeside,
    /// The label tool is active.
    Labelling,
    /// A selection.
    Selection,
    /// A selection, as the pattern to search for.
    Pattern,
    /// A cleared selection to restore, and no current one.
    LastSelection,
    /// No noise is being learnt.
    LearningDone,
    /// A noise profile.
    Noise,
    /// A learnt noise profile, or a saved one to choose.
    AnyNoise,
    /// A saved noise profile.
    KeptNoise,
    /// A saved preset for the settings in the option bar.
    Presets,
    /// A polygon being drawn.
    Polygon,
    /// Measurements of the selection.
    Figures,
    /// A computed spectrum, which the spectrum panel shows.
    Spectrum,
    /// A tool with a radius.
    Brush,
    /// The last brush works without a stroke.
    AppliedBrush,
    /// A noise profile, if the brush to apply is denoise.
    AppliedNoise,
    /// Selected search results.
    Places,
    /// Playback is running.
    Playing,
    /// A recording is running.
    Recording,
    /// A selection to play alone, or playing the selection alone is on.
    Band,
    /// Edits whose difference can be played, or playing the difference is on.
    Difference,
    /// The file has a channel of this index.
    Channel(usize),
    /// More than one channel.
    SeveralChannels,
    /// Two channels.
    Stereo,
    /// The file states its time of recording.
    TimeOfDay,
    /// A beat grid.
    BeatGrid,
    /// More than one open document.
    OtherDocuments,
    /// A sound chosen in the library.
    LibrarySound,
    /// A selection or a stroke that can be filled from another sound.
    Hole,
    /// An open preview.
    Preview,
    /// No open preview. While one is open, the displayed sound is not the one that the command would change.
    NoPreview,
    /// A preview of heal, whose modes can be compared.
    HealPreview,
    /// The last edit healed the selection, in a mode with alternatives.
    Healed,
}

impl Need {
    /// Checks the precondition; `Err` is a message to the user about how to meet it.
    pub fn check(self, facts: &Facts) -> Result<(), &'static str> {
        let (holds, why) = match self {
            Need::Document => (facts.has_document, "Open a file first."),
            Need::SaveBack => (facts.saves_back, "Switch save_back on in the settings first."),
            Need::WholeSound => (!facts.is_reading, "The file is still being read."),
            Need::Recent(index) => (index < facts.n_recent, "There is no recent file in this slot."),
            Need::AnyRecent => (facts.n_recent > 0, "There are no recent files."),
            Need::RoomToGrow => (!facts.is_largest, "Already at the largest size."),
            Need::RoomToShrink => (!facts.is_smallest, "Already at the smallest size."),
            Need::UndoStep => (facts.can_undo, "There is nothing to undo."),
            Need::RedoStep => (facts.can_redo, "There is nothing to redo."),
            Need::Edits => (facts.has_edits, "No changes yet."),
            Need::Clip => (facts.has_clip, "The clipboard is empty."),
            Need::Floating => (facts.is_floating, "Nothing is floating that could be placed."),
            Need::Picture => (facts.has_picture, "There is no picture to turn; open or drop one first."),
            Need::Stretched => (facts.can_push, "There is no stretched range of time to place."),
            Need::TimeOfDay => (facts.has_time_of_day, "This file does not say when it was recorded."),
            Need::BeatGrid => (facts.has_beat, "Set a beat grid first."),
            Need::LabelInHand => (facts.has_label_in_hand, "Click a label first."),
            Need::LabelsBeside => (facts.has_labels_beside, "There is no file of labels beside this sound."),
            Need::Labelling => (facts.is_labelling, "The label tool is not in hand."),
            Need::Labels => (facts.has_labels, "There are no labels; M adds one."),
            Need::Selection => (facts.has_selection, "Nothing is selected."),
            Need::Pattern => (facts.has_selection, "Select the sound to find first."),
            Need::LastSelection => {
                (facts.has_last_selection && !facts.has_selection, "There is no previous selection.")
            }
            Need::LearningDone => (!facts.is_learning, "The noise profile is still being learnt."),
            Need::Noise => (facts.has_noise, "Learn a noise profile first."),
            Need::AnyNoise => (facts.has_noise || facts.n_kept_noises > 0, "Learn a noise profile first."),
            Need::KeptNoise => (facts.n_kept_noises > 0, "No noise profile is saved yet; learn one and save it."),
            Need::Presets => (facts.n_presets > 0, "No preset is saved for this yet."),
            Need::Polygon => (facts.is_drawing_polygon, "No polygon is being drawn."),
            Need::Figures => (facts.has_figures, "Nothing is selected."),
            Need::Spectrum => (facts.has_spectrum, "Show the spectrum panel first."),
            Need::Brush => (facts.has_brush, "Choose a brush first."),
            Need::AppliedBrush => (!facts.needs_stroke, "This brush works along a stroke only; paint with it."),
            Need::AppliedNoise => (!facts.lacks_noise, "Learn a noise profile first."),
            Need::Places => (facts.n_places > 0, "Nothing was found yet; use a Find command first."),
            Need::Playing => (facts.is_playing, "Nothing is playing."),
            Need::Recording => (facts.is_recording, "Nothing is being recorded."),
            Need::Band => (facts.has_selection || facts.is_band_only, "Nothing is selected."),
            Need::Difference => (facts.has_edits || facts.is_delta, "No changes yet."),
            Need::Channel(index) => (index < facts.n_channels, "The file has no such channel."),
            Need::SeveralChannels => (facts.n_channels > 1, "The file has only one channel."),
            Need::Stereo => (facts.is_stereo, "Mid and side need a stereo file."),
            Need::OtherDocuments => (facts.n_documents > 1, "Only one document is open."),
            Need::Preview => (facts.is_previewing, "No preview is open."),
            Need::NoPreview => (!facts.is_previewing, "Apply or cancel the preview first."),
            Need::HealPreview => {
                (facts.can_compare, "Only modes of heal are compared; clicks that were found have one.")
            }
            Need::Hole => (facts.has_hole, "Select what is to be filled, or paint over it first."),
            Need::Healed => (facts.was_healed, "Heal the selection first."),
            Need::LibrarySound => (facts.has_library_sound, "Choose a sound in the library first."),
        };
        if holds { Ok(()) } else { Err(why) }
    }
}
