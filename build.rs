//! Compiles the eBPF data plane with clang. Elsewhere than on Linux there is none, and report, compare and
//! ministat work without it.

use std::path::PathBuf;
use std::process::Command;

fn main() {
    println!("cargo:rerun-if-changed=bpf");
    if std::env::var("CARGO_CFG_TARGET_OS").as_deref() != Ok("linux") {
        return;
    }
    let out = PathBuf::from(std::env::var("OUT_DIR").expect("cargo sets OUT_DIR")).join("traffic.bpf.o");
    // linux/bpf.h includes asm/types.h, which Debian keeps in a directory per architecture.
    let arch = std::env::var("CARGO_CFG_TARGET_ARCH").expect("cargo sets it");
    let status = Command::new("clang")
        .args(["-O2", "-g", "-Wall", "-Werror", "-target", "bpf", "-c", "bpf/traffic.bpf.c", "-o"])
        .arg(&out)
        .arg(format!("-I/usr/include/{arch}-linux-gnu"))
        .status();
    match status {
        Ok(status) if status.success() => {}
        Ok(status) => panic!("clang could not compile bpf/traffic.bpf.c ({status})"),
        Err(error) => panic!(
            "clang, which compiles bpf/traffic.bpf.c, does not start: {error}; try `make tools` or `apt-get install clang linux-libc-dev`"
        ),
    }
}
