//! `superword._core`: the engine as a Python module. Thin on purpose: it converts, releases the
//! GIL, maps errors and turns Ctrl-C into a stop. Nothing is decided here.

mod arrow;
mod encoding;
mod errors;
mod files;
mod model;
mod pretokenizer;
mod spool;
mod training;
mod watch;

use pyo3::prelude::*;

#[pymodule(gil_used = false)]
fn _core(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_class::<pretokenizer::PyPretokenizer>()?;
    module.add_class::<spool::PySpool>()?;
    module.add_class::<model::PyModel>()?;
    module.add_function(wrap_pyfunction!(training::train, module)?)?;
    module.add_function(wrap_pyfunction!(pretokenizer::preset_names, module)?)?;
    module.add_function(wrap_pyfunction!(pretokenizer::script_names, module)?)?;
    Ok(())
}
