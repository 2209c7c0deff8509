//! The open document: its history, selection and view.

mod kept;

use super::donor::Donor;
use super::floating::{Floating, FloatingPaste, PendingClearing, SelectionStep};
use super::following::selection_after;
use super::found_damage::FoundDamage;
use super::view::{View, limits_of};
use crate::document::brushes::PictureBrush;
use crate::document::labels::Label;
use crate::document::labels::formats::labels_of_sound;
use crate::document::session::{OptionalTables, ProjectFile, SourceRef};
use crate::document::{BeatGrid, Edit, History, PitchLine, Snapshot, TimeChange, time_changes};
use crate::dsp::Selection;
use crate::edits::Edits;
use crate::measurements::Figures;
use crate::media::samples_since_midnight;
use crate::preview::EditPreview;
use crate::sessions::SessionSlot;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// An open document: its sound and all state that belongs to this sound alone. Changes go through methods, except that
/// the concerns for edits, previews and sessions modify their own part directly.
pub struct OpenDocument {
    id: u64,
    path: Option<PathBuf>,
    history: History,
    selected: SelectionState,
    floating_paste: FloatingPaste,
    preview: Option<EditPreview>,
    figures: Option<Figures>,
    view: View,
    /// The cursor, in seconds and hertz.
    cursor: [f64; 2],
    shows_before: bool,
    exported_at: Option<usize>,
    project: Option<ProjectFile>,
    saved_at: Option<usize>,
    title: Option<String>,
    kept: SavedDocumentState,
    source: Option<SourceRef>,
    /// Changes of time since the document was opened, in order; undone steps appear inverted.
    moves: Vec<TimeChange>,
    is_embedded: bool,
    edits: Edits,
    session: SessionSlot,
}

/// State kept with the sound, outside the steps of the history.
#[derive(Default)]
struct SavedDocumentState {
    /// Project tables written by a later version of the program, which saving keeps.
    optional: OptionalTables,
    beat: Option<BeatGrid>,
    /// The beat grid as saved in the project.
    saved_beat: Option<BeatGrid>,
    damage: Option<FoundDamage>,
    pitch: Option<Arc<PitchLine>>,
}

/// The current selection and its history.
#[derive(Default)]
struct SelectionState {
    now: Option<Selection>,
    /// The last selection before it was cleared.
    last: Option<Selection>,
    /// The steps that changed the selection, by position in the history.
    steps: BTreeMap<usize, SelectionStep>,
    /// Noun for a search result, such as `click`, if the selection comes from a search.
    search_noun: Option<&'static str>,
    /// Id of the current label.
    label: Option<u64>,
    /// Whether a paste was placed or time was edited since the selection was last replaced.
    is_landed: bool,
}

impl OpenDocument {
    /// A newly opened sound without edits, with all of it in view.
    pub fn new(path: Option<PathBuf>, snapshot: Snapshot) -> OpenDocument {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        let view = View::of(&snapshot);
        OpenDocument {
            id: NEXT.fetch_add(1, Relaxed),
            path,
            history: History::labelled(snapshot.clone(), labels_of_sound(snapshot.source()).0),
            selected: SelectionState::default(),
            floating_paste: FloatingPaste::default(),
            preview: None,
            figures: None,
            view,
            cursor: [0.0, 440.0],
            shows_before: false,
            exported_at: None,
            project: None,
            saved_at: None,
            title: None,
            kept: SavedDocumentState::default(),
            source: None,
            moves: Vec::new(),
            is_embedded: false,
            edits: Edits::default(),
            session: SessionSlot::default(),
        }
    }

    /// A document restored from the history of a project or session, with all of its sound in view. `source` is the
    /// source of the original sound.
    pub(crate) fn restored(history: History, source: SourceRef, project: Option<ProjectFile>) -> OpenDocument {
        let fresh = OpenDocument::new(source.path().map(Path::to_path_buf), history.original().clone());
        OpenDocument {
            view: View::of(history.current()),
            saved_at: project.as_ref().map(|_| history.position()),
            project,
            is_embedded: source.is_embedded(),
            source: Some(source),
            history,
            ..fresh
        }
    }

