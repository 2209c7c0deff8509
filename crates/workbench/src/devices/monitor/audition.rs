//! Computes the sound to play: the displayed sound, including the stroke being drawn, or only its selection, or only
//! the last change.
//!
//! Sounds are computed in jobs, one at a time; the previous sound plays on until the next one is ready. They never
//! enter the history.

use super::stroke_sound::{Reach, StrokeSound, StrokeUpdate};
use super::transport::Transport;
use crate::base::{Error, Progress, Result};
use crate::document::brushes::{Brush, Erase, VoicesBrush};
use crate::document::{Channels, Edit, PartialResult, Snapshot, apply_live};
use crate::documents::OpenDocument;
use crate::dsp::selections::mask;
use crate::dsp::{Selection, Transform};
use crate::engine::Engine;
use crate::playback::Sound;
use crate::services::{Job, Jobs};
use crate::view::grid_of;

/// Minimum interval between updates of the live sound.
const MIN_STEP_SECS: f64 = 0.030;
/// Maximum size of a stroke that is audible while it is drawn, in cells over all channels.
const MAX_LIVE_CELLS: usize = 4_000_000;

/// The same limit for phrases, in samples over all channels: six minutes in stereo at 48 kHz.
const MAX_LIVE_SAMPLES: usize = 1 << 25;

/// The part of the edited sound to play.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Hearing {
    /// Everything.
    #[default]
    All,
    /// Only the selection.
    Band,
    /// Only the change made by the last edit, or by the open preview.
    Delta,
}

/// The stroke being drawn.
#[derive(Debug, Clone, Copy)]
pub struct StrokeInProgress<'a> {
    /// Unique for each stroke.
    pub id: u64,
    /// The edit, with the points drawn so far.
    pub edit: &'a Edit,
}

impl StrokeInProgress<'_> {
    fn n_points(&self) -> usize {
        self.edit.stroke.as_ref().map_or(0, |stroke| stroke.points.len())
    }
}

/// Services that the audition needs.
pub struct AuditionContext<'a> {
    /// Starts jobs.
    pub jobs: &'a Jobs,
    /// Applies edits.
    pub engine: &'a Engine,
    /// Current time in seconds.
    pub now_secs: f64,
    /// The transport, for the state of the player.
    pub transport: &'a Transport,
    /// Whether edits are pending that are not in the history yet.
    pub is_busy: bool,
}

/// The sound to subtract.
#[derive(Debug, Clone)]
enum Subtracted {
    Nothing,
    Snapshot(Snapshot),
    /// The sound with the selection erased, so that exactly the selected cells remain.
    Selection(Selection, Transform),
}

/// A request for a sound to play.
#[derive(Debug, Clone)]
struct AuditionRequest {
    base: Snapshot,
    /// Id and number of points of the stroke on it.
    stroke: Option<(u64, usize)>,
    less: Subtracted,
}

impl AuditionRequest {
    fn is_same(&self, other: &AuditionRequest) -> bool {
        let is_same_less = match (&self.less, &other.less) {
            (Subtracted::Nothing, Subtracted::Nothing) => true,
            (Subtracted::Snapshot(a), Subtracted::Snapshot(b)) => a.is_same(b),
            (Subtracted::Selection(a, params), Subtracted::Selection(b, others)) => a == b && params == others,
            _ => false,
        };
        self.base.is_same(&other.base) && self.stroke == other.stroke && is_same_less
    }

    /// The sound to play for a snapshot that is only partly rendered; `None` if the sound to subtract would have to be
    /// rendered, too.
    fn so_far(&self, snapshot: Snapshot) -> Option<Sound> {
        let less = match &self.less {
            Subtracted::Nothing => None,
            Subtracted::Snapshot(less) => Some(less.clone()),
            Subtracted::Selection(..) => return None,
        };
        Some(Sound { snapshot, less, solo: None })
    }

    fn needs_a_job(&self) -> bool {
        self.stroke.is_some() || matches!(self.less, Subtracted::Selection(..))
    }
}

