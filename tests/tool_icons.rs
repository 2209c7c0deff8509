//! Each tool has an icon that stands for nothing else, and the column of tools has groups with names, and tooltips
//! beside it.

use crate::support::studio::{Bench, Drawing};
use egui::{Event, Rect, pos2};
use egui_kittest::kittest::{NodeT, Queryable};
use sonobrush::workbench::Tool;
use sonobrush::workbench::commands::{COMMANDS, Command, ToolCommand};

#[test]
fn the_icon_of_a_tool_stands_for_it_alone() {
    for tool in Tool::ALL {
        let icon = ToolCommand::Pick(tool).row().icon.unwrap();
        let others = COMMANDS.iter().filter(|command| **command != Command::Tool(ToolCommand::Pick(tool)));
        let same: Vec<&str> =
            others.filter(|command| command.row().icon == Some(icon)).map(|command| command.row().id).collect();
        assert!(same.is_empty(), "{tool:?} looks like {same:?}");
    }
}

#[test]
fn tools_stand_in_named_groups_with_tooltips_to_the_right() {
    let mut bench = Bench::with_clip(Drawing::None, "crow_44k_mono.flac");
    let column = bench.harness.get_by_label("Hand").rect();
    let is_in_column = |rect: &Rect| rect.right() < 100.0;
    let heights: Vec<f32> = ["Select", "Level", "Filter", "Draw", "Retouch", "More"]
        .into_iter()
        .map(|name| {
            let group = format!("{name} tools");
            let mut all = bench.harness.query_all_by_label(&group).map(|node| node.rect());
            all.find(is_in_column).unwrap_or_else(|| panic!("{name} is not named")).center().y
        })
        .collect();
    assert!(heights.is_sorted() && column.center().y > heights[5], "{heights:?} {column:?}");
    // Beside the column, at the height of its tool; it covers none of them.
    let tool = bench.harness.query_all_by_label("Box").map(|node| node.rect()).find(is_in_column).unwrap();
    bench.harness.event(Event::PointerMoved(tool.center()));
    for _ in 0..90 {
        bench.harness.step();
    }
    let what = "Drag to select a rectangle in time and frequency.";
    let tip =
        bench.harness.query_all_by_label_contains(what).find(|node| node.accesskit_node().role() == egui::Role::Label);
    let tip = tip.expect("the tooltip is shown").rect();
    let right = bench.harness.query_all_by_label("Magic wand").map(|node| node.rect().right()).fold(0.0, f32::max);
    assert!(tip.left() >= right && (tip.center().y - tool.center().y).abs() < 40.0, "{tip:?} {tool:?}");
    bench.harness.event(Event::PointerMoved(pos2(600.0, 400.0)));
}
