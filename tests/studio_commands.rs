//! Every command, given as a user gives it: by its key where it has one, else by its name in the palette; followed by a
//! look at the document, the view, the tools or the window. The last test knows a test for each command there is.

use crate::support::sources::test_module;
use crate::support::studio::{Bench, Drawing, NONE, clip};
use egui::{Key, Modifiers};
use egui_kittest::kittest::Queryable;
use sonobrush::document::Snapshot;
use sonobrush::dsp::Axis;
use sonobrush::media::Source;
use sonobrush::view::{Colormap, grid_of};
use sonobrush::workbench::commands::{
    COMMANDS, Code, Command, CursorCommand, EditCommand, FileCommand, LayoutCommand, Row, SelectCommand, ToolCommand,
    ViewCommand, Way, WindowCommand,
};
use sonobrush::workbench::{ChannelView, DocumentAct, OpenDocument, Panel, Panes, Radius, Tool, View, limits_of};

const RATE: u32 = 16_000;
const SECS: f64 = 4.0;

/// Four seconds of stereo, the right channel half the left.
fn bench() -> Bench {
    let mut bench = Bench::with_clip(Drawing::None, "crow_44k_mono.flac");
    let at = |k: usize| 0.3 * (k as f32 * 0.2).sin() + 0.1 * (k as f32 * 0.37).sin();
    let left: Vec<f32> = (0..(SECS * f64::from(RATE)) as usize).map(at).collect();
    let right = left.iter().map(|x| x / 2.0).collect();
    let snapshot = Snapshot::new(Source::from_channels(vec![left, right], RATE).unwrap());
    bench.show(snapshot);
    bench
}

fn key_of(row: &Row) -> Option<(Modifiers, Key)> {
    let own = row.keys.first()?;
    let key = match own.code {
        Code::Char(letter) => Key::from_name(&letter.to_string())?,
        Code::F(number) => Key::from_name(&format!("F{number}"))?,
        Code::Left => Key::ArrowLeft,
        Code::Right => Key::ArrowRight,
        Code::Up => Key::ArrowUp,
        Code::Down => Key::ArrowDown,
        other => Key::from_name(&format!("{other:?}"))?,
    };
    Some((Modifiers { ctrl: own.ctrl, command: own.ctrl, shift: own.shift, ..NONE }, key))
}

/// By its key, or by typing its name into the palette.
fn give(bench: &mut Bench, command: impl Into<Command>) {
    let row = command.into().row();
    if let Some((modifiers, key)) = key_of(row) {
        return bench.key(modifiers, key);
    }
    bench.click("Find a command\u{2026}");
    bench.harness.get_by_label("Command to find").type_text(row.name);
    bench.settle();
    bench.key(NONE, Key::Enter);
}

fn document(bench: &Bench) -> &OpenDocument {
    bench.studio().document().unwrap()
}

fn view(bench: &Bench) -> View {
    document(bench).view().clone()
}

fn length(range: [f64; 2]) -> f64 {
    range[1] - range[0]
}

fn near(a: f64, b: f64) -> bool {
    (a - b).abs() < 1e-9 * a.abs().max(b.abs()).max(1.0)
}

/// The band in units of its axis.
fn units(view: &View) -> [f64; 2] {
    view.hz.map(|hz| view.axis.units_from_hz(hz))
}

fn look_at(bench: &mut Bench, secs: [f64; 2], hz: [f64; 2]) {
    bench.set_view(|view| (view.secs, view.hz) = (secs, hz));
    bench.settle();
}

/// What a command must make of the view, given the one before.
type ViewLaw = (ViewCommand, fn(&View, &View) -> bool);

