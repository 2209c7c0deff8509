//! The open document: its history, its selection, how it is viewed.

use super::floating::Floating;
use super::view::{View, limits_of};
use crate::document::session::{Marker, ProjectFile, SourceRef};
use crate::document::{Edit, History, Snapshot};
use crate::dsp::Selection;
use crate::workbench::editing::Edits;
use crate::workbench::measuring::Figures;
use crate::workbench::sessions::SessionSlot;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// An open document: its sound and everything that belongs to this sound alone.
pub struct OpenDocument {
    /// Unique in this process, never reused: answers of jobs carry it.
    pub id: u64,
    /// Where it came from.
    pub path: Option<PathBuf>,
    /// Sound, and all edits.
    pub history: History,
    /// What brushes and commands are confined to.
    pub selection: Option<Selection>,
    /// What was selected before nothing was.
    pub last_selection: Option<Selection>,
    /// What was pasted and is not put down yet.
    pub floating: Option<Floating>,
    /// Figures of what is selected, once they are known.
    pub figures: Option<Figures>,
    /// How it is looked at.
    pub view: View,
    /// Where playback starts.
    pub cursor_secs: f64,
    /// Where the keyboard's cursor stands on the canvas; its time is that of the cursor.
    pub cursor_hz: f64,
    /// While true the canvas and the player show the opened file instead of the current snapshot.
    pub show_before: bool,
    /// Position in the history at the last export; none if never exported, or if that step was since replaced.
    pub exported_at: Option<usize>,
    /// The project that it is, once it was saved or where it was opened from one.
    pub project: Option<ProjectFile>,
    /// Position in the history when the project was saved; as `exported_at`.
    pub saved_at: Option<usize>,
    /// What it is called where it has no file of its own: a recovered one, or a copy of a project.
    pub title: Option<String>,
    /// Places with names.
    pub markers: Vec<Marker>,
    /// Where its sound comes from, where a project or a session said so.
    pub source: Option<SourceRef>,
    /// Whether its project contains the sound.
    pub is_embedded: bool,
    /// Edits that are not in the history yet.
    pub edits: Edits,
    /// Its session, which keeps it against a crash.
    pub session: SessionSlot,
}

impl OpenDocument {
    /// A file just decoded, seen whole.
    pub fn new(path: Option<PathBuf>, snapshot: Snapshot) -> OpenDocument {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        let view = View::of(&snapshot);
        OpenDocument {
            id: NEXT.fetch_add(1, Relaxed),
            path,
            history: History::new(snapshot),
            selection: None,
            last_selection: None,
            floating: None,
            figures: None,
            view,
            cursor_secs: 0.0,
            cursor_hz: 440.0,
            show_before: false,
            exported_at: None,
            project: None,
            saved_at: None,
            title: None,
            markers: Vec::new(),
            source: None,
            is_embedded: false,
            edits: Edits::default(),
            session: SessionSlot::default(),
        }
    }

    /// The file that it is: its project, else where its sound came from.
    pub fn file(&self) -> Option<&Path> {
        self.project.as_ref().map(|project| project.path.as_path()).or(self.path.as_deref())
    }

    /// The file's name, for people.
    pub fn name(&self) -> String {
        if let Some(title) = &self.title {
            return title.clone();
        }
        match self.file().and_then(Path::file_name) {
            Some(name) => crate::base::shown_path(Path::new(name)),
            None => "Untitled".into(),
        }
    }

    /// Length in seconds.
    pub fn duration_secs(&self) -> f64 {
        let snapshot = self.shown();
        snapshot.n_samples() as f64 / snapshot.sample_rate_hz()
    }

    /// The sound that is shown and heard.
    pub fn shown(&self) -> &Snapshot {
        if self.show_before { self.history.original() } else { self.history.current() }
    }

    /// Whether the file is still being read: there is more to see every moment, and nothing can be changed yet.
    pub fn is_reading(&self) -> bool {
        let source = self.history.original().source();
        source.n_ready() < source.info().n_samples
    }

    /// Once a frame: where a longer sound was undone, the cursor and the view are inside the shorter one again.
    pub fn stay_within(&mut self) {
        let duration_secs = self.duration_secs();
        self.cursor_secs = self.cursor_secs.min(duration_secs);
        if self.view.secs[1] > duration_secs {
            self.view.secs = limits_of(self.shown()).clamp_secs(self.view.secs);
        }
    }

    /// Whether closing would lose something. A project keeps the way back, which no export does.
    pub fn has_unsaved_edits(&self) -> bool {
        let position = self.history.position();
        match self.project {
            Some(_) => self.saved_at != Some(position),
            None => position != 0 && self.exported_at != Some(position),
        }
    }

    /// Whether it has unsaved edits, or edits that are not in its history yet.
    pub fn would_lose_edits(&self) -> bool {
        self.has_unsaved_edits() || self.edits.is_busy()
    }

    /// Applies an edit once those given before are applied; the sound is shown with all edits again.
    pub fn edit(&mut self, edit: Edit) {
        self.show_before = false;
        self.edits.push(edit);
    }

    /// Adds a step to the history. An export of a step that this replaces counts no more.
    pub fn commit(&mut self, edit: Edit, snapshot: Snapshot) {
        self.exported_at = self.exported_at.filter(|&position| position <= self.history.position());
        self.saved_at = self.saved_at.filter(|&position| position <= self.history.position());
        self.history.push(edit, snapshot);
    }

    /// The range of time that is selected, over all shapes; none without a selection or if it holds all times.
    pub fn selected_secs(&self) -> Option<[f64; 2]> {
        let [start, end] = self.selection.as_ref()?.extent()[0]?;
        let duration_secs = self.duration_secs();
        Some([start.clamp(0.0, duration_secs), end.clamp(0.0, duration_secs)])
    }

    /// The band that is selected, over all shapes; none without a selection or if it holds all frequencies.
    pub fn selected_hz(&self) -> Option<[f64; 2]> {
        let [low, high] = self.selection.as_ref()?.extent()[1]?;
        let nyquist_hz = self.history.original().sample_rate_hz() / 2.0;
        Some([low.clamp(0.0, nyquist_hz), high.clamp(0.0, nyquist_hz)])
    }

    /// Selects something else, or nothing; what was selected can be had again.
    pub fn select(&mut self, selection: Option<Selection>) {
        let before = std::mem::replace(&mut self.selection, selection);
        if self.selection.is_none() {
            self.last_selection = before.or(self.last_selection.take());
        }
    }
}
