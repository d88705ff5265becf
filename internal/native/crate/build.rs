//! Hides what dependencies export, so that the library shows only its headers.

fn main() {
    // Our own functions are linked as objects, all dependencies as archives.
    println!("cargo:rustc-cdylib-link-arg=-Wl,--exclude-libs,ALL");
    println!("cargo:rerun-if-changed=build.rs");
}