const ZOOMS_AND_SCROLLS: [ViewLaw; 10] = [
    (ViewCommand::ZoomInTime, |a, b| near(length(b.secs), length(a.secs) / 2.0) && a.secs[0] < b.secs[0]),
    (ViewCommand::ZoomOutTime, |a, b| near(length(b.secs), length(a.secs) * 2.0) && b.secs[0] < a.secs[0]),
    (ViewCommand::ZoomInFrequency, |a, b| near(length(units(b)), length(units(a)) / 2.0) && b.hz[0] > a.hz[0]),
    (ViewCommand::ZoomOutFrequency, |a, b| near(length(units(b)), length(units(a)) * 2.0) && b.hz[0] < a.hz[0]),
    (ViewCommand::ScrollEarlier, |a, b| {
        near(length(b.secs), length(a.secs)) && near(a.secs[0] - b.secs[0], length(a.secs) / 8.0)
    }),
    (ViewCommand::ScrollLater, |a, b| {
        near(length(b.secs), length(a.secs)) && near(b.secs[0] - a.secs[0], length(a.secs) / 8.0)
    }),
    (ViewCommand::ScrollUp, |a, b| near(units(b)[0] - units(a)[0], length(units(a)) / 8.0) && b.hz[1] > a.hz[1]),
    (ViewCommand::ScrollDown, |a, b| near(units(a)[0] - units(b)[0], length(units(a)) / 8.0) && b.hz[1] < a.hz[1]),
    (ViewCommand::ZoomAllFrequency, |a, b| {
        b.secs == a.secs && near(b.hz[1], f64::from(RATE) / 2.0) && near(b.hz[0], 20.0)
    }),
    (ViewCommand::ZoomAll, |_, b| b.secs == [0.0, SECS] && near(b.hz[1], f64::from(RATE) / 2.0)),
];

#[test]
fn the_view_is_zoomed_and_scrolled() {
    let mut bench = bench();
    for (command, law) in ZOOMS_AND_SCROLLS {
        look_at(&mut bench, [1.0, 2.0], [200.0, 1600.0]);
        let before = view(&bench);
        give(&mut bench, command);
        let after = view(&bench);
        assert!(law(&before, &after), "{command:?}: {before:?} became {after:?}");
        assert!(command == ViewCommand::ZoomAll || !law(&before, &before), "{command:?}: its law can fail");
    }
    bench.select(Some([0.5, 1.25]), Some([300.0, 900.0]));
    give(&mut bench, ViewCommand::ZoomSelection);
    assert_eq!((view(&bench).secs, view(&bench).hz), ([0.5, 1.25], [300.0, 900.0]));
}

#[test]
fn the_view_stays_inside_the_sound() {
    let mut bench = bench();
    let limits = limits_of(document(&bench).shown());
    for (command, _) in ZOOMS_AND_SCROLLS {
        for _ in 0..40 {
            bench.harness.state_mut().apply(&egui::Context::default(), command);
            let View { secs, hz, .. } = view(&bench);
            assert!(secs[0] >= 0.0 && secs[1] <= SECS + 1e-9 && secs[0] < secs[1], "{command:?}: {secs:?}");
            assert!(hz[0] >= 0.0 && hz[1] <= limits.nyquist_hz + 1e-6 && hz[0] < hz[1], "{command:?}: {hz:?}");
        }
    }
}

#[test]
fn planes_channels_axes_and_colours_are_chosen_by_name_and_in_turn() {
    let mut bench = bench();
    for panes in [Panes::Phase, Panes::Both, Panes::Magnitude] {
        give(&mut bench, ViewCommand::Panes(panes));
        assert_eq!(view(&bench).panes, panes);
    }
    let in_turn = |bench: &mut Bench, command, n: usize| -> Vec<View> {
        (0..n)
            .map(|_| {
                give(bench, command);
                view(bench)
            })
            .collect()
    };
    let panes: Vec<_> = in_turn(&mut bench, ViewCommand::NextPanes, 3).iter().map(|view| view.panes).collect();
    assert_eq!(panes, [Panes::Phase, Panes::Both, Panes::Magnitude]);

    let channels = [ChannelView::One(0), ChannelView::One(1), ChannelView::Mid, ChannelView::Side, ChannelView::All];
    for which in channels {
        give(&mut bench, ViewCommand::Channels(which));
        assert_eq!((view(&bench).channels, view(&bench).stacked), (which, false));
    }
    give(&mut bench, ViewCommand::Stacked);
    assert_eq!(view(&bench).lanes(2), [ChannelView::One(0), ChannelView::One(1)]);
    give(&mut bench, ViewCommand::Channels(ChannelView::All));
    let seen = in_turn(&mut bench, ViewCommand::NextChannels, 6);
    assert!(seen[0].stacked && seen[1..].iter().all(|view| !view.stacked));
    assert_eq!(seen[1..].iter().map(|view| view.channels).collect::<Vec<_>>(), channels);

    for axis in [Axis::Linear, Axis::Mel, Axis::Bark, Axis::Log] {
        give(&mut bench, ViewCommand::Axis(axis));
        assert_eq!(view(&bench).axis, axis);
        assert!(near(view(&bench).hz[1], f64::from(RATE) / 2.0), "all is seen still");
    }
    let axes: Vec<_> = in_turn(&mut bench, ViewCommand::NextAxis, 4).iter().map(|view| view.axis).collect();
    assert!(Axis::ALL.iter().all(|axis| axes.contains(axis)) && axes[3] == Axis::Log);

    for map in Colormap::ALL {
        give(&mut bench, ViewCommand::Colormap(map));
        assert_eq!(view(&bench).colormap, map);
    }
    let maps: Vec<_> =
        in_turn(&mut bench, ViewCommand::NextColormap, Colormap::ALL.len()).iter().map(|view| view.colormap).collect();
    assert!(Colormap::ALL.iter().all(|map| maps.contains(map)));

    give(&mut bench, ViewCommand::RawPhase);
    assert!(view(&bench).raw_phase);
    give(&mut bench, ViewCommand::RawPhase);
    assert!(!view(&bench).raw_phase);
    assert!(view(&bench).smooth);
    give(&mut bench, ViewCommand::SmoothCells);
    assert!(!view(&bench).smooth);
    give(&mut bench, ViewCommand::SmoothCells);
    assert!(view(&bench).smooth);
    give(&mut bench, ViewCommand::LockRange);
    assert!(!view(&bench).range_locked, "it follows what is seen");
    give(&mut bench, ViewCommand::LockRange);
    assert!(view(&bench).range_locked);
}