    /// Unique in this process and never reused, so that results of jobs can refer to it.
    pub fn id(&self) -> u64 {
        self.id
    }

    /// The sound with all its edits.
    pub fn history(&self) -> &History {
        &self.history
    }

    /// The area that brushes and commands are confined to.
    pub fn selection(&self) -> Option<&Selection> {
        self.selected.now.as_ref()
    }

    /// The last selection before it was cleared.
    pub fn last_selection(&self) -> Option<&Selection> {
        self.selected.last.as_ref()
    }

    /// Noun for a search result, such as `click`, if the selection comes from a search.
    pub fn search_noun(&self) -> Option<&'static str> {
        self.selected.search_noun
    }

    /// Selects search results; `search_noun` names one of them, such as `click`.
    pub(crate) fn select_found(&mut self, found: Option<Selection>, search_noun: &'static str) {
        self.select(found);
        self.selected.search_noun = Some(search_noun);
    }

    /// The current label, to which label shortcuts apply.
    pub fn current_label(&self) -> Option<&Label> {
        self.history.labels().get(self.selected.label?)
    }

    /// Sets the current label by its id; `None` for no current label.
    pub(crate) fn take_label(&mut self, id: Option<u64>) {
        self.selected.label = id;
    }

    /// The paste that is not placed yet.
    pub fn floating(&self) -> Option<&Floating> {
        self.floating_paste.floating.as_ref()
    }

    /// The edited sound without the floating paste. If the paste was cut out of it, the original is cleared as soon as
    /// the result of the clearing is known.
    pub fn beneath(&self) -> &Snapshot {
        let current = self.history.current();
        let floating = self.floating().or_else(|| self.edits().placing());
        let clearing = floating.and_then(|floating| floating.clearing.as_ref());
        let is_of_now = |clearing: &&PendingClearing| clearing.base.is_same(current);
        clearing.filter(is_of_now).map_or(current, |clearing| &clearing.applied.snapshot)
    }

    /// The previewed edit, which is not in the history yet.
    pub fn preview(&self) -> Option<&EditPreview> {
        self.preview.as_ref()
    }

    /// The preview, unless it has been applied and is being committed to the history.
    pub fn open_preview(&self) -> Option<&EditPreview> {
        self.preview.as_ref().filter(|preview| !preview.is_applied())
    }

    /// The preview, for the concern that computes it.
    pub(crate) fn preview_mut(&mut self) -> Option<&mut EditPreview> {
        self.preview.as_mut()
    }

    /// Measurements of the selection, once they are known.
    pub fn figures(&self) -> Option<Figures> {
        self.figures
    }

    /// The document's view.
    pub fn view(&self) -> &View {
        &self.view
    }

    /// The time cursor, at which playback starts, in seconds.
    pub fn cursor_secs(&self) -> f64 {
        self.cursor[0]
    }

    /// The frequency of the keyboard cursor on the canvas, in hertz; its time is
    /// [`cursor_secs`](OpenDocument::cursor_secs).
    pub fn cursor_hz(&self) -> f64 {
        self.cursor[1]
    }

    /// Whether the canvas and the player show the opened file instead of the current snapshot; while a preview is open,
    /// the sound without it.
    pub fn shows_before(&self) -> bool {
        self.shows_before
    }

    /// The sound that the clone brush paints with; `None`: this document's own.
    pub fn donor(&self) -> Option<&Donor> {
        self.floating_paste.donor.as_ref()
    }

    /// Sets the sound that the clone brush paints with; `None`: this document's own.
    pub(crate) fn set_donor(&mut self, donor: Option<Donor>) {
        self.floating_paste.donor = donor;
    }

    /// Edits that are not in the history yet.
    pub fn edits(&self) -> &Edits {
        &self.edits
    }

    /// The pending edits, for the concern that applies them.
    pub(crate) fn edits_mut(&mut self) -> &mut Edits {
        &mut self.edits
    }

    /// The session that protects the document against a crash.
    pub fn session(&self) -> &SessionSlot {
        &self.session
    }

    /// The session, for the concern that writes it.
    pub(crate) fn session_mut(&mut self) -> &mut SessionSlot {
        &mut self.session
    }

    /// Length in seconds.
    pub fn duration_secs(&self) -> f64 {
        let snapshot = self.shown();
        snapshot.n_samples() as f64 / snapshot.sample_rate_hz()
    }

    /// Time of day at which the sound begins, in seconds after midnight, if its file states it. If time was cut or
    /// added, it is computed from the first samples that come from the file.
    pub fn starts_at_secs(&self) -> Option<f64> {
        let (source, sound) = (self.history.original().source(), self.shown());
        let since_midnight = samples_since_midnight(source.chunks())? as f64;
        let begins = |n: u64| {
            let mut place = 0;
            sound.origins(0..n).into_iter().find_map(|(n, origin)| {
                let begins = origin.map(|origin| origin as f64 - place as f64);
                place += n;
                begins
            })
        };
        let first = begins(1.min(sound.n_samples())).or_else(|| begins(sound.n_samples()))?;
        Some((since_midnight + first) / sound.sample_rate_hz())
    }

    /// The sound that the canvas draws: includes the floating paste once the mix is computed.
    pub fn pictured(&self) -> &Snapshot {
        self.floating_paste.sound.as_ref().filter(|_| !self.shows_before).unwrap_or(self.shown())
    }

    /// The sound that is displayed and played, not including the floating paste.
    pub fn shown(&self) -> &Snapshot {
        match &self.preview {
            Some(_) if self.shows_before => self.history.current(),
            Some(preview) => preview.sound(),
            None => self.without_preview(),
        }
    }

    /// The sound that is displayed and played without the preview.
    pub fn without_preview(&self) -> &Snapshot {
        if self.shows_before { self.history.original() } else { self.beneath() }
    }

    /// Whether the file is still being read: it is shown as it grows, and can't be edited yet.
    pub fn is_reading(&self) -> bool {
        let source = self.history.original().source();
        source.n_ready() < source.info().n_samples
    }

    /// Called once per frame: keeps cursor and view within the sound, which undo may have shortened.
    pub fn stay_within(&mut self) {
        let duration_secs = self.duration_secs();
        self.cursor[0] = self.cursor[0].min(duration_secs);
        if self.view.secs[1] > duration_secs {
            self.view.secs = limits_of(self.shown()).clamp_secs(self.view.secs);
        }
    }

    /// Applies an edit after the ones already pending; the sound is then shown with all edits.
    pub fn edit(&mut self, edit: Edit) {
        self.shows_before = false;
        self.edits.push(edit);
    }

    /// Adds a step to the history, replacing undone steps. An export or save of a replaced step no longer counts.
    pub fn commit(&mut self, edit: Edit, snapshot: Snapshot) {
        self.exported_at = self.exported_at.filter(|&position| position <= self.history.position());
        self.saved_at = self.saved_at.filter(|&position| position <= self.history.position());
        self.selected.steps.split_off(&(self.history.position() + 1));
        let changes = time_changes(self.history.current(), &edit);
        self.history.push(edit, snapshot);
        let before = self.selected.now.clone();
        self.follow_time(&changes);
        if before != self.selected.now {
            self.note_selected(SelectionStep { before, after: self.selected.now.clone() });
        }
    }

    /// Changes of time since the document was opened, in order: they map a sample of an earlier sound to the current
    /// one.
    pub fn moves(&self) -> &[TimeChange] {
        &self.moves
    }

    /// Keeps cursor and selection at their moments in the sound; shifts the view if the whole edit lies before it.
    fn follow_time(&mut self, changes: &[TimeChange]) {
        let rate_hz = self.history.original().sample_rate_hz();
        for change in changes {
            self.cursor[0] = change.place_after(self.cursor[0] * rate_hz) / rate_hz;
            if (change.at + change.removed) as f64 <= self.view.secs[0] * rate_hz {
                let by_secs = (change.added as f64 - change.removed as f64) / rate_hz;
                self.view.secs = self.view.secs.map(|secs| secs + by_secs);
            }
            let after = |selection: &Selection| selection_after(selection, change, rate_hz);
            let before = self.selected.now.take();
            self.selected.now = before.as_ref().and_then(after);
            let last = self.selected.last.take();
            self.selected.last = match (before, &self.selected.now) {
                (Some(cut), None) => Some(cut),
                _ => last.as_ref().and_then(after),
            };
        }
        self.moves.extend_from_slice(changes);
    }

    /// Records that a paste was placed or time was edited, so that pressing Enter again does not apply the brush to the
    /// selection.
    pub(crate) fn note_landed(&mut self) {
        self.selected.is_landed = true;
    }

    /// Whether a paste was placed or time was edited since the selection was last replaced; resets this flag.
    pub(crate) fn take_landed(&mut self) -> bool {
        std::mem::take(&mut self.selected.is_landed)
    }

    /// Stores the selection before and after the current step of the history.
    pub(crate) fn note_selected(&mut self, step: SelectionStep) {
        self.selected.steps.insert(self.history.position(), step);
    }

    /// Selection before and after the step at this position of the history; `None` if the step didn't change it.
    pub(crate) fn selected_with(&self, position: usize) -> Option<&SelectionStep> {
        self.selected.steps.get(&position)
    }

    /// The selected range of time, over all shapes; `None` without a selection or if it includes all times.
    pub fn selected_secs(&self) -> Option<[f64; 2]> {
        let [start, end] = self.selected.now.as_ref()?.extent()[0]?;
        let duration_secs = self.duration_secs();
        Some([start.clamp(0.0, duration_secs), end.clamp(0.0, duration_secs)])
    }

    /// The selected band, over all shapes; `None` without a selection or if it includes all frequencies.
    pub fn selected_hz(&self) -> Option<[f64; 2]> {
        let [low, high] = self.selected.now.as_ref()?.extent()[1]?;
        let nyquist_hz = self.history.original().sample_rate_hz() / 2.0;
        Some([low.clamp(0.0, nyquist_hz), high.clamp(0.0, nyquist_hz)])
    }

    /// Replaces or clears the selection. A cleared one stays available as [`last_selection`](Self::last_selection).
    pub fn select(&mut self, selection: Option<Selection>) {
        let before = std::mem::replace(&mut self.selected.now, selection);
        (self.selected.search_noun, self.selected.label, self.selected.is_landed) = (None, None, false);
        if self.selected.now.is_none() {
            self.selected.last = before.or(self.selected.last.take());
        }
    }
}

