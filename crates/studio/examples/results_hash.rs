//! Prints the hash of results of this build, from the fast engine and from the plain one.

#![allow(clippy::print_stdout)]

use sim::Engine;

fn main() {
    for engine in [Engine::Fast, Engine::Plain] {
        println!("{}", studio::results_hash(1, engine));
    }
}
