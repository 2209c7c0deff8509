//! Searches that run as jobs. Clicks, hum, clipping and similar sounds become the selection, so that the user sees them
//! before editing. Other jobs learn a noise profile, measure a timbre, or list damage and notes.

use super::damage::list_damage;
use super::note_labels::label_notes;
use super::pattern::pattern_search;
use super::places::{SIMILAR, places_found};
use crate::base::{Error, Progress, Result, length_from_secs, number};
use crate::bench::context::{Concern, Context};
use crate::bench::orders::JobTarget;
use crate::bench::work::{JobStatus, OrderReport};
use crate::commands::Seek;
use crate::document::labels::Label;
use crate::document::{
    HumSearch, ToneAt, find_damage, find_hum, find_notes, learn_noise, resolve, selected_times, take_timbre,
};
use crate::documents::{FoundDamage, OpenDocument};
use crate::dsp::repair::hum::HumFigures;
use crate::dsp::selections::find::{AlikeMethod, ClickMethod, Find};
use crate::dsp::voices::Timbre;
use crate::dsp::{Axis, Combine, NoiseProfile, Selection, Shape, ShapeExtent};
use crate::engine::Plans;
use crate::services::JobQueue;
use crate::settings::preferences::Panel;
use crate::view::PatternSearch;
use std::sync::Arc;

/// Minimum drift of a hum's fundamental that is reported; smaller values are within the error of measurement.
const MIN_DRIFT_HZ: f64 = 0.02;

/// Performs searches in order, one at a time. A search replaces an earlier one of the same kind. Learning noise is not
/// affected by later changes of the selection.
#[derive(Default)]
pub struct FindJobs {
    queue: JobQueue<Waiting, FindResult, (FindGoal, JobTarget)>,
    plans: Plans,
}

/// The kind of a search; a new one replaces earlier ones of the same kind, except for noise and timbre.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum FindGoal {
    Noise,
    Timbre,
    Shape,
    Damage,
    Notes,
}

/// A queued search, with the sound and range at the time of its command.
struct Waiting {
    goal: FindGoal,
    target: JobTarget,
    find: FindWork,
}

type FindWork = Box<dyn FnOnce(&Progress) -> Result<FindResult> + Send>;

enum FindResult {
    /// A profile, the length of its source in seconds, and the name of the document.
    Noise(Arc<NoiseProfile>, f64, String),
    Timbre(Box<Timbre>),
    Shape(Find, Shape),
    /// A mask of the fraction of speech in each cell.
    SpeechCells(Shape),
    /// `None` if there is no hum.
    Hum(Option<HumFigures>),
    Damage(Box<FoundDamage>),
    /// Notes found, and the selected range at the time of the command.
    Notes(Vec<Label>, Option<[f64; 2]>),
}

/// Name of the damage search in the status line.
const DAMAGE: &str = "Finding damage";
/// Name of the search for notes in the status line.
const NOTES: &str = "Finding notes";

/// Name of a search in the status line.
fn name_of(seek: Seek) -> &'static str {
    match seek {
        Seek::Clicks => "Finding clicks",
        Seek::Hum => "Finding hum",
        Seek::Clipping => "Finding clipping",
        Seek::Alike => "Finding more like this",
        Seek::Speech => "Finding speech",
        Seek::Pauses => "Finding pauses",
        Seek::SpeechCells => "Selecting speech",
    }
}

/// The parameters of a search, for a sensitivity of 0 to 1; 0.5 gives the defaults. `None` for [`Alike`](Seek::Alike)
/// without a selection.
fn find_of(seek: Seek, document: &OpenDocument, sensitivity: f64) -> Option<Find> {
    let off = 0.5 - sensitivity;
    Some(match seek {
        Seek::Clicks => Find::Clicks { threshold: 10.0 * (2.0 * off).exp2(), method: ClickMethod::Repair },
        Seek::Hum => Find::Hum { f0_hz: [45.0, 65.0], count: 32, width_hz: 12.0, prominence_db: 9.0 + 8.0 * off },
        Seek::Clipping => Find::Clipping { level: 1.0 - 0.005 * (-4.0 * off).exp2() },
        Seek::Speech => Find::Speech,
        Seek::Pauses => Find::Pauses,
        Seek::SpeechCells => Find::SpeechCells,
        Seek::Alike => {
            document.selection()?;
            let secs = document.selected_secs()?;
            let method = AlikeMethod::Likeness;
            Find::Alike { secs, hz: document.selected_hz(), similarity: method.similarity(), method }
        }
    })
}

