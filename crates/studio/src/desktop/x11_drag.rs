//! Drags a list of files out of an X11 window: the source's side of the XDND protocol, on a connection and a thread of
//! its own.
//!
//! The window in which the button was pressed holds an implicit pointer grab, so the drag cannot grab the pointer.
//! Instead it polls the pointer's position about 60 times a second.

use super::xdnd::{Atoms, HiddenWindow};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration, Instant};
use x11rb::connection::Connection;
use x11rb::errors::ReplyOrIdError;
use x11rb::protocol::Event;
use x11rb::protocol::xproto::{
    AtomEnum, ClientMessageEvent, ConnectionExt, CreateWindowAux, EventMask, KeyButMask, PropMode,
    SELECTION_NOTIFY_EVENT, SelectionNotifyEvent, SelectionRequestEvent, Window,
};
use x11rb::rust_connection::RustConnection;
use x11rb::wrapper::ConnectionExt as _;

/// Polling interval of the pointer.
const POLL_INTERVAL: Duration = Duration::from_millis(16);
/// Time after which the next position is sent even if the target has not replied to the previous one.
const STATUS_TIMEOUT: Duration = Duration::from_millis(500);
/// Maximum time to serve a target after a drop, until it confirms the end.
const FINISHED_WITHIN: Duration = Duration::from_secs(5);
/// Supported protocol versions.
const VERSIONS: std::ops::RangeInclusive<u32> = 3..=5;

/// What the thread of a drag reports to the window that started it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum X11DragEvent {
    /// Whether the window below would accept a drop.
    Over { is_taken: bool },
    /// Dropped on another program.
    LetGo,
    /// Dropped on our own window, at this position in pixels.
    OnOurselves([i16; 2]),
    /// The drag is over.
    Ended,
}

/// Handle of a drag, which runs on a thread until it ends.
pub struct X11Drag {
    events: Receiver<X11DragEvent>,
    is_cancelled: Arc<AtomicBool>,
}

impl X11Drag {
    /// Starts a drag from the window `own`, in which a button is pressed. `wake` is called after each event.
    pub fn begin(own: Window, list: Vec<u8>, wake: impl Fn() + Send + 'static) -> X11Drag {
        let (notify, events) = channel();
        let is_cancelled = Arc::new(AtomicBool::new(false));
        let theirs = is_cancelled.clone();
        let news = X11DragNotifier { notify, wake: Box::new(wake) };
        let drag = move || {
            let source = Source::connect(own, list);
            if let Err(error) = source.and_then(|mut source| Ok(source.follow(&theirs, &news)?)) {
                tracing::warn!(%error, "the display does not drag");
            }
            news.notify(X11DragEvent::Ended);
        };
        // On failure the channel closes, which `take_news` reports as the end.
        if let Err(error) = std::thread::Builder::new().name("drag out".into()).spawn(drag) {
            tracing::error!(%error, "no thread for a drag");
        }
        X11Drag { events, is_cancelled }
    }

    /// Ends the drag without a drop.
    pub fn cancel(&self) {
        self.is_cancelled.store(true, Relaxed);
    }

    /// Takes the next event, if any.
    pub fn take_news(&self) -> Option<X11DragEvent> {
        match self.events.try_recv() {
            Ok(news) => Some(news),
            Err(std::sync::mpsc::TryRecvError::Empty) => None,
            Err(std::sync::mpsc::TryRecvError::Disconnected) => Some(X11DragEvent::Ended),
        }
    }
}

struct X11DragNotifier {
    notify: Sender<X11DragEvent>,
    wake: Box<dyn Fn() + Send>,
}

impl X11DragNotifier {
    fn notify(&self, news: X11DragEvent) {
        self.notify.send(news).ok();
        (self.wake)();
    }
}

/// The window of another program under the pointer.
struct Target {
    window: Window,
    /// The window to send messages to: the target itself, or its proxy.
    proxy: Window,
    is_taken: bool,
    /// The last position sent to the target.
    reported_at: Option<[i16; 2]>,
    /// Time at which that was sent, until the target replies.
    requested: Option<Instant>,
    is_finished: bool,
}

struct Source {
    server: RustConnection,
    root: Window,
    /// Hidden window that owns the selection.
    window: Window,
    atoms: Atoms,
    own: Window,
    list: Vec<u8>,
    target: Option<Target>,
}

