//! The target's side of XDND, the drag-and-drop protocol of X11, on a connection and a thread of its own.
//!
//! winit accepts a list only if every line names an existing file, and silently ignores other lists. Therefore our
//! window names a proxy window (`XdndProxy`), whose messages this module receives. Sources that ignore proxies still
//! drop through winit.

use super::xdnd::{Atoms, HiddenWindow};
use smithay_clipboard::{Drag, ListFault, ListKind};
use std::time::{Duration, Instant};
use x11rb::connection::Connection;
use x11rb::errors::ReplyOrIdError;
use x11rb::protocol::Event;
use x11rb::protocol::xproto::{
    AtomEnum, ChangeWindowAttributesAux, ClientMessageEvent, ConnectionExt, CreateWindowAux, EventMask, PropMode,
    Property, Window,
};
use x11rb::rust_connection::RustConnection;
use x11rb::wrapper::ConnectionExt as _;

/// Supported version of XDND.
const VERSION: u32 = 5;
/// Limits of a list, as on Wayland: its size, and the time the source may take to send it.
const MAX_LIST_BYTES: usize = 1 << 20;
const LIST_TIMEOUT: Duration = Duration::from_secs(10);
/// Polling interval while waiting for a list.
const POLL_INTERVAL: Duration = Duration::from_millis(5);

/// Starts reporting drags over the window `own`. Positions are in pixels, and `surface` is the window's id.
pub fn listen(own: Window, notify: impl Fn(Drag) + Send + 'static) {
    let run = move || {
        let target = Target::connect(own, Box::new(notify));
        if let Err(error) = target.and_then(|mut target| Ok(target.run()?)) {
            tracing::warn!(%error, "lists that are dropped are left to winit");
        }
    };
    if let Err(error) = std::thread::Builder::new().name("drops".into()).spawn(run) {
        tracing::error!(%error, "no thread for drops");
    }
}

/// The drag over the window.
struct Held {
    source: Window,
    /// The kind of list to request from the source; `None` if it offers none.
    kind: Option<ListKind>,
    has_entered: bool,
}

struct Target {
    server: RustConnection,
    root: Window,
    own: Window,
    /// Hidden window that receives the messages for `own`.
    proxy: Window,
    atoms: Atoms,
    /// Properties to which sources write lists, used alternately: the first is that of the latest drop.
    properties: [u32; 2],
    held: Option<Held>,
    notify: Box<dyn Fn(Drag) + Send>,
}

impl Target {
    fn connect(own: Window, notify: Box<dyn Fn(Drag) + Send>) -> Result<Target, Box<dyn std::error::Error>> {
        let aux = CreateWindowAux::new().event_mask(EventMask::PROPERTY_CHANGE);
        let HiddenWindow { server, root, window: proxy, atoms } = HiddenWindow::open(&aux)?;
        server.change_property32(PropMode::REPLACE, proxy, atoms.XdndAware, AtomEnum::ATOM, &[VERSION])?;
        // A proxy must name itself, by which sources detect properties left over from another program.
        for window in [proxy, own] {
            server.change_property32(PropMode::REPLACE, window, atoms.XdndProxy, AtomEnum::WINDOW, &[proxy])?;
        }
        server.flush()?;
        let properties = [atoms.DropEven, atoms.DropOdd];
        Ok(Target { server, root, own, proxy, atoms, properties, held: None, notify })
    }

    fn run(&mut self) -> Result<(), ReplyOrIdError> {
        loop {
            match self.server.wait_for_event()? {
                Event::ClientMessage(message) if message.format == 32 => self.take(&message)?,
                Event::DestroyNotify(gone) => self.leave(gone.window),
                // Ignores errors too, such as those of destroyed windows.
                _ => {}
            }
        }
    }

    fn take(&mut self, message: &ClientMessageEvent) -> Result<(), ReplyOrIdError> {
        let words = message.data.as_data32();
        let (kind, atoms) = (message.type_, self.atoms);
        if kind == atoms.XdndEnter {
            self.enter(words)
        } else if kind == atoms.XdndPosition {
            self.go_on(words)
        } else if kind == atoms.XdndDrop {
            self.drop(words)
        } else {
            if kind == atoms.XdndLeave {
                self.leave(words[0]);
            }
            Ok(())
        }
    }

    /// Handles `XdndEnter`: source, flags (version; whether there are more than three types), first three types.
    fn enter(&mut self, [source, flags, types @ ..]: [u32; 5]) -> Result<(), ReplyOrIdError> {
        let types = if flags & 1 == 0 { types.to_vec() } else { self.types_of(source).unwrap_or_default() };
        let kind = match () {
            () if types.contains(&self.atoms.List) => Some(ListKind::Uris),
            () if types.contains(&self.atoms.Link) => Some(ListKind::BrowserLink),
            () => None,
        };
        // Reports destruction of the source's window: a source that exits sends no `XdndLeave`.
        let aux = ChangeWindowAttributesAux::new().event_mask(EventMask::STRUCTURE_NOTIFY);
        self.server.change_window_attributes(source, &aux)?;
        self.held = Some(Held { source, kind, has_entered: false });
        Ok(())
    }

    fn types_of(&self, source: Window) -> Option<Vec<u32>> {
        let types = self.server.get_property(false, source, self.atoms.XdndTypeList, AtomEnum::ATOM, 0, 1_024);
        Some(types.ok()?.reply().ok()?.value32()?.collect())
    }

