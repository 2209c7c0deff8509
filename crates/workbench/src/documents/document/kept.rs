//! Where the open document is stored: its file or project, which edits are saved or exported, and state outside the
//! history.

use super::super::found_damage::FoundDamage;
use super::{OpenDocument, SavedDocumentState};
use crate::document::session::{OptionalTables, ProjectFile, SourceRef};
use crate::document::{BeatGrid, PitchLine};
use std::path::{Path, PathBuf};
use std::sync::Arc;

impl OpenDocument {
    /// The file of its sound, if any.
    pub fn path(&self) -> Option<&Path> {
        self.path.as_deref()
    }

    /// Position in the history at the last export; `None` if never exported, or if that step was since replaced.
    pub fn exported_at(&self) -> Option<usize> {
        self.exported_at
    }

    /// The document's project, if it was saved as one or opened from one.
    pub fn project(&self) -> Option<&ProjectFile> {
        self.project.as_ref()
    }

    /// Position in the history when the project was saved; `None` as for [`exported_at`](OpenDocument::exported_at).
    pub fn saved_at(&self) -> Option<usize> {
        self.saved_at
    }

    /// The title of a document without a file of its own: a recovered one, or a copy of a project.
    pub fn title(&self) -> Option<&str> {
        self.title.as_deref()
    }

    /// Project tables written by a later version of the program, which saving keeps.
    pub(crate) fn optional_tables(&self) -> &OptionalTables {
        &self.kept.optional
    }

    /// Sets the project tables and the beat grid of a resampled document, copied from the original.
    pub(crate) fn set_saved_state(&mut self, optional: OptionalTables, beat: Option<BeatGrid>) {
        self.kept = SavedDocumentState { optional, beat, saved_beat: beat, ..SavedDocumentState::default() };
    }

    /// The beat grid, if set.
    pub fn beat(&self) -> Option<&BeatGrid> {
        self.kept.beat.as_ref()
    }

    /// The beat grid while it is shown.
    pub fn shown_beat(&self) -> Option<&BeatGrid> {
        self.beat().filter(|_| self.view.beat_lines)
    }

    /// Sets or removes the beat grid.
    pub(crate) fn set_beat(&mut self, beat: Option<BeatGrid>) {
        self.kept.beat = beat;
    }

    /// The pitch line while it is shown and once it is known.
    pub fn pitch_line(&self) -> Option<&Arc<PitchLine>> {
        self.kept.pitch.as_ref().filter(|_| self.view.pitch_line)
    }

    /// Sets the pitch line; `None` while it isn't known.
    pub(crate) fn set_pitch(&mut self, pitch: Option<Arc<PitchLine>>) {
        self.kept.pitch = pitch;
    }

    /// The result of the last damage search.
    pub fn damage(&self) -> Option<&FoundDamage> {
        self.kept.damage.as_ref()
    }

    /// Sets or clears the list of found damage.
    pub(crate) fn set_damage(&mut self, damage: Option<FoundDamage>) {
        self.kept.damage = damage;
    }

    /// The source of its sound as stored in a project or session.
    pub fn source(&self) -> Option<&SourceRef> {
        self.source.as_ref()
    }

    /// Whether its project contains the sound.
    pub fn is_embedded(&self) -> bool {
        self.is_embedded
    }

    /// The document's file: its project, else the file of its sound.
    pub fn file(&self) -> Option<&Path> {
        self.project.as_ref().map(|project| project.path.as_path()).or(self.path.as_deref())
    }

    /// The document's name for display: its title, else the name of its file.
    pub fn name(&self) -> String {
        if let Some(title) = &self.title {
            return title.clone();
        }
        match self.file().and_then(Path::file_name) {
            Some(name) => crate::base::shown_path(Path::new(name)),
            None => "Untitled".into(),
        }
    }

    /// The file name of its sound, else the document's own name.
    pub fn sound_name(&self) -> String {
        let path = self.path.as_deref().and_then(Path::file_name);
        path.map_or_else(|| self.name(), |name| name.to_string_lossy().into_owned())
    }

    /// Whether closing would lose unsaved work. If the document has a project, exporting does not count as saving: an
    /// exported file lacks the undo history. A recording counts as unsaved until it is exported or saved, as there is
    /// no other copy.
    pub fn has_unsaved_edits(&self) -> bool {
        let position = self.history.position();
        match self.project {
            Some(_) => self.saved_at != Some(position) || self.kept.beat != self.kept.saved_beat,
            None => (position != 0 || self.session.is_recording()) && self.exported_at != Some(position),
        }
    }

    /// Whether it has unsaved edits, or edits that are not in its history yet.
    pub fn would_lose_edits(&self) -> bool {
        self.has_unsaved_edits() || self.edits.is_busy()
    }

    /// Records that the step at this position was exported.
    pub(crate) fn note_export(&mut self, position: usize) {
        self.exported_at = Some(position);
    }

    /// Records that the document was saved as a project: the position of the saved step (`None` if it was since
    /// replaced) and the saved beat grid.
    pub(crate) fn note_save(
        &mut self,
        project: ProjectFile,
        is_embedded: bool,
        (saved_at, beat): (Option<usize>, Option<BeatGrid>),
    ) {
        self.project = Some(project);
        self.title = None;
        self.saved_at = saved_at;
        self.kept.saved_beat = beat;
        self.is_embedded = is_embedded;
    }

    /// Records that its project was saved at this position of the history; ignored if it has no project.
    pub(crate) fn note_saved_at(&mut self, position: Option<usize>) {
        self.saved_at = position.filter(|_| self.project.is_some());
        // The beat grid in the project is unknown, so any current one counts as unsaved.
        self.kept.saved_beat = None;
    }

    /// Sets the title of a document without a file of its own.
    pub(crate) fn set_title(&mut self, title: String) {
        self.title = Some(title);
    }

    /// Sets the file beside which exports are suggested.
    pub(crate) fn set_path(&mut self, path: PathBuf) {
        self.path = Some(path);
    }

    /// After a save back has overwritten the file: sets the source of the original sound to the copy that was kept.
    pub(crate) fn go_on_with(&mut self, source: SourceRef) {
        self.source = Some(source);
    }
}
