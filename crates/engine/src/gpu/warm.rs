//! Everything prepared ahead of the first stroke, so that the stroke need not wait for it.

use super::Gpu;
use super::shaders::Program;
use super::stft;
use super::tables::Table;
use crate::base::Result;
use crate::dsp::StftParams;

/// Maximum length of the roots of unity that are prepared in advance.
const LONGEST_READY: usize = 1 << 16;

impl Gpu {
    /// Number of windows and other tables created on the device.
    pub fn n_tables_made(&self) -> u64 {
        self.tables.n_made()
    }

    /// Compiles the pipelines of the brushes and, for a size supported by the GPU, of the STFT, and creates their
    /// tables. Takes about a second; call it from a thread of its own.
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

    /// Tables that a stroke on a transform may need: windows, and the roots of its FFTs, of modulation filters and of
    /// the rotation of bins, a megabyte in all.
    fn tables_for(&self, params: &StftParams) -> Vec<Table> {
        let size = params.window_len();
        let windows = [Table::Analysis(params.window, size), Table::Synthesis(params.window, size)];
        let roots = (1..=LONGEST_READY.ilog2()).map(|exponent| Table::Twiddles(1 << exponent));
        windows.into_iter().filter(|_| self.does(params)).chain(roots).collect()
    }
}
