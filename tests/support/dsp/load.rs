//! A load that takes the processors.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Threads that do nothing but work, as a compiler or another program may, until this is dropped.
pub struct Load(Arc<AtomicBool>);

impl Load {
    pub fn begin(n_threads: usize) -> Load {
        let is_over = Arc::new(AtomicBool::new(false));
        for _ in 0..n_threads {
            let is_over = is_over.clone();
            std::thread::spawn(move || {
                while !is_over.load(Ordering::Relaxed) {
                    std::hint::spin_loop();
                }
            });
        }
        Load(is_over)
    }
}

impl Drop for Load {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}
