//! The header against the crate, and the examples: compiled and run, with the bits of the engine itself.
//!
//! A language that is not installed is left out, with a line that says so.
#![allow(clippy::print_stderr)]

use core::mem::{offset_of, size_of};
use dropcurve::discipline::{CallerPacket, PacketFate, RawSetting};
use plugin::abi;
use sim::scenario::Scenario;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

const HEADER: &str = include_str!("../include/dropcurve.h");
const ROOT: &str = env!("CARGO_MANIFEST_DIR");

/// Folder of the library that was built with this test.
fn library() -> PathBuf {
    let test = std::env::current_exe().expect("a test is a file");
    let deps = test.parent().expect("in a folder").to_path_buf();
    assert!(deps.join("libdropcurve.so").exists() || deps.join("libdropcurve.dylib").exists(), "{deps:?}");
    deps
}

/// The output of a program; `None` if it is not installed.
fn output(program: &str, words: &[&str], folder: &Path) -> Option<String> {
    let deps = library();
    let place = deps.to_str().expect("a path in UTF-8");
    let flags = format!("-I{ROOT}/include");
    let done = Command::new(program)
        .args(words)
        .current_dir(folder)
        .env("LD_LIBRARY_PATH", place)
        .env("DYLD_LIBRARY_PATH", place)
        .env("CGO_CFLAGS", flags)
        .env("CGO_LDFLAGS", format!("-L{place}"))
        .output();
    let Ok(done) = done else {
        eprintln!("{program} is not installed: left out");
        return None;
    };
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    assert!(done.status.success(), "{program} {words:?}: {}", text(&done.stderr));
    Some(text(&done.stdout))
}

/// Compiles a file and runs it.
fn compiled(compiler: &str, flags: &[&str], source: &str, name: &str, words: &[&str]) -> Option<String> {
    let folder = library().join("examples-of-capi");
    std::fs::create_dir_all(&folder).expect("a folder");
    let program = folder.join(name);
    let (include, place) = (format!("-I{ROOT}/include"), format!("-L{}", library().display()));
    let mut line = vec!["-Wall", "-Wextra", "-Werror"];
    line.extend_from_slice(flags);
    line.extend_from_slice(&[source, &include, &place, "-ldropcurve", "-o", program.to_str()?]);
    output(compiler, &line, &folder)?;
    output(program.to_str()?, words, &folder)
}

/// Names between `dropcurve_` and `(` in a text.
fn functions(text: &str) -> BTreeSet<String> {
    text.match_indices("dropcurve_")
        .filter_map(|(start, _)| {
            let rest = &text[start..];
            let end = rest.find(|one: char| !one.is_ascii_alphanumeric() && one != '_')?;
            rest[end..].starts_with('(').then(|| rest[..end].to_string())
        })
        .collect()
}

#[test]
fn the_header_declares_every_function_and_no_other() {
    let code: String = HEADER.split("*/").filter_map(|part| part.split("/*").next()).collect();
    let mut defined = BTreeSet::new();
    for file in ["lib", "discipline", "state", "fault", "simulation"] {
        let source = std::fs::read_to_string(format!("{ROOT}/src/{file}.rs")).expect("a source file");
        defined.extend(
            source.split("#[no_mangle]").skip(1).filter_map(|part| functions(part).into_iter().next()),
        );
    }
    assert!(defined.len() > 15, "{defined:?}");
    assert_eq!(functions(&code), defined);
}

