//! The real window on a display of its own, and real sound into a recorded sink. Alone and serially: cases wait for
//! states that the window writes (`SONOBRUSH_STATE_FILE`), never for times.
//!
//! `cargo test --test window -- NAME` runs the cases whose name holds NAME, `--times=N` each of them N times in a row,
//! and `--busy` with a thread that does nothing but work on every core.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a case that cannot go on fails")]
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a test program without a harness tells its results")]
#![allow(missing_docs, reason = "the names of cases say what they show")]

mod answers;
mod app;
mod browsing;
mod brushes;
mod clipboard;
mod drag_out;
mod drag_source;
mod drawn_picture;
mod drops;
mod erase;
mod faults;
mod frames;
mod journey;
mod keyboard;
mod labelled;
mod live;
mod losses;
mod machine;
mod pictures;
mod playhead;
mod previewing;
mod record;
mod rig;
mod selections;
mod server;
mod shelf;
mod signals;
mod sound;
mod studio;
mod support;
mod tasks;
mod timbre;
mod voices;
mod weston;
mod x11_taker;

use machine::Processors;
use rig::Rig;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;
use support::load::Load;

type Case = (&'static str, fn(&Rig));

const CASES: &[Case] = &[
    ("a_clip_is_heard_through_the_system", sound::a_clip_is_heard_through_the_system),
    ("a_sink_that_is_slow_to_begin_is_waited_for", sound::a_sink_that_is_slow_to_begin_is_waited_for),
    ("without_a_cookie_sound_goes_in_and_out", sound::without_a_cookie_sound_goes_in_and_out),
    ("devices_of_equal_name_are_told_apart", sound::devices_of_equal_name_are_told_apart),
    ("the_playhead_is_where_it_is_heard", playhead::the_playhead_is_where_it_is_heard),
    ("stop_and_seek_are_heard_at_once", answers::stop_and_seek_are_heard_at_once),
    ("opens_and_closes", app::opens_and_closes),
    ("the_first_start_opens_on_the_demo", app::the_first_start_opens_on_the_demo),
    ("a_bad_file_is_a_notice", app::a_bad_file_is_a_notice),
    ("a_window_opens_as_it_was_left", app::a_window_opens_as_it_was_left),
    ("selections_are_taken_by_their_edges", selections::selections_are_taken_by_their_edges),
    ("no_swift_drag_and_no_key_is_lost", selections::no_swift_drag_and_no_key_is_lost),
    ("erases_where_the_rulers_say", erase::erases_where_the_rulers_say),
    ("every_brush_paints_and_is_undone", brushes::every_brush_paints_and_is_undone),
    ("sound_follows_a_push", brushes::sound_follows_a_push),
    ("the_window_plays_the_clip", sound::the_window_plays_the_clip),
    ("what_is_played_is_recorded", record::what_is_played_is_recorded),
    ("a_killed_recording_loses_less_than_a_second", record::a_killed_recording_loses_less_than_a_second),
    ("from_a_drop_to_an_export", journey::from_a_drop_to_an_export),
    ("a_breath_a_cough_and_a_whistle_are_repaired", tasks::a_breath_a_cough_and_a_whistle_are_repaired),
    ("hum_and_clicks_are_removed", tasks::hum_and_clicks_are_removed),
    ("drawn_notes_and_a_stretched_loop_are_in_time", tasks::drawn_notes_and_a_stretched_loop_are_in_time),
    ("a_clipped_interview_is_repaired_in_twelve_inputs", tasks::a_clipped_interview_is_repaired_in_twelve_inputs),
    ("a_chord_of_three_strokes_is_in_tune", voices::a_chord_of_three_strokes_is_in_tune),
    (
        "a_dropped_midi_file_is_what_the_command_line_renders",
        voices::a_dropped_midi_file_is_what_the_command_line_renders,
    ),
    ("a_dropped_score_is_what_the_command_line_renders", voices::a_dropped_score_is_what_the_command_line_renders),
    ("a_dropped_melody_is_in_time_and_in_tune", voices::a_dropped_melody_is_in_time_and_in_tune),
    ("an_um_is_cut_and_a_take_is_trimmed", labelled::an_um_is_cut_and_a_take_is_trimmed),
    ("found_calls_are_named_and_measured", labelled::found_calls_are_named_and_measured),
    ("boxes_of_five_classes_are_drawn_in_time", labelled::boxes_of_five_classes_are_drawn_in_time),
    ("letters_play_notes_until_escape", keyboard::letters_play_notes_until_escape),
    ("a_scale_in_a_taken_timbre_has_its_levels", timbre::a_scale_in_a_taken_timbre_has_its_levels),
    ("a_dropped_folder_is_listed_while_a_clip_plays", shelf::a_dropped_folder_is_listed_while_a_clip_plays),
    ("a_library_finds_repairs_and_compares", browsing::a_library_finds_repairs_and_compares),
    ("a_dropped_picture_sounds_where_it_was_drawn_to", drawn_picture::a_dropped_picture_sounds_where_it_was_drawn_to),
    ("on_x11_files_are_dropped_where_the_pointer_is", drops::on_x11_files_are_dropped_where_the_pointer_is),
    ("on_weston_files_are_dropped_where_the_pointer_is", drops::on_weston_files_are_dropped_where_the_pointer_is),
    ("on_x11_anything_may_be_dropped", drops::on_x11_anything_may_be_dropped),
    ("on_weston_anything_may_be_dropped", drops::on_weston_anything_may_be_dropped),
    ("on_x11_a_selection_is_dragged_out", drag_out::on_x11_a_selection_is_dragged_out),
    ("on_weston_a_selection_is_dragged_out", drag_out::on_weston_a_selection_is_dragged_out),
    ("on_x11_tabs_and_library_rows_are_dragged_out", drag_out::on_x11_tabs_and_library_rows_are_dragged_out),
    ("on_weston_tabs_are_dragged_out", drag_out::on_weston_tabs_are_dragged_out),
    ("pictures_and_sounds_go_over_the_clipboard", clipboard::pictures_and_sounds_go_over_the_clipboard),
    ("a_preview_is_heard_as_its_settings_change", previewing::a_preview_is_heard_as_its_settings_change),
    (
        "settings_of_heal_and_noise_reduction_are_heard_soon",
        previewing::settings_of_heal_and_noise_reduction_are_heard_soon,
    ),
    ("no_frame_takes_long", frames::no_frame_takes_long),
    ("a_loop_changes_under_the_brush", live::a_loop_changes_under_the_brush),
    ("signals_close_the_window", faults::signals_close_the_window),
    ("a_window_that_stops_is_opened_again", faults::a_window_that_stops_is_opened_again),
    ("an_edit_for_another_program_ends_with_its_code", faults::an_edit_for_another_program_ends_with_its_code),
    ("a_lost_device_never_ends_the_program", losses::a_lost_device_never_ends_the_program),
    ("a_device_that_is_always_lost_is_a_sentence", losses::a_device_that_is_always_lost_is_a_sentence),
    ("a_crash_leaves_a_report", faults::a_crash_leaves_a_report),
    ("workers_that_panic_are_told", faults::workers_that_panic_are_told),
    ("a_sound_server_that_dies_is_told_once", faults::a_sound_server_that_dies_is_told_once),
    ("a_sound_server_that_stands_still_is_told", faults::a_sound_server_that_stands_still_is_told),
    ("without_sound_everything_else_works", faults::without_sound_everything_else_works),
    ("a_display_that_dies_ends_the_window", faults::a_display_that_dies_ends_the_window),
    ("a_display_with_a_broken_scale_has_a_window", faults::a_display_with_a_broken_scale_has_a_window),
    ("a_display_that_does_not_answer_is_passed_over", faults::a_display_that_does_not_answer_is_passed_over),
    ("without_vulkan_it_opens_or_says_why", faults::without_vulkan_it_opens_or_says_why),
    ("a_storm_of_sizes_is_survived", faults::a_storm_of_sizes_is_survived),
    ("sizes_change_while_the_device_computes", faults::sizes_change_while_the_device_computes),
];

/// A case that fails while others took the processors, or whose sound server ended, is run again: one that stands still
/// for seconds runs into every deadline. A fault of ours fails each time.
const ATTEMPTS: usize = 3;
/// Without such a reason: a machine may stand still without any counter showing it.
const ATTEMPTS_WITHOUT_REASON: usize = 2;

fn passes(rig: &Rig, name: &str, case: fn(&Rig), is_strict: bool) -> bool {
    for attempt in 1..=ATTEMPTS {
        rig.revive_sound();
        let before = Processors::now();
        if catch_unwind(AssertUnwindSafe(|| case(rig))).is_ok() {
            return true;
        }
        rig.keep_evidence(name);
        let why = match (rig.revive_sound(), before.were_taken()) {
            (true, _) => "without a sound server",
            (false, true) => "on processors that others took",
            (false, false) if is_strict || attempt >= ATTEMPTS_WITHOUT_REASON => return false,
            (false, false) => "without a reason from outside",
        };
        println!("  {name} failed {why}, attempt {attempt} of {ATTEMPTS}");
    }
    false
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.as_slice() {
        [mode, file] if mode == sound::CHILD_MODE => return sound::play_in_this_process(file),
        [mode, file] if mode == sound::PLAIN_CHILD_MODE => return sound::play_to_the_end(file),
        [mode, file] if mode == answers::CHILD_MODE => return answers::seek_and_stop_in_this_process(file),
        [mode, file] if mode == playhead::CHILD_MODE => return playhead::log_in_this_process(file),
        [mode, folder] if mode == drag_source::CHILD_MODE => return drag_source::run(folder.as_ref()),
        _ => {}
    }
    if arguments.iter().any(|argument| argument == "--list") {
        CASES.iter().for_each(|(name, _)| println!("{name}: test"));
        return ExitCode::SUCCESS;
    }
    let is_requested = |name: &str| {
        let mut filters = arguments.iter().filter(|argument| !argument.starts_with('-')).peekable();
        filters.peek().is_none() || filters.any(|filter| name.contains(filter.as_str()))
    };
    let times = arguments.iter().find_map(|argument| argument.strip_prefix("--times="));
    let Some(n_times) = times.map_or(Some(1), |n| n.parse().ok().filter(|n| *n > 0)) else {
        eprintln!("--times= takes a number");
        return ExitCode::FAILURE;
    };
    let is_busy = arguments.iter().any(|argument| argument == "--busy");
    let _load = is_busy.then(|| Load::begin(std::thread::available_parallelism().map_or(1, usize::from)));
    let missing = Rig::missing_programs();
    if !missing.is_empty() {
        println!("window tests SKIPPED: {} not found; scripts/test installs what they need", missing.join(", "));
        // Where everything was installed, a skip is a failure.
        let must_run = std::env::var("REQUIRE_GPU").is_ok_and(|value| value == "1");
        return if must_run { ExitCode::FAILURE } else { ExitCode::SUCCESS };
    }
    let rig = Rig::start();
    let (mut n_passed, mut n_failed) = (0, 0);
    for (name, case) in CASES.iter().filter(|(name, _)| is_requested(name)) {
        let mut secs = Vec::new();
        let mut n_good = 0;
        for _ in 0..n_times {
            let began = std::time::Instant::now();
            // Where each is run many times, every failure counts.
            if passes(&rig, name, *case, n_times > 1) {
                n_good += 1;
            }
            secs.push(began.elapsed().as_secs_f64());
        }
        secs.sort_by(f64::total_cmp);
        let (shortest, longest) = (secs[0], secs[n_times - 1]);
        let took = match n_times {
            1 => format!("{longest:.1} s"),
            _ => format!("{n_good} of {n_times}, {shortest:.1} to {longest:.1} s"),
        };
        let is_good = n_good == n_times;
        println!("test {name} ... {} ({took})", if is_good { "ok" } else { "FAILED" });
        *(if is_good { &mut n_passed } else { &mut n_failed }) += 1;
    }
    println!("{n_passed} passed, {n_failed} failed");
    if n_failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
