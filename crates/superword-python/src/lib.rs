//! `superword._core`: the engine as a Python module. Thin on purpose: it converts, releases the
//! GIL, maps errors and turns Ctrl-C into a stop. Nothing is decided here.

mod arguments;
mod arrow;
mod batches;
mod candidates;
mod columns;
mod counts;
mod documents;
mod encoding;
mod errors;
mod files;
mod model;
mod parts;
mod pretokenizer;
mod spool;
mod stages;
mod training;
mod watch;
mod work_dir;

use pyo3::prelude::*;

#[pymodule(gil_used = false)]
fn _core(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_class::<pretokenizer::PyPretokenizer>()?;
    module.add_class::<spool::PySpool>()?;
    module.add_class::<model::PyModel>()?;
    module.add_class::<batches::PyBatches>()?;
    module.add_class::<work_dir::PyWorkDir>()?;
    module.add_class::<counts::PyCounts>()?;
    module.add_class::<candidates::PyCandidates>()?;
    module.add_function(wrap_pyfunction!(arguments::max_threads, module)?)?;
    module.add_function(wrap_pyfunction!(training::train, module)?)?;
    module.add_function(wrap_pyfunction!(stages::check_memory, module)?)?;
    module.add_function(wrap_pyfunction!(stages::count_pretokens, module)?)?;
    module.add_function(wrap_pyfunction!(stages::train_words, module)?)?;
    module.add_function(wrap_pyfunction!(stages::count_candidates, module)?)?;
    module.add_function(wrap_pyfunction!(stages::train_superwords, module)?)?;
    module.add_function(wrap_pyfunction!(documents::each_document, module)?)?;
    module.add_function(wrap_pyfunction!(pretokenizer::preset_names, module)?)?;
    module.add_function(wrap_pyfunction!(pretokenizer::script_names, module)?)?;
    Ok(())
}
