//! Cells of rows, and samples from them, on the device: against the CPU engine, whose cells are compared with the
//! definition in f64 elsewhere, and against the sound itself.

#![allow(clippy::print_stdout, reason = "figures are printed")]

use dsp::transforms::rows::{RowBank, RowsParams};
use dsp::{CellRect, GridPlan, Region, RowsPlan, SampleDifference, ViewPlan};
use engine::{Engine, EngineRegion};
use std::sync::Arc;
use support::gpu::{gpu, own_gpu};
use support::is_long;
use support::measure::snr_db_f32;
use support::regions::{Random, random_region};
use support::rows::{add, complex, sound};

/// Maximum distance between cells of the two engines, relative to full scale, which is 1 on any row.
pub const PARITY: f64 = 1e-6;

/// Minimum SNR of the round trip through cells and back, in dB.
const ROUND_TRIP_DB: f64 = 125.0;

/// Transforms with their sample rates in hertz: three by default, all presets at all rates in long test runs.
fn transforms() -> Vec<(&'static str, RowsParams, f64)> {
    let presets = [
        ("music", RowsParams::music()),
        ("fine pitch", RowsParams::fine_pitch()),
        ("bass", RowsParams::bass()),
        ("speech", RowsParams::speech()),
        ("mel 128", RowsParams::mel(128)),
    ];
    let all = presets.iter().flat_map(|(name, params)| RATES.map(|rate| (*name, params.clone(), rate)));
    // The longest slices there are: 4,194,304 samples.
    let all = all.chain([("bass", RowsParams::bass(), 192_000.0)]);
    let few = [("music", 44_100.0), ("speech", 96_000.0), ("mel 128", 48_000.0)];
    all.filter(|(name, _, rate)| is_long() || few.contains(&(name, *rate))).collect()
}

const RATES: [f64; 3] = [44_100.0, 48_000.0, 96_000.0];

pub fn bank(params: &RowsParams, rate: f64) -> Arc<RowBank> {
    Arc::new(RowBank::new(params, rate).unwrap())
}

fn engines() -> Option<[Engine; 2]> {
    gpu().map(|gpu| [Engine::on(gpu), support::engines::cpu()])
}

/// The cells of `rect`, analysed by an engine, with zeros beyond the ends of the sound.
fn analysed(engine: &Engine, plan: &GridPlan, sound: &[f32], rect: &CellRect) -> EngineRegion {
    let at = |i: i64| usize::try_from(i).ok().and_then(|i| sound.get(i)).copied().unwrap_or(0.0);
    engine.analyse(plan, &plan.samples_read(rect).map(at).collect::<Vec<_>>(), rect).unwrap()
}

/// The largest distance between cells of `a` and the cells of `b` that are `columns` and `rows` later.
pub fn apart(a: &Region, b: &Region, [columns, rows]: [usize; 2]) -> f64 {
    let CellRect { frames, bins } = &a.rect;
    let mut worst = 0.0f64;
    for frame in frames.start..frames.end - columns {
        for bin in bins.start..bins.end - rows {
            let (x, y) = (complex(a, a.index(frame, bin)), complex(b, b.index(frame + columns, bin + rows)));
            worst = worst.max((x[0] - y[0]).hypot(x[1] - y[1]));
        }
    }
    worst
}

/// Asserts that the cells of a rectangle agree, and as a control that those of the next column or row do not. Returns
/// their largest distance.
fn assert_cells_agree(on_gpu: &Region, on_cpu: &Region, what: &str) -> f64 {
    assert_eq!(on_gpu.rect, on_cpu.rect, "{what}");
    let off = apart(on_gpu, on_cpu, [0, 0]);
    assert!(off <= PARITY, "{what}: {off:e}");
    assert!(apart(on_gpu, on_cpu, [1, 0]) > PARITY, "{what}: the control of a column was not noticed");
    if on_gpu.rect.bins.len() > 1 {
        assert!(apart(on_gpu, on_cpu, [0, 1]) > PARITY, "{what}: the control of a row was not noticed");
    }
    assert!(on_gpu.phase.iter().all(|phase| (-0.5..0.5).contains(phase)) && on_gpu.magnitude.iter().all(|m| *m >= 0.0));
    off
}

