//! `superword._core`: the engine as a Python module. Thin on purpose: it converts, releases the
//! GIL, maps errors and turns Ctrl-C into a stop. Nothing is decided here.

use pyo3::prelude::*;

#[pymodule]
fn _core(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    Ok(())
}
