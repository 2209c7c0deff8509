//! Commands of labels.

use super::Code::{Backspace, Delete, Enter, Escape, Tab};
use super::Menu;
use super::Need::{self, Document, LabelInHand, Labelling, Labels, LabelsBeside, WholeSound};
use super::table::icons;
use super::table::key::{key, plain};
use super::table::row::rows;

/// A command about labels.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "its row says what each does")]
pub enum LabelCommand {
    Add,
    Rename,
    Remove,
    Next,
    Previous,
    Select,
    LetGo,
    Places,
    RemoveShown,
    Import,
    ImportBeside,
    Export,
    Measure,
    /// Selects the class with this index, from 0.
    Class(usize),
    LeaveTool,
}

/// Tooltip of the class commands.
const CLASS: &str = "Makes this class the one that the label tool draws; a label in hand gets it.";

rows! { LabelCommand:
    ALL in (Menu::Select, "Labels") {
        Add => row("add_label", "Add label\u{2026}",
            "Names the selection, or the place of the playhead or the cursor where nothing is selected.",
            &[Document, WholeSound]).keys(&[key('M')]),
        Places => row("label_places", "Label all found places\u{2026}",
            "Makes a label of each place that was found and selected.", &[Document, WholeSound, Need::Places]),
        Rename => row("rename_label", "Rename label\u{2026}",
            "Changes text and colour of the label in hand.", &[Document, WholeSound, Labels])
            .keys(&[plain(Enter)]).with_label(),
        Remove => row("remove_label", "Remove label",
            "Removes the label in hand; the sound stays as it is.", &[Document, WholeSound, Labels])
            .keys(&[plain(Delete), plain(Backspace)]).with_label(),
        Next => row("next_label", "Next label", "Selects and plays the next label of the list.", &[Document, Labels])
            .keys(&[plain(Tab)]).with_label().repeats(),
        Previous => row("previous_label", "Previous label",
            "Selects and plays the label before in the list.", &[Document, Labels])
            .keys(&[plain(Tab).with_shift()]).with_label().repeats(),
        Select => row("select_label", "Select label's range",
            "Selects the time and the band of the label in hand.", &[Document, LabelInHand]),
        LetGo => row("let_go_label", "Let go of label",
            "Delete and Enter act on the sound again.", &[Document, LabelInHand])
            .keys(&[plain(Escape)]).with_label(),
        RemoveShown => row("remove_shown_labels", "Remove listed labels",
            "Removes all labels that the list shows, as it is filtered.", &[Document, WholeSound, Labels]),
        Import => row("import_labels", "Import labels\u{2026}",
            "Adds the labels of a file of Audacity, Raven, Praat, CSV or subtitles.", &[Document, WholeSound]),
        ImportBeside => row("import_labels_beside", "Import labels beside the file",
            "Adds the labels of the file that lies beside this sound.", &[Document, WholeSound, LabelsBeside]),
        Export => row("export_labels", "Export labels\u{2026}",
            "Writes all labels for Audacity, Raven, Praat, tables or subtitles, as the name ends.",
            &[Document, WholeSound, Labels]),
        Measure => row("measure_labels", "Save measurements\u{2026}",
            "Measures the sound at each listed label and writes a table, CSV or Parquet.",
            &[Document, WholeSound, Labels]).icon(icons::DOWNLOAD),
    }
    CLASSES in (Menu::Select, "Label classes") {
        Class(0) => row("label_class_1", "Class 1", CLASS, &[Document]).keys(&[key('1')]).while_labelling(),
        Class(1) => row("label_class_2", "Class 2", CLASS, &[Document]).keys(&[key('2')]).while_labelling(),
        Class(2) => row("label_class_3", "Class 3", CLASS, &[Document]).keys(&[key('3')]).while_labelling(),
        Class(3) => row("label_class_4", "Class 4", CLASS, &[Document]).keys(&[key('4')]).while_labelling(),
        Class(4) => row("label_class_5", "Class 5", CLASS, &[Document]).keys(&[key('5')]).while_labelling(),
        Class(5) => row("label_class_6", "Class 6", CLASS, &[Document]).keys(&[key('6')]).while_labelling(),
        Class(6) => row("label_class_7", "Class 7", CLASS, &[Document]).keys(&[key('7')]).while_labelling(),
        Class(7) => row("label_class_8", "Class 8", CLASS, &[Document]).keys(&[key('8')]).while_labelling(),
        Class(8) | Class(9..) => row("label_class_9", "Class 9", CLASS, &[Document])
            .keys(&[key('9')]).while_labelling(),
        LeaveTool => row("leave_label_tool", "Lay the label tool down",
            "Takes the tool in hand that was there before.", &[Labelling])
            .keys(&[plain(Escape)]).while_labelling(),
    }
}