#[test]
fn frames_grow_and_shrink_with_the_same_overlap() {
    let mut bench = bench();
    let usual = *view(&bench).transform.as_stft().unwrap();
    give(&mut bench, ViewCommand::LongerFrames);
    let longer = *view(&bench).transform.as_stft().unwrap();
    assert_eq!((longer.n_fft, longer.hop), (usual.n_fft * 2, usual.hop * 2));
    give(&mut bench, ViewCommand::ShorterFrames);
    assert_eq!(view(&bench).transform, usual.into());
    for _ in 0..12 {
        give(&mut bench, ViewCommand::ShorterFrames);
    }
    assert_eq!(view(&bench).transform.as_stft().unwrap().n_fft, 64, "the shortest there are");
}

#[test]
fn every_tool_is_taken_in_hand() {
    let mut bench = bench();
    for tool in Tool::ALL {
        // From another, so that each is a change.
        bench.pick(if tool == Tool::Hand { Tool::GAIN } else { Tool::Hand });
        give(&mut bench, ToolCommand::Pick(tool));
        assert_eq!(bench.tools().active(), tool);
        // The option bar is that of the tool.
        assert_eq!(bench.has("Hardness"), tool.is_shaped(), "{tool:?}");
    }
}

#[test]
fn the_brush_is_made_larger_smaller_harder_and_softer() {
    let mut bench = bench();
    give(&mut bench, ToolCommand::Pick(Tool::GAIN));
    let size = |bench: &mut Bench| match bench.tools().radius() {
        Radius::Screen { points } => points,
        Radius::Locked { .. } => panic!("it is locked"),
    };
    let usual = size(&mut bench);
    give(&mut bench, ToolCommand::BrushLarger);
    assert!((size(&mut bench) / usual - 1.25).abs() < 1e-6);
    give(&mut bench, ToolCommand::BrushSmaller);
    assert!((size(&mut bench) / usual - 1.0).abs() < 1e-6);
    assert_eq!(bench.tools().settings().hardness, 0.5);
    give(&mut bench, ToolCommand::BrushSofter);
    give(&mut bench, ToolCommand::BrushSofter);
    assert_eq!(bench.tools().settings().hardness, 0.3);
    give(&mut bench, ToolCommand::BrushHarder);
    assert_eq!(bench.tools().settings().hardness, 0.4);
    give(&mut bench, ToolCommand::ResetTool);
    assert_eq!(bench.tools().settings().hardness, 0.5);
}