/// A shape of all matches of a pattern, each with the shape of the pattern.
fn all_alike(pattern: &PatternSearch, plans: &Plans, progress: &Progress) -> Result<Shape> {
    let away_secs = pattern.all_away_secs(plans, progress)?;
    if away_secs.is_empty() {
        return Err(Error::outcome("the selection is outside the sound"));
    }
    let shapes = away_secs.into_iter().map(|away_secs| {
        let moved = pattern.origin.moved(away_secs, Axis::Linear, 0.0);
        let shape = match moved.shapes.as_slice() {
            [(_, shape)] => shape.clone(),
            _ => Shape::Group(moved),
        };
        (Combine::Add, shape)
    });
    Ok(Shape::Group(Selection { shapes: shapes.collect() }))
}

impl FindGoal {
    fn thread_name(self) -> &'static str {
        match self {
            FindGoal::Noise => "learn",
            FindGoal::Timbre => "timbre",
            FindGoal::Shape => "find",
            FindGoal::Damage => "damage",
            FindGoal::Notes => "notes",
        }
    }

    /// Completes "Cannot ...".
    fn operation(self) -> &'static str {
        match self {
            FindGoal::Noise => "learn the noise",
            FindGoal::Timbre => "take the timbre",
            FindGoal::Shape => "search",
            FindGoal::Damage => "find damage",
            FindGoal::Notes => "find notes",
        }
    }
}

impl Concern for FindJobs {
    /// Takes the result of the current job, and starts the next. Search results are selected unless the selection has
    /// changed since the command; learnt noise and timbres are always taken.
    fn advance(&mut self, context: &mut Context) {
        if let Some(((goal, target), answer)) = self.queue.take_answer() {
            match answer.and_then(|found| take(found, &target, context)) {
                Ok((report, is_listed)) => {
                    if is_listed {
                        context.remembered.layout.show(Panel::Labels);
                    }
                    context.report(Some(report));
                }
                Err(error) => context.fail(goal.operation(), &error),
            }
            self.start_next(context);
        }
        context.tools.set_learning(self.is_learning());
    }

    fn work(&self, _: &Context) -> Option<JobStatus> {
        JobStatus::of(&self.queue, |(_, target)| target.name())
    }

    fn is_busy(&self, _: &Context) -> bool {
        self.queue.is_busy()
    }

    fn cancel(&mut self, _: &mut Context) -> bool {
        self.queue.clear()
    }
}

/// Takes a result. Returns its notice, and whether the Labels panel should be shown since it lists the result.
///
/// # Errors
/// [`Limit`](crate::base::ErrorKind::Limit) for more labels than a sound may have.
fn take(found: FindResult, target: &JobTarget, context: &mut Context) -> Result<(OrderReport, bool)> {
    let before = target.selection();
    Ok(match (found, target.find(&mut context.documents)) {
        (FindResult::Noise(profile, secs, name), _) => {
            context.tools.learn(profile, format!("{} of {name}", length_from_secs(secs, 2)));
            (learnt(secs), false)
        }
        (FindResult::Timbre(timbre), _) => {
            let report = taken(&timbre);
            context.tools.change(|settings| settings.take_timbre(*timbre));
            (report, false)
        }
        (_, Err(report)) => (report, false),
        // A mask is not listed, as it has no separate places.
        (FindResult::SpeechCells(shape), Ok(document)) => (speech_report(document, shape, range_of(before)), false),
        (FindResult::Shape(find, shape), Ok(document)) => listed(found_report(document, &find, shape, before)),
        (FindResult::Hum(hum), Ok(document)) => listed(hum_report(document, hum.as_ref(), before)),
        (FindResult::Damage(damage), Ok(document)) => {
            let has_damage = !damage.rows().is_empty();
            (list_damage(*damage, document), has_damage)
        }
        (FindResult::Notes(labels, within_secs), Ok(document)) => listed(label_notes(labels, within_secs, document)?),
    })
}

/// A notice; if it is a success, the Labels panel lists its result.
fn listed(report: OrderReport) -> (OrderReport, bool) {
    let is_listed = report.is_success;
    (report, is_listed)
}

fn learnt(secs: f64) -> OrderReport {
    OrderReport {
        is_success: true,
        what: format!("Noise learnt from {}.", length_from_secs(secs, 2)),
        advice: "Remove it with the denoise brush, or use Reduce noise on a selection or the whole file.",
    }
}

