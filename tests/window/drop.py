#!/usr/bin/python3
"""Drops files on a window by the X drag-and-drop protocol (XDND 5), as a file manager does.

    drop.py [--leave | --end] [--no-proxy] [--list] [--times=N] WINDOW X Y FILE...

WINDOW is the id of the window, X and Y the place in it. The pointer goes there and is held meanwhile, so that the window
hears nothing of it. Exits with 0 once the window says that it has taken the drop, with 1 and one line if it refuses or does
not answer in 30 s. With --leave nothing is dropped: the files leave the window once standard input ends; with --end they are
dropped, and this program ends before it gives the list. With --no-proxy the window itself gets the messages, as by old
programs. With --list each FILE is a line of the list as it is, with --times each line is there N times. Needs python3-xlib.
"""

import itertools
import pathlib
import select
import sys
import time

from Xlib import X, Xatom, display
from Xlib.protocol import event

PATIENCE_SECS = 30
VERSION = 5
# What is longer is given piece by piece (ICCCM, INCR), as a request to the server has an end.
PIECE_BYTES = 64_000


class Drag:
    def __init__(self, target: int, place: tuple[int, int], lines: list[str], has_proxies: bool) -> None:
        self.display = display.Display()
        screen = self.display.screen()
        self.source = screen.root.create_window(0, 0, 1, 1, 0, screen.root_depth)
        self.target = self.display.create_resource_object("window", target)
        # Window managers lay a frame around it: only the server knows where it is.
        there = screen.root.translate_coords(self.target, *place)
        self.place = (there.x, there.y)
        self.pieces: list[bytes] = []
        self.text = "".join(line + "\r\n" for line in lines).encode()
        self.uri_list = self.atom("text/uri-list")
        self.proxy = (self.proxy_of(self.target) if has_proxies else None) or self.target

    def atom(self, name: str) -> int:
        return self.display.intern_atom(name)

    def proxy_of(self, window):
        """The window that gets the messages of another: one that names itself, too."""
        named = window.get_full_property(self.atom("XdndProxy"), Xatom.WINDOW)
        if named is None:
            return None
        proxy = self.display.create_resource_object("window", named.value[0])
        own = proxy.get_full_property(self.atom("XdndProxy"), Xatom.WINDOW)
        return proxy if own is not None and own.value[0] == proxy.id else None

    def send(self, name: str, *data: int) -> None:
        words = [self.source.id, *data, 0, 0, 0, 0][:5]
        message = event.ClientMessage(window=self.target, client_type=self.atom(name), data=(32, words))
        self.proxy.send_event(message)
        self.display.flush()

    def answer_request(self, request: event.SelectionRequest) -> None:
        """Gives the list of files to whoever asks for it."""
        is_known = request.target == self.uri_list
        if is_known and len(self.text) > PIECE_BYTES:
            starts = range(0, len(self.text), PIECE_BYTES)
            self.pieces = [self.text[start : start + PIECE_BYTES] for start in starts] + [b""]
            request.requestor.change_attributes(event_mask=X.PropertyChangeMask)
            request.requestor.change_property(request.property, self.atom("INCR"), 32, [len(self.text)])
        elif is_known:
            request.requestor.change_property(request.property, request.target, 8, self.text)
        notify = event.SelectionNotify(
            time=request.time,
            requestor=request.requestor,
            selection=request.selection,
            target=request.target,
            property=request.property if is_known else X.NONE,
        )
        request.requestor.send_event(notify)
        self.display.flush()

    def give_piece(self, change: event.PropertyNotify) -> None:
        """The next piece, once the one before was taken."""
        if change.state == X.PropertyDelete and change.atom == self.atom("XdndSelection") and self.pieces:
            change.window.change_property(change.atom, self.uri_list, 8, self.pieces.pop(0))
            self.display.flush()

    def wait_for(self, name: str) -> list[int]:
        """The words of the next message of this name from the target."""
        wanted = self.atom(name)
        deadline = time.monotonic() + PATIENCE_SECS
        while time.monotonic() < deadline:
            while self.display.pending_events():
                seen = self.display.next_event()
                if seen.type == X.SelectionRequest:
                    self.answer_request(seen)
                elif seen.type == X.PropertyNotify:
                    self.give_piece(seen)
                elif seen.type == X.ClientMessage and seen.client_type == wanted:
                    return list(seen.data[1])
            select.select([self.display.fileno()], [], [], 0.1)
        raise TimeoutError(f"no {name} came")

    def run(self, leaves: bool, ends: bool) -> None:
        aware = self.target.get_full_property(self.atom("XdndAware"), Xatom.ATOM)
        if aware is None or aware.value[0] < 3:
            raise RuntimeError("the window takes no drops")
        root = self.display.screen().root
        held = root.grab_pointer(
            False, X.PointerMotionMask, X.GrabModeAsync, X.GrabModeAsync, X.NONE, X.NONE, X.CurrentTime
        )
        if held != X.GrabSuccess:
            raise RuntimeError(f"the pointer is held by another program ({held})")
        root.warp_pointer(*self.place)
        self.source.set_selection_owner(self.atom("XdndSelection"), X.CurrentTime)
        self.send("XdndEnter", VERSION << 24, self.uri_list)
        where = self.place[0] << 16 | self.place[1]
        self.send("XdndPosition", 0, where, X.CurrentTime, self.atom("XdndActionCopy"))
        if not self.wait_for("XdndStatus")[1] & 1:
            raise RuntimeError("the window refuses the drop")
        if leaves:
            sys.stdin.read()
            self.send("XdndLeave")
            self.display.sync()
            return
        self.send("XdndDrop", 0, X.CurrentTime)
        if ends:
            self.display.sync()
            return
        self.wait_for("XdndFinished")


def main() -> int:
    options = list(itertools.takewhile(lambda word: word.startswith("--"), sys.argv[1:]))
    arguments = sys.argv[1 + len(options) :]
    n_times = next((int(word[8:]) for word in options if word.startswith("--times=")), 1)
    if len(arguments) < 4:
        print(__doc__, file=sys.stderr)
        return 2
    target, x, y, *lines = arguments
    if "--list" not in options:
        lines = [pathlib.Path(file).absolute().as_uri() for file in lines]
    try:
        drag = Drag(int(target, 0), (int(x), int(y)), n_times * lines, "--no-proxy" not in options)
        drag.run("--leave" in options, "--end" in options)
    except (RuntimeError, TimeoutError) as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
