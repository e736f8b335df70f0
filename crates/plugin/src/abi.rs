//! The interface between dropcurve and a discipline in a shared library, version 1.
//!
//! The same structures as in `dropcurve.h`. To make a plug-in of a Rust type: implement [`PluginDiscipline`], then
//! write `crate::export!(YourType);` once. The file needs nothing but the standard library, so a plug-in's crate
//! carries a copy of it and no dependency. A panic does not leave the plug-in: it ends the run with its message.
//!
//! Units: nanoseconds of the caller's clock, bytes, bits per second; parameters as they declare it.

use core::ffi::{c_char, c_void, CStr};
use std::panic::{catch_unwind, AssertUnwindSafe};

/// The version of this interface; a library of another one is refused.
pub const VERSION: u32 = 1;
/// Returned for no packet, in place of a number.
pub const NONE: u32 = u32::MAX;
/// A deadline that never comes, for a discipline without a periodic controller.
pub const NEVER: u64 = u64::MAX;
/// The name of the function that a library exports; it returns a [`PluginTable`].
pub const ENTRY: &str = "dropcurve_discipline_v1";

/// A packet as a discipline sees it.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PacketView {
    /// Identifies it until it has left or is dropped; then the number is free for another packet.
    pub number: u32,
    /// Its bytes.
    pub size: u32,
    /// Identifies its flow: equal for packets of one flow and direction.
    pub flow: u64,
    /// Its ECN field as in the IP header: 0 not ECN-capable, 1 ECT(1), 2 ECT(0), 3 CE.
    pub ecn: u8,
    /// Its class, precedence or colour.
    pub class: u8,
}

impl PacketView {
    /// Whether it may be marked.
    pub fn is_ecn_capable(&self) -> bool {
        self.ecn & 3 != 0
    }
}

/// The link behind the queue.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LinkAhead {
    /// Its rate; 0 is unlimited.
    pub rate_bps: u64,
    /// Its propagation delay.
    pub delay_ns: u64,
    /// The size of a typical packet.
    pub packet_bytes: u64,
}

/// Why a packet is dropped or marked.
#[repr(u32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SignalReason {
    /// As an early signal, by chance or by the schedule of a control law.
    Early = 0,
    /// With certainty, because the control law is beyond its range.
    Forced = 1,
    /// No room.
    Overflow = 2,
}

/// One call of a discipline: the time, the values it may set, and the calls it may make.
#[repr(C)]
pub struct HostCall {
    /// The present.
    pub now_ns: u64,
    /// Bytes of the packet on the wire, where the link counts it as part of the queue.
    pub on_wire_bytes: u64,
    /// When `on_deadline` is called next, for a discipline that has a first deadline. It may set this.
    pub deadline_ns: u64,
    /// Before this time `dequeue` returns nothing; only for a discipline that shapes. It may set this.
    pub ready_ns: u64,
    /// Its average of the queue, NaN if it has none. It may set this.
    pub average: f64,
    /// The caller's; passed on to the functions below.
    pub host: *mut c_void,
    /// Returns a uniform number in [0, 1).
    // SAFETY: to be called as the comment above says, with pointers that are valid for the call.
    pub uniform: unsafe extern "C" fn(host: *mut c_void) -> f64,
    /// Ends a packet.
    // SAFETY: to be called as the comment above says, with pointers that are valid for the call.
    pub drop: unsafe extern "C" fn(host: *mut c_void, packet: u32, reason: u32),
    /// Marks a packet; returns 0 if it is not ECN-capable.
    // SAFETY: to be called as the comment above says, with pointers that are valid for the call.
    pub mark: unsafe extern "C" fn(host: *mut c_void, packet: u32, reason: u32) -> u8,
    /// Ends the run with a message in UTF-8.
    // SAFETY: to be called as the comment above says, with pointers that are valid for the call.
    pub fail: unsafe extern "C" fn(host: *mut c_void, message: *const u8, length: usize),
}

impl HostCall {
    /// A uniform number in [0, 1).
    pub fn uniform(&mut self) -> f64 {
        // SAFETY: host and function come from the caller of the plug-in and are valid for this call.
        unsafe { (self.uniform)(self.host) }
    }

    /// Ends a packet, which is no longer in the queue.
    pub fn drop(&mut self, packet: u32, reason: SignalReason) {
        // SAFETY: as in `uniform`.
        unsafe { (self.drop)(self.host, packet, reason as u32) }
    }

    /// Sets the CE mark of a packet; returns false, and does nothing, if it is not ECN-capable.
    pub fn mark(&mut self, packet: u32, reason: SignalReason) -> bool {
        // SAFETY: as in `uniform`.
        unsafe { (self.mark)(self.host, packet, reason as u32) != 0 }
    }
}

