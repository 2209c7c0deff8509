//! The result of a changing query, kept up to date by jobs, one at a time.

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

/// The latest result of a changing query.
///
/// - Stale: an answer is that of its own question, and of no other ([`answer_to`](Latest::answer_to)).
/// - Cancelled: a new question stops the job for the one before ([`ask`](Latest::ask)), which gives no answer.
/// - Unreadable: a question whose job failed is not asked again until it changes; why stands in the log, once.
/// - Escape: [`cancel`](Latest::cancel), where there is something to stop.
pub struct Latest<Q, A> {
    known: Option<(Q, Result<A>)>,
    job: Option<(Q, Job<A>)>,
    /// Name of the job, for the log.
    name: &'static str,
    has_news: bool,
}

impl<Q, A> Default for Latest<Q, A> {
    fn default() -> Latest<Q, A> {
        Latest { known: None, job: None, name: "", has_news: false }
    }
}

impl<Q: JobQuestion, A: Send + 'static> Latest<Q, A> {
    /// Once a frame: takes the job's result, and starts a job unless `question` is answered. A job for another question
    /// is cancelled. Returns whether one was started.
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

    /// As [`ask`](Latest::ask), but lets a job for another question finish first: for questions that may change every
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

    /// Takes the job's result, even if its question is outdated.
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

    /// The answer to a question, once it is known; `None` where its job failed.
    pub fn answer_to(&self, question: &Q) -> Option<&A> {
        self.known.as_ref().filter(|(of, _)| of.is_same(question)).and_then(|(_, answer)| answer.as_ref().ok())
    }

    /// The error of a question's job.
    pub fn error_to(&self, question: &Q) -> Option<&Error> {
        self.known.as_ref().filter(|(of, _)| of.is_same(question)).and_then(|(_, answer)| answer.as_ref().err())
    }

    /// Progress of the running job, 0 to 1.
    pub fn fraction(&self) -> Option<f32> {
        self.job.as_ref().map(|(_, job)| job.progress().fraction())
    }

    /// The last result with its question: of the previous question until the new one is answered.
    pub fn last(&self) -> Option<(&Q, &A)> {
        self.known.as_ref().and_then(|(of, answer)| Some((of, answer.as_ref().ok()?)))
    }

    /// Drops the result of any other question.
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

// Among them the numbers of documents, and of samples.
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