/// Asserts that two differences touch the same frames and samples, and that the samples agree. Returns the SNR in dB.
fn assert_differences_agree(on_gpu: &SampleDifference, on_cpu: &SampleDifference, what: &str) -> f64 {
    assert_eq!(on_gpu.touched, on_cpu.touched, "{what}");
    assert_eq!((&on_gpu.ranges, on_gpu.first), (&on_cpu.ranges, on_cpu.first), "{what}");
    let db = snr_db_f32(&on_gpu.samples, &on_cpu.samples);
    assert!(db >= 115.0, "{what}: {db}");
    let mut spoiled = on_gpu.samples.clone();
    spoiled.rotate_right(1);
    assert!(snr_db_f32(&spoiled, &on_cpu.samples) < 115.0, "{what}: the control of a sample was not noticed");
    let is_within = |i: i64| on_gpu.ranges.iter().any(|range| range.contains(&i));
    let beyond = (on_gpu.first..).zip(&on_gpu.samples).filter(|(_, sample)| **sample != 0.0);
    assert!(beyond.map(|(i, _)| i).all(is_within), "{what}: a sample beyond the ranges");
    db
}

#[test]
fn cells_of_every_group_are_the_cpus_and_give_the_sound_back() {
    let Some([gpu, cpu]) = engines() else { return };
    for (name, params, rate) in transforms() {
        let (bank, sound) = (bank(&params, rate), sound(30_000, 5));
        let mut back = vec![0.0; sound.len()];
        let mut worst = (0.0f64, f64::INFINITY);
        for plan in RowsPlan::of_groups(&bank) {
            let group = plan.group();
            let what = format!("{name} at {rate} Hz, {group:?}");
            let rect = CellRect::new(0..group.n_columns(sound.len() as u64), group.rows());
            let plan = GridPlan::Rows(plan);
            let noting = gpu.noting();
            let [on_gpu, on_cpu] = [&noting, &cpu].map(|engine| analysed(engine, &plan, &sound, &rect));
            let cells = noting.download(on_gpu).unwrap();
            worst.0 = worst.0.max(assert_cells_agree(&cells, cpu.read(&on_cpu).unwrap().as_ref(), &what));
            // The difference between silence and these cells.
            let [by_gpu, by_cpu] = [&noting, &cpu].map(|engine| {
                let silence = engine.upload(Region::zeros(rect.clone())).unwrap();
                engine.difference(&plan, &silence, &engine.upload(cells.clone()).unwrap()).unwrap()
            });
            worst.1 = worst.1.min(assert_differences_agree(&by_gpu, &by_cpu, &what));
            add(&by_gpu, &mut back);
            assert!(noting.passes().iter().all(|pass| pass.is_on_gpu), "{what}: {:?}", noting.passes());
        }
        let db = snr_db_f32(&back, &sound);
        println!(
            "{name} at {rate} Hz: round trip {db:.1} dB, cells {:.1} dB of full scale, samples {:.1} dB",
            20.0 * worst.0.log10(),
            worst.1
        );
        assert!(db >= ROUND_TRIP_DB, "{name} at {rate} Hz: {db}");
        back[sound.len() / 2] += 1e-3;
        assert!(snr_db_f32(&back, &sound) < ROUND_TRIP_DB, "one wrong sample is noticed");
    }
}

/// The cells of `rect` in `before`, with every third row of some columns changed.
fn some_changed(before: &Region, rect: &CellRect, columns: &[usize]) -> Region {
    let mut after = before.crop(rect);
    for column in columns {
        for row in rect.bins.clone().step_by(3) {
            let i = after.index(*column, row);
            after.magnitude[i] *= 0.3;
            after.phase[i] = -after.phase[i];
        }
    }
    after
}

/// Computes a difference on both engines, on the device twice with the same bits, and asserts that they agree. Returns
/// that of the device.
fn both_differences(
    [gpu, cpu]: &[Engine; 2],
    plan: &GridPlan,
    before: &Region,
    after: &Region,
    what: &str,
) -> SampleDifference {
    let [first, second, on_cpu] = [gpu, gpu, cpu].map(|engine| {
        let [before, after] = [before, after].map(|region| engine.upload(region.clone()).unwrap());
        engine.difference(plan, &before, &after).unwrap()
    });
    let bits = |difference: &SampleDifference| difference.samples.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
    assert!(first == second && bits(&first) == bits(&second), "{what}: other bits the second time");
    assert_differences_agree(&first, &on_cpu, what);
    first
}