impl Source {
    fn connect(own: Window, list: Vec<u8>) -> Result<Source, Box<dyn std::error::Error>> {
        let HiddenWindow { server, root, window, atoms } = HiddenWindow::open(&CreateWindowAux::new())?;
        server.set_selection_owner(window, atoms.XdndSelection, x11rb::CURRENT_TIME)?;
        Ok(Source { server, root, window, atoms, own, list, target: None })
    }

    /// Tracks the pointer until the button is released or the drag is cancelled.
    fn follow(&mut self, is_cancelled: &AtomicBool, news: &X11DragNotifier) -> Result<(), ReplyOrIdError> {
        loop {
            let pointer = self.server.query_pointer(self.root)?.reply()?;
            let at = [pointer.root_x, pointer.root_y];
            if is_cancelled.load(Relaxed) {
                return self.leave();
            }
            let below = self.window_below(pointer.child);
            self.go_over(below.filter(|(window, _)| *window != self.own), news)?;
            self.answer(news)?;
            if !pointer.mask.contains(KeyButMask::BUTTON1) {
                let is_own = below.is_some_and(|(window, _)| window == self.own);
                return if is_own { self.let_go_on_ourselves(news) } else { self.let_go(at, news) };
            }
            self.send_position(at)?;
            std::thread::sleep(POLL_INTERVAL);
        }
    }

    /// The window under the pointer that accepts drops, and its protocol version. Searches from a child of the root
    /// inwards, as window managers put frames around windows.
    fn window_below(&self, child: Window) -> Option<(Window, u32)> {
        let mut window = child;
        while window != x11rb::NONE {
            if let Some(version) = self.version_of(window) {
                return Some((window, version));
            }
            // Windows that were destroyed meanwhile do not count.
            window = self.server.query_pointer(window).ok()?.reply().ok()?.child;
        }
        None
    }

    fn version_of(&self, window: Window) -> Option<u32> {
        let property = self.server.get_property(false, window, self.atoms.XdndAware, AtomEnum::ANY, 0, 1);
        let version = property.ok()?.reply().ok()?.value32()?.next()?;
        (version >= *VERSIONS.start()).then(|| version.min(*VERSIONS.end()))
    }

    fn proxy_of(&self, window: Window) -> Option<Window> {
        let property = self.server.get_property(false, window, self.atoms.XdndProxy, AtomEnum::WINDOW, 0, 1);
        property.ok()?.reply().ok()?.value32()?.next()
    }

    fn go_over(&mut self, below: Option<(Window, u32)>, news: &X11DragNotifier) -> Result<(), ReplyOrIdError> {
        if self.target.as_ref().map(|target| target.window) == below.map(|(window, _)| window) {
            return Ok(());
        }
        self.leave()?;
        news.notify(X11DragEvent::Over { is_taken: false });
        if let Some((window, version)) = below {
            let (reported_at, requested) = (None, None);
            let proxy = self.proxy_of(window).filter(|proxy| self.proxy_of(*proxy) == Some(*proxy)).unwrap_or(window);
            self.target = Some(Target { window, proxy, is_taken: false, reported_at, requested, is_finished: false });
            self.send(self.atoms.XdndEnter, [version << 24, self.atoms.List, 0, 0])?;
        }
        Ok(())
    }

    fn leave(&mut self) -> Result<(), ReplyOrIdError> {
        self.send(self.atoms.XdndLeave, [0; 4])?;
        self.target = None;
        // The server must receive the last message before the connection closes.
        self.server.sync()?;
        Ok(())
    }

    /// Sends a message to the target, if any.
    fn send(&self, kind: u32, [a, b, c, d]: [u32; 4]) -> Result<(), ReplyOrIdError> {
        if let Some(Target { window, proxy, .. }) = self.target {
            let message = ClientMessageEvent::new(32, window, kind, [self.window, a, b, c, d]);
            self.server.send_event(false, proxy, EventMask::NO_EVENT, message)?;
            self.server.flush()?;
        }
        Ok(())
    }