/// Result of a job: the sound or an error, and the stroke's session for the next step.
type AuditionResult = (Result<Sound>, Option<StrokeSound>);

/// State of the audition: the sound being played, and the one being computed.
#[derive(Default)]
pub struct Audition {
    /// The part of the sound to play.
    pub hearing: Hearing,
    document: Option<u64>,
    /// The document's sound at the last call.
    current: Option<Snapshot>,
    /// The sound with the stroke as last played, kept from its first sound until the edit is in the history.
    held: Option<Snapshot>,
    /// Id of the stroke being drawn, and the sound before it.
    pen_down: Option<(u64, Snapshot)>,
    granted: Option<(AuditionRequest, Sound)>,
    job: Option<(AuditionRequest, Job<AuditionResult>)>,
    /// The stroke session between two jobs.
    drawn: Option<StrokeSound>,
    reach: Reach,
    /// The last request that failed.
    refused: Option<AuditionRequest>,
    stepped_secs: f64,
}

impl Audition {
    /// Called once per frame. Returns the sound that the player should play (`None`: no change), and an error to show
    /// to the user.
    pub fn advance(
        &mut self,
        document: &OpenDocument,
        in_progress: Option<StrokeInProgress<'_>>,
        around: &AuditionContext<'_>,
    ) -> (Option<Sound>, Option<Error>) {
        if self.document != Some(document.id()) {
            *self = Audition { document: Some(document.id()), ..Audition::default() };
        }
        let in_progress = in_progress
            .filter(|in_progress| around.transport.status.playing && self.is_small_enough(document, *in_progress));
        self.follow_edits(document, in_progress, around.is_busy);
        let fault = self.poll();
        let request = self.request(document, in_progress);
        if !request.needs_a_job() {
            self.job = self.job.take().filter(|(under_way, _)| under_way.stroke.is_some() && self.held.is_some());
            let less = match &request.less {
                Subtracted::Snapshot(less) => Some(less.clone()),
                _ => None,
            };
            let sound = Sound { snapshot: request.base.clone(), less, solo: None };
            self.granted = Some((request, sound));
        } else if self.is_changed(&request) && (request.stroke.is_none() || self.is_time(around.now_secs)) {
            self.stepped_secs = around.now_secs;
            let drawn = self.drawn.take();
            let news = in_progress
                .map(|in_progress| StrokeSound::news(drawn.as_ref(), in_progress.id, &request.base, in_progress.edit));
            let (theirs, engine) = (request.clone(), around.engine.clone());
            // The job passes the sound to the player itself, since the next frame may be late.
            let (ticket, solo) = around.transport.ticket();
            // Only the first sound of a stroke is played in parts; later, the previous sound plays until the next is
            // complete.
            let is_first = self.granted.as_ref().is_some_and(|(granted, _)| granted.stroke.is_none());
            let work = move |progress: &Progress| {
                let mut hear_so_far = |snapshot: Snapshot| {
                    if let Some(sound) = theirs.so_far(snapshot) {
                        ticket.set_sound(&Sound { solo, ..sound });
                    }
                };
                let so_far = is_first.then_some(&mut hear_so_far as &mut PartialResult<'_>);
                let (sound, drawn) = compute(&theirs, drawn, news, (&engine, progress), so_far);
                if let Ok(sound) = &sound {
                    ticket.set_sound(&Sound { solo, ..sound.clone() });
                }
                Ok((sound, drawn))
            };
            self.job = Some((request, around.jobs.spawn("audition", work)));
        }
        (self.granted.as_ref().map(|(_, sound)| sound.clone()), fault)
    }

    /// Drops the stroke being drawn, and returns to the sound it started from.
    pub fn drop_stroke(&mut self) {
        if let Some((_, pen_down)) = self.pen_down.take() {
            self.held = self.current.as_ref().is_none_or(|current| !current.is_same(&pen_down)).then_some(pen_down);
            self.job = None;
        }
    }

    /// Whether the last sound computed was the selection alone.
    pub fn has_selection_alone(&self) -> bool {
        self.refused.is_none()
            && self.granted.as_ref().is_some_and(|(request, _)| matches!(request.less, Subtracted::Selection(..)))
    }

    /// Whether a sound is being computed.
    pub fn is_busy(&self) -> bool {
        self.job.is_some()
    }

    /// Progress of computing the selection alone, while it runs.
    pub fn work(&self) -> Option<f32> {
        let (_, job) = self.job.as_ref().filter(|(request, _)| request.stroke.is_none())?;
        Some(job.progress().fraction())
    }

    /// Cancels computing the selection alone and plays everything again; false if that isn't being computed.
    pub fn cancel(&mut self) -> bool {
        let is_computed = self.work().is_some();
        if is_computed {
            self.hearing = Hearing::All;
            self.job = None;
        }
        is_computed
    }

    /// Updates the held sound and the start of the stroke being drawn after changes of the history.
    fn follow_edits(&mut self, document: &OpenDocument, in_progress: Option<StrokeInProgress<'_>>, is_busy: bool) {
        let current = document.beneath();
        if self.current.as_ref().is_none_or(|last| !last.is_same(current)) {
            self.current = Some(current.clone());
            self.job = None;
            match (&in_progress, &mut self.pen_down) {
                (Some(_), Some((_, pen_down))) => *pen_down = current.clone(),
                _ => self.held = None,
            }
        }
        match in_progress {
            Some(in_progress) if self.pen_down.as_ref().is_none_or(|(id, _)| *id != in_progress.id) => {
                // Cancels the job of the previous stroke.
                self.job = None;
                self.stepped_secs = f64::NEG_INFINITY;
                let pen_down = self.held.take().filter(|_| is_busy).unwrap_or_else(|| current.clone());
                self.held = Some(pen_down.clone());
                self.pen_down = Some((in_progress.id, pen_down));
            }
            Some(_) => {}
            None => {
                (self.pen_down, self.drawn) = (None, None);
                if !is_busy {
                    self.held = None;
                }
            }
        }
    }

    fn poll(&mut self) -> Option<Error> {
        let (_, job) = self.job.as_mut()?;
        let answer = job.poll()?;
        let (request, _) = self.job.take()?;
        let answer = answer.and_then(|(sound, drawn)| {
            self.drawn = drawn;
            sound
        });
        match answer {
            Ok(sound) => {
                if request.stroke.is_some() {
                    self.held = Some(sound.snapshot.clone());
                }
                (self.granted, self.refused) = (Some((request, sound)), None);
                None
            }
            Err(error) => {
                tracing::warn!(%error, "audition");
                // Errors of a stroke are reported when its edit is applied.
                let is_reported = request.stroke.is_none();
                self.refused = Some(request);
                is_reported.then_some(error)
            }
        }
    }

    fn request(&self, document: &OpenDocument, in_progress: Option<StrokeInProgress<'_>>) -> AuditionRequest {
        let (base, stroke) = match (in_progress, &self.pen_down) {
            _ if document.shows_before() => (document.shown().clone(), None),
            (Some(in_progress), Some((id, pen_down))) => (pen_down.clone(), Some((*id, in_progress.n_points()))),
            _ => (self.held.clone().unwrap_or_else(|| document.shown().clone()), None),
        };
        let less = match (self.hearing, document.selection()) {
            (Hearing::Delta, _) if !document.shows_before() => Subtracted::Snapshot(match (stroke, &self.held) {
                (Some(_), _) => base.clone(),
                (None, Some(_)) => document.history().current().clone(),
                (None, None) => compared(document)[0].clone(),
            }),
            (Hearing::Band, Some(selection)) => {
                Subtracted::Selection(selection.clone(), document.view().transform.clone())
            }
            _ => Subtracted::Nothing,
        };
        AuditionRequest { base, stroke, less }
    }

    fn is_small_enough(&mut self, document: &OpenDocument, in_progress: StrokeInProgress<'_>) -> bool {
        let (current, edit) = (document.history().current(), in_progress.edit);
        let grid = grid_of(current, &edit.transform);
        let selected = || mask::bounds(&grid, None, edit.select.as_ref());
        let n_cells = match (&edit.brush, &edit.stroke) {
            (Brush::Paste(paste), _) => grid.n_frames_in_samples(paste.clip.n_samples()) * grid.n_bins(),
            // Rendered as samples, without cells.
            (Brush::Voices(VoicesBrush::Phrase(phrase)), _) if edit.select.is_none() => {
                let n_samples = (phrase.length_secs() * grid.sample_rate_hz) as usize;
                return n_samples.saturating_mul(current.n_channels()) <= MAX_LIVE_SAMPLES;
            }
            (Brush::Picture(picture), None) => picture.area.cells(&grid).n_cells(),
            (_, Some(stroke)) => self.reach.follow(in_progress.id, &grid, stroke).intersect(&selected()).n_cells(),
            (_, None) => selected().n_cells(),
        };
        n_cells.saturating_mul(current.n_channels()) <= MAX_LIVE_CELLS
    }

    /// Whether a request differs from the sounds that are playing or being computed, and from the last one that failed.
    /// False while a job for the same stroke runs, which is left to finish.
    fn is_changed(&self, request: &AuditionRequest) -> bool {
        if request.stroke.is_some() && self.job.as_ref().is_some_and(|(under_way, _)| under_way.stroke.is_some()) {
            return false;
        }
        let known = [
            self.granted.as_ref().map(|(granted, _)| granted),
            self.job.as_ref().map(|(under_way, _)| under_way),
            self.refused.as_ref(),
        ];
        known.into_iter().flatten().all(|known| !known.is_same(request))
    }

    fn is_time(&self, now_secs: f64) -> bool {
        !(0.0..MIN_STEP_SECS).contains(&(now_secs - self.stepped_secs))
    }
}

/// The sounds before and after the current step of the history (at step 0, both are the opened file); with a preview,
/// the sounds without and with it.
pub fn compared(document: &OpenDocument) -> [&Snapshot; 2] {
    let history = document.history();
    match document.preview() {
        Some(preview) => [history.current(), preview.sound()],
        None => [&history.entries()[history.position().saturating_sub(1)].snapshot, history.current()],
    }
}

fn compute(
    request: &AuditionRequest,
    drawn: Option<StrokeSound>,
    news: Option<StrokeUpdate>,
    (engine, progress): (&Engine, &Progress),
    so_far: Option<&mut PartialResult<'_>>,
) -> (Result<Sound>, Option<StrokeSound>) {
    let (snapshot, drawn) = match (request.stroke, news) {
        (Some((id, _)), Some(news)) => StrokeSound::sound(drawn, (id, &request.base), news, engine, progress, so_far),
        _ => (Ok(request.base.clone()), drawn),
    };
    let sound = snapshot.and_then(|snapshot| {
        let less = less(request, &snapshot, engine, progress)?;
        Ok(Sound { snapshot, less, solo: None })
    });
    (sound, drawn)
}

/// The sound to subtract.
fn less(
    request: &AuditionRequest,
    snapshot: &Snapshot,
    engine: &Engine,
    progress: &Progress,
) -> Result<Option<Snapshot>> {
    let (selection, transform) = match &request.less {
        Subtracted::Nothing => return Ok(None),
        Subtracted::Snapshot(less) => return Ok(Some(less.clone())),
        Subtracted::Selection(selection, transform) => (selection, transform),
    };
    let erase = Edit {
        brush: Brush::Erase(Erase),
        stroke: None,
        select: Some(selection.clone()),
        channels: Channels::All,
        transform: transform.clone(),
        strength: 1.0,
        consistency_steps: Some(0),
    };
    Ok(Some(apply_live(snapshot, &erase, engine, progress)?.snapshot))
}
