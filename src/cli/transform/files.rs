//! The output files: arrays, and the description beside them.

use crate::base::{Error, ErrorKind, Result, check_room, npy_header, other_than, own_json, write_atomic};
use crate::cli::common::outputs::refuse_same_file;
use serde_json::{Map, Value};
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

/// Keys that every description file has.
const KEYS: [&str; 4] = ["transform", "groups", "rows", "engine"];

/// Paths of the arrays and the description.
#[derive(Debug)]
pub(super) struct ArrayOutputs {
    /// Output path as typed.
    output: PathBuf,
    description: PathBuf,
    /// The description of an earlier run, which will be replaced.
    earlier: Option<Map<String, Value>>,
}

impl ArrayOutputs {
    /// Plans the outputs.
    ///
    /// # Errors
    /// If the description would replace a file of another kind.
    pub fn of(output: &Path) -> Result<ArrayOutputs> {
        let description = output.with_extension("json");
        if description == output {
            let why = "ends in .json, the name of the description; end it in .npy";
            return Err(Error::new(ErrorKind::Unsupported, why).at(output));
        }
        let earlier = own_json(&description, &KEYS, "the description of a transform")?;
        Ok(ArrayOutputs { output: output.to_path_buf(), description, earlier })
    }

    /// Path of the description file.
    pub fn description(&self) -> &Path {
        &self.description
    }

    /// Paths for `n_arrays` arrays: the output itself, or numbered files beside it. Since the user did not name the
    /// numbered files, they may only replace those of an earlier run.
    ///
    /// # Errors
    /// If any other file would be replaced, or the disk has no room for `n_bytes`.
    pub fn arrays(&self, input: &Path, n_arrays: usize, n_bytes: u64) -> Result<Vec<PathBuf>> {
        let folder = self.output.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        check_room(folder, n_bytes).map_err(|error| error.at(&self.output))?;
        if n_arrays == 1 {
            return Ok(vec![self.output.clone()]);
        }
        let stem = self.output.file_stem().unwrap_or_default().to_string_lossy();
        let width = (n_arrays - 1).to_string().len();
        let path = |number: usize| self.output.with_file_name(format!("{stem}-{number:0width$}.npy"));
        let paths: Vec<PathBuf> = (0..n_arrays).map(path).collect();
        for path in &paths {
            refuse_same_file(input, path)?;
            if path.symlink_metadata().is_ok() && !self.is_of_earlier(path) {
                return Err(other_than(path, "an array of an earlier run"));
            }
        }
        Ok(paths)
    }

    /// A notice about arrays of an earlier run that still exist and are not among `paths`.
    pub fn left_over(&self, paths: &[PathBuf]) -> Option<String> {
        let still_there = |name: &&str| {
            let path = self.output.with_file_name(name);
            !paths.contains(&path) && path.is_file()
        };
        let names: Vec<&str> = self.earlier_names().filter(still_there).collect();
        let [first, .., last] = names.as_slice() else {
            return names.first().map(|name| format!("{name} is of an earlier run and not described any more"));
        };
        Some(format!("{first} to {last} are of an earlier run and not described any more"))
    }

    fn is_of_earlier(&self, path: &Path) -> bool {
        self.earlier_names().any(|name| path.file_name().is_some_and(|file| file == name))
    }

    fn earlier_names(&self) -> impl Iterator<Item = &str> {
        let groups = self.earlier.iter().filter_map(|earlier| earlier["groups"].as_array()).flatten();
        groups.filter_map(|group| group["file"].as_str()).filter(|name| !name.contains(['/', '\\']))
    }
}

/// An array being written.
#[derive(Debug)]
pub(super) struct ArrayFile<'a> {
    path: &'a Path,
    out: &'a mut BufWriter<File>,
    n_not_finite: u64,
}

impl ArrayFile<'_> {
    /// Writes the header of an array of this shape in Fortran order: channels come first and vary fastest.
    pub fn begin(&mut self, shape: [usize; 3]) -> Result<()> {
        self.write(&npy_header("<c8", true, &shape))
    }

    /// Appends complex values as real and imaginary parts.
    pub fn append(&mut self, values: &[[f32; 2]]) -> Result<()> {
        let is_finite = |value: &&[f32; 2]| value[0].is_finite() && value[1].is_finite();
        self.n_not_finite += (values.len() - values.iter().filter(is_finite).count()) as u64;
        self.write(bytemuck::cast_slice(values))
    }

    fn write(&mut self, bytes: &[u8]) -> Result<()> {
        self.out.write_all(bytes).map_err(|error| Error::io(&error, "written", self.path))
    }
}

/// Writes files together: all are complete before the first gets its final name. Returns the number of non-finite
/// values.
pub(super) fn write_together(
    paths: &[PathBuf],
    opened: Vec<ArrayFile<'_>>,
    work: &mut dyn FnMut(&mut [ArrayFile<'_>]) -> Result<()>,
) -> Result<u64> {
    let mut opened = opened;
    let Some((path, rest)) = paths.split_first() else {
        work(&mut opened)?;
        // Flushing the buffers may fail on a full disk.
        opened
            .iter_mut()
            .try_for_each(|file| file.out.flush().map_err(|error| Error::io(&error, "written", file.path)))?;
        return Ok(opened.iter().map(|file| file.n_not_finite).sum());
    };
    let mut n_not_finite = 0;
    write_atomic(path, |out| {
        let mut opened = opened;
        opened.push(ArrayFile { path, out, n_not_finite: 0 });
        n_not_finite = write_together(rest, opened, work)?;
        Ok(())
    })?;
    Ok(n_not_finite)
}
