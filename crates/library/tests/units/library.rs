//! The library: paths in JSON, and memory shared by threads.

use base::{ErrorKind, Progress, path_bytes, path_from_bytes};
use library::features::StoredPath;
use library::file_work::MemoryBudget;
use std::sync::atomic::{AtomicU64, Ordering::SeqCst};
use std::time::{Duration, Instant};

#[test]
fn paths_survive_json() {
    for bytes in [&b"a/b.wav"[..], "\u{f6}\n.wav".as_bytes(), b"\xff\x00.wav", b""] {
        let path = StoredPath(path_from_bytes(bytes));
        let text = serde_json::to_string(&path).unwrap();
        assert_eq!(serde_json::from_str::<StoredPath>(&text).unwrap(), path, "{text}");
        assert_eq!(text.starts_with('"'), std::str::from_utf8(&path_bytes(&path.0)).is_ok());
    }
    for text in ["{\"bytes\": \"6\"}", "{\"bytes\": \"zz\"}", "{\"bytes\": \"\u{e9}\"}", "7"] {
        assert!(serde_json::from_str::<StoredPath>(text).is_err(), "{text}");
    }
}

/// No thread waits forever, and together they never reserve more than the budget; a larger request gets it alone.
#[test]
fn threads_share_a_budget_of_memory() {
    const MAX: u64 = 100;
    let budget = MemoryBudget::new(MAX);
    let progress = Progress::new();
    let (held, n_holders, max_held, n_alone) =
        (AtomicU64::new(0), AtomicU64::new(0), AtomicU64::new(0), AtomicU64::new(0));
    std::thread::scope(|scope| {
        for thread in 0..8u64 {
            let (budget, progress) = (&budget, &progress);
            let (held, n_holders, max_held, n_alone) = (&held, &n_holders, &max_held, &n_alone);
            scope.spawn(move || {
                for round in 0..200u64 {
                    let n = (thread * 37 + round * 53) % 130 + 1;
                    let reserved = budget.reserve(n, progress).unwrap();
                    let now = held.fetch_add(n, SeqCst) + n;
                    let others = n_holders.fetch_add(1, SeqCst);
                    assert!(now <= MAX || others == 0, "{now} bytes of {} threads", others + 1);
                    n_alone.fetch_add(u64::from(n > MAX), SeqCst);
                    max_held.fetch_max(if n > MAX { 0 } else { now }, SeqCst);
                    std::thread::yield_now();
                    n_holders.fetch_sub(1, SeqCst);
                    held.fetch_sub(n, SeqCst);
                    drop(reserved);
                }
            });
        }
    });
    assert_eq!((held.into_inner(), n_holders.into_inner()), (0, 0));
    assert!(n_alone.into_inner() > 100 && max_held.into_inner() > MAX / 2);
    // The whole budget is available again.
    drop(budget.reserve(MAX, &progress).unwrap());
}

/// Later requests do not overtake a large one, and a cancelled request does not block the next.
#[test]
fn memory_is_given_in_the_order_in_which_it_was_asked_for() {
    let budget = MemoryBudget::new(100);
    let progress = Progress::new();
    let first = budget.reserve(60, &progress).unwrap();
    let (cancelled, order) = (Progress::new(), std::sync::Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        let asks = |n: u64, progress: Progress| {
            let (budget, order) = (&budget, &order);
            let handle = scope.spawn(move || {
                let reserved = budget.reserve(n, &progress);
                order.lock().unwrap().push(n);
                reserved.map(drop).map_err(|error| error.kind())
            });
            // Time for this request to be queued before the next one.
            std::thread::sleep(Duration::from_millis(60));
            handle
        };
        let much = asks(90, progress.clone());
        let given_up = asks(70, cancelled.clone());
        let little = asks(10, progress.clone());
        assert!(order.lock().unwrap().is_empty(), "there is room for 10, but 90 were asked for first");
        let began = Instant::now();
        cancelled.cancel();
        assert_eq!(given_up.join().unwrap(), Err(ErrorKind::Cancelled));
        assert!(began.elapsed() < Duration::from_secs(5) && !little.is_finished());
        drop(first);
        assert_eq!((much.join().unwrap(), little.join().unwrap()), (Ok(()), Ok(())));
    });
    assert_eq!(order.into_inner().unwrap()[0], 70);
    assert_eq!(budget.max_bytes(), 100);
    // At most the requested size, and at most half of what is available.
    assert_eq!(MemoryBudget::of(Some(1 << 20)).max_bytes(), 1 << 20);
    assert!(MemoryBudget::of(Some(u64::MAX)).max_bytes() < 1 << 50);
}
