#!/usr/bin/python3
"""Another program's picture on the clipboard of X.

    clipboard.py give FILE    offers a PNG as image/png until another program takes the clipboard
    clipboard.py take FILE    writes the image/png that is on the clipboard; 1 and one line if there is none

Needs python3-xlib.
"""

import pathlib
import select
import sys
import time

from Xlib import X, Xatom, display
from Xlib.protocol import event

PATIENCE_SECS = 30
# A program that just copied may still be about to offer its picture.
OFFER_SECS = 10
# What X takes in one request without more ado.
MOST_BYTES = 200_000


def window_of(shown: display.Display):
    screen = shown.screen()
    return screen.root.create_window(0, 0, 1, 1, 0, screen.root_depth, event_mask=X.PropertyChangeMask)


def give(file: pathlib.Path) -> str | None:
    shown = display.Display()
    window = window_of(shown)
    clipboard, targets, png = (shown.intern_atom(name) for name in ("CLIPBOARD", "TARGETS", "image/png"))
    data = file.read_bytes()
    if len(data) > MOST_BYTES:
        return f"{file} has more than {MOST_BYTES} bytes"
    window.set_selection_owner(clipboard, X.CurrentTime)
    shown.flush()
    print("ready", flush=True)
    while True:
        asked = shown.next_event()
        if asked.type == X.SelectionClear:
            return None
        if asked.type != X.SelectionRequest:
            continue
        place = asked.property or asked.target
        if asked.target == targets:
            asked.requestor.change_property(place, Xatom.ATOM, 32, [targets, png])
        elif asked.target == png:
            asked.requestor.change_property(place, png, 8, data)
        else:
            place = X.NONE
        answer = event.SelectionNotify(
            time=asked.time, requestor=asked.requestor, selection=asked.selection, target=asked.target, property=place
        )
        asked.requestor.send_event(answer)
        shown.flush()


def take(file: pathlib.Path) -> str | None:
    shown = display.Display()
    window = window_of(shown)
    clipboard, png, place = (shown.intern_atom(name) for name in ("CLIPBOARD", "image/png", "TAKEN"))
    incremental = shown.intern_atom("INCR")
    window.convert_selection(clipboard, png, place, X.CurrentTime)
    shown.flush()
    deadline = time.monotonic() + PATIENCE_SECS
    told_by = time.monotonic() + OFFER_SECS
    parts, is_incremental = b"", False
    while time.monotonic() < deadline:
        if not shown.pending_events():
            select.select([shown], [], [], 0.2)
            continue
        told = shown.next_event()
        if told.type == X.SelectionNotify:
            if told.property == X.NONE:
                if time.monotonic() > told_by:
                    return "the clipboard has no picture"
                time.sleep(0.1)
                window.convert_selection(clipboard, png, place, X.CurrentTime)
                shown.flush()
                continue
            found = window.get_full_property(place, X.AnyPropertyType)
            window.delete_property(place)
            shown.flush()
            if found.property_type != incremental:
                file.write_bytes(bytes(found.value))
                return None
            is_incremental = True
        elif told.type == X.PropertyNotify and is_incremental and told.state == X.PropertyNewValue:
            found = window.get_full_property(place, X.AnyPropertyType)
            window.delete_property(place)
            shown.flush()
            if found is None or len(found.value) == 0:
                file.write_bytes(parts)
                return None
            parts += bytes(found.value)
    return "the clipboard did not answer"


def main() -> int:
    _, what, file = sys.argv
    problem = {"give": give, "take": take}[what](pathlib.Path(file))
    if problem:
        print(problem, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
