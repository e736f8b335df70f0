//! A shared library as a plug-in of the simulator.

use crate::abi::{self, HostCall, PacketView, PluginTable};
use core::ffi::{c_char, c_void, CStr};
use libloading::Library;
use queue::disc::Reason;
use queue::plugin::{self, ArrivingPacket, External, Host, Parameter, Plugin};
use queue::Setting;
use std::path::Path;
use std::sync::Arc;
use units::{Ecn, Span, Time};

/// Loads a library and registers its discipline; returns the name that scenarios write after `kind`.
///
/// The library's code runs in this process with all its rights: load only libraries that you would run.
///
/// # Errors
/// If it cannot be read, is not a plug-in of this version, or has an invalid name.
pub fn load(path: &Path) -> Result<String, String> {
    let reported = |what: String| format!("{}: {what}", path.display());
    let bytes = std::fs::read(path).map_err(|error| reported(error.to_string()))?;
    let code = format!("{:016x}", fnv1a(&bytes));
    // SAFETY: loading runs the library's initialisers, which the user asked for by naming the file; the path is the
    // file whose bytes were read.
    let library =
        unsafe { Library::new(path) }.map_err(|error| reported(format!("cannot be loaded: {error}")))?;
    let symbol = format!("{}\0", abi::ENTRY);
    // SAFETY: the symbol's name carries the version of the interface, whose type this is.
    let found = unsafe { library.get::<unsafe extern "C" fn() -> *const PluginTable>(symbol.as_bytes()) };
    let entry = *found.map_err(|_| reported(format!("is not a plug-in: it exports no {}", abi::ENTRY)))?;
    // SAFETY: the function takes nothing and returns a pointer to a constant of the library, or null.
    let table = unsafe { entry().as_ref() }.ok_or_else(|| reported("its table is missing".into()))?;
    // The library stays loaded as long as the process: disciplines call into it, and its texts are used.
    std::mem::forget(library);
    let loaded = LoadedPlugin::new(table, code).map_err(reported)?;
    let name = loaded.name.to_string();
    plugin::register(Arc::new(loaded)).map_err(|what| format!("{}: {what}", path.display()))?;
    Ok(name)
}

/// A plug-in from a table that lives as long as the process.
struct LoadedPlugin {
    table: &'static PluginTable,
    name: &'static str,
    title: &'static str,
    about: &'static str,
    parameters: Vec<Parameter>,
    code: String,
}

impl LoadedPlugin {
    fn new(table: &'static PluginTable, code: String) -> Result<LoadedPlugin, String> {
        if table.version != abi::VERSION {
            return Err(format!(
                "is built for version {} of the interface, this is version {}; build it again",
                table.version,
                abi::VERSION
            ));
        }
        let parameters = match table.parameter_count {
            0 => &[][..],
            // SAFETY: the interface requires this many parameters there, which live as long as the process.
            count => unsafe { core::slice::from_raw_parts(table.parameters, count) },
        };
        let read = |one: &abi::ParameterRow| {
            Ok(Parameter {
                name: text(one.name)?,
                unit: text(one.unit)?,
                about: text(one.about)?,
                default: one.default_value,
                range: (one.least, one.greatest),
            })
        };
        Ok(LoadedPlugin {
            name: text(table.name)?,
            title: text(table.title)?,
            about: text(table.about)?,
            parameters: parameters.iter().map(read).collect::<Result<_, String>>()?,
            table,
            code,
        })
    }

    fn state(&self, values: &[f64], setting: &Setting) -> Foreign {
        let raw = abi::LinkAhead {
            rate_bps: setting.rate.0,
            delay_ns: setting.delay.0,
            packet_bytes: setting.packet.0,
        };
        // SAFETY: both pointers are valid for the call, and there are as many values as parameters.
        let state = unsafe { (self.table.create)(&raw, values.as_ptr()) };
        assert!(!state.is_null(), "the plug-in {} cannot make a discipline of these parameters", self.name);
        Foreign { table: self.table, state, name: self.name }
    }
}

impl Plugin for LoadedPlugin {
    fn name(&self) -> &'static str {
        self.name
    }
    fn title(&self) -> &'static str {
        self.title
    }
    fn about(&self) -> &'static str {
        self.about
    }
    fn parameters(&self) -> &[Parameter] {
        &self.parameters
    }
    fn code(&self) -> &str {
        &self.code
    }
    fn shapes(&self) -> bool {
        self.table.shapes != 0
    }
    fn decides_at_arrival(&self) -> bool {
        self.table.decides_at_arrival != 0
    }
    fn first_deadline(&self, values: &[f64], setting: &Setting) -> Option<Span> {
        let foreign = self.state(values, setting);
        // SAFETY: the state was just made by the same table.
        let first = unsafe { (self.table.first_deadline)(foreign.state) };
        (first != abi::NEVER).then_some(Span(first))
    }
    fn build(&self, values: &[f64], setting: &Setting) -> Box<dyn External> {
        Box::new(self.state(values, setting))
    }
}

/// A discipline of a library.
struct Foreign {
    table: &'static PluginTable,
    state: *mut c_void,
    name: &'static str,
}

// SAFETY: the interface requires that a state may move between threads; only one thread uses it at a time.
unsafe impl Send for Foreign {}
// SAFETY: a shared reference to it does nothing with the state.
unsafe impl Sync for Foreign {}