fn taken(timbre: &Timbre) -> OrderReport {
    let f0_hz = timbre.measured.as_ref().map_or(0.0, |measured| measured.f0_hz());
    OrderReport {
        is_success: true,
        what: format!("Timbre taken from a tone at {} Hz: {} partials.", number(f0_hz, 1), timbre.n_partials()),
        advice: "Draw notes in it with the voice brush.",
    }
}

/// The longest selected range of time in seconds; for damaged moments, from the first to the last.
fn longest_secs(document: &OpenDocument, selection: &Selection) -> Option<[f64; 2]> {
    let all = document.selected_secs();
    if selection.has_moments() {
        return all;
    }
    let [first, last] = all?;
    let within = |[start, end]: [f64; 2]| [start.max(first), end.min(last)];
    let times = selected_times(selection).into_iter().map(within);
    times.max_by(|a, b| (a[1] - a[0]).total_cmp(&(b[1] - b[0])))
}

impl FindJobs {
    /// Without jobs; uses the transform plans of an engine.
    pub fn with(plans: &Plans) -> FindJobs {
        FindJobs { plans: plans.clone(), ..FindJobs::default() }
    }

    /// Whether learning noise is in progress or queued.
    pub fn is_learning(&self) -> bool {
        let goals = self.queue.running().map(|(goal, _)| *goal);
        goals.chain(self.queue.waiting().map(|waiting| waiting.goal)).any(|goal| goal == FindGoal::Noise)
    }

    /// Learns the noise of the selection; notifies the user if there is none.
    pub fn learn(&mut self, context: &mut Context) {
        let Some(document) = context.documents.active() else { return };
        let Some(secs) = document.selection().and_then(|selection| longest_secs(document, selection)) else {
            return context.report(Some(OrderReport {
                is_success: false,
                what: "Select a passage of noise alone.".into(),
                advice: "Half a second is enough; then choose Learn noise again.",
            }));
        };
        let (snapshot, transform, plans) =
            (document.without_preview().clone(), document.view().transform.clone(), self.plans.clone());
        let (hz, name) = (document.selected_hz(), document.name());
        self.give(FindGoal::Noise, "Learning the noise", context, move |progress| {
            let profile = learn_noise(&snapshot, secs, hz, transform, &plans, progress)?;
            Ok(FindResult::Noise(Arc::new(profile), secs[1] - secs[0], name))
        });
    }

    /// Measures the timbre of the selected tone. Its fundamental is that of selected harmonics, else it is detected in
    /// the selected band.
    pub fn take_timbre(&mut self, context: &Context) {
        let Some(document) = context.documents.active() else { return };
        let Some(selection) = document.selection() else { return };
        let f0_hz = selection.shapes.iter().find_map(|(_, shape)| match shape {
            Shape::Harmonics { f0_hz, .. } => Some(*f0_hz),
            _ => None,
        });
        let secs = document.selected_secs().unwrap_or([0.0, document.duration_secs()]);
        let tone = ToneAt { secs, hz: document.selected_hz(), f0_hz };
        let (snapshot, channels) = (document.shown().clone(), document.view().channels.edited());
        self.give(FindGoal::Timbre, "Measuring the timbre", context, move |progress| {
            take_timbre(&snapshot, tone, &channels, progress).map(|timbre| FindResult::Timbre(Box::new(timbre)))
        });
    }

    /// Searches the whole edited sound for damage, regardless of the selection.
    pub fn search_damage(&mut self, context: &mut Context) {
        let Some(document) = context.documents.active() else { return };
        let history = document.history();
        let Some(step) = history.entries().get(history.position()).cloned() else { return };
        let report = self.give_up(FindGoal::Damage, DAMAGE);
        self.give(FindGoal::Damage, DAMAGE, context, move |progress| {
            let rows = find_damage(&step.snapshot, progress)?;
            Ok(FindResult::Damage(Box::new(FoundDamage::new(step, rows))))
        });
        context.report(report);
    }

    /// Finds notes and labels those that begin within the selected time, or all without a selection.
    pub fn search_notes(&mut self, context: &mut Context) {
        let Some(document) = context.documents.active() else { return };
        let report = self.give_up(FindGoal::Notes, NOTES);
        let (snapshot, channels) = (document.shown().clone(), document.view().channels.edited());
        let within_secs = document.selection().and_then(|_| document.selected_secs());
        self.give(FindGoal::Notes, NOTES, context, move |progress| {
            Ok(FindResult::Notes(find_notes(&snapshot, &channels, progress)?.labels(), within_secs))
        });
        context.report(report);
    }