#[test]
fn panels_and_the_size_of_the_interface_are_changed() {
    let mut bench = bench();
    assert!(!bench.has("Labels panel"), "hidden until there is a label");
    give(&mut bench, LayoutCommand::Panel(Panel::Labels));
    for panel in Panel::ALL {
        let heading = format!("{} panel", panel.name());
        assert!(bench.has(&heading), "{panel:?}");
        give(&mut bench, LayoutCommand::Panel(panel));
        assert!(!bench.has(&heading), "{panel:?}");
        give(&mut bench, LayoutCommand::Panel(panel));
        assert!(bench.has(&heading), "{panel:?}");
    }
    let scale = |bench: &Bench| bench.harness.ctx.zoom_factor();
    assert_eq!(scale(&bench), 1.0);
    give(&mut bench, WindowCommand::LargerInterface);
    give(&mut bench, WindowCommand::LargerInterface);
    assert_eq!(scale(&bench), 1.5);
    give(&mut bench, WindowCommand::SmallerInterface);
    assert_eq!(scale(&bench), 1.25);
}

#[test]
fn each_recent_file_is_opened_again() {
    let mut bench = Bench::new(Drawing::None);
    let paths: Vec<_> = (1..=8).map(|i| bench.out(&format!("take {i}.flac"))).collect();
    for path in &paths {
        std::fs::copy(clip("crow_44k_mono.flac"), path).unwrap();
        bench.open(path.clone());
        bench.settle();
    }
    // The last one opened is the first of the list, so that the file before each moves down by one.
    for index in [0, 1, 2, 3, 4, 5, 6, 7] {
        let was = document(&bench).path().map(std::path::Path::to_path_buf);
        give(&mut bench, FileCommand::OpenRecent(index));
        let is_same = document(&bench).path() == was.as_deref();
        assert_eq!(is_same, index == 0, "recent file {}", index + 1);
    }
}

/// Way, and whether it is along time and to the greater side.
const WAYS: [(Way, bool, f64); 4] =
    [(Way::Earlier, true, -1.0), (Way::Later, true, 1.0), (Way::Higher, false, 1.0), (Way::Lower, false, -1.0)];

#[test]
fn the_cursor_goes_every_way_and_takes_the_selection_along() {
    if !crate::support::studio::has_gpu() {
        return;
    }
    let mut bench = Bench::with_clip(Drawing::Wgpu, "crow_44k_mono.flac");
    let sound = document(&self::bench()).history().original().clone();
    bench.show(sound);
    give(&mut bench, ViewCommand::Axis(Axis::Linear));
    give(&mut bench, CursorCommand::Begin);
    let grid = grid_of(document(&bench).shown(), &view(&bench).transform);
    let step = [
        grid.secs_from_frame(1.0).max(bench.studio().viewport().unwrap().secs_per_pixel()),
        // One bin or one point, whichever is more: taken from the first step up.
        {
            place(&mut bench, 2.0, 3000.0);
            give(&mut bench, CursorCommand::Step(Way::Higher));
            let step_hz = document(&bench).cursor_hz() - 3000.0;
            assert!(step_hz >= grid.hz_from_bin(1.0) * 0.999 && step_hz < 3.0 * grid.hz_from_bin(1.0), "{step_hz}");
            step_hz
        },
    ];
    for (way, is_time, sign) in WAYS {
        for (act, n) in [(CursorCommand::Step(way), 1.0), (CursorCommand::Leap(way), 16.0)] {
            place(&mut bench, 2.0, 3000.0);
            give(&mut bench, act);
            let moved = [document(&bench).cursor_secs() - 2.0, document(&bench).cursor_hz() - 3000.0];
            let wanted = if is_time { [sign * n * step[0], 0.0] } else { [0.0, sign * n * step[1]] };
            for (moved, wanted) in moved.into_iter().zip(wanted) {
                assert!((moved - wanted).abs() < 1e-6 * wanted.abs().max(1.0), "{act:?}: {moved}, not {wanted}");
            }
        }
        for (act, n) in [(CursorCommand::Extend(way), 1.0), (CursorCommand::ExtendFar(way), 16.0)] {
            give(&mut bench, SelectCommand::Nothing);
            place(&mut bench, 2.0, 3000.0);
            give(&mut bench, act);
            let document = document(&bench);
            let (range, from, step) = match is_time {
                true => (document.selected_secs(), 2.0, step[0]),
                false => (document.selected_hz(), 3000.0, step[1]),
            };
            let far = from + sign * n * step;
            let range = range.unwrap_or_else(|| panic!("{act:?} selects nothing"));
            let wanted = [from.min(far), from.max(far)];
            assert!(range.iter().zip(wanted).all(|(a, b)| (a - b).abs() < 1e-6 * b.max(1.0)), "{act:?}: {range:?}");
        }
    }
}

