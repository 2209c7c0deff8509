//! What this program's own window gives to others. Added in this copy.

use std::fs::File;
use std::io::{ErrorKind, Read, Write};
use std::os::unix::io::AsRawFd;
use std::path::PathBuf;
use std::sync::Mutex;

use sctk::data_device_manager::WritePipe;
use sctk::data_device_manager::data_source::DragSource;
use sctk::reexports::calloop::PostAction;
use sctk::reexports::calloop::channel::Sender;
use sctk::reexports::client::protocol::wl_data_device_manager::DndAction;
use sctk::reexports::client::protocol::wl_data_source::WlDataSource;

use crate::drag::{Drag, tell};
use crate::state::{State, set_non_blocking};
use crate::worker::Command;

/// So much of a file is in memory at a time.
const PIECE_BYTES: usize = 1 << 16;

/// What another program gets of a type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Offered {
    /// These bytes.
    Bytes(Vec<u8>),
    /// What is in this file.
    File(PathBuf),
}

/// What becomes of what is dragged out of the window.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DragOut {
    /// It is over something that would take it, or not.
    Over {
        /// Whether it would.
        is_taken: bool,
    },
    /// It was let go over something that takes it.
    LetGo,
    /// It was let go over this program itself, at the last place of the pointer.
    OnOurselves,
    /// The other program has taken it.
    Finished,
    /// It was let go where nothing takes it, or the user ended it, or it never began.
    Cancelled,
}

static WORKER: Mutex<Option<Sender<Command>>> = Mutex::new(None);

/// The worker that drags are given to from now on; none: it ends.
pub(crate) fn set_worker(worker: Option<Sender<Command>>) {
    if let Ok(mut known) = WORKER.lock() {
        *known = worker;
    }
}

/// Drags this out of the window, by type, the best first, as long as the button is down that was pressed last. What becomes
/// of it [`on_drag`](crate::on_drag) hears. False if there is no clipboard to do it.
pub fn drag_out(offers: Vec<(String, Offered)>) -> bool {
    order(Command::DragOut(offers))
}

/// Ends what is dragged out, so that it is dropped nowhere.
pub fn cancel_drag_out() {
    order(Command::CancelDragOut);
}

fn order(command: Command) -> bool {
    let Ok(worker) = WORKER.lock() else { return false };
    worker.as_ref().is_some_and(|worker| worker.send(command).is_ok())
}

/// What is given, until another program has taken it.
pub struct Given {
    source: DragSource,
    offers: Vec<(String, Offered)>,
    /// Whether the button was released; what is over the window from then on is others'.
    is_let_go: bool,
}

impl State {
    /// Begins it.
    pub fn begin_drag_out(&mut self, offers: Vec<(String, Offered)>) {
        if self.give(offers).is_none() {
            tell(Drag::Out(DragOut::Cancelled));
        }
    }

    /// Ends it, unless it was let go.
    pub fn cancel_drag_out(&mut self) {
        if self.is_own_drag() {
            // The source goes with it, which ends the drag.
            self.given = None;
            tell(Drag::Out(DragOut::Cancelled));
        }
    }

    fn give(&mut self, offers: Vec<(String, Offered)>) -> Option<()> {
        let manager = self.data_device_manager_state.as_ref()?;
        let seat = self.seats.values_mut().find(|seat| seat.pressed.is_some())?;
        let device = seat.data_device.as_ref()?;
        let (surface, serial) = seat.pressed.take()?;
        let types = offers.iter().map(|(mime, _)| mime);
        let source =
            manager.create_drag_and_drop_source(&self.queue_handle, types, DndAction::Copy);
        source.start_drag(device, &surface, None, serial);
        self.given = Some(Given { source, offers, is_let_go: false });
        Some(())
    }

    /// Whether a source is what is dragged out.
    pub fn is_given(&self, source: &WlDataSource) -> bool {
        self.given.as_ref().is_some_and(|given| given.source.inner() == source)
    }

    /// Whether what is over the window now comes from it.
    pub fn is_own_drag(&self) -> bool {
        self.given.as_ref().is_some_and(|given| !given.is_let_go)
    }

    pub fn given_over(&self, source: &WlDataSource, is_taken: bool) {
        if self.is_given(source) {
            tell(Drag::Out(DragOut::Over { is_taken }));
        }
    }

    pub fn given_let_go(&mut self, source: &WlDataSource) {
        if let Some(given) = self.given.as_mut().filter(|given| given.source.inner() == source) {
            given.is_let_go = true;
            tell(Drag::Out(DragOut::LetGo));
        }
    }

    /// It is over.
    pub fn given_ended(&mut self, source: &WlDataSource, how: DragOut) {
        if self.is_given(source) {
            self.given = None;
            tell(Drag::Out(how));
        }
    }

    /// Writes what of it was asked for, a piece at a time.
    pub fn write_given(&self, mime: &str, pipe: WritePipe) {
        let mut offers = self.given.iter().flat_map(|given| &given.offers);
        let offered = offers.find(|(known, _)| known == mime).map(|(_, offered)| offered);
        let Some(mut writing) = offered.and_then(Writing::of) else { return };
        if set_non_blocking(pipe.as_raw_fd()).is_ok() {
            let _ = self.loop_handle.insert_source(pipe, move |_, file, _| writing.go_on(file));
        }
    }
}

/// What is being written to another program.
struct Writing {
    /// What is not written yet, from `n_written` on.
    piece: Vec<u8>,
    n_written: usize,
    /// Where more comes from.
    rest: Option<File>,
}

impl Writing {
    fn of(offered: &Offered) -> Option<Writing> {
        let (piece, rest) = match offered {
            Offered::Bytes(bytes) => (bytes.clone(), None),
            Offered::File(path) => (Vec::new(), Some(File::open(path).ok()?)),
        };
        Some(Writing { piece, n_written: 0, rest })
    }

    /// Writes until the pipe is full; the pipe is closed when there is no more, or nobody reads.
    fn go_on(&mut self, mut pipe: &File) -> PostAction {
        loop {
            if self.n_written == self.piece.len() && !self.fill() {
                return PostAction::Remove;
            }
            match pipe.write(&self.piece[self.n_written..]) {
                Ok(n) => self.n_written += n,
                Err(error) if error.kind() == ErrorKind::WouldBlock => return PostAction::Continue,
                Err(error) if error.kind() == ErrorKind::Interrupted => {},
                Err(_) => return PostAction::Remove,
            }
        }
    }

    /// Reads the next piece; false at the end.
    fn fill(&mut self) -> bool {
        let Some(rest) = &mut self.rest else { return false };
        self.piece.resize(PIECE_BYTES, 0);
        let n = rest.read(&mut self.piece).unwrap_or(0);
        self.piece.truncate(n);
        self.n_written = 0;
        n > 0
    }
}