/// Changes of the document.
impl OpenDocument {
    /// Changes the view.
    pub fn change_view<T>(&mut self, change: impl FnOnce(&mut View) -> T) -> T {
        change(&mut self.view)
    }

    /// Moves the time cursor, clamped to the sound; ignored if `secs` is not finite.
    pub fn set_cursor(&mut self, secs: f64) {
        if secs.is_finite() {
            self.cursor[0] = secs.clamp(0.0, self.duration_secs());
        }
    }

    /// Moves the keyboard cursor to a frequency, clamped between 0 Hz and Nyquist; ignored if `hz` is not finite.
    pub(crate) fn set_cursor_hz(&mut self, hz: f64) {
        if hz.is_finite() {
            self.cursor[1] = hz.clamp(0.0, self.history.original().sample_rate_hz() / 2.0);
        }
    }

    /// Goes one step back in the history and restores the selection from before that step.
    pub fn step_back(&mut self) {
        self.move_in_history(self.history.position().saturating_sub(1));
    }

    /// Goes one step forward in the history and restores the selection from after that step.
    pub fn step_forward(&mut self) {
        self.move_in_history(self.history.position() + 1);
    }

    fn move_in_history(&mut self, position: usize) {
        self.selected.is_landed = false;
        let from = self.history.position();
        self.history.go_to(position);
        let to = self.history.position();
        let changes_of = |step: usize| match (self.history.entries().get(step), step.checked_sub(1)) {
            (Some(entry), Some(before)) => {
                let before = &self.history.entries()[before].snapshot;
                entry.edit.as_ref().map_or_else(Vec::new, |edit| time_changes(before, edit))
            }
            _ => Vec::new(),
        };
        let changes: Vec<TimeChange> = match to < from {
            true => {
                let back = (to + 1..=from).rev().flat_map(|step| changes_of(step).into_iter().rev());
                back.map(TimeChange::undone).collect()
            }
            false => (from + 1..=to).flat_map(changes_of).collect(),
        };
        self.follow_time(&changes);
        let selected = match to < from {
            true => self.selected.steps.range(to + 1..=from).next().map(|(_, step)| &step.before),
            false => self.selected.steps.range(from + 1..to + 1).next_back().map(|(_, step)| &step.after),
        };
        if let Some(selected) = selected.cloned() {
            self.select(selected);
        }
    }