#[test]
fn only_slices_with_a_changed_cell_change_samples() {
    let Some(engines) = engines() else { return };
    let bank = bank(&RowsParams::music(), 44_100.0);
    let plans = RowsPlan::of_groups(&bank);
    // Few slices, read back together with the flags; many slices, for which the flags are read first; rows with long
    // slices.
    for (group, n_columns, columns) in
        [(plans.len() - 2, 400, vec![40, 41, 160]), (plans.len() - 2, 60_000, vec![50, 59_990]), (1, 90, vec![33, 70])]
    {
        let plan = GridPlan::Rows(plans[group].clone());
        let rows = plans[group].group().rows();
        let rect = CellRect::new(20..n_columns, rows.start..rows.start + rows.len().min(9) - 2);
        let around = CellRect::new(15..n_columns + 3, rows.start..rows.start + rows.len().min(9));
        let mut before = random_region(&mut Random(group as u64), &around);
        let silent = before.index(columns[0] + 3, rows.start);
        before.magnitude[silent] = 0.0;
        let mut after = some_changed(&before, &rect, &columns);
        let silent = after.index(columns[0] + 3, rows.start);
        after.phase[silent] = 0.25;
        let found = both_differences(&engines, &plan, &before, &after, &format!("{group}, {n_columns}"));
        let touched: Vec<usize> = (20..n_columns).filter(|column| found.touched[column - 20]).collect();
        assert_eq!(touched, columns);
        // Unchanged cells give an empty difference.
        let same = before.crop(&rect);
        let [before, after] = [&before, &same].map(|region| engines[0].upload(region.clone()).unwrap());
        let nothing = engines[0].difference(&plan, &before, &after).unwrap();
        assert_eq!(nothing, SampleDifference { touched: vec![false; rect.frames.len()], ..Default::default() });
    }
}

#[test]
fn rows_of_several_groups_share_a_grid() {
    let Some(engines) = engines() else { return };
    let (bank, sound) = (bank(&RowsParams::music(), 44_100.0), sound(40_000, 7));
    let [gpu, cpu] = &engines;
    let compared = |plan: &GridPlan, rect: &CellRect, what: &str| {
        let [on_gpu, on_cpu] = [gpu, cpu].map(|engine| analysed(engine, plan, &sound, rect));
        let (on_gpu, on_cpu) = (gpu.download(on_gpu).unwrap(), cpu.download(on_cpu).unwrap());
        assert_cells_agree(&on_gpu, &on_cpu, what);
        on_gpu
    };
    // Includes four rows on either side of the group; at the first columns, some of these rows do not have any cells
    // yet.
    for plan in RowsPlan::of_groups(&bank).into_iter().skip(2).step_by(3) {
        let rows = plan.group().rows();
        let rows = (rows.start - 4).max(1)..(rows.end + 4).min(bank.scale_rows().end);
        let last = plan.group().n_columns(sound.len() as u64).min(700);
        let what = format!("around {:?}", plan.group());
        compared(&GridPlan::Rows(plan), &CellRect::new(0..last, rows), &what);
    }
    // The grid for moves has rows with slices of several lengths; changes are synthesised with the slices of each
    // group.
    let middle = bank.group_of(bank.row_from_hz(2000.0) as usize).rows().end;
    let plan = RowsPlan::for_moves(&bank, middle - 6..middle + 7);
    assert!(plan.changed_rows(&CellRect::new(900..1000, middle - 6..middle + 7)).len() > 1);
    let group = plan.group().clone();
    let plan = GridPlan::Rows(plan);
    let inside = group.first_column_inside();
    let rect = CellRect::new(inside..inside + 500, group.rows());
    let before = compared(&plan, &rect, "moves");
    let after = some_changed(&before, &rect, &[inside + 100, inside + 420]);
    both_differences(&engines, &plan, &before, &after, "moves");
}

