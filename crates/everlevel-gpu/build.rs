//! Builds the host device, for the feature `host`: every kernel twice, with plain and with checked memory.

fn main() {
    println!("cargo::rerun-if-changed=kernels");
    #[cfg(feature = "host")]
    build_host();
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
