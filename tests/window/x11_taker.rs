//! Another program on X11, whose window takes files: the target's side of XDND 5 (freedesktop.org).

use super::rig::{Rig, wait_for};
use std::cell::RefCell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;
use x11rb::connection::Connection;
use x11rb::protocol::Event;
use x11rb::protocol::xproto::{
    AtomEnum, ClientMessageEvent, ConnectionExt, CreateWindowAux, EventMask, PropMode, Window, WindowClass,
};
use x11rb::rust_connection::RustConnection;
use x11rb::wrapper::ConnectionExt as _;

/// Where its window lies on the display, and how large it is.
pub const PLACE: [i16; 2] = [1_050, 300];
pub const SIZE: [u16; 2] = [300, 200];

x11rb::atom_manager! {
    Atoms: AtomsCookie {
        XdndActionCopy, XdndAware, XdndDrop, XdndEnter, XdndFinished, XdndLeave, XdndPosition, XdndSelection, XdndStatus,
        List: b"text/uri-list",
        Got,
    }
}

/// A program whose window takes files, until it is dropped.
pub struct X11Taker {
    events: Receiver<String>,
    /// The lines received so far.
    heard: RefCell<Vec<String>>,
    takes: Arc<AtomicBool>,
    has_ended: Arc<AtomicBool>,
}

impl Drop for X11Taker {
    fn drop(&mut self) {
        self.has_ended.store(true, Relaxed);
    }
}

impl X11Taker {
    pub fn open(rig: &Rig) -> X11Taker {
        let (notify, events) = channel();
        let (takes, has_ended) = (Arc::new(AtomicBool::new(true)), Arc::new(AtomicBool::new(false)));
        let (display, theirs, is_over) = (rig.display().to_owned(), takes.clone(), has_ended.clone());
        std::thread::spawn(move || Target::open(&display, notify, theirs).follow(&is_over));
        let taker = X11Taker { events, heard: RefCell::default(), takes, has_ended };
        taker.wait_for("open");
        taker
    }

    /// Whether it takes what is dragged over it from now on.
    pub fn take(&self, takes: bool) {
        self.takes.store(takes, Relaxed);
    }

    /// Waits for something that begins so, and gives all of it; what came before is forgotten.
    pub fn wait_for(&self, wanted: &str) -> String {
        wait_for(&format!("{wanted} of the other program"), || {
            let mut heard = self.heard.borrow_mut();
            heard.extend(self.events.try_iter());
            let at = heard.iter().position(|line| line.starts_with(wanted))?;
            heard.drain(..=at).next_back()
        })
    }

    /// The middle of its window on the display.
    pub fn middle() -> [i64; 2] {
        [0, 1].map(|axis| i64::from(PLACE[axis]) + i64::from(SIZE[axis]) / 2)
    }
}

struct Target {
    server: RustConnection,
    atoms: Atoms,
    window: Window,
    source: Window,
    notify: Sender<String>,
    takes: Arc<AtomicBool>,
}

impl Target {
    /// As window managers lay frames around windows, it lies in another, which takes nothing.
    fn open(display: &str, notify: Sender<String>, takes: Arc<AtomicBool>) -> Target {
        let (server, screen) = x11rb::connect(Some(display)).unwrap();
        let atoms = Atoms::new(&server).unwrap().reply().unwrap();
        let root = server.setup().roots[screen].root;
        let [frame, window] = [0; 2].map(|_| server.generate_id().unwrap());
        let aux = CreateWindowAux::new().override_redirect(1).background_pixel(0x0000_00ff);
        let ([x, y], [width, height], class) = (PLACE, SIZE, WindowClass::INPUT_OUTPUT);
        for (window, parent, [x, y]) in [(frame, root, [x, y]), (window, frame, [0, 0])] {
            server.create_window(0, window, parent, x, y, width, height, 0, class, 0, &aux).unwrap();
        }
        server.change_property32(PropMode::REPLACE, window, atoms.XdndAware, AtomEnum::ATOM, &[5]).unwrap();
        [window, frame].into_iter().for_each(|window| drop(server.map_window(window).unwrap()));
        server.sync().unwrap();
        notify.send("open".into()).unwrap();
        Target { server, atoms, window, source: 0, notify, takes }
    }

    fn follow(&mut self, is_over: &AtomicBool) {
        while !is_over.load(Relaxed) {
            // The display may have ended.
            match self.server.poll_for_event() {
                Ok(Some(Event::ClientMessage(message))) => self.act(&message),
                Ok(Some(Event::SelectionNotify(_))) => self.take_list(),
                Ok(Some(_)) => {}
                Ok(None) => std::thread::sleep(Duration::from_millis(2)),
                Err(_) => return,
            }
        }
    }

    fn send_line(&self, line: String) {
        self.notify.send(line).ok();
    }

    fn send(&self, kind: u32, [a, b, c, d]: [u32; 4]) {
        let message = ClientMessageEvent::new(32, self.source, kind, [self.window, a, b, c, d]);
        self.server.send_event(false, self.source, EventMask::NO_EVENT, message).unwrap();
        self.server.flush().unwrap();
    }

    fn act(&mut self, message: &ClientMessageEvent) {
        let (atoms, words) = (self.atoms, message.data.as_data32());
        let kind = message.type_;
        if kind == atoms.XdndEnter {
            self.source = words[0];
            assert!(words[1] >> 24 == 5 && words[2] == atoms.List, "{words:?}");
            self.send_line("entered".into());
        } else if kind == atoms.XdndPosition {
            assert_eq!((words[0], words[4]), (self.source, atoms.XdndActionCopy));
            let takes = self.takes.load(Relaxed);
            self.send(atoms.XdndStatus, [u32::from(takes), 0, 0, if takes { atoms.XdndActionCopy } else { 0 }]);
            self.send_line(format!("at {} {}", words[2] >> 16, words[2] & 0xffff));
        } else if kind == atoms.XdndLeave {
            self.send_line("left".into());
        } else if kind == atoms.XdndDrop {
            let (selection, time) = (atoms.XdndSelection, words[2]);
            self.server.convert_selection(self.window, selection, atoms.List, atoms.Got, time).unwrap();
            self.server.flush().unwrap();
        }
    }

    fn take_list(&self) {
        let got = self.server.get_property(true, self.window, self.atoms.Got, AtomEnum::ANY, 0, 1 << 16).unwrap();
        self.send(self.atoms.XdndFinished, [1, self.atoms.XdndActionCopy, 0, 0]);
        self.send_line(format!("took {}", String::from_utf8(got.reply().unwrap().value).unwrap()));
    }
}
