//! What other programs drag over the window and drop on it. Added in this copy.

use std::io::{ErrorKind, Read};
use std::os::unix::io::AsRawFd;
use std::sync::OnceLock;
use std::time::Duration;

use sctk::data_device_manager::data_device::DataDeviceData;
use sctk::data_device_manager::data_offer::DragOffer;
use sctk::reexports::calloop::timer::{TimeoutAction, Timer};
use sctk::reexports::calloop::{PostAction, RegistrationToken};
use sctk::reexports::client::protocol::wl_data_device::WlDataDevice;
use sctk::reexports::client::protocol::wl_data_device_manager::DndAction;
use sctk::reexports::client::{Connection, Proxy};

use crate::drag_out::DragOut;
use crate::state::{State, set_non_blocking};

/// Lists of files that are taken, the best first.
const LISTS: [(&str, ListKind); 2] =
    [("text/uri-list", ListKind::Uris), ("text/x-moz-url", ListKind::BrowserLink)];
/// A list is at most this long.
const MAX_LIST_BYTES: usize = 1 << 20;
/// The other program has to have written its list by then.
const LIST_WITHIN: Duration = Duration::from_secs(10);

/// How a list is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ListKind {
    /// `text/uri-list`, RFC 2483.
    Uris,
    /// `text/x-moz-url`: UTF-16, an address and its title on two lines.
    BrowserLink,
}

/// Why a list did not come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ListFault {
    /// It is longer than a megabyte.
    TooLong,
    /// The other program did not write it in time.
    TooLate,
    /// The pipe broke.
    Broken,
}

/// What a drag does over surfaces of this program. Places are in points of the surface.
#[derive(Debug, Clone)]
pub enum Drag {
    /// It came over a surface, which is named by its `wl_surface`.
    Enter {
        /// Where.
        at: [f64; 2],
        /// Over which.
        surface: usize,
        /// Whether it is a list of another program that will be taken.
        is_list: bool,
    },
    /// It moved.
    Motion([f64; 2]),
    /// It is over the surface no longer; what was dropped before may still come.
    Leave,
    /// It was let go; its list follows.
    Dropped,
    /// The list of what was dropped.
    List(ListKind, Vec<u8>),
    /// The list does not come.
    NoList(ListFault),
    /// What is dragged out of the window has come so far.
    Out(DragOut),
}

static HOOK: OnceLock<Box<dyn Fn(Drag) + Send + Sync>> = OnceLock::new();

/// Calls this for each thing that a drag does, on the clipboard's thread; once in a process.
pub fn on_drag(hook: impl Fn(Drag) + Send + Sync + 'static) {
    let _ = HOOK.set(Box::new(hook));
}

pub(crate) fn tell(drag: Drag) {
    if let Some(hook) = HOOK.get() {
        hook(drag);
    }
}

/// A list that is being read.
pub struct Reading {
    offer: DragOffer,
    kind: ListKind,
    pipe: RegistrationToken,
    timer: RegistrationToken,
    list: Vec<u8>,
}

fn drag_offer(device: &WlDataDevice) -> Option<DragOffer> {
    device.data::<DataDeviceData>()?.drag_offer()
}

/// The type to ask for, if the offer has one that is taken.
fn list_of(offer: &DragOffer) -> Option<(&'static str, ListKind)> {
    offer.with_mime_types(|offered| {
        LISTS.into_iter().find(|(mime, _)| offered.iter().any(|other| other == mime))
    })
}

impl State {
    pub fn drag_entered(&mut self, device: &WlDataDevice, at: [f64; 2], surface: usize) {
        let Some(offer) = drag_offer(device) else { return };
        let list = list_of(&offer);
        offer.accept_mime_type(offer.serial, list.map(|(mime, _)| mime.to_string()));
        if list.is_some() {
            offer.set_actions(DndAction::Copy, DndAction::Copy);
        }
        self.is_own_offer = self.is_own_drag();
        tell(Drag::Enter { at, surface, is_list: list.is_some() && !self.is_own_offer });
    }

    pub fn drag_moved(&mut self, at: [f64; 2]) {
        tell(Drag::Motion(at));
    }

    pub fn drag_left(&mut self) {
        tell(Drag::Leave);
    }

    pub fn drag_dropped(&mut self, conn: &Connection, device: &WlDataDevice) {
        let Some(offer) = drag_offer(device) else { return };
        tell(Drag::Dropped);
        if self.is_own_offer {
            // Nothing has to be read.
            if !offer.selected_action.is_empty() {
                offer.finish();
            }
            offer.destroy();
            return tell(Drag::Out(DragOut::OnOurselves));
        }
        if self.reading.is_some() {
            // The one before would take its time yet.
            self.end_reading(Err(ListFault::TooLate));
        }
        if self.begin_reading(conn, offer.clone()).is_none() {
            offer.destroy();
            tell(Drag::NoList(ListFault::Broken));
        }
    }

    fn begin_reading(&mut self, conn: &Connection, offer: DragOffer) -> Option<()> {
        let (mime, kind) = list_of(&offer)?;
        let pipe = offer.receive(mime.to_string()).ok()?;
        let _ = conn.flush();
        set_non_blocking(pipe.as_raw_fd()).ok()?;
        let pipe = self.loop_handle.insert_source(pipe, |_, file, state: &mut State| {
            match state.read_list(file) {
                Some(ended) => {
                    state.end_reading(ended);
                    PostAction::Remove
                },
                None => PostAction::Continue,
            }
        });
        let pipe = pipe.ok()?;
        let timer = Timer::from_duration(LIST_WITHIN);
        let timer = self.loop_handle.insert_source(timer, |_, _, state: &mut State| {
            state.end_reading(Err(ListFault::TooLate));
            TimeoutAction::Drop
        });
        let Ok(timer) = timer else {
            self.loop_handle.remove(pipe);
            return None;
        };
        self.reading = Some(Reading { offer, kind, pipe, timer, list: Vec::new() });
        Some(())
    }

    /// Reads what there is; tells once that is all, or why no more will come.
    fn read_list(&mut self, mut file: &std::fs::File) -> Option<Result<(), ListFault>> {
        let reading = self.reading.as_mut()?;
        let mut buffer = [0; 4096];
        loop {
            match file.read(&mut buffer) {
                Ok(0) => return Some(Ok(())),
                Ok(n) if reading.list.len() + n > MAX_LIST_BYTES => return Some(Err(ListFault::TooLong)),
                Ok(n) => reading.list.extend_from_slice(&buffer[..n]),
                Err(error) if error.kind() == ErrorKind::WouldBlock => return None,
                Err(error) if error.kind() == ErrorKind::Interrupted => {},
                Err(_) => return Some(Err(ListFault::Broken)),
            }
        }
    }

    fn end_reading(&mut self, ended: Result<(), ListFault>) {
        let Some(Reading { offer, kind, pipe, timer, list }) = self.reading.take() else { return };
        self.loop_handle.remove(timer);
        self.loop_handle.remove(pipe);
        // Without an action, which the compositor settles, finishing would be an error of the protocol.
        if ended.is_ok() && !offer.selected_action.is_empty() {
            offer.finish();
        }
        offer.destroy();
        tell(match ended {
            Ok(()) => Drag::List(kind, list),
            Err(fault) => Drag::NoList(fault),
        });
    }
}
