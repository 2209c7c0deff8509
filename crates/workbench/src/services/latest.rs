//! The result of a changing query, kept up to date by one job at a time.

use super::{Job, Jobs};
use crate::base::{Error, ErrorKind, Progress, Result};
use crate::document::Snapshot;
use crate::dsp::Transform;
use crate::view::{Colormap, ExtentQuery, LandmarkQuery, PatternSearch, Seen, SliceQuery};

/// A query that a job answers.
pub trait JobQuestion: Clone + Send + 'static {
    /// Whether both queries have the same result.
    fn is_same(&self, other: &Self) -> bool;
}

/// The latest result of a changing query `Q` with results `A`.
///
/// - Stale results: [`answer_to`](Latest::answer_to) returns a result only for its own query.
/// - Cancelling: a new query stops the job of the previous one ([`ask`](Latest::ask)), which then has no result.
/// - Errors: a failed query is not retried until it changes. The error is logged, once for consecutive failures.
/// - Escape: the owner calls [`cancel`](Latest::cancel).
pub struct Latest<Q, A> {
    known: Option<(Q, Result<A>)>,
    job: Option<(Q, Job<A>)>,
    /// Name of the last job, for the log.
    name: &'static str,
    has_news: bool,
}

impl<Q, A> Default for Latest<Q, A> {
    fn default() -> Latest<Q, A> {
        Latest { known: None, job: None, name: "", has_news: false }
    }
}

impl<Q: JobQuestion, A: Send + 'static> Latest<Q, A> {
    /// Call once a frame: takes the job's result, and starts a job unless the result of `question` is known. A job of
    /// another query is cancelled. Returns whether a job was started.
    pub fn ask(
        &mut self,
        question: &Q,
        jobs: &Jobs,
        name: &'static str,
        work: impl FnOnce(&Q, &Progress) -> Result<A> + Send + 'static,
    ) -> bool {
        if self.job.as_ref().is_some_and(|(of, _)| !of.is_same(question)) {
            self.job = None;
        }
        self.ask_in_turn(question, jobs, name, work)
    }

    /// As [`ask`](Latest::ask), but lets the job of another query finish first. For queries that may change every
    /// frame.
    pub fn ask_in_turn(
        &mut self,
        question: &Q,
        jobs: &Jobs,
        name: &'static str,
        work: impl FnOnce(&Q, &Progress) -> Result<A> + Send + 'static,
    ) -> bool {
        self.poll();
        let is_missing = self.job.is_none() && !self.known.as_ref().is_some_and(|(of, _)| of.is_same(question));
        if is_missing {
            let theirs = question.clone();
            self.name = name;
            self.job = Some((question.clone(), jobs.spawn(name, move |progress| work(&theirs, progress))));
        }
        is_missing
    }

    /// Takes the job's result, even if its query is outdated.
    pub fn poll(&mut self) {
        let Some(answer) = self.job.as_mut().and_then(|(_, job)| job.poll()) else { return };
        let had_failed = matches!(self.known, Some((_, Err(_))));
        if let Err(error) = &answer
            && error.kind() != ErrorKind::Cancelled
            && !had_failed
        {
            tracing::warn!(%error, question = self.name, "no answer");
        }
        self.known = self.job.take().map(|(of, _)| (of, answer));
        self.has_news = true;
    }

    /// Whether a result or an error arrived since the last call.
    pub fn take_news(&mut self) -> bool {
        self.poll();
        std::mem::take(&mut self.has_news)
    }

    /// The result of a query, once known; `None` also if its job failed.
    pub fn answer_to(&self, question: &Q) -> Option<&A> {
        self.known.as_ref().filter(|(of, _)| of.is_same(question)).and_then(|(_, answer)| answer.as_ref().ok())
    }

    /// The error of a query, if its job failed.
    pub fn error_to(&self, question: &Q) -> Option<&Error> {
        self.known.as_ref().filter(|(of, _)| of.is_same(question)).and_then(|(_, answer)| answer.as_ref().err())
    }

    /// Progress of the running job, 0 to 1.
    pub fn fraction(&self) -> Option<f32> {
        self.job.as_ref().map(|(_, job)| job.progress().fraction())
    }

    /// The last result with its query: that of the previous query until the new result is known.
    pub fn last(&self) -> Option<(&Q, &A)> {
        self.known.as_ref().and_then(|(of, answer)| Some((of, answer.as_ref().ok()?)))
    }

    /// Drops the last result unless it is that of `question`.
    pub fn forget_unless(&mut self, question: &Q) {
        self.known.take_if(|(of, _)| !of.is_same(question));
    }

    /// Cancels the job; false if there is none. Keeps the previous result.
    pub fn cancel(&mut self) -> bool {
        self.job.take().is_some()
    }

    /// Drops the result and cancels the job.
    pub fn clear(&mut self) {
        *self = Latest::default();
    }

    /// Whether a job is in progress.
    pub fn is_busy(&self) -> bool {
        self.job.is_some()
    }
}

impl<A: JobQuestion, B: JobQuestion> JobQuestion for (A, B) {
    fn is_same(&self, other: &(A, B)) -> bool {
        self.0.is_same(&other.0) && self.1.is_same(&other.1)
    }
}

impl<Q: JobQuestion> JobQuestion for [Q; 2] {
    fn is_same(&self, other: &[Q; 2]) -> bool {
        self[0].is_same(&other[0]) && self[1].is_same(&other[1])
    }
}

macro_rules! equal_questions {
    ($($question:ty),*) => {$(
        impl JobQuestion for $question {
            fn is_same(&self, other: &Self) -> bool {
                self == other
            }
        }
    )*};
}

// `u64` queries are document ids and counts of preset changes.
equal_questions!(u64, Colormap, Transform);

macro_rules! questions {
    ($($question:ty),*) => {$(
        impl JobQuestion for $question {
            fn is_same(&self, other: &Self) -> bool {
                <$question>::is_same(self, other)
            }
        }
    )*};
}

questions!(ExtentQuery, LandmarkQuery, Seen, SliceQuery, Snapshot, PatternSearch);
