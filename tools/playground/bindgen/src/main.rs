//! Writes the JavaScript and TypeScript interface of a WebAssembly module, as the program
//! `wasm-bindgen` does: `playground-bindgen MODULE.wasm DIRECTORY`.
//!
//! This uses the library of that program. The program itself needs a hundred more packages, for
//! running tests and for downloads.

use std::env::args_os;
use std::process::ExitCode;

use wasm_bindgen_cli_support::Bindgen;

fn main() -> ExitCode {
    let arguments: Vec<_> = args_os().skip(1).collect();
    let [module, directory] = &arguments[..] else {
        eprintln!("usage: playground-bindgen MODULE.wasm DIRECTORY");
        return ExitCode::from(2);
    };
    let mut bindgen = Bindgen::new();
    let made = bindgen.input_path(module).typescript(true).web(true);
    match made.and_then(|bindgen| bindgen.generate(directory)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}
