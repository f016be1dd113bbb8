//! The embedder's digest is taken once, here, and not at every start: its files are part of the binary.

use std::path::Path;

fn main() -> std::io::Result<()> {
    let folder = Path::new(&std::env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default()).join("../../models/gte-small");
    let mut hasher = blake3::Hasher::new();
    for name in ["model.onnx", "tokenizer.json"] {
        let file = folder.join(name);
        println!("cargo::rerun-if-changed={}", file.display());
        hasher.update(&std::fs::read(&file)?);
    }
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-env=EMBEDDER_FILES={}", hasher.finalize().to_hex());
    Ok(())
}
