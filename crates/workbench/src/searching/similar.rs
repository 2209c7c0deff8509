//! Find similar: the selection moves to the next place that looks like what it holds, which is the third of five, say, once
//! all of them are counted.

use super::order::{Answer, Order, Target};
use crate::base::number;
use crate::context::{Concern, Context};
use crate::documents::{OpenDocument, show_secs};
use crate::dsp::Selection;
use crate::notices::Severity;
use crate::services::Job;
use crate::view::{Found, Plans, Sought};
use crate::work::JobStatus;
use std::collections::VecDeque;

/// What is looked for, and what was found last.
#[derive(Default)]
pub struct Similar {
    running: Option<Running>,
    /// Steps to take after it, as often as the command was given: to the next, or to the one before.
    waiting: VecDeque<(u64, bool)>,
    /// The pattern stays the first one while the user goes from match to match.
    last: Option<Last>,
    counting: Option<Counting>,
    /// How far behind the pattern each place is, in seconds; empty where they could not be counted.
    counted: Option<(Sought, Vec<f64>)>,
    plans: Plans,
}

struct Last {
    document: u64,
    sought: Sought,
    found: Selection,
    /// How alike it is, until that is told.
    alike: Option<f64>,
}

struct Running {
    sought: Sought,
    is_next: bool,
    order: Order<Option<Found>>,
}

struct Counting {
    sought: Sought,
    since_secs: f64,
    job: Job<Vec<f64>>,
}

impl Concern for Similar {
    /// Takes the answers, and the next step after them.
    fn advance(&mut self, context: &mut Context) {
        if self.last.as_ref().is_some_and(|last| context.documents.get(last.document).is_none()) {
            // Its sound is not held any longer.
            (self.last, self.counting, self.counted) = (None, None, None);
        }
        self.take_count();
        self.take_found(context);
        self.tell_last(context);
    }

    fn work(&self, _: &Context) -> Option<JobStatus> {
        let counting = |counting: &Counting| JobStatus {
            name: "Counting similar sounds",
            part: counting.job.progress().fraction(),
            since_secs: counting.since_secs,
        };
        let finding = self.running.as_ref().map(|finding| finding.order.work());
        finding.or(self.counting.as_ref().map(counting))
    }

    fn is_busy(&self, _: &Context) -> bool {
        self.running.is_some() || !self.waiting.is_empty() || self.counting.is_some()
    }

    fn cancel(&mut self, _: &mut Context) -> bool {
        self.waiting.clear();
        if let Some(last) = &mut self.last {
            last.alike = None;
        }
        self.running.take().is_some() | self.counting.take().is_some()
    }
}

fn start_secs(selection: &Selection) -> Option<f64> {
    selection.extent()[0].map(|[start, _]| start)
}

impl Similar {
    /// Nothing yet, with the plans of an engine.
    pub fn with(plans: &Plans) -> Similar {
        Similar { plans: plans.clone(), ..Similar::default() }
    }

    /// Looks for the next place that is like what is selected, or the one before.
    pub fn find(&mut self, is_next: bool, context: &mut Context) {
        let Some(id) = context.documents.active_id() else { return };
        if self.running.is_some() {
            return self.waiting.push_back((id, is_next));
        }
        self.find_in(id, is_next, context);
    }

    fn find_in(&mut self, id: u64, is_next: bool, context: &mut Context) {
        let Some(document) = context.documents.get(id) else { return };
        let Some(current) = document.selection().cloned() else { return };
        let follows = |last: &&Last| last.document == document.id() && last.found == current;
        let origin =
            self.last.as_ref().filter(follows).map_or_else(|| current.clone(), |last| last.sought.origin.clone());
        let (Some(from), Some(here)) = (start_secs(&origin), start_secs(&current)) else {
            let advice = Some("Select one example with a box or another shape.");
            return context.tell(Severity::Info, "A band has no position in time.", advice);
        };
        let sought = Sought {
            snapshot: document.shown().clone(),
            transform: document.view().transform.clone(),
            channels: document.view().channels,
            origin,
        };
        let (theirs, plans) = (sought.clone(), self.plans.clone());
        let job = context.jobs.spawn("similar", move |progress| theirs.nearest(here - from, is_next, &plans, progress));
        let order = Order::new("Finding similar sound", Target::of(document), context.now_secs(), job);
        self.running = Some(Running { sought, is_next, order });
    }

    fn take_found(&mut self, context: &mut Context) {
        let Some(finding) = &mut self.running else { return };
        let Some(answer) = finding.order.poll(&mut context.documents) else { return };
        let Some(finding) = self.running.take() else { return };
        match answer {
            Ok(Answer::Applies(document, Some(found))) => {
                let secs = start_secs(&found.selection).unwrap_or(0.0).max(0.0);
                document.set_cursor(secs);
                show_secs(document, found.selection.extent()[0]);
                document.select(Some(found.selection.clone()));
                self.last = Some(Last {
                    document: document.id(),
                    sought: finding.sought,
                    found: found.selection,
                    alike: Some(found.alike),
                });
                if let Some((id, is_next)) = self.waiting.pop_front() {
                    self.find_in(id, is_next, context);
                }
                return;
            }
            Ok(Answer::Applies(_, None)) => {
                let what =
                    if finding.is_next { "No similar sound comes later." } else { "No similar sound comes earlier." };
                context.tell(Severity::Info, what, None);
            }
            Ok(Answer::TooLate(_, told)) => context.report(Some(told)),
            Err(error) => context.fail("find similar sound", &error),
        }
        self.waiting.clear();
    }

    fn take_count(&mut self) {
        let Some(answer) = self.counting.as_mut().and_then(|counting| counting.job.poll()) else { return };
        let Some(Counting { sought, .. }) = self.counting.take() else { return };
        let places = answer.unwrap_or_else(|error| {
            tracing::warn!(%error, "similar sounds were not counted");
            Vec::new()
        });
        self.counted = Some((sought, places));
    }

    /// Says of the place that was found last how alike it is, and which of all; counts those first where that is not done.
    fn tell_last(&mut self, context: &mut Context) {
        let Some(last) = &mut self.last else { return };
        let Some(alike) = last.alike else { return };
        let selected = context.documents.get(last.document).and_then(OpenDocument::selection);
        if selected != Some(&last.found) {
            last.alike = None;
            return;
        }
        if let Some((_, places)) = self.counted.as_ref().filter(|(sought, _)| sought.is_same(&last.sought)) {
            last.alike = None;
            let away_secs = start_secs(&last.found).zip(start_secs(&last.sought.origin)).map(|(at, from)| at - from);
            let what = words(alike, away_secs.unwrap_or(0.0), places);
            context.notices.tell_instead(context.now_secs(), what);
        } else if self.counting.as_ref().is_none_or(|counting| !counting.sought.is_same(&last.sought)) {
            let (sought, plans) = (last.sought.clone(), self.plans.clone());
            let theirs = sought.clone();
            let job = context.jobs.spawn("similar", move |progress| theirs.all_away_secs(&plans, progress));
            self.counting = Some(Counting { sought, since_secs: context.now_secs(), job });
        }
    }
}

/// `2 of 5, 87 % similar.`, of the place so many seconds behind the pattern.
fn words(alike: f64, away_secs: f64, places: &[f64]) -> String {
    let percent = number((alike * 100.0).floor(), 0);
    let apart = |at: &usize| (places[*at] - away_secs).abs();
    match (0..places.len()).min_by(|a, b| apart(a).total_cmp(&apart(b))) {
        Some(at) => format!("{} of {}, {percent} % similar.", at + 1, places.len()),
        None => format!("{percent} % similar."),
    }
}