fn place(bench: &mut Bench, secs: f64, hz: f64) {
    bench.act(DocumentAct::KeyCursor([secs, hz]));
    bench.settle();
}

#[test]
fn quitting_closes_the_window_and_asks_about_edits_first() {
    let closes = |bench: &mut Bench| {
        let (modifiers, key) = key_of(FileCommand::Quit.row()).unwrap();
        bench.harness.key_press_modifiers(modifiers, key);
        (0..6).any(|_| {
            bench.harness.step();
            let outputs = bench.harness.output().viewport_output.values();
            outputs.flat_map(|viewport| &viewport.commands).any(|requested| *requested == egui::ViewportCommand::Close)
        })
    };
    let mut bench = bench();
    bench.select(Some([1.0, 2.0]), None);
    give(&mut bench, EditCommand::EraseSelection);
    assert!(!closes(&mut bench), "there is an edit to ask about");
    assert!(bench.harness.query_all_by_label("Discard edits").next().is_some());
    bench.click("Keep editing");
    give(&mut bench, EditCommand::Undo);
    assert!(closes(&mut bench));
}

/// Commands that other tests give, by the name of one that fails if the command does nothing.
const ELSEWHERE: &[(&str, &str)] = &[
    ("pitch_lines::the_line_is_drawn_on_the_pitch_and_follows_edits", "pitch_line"),
    ("pitch_lines::the_line_is_saved_as_a_table_from_the_window", "save_pitch"),
    ("studio_damage::a_row_leads_to_its_places_and_is_ticked_off_by_its_own_repair", "find_damage"),
    ("studio_run_files::forty_files_are_run_in_six_inputs", "run_on_files"),
    ("studio_parts::labels_become_files_with_the_sounds_own_samples_and_a_table", "export_by_label"),
    ("studio::shift_delete_pulls_the_selection_down_to_its_surroundings", "attenuate_selection heal_selection"),
    ("studio::before_shows_and_plays_the_opened_file", "before"),
    ("studio::delete_erases_the_selection_and_undo_restores_the_bits", "erase_selection undo redo"),
    ("studio::what_is_exported_is_what_is_heard_and_untouched_samples_keep_their_bits", "export"),
    ("studio::a_file_is_opened_by_button_key_and_drop", "open"),
    ("studio::the_demo_clip_is_one_click_away", "open_demo"),
    ("studio::the_palette_finds_a_command_by_letters", "palette"),
    ("studio::play_is_heard_and_stops_and_loops", "play_stop loop"),
    ("studio::keys_change_tool_brush_and_view", "to_start to_end"),
    ("studio::escape_drops_the_stroke_in_hand", "lock_radius"),
    ("studio_cards::a_path_can_be_typed_each_time_the_card_opens", "open_path cancel"),
    ("studio_cards::the_key_sheet_lies_in_its_card", "keys"),
    ("studio_layout::panels_fold_hide_and_come_back", "panels"),
    ("studio_layout::the_spectrum_is_copied_line_by_line", "copy_spectrum"),
    ("studio_projects::a_project_is_saved_and_opened_with_its_whole_history", "save_project"),
    ("studio_projects::a_second_window_gets_a_copy", "save_project_as"),
    ("studio_remembers::a_recent_file_that_is_gone_is_told_with_what_to_do", "close"),
    ("studio_remembers::recent_files_are_listed_in_menu_and_empty_window", "forget_recent"),
    ("studio_commands::each_recent_file_is_opened_again", "open_recent_"),
    ("studio_remembers::view_tools_panels_and_theme_survive_a_restart", "theme"),
    ("hum::the_commands_find_hum_and_remove_it", "remove_hum"),
    ("studio_declip::clipped_peaks_are_previewed_compared_and_restored", "declip"),
    ("studio_isolation::speech_is_isolated_and_what_stands_out_of_the_noise_stays", "isolate_speech"),
    ("studio_isolation::speech_and_pauses_become_the_selection", "find_speech find_pauses"),
    ("studio_isolation::what_is_speech_is_selected_cell_by_cell_and_painted_on", "select_speech"),
    ("studio_tasks::voices_are_repaired_from_the_menu", "de_ess remove_plosives reduce_reverb"),
    ("previews::healing_at_once_and_through_the_preview_are_one_edit", "preview_heal"),
    (
        "previews::before_after_and_difference_are_chosen_by_key_and_button",
        "preview_before preview_after preview_difference",
    ),
    ("previews::before_after_and_difference_are_chosen_by_key_and_button", "preview_cancel preview_brush"),
    ("previews::a_heal_names_its_mode_and_offers_the_others", "other_heals"),
    ("previews::modes_of_heal_stand_side_by_side_and_one_is_taken", "preview_compare"),
    ("previews_heard::noise_is_previewed_its_settings_moved_its_difference_heard_and_applied", "preview_apply"),
    ("previews_heard::a_loop_with_a_little_around_it_follows_the_settings_without_a_click", "preview_loop"),
    ("sample_edits::each_command_is_one_step_that_is_undone_and_kept", "fade_in fade_out reverse remove_dc"),
    ("normalising::the_card_says_the_levels_and_brings_them_to_what_is_wished", "normalise"),
    ("stretch_edits::the_selection_is_shifted_by_a_card", "pitch_shift"),
    ("stretch_edits::what_is_stretched_floats_and_is_placed", "time_stretch"),
    ("stretch_edits::a_sound_is_resampled_to_a_new_document", "resample"),
    ("studio_recording::what_is_recorded_becomes_a_document_that_is_kept_until_it_is_given_up", "record"),
    ("studio_recording::a_window_that_is_closed_while_it_records_asks", "stop_recording"),
    ("found_notes::notes_become_labels_named_by_their_pitch", "find_notes"),
    ("found_places::tab_steps_through_what_was_found", "next_place previous_place"),
    ("studio_words::every_fft_size_is_a_command", "fft_size_"),
    ("studio_applies::the_button_applies_the_brush_named_beside_it", "apply_to_selection"),
    ("studio_brushes::the_phase_of_a_selection_is_made_again_on_demand", "rebuild_phase"),
    ("studio_finding::more_like_a_hit_are_other_hits", "find_alike"),
    ("studio_finding::what_is_found_becomes_the_selection", "find_clicks"),
    ("studio_finding::what_is_not_there_leaves_the_selection_alone", "find_clipping find_hum"),
    ("studio_pictures::keys_turn_flip_and_discard_it", "turn_picture flip_picture"),
    ("copied_pictures::what_is_copied_as_a_picture_comes_back_as_sound", "copy_picture"),
    ("copied_pictures::the_menu_asks_the_system_for_what_it_holds", "paste_picture"),
    ("copied_pictures::cells_are_saved_as_the_command_line_saves_them", "save_cells"),
    ("cells_back::cells_that_nobody_painted_over_change_nothing", "open_cells"),
    ("copied_pictures::a_picture_is_opened_as_sound_from_wherever_one_looks", "open_picture"),
    ("studio_voices::letter_keys_and_the_piano_play_the_voice", "typing_keyboard"),
    ("studio_pictures::what_is_seen_is_saved_with_axes_as_the_command_line_draws_it", "save_picture"),
    ("studio_notices::all_notices_are_closed_by_name", "close_notices"),
    ("studio_help::help_explains_the_program_and_leads_to_the_demo_clip", "first_steps"),
    ("studio_help::about_says_version_engine_and_licences", "about"),
    ("studio_voices::the_timbre_of_a_selection_is_taken_and_played", "take_timbre"),
    ("studio_finding::a_noise_is_learnt_and_reduced_by_two_commands", "learn_noise reduce_noise"),
    ("saving_back::the_file_is_replaced_at_its_own_depth_and_undo_gives_the_bits_of_the_original", "save_back"),
    ("studio_keeps::a_noise_of_yesterday_is_reduced_today_with_three_keys_or_three_clicks", "save_noise"),
    ("studio_keeps::noises_are_chosen_replaced_and_removed_and_bad_names_and_files_are_told", "remove_noise"),
    ("studio_keeps::a_saved_noise_fits_other_rates_and_says_where_it_ends", "use_noise"),
    ("studio_keeps::a_preset_sets_a_tool_and_a_preview_as_it_was", "save_preset use_preset remove_preset"),
    ("studio_library::a_dropped_folder_is_listed_searched_and_filtered", "library library_all"),
    ("studio_library::adding_is_paused_and_goes_on", "library_add_path library_pause library_retry"),
    ("studio_folders::folders_are_added_watched_and_taken_out", "library_add library_folders"),
    ("studio_donors::a_hole_is_filled_from_the_library_and_undone", "library_donors library_fill"),
    ("studio_donors::the_clone_brush_paints_with_the_donor_that_fits_around_a_stroke", "library_clone"),
    ("studio_library::what_is_like_the_selection_follows_it_once_it_rests", "library_similar library_similar_to_sound"),
    ("studio_library::duplicates_stand_side_by_side_and_their_null_test_has_a_level", "library_duplicates"),
    ("studio_library::a_sound_floats_at_its_time_and_pitch_and_the_export_holds_it", "library_paste"),
    ("studio_library::sounds_are_heard_equally_loud_and_the_list_is_played_by_keys", "library_match"),
    ("snapping::the_like_is_found_before_and_after", "find_next find_previous"),
    ("snapping::the_key_held_inverts_for_as_long_as_it_is_held", "snapping"),
    ("beat::the_grid_is_typed_moved_hidden_and_removed", "beat_grid beat_first_bar beat_lines beat_remove"),
    ("recorded_notes::four_bars_of_typed_notes_are_on_the_beat_and_one_step_of_the_history", "record_notes"),
    ("hearing::band_only_plays_the_selection_alone", "band_only"),
    ("hearing::delta_plays_what_the_last_stroke_changed", "delta"),
    ("hearing::meters_hold_peaks_and_clips_until_they_are_clicked", "clear_clips"),
    ("hearing::monitor_gain_and_solo_are_heard_and_never_exported", "monitor_louder monitor_reset solo_2 solo_next"),
    ("hearing::the_left_channel_is_heard_alone_and_quieter_until_it_is_stopped", "solo_1 monitor_quieter stop"),
    ("hearing::the_output_is_chosen_and_kept", "output"),
    ("studio_graphics::an_adapter_and_an_engine_are_chosen_for_the_next_start", "graphics"),
    ("hearing::the_shuttle_goes_back_and_faster_and_stays_where_it_is_paused", "pause shuttle_back shuttle_forward"),
    ("hearing::shift_space_plays_from_the_pointer", "play_from_pointer"),
    ("canvas_commands::the_loupe_is_there_while_its_key_is_held", "loupe"),
    ("canvas_commands::the_range_of_levels_is_fitted_reset_and_locked_by_command", "range_fit range_reset"),
    ("canvas_commands::channels_are_stacked_and_the_waveform_drawn_by_command", "waveform"),
    ("selecting::commands_invert_grow_shrink_feather_and_select_again", "invert_selection grow_selection reselect"),
    (
        "selecting::commands_invert_grow_shrink_feather_and_select_again",
        "shrink_selection feather_selection select_all",
    ),
    ("selecting::a_lasso_is_drawn_free_hand_or_by_clicks", "close_polygon select_none"),
    ("selecting::figures_of_the_selection_are_those_of_the_sound_and_are_copied", "copy_figures"),
    ("pasting::a_copy_is_pasted_at_the_cursor_and_selected_there", "copy paste land_paste"),
    ("pasting::a_cut_takes_away_and_a_paste_in_place_gives_back", "cut paste_in_place"),
    ("pasting::what_goes_past_the_end_is_offered_room", "lengthen"),
    ("pasting::an_empty_canvas_is_made_painted_and_exported", "new"),
    ("keyboard::enter_paints_a_dab_and_the_pen_a_line", "cursor_use cursor_pen"),
    ("keyboard::tools_that_select_are_used_at_the_cursor", "cursor_use_ctrl"),
    ("studio::ctrl_tab_goes_through_the_documents_and_back", "next_tab previous_tab"),
    ("tracing::the_profiler_shows_spans_and_can_be_hidden", "profiler"),
    ("studio_commands::the_view_is_zoomed_and_scrolled", "zoom_all zoom_selection zoom_in_time zoom_out_time"),
    ("studio_commands::the_view_is_zoomed_and_scrolled", "zoom_in_frequency zoom_out_frequency zoom_all_frequency"),
    ("studio_commands::the_view_is_zoomed_and_scrolled", "scroll_earlier scroll_later scroll_up scroll_down"),
    (
        "studio_commands::planes_channels_axes_and_colours_are_chosen_by_name_and_in_turn",
        "panes_ channels_ axis_ colours_",
    ),
    ("studio_commands::planes_channels_axes_and_colours_are_chosen_by_name_and_in_turn", "phase_raw range_lock"),
    ("studio_commands::planes_channels_axes_and_colours_are_chosen_by_name_and_in_turn", "smooth_cells"),
    ("studio_commands::frames_grow_and_shrink_with_the_same_overlap", "frames_longer frames_shorter"),
    ("studio_commands::every_tool_is_taken_in_hand", "tool_"),
    ("studio_commands::the_brush_is_made_larger_smaller_harder_and_softer", "brush_ reset_tool"),
    ("time_commands::a_selected_range_is_cut_out_and_trimmed_to_by_one_key_each", "delete_time keep_time"),
    ("time_commands::what_is_cut_and_closed_is_inserted_elsewhere", "cut_and_close paste_inserting duplicate_time"),
    ("time_commands::silence_is_inserted_by_a_card", "insert_silence"),
    ("time_commands::a_range_becomes_a_document_of_its_own", "split_to_new"),
    ("selections_taken::cut_to_float_moves_the_sound_in_one_step_or_not_at_all", "cut_to_float"),
    ("canvas_menus::both_open_by_key_at_the_cursor_and_are_walked_by_arrows", "canvas_menu brush_palette"),
    ("time_commands::stretched_sound_is_placed_over_what_follows_or_pushes_it", "land_pushing"),
    ("labels_named::the_selection_and_the_cursor_are_named_and_undone", "add_label"),
    (
        "labels_named::labels_are_listed_gone_to_renamed_and_removed",
        "rename_label remove_label previous_label next_label",
    ),
    ("labels_drawn::keys_act_on_the_label_in_hand_and_never_on_the_sound", "let_go_label select_label"),
    ("labels_drawn::what_was_found_is_listed_and_labelled_in_one_step", "label_places"),
    ("labels_drawn::the_list_is_filtered_sorted_stepped_through_and_emptied", "remove_shown_labels"),
    ("labels_drawn::labels_are_exported_imported_and_measured", "import_labels export_labels measure_labels"),
    ("labels_drawn::a_file_of_labels_beside_a_sound_is_offered", "import_labels_beside"),
    ("labels_drawn::a_drag_draws_a_label_of_the_class_in_hand", "label_class_ leave_label_tool"),
    ("labels_drawn::the_ruler_tells_the_time_of_day_of_a_broadcast_file", "time_of_day"),
    ("slow_playback::the_speed_is_stepped_by_keys_and_kept_for_each_document", "slower faster"),
    ("studio_commands::panels_and_the_size_of_the_interface_are_changed", "panel_ larger_interface smaller_interface"),
    ("studio_commands::the_cursor_goes_every_way_and_takes_the_selection_along", "cursor_ select_ cursor"),
];

