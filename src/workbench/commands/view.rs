//! How the document is looked at.

use super::Code::{Down, F, Left, PageDown, PageUp, Right, Up};
use super::Need::{Channel, Document, Selection, SeveralChannels, Stereo};
use super::key::{ctrl, key, plain, shift};
use super::row::rows;
use super::{ChannelView, Menu, Panes, icons};
use crate::dsp::Axis;
use crate::view::Colormap;

/// A command that changes the view of the document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "its row says what each does")]
pub enum ViewCommand {
    ZoomAll,
    ZoomSelection,
    ZoomInTime,
    ZoomOutTime,
    ZoomInFrequency,
    ZoomOutFrequency,
    ZoomAllFrequency,
    ScrollEarlier,
    ScrollLater,
    ScrollUp,
    ScrollDown,
    Panes(Panes),
    NextPanes,
    RawPhase,
    /// The menus list the first two channels; panels offer each channel of the file.
    Channels(ChannelView),
    Stacked,
    NextChannels,
    Axis(Axis),
    NextAxis,
    LongerFrames,
    ShorterFrames,
    Colormap(Colormap),
    NextColormap,
    LockRange,
    ResetRange,
    Waveform,
}

rows! { ViewCommand:
    ZOOM in (Menu::View, "Zoom") {
        ZoomAll => row("zoom_all", "Whole file", "Shows all of the file.", &[Document])
            .keys(&[ctrl('0')]).icon(icons::MAXIMIZE),
        ZoomSelection => row("zoom_selection", "Zoom to the selection",
            "Shows the selection, edge to edge.", &[Document, Selection]).keys(&[key('Z')]),
        ZoomInTime => row("zoom_in_time", "Zoom in on time", "Half as long.", &[Document])
            .keys(&[key('+'), key('=')]).icon(icons::ZOOM_IN).repeats(),
        ZoomOutTime => row("zoom_out_time", "Zoom out of time", "Twice as long.", &[Document])
            .keys(&[key('-')]).repeats(),
        ZoomInFrequency => row("zoom_in_frequency", "Zoom in on frequency", "Half as wide a band.", &[Document])
            .keys(&[ctrl('+'), ctrl('=')]).repeats(),
        ZoomOutFrequency => row("zoom_out_frequency", "Zoom out of frequency", "Twice as wide a band.", &[Document])
            .keys(&[ctrl('-')]).repeats(),
        ZoomAllFrequency => row("zoom_all_frequency", "All frequencies",
            "Shows the whole range of the axis.", &[Document]).keys(&[ctrl('9')]),
    }
    SCROLL in (Menu::View, "Scroll") {
        ScrollEarlier => row("scroll_earlier", "Earlier", "Moves an eighth back.", &[Document])
            .keys(&[plain(PageUp), plain(Left)]).repeats(),
        ScrollLater => row("scroll_later", "Later", "Moves an eighth on.", &[Document])
            .keys(&[plain(PageDown), plain(Right)]).repeats(),
        ScrollUp => row("scroll_up", "Higher", "Moves an eighth up.", &[Document]).keys(&[plain(Up)]).repeats(),
        ScrollDown => row("scroll_down", "Lower", "Moves an eighth down.", &[Document]).keys(&[plain(Down)]).repeats(),
    }
    SHOW in (Menu::View, "Show") {
        Panes(Panes::Magnitude) => row("panes_magnitude", "Magnitude", "Shows how loud each cell is.", &[Document])
            .keys(&[plain(F(5))]),
        Panes(Panes::Phase) => row("panes_phase", "Phase", "Shows where each cell is in its cycle.", &[Document])
            .keys(&[plain(F(6))]),
        Panes(Panes::Both) => row("panes_both", "Both", "Magnitude above, phase below; both take strokes.", &[Document])
            .keys(&[plain(F(7))]),
        NextPanes => row("panes_next", "Next panes", "Magnitude, phase, both.", &[Document]).keys(&[key('P')]),
        RawPhase => row("phase_raw", "Raw phase",
            "Shows the phase as it is, or again less its bin's own turning, so that steady tones keep one colour.",
            &[Document]),
    }
    CHANNELS in (Menu::View, "Channels") {
        Channels(ChannelView::All) => row("channels_all", "All channels",
            "Draws the louder channel; strokes reach all.", &[Document]),
        Channels(ChannelView::One(0)) => row("channels_1", "Left channel",
            "Shows the first channel; strokes reach it alone.", &[Document, Channel(0)]),
        Channels(ChannelView::One(1)) | Channels(ChannelView::One(2..)) => row("channels_2", "Right channel",
            "Shows the second channel; strokes reach it alone.", &[Document, Channel(1)]),
        Channels(ChannelView::Mid) => row("channels_mid", "Mid",
            "Half the sum of left and right; strokes reach it alone.", &[Document, Stereo]),
        Channels(ChannelView::Side) => row("channels_side", "Side",
            "Half of left less right; strokes reach it alone.", &[Document, Stereo]),
        Stacked => row("channels_stacked", "Stacked channels",
            "Each channel in a picture of its own; strokes reach the one that is painted on.",
            &[Document, SeveralChannels]),
        NextChannels => row("channels_next", "Next channels", "All, each channel, then mid and side.", &[Document])
            .keys(&[shift('A')]),
    }
    AXIS in (Menu::View, "Axis") {
        Axis(Axis::Linear) => row("axis_linear", "Linear axis", "Equal heights are equal hertz.", &[Document]),
        Axis(Axis::Log) => row("axis_log", "Log axis", "Equal heights are equal intervals.", &[Document]),
        Axis(Axis::Mel) => row("axis_mel", "Mel axis", "Equal heights sound equally far apart.", &[Document]),
        Axis(Axis::Bark) => row("axis_bark", "Bark axis", "Equal heights are equal critical bands.", &[Document]),
        NextAxis => row("axis_next", "Next axis", "Linear, log, mel, bark.", &[Document]).keys(&[key('A')]),
    }
    FRAMES in (Menu::View, "Frames") {
        LongerFrames => row("frames_longer", "Longer frames", "Finer in frequency, coarser in time.", &[Document])
            .keys(&[key('.')]),
        ShorterFrames => row("frames_shorter", "Shorter frames", "Finer in time, coarser in frequency.", &[Document])
            .keys(&[key(',')]),
    }
    COLOURS in (Menu::View, "Colours") {
        Colormap(Colormap::Viridis) => row("colours_viridis", "Viridis", "Dark blue to yellow.", &[Document]),
        Colormap(Colormap::Magma) => row("colours_magma", "Magma", "Black to pale yellow through purple.", &[Document]),
        Colormap(Colormap::Inferno) => row("colours_inferno", "Inferno",
            "Black to pale yellow through red.", &[Document]),
        Colormap(Colormap::Cividis) => row("colours_cividis", "Cividis",
            "Blue to yellow, for colour blindness.", &[Document]),
        Colormap(Colormap::Grey) => row("colours_grey", "Grey", "Black to white.", &[Document]),
        NextColormap => row("colours_next", "Next colours", "The next colour map.", &[Document]).keys(&[key('C')]),
        LockRange => row("range_lock", "Lock the range",
            "Keeps the colours of levels as they are; unlocked they follow what is seen.", &[Document])
            .icon(icons::LOCK),
    }
    USUAL_RANGE in (Menu::View, "Colours") {
        ResetRange => row("range_reset", "Usual range",
            "Colours levels from \u{2212}100 to 0 dB, and locks that.", &[Document]),
    }
    WAVEFORM in (Menu::View) {
        Waveform => row("waveform", "Waveform",
            "Draws the waveform over the picture, or takes it away; the View panel says how strongly.", &[Document])
            .keys(&[shift('W')]).icon(icons::AUDIO_WAVEFORM),
    }
}