    /// Handles `XdndPosition`: source, unused, position on the screen.
    fn go_on(&mut self, [source, _, place, ..]: [u32; 5]) -> Result<(), ReplyOrIdError> {
        let Some(held) = self.held.as_mut().filter(|held| held.source == source) else { return Ok(()) };
        let is_list = held.kind.is_some();
        let is_new = !std::mem::replace(&mut held.has_entered, true);
        let [x, y] = [place >> 16, place].map(|pixels| (pixels as u16).cast_signed());
        if let Ok(there) = self.server.translate_coordinates(self.root, self.own, x, y)?.reply() {
            let at = [there.dst_x, there.dst_y].map(f64::from);
            let surface = self.own as usize;
            (self.notify)(if is_new { Drag::Enter { at, surface, is_list } } else { Drag::Motion(at) });
        }
        self.answer(source, self.atoms.XdndStatus, [u32::from(is_list), 0, 0, self.action(is_list)])
    }

    fn action(&self, is_taken: bool) -> u32 {
        if is_taken { self.atoms.XdndActionCopy } else { x11rb::NONE }
    }

    /// Sends a message to a source: our window, and four words.
    fn answer(&self, source: Window, kind: u32, [a, b, c, d]: [u32; 4]) -> Result<(), ReplyOrIdError> {
        let message = ClientMessageEvent::new(32, source, kind, [self.own, a, b, c, d]);
        self.server.send_event(false, source, EventMask::NO_EVENT, message)?;
        self.server.flush()?;
        Ok(())
    }

    fn leave(&mut self, source: Window) {
        if self.held.take_if(|held| held.source == source).is_some() {
            (self.notify)(Drag::Leave);
        }
    }

    /// Handles `XdndDrop`: source, unused, time.
    fn drop(&mut self, [source, _, time, ..]: [u32; 5]) -> Result<(), ReplyOrIdError> {
        let Some(held) = self.held.take_if(|held| held.source == source) else { return Ok(()) };
        let Some(kind) = held.kind else {
            (self.notify)(Drag::Leave);
            return self.answer(source, self.atoms.XdndFinished, [0; 4]);
        };
        (self.notify)(Drag::Dropped);
        // A late answer to the previous drop uses the other property.
        self.properties.swap(0, 1);
        let list = self.list_of(source, kind, time)?;
        let is_taken = list.is_ok();
        (self.notify)(list.map_or_else(Drag::NoList, |list| Drag::List(kind, list)));
        (self.notify)(Drag::Leave);
        self.answer(source, self.atoms.XdndFinished, [u32::from(is_taken), self.action(is_taken), 0, 0])
    }

    /// Requests the list from a source and waits for it. It may arrive in parts (`INCR` of ICCCM).
    fn list_of(&self, source: Window, kind: ListKind, time: u32) -> Result<Result<Vec<u8>, ListFault>, ReplyOrIdError> {
        let Atoms { XdndSelection: selection, List: list, Link: link, .. } = self.atoms;
        let (form, property) = (if kind == ListKind::Uris { list } else { link }, self.properties[0]);
        let is_ours = |written: u32| [property, x11rb::NONE].contains(&written);
        self.server.convert_selection(self.proxy, selection, form, property, time)?;
        self.server.flush()?;
        let until = Instant::now() + LIST_TIMEOUT;
        let mut pieces: Option<Vec<u8>> = None;
        while Instant::now() < until {
            match self.server.poll_for_event()? {
                None => std::thread::sleep(POLL_INTERVAL),
                Some(Event::SelectionNotify(given)) if given.requestor == self.proxy && is_ours(given.property) => {
                    if given.property == x11rb::NONE {
                        return Ok(Err(ListFault::Broken));
                    }
                    match self.take_property()? {
                        Ok((form, _)) if form == self.atoms.INCR => pieces = Some(Vec::new()),
                        all => return Ok(all.map(|(_, list)| list)),
                    }
                }
                Some(Event::PropertyNotify(change))
                    if change.atom == property && change.state == Property::NEW_VALUE =>
                {
                    let Some(all) = &mut pieces else { continue };
                    match self.take_property()? {
                        Ok((_, piece)) if piece.is_empty() => return Ok(Ok(std::mem::take(all))),
                        Ok((_, piece)) if all.len() + piece.len() <= MAX_LIST_BYTES => all.extend(piece),
                        _ => return Ok(Err(ListFault::TooLong)),
                    }
                }
                Some(Event::DestroyNotify(gone)) if gone.window == source => return Ok(Err(ListFault::Broken)),
                Some(_) => {}
            }
        }
        Ok(Err(ListFault::TooLate))
    }

    /// Reads type and bytes of the property that the source wrote, and deletes it, which requests the next part.
    fn take_property(&self) -> Result<Result<(u32, Vec<u8>), ListFault>, ReplyOrIdError> {
        let (property, max_words) = (self.properties[0], MAX_LIST_BYTES as u32 / 4);
        let read = self.server.get_property(true, self.proxy, property, AtomEnum::ANY, 0, max_words)?.reply()?;
        if read.bytes_after == 0 {
            return Ok(Ok((read.type_, read.value)));
        }
        // A partial read does not delete the property.
        self.server.delete_property(self.proxy, property)?;
        Ok(Err(ListFault::TooLong))
    }
}