    /// Cancels the latest edit before it is in the history, and restores the selection; false if there is none.
    pub(crate) fn cancel_last_edit(&mut self) -> bool {
        let Some(cancelled) = self.edits.cancel_last() else { return false };
        if let Some(step) = cancelled.selected {
            self.select(step.before);
        }
        true
    }

    /// Goes to a step of the history, 0 being the sound as it was opened; the last one if there are fewer.
    pub(crate) fn go_to(&mut self, position: usize) {
        self.shows_before = false;
        self.move_in_history(position);
    }

    /// Records the consistency of the current step, in decibels.
    pub(crate) fn note_consistency(&mut self, consistency_db: Option<f64>) {
        self.history.note_consistency(consistency_db);
    }

    /// Shows and plays the sound with all edits.
    pub(crate) fn show_current(&mut self) {
        self.shows_before = false;
    }

    /// Toggles between the opened file and the sound with all edits, for display and playback.
    pub(crate) fn toggle_before(&mut self) {
        self.shows_before = !self.shows_before;
    }

    /// Sets or clears the measurements of the selection.
    pub(crate) fn set_figures(&mut self, figures: Option<Figures>) {
        self.figures = figures;
    }

    /// Floats a paste over the document.
    pub(crate) fn float(&mut self, floating: Floating) {
        self.floating_paste.floating = Some(floating);
    }

