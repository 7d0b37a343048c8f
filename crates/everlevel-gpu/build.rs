//! Builds the host device, for the feature `host`: every kernel twice, with plain and with checked memory. For the
//! feature `cuda`, embeds the cubins that `make gpu-kernels` made, where they are.

use std::path::{Path, PathBuf};
use std::{env, fs};

fn main() {
    println!("cargo::rerun-if-changed=kernels");
    if env::var_os("CARGO_FEATURE_CUDA").is_some() {
        embed_cubins();
    }
    #[cfg(feature = "host")]
    build_host();
}

/// Writes the lists that `cuda` includes: cubins of the folder that `EVERLEVEL_GPU_CUBINS` names, or of `build/gpu`,
/// and the kernels' sources.
fn embed_cubins() {
    println!("cargo::rerun-if-env-changed=EVERLEVEL_GPU_CUBINS");
    let folder = env::var_os("EVERLEVEL_GPU_CUBINS").map_or_else(|| Path::new("../../build/gpu").into(), PathBuf::from);
    // A path that isn't there would have all be built again each time; what makes it touches the kernels.
    if folder.is_dir() {
        println!("cargo::rerun-if-changed={}", folder.display());
    }
    let mut cubins: Vec<(u32, PathBuf)> = fs::read_dir(&folder)
        .into_iter()
        .flatten()
        .flatten()
        .filter_map(|entry| {
            let name = entry.file_name().into_string().ok()?;
            let number = name.strip_prefix("everlevel_sm_")?.strip_suffix(".cubin")?.parse().ok()?;
            Some((number, fs::canonicalize(entry.path()).ok()?))
        })
        .collect();
    cubins.sort();
    if !cubins.is_empty() && fs::read(folder.join("kernels.txt")).ok() != Some(sources()) {
        println!("cargo::warning=the cubins in {} are of other kernels: make gpu-kernels", folder.display());
        cubins.clear();
    }
    let line = |(number, path): &(u32, PathBuf)| {
        format!("    ({number}, include_bytes!({:?})),\n", path.display().to_string())
    };
    let list: String = cubins.iter().map(line).collect();
    let text = |path: &PathBuf| {
        let (name, path) = (path.file_name().unwrap_or_default().display().to_string(), fs::canonicalize(path));
        format!("    ({name:?}, include_str!({:?})),\n", path.expect("a file that is there").display().to_string())
    };
    let texts: String = headers().iter().map(text).collect();
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets it")).join("code.rs");
    let code = format!(
        "pub(super) static CUBINS: &[(u32, &[u8])] = &[\n{list}];\npub(super) static SOURCES: &[(&str, &str)] = \
         &[\n{texts}];\n"
    );
    fs::write(out, code).expect("a file of its own");
}

/// The kernels' headers.
fn headers() -> Vec<PathBuf> {
    let files = fs::read_dir("kernels").into_iter().flatten().flatten().map(|entry| entry.path());
    let mut headers: Vec<PathBuf> = files.filter(|path| path.extension().is_some_and(|end| end == "h")).collect();
    headers.sort();
    headers
}

/// The kernels' sources, one after another, as `make gpu-kernels` keeps those that it compiled.
fn sources() -> Vec<u8> {
    headers().iter().filter_map(|path| fs::read(path).ok()).flatten().collect()
}

#[cfg(feature = "host")]
fn build_host() {
    for (library, checked) in [("everlevel_gpu_plain", "0"), ("everlevel_gpu_checked", "1")] {
        cc::Build::new()
            .cpp(true)
            .std("c++17")
            // Quotients of conversions are rounded product by product.
            .flag("-ffp-contract=off")
            .flag("-Wno-unused-function")
            .define("EVERLEVEL_CHECKED", checked)
            .file("kernels/host.cpp")
            .compile(library);
    }
}