/// A parameter: a number, whose unit decides how a scenario writes it.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ParameterRow {
    /// Its key: lower-case letters, digits and `_`.
    pub name: *const c_char,
    /// `s` (written `"20 ms"`), `bit/s` (written `"10 Mbit/s"`), or any other word, which may follow the number.
    pub unit: *const c_char,
    /// Its meaning.
    pub about: *const c_char,
    /// Its default, in seconds, bits per second, or the unit.
    pub default_value: f64,
    /// The least value.
    pub least: f64,
    /// The greatest value.
    pub greatest: f64,
}

impl ParameterRow {
    /// A parameter.
    pub const fn new(
        name: &'static CStr,
        unit: &'static CStr,
        about: &'static CStr,
        default_value: f64,
        (least, greatest): (f64, f64),
    ) -> ParameterRow {
        let (name, unit, about) = (name.as_ptr(), unit.as_ptr(), about.as_ptr());
        ParameterRow { name, unit, about, default_value, least, greatest }
    }
}

/// The export of a library: its texts, its parameters and its functions. All of it lives as long as the process.
#[repr(C)]
pub struct PluginTable {
    /// [`VERSION`].
    pub version: u32,
    /// 1 if it holds packets back although the link is free; else 0.
    pub shapes: u16,
    /// 1 if every packet that it accepts leaves unchanged after all accepted before it; else 0.
    pub decides_at_arrival: u16,
    /// The name that a scenario writes after `kind`.
    pub name: *const c_char,
    /// Its name in words.
    pub title: *const c_char,
    /// Description in one paragraph.
    pub about: *const c_char,
    /// Its parameters.
    pub parameters: *const ParameterRow,
    /// Their number.
    pub parameter_count: usize,
    /// Makes a discipline from the parameters' values in order; null if it cannot.
    // SAFETY: to be called as the comment above says, with pointers that are valid for the call.
    pub create: unsafe extern "C" fn(setting: *const LinkAhead, values: *const f64) -> *mut c_void,
    /// Frees it.
    // SAFETY: to be called as the comment above says, with pointers that are valid for the call.
    pub destroy: unsafe extern "C" fn(state: *mut c_void),
    /// Nanoseconds until the first call of `on_deadline`; `NEVER` for none at all.
    // SAFETY: to be called as the comment above says, with pointers that are valid for the call.
    pub first_deadline: unsafe extern "C" fn(state: *mut c_void) -> u64,
    /// Takes a packet.
    // SAFETY: to be called as the comment above says, with pointers that are valid for the call.
    pub enqueue: unsafe extern "C" fn(state: *mut c_void, packet: *const PacketView, call: *mut HostCall),
    /// Returns the number of the packet to send, or `NONE`.
    // SAFETY: to be called as the comment above says, with pointers that are valid for the call.
    pub dequeue: unsafe extern "C" fn(state: *mut c_void, call: *mut HostCall) -> u32,
    /// A periodic controller's tick.
    // SAFETY: to be called as the comment above says, with pointers that are valid for the call.
    pub on_deadline: unsafe extern "C" fn(state: *mut c_void, call: *mut HostCall),
}

// SAFETY: a table is constant, and everything it points to is, too.
unsafe impl Sync for PluginTable {}

/// A queue discipline.
pub trait PluginDiscipline: Send + Sized {
    /// The name that a scenario writes after `kind`.
    const NAME: &'static CStr;
    /// Its name in words.
    const TITLE: &'static CStr;
    /// Description in one paragraph.
    const ABOUT: &'static CStr;
    /// Its parameters, whose values [`PluginDiscipline::new`] gets in this order.
    const PARAMETERS: &'static [ParameterRow];
    /// Whether it holds packets back although the link is free.
    const SHAPES: bool = false;
    /// Whether every packet that it accepts leaves unchanged after all accepted before it. The simulator then knows
    /// departures in advance, which is faster, and ends the run if the promise is broken.
    const DECIDES_AT_ARRIVAL: bool = false;

    /// Makes one.
    fn new(values: &[f64], setting: &LinkAhead) -> Self;
    /// Nanoseconds until the first call of [`PluginDiscipline::on_deadline`]; `None` for none at all.
    fn first_deadline(&self) -> Option<u64> {
        None
    }
    /// Takes a packet: queues its number, or drops it (or another one).
    fn enqueue(&mut self, packet: &PacketView, call: &mut HostCall);
    /// The number of the packet to send. With an empty queue the link becomes idle.
    fn dequeue(&mut self, call: &mut HostCall) -> Option<u32>;
    /// A periodic controller's tick: must set a later `call.deadline_ns`.
    fn on_deadline(&mut self, _call: &mut HostCall) {}
}