    /// Moves the floating paste; see [`Floating::move_to`].
    pub(crate) fn move_floating(&mut self, offset: [f64; 2], bin_hz: f64) {
        if let Some(floating) = &mut self.floating_paste.floating {
            floating.move_to(offset, bin_hz);
        }
    }

    /// Changes the floating picture; see [`Floating::set_picture`].
    pub(crate) fn change_picture(&mut self, brush: PictureBrush) {
        if let Some(floating) = &mut self.floating_paste.floating {
            floating.set_picture(brush);
        }
    }

    /// Replaces the clearing of the floating paste after the sound beneath it has changed.
    pub(crate) fn set_clearing(&mut self, clearing: PendingClearing) {
        if let Some(floating) = &mut self.floating_paste.floating {
            floating.clearing = Some(clearing);
        }
    }

    /// Sets the mix with the floating paste, for the canvas; `None` while nothing floats.
    pub(crate) fn set_floated(&mut self, floated: Option<Snapshot>) {
        self.floating_paste.sound = floated;
    }

    /// Sets or clears the previewed edit.
    pub(crate) fn set_preview(&mut self, preview: Option<EditPreview>) {
        self.preview = preview;
    }

    /// Removes the preview and returns it.
    pub(crate) fn take_preview(&mut self) -> Option<EditPreview> {
        self.preview.take()
    }

    /// Removes the floating paste and returns it.
    pub(crate) fn take_floating(&mut self) -> Option<Floating> {
        self.floating_paste.floating.take()
    }
}
