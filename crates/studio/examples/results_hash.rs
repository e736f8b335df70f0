//! Prints the hash of results of this build: from sessions, from the fast engine and from the plain one.

#![allow(clippy::print_stdout)]

use sim::Engine;

fn main() {
    println!("{}", studio::sessions_hash(1));
    for engine in [Engine::Fast, Engine::Plain] {
        println!("{}", studio::results_hash(1, engine));
    }
}
