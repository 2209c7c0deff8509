//! The answer to a question that changes, kept up to date by jobs, one at a time.

use super::{Job, Jobs};
use crate::base::{Error, Progress, Result};
use crate::view::{ExtentOf, LandmarksOf, SliceOf};

/// What a job answers.
pub trait JobQuestion: Clone + Send + 'static {
    /// Whether the answer to the other is the answer to this.
    fn is_same(&self, other: &Self) -> bool;
}

/// The latest answer to a question that changes. A question whose job failed is not asked again until it changes.
pub struct Latest<Q, A> {
    known: Option<(Q, Result<A>)>,
    job: Option<(Q, Job<A>)>,
}

impl<Q, A> Default for Latest<Q, A> {
    fn default() -> Latest<Q, A> {
        Latest { known: None, job: None }
    }
}

impl<Q: JobQuestion, A: Send + 'static> Latest<Q, A> {
    /// Once a frame: takes the answer to the job, and starts one unless `question` is answered. A job for another question
    /// is cancelled.
    pub fn ask(
        &mut self,
        question: &Q,
        jobs: &Jobs,
        name: &'static str,
        work: impl FnOnce(&Q, &Progress) -> Result<A> + Send + 'static,
    ) {
        if self.job.as_ref().is_some_and(|(of, _)| !of.is_same(question)) {
            self.job = None;
        }
        self.ask_in_turn(question, jobs, name, work);
    }

    /// As [`ask`](Latest::ask), but a job for another question ends first: for questions that may change in every frame.
    pub fn ask_in_turn(
        &mut self,
        question: &Q,
        jobs: &Jobs,
        name: &'static str,
        work: impl FnOnce(&Q, &Progress) -> Result<A> + Send + 'static,
    ) {
        if let Some(answer) = self.job.as_mut().and_then(|(_, job)| job.poll()) {
            self.known = self.job.take().map(|(of, _)| (of, answer));
        }
        if self.job.is_none() && !self.known.as_ref().is_some_and(|(of, _)| of.is_same(question)) {
            let theirs = question.clone();
            self.job = Some((question.clone(), jobs.spawn(name, move |progress| work(&theirs, progress))));
        }
    }

    /// The answer to a question, once it is known; none where its job failed.
    pub fn answer_to(&self, question: &Q) -> Option<&A> {
        self.known.as_ref().filter(|(of, _)| of.is_same(question)).and_then(|(_, answer)| answer.as_ref().ok())
    }

    /// Why there is no answer to a question.
    pub fn error_to(&self, question: &Q) -> Option<&Error> {
        self.known.as_ref().filter(|(of, _)| of.is_same(question)).and_then(|(_, answer)| answer.as_ref().err())
    }

    /// How much of the job in progress is done, 0 to 1.
    pub fn fraction(&self) -> Option<f32> {
        self.job.as_ref().map(|(_, job)| job.progress().fraction())
    }

    /// The last answer, with its question: of the question before until the new one is answered.
    pub fn last(&self) -> Option<(&Q, &A)> {
        self.known.as_ref().and_then(|(of, answer)| Some((of, answer.as_ref().ok()?)))
    }

    /// Forgets the answer to any other question.
    pub fn forget_unless(&mut self, question: &Q) {
        self.known.take_if(|(of, _)| !of.is_same(question));
    }

    /// Forgets the answer and cancels the job.
    pub fn clear(&mut self) {
        (self.known, self.job) = (None, None);
    }

    /// Whether a job is in progress.
    pub fn is_busy(&self) -> bool {
        self.job.is_some()
    }
}

/// The number of a document.
impl JobQuestion for u64 {
    fn is_same(&self, other: &u64) -> bool {
        self == other
    }
}

macro_rules! questions {
    ($($question:ty),*) => {$(
        impl JobQuestion for $question {
            fn is_same(&self, other: &Self) -> bool {
                <$question>::is_same(self, other)
            }
        }
    )*};
}

questions!(ExtentOf, LandmarksOf, SliceOf);
