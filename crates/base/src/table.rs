//! A table by columns, for export to other programs.

use std::borrow::Cow;

/// A table by columns.
pub struct ExportTable {
    /// Its name.
    pub name: &'static str,
    /// Columns in order.
    pub columns: Vec<ExportColumn>,
    /// Number of rows.
    pub n_rows: usize,
}

/// A column.
pub struct ExportColumn {
    /// Its name.
    pub name: Cow<'static, str>,
    /// A value for each row.
    pub values: ExportValues,
}

/// The values of a column.
pub enum ExportValues {
    /// Whole numbers.
    Integers(Vec<Option<i64>>),
    /// Numbers.
    Reals(Vec<Option<f64>>),
    /// Texts.
    Texts(Vec<Option<String>>),
    /// Bytes.
    Bytes(Vec<Option<Vec<u8>>>),
    /// Several numbers a row.
    Lists(Vec<Vec<f32>>),
}
