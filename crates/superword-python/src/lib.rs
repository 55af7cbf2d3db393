//! `superword._core`: the engine as a Python module. Thin on purpose: it converts, releases the
//! GIL, maps errors and turns Ctrl-C into a stop. Nothing is decided here.

mod allocator;
mod arguments;
mod counting;
mod disk;
mod encoding;
mod errors;
mod evaluation;
mod imports;
mod model;
mod pretokenizer;
mod reading;
mod shards;
mod texts;
mod training;
mod watch;
mod work_dir;

use pyo3::prelude::*;

#[pymodule(gil_used = false)]
fn _core(module: &Bound<'_, PyModule>) -> PyResult<()> {
    allocator::restore();
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add(
        "NotTextError",
        module.py().get_type::<texts::NotTextError>(),
    )?;
    module.add_class::<pretokenizer::PyPretokenizer>()?;
    module.add_class::<reading::arrow::PyColumn>()?;
    module.add_class::<reading::spool::PySpool>()?;
    module.add_class::<model::PyModel>()?;
    module.add_class::<reading::documents::PyDocumentReader>()?;
    module.add_class::<reading::batches::PyBatches>()?;
    module.add_class::<work_dir::PyWorkDir>()?;
    module.add_class::<shards::PyShardRun>()?;
    module.add_class::<shards::PyPackedIds>()?;
    module.add_class::<counting::counts::PyCounts>()?;
    module.add_class::<counting::candidates::PyCandidates>()?;
    module.add_class::<counting::bounds::PyBounds>()?;
    module.add_function(wrap_pyfunction!(counting::bounds::guess_cut, module)?)?;
    module.add_function(wrap_pyfunction!(arguments::max_threads, module)?)?;
    module.add_function(wrap_pyfunction!(texts::texts_as_utf8, module)?)?;
    module.add_function(wrap_pyfunction!(texts::reads_strings_directly, module)?)?;
    module.add_function(wrap_pyfunction!(training::train, module)?)?;
    module.add_function(wrap_pyfunction!(counting::stages::check_memory, module)?)?;
    module.add_function(wrap_pyfunction!(counting::stages::count_pretokens, module)?)?;
    module.add_function(wrap_pyfunction!(counting::stages::train_words, module)?)?;
    module.add_function(wrap_pyfunction!(
        counting::stages::count_candidates,
        module
    )?)?;
    module.add_function(wrap_pyfunction!(
        counting::stages::train_superwords,
        module
    )?)?;
    module.add_function(wrap_pyfunction!(disk::replace_file, module)?)?;
    module.add_function(wrap_pyfunction!(disk::create_directory, module)?)?;
    module.add_function(wrap_pyfunction!(disk::identity, module)?)?;
    module.add_function(wrap_pyfunction!(disk::is_model_start, module)?)?;
    module.add_function(wrap_pyfunction!(shards::files_of_shards, module)?)?;
    module.add_function(wrap_pyfunction!(shards::is_shard_file_name, module)?)?;
    module.add_function(wrap_pyfunction!(shards::shard_dtypes, module)?)?;
    module.add_function(wrap_pyfunction!(shards::pack_ids, module)?)?;
    module.add_function(wrap_pyfunction!(imports::file_kind, module)?)?;
    module.add_function(wrap_pyfunction!(imports::import_huggingface, module)?)?;
    module.add_function(wrap_pyfunction!(imports::import_tiktoken, module)?)?;
    module.add_function(wrap_pyfunction!(imports::import_ranks, module)?)?;
    module.add_function(wrap_pyfunction!(imports::import_tekken, module)?)?;
    module.add_function(wrap_pyfunction!(imports::import_old_huggingface, module)?)?;
    module.add_function(wrap_pyfunction!(imports::read_sidecar, module)?)?;
    module.add_function(wrap_pyfunction!(imports::byte_chars, module)?)?;
    module.add_function(wrap_pyfunction!(imports::roles, module)?)?;
    module.add_function(wrap_pyfunction!(pretokenizer::deepseek_splits, module)?)?;
    module.add_function(wrap_pyfunction!(pretokenizer::preset_names, module)?)?;
    module.add_function(wrap_pyfunction!(pretokenizer::script_names, module)?)?;
    module.add_function(wrap_pyfunction!(evaluation::evaluate, module)?)?;
    module.add_function(wrap_pyfunction!(evaluation::describe_tokens, module)?)?;
    module.add_function(wrap_pyfunction!(evaluation::event_uses, module)?)?;
    module.add_function(wrap_pyfunction!(evaluation::supermerge_uses, module)?)?;
    module.add_function(wrap_pyfunction!(evaluation::only_steps, module)?)?;
    Ok(())
}