    /// Starts a search: within a selected range, band or box, else in the whole file.
    pub fn seek(&mut self, seek: Seek, context: &mut Context) {
        let Some(document) = context.documents.active() else { return };
        let sensitivity = context.tools.settings().find_sensitivity;
        let Some(find) = find_of(seek, document, sensitivity) else {
            return context.report(Some(OrderReport {
                is_success: false,
                what: "First select an example of what to find.".into(),
                advice: "A box around it works best.",
            }));
        };
        let report = self.give_up(FindGoal::Shape, name_of(seek));
        let (snapshot, transform, plans) =
            (document.shown().clone(), document.view().transform.clone(), self.plans.clone());
        let channels = document.view().channels.edited();
        let range = range_of(document.selection()).and_then(|range| range.extent()[0]);
        let pattern = document.selection().map(|origin| pattern_search(document, origin.clone(), sensitivity));
        self.give(FindGoal::Shape, name_of(seek), context, move |progress| {
            if seek == Seek::Hum {
                return find_hum(&snapshot, range, &channels, &hum_search(sensitivity), progress).map(FindResult::Hum);
            }
            if let (Find::Alike { .. }, Some(pattern)) = (&find, &pattern) {
                let shape = all_alike(pattern, &plans, progress)?;
                return Ok(FindResult::Shape(find, shape));
            }
            let wanted = Selection::of(Shape::Find(find.clone()));
            let mut found = resolve(&snapshot, &wanted, transform, &channels, &plans, progress)?;
            let shape = found.shapes.pop().map_or(Shape::ALL, |(_, shape)| shape);
            Ok(if seek == Seek::SpeechCells { FindResult::SpeechCells(shape) } else { FindResult::Shape(find, shape) })
        });
        context.report(report);
    }

    /// Cancels earlier searches of the same kind, whose result would be replaced. Returns a notice if there were any.
    fn give_up(&mut self, wanted: FindGoal, name: &str) -> Option<OrderReport> {
        let is_stopped = self.queue.drop_waiting(|waiting| waiting.goal == wanted)
            | !self.queue.drop_running(|(goal, _)| *goal == wanted).is_empty();
        is_stopped.then(|| OrderReport {
            is_success: true,
            what: format!("{name} instead of the previous search."),
            advice: "",
        })
    }

    fn give(
        &mut self,
        goal: FindGoal,
        name: &'static str,
        context: &Context,
        find: impl FnOnce(&Progress) -> Result<FindResult> + Send + 'static,
    ) {
        let Some(document) = context.documents.active() else { return };
        let target = match goal {
            FindGoal::Shape => JobTarget::of(name, document).with_selection(document),
            FindGoal::Noise | FindGoal::Timbre | FindGoal::Damage | FindGoal::Notes => JobTarget::of(name, document),
        };
        self.queue.push(Waiting { goal, target, find: Box::new(find) });
        self.start_next(context);
    }

    fn start_next(&mut self, context: &Context) {
        let Some(Waiting { goal, target, find }) = self.queue.take_next() else { return };
        let job = context.jobs.spawn(goal.thread_name(), find);
        self.queue.run((goal, target), job, context.now_secs());
    }
}

/// The selection as the range of a search: only a single range, band or box limits it, earlier search results do not.
fn range_of(selection: Option<&Selection>) -> Option<&Selection> {
    selection.filter(|selection| matches!(selection.shapes[..], [(_, Shape::Rectangle { .. })]))
}

/// The hum search for a sensitivity of 0 to 1; 0.5 gives the defaults.
fn hum_search(sensitivity: f64) -> HumSearch {
    HumSearch { min_gain: HumSearch::MIN_GAIN * (4.0 * (0.5 - sensitivity)).exp2(), ..HumSearch::DEFAULT }
}