impl Drop for Foreign {
    fn drop(&mut self) {
        // SAFETY: the state was made by the same table, and this is its last use.
        unsafe { (self.table.destroy)(self.state) }
    }
}

/// The host behind a raw call, and the plug-in's failure.
struct CallHost<'a> {
    host: &'a mut dyn Host,
    failure: Option<String>,
}

impl Foreign {
    /// Makes a call of the interface out of one of the simulator.
    #[inline]
    fn call<T>(&self, call: &mut plugin::Call<'_>, act: impl FnOnce(*mut HostCall) -> T) -> T {
        let mut call_host = CallHost { host: &mut *call.host, failure: None };
        let mut raw = HostCall {
            now_ns: call.now.0,
            on_wire_bytes: call.on_wire.0,
            deadline_ns: call.deadline.0,
            ready_ns: call.ready.0,
            average: call.average,
            host: (&raw mut call_host).cast(),
            uniform,
            drop: drop_packet,
            mark: mark_packet,
            fail,
        };
        let answer = act(&mut raw);
        let failure = call_host.failure.take();
        if let Some(message) = failure {
            panic!("the plug-in {} failed: {message}", self.name);
        }
        (call.deadline, call.ready, call.average) = (Time(raw.deadline_ns), Time(raw.ready_ns), raw.average);
        answer
    }
}

impl External for Foreign {
    fn enqueue(&mut self, packet: &ArrivingPacket, call: &mut plugin::Call<'_>) {
        let raw = PacketView {
            number: packet.number,
            size: packet.size,
            flow: packet.flow,
            ecn: wire(packet.ecn),
            class: packet.class,
        };
        // SAFETY: the state is of the same table; packet and call are valid for the call.
        self.call(call, |call| unsafe { (self.table.enqueue)(self.state, &raw, call) });
    }

    fn dequeue(&mut self, call: &mut plugin::Call<'_>) -> Option<u32> {
        // SAFETY: as in `enqueue`.
        let number = self.call(call, |call| unsafe { (self.table.dequeue)(self.state, call) });
        (number != abi::NONE).then_some(number)
    }

    fn on_deadline(&mut self, call: &mut plugin::Call<'_>) {
        // SAFETY: as in `enqueue`.
        self.call(call, |call| unsafe { (self.table.on_deadline)(self.state, call) });
    }
}

/// Runs a callback of the host. A panic must not cross the library's code, so it becomes a failure with a neutral
/// return value.
fn within<T>(host: *mut c_void, otherwise: T, act: impl FnOnce(&mut dyn Host) -> T) -> T {
    // SAFETY: the pointer is the one of `Foreign::call`, which waits for this call and does not use it meanwhile.
    let call_host = unsafe { &mut *host.cast::<CallHost<'_>>() };
    match std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| act(&mut *call_host.host))) {
        Ok(answer) => answer,
        Err(panic) => {
            let text = panic.downcast_ref::<String>().cloned();
            call_host.failure.get_or_insert(text.unwrap_or_else(|| "a call of the host failed".to_string()));
            otherwise
        }
    }
}

// SAFETY: called back by the plug-in with the host of `Foreign::call`, within that call.
unsafe extern "C" fn uniform(host: *mut c_void) -> f64 {
    within(host, 0.0, |host| host.uniform())
}

// SAFETY: called back by the plug-in with the host of `Foreign::call`, within that call.
unsafe extern "C" fn drop_packet(host: *mut c_void, packet: u32, reason: u32) {
    within(host, (), |host| host.drop(packet, named(reason)));
}

// SAFETY: called back by the plug-in with the host of `Foreign::call`, within that call.
unsafe extern "C" fn mark_packet(host: *mut c_void, packet: u32, reason: u32) -> u8 {
    within(host, 0, |host| u8::from(host.mark(packet, named(reason))))
}

// SAFETY: called back by the plug-in with the host of `Foreign::call`, within that call.
unsafe extern "C" fn fail(host: *mut c_void, message: *const u8, length: usize) {
    // SAFETY: the interface requires this many bytes there, valid for the call; the host is as in `within`.
    let (message, call_host) =
        unsafe { (core::slice::from_raw_parts(message, length), &mut *host.cast::<CallHost<'_>>()) };
    call_host.failure.get_or_insert(String::from_utf8_lossy(message).into_owned());
}

fn named(reason: u32) -> Reason {
    match reason {
        0 => Reason::Early,
        1 => Reason::Forced,
        _ => Reason::Overflow,
    }
}

/// A text of the interface.
fn text(from: *const c_char) -> Result<&'static str, String> {
    if from.is_null() {
        return Err("a text of its table is missing".into());
    }
    // SAFETY: the interface requires a constant that ends with a zero byte and lives as long as the process.
    unsafe { CStr::from_ptr(from) }.to_str().map_err(|_| "a text of its table is not UTF-8".into())
}

/// FNV-1a of the bytes.
fn fnv1a(bytes: &[u8]) -> u64 {
    bytes
        .iter()
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3))
}

/// The ECN field as in the IP header (RFC 3168 section 5).
fn wire(ecn: Ecn) -> u8 {
    match ecn {
        Ecn::NotEct => 0,
        Ecn::Ect1 => 1,
        Ecn::Ect0 => 2,
        Ecn::Ce => 3,
    }
}
