//! Find similar: moves the selection to the next similar place. Once all places are counted, a notice shows the number
//! of the place and the total.

use crate::base::{Progress, number};
use crate::bench::context::{Concern, Context};
use crate::bench::notices::Severity;
use crate::bench::orders::JobTarget;
use crate::bench::work::JobStatus;
use crate::documents::{OpenDocument, show_secs};
use crate::dsp::Selection;
use crate::dsp::selections::find::AlikeMethod;
use crate::services::{JobQueue, Latest};
use crate::view::{Found, PatternSearch, Plans};

/// The search for similar places, and its last result.
#[derive(Default)]
pub struct Similar {
    /// Queued steps: the document, and whether to step to the next place rather than the previous one. Each starts from
    /// the result of the step before.
    steps: JobQueue<(u64, bool), Option<Found>, MatchStep>,
    /// The last match. Its pattern remains the original selection while the user steps from match to match.
    last: Option<LastMatch>,
    /// Offsets of all places from the pattern, in seconds; their number is the total in the notice.
    counts: Latest<PatternSearch, Vec<f64>>,
    /// Time at which counting began.
    since_secs: f64,
    plans: Plans,
}

struct LastMatch {
    document: u64,
    pattern: PatternSearch,
    found: Selection,
    /// Similarity from 0 to 1; `None` once it has been reported.
    alike: Option<f64>,
}

struct MatchStep {
    pattern: PatternSearch,
    is_next: bool,
    target: JobTarget,
}

impl Concern for Similar {
    /// Takes results, and starts the next step.
    fn advance(&mut self, context: &mut Context) {
        if self.last.as_ref().is_some_and(|last| context.documents.get(last.document).is_none()) {
            // Releases the sound of a closed document.
            self.last = None;
            self.counts.clear();
        }
        self.take_found(context);
        self.start_next(context);
        self.counts.poll();
        self.notify_last_match(context);
    }

    fn work(&self, _: &Context) -> Option<JobStatus> {
        let counting = |part| JobStatus { name: "Counting similar sounds", part, since_secs: self.since_secs };
        let finding = JobStatus::of(&self.steps, |step| step.target.name());
        finding.or_else(|| self.counts.fraction().map(counting))
    }

    fn is_busy(&self, _: &Context) -> bool {
        self.steps.is_busy() || self.counts.is_busy()
    }

    fn cancel(&mut self, _: &mut Context) -> bool {
        if let Some(last) = &mut self.last {
            last.alike = None;
        }
        self.steps.clear() | self.counts.cancel()
    }
}

/// The search in a document's displayed sound and channels for places similar to the selection `origin`.
pub(super) fn pattern_search(document: &OpenDocument, origin: Selection, sensitivity: f64) -> PatternSearch {
    PatternSearch {
        snapshot: document.shown().clone(),
        transform: document.view().transform.clone(),
        channels: document.view().channels,
        origin,
        min_alike: AlikeMethod::Likeness.similarity() + 0.4 * (0.5 - sensitivity),
    }
}

fn start_secs(selection: &Selection) -> Option<f64> {
    selection.extent()[0].map(|[start, _]| start)
}

impl Similar {
    /// A search without results, which uses the transform plans of an engine.
    pub fn with(plans: &Plans) -> Similar {
        Similar { plans: plans.clone(), ..Similar::default() }
    }

    /// Queues a step to the next or previous place that is similar to the selection.
    pub fn find(&mut self, is_next: bool, context: &mut Context) {
        let Some(id) = context.documents.active_id() else { return };
        self.steps.push((id, is_next));
        self.start_next(context);
    }

    fn start_next(&mut self, context: &mut Context) {
        let Some((id, is_next)) = self.steps.take_next() else { return };
        let Some(document) = context.documents.get(id) else { return };
        let Some(current) = document.selection().cloned() else { return };
        let follows = |last: &&LastMatch| last.document == document.id() && last.found == current;
        let origin =
            self.last.as_ref().filter(follows).map_or_else(|| current.clone(), |last| last.pattern.origin.clone());
        let (Some(from), Some(here)) = (start_secs(&origin), start_secs(&current)) else {
            let advice = Some("Select one example with a box or another shape.");
            return context.notify(Severity::Info, "A band has no position in time.", advice);
        };
        let pattern = pattern_search(document, origin, context.tools.settings().find_sensitivity);
        let (theirs, plans) = (pattern.clone(), self.plans.clone());
        let job = context.jobs.spawn("similar", move |progress| theirs.nearest(here - from, is_next, &plans, progress));
        let target = JobTarget::of("Finding similar sound", document).with_selection(document);
        self.steps.run(MatchStep { pattern, is_next, target }, job, context.now_secs());
    }

    fn take_found(&mut self, context: &mut Context) {
        let Some((step, answer)) = self.steps.take_answer() else { return };
        match answer.map(|found| (found, step.target.find(&mut context.documents))) {
            Ok((Some(found), Ok(document))) => {
                document.set_cursor(start_secs(&found.selection).unwrap_or(0.0).max(0.0));
                show_secs(document, found.selection.extent()[0]);
                document.select(Some(found.selection.clone()));
                let (pattern, alike) = (step.pattern, Some(found.alike));
                return self.last = Some(LastMatch { document: document.id(), pattern, found: found.selection, alike });
            }
            Ok((None, Ok(_))) => {
                let what =
                    if step.is_next { "No similar sound comes later." } else { "No similar sound comes earlier." };
                context.notify(Severity::Info, what, None);
            }
            Ok((_, Err(report))) => context.report(Some(report)),
            Err(error) => context.fail("find similar sound", &error),
        }
        self.steps.clear_waiting();
    }

    /// Notifies the user of the last match's similarity, and of its number among all places once they are counted.
    fn notify_last_match(&mut self, context: &mut Context) {
        let Some(last) = &mut self.last else { return };
        let Some(alike) = last.alike else { return };
        let selected = context.documents.get(last.document).and_then(OpenDocument::selection);
        if selected != Some(&last.found) {
            last.alike = None;
            return;
        }
        let plans = self.plans.clone();
        let count = move |of: &PatternSearch, progress: &Progress| of.all_away_secs(&plans, progress);
        if self.counts.ask(&last.pattern, &context.jobs, "similar", count) {
            self.since_secs = context.now_secs();
        }
        let places = match (self.counts.answer_to(&last.pattern), self.counts.error_to(&last.pattern)) {
            (Some(places), _) => places.as_slice(),
            // Counting failed: only the similarity is reported.
            (None, Some(_)) => &[],
            (None, None) => return,
        };
        last.alike = None;
        let away_secs = start_secs(&last.found).zip(start_secs(&last.pattern.origin)).map(|(at, from)| at - from);
        let what = words(alike, away_secs.unwrap_or(0.0), places);
        context.notices.replace_notice(context.now_secs(), what);
    }
}

/// Text such as `2 of 5, 87 % similar.` for the match that is `away_secs` after the pattern.
fn words(alike: f64, away_secs: f64, places: &[f64]) -> String {
    let percent = number((alike * 100.0).floor(), 0);
    let apart = |at: &usize| (places[*at] - away_secs).abs();
    match (0..places.len()).min_by(|a, b| apart(a).total_cmp(&apart(b))) {
        Some(at) => format!("{} of {}, {percent} % similar.", at + 1, places.len()),
        None => format!("{percent} % similar."),
    }
}
