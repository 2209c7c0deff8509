//! A table stored by columns, for export to other programs.

use std::borrow::Cow;

/// A table stored by columns.
pub struct ExportTable {
    /// Name of the table.
    pub name: &'static str,
    /// Columns in order.
    pub columns: Vec<ExportColumn>,
    /// Number of rows.
    pub n_rows: usize,
}

/// A column of an [`ExportTable`].
pub struct ExportColumn {
    /// Name of the column.
    pub name: Cow<'static, str>,
    /// One value per row.
    pub values: ExportValues,
}

/// The values of a column; `None` is an empty cell.
pub enum ExportValues {
    /// Whole numbers.
    Integers(Vec<Option<i64>>),
    /// Numbers.
    Reals(Vec<Option<f64>>),
    /// Texts.
    Texts(Vec<Option<String>>),
    /// Bytes.
    Bytes(Vec<Option<Vec<u8>>>),
    /// A list of numbers per row.
    Lists(Vec<Vec<f32>>),
}
