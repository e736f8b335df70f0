//! Builds the crate by itself: without the standard library, and with one additional discipline.
//!
//! Both build offline from the sources of this workspace, below the folder Cargo keeps for tests.
#![allow(clippy::unwrap_used)]

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

const HERE: &str = env!("CARGO_MANIFEST_DIR");

/// Runs Cargo in `folder`, building below a folder of its own.
fn cargo(folder: &Path, own: &str, words: &[&str]) {
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).join(own);
    let program = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let run = Command::new(program)
        .args(words)
        .args(["--quiet", "--offline"])
        .current_dir(folder)
        .env("CARGO_TARGET_DIR", target)
        .env("CARGO_PROFILE_DEV_DEBUG", "0")
        .env("CARGO_PROFILE_TEST_DEBUG", "0")
        .env_remove("RUSTFLAGS")
        .output()
        .unwrap();
    let said = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    assert!(run.status.success(), "cargo {words:?}:\n{}\n{}", said(&run.stdout), said(&run.stderr));
}

/// Copies every file below `from` to the same place below `to`.
fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let (path, target) = (entry.as_ref().unwrap().path(), to.join(entry.unwrap().file_name()));
        if path.is_dir() {
            copy(&path, &target);
        } else {
            fs::write(target, fs::read(&path).unwrap()).unwrap();
        }
    }
}

/// Replaces the only occurrence of `old` in the file.
fn edit(path: &Path, old: &str, new: &str) {
    let text = fs::read_to_string(path).unwrap();
    assert_eq!(text.matches(old).count(), 1, "{}: {old:?}", path.display());
    fs::write(path, text.replace(old, new)).unwrap();
}

/// A program with its own packets, allocator and panic handler: if `std` were linked, there would be two
/// handlers.
#[test]
#[cfg(target_os = "linux")]
fn a_program_without_the_standard_library_runs_codel() {
    cargo(&Path::new(HERE).join("bare"), "bare", &["run", "--locked"]);
}

/// The file of the contributing guide as `crates/queue/src/disciplines/step.rs`, with the changes that the
/// guide describes.
fn step() -> String {
    let guide = fs::read_to_string(Path::new(HERE).join("../../CONTRIBUTING.md")).unwrap();
    let (_, example) = guide.split_once("```rust\n").unwrap();
    let (example, _) = example.split_once("```").unwrap();
    let (file, main) = example.split_once("fn main() {\n").unwrap();
    let file = file.replace("use queue::", "use crate::").replacen("use ", "use alloc::vec::Vec;\nuse ", 1);
    let main = main.replace("use queue::", "use crate::");
    let main = main.trim_end().strip_suffix('}').unwrap();
    format!("{file}#[cfg(test)]\nmod tests {{\nuse super::*;\n#[test]\nfn main() {{\n{main}}}\n{LISTED}}}\n")
}

/// Further requirements once the one line is added.
const LISTED: &str = r#"
#[test]
fn it_is_listed_read_built_and_shown() {
    use units::param::Value;
    let text = |words: &str| Value::Text(words.into());
    let table = vec![("kind".into(), text("step")), ("threshold".into(), text("7 pkts"))];
    let mut problems = Vec::new();
    let spec = crate::Spec::read("queue", &table, &mut problems).unwrap();
    assert!(problems.is_empty());
    assert!(spec.show().contains(&("threshold".into(), text("7 pkts"))));
    assert_eq!(spec.build::<crate::conformance::KitPacket>(&crate::testing::SETTING).len(), 0);
    let entry = crate::catalogue().into_iter().find(|entry| entry.kind == "step").unwrap();
    assert_eq!((entry.title, entry.fields.len()), ("Step marking", 4));
}
"#;

#[test]
fn one_file_and_one_line_add_a_discipline() {
    let (tree, copied) =
        (Path::new(HERE).join("../.."), Path::new(env!("CARGO_TARGET_TMPDIR")).join("one_more"));
    let _ = fs::remove_dir_all(&copied);
    for part in ["crates/units/src", "crates/queue/src", "crates/queue/examples"] {
        copy(&tree.join(part), &copied.join(part));
    }
    for file in ["Cargo.toml", "Cargo.lock", "crates/units/Cargo.toml", "crates/queue/Cargo.toml"] {
        fs::copy(tree.join(file), copied.join(file)).unwrap();
    }
    // The two crates alone, in the profile that builds fastest, without the dependencies of their other
    // tests.
    let members = r#"members = ["crates/*", "doubles/*"]"#;
    edit(&copied.join("Cargo.toml"), members, r#"members = ["crates/*"]"#);
    let root = fs::read_to_string(copied.join("Cargo.toml")).unwrap();
    fs::write(copied.join("Cargo.toml"), root.split_once("[profile").unwrap().0).unwrap();
    for name in ["units", "queue"] {
        edit(&copied.join(format!("crates/{name}/Cargo.toml")), "proptest.workspace = true\n", "");
    }
    edit(&copied.join("crates/queue/Cargo.toml"), "[[bench]]\nname = \"disc\"\nharness = false\n", "");

    let source = |name: &str| -> PathBuf { copied.join("crates/queue/src/disciplines").join(name) };
    fs::write(source("step.rs"), step()).unwrap();
    edit(&source("mod.rs"), "pub mod sfq;\n", "pub mod sfq;\npub mod step;\n");
    edit(
        &source("mod.rs"),
        "    \"sfq\" => sfq::Sfq,\n",
        "    \"sfq\" => sfq::Sfq,\n    \"step\" => step::Step,\n",
    );
    cargo(&copied, "one_more_target", &["test", "--package", "dropcurve-queue", "--lib", "step::"]);
}
