//! Prepares everything that the first stroke needs, so that it need not wait.

use super::Gpu;
use super::buffers::tables::Table;
use super::passes::stft;
use super::shaders::Program;
use crate::base::Result;
use crate::dsp::StftParams;

/// Maximum length of the tables of roots of unity prepared in advance.
const MAX_WARM_LEN: usize = 1 << 16;

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

    /// Tables that a stroke on a transform may need: windows, and the roots of unity for its FFTs, for modulation
    /// filters and for the rotation of bins; a megabyte in all.
    fn tables_for(&self, params: &StftParams) -> Vec<Table> {
        let size = params.window_len();
        let windows = [Table::Analysis(params.window, size), Table::Synthesis(params.window, size)];
        let roots = (1..=MAX_WARM_LEN.ilog2()).map(|exponent| Table::Twiddles(1 << exponent));
        windows.into_iter().filter(|_| self.does(params)).chain(roots).collect()
    }
}
