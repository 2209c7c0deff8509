//! Results of changing queries.

use base::{Error, ErrorKind};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use workbench::{Jobs, Latest};

#[derive(Default)]
struct Asked {
    latest: Latest<u64, u64>,
    n_started: Arc<AtomicUsize>,
}

impl Asked {
    fn ask(&mut self, question: u64, jobs: &Jobs) {
        let started = self.n_started.clone();
        self.latest.ask(&question, jobs, "test", move |question, progress| {
            started.fetch_add(1, Ordering::Relaxed);
            progress.check()?;
            match question {
                0 => Err(Error::new(ErrorKind::Script, "no answer")),
                _ => Ok(question * 10),
            }
        });
    }

    fn n_started(&self) -> usize {
        self.n_started.load(Ordering::Relaxed)
    }
}

#[test]
fn a_question_is_answered_once() {
    let (jobs, mut requested) = (Jobs::manual(), Asked::default());
    for _ in 0..3 {
        requested.ask(1, &jobs);
        assert!(requested.latest.is_busy() == requested.latest.answer_to(&1).is_none());
        jobs.run_until_idle();
    }
    assert_eq!((requested.latest.answer_to(&1), requested.n_started()), (Some(&10), 1));
}

#[test]
fn a_job_for_the_question_before_is_cancelled_and_its_answer_dropped() {
    let (jobs, mut requested) = (Jobs::manual(), Asked::default());
    requested.ask(1, &jobs);
    jobs.run_until_idle();
    requested.ask(1, &jobs);
    requested.ask(2, &jobs);
    // Until the new result is known, `last` returns the previous one, and `answer_to` returns none.
    assert_eq!((requested.latest.last(), requested.latest.answer_to(&2)), (Some((&1, &10)), None));
    requested.ask(3, &jobs);
    jobs.run_until_idle();
    requested.ask(3, &jobs);
    assert_eq!(requested.latest.last(), Some((&3, &30)));
    requested.latest.forget_unless(&3);
    assert!(requested.latest.last().is_some());
    requested.latest.forget_unless(&1);
    assert!(requested.latest.last().is_none());
}

#[test]
fn a_question_that_failed_is_not_asked_again_until_it_changes() {
    let (jobs, mut requested) = (Jobs::manual(), Asked::default());
    for question in [0, 0, 0, 1, 1, 0] {
        requested.ask(question, &jobs);
        jobs.run_until_idle();
    }
    assert_eq!((requested.n_started(), requested.latest.answer_to(&0)), (3, None));
}

#[test]
fn questions_that_change_in_every_frame_are_answered_in_turn() {
    let (jobs, mut latest) = (Jobs::manual(), Latest::<u64, u64>::default());
    let mut answers = Vec::new();
    for question in 1..=6 {
        // Jobs that take two frames.
        latest.ask_in_turn(&question, &jobs, "test", |question, progress| progress.check().map(|()| *question));
        if question % 2 == 0 {
            jobs.run_until_idle();
        }
        answers.extend(latest.last().map(|(_, answer)| *answer));
    }
    assert_eq!(answers, [1, 1, 3, 3]);
    latest.clear();
    assert!(!latest.is_busy() && latest.last().is_none());
}

#[test]
fn an_answer_is_news_once_and_a_job_that_is_stopped_is_none() {
    let (jobs, mut requested) = (Jobs::manual(), Asked::default());
    requested.ask(1, &jobs);
    assert!(!requested.latest.take_news());
    assert!(requested.latest.cancel() && !requested.latest.cancel() && !requested.latest.is_busy());
    jobs.run_until_idle();
    assert!(!requested.latest.take_news() && requested.latest.answer_to(&1).is_none());
    // An error also counts as news, and `take_news` takes a result without another `ask`.
    for question in [1, 0] {
        requested.ask(question, &jobs);
        jobs.run_until_idle();
        assert!(requested.latest.take_news() && !requested.latest.take_news(), "{question}");
        requested.ask(question, &jobs);
        assert!(!requested.latest.is_busy() && !requested.latest.take_news());
    }
}

#[test]
fn a_pair_is_the_same_where_both_parts_are() {
    let (jobs, mut latest) = (Jobs::manual(), Latest::<(u64, [u64; 2]), u64>::default());
    let questions = [(1, [2, 3]), (1, [2, 3]), (1, [2, 4]), (0, [2, 4])];
    let n_started = questions.map(|question| {
        let has_begun = latest.ask(&question, &jobs, "test", |(one, [two, three]), _| Ok(one * 100 + two * 10 + three));
        jobs.run_until_idle();
        latest.poll();
        assert_eq!(latest.answer_to(&question), Some(&(question.0 * 100 + question.1[0] * 10 + question.1[1])));
        has_begun
    });
    assert_eq!(n_started, [true, false, true, true]);
}