    /// Sends the pointer's position to the target, once it has replied to the previous one.
    fn send_position(&mut self, at: [i16; 2]) -> Result<(), ReplyOrIdError> {
        let Some(target) = &mut self.target else { return Ok(()) };
        let is_requested = target.requested.is_some_and(|since| since.elapsed() < STATUS_TIMEOUT);
        if is_requested || target.reported_at == Some(at) {
            return Ok(());
        }
        (target.reported_at, target.requested) = (Some(at), Some(Instant::now()));
        let [x, y] = at.map(|pixels| u32::from(pixels.cast_unsigned()));
        self.send(self.atoms.XdndPosition, [0, x << 16 | y, x11rb::CURRENT_TIME, self.atoms.XdndActionCopy])
    }

    /// Handles events: replies of the target, and requests for the list.
    fn answer(&mut self, news: &X11DragNotifier) -> Result<(), ReplyOrIdError> {
        while let Some(event) = self.server.poll_for_event()? {
            match event {
                Event::SelectionRequest(request) => self.give(&request)?,
                Event::ClientMessage(message) => {
                    let [from, flags, ..] = message.data.as_data32();
                    let Some(target) = self.target.as_mut().filter(|target| target.window == from) else { continue };
                    if message.type_ == self.atoms.XdndStatus {
                        target.requested = None;
                        let is_taken = flags & 1 != 0;
                        // Only changes are reported, since each event causes a frame.
                        if std::mem::replace(&mut target.is_taken, is_taken) != is_taken {
                            news.notify(X11DragEvent::Over { is_taken });
                        }
                    } else if message.type_ == self.atoms.XdndFinished {
                        target.is_finished = true;
                    }
                }
                // Ignores errors too, such as those of destroyed windows.
                _ => {}
            }
        }
        Ok(())
    }

    fn give(&self, request: &SelectionRequestEvent) -> Result<(), ReplyOrIdError> {
        let (server, Atoms { List: list, TARGETS: targets, .. }) = (&self.server, self.atoms);
        // Obsolete clients do not name a property (ICCCM).
        let property = if request.property == x11rb::NONE { request.target } else { request.property };
        let is_known = request.target == list || request.target == targets;
        if request.target == list {
            server.change_property8(PropMode::REPLACE, request.requestor, property, list, &self.list)?;
        } else if request.target == targets {
            let all = [targets, list];
            server.change_property32(PropMode::REPLACE, request.requestor, property, AtomEnum::ATOM, &all)?;
        }
        let answer = SelectionNotifyEvent {
            response_type: SELECTION_NOTIFY_EVENT,
            sequence: 0,
            time: request.time,
            requestor: request.requestor,
            selection: request.selection,
            target: request.target,
            property: if is_known { property } else { x11rb::NONE },
        };
        server.send_event(false, request.requestor, EventMask::NO_EVENT, answer)?;
        server.flush()?;
        Ok(())
    }

    /// Handles events until the target meets a condition or the time is up; returns whether it was met.
    fn wait(
        &mut self,
        is_done: impl Fn(&Target) -> bool,
        within: Duration,
        news: &X11DragNotifier,
    ) -> Result<bool, ReplyOrIdError> {
        let until = Instant::now() + within;
        loop {
            self.answer(news)?;
            let has_done = self.target.as_ref().is_none_or(&is_done);
            if has_done || Instant::now() > until {
                return Ok(has_done);
            }
            std::thread::sleep(POLL_INTERVAL);
        }
    }

    fn let_go_on_ourselves(&self, news: &X11DragNotifier) -> Result<(), ReplyOrIdError> {
        let pointer = self.server.query_pointer(self.own)?.reply()?;
        news.notify(X11DragEvent::OnOurselves([pointer.win_x, pointer.win_y]));
        Ok(())
    }

    /// Drops on the target, if it accepts a drop at that position.
    fn let_go(&mut self, at: [i16; 2], news: &X11DragNotifier) -> Result<(), ReplyOrIdError> {
        for _ in 0..2 {
            self.wait(|target| target.requested.is_none(), STATUS_TIMEOUT, news)?;
            self.send_position(at)?;
        }
        if !self.target.as_ref().is_some_and(|target| target.is_taken) {
            return self.leave();
        }
        self.send(self.atoms.XdndDrop, [0, x11rb::CURRENT_TIME, 0, 0])?;
        news.notify(X11DragEvent::LetGo);
        self.wait(|target| target.is_finished, FINISHED_WITHIN, news)?;
        Ok(())
    }
}