#[test]
fn every_command_has_a_test() {
    let tests: Vec<(&str, &str)> = ELSEWHERE
        .iter()
        .chain(&[("studio_commands::quitting_closes_the_window_and_asks_about_edits_first", "quit")])
        .flat_map(|(test, ids)| ids.split(' ').map(move |id| (id, *test)))
        .collect();
    // An id, or the common prefix of a family, all of whose members the test covers.
    let test_of = |id: &str| {
        let is_it = |own: &str| own == id || own.ends_with('_') && id.starts_with(own);
        tests.iter().find(|(own, _)| *own == id).or_else(|| tests.iter().find(|(own, _)| is_it(own)))
    };
    let exists = |test: &str| {
        let (module, name) = test.split_once("::").unwrap();
        test_module(module).contains(&format!("fn {name}("))
    };
    for command in COMMANDS {
        let id = command.row().id;
        assert!(test_of(id).is_some_and(|(_, test)| exists(test)), "{id} has no test that gives it");
    }
    assert!(test_of("play_backwards").is_none() && !exists("studio::no_such_test"), "the check can fail");
    for (own, test) in &tests {
        let is_used = |command: Command| test_of(command.row().id).is_some_and(|used| used == &(*own, *test));
        assert!(COMMANDS.into_iter().any(is_used), "{own} of {test} is no command");
    }
}