#[test]
fn structures_have_the_same_layout_in_c() {
    let rows = [
        ("sizeof(dropcurve_packet)", size_of::<CallerPacket>()),
        ("offsetof(dropcurve_packet, size)", offset_of!(CallerPacket, size)),
        ("offsetof(dropcurve_packet, ecn)", offset_of!(CallerPacket, ecn)),
        ("offsetof(dropcurve_packet, traffic_class)", offset_of!(CallerPacket, traffic_class)),
        ("sizeof(dropcurve_setting)", size_of::<RawSetting>()),
        ("sizeof(dropcurve_setting)", size_of::<abi::LinkAhead>()),
        ("offsetof(dropcurve_setting, packet_bytes)", offset_of!(RawSetting, packet_bytes)),
        ("sizeof(dropcurve_event)", size_of::<PacketFate>()),
        ("offsetof(dropcurve_event, reason)", offset_of!(PacketFate, reason)),
        ("sizeof(dropcurve_plugin_packet)", size_of::<abi::PacketView>()),
        ("offsetof(dropcurve_plugin_packet, flow)", offset_of!(abi::PacketView, flow)),
        ("offsetof(dropcurve_plugin_packet, traffic_class)", offset_of!(abi::PacketView, class)),
        ("sizeof(dropcurve_call)", size_of::<abi::HostCall>()),
        ("offsetof(dropcurve_call, average)", offset_of!(abi::HostCall, average)),
        ("offsetof(dropcurve_call, fail)", offset_of!(abi::HostCall, fail)),
        ("sizeof(dropcurve_parameter)", size_of::<abi::ParameterRow>()),
        ("sizeof(dropcurve_table)", size_of::<abi::PluginTable>()),
        ("offsetof(dropcurve_table, create)", offset_of!(abi::PluginTable, create)),
        ("offsetof(dropcurve_table, on_deadline)", offset_of!(abi::PluginTable, on_deadline)),
        ("DROPCURVE_INTERFACE", dropcurve::INTERFACE as usize),
        ("DROPCURVE_INTERFACE", abi::VERSION as usize),
        ("DROPCURVE_NO_PACKET", abi::NONE as usize),
    ];
    let lines: String =
        rows.iter().map(|(what, _)| format!("printf(\"%zu\\n\", (size_t)({what}));\n")).collect();
    let source = library().join("layout.c");
    let text = format!(
        "#include \"dropcurve.h\"\n#include <stdio.h>\nint main(void) {{\n{lines}return !dropcurve_version();\n}}\n"
    );
    std::fs::write(&source, text).expect("a file");
    let source = source.to_str().expect("a path in UTF-8");
    if let Some(printed) = compiled("cc", &["-std=c11"], source, "layout", &[]) {
        let sizes: Vec<usize> = printed.lines().map(|line| line.parse().expect("a number")).collect();
        assert_eq!(sizes, rows.map(|(_, size)| size));
    }
}

#[test]
fn the_example_of_the_readme_runs() {
    let page = std::fs::read_to_string(format!("{ROOT}/README.md")).expect("the README");
    let (_, rest) = page.split_once("```c\n").expect("an example in C");
    let source = library().join("readme.c");
    std::fs::write(&source, rest.split("```").next().expect("its end")).expect("a file");
    let source = source.to_str().expect("a path in UTF-8");
    if let Some(printed) = compiled("cc", &["-std=c11"], source, "readme", &[]) {
        assert_eq!(printed, "sent 1 packet of 1500 bytes\n");
    }
}

#[test]
fn the_c_example_loses_no_packet() {
    let source = format!("{ROOT}/examples/bottleneck.c");
    if let Some(printed) = compiled("cc", &["-std=c11"], &source, "bottleneck", &[]) {
        let numbers: Vec<u64> =
            printed.split_whitespace().filter_map(|word| word.trim_end_matches(',').parse().ok()).collect();
        let [offered, sent, dropped, queued] = numbers[..] else { panic!("{printed}") };
        assert_eq!((offered, offered), (12_500, sent + dropped + queued));
        assert!(dropped > 1_000 && queued < 101, "{printed}");
    }
}

#[test]
fn the_cpp_example_and_ctypes_come_to_the_bits_of_the_engine() {
    let example = std::fs::read_to_string(format!("{ROOT}/examples/simulate.cpp")).expect("the example");
    let scenario =
        example.split("R\"(").nth(1).and_then(|rest| rest.split(")\"").next()).expect("a scenario");
    let plan = Scenario::parse(scenario).expect("a scenario").plan();
    let expected = format!("{:016x}", sim::run(&plan, 1, &sim::Options::default()).digest(&plan));
    let source = format!("{ROOT}/examples/simulate.cpp");
    if let Some(printed) = compiled("c++", &["-std=c++17"], &source, "simulate", &[]) {
        assert_eq!(printed.lines().next(), Some(expected.as_str()));
        assert!(printed.lines().nth(1).is_some_and(|line| line.starts_with('{')), "a summary in JSON");
    }
    let program = format!(
        "import ctypes, glob\n\
         library = ctypes.CDLL(glob.glob(r'{}/libdropcurve.[sd]*')[0])\n\
         library.dropcurve_run.restype = ctypes.c_void_p\n\
         digest = ctypes.c_uint64()\n\
         text = library.dropcurve_run(rb'''{scenario}''', ctypes.c_uint64(1), ctypes.byref(digest))\n\
         assert ctypes.string_at(text).startswith(b'{{')\n\
         library.dropcurve_free_text(ctypes.c_void_p(text))\n\
         print(f'{{digest.value:016x}}')\n",
        library().display()
    );
    if let Some(printed) = output("python3", &["-c", &program], Path::new(ROOT)) {
        assert_eq!(printed.trim(), expected);
    }
}

#[test]
fn the_go_example_queues_one_packet_and_drops_the_next() {
    let program = library().join("dropcurve-go");
    let words = ["build", "-o", program.to_str().expect("a path in UTF-8"), "."];
    let folder = Path::new(ROOT).join("examples/go");
    if output("go", &words, &folder).is_some() {
        let printed = output(words[2], &[], &folder);
        assert_eq!(printed.as_deref(), Some("1 1 1 2\n"));
    }
}
