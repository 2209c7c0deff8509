//! Prepares everything that the first stroke needs, so that it need not wait.

use super::Gpu;
use super::buffers::tables::Table;
use super::shaders::Program;
use crate::base::Result;
use crate::dsp::StftParams;

/// Maximum length of the tables of roots of unity prepared in advance.
const MAX_WARM_LEN: usize = 1 << 16;

impl Gpu {
    /// Number of windows and other tables created on the device.
    pub fn n_tables_made(&self) -> u64 {
        self.tables.n_made() + self.row_tables.n_made() + self.row_taps.n_made()
    }

    /// Compiles the pipelines of the brushes and of rows, except those of their FFTs, whose sizes depend on the sound.
    ///
    /// # Errors
    /// [`Gpu`](crate::base::ErrorKind::Gpu) when the driver refuses one.
    pub fn warm_up_rows(&self) -> Result<()> {
        for program in Program::files().chain(Program::ROWS) {
            self.guarded(|| self.pipelines.get(self.device(), program))?;
        }
        Ok(())
    }

    /// Compiles the pipelines of the brushes and of the STFT, and creates their tables. Takes about a second; call it
    /// from a thread of its own.
    ///
    /// # Errors
    /// As [`analyse`](Gpu::analyse), and [`Gpu`](crate::base::ErrorKind::Gpu) when the driver refuses one.
    pub fn warm_up(&self, params: &StftParams) -> Result<()> {
        let fft = self.guarded(|| self.fft(params.n_fft))?;
        for program in fft.programs().chain(Program::files()) {
            self.guarded(|| self.pipelines.get(self.device(), program))?;
        }
        for table in tables_for(params) {
            self.guarded(|| self.table(table))?;
        }
        Ok(())
    }
}

/// Tables that a stroke on a transform may need: windows, and the roots of its FFTs, of modulation filters and of the
/// rotation of bins, a megabyte in all.
fn tables_for(params: &StftParams) -> Vec<Table> {
    let size = params.window_len();
    let windows = [Table::Analysis(params.window, size), Table::Synthesis(params.window, size)];
    let roots = (1..=MAX_WARM_LEN.ilog2()).map(|exponent| Table::Twiddles(1 << exponent));
    windows.into_iter().chain(roots).collect()
}
