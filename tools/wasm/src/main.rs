//! Prints what the exported function returns when it is built for this machine.

#![allow(clippy::print_stdout)]

fn main() {
    for plain in [0, 1] {
        println!("{}", dropcurve_wasm::dropcurve_hash(1, plain));
    }
}
