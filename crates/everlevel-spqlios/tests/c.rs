//! The header beside the library, and the examples in C.

use std::path::{Path, PathBuf};
use std::process::Command;

const HEADER: &str = include_str!("../../../include/everlevel_spqlios.h");

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The folder of the libraries that this test was built with.
fn libraries() -> PathBuf {
    let test = std::env::current_exe().expect("a path");
    let deps = test.parent().expect("a folder");
    let has = |folder: &&Path| folder.join("libeverlevel_spqlios.a").exists();
    [deps, deps.parent().expect("a folder")].iter().find(|f| has(f)).expect("the static library").to_path_buf()
}

/// Compiles a program against the header and the static library, runs it, and gives its output.
fn run(source: &Path) -> String {
    let folder = tempfile::tempdir().expect("a folder");
    let program = folder.path().join("program");
    let compiled = Command::new("cc")
        .args(["-std=c11", "-Wall", "-Wextra", "-Werror", "-O1", "-I"])
        .arg(root().join("include"))
        .arg(source)
        .arg(libraries().join("libeverlevel_spqlios.a"))
        .args(["-lm", "-lpthread", "-ldl", "-o"])
        .arg(&program)
        .output()
        .expect("a compiler of C");
    assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
    let output = Command::new(program).output().expect("the program");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("text")
}

/// The names of the header's functions.
fn functions() -> Vec<String> {
    let text: String = HEADER.split("*/").filter_map(|part| part.split("/*").next()).collect();
    let name = |declaration: &str| {
        let (head, _) = declaration.split_once('(')?;
        head.rsplit([' ', '*', '\n']).next().map(str::to_owned)
    };
    text.split(';').filter_map(name).collect()
}

/// The names that the library exports.
fn exported() -> Vec<String> {
    let symbols = Command::new("nm")
        .args(["-g", "--defined-only", "--format=posix"])
        .arg(libraries().join("libeverlevel_spqlios.a"))
        .output()
        .expect("nm");
    let text = String::from_utf8_lossy(&symbols.stdout).into_owned();
    let ours = [
        "bytes_of_",
        "new_",
        "delete_",
        "module_get",
        "vec_",
        "svp_",
        "vmp_",
        "cnv_",
        "znx_",
        "fft64_",
        "rnx_",
        "znx32_",
        "tnx32_",
        "tnxdbl_",
        "zn32_",
        "i8_",
        "i16_",
        "i32_",
        "i64_",
        "dbl_",
        "tn32_",
    ];
    let names = text.lines().filter_map(|line| line.split(' ').next().map(str::to_owned));
    names.filter(|name| ours.iter().any(|start| name.starts_with(start))).collect()
}

#[test]
fn the_examples_are_right() {
    let examples = root().join("crates/everlevel-spqlios/examples");
    assert_eq!(run(&examples.join("products.c")), "all products are right\n");
    assert_eq!(run(&examples.join("torus.c")), "all answers are right\n");
    assert_eq!(run(&examples.join("gate.c")), "all gates are right\n");
}

/// The library has the functions of the header, and no other.
#[test]
fn the_header_is_the_librarys() {
    let (mut functions, mut exported) = (functions(), exported());
    assert!(functions.len() > 130, "{functions:?}");
    functions.sort();
    exported.sort();
    assert_eq!(functions, exported);
}
