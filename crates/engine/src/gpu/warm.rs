//! Everything made ahead of the first stroke, which would otherwise wait for it.

use super::Gpu;
use super::shaders::Program;
use super::stft;
use super::tables::Table;
use crate::base::Result;
use crate::dsp::StftParams;

/// The longest roots of unity that are made before they are needed.
const LONGEST_READY: usize = 1 << 16;

impl Gpu {
    /// How many windows and other tables were made on the device.
    pub fn n_tables_made(&self) -> u64 {
        self.tables.n_made()
    }

    /// Compiles the pipelines of the brushes and, for a size that the GPU does, of the STFT, and makes
    /// their tables. Takes a second or so; call it from a thread of its own.
    ///
    /// # Errors
    /// [`Gpu`](crate::base::ErrorKind::Gpu) when the driver refuses one.
    pub fn warm_up(&self, params: &StftParams) -> Result<()> {
        let transforms = if self.does(params) { stft::programs(params) } else { Vec::new() };
        for program in transforms.into_iter().chain(Program::files()) {
            self.guarded(|| self.pipelines.get(self.device(), program))?;
        }
        for table in self.tables_for(params) {
            self.guarded(|| self.table(table))?;
        }
        Ok(())
    }

    /// What a stroke on a transform may need: windows, and the roots of its FFTs, of modulation filters and of the turning
    /// of bins, a megabyte in all.
    fn tables_for(&self, params: &StftParams) -> Vec<Table> {
        let size = params.window_len();
        let windows = [Table::Analysis(params.window, size), Table::Synthesis(params.window, size)];
        let roots = (1..=LONGEST_READY.ilog2()).map(|exponent| Table::Twiddles(1 << exponent));
        windows.into_iter().filter(|_| self.does(params)).chain(roots).collect()
    }
}
