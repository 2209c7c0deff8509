//! Requests to quit: a signal, or the end of the user's session.

use crate::lock;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

type Wake = Box<dyn Fn() + Send>;

static QUIT_REQUESTED: AtomicBool = AtomicBool::new(false);
static WAKE: Mutex<Option<Wake>> = Mutex::new(None);

/// Requests to quit and calls the registered callback.
pub fn request_quit() {
    QUIT_REQUESTED.store(true, Relaxed);
    if let Some(wake) = &*lock(&WAKE) {
        wake();
    }
}

/// Whether quitting was requested.
pub fn is_quit_requested() -> bool {
    QUIT_REQUESTED.load(Relaxed)
}

/// Registers `wake`, which is called on the requesting thread when quitting is requested.
pub fn wake_on_quit(wake: impl Fn() + Send + 'static) {
    *lock(&WAKE) = Some(Box::new(wake));
}