/// The functions of a table for a type. Their `state` comes from `create` of the same type, which `export!` sees to.
pub struct Shims<T>(core::marker::PhantomData<T>);

impl<T: PluginDiscipline> Shims<T> {
    /// The table that [`export!`] exports.
    pub const TABLE: PluginTable = PluginTable {
        version: VERSION,
        shapes: T::SHAPES as u16,
        decides_at_arrival: T::DECIDES_AT_ARRIVAL as u16,
        name: T::NAME.as_ptr(),
        title: T::TITLE.as_ptr(),
        about: T::ABOUT.as_ptr(),
        parameters: T::PARAMETERS.as_ptr(),
        parameter_count: T::PARAMETERS.len(),
        create: Shims::<T>::create,
        destroy: Shims::<T>::destroy,
        first_deadline: Shims::<T>::first_deadline,
        enqueue: Shims::<T>::enqueue,
        dequeue: Shims::<T>::dequeue,
        on_deadline: Shims::<T>::on_deadline,
    };

    // SAFETY: called by the host, which keeps to the table's comments.
    unsafe extern "C" fn create(setting: *const LinkAhead, values: *const f64) -> *mut c_void {
        let created = catch_unwind(|| {
            // SAFETY: the caller passes a setting and as many values as the table has parameters.
            let (setting, values) =
                unsafe { (&*setting, core::slice::from_raw_parts(values, T::PARAMETERS.len())) };
            Box::into_raw(Box::new(T::new(values, setting))).cast::<c_void>()
        });
        created.unwrap_or(core::ptr::null_mut())
    }

    // SAFETY: called by the host, which keeps to the table's comments.
    unsafe extern "C" fn destroy(state: *mut c_void) {
        // SAFETY: the state is a box of `create`, and this is its last use.
        let owned = unsafe { Box::from_raw(state.cast::<T>()) };
        let _ = catch_unwind(AssertUnwindSafe(|| drop(owned)));
    }

    // SAFETY: called by the host, which keeps to the table's comments.
    unsafe extern "C" fn first_deadline(state: *mut c_void) -> u64 {
        // SAFETY: the state is a box of `create`, used by one thread at a time.
        let state = unsafe { &*state.cast::<T>() };
        catch_unwind(AssertUnwindSafe(|| state.first_deadline())).ok().flatten().unwrap_or(NEVER)
    }

    // SAFETY: called by the host, which keeps to the table's comments.
    unsafe extern "C" fn enqueue(state: *mut c_void, packet: *const PacketView, call: *mut HostCall) {
        // SAFETY: the state is a box of `create`, used by one thread at a time; packet and call are valid for the call.
        let (state, packet, call) = unsafe { (&mut *state.cast::<T>(), &*packet, &mut *call) };
        guarded(call, (), |call| state.enqueue(packet, call));
    }

    // SAFETY: called by the host, which keeps to the table's comments.
    unsafe extern "C" fn dequeue(state: *mut c_void, call: *mut HostCall) -> u32 {
        // SAFETY: as in `enqueue`.
        let (state, call) = unsafe { (&mut *state.cast::<T>(), &mut *call) };
        guarded(call, None, |call| state.dequeue(call)).unwrap_or(NONE)
    }

    // SAFETY: called by the host, which keeps to the table's comments.
    unsafe extern "C" fn on_deadline(state: *mut c_void, call: *mut HostCall) {
        // SAFETY: as in `enqueue`.
        let (state, call) = unsafe { (&mut *state.cast::<T>(), &mut *call) };
        guarded(call, (), |call| state.on_deadline(call));
    }
}

/// Runs a call; a panic becomes a failure of the run.
fn guarded<R>(call: &mut HostCall, otherwise: R, act: impl FnOnce(&mut HostCall) -> R) -> R {
    match catch_unwind(AssertUnwindSafe(|| act(call))) {
        Ok(answer) => answer,
        Err(panic) => {
            let text = panic.downcast_ref::<String>().map(String::as_str);
            let message = text.or(panic.downcast_ref::<&str>().copied()).unwrap_or("panic");
            // SAFETY: host and function come from the caller and are valid for this call; so is the message.
            unsafe { (call.fail)(call.host, message.as_ptr(), message.len()) };
            otherwise
        }
    }
}

/// Exports a type as the discipline of this library.
#[macro_export]
macro_rules! export {
    ($type:ty) => {
        /// The table that dropcurve looks for.
        #[no_mangle]
        pub extern "C" fn dropcurve_discipline_v1() -> *const $crate::abi::PluginTable {
            static TABLE: $crate::abi::PluginTable = $crate::abi::Shims::<$type>::TABLE;
            &TABLE
        }
    };
}