/// Selects the harmonics of a hum, and returns a notice that describes it.
fn hum_report(document: &mut OpenDocument, hum: Option<&HumFigures>, before: Option<&Selection>) -> OrderReport {
    let range = range_of(before);
    let Some(hum) = hum else {
        let secs =
            range.and_then(|range| range.extent()[0]).map_or(document.duration_secs(), |[start, end]| end - start);
        let advice = match secs < HumSearch::MIN_SECS {
            true => "Less than 2 s of sound cannot tell a hum from a note: select more.",
            false => "Raise Find sensitivity in the box tool's options to find more.",
        };
        return OrderReport { is_success: false, what: "No hum found.".into(), advice };
    };
    let lines = hum.bands_hz().map(|hz| {
        let band = Shape::Rectangle { secs: None, hz: Some(hz), feather: [0.0; 2], axis: Axis::Linear };
        (Combine::Add, band)
    });
    let lines = Shape::Group(Selection { shapes: lines.collect() });
    let found = match range {
        Some(range) => Selection::joined(Some(range), Combine::Intersect, lines),
        None => Some(Selection::of(lines)),
    };
    document.select_found(found, "hum line");
    let harmonics = match hum.multiples.len() {
        1 => "1 harmonic".into(),
        n => format!("{n} harmonics"),
    };
    let drift = match hum.drift_hz >= MIN_DRIFT_HZ {
        true => format!(", drifting by {} Hz", number(hum.drift_hz, 2)),
        false => String::new(),
    };
    let what = format!("Hum at {} Hz with {harmonics} found and selected{drift}.", number(hum.f0_hz, 2));
    OrderReport { is_success: true, what, advice: "Remove hum (Edit menu) subtracts it and keeps everything else." }
}

/// Selects a mask of speech, within `range` if given, and returns a notice.
fn speech_report(document: &mut OpenDocument, shape: Shape, range: Option<&Selection>) -> OrderReport {
    if !matches!(shape, Shape::Group(_)) {
        return OrderReport { is_success: false, what: "No speech found.".into(), advice: "" };
    }
    let selection = match range {
        Some(range) => Selection::joined(Some(range), Combine::Intersect, shape),
        None => Some(Selection::of(shape)),
    };
    document.select(selection);
    let advice = "Brushes reach each cell as far as it is speech; Ctrl+I selects the rest.";
    OrderReport { is_success: true, what: "Speech selected.".into(), advice }
}

/// Selects the places found, and returns a notice with their number.
fn found_report(document: &mut OpenDocument, find: &Find, shape: Shape, before: Option<&Selection>) -> OrderReport {
    let range = range_of(before).filter(|_| !matches!(find, Find::Alike { .. }));
    let where_to = range.map_or([None, None], |range| range.extent());
    let is_within = |extent: &&ShapeExtent| {
        extent.iter().zip(where_to).all(|(own, allowed)| match (own, allowed) {
            (Some(own), Some(allowed)) => own[0] <= allowed[1] && own[1] >= allowed[0],
            _ => true,
        })
    };
    let is_something = |extent: &&ShapeExtent| extent[0].is_none_or(|[_, end]| end > 0.0);
    let ranges: Vec<ShapeExtent> = match &shape {
        Shape::Group(group) => group.shapes.iter().map(|(_, shape)| shape.extent()).collect(),
        Shape::Moments(moments) => moments.runs.iter().map(|secs| [Some(*secs), None]).collect(),
        single => vec![single.extent()],
    };
    let n = ranges.iter().filter(|extent| is_something(extent) && is_within(extent)).count();
    let (one, next) = match find {
        Find::Clicks { .. } => (
            "click",
            "Tab steps through them. Ctrl+H heals them: only the damaged samples are predicted from those around them.",
        ),
        Find::Clipping { .. } => {
            ("clipped peak", "Tab steps through them. Ctrl+H predicts the clipped samples from those around them.")
        }
        Find::Alike { .. } => {
            (SIMILAR, "Tab steps through them: check them, then heal them (Ctrl+H) or erase them (Delete).")
        }
        Find::Speech => ("speech passage", "Tab steps through them. Isolate speech (Edit menu) removes the rest."),
        Find::Pauses => {
            ("pause", "Tab steps through them. Learn noise (Ctrl+Shift+L) learns the noise of the longest.")
        }
        // These have reports of their own: `hum_report` and `speech_report`.
        Find::Hum { .. } | Find::SpeechCells => ("place", ""),
    };
    if n <= usize::from(one == SIMILAR) {
        let (what, advice) = match find {
            Find::Speech => ("No speech found.".into(), ""),
            Find::Pauses => ("No pauses found.".into(), ""),
            _ => (format!("No {one}s found."), "Raise Find sensitivity in the box tool's options to find more."),
        };
        return OrderReport { is_success: false, what, advice };
    }
    let what = format!("{} found and selected.", places_found(n, one));
    let selection = match range {
        Some(range) => Selection::joined(Some(range), Combine::Intersect, shape),
        None => Some(Selection::of(shape)),
    };
    document.select_found(selection, one);
    OrderReport { is_success: true, what, advice: next }
}