#[test]
fn rows_of_a_view_are_the_cpus() {
    let Some([gpu, cpu]) = engines() else { return };
    let (bank, sound) = (bank(&RowsParams::music(), 44_100.0), sound(60_000, 9));
    let ViewPlan::Rows(drawn) = ViewPlan::of_rows(bank.clone()) else { panic!("not rows") };
    let all = bank.rows().len();
    // All rows from the first frame on; rows of a few groups; and frames so late that phases in turns have wrapped many
    // times.
    for rect in
        [CellRect::new(0..90, 0..all), CellRect::new(33..70, 60..130), CellRect::new(1 << 28..(1 << 28) + 20, 90..140)]
    {
        let read = drawn.samples_read(0, &rect);
        let samples: Vec<f32> = read.map(|i| sound[i.rem_euclid(sound.len() as i64) as usize]).collect();
        let plan = ViewPlan::Rows(drawn.clone());
        let [on_gpu, on_cpu] = [&gpu, &cpu].map(|engine| {
            let region = engine.analyse_view(&plan, &samples, &rect).unwrap();
            engine.download(region).unwrap()
        });
        assert_cells_agree(&on_gpu, &on_cpu, &format!("{rect:?}"));
    }
}

#[test]
fn silence_has_no_cells() {
    let Some([gpu, _]) = engines() else { return };
    let bank = bank(&RowsParams::speech(), 44_100.0);
    for plan in RowsPlan::of_groups(&bank) {
        let rect = CellRect::new(0..plan.group().n_columns(5_000), plan.group().rows());
        let cells = gpu.download(analysed(&gpu, &GridPlan::Rows(plan), &[0.0; 5_000], &rect)).unwrap();
        assert_eq!(cells, Region::zeros(rect));
    }
}

#[test]
fn what_buffers_held_before_is_not_seen_in_rows() {
    let Some(gpu) = own_gpu() else { return };
    let engine = Engine::on(gpu.clone());
    let (bank, sound) = (bank(&RowsParams::music(), 44_100.0), sound(20_000, 3));
    let plans = RowsPlan::of_groups(&bank);
    let all = || {
        [2, plans.len() - 2].map(|group| {
            let plan = GridPlan::Rows(plans[group].clone());
            let rows = plans[group].group().rows();
            // Includes two rows below the group, which are read at the hop of the group.
            let rect = CellRect::new(0..300, rows.start - 2..rows.end);
            let region = analysed(&engine, &plan, &sound, &rect);
            let own = engine.crop(&region, &CellRect::new(0..300, rows.clone())).unwrap();
            let silence = engine.upload(Region::zeros(own.rect().clone())).unwrap();
            let difference = engine.difference(&plan, &silence, &own).unwrap();
            (engine.download(region).unwrap(), difference)
        })
    };
    let clean = all();
    let (made, tables) = (gpu.buffers_created(), engine.n_tables_made());
    // Every free buffer is filled with NaN.
    for exponent in 0..20 {
        for quarter in 4..8 {
            let n = (quarter << exponent) / 4;
            let held: Vec<_> = (0..3)
                .map(|_| {
                    let mut spoiled = Region::zeros(CellRect::new(0..n, 0..1));
                    spoiled.magnitude.fill(f32::NAN);
                    spoiled.phase.fill(f32::NAN);
                    gpu.upload(&spoiled).unwrap()
                })
                .collect();
            drop(held);
        }
    }
    assert!(all() == clean, "NaN of an earlier user is seen");
    let (made_by_now, n_tables) = (gpu.buffers_created(), engine.n_tables_made());
    assert!(made > 0 && n_tables == tables, "tables are made once");
    for _ in 0..3 {
        all();
    }
    assert_eq!(gpu.buffers_created(), made_by_now, "no buffer is made again");
}

#[test]
fn windows_too_wide_are_left_to_the_cpu_with_a_reason() {
    let Some([gpu, cpu]) = engines() else { return };
    // Moves over six octaves, at the hop of the highest rows and with slices as long as those of the lowest.
    let bank = bank(&RowsParams::fine_pitch(), 44_100.0);
    let rows = bank.row_from_hz(60.0) as usize..bank.row_from_hz(5000.0) as usize;
    let plan = RowsPlan::for_moves(&bank, rows.clone());
    let first = plan.group().first_column_inside();
    let (plan, noting) = (GridPlan::Rows(plan), gpu.noting());
    let rect = CellRect::new(first..first + 20, rows);
    let sound = sound(5_000, 1);
    let [on_gpu, on_cpu] = [&noting, &cpu].map(|engine| analysed(engine, &plan, &sound, &rect));
    assert!(noting.download(on_gpu).unwrap() == cpu.download(on_cpu).unwrap());
    let passes = noting.passes();
    let why = "windows of these rows are too wide for sums on the device";
    assert_eq!((passes.len(), passes[0].is_on_gpu, passes[0].why), (1, false, Some(why)), "{passes:?}");
}
