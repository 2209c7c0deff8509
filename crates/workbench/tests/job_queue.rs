//! Queued work: jobs, results and dropped work.

use base::{Error, ErrorKind, Progress, Result};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use workbench::{Job, JobQueue, Jobs, Unfinished};

/// A queue of numbers. The job of a number returns ten times that number, or fails for 0; the data kept is its text.
#[derive(Default)]
struct Line {
    queue: JobQueue<u32, u32, String>,
    n_done: Arc<AtomicUsize>,
}

impl Line {
    fn of(numbers: impl IntoIterator<Item = u32>) -> Line {
        let mut line = Line::default();
        numbers.into_iter().for_each(|number| line.queue.push(number));
        line
    }

    fn job(&self, number: u32, jobs: &Jobs) -> Job<u32> {
        let n_done = self.n_done.clone();
        jobs.spawn("test", move |progress: &Progress| -> Result<u32> {
            progress.check()?;
            n_done.fetch_add(1, Ordering::Relaxed);
            if number == 0 { Err(Error::new(ErrorKind::Script, "no number")) } else { Ok(number * 10) }
        })
    }

    fn start_next(&mut self, jobs: &Jobs) -> bool {
        let Some(number) = self.queue.take_next() else { return false };
        let job = self.job(number, jobs);
        self.queue.run(number.to_string(), job, f64::from(number));
        true
    }

    /// Starts and runs all waiting work in order; returns the results.
    fn answers(&mut self, jobs: &Jobs) -> Vec<(String, Result<u32>)> {
        let mut answers = Vec::new();
        while self.start_next(jobs) {
            jobs.run_until_idle();
            answers.extend(self.queue.take_answer());
        }
        answers
    }

    fn n_done(&self) -> usize {
        self.n_done.load(Ordering::Relaxed)
    }
}

fn done(number: u32) -> (String, Result<u32>) {
    (number.to_string(), Ok(number * 10))
}

#[test]
fn work_is_done_in_order_one_at_a_time_and_answered_once() {
    let (jobs, mut line) = (Jobs::manual(), Line::of([1, 2, 3]));
    assert!(line.start_next(&jobs) && !line.start_next(&jobs), "one runs");
    assert_eq!((line.queue.peek().copied(), line.queue.take_answer()), (None, None));
    assert!(line.queue.running().eq(["1"]) && line.queue.waiting().eq(&[2, 3]));
    let (kept, _, since_secs) = line.queue.progress().unwrap();
    assert_eq!((kept.as_str(), since_secs), ("1", 1.0));
    jobs.run_until_idle();
    assert_eq!(line.queue.take_answer(), Some(done(1)));
    assert_eq!((line.queue.peek().copied(), line.queue.take_answer()), (Some(2), None));
    assert_eq!(line.answers(&jobs), [done(2), done(3)]);
    assert!(!line.queue.is_busy() && line.queue.progress().is_none());
}

#[test]
fn what_cannot_be_read_is_an_answer_and_what_waits_goes_on() {
    let (jobs, mut line) = (Jobs::manual(), Line::of([1, 0, 2]));
    let answers = line.answers(&jobs);
    assert_eq!(answers.iter().map(|(_, answer)| answer.is_ok()).collect::<Vec<_>>(), [true, false, true]);
}

#[test]
fn what_is_dropped_is_told_to_stop_and_gives_no_answer() {
    let (jobs, mut line) = (Jobs::manual(), Line::of([1, 2]));
    line.start_next(&jobs);
    assert!(line.queue.clear() && !line.queue.clear());
    jobs.run_until_idle();
    assert_eq!((line.queue.take_answer(), line.n_done()), (None, 0));
    // `run_instead` stops the job in progress.
    let first = line.job(3, &jobs);
    line.queue.run("3".into(), first, 0.0);
    let second = line.job(4, &jobs);
    line.queue.run_instead("4".into(), second, 0.0);
    jobs.run_until_idle();
    assert_eq!((line.queue.take_answer(), line.n_done()), (Some(done(4)), 1));
}

#[test]
fn the_work_given_last_is_cancelled_first() {
    let (jobs, mut line) = (Jobs::manual(), Line::of([1, 2, 3]));
    line.start_next(&jobs);
    let dropped: Vec<_> = std::iter::from_fn(|| line.queue.cancel_last()).collect();
    assert_eq!(dropped, [Unfinished::Waiting(3), Unfinished::Waiting(2), Unfinished::Running("1".into())]);
    jobs.run_until_idle();
    assert_eq!((line.queue.is_busy(), line.n_done()), (false, 0));
}

#[test]
fn what_is_asked_to_stop_still_answers() {
    let (jobs, mut line) = (Jobs::manual(), Line::of([1, 2]));
    line.start_next(&jobs);
    assert!(line.queue.stop_last(), "2");
    assert!(line.queue.waiting().next().is_none() && line.queue.is_running());
    assert!(line.queue.stop_last(), "1");
    jobs.run_until_idle();
    let (kept, answer) = line.queue.take_answer().unwrap();
    assert_eq!((kept.as_str(), answer.unwrap_err().kind(), line.n_done()), ("1", ErrorKind::Cancelled, 0));
    assert!(!line.queue.stop_last());
}

#[test]
fn of_several_at_once_each_is_answered_when_it_is_done() {
    let (jobs, mut line) = (Jobs::manual(), Line::default());
    for number in [1, 2, 3] {
        // The second job is done when it starts.
        let job = if number == 2 { Job::answered(Ok(20)) } else { line.job(number, &jobs) };
        line.queue.run_unseen(number.to_string(), job);
    }
    assert_eq!((line.queue.n_running(), line.queue.take_answer()), (3, Some(done(2))));
    assert_eq!(line.queue.take_answer(), None);
    assert_eq!(line.queue.drop_running(|kept| kept == "3"), ["3"]);
    jobs.run_until_idle();
    assert_eq!((line.queue.take_answer(), line.n_done()), (Some(done(1)), 1));
    // Waiting work is dropped without a result.
    [4, 5].into_iter().for_each(|number| line.queue.push(number));
    assert!(line.queue.drop_waiting(|number| *number == 4) && !line.queue.drop_waiting(|number| *number == 4));
    assert_eq!(line.answers(&jobs), [done(5)]);
}
