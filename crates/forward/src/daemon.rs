//! The running forwarder: devices on either side, a pump for each direction, and one thread that sleeps when nothing is
//! due.

use crate::config;
use crate::control::{Command, ControlServer};
use crate::direction::{FrameRules, LiveDirection};
use crate::link::LinkSettings;
use crate::port::Port;
use crate::report;
use crate::sys::{self, FilterScope, NfQueue, SystemClock};
use serde_json::{json, Value as Json};
use std::io;
use std::os::fd::AsRawFd;
use units::{Span, Time};

/// Most frames read from one device before the next device is served.
const BATCH: usize = 64;
/// Largest size of a super-packet, and of a netfilter queue's message around it.
const BUFFER: usize = 1 << 17;

/// Rate from which a full packet takes less time than the shortest sleep.
const FAST_BPS: u64 = 600_000_000;
const NAP_NS: u64 = 30_000;
/// Period at which the devices are checked: the forwarder waits for one that is down, and ends if one has gone.
const PRESENCE: Span = Span::from_millis(500);

/// A processor that slept takes tens of microseconds to wake. So after a long sleep (of which this is a small part) the
/// thread wakes that much early and watches the clock.
const EARLY_NS: u64 = 100_000;
const LONG_NS: u64 = 10 * EARLY_NS;

/// Runs a forwarder until it is stopped, and returns its counters as JSON. [`Forwarder::new`] describes `settings`.
///
/// # Errors
/// Invalid settings, or devices that cannot be opened, as one line for the user.
pub fn run(settings: &str) -> Result<String, String> {
    let settings: Json = serde_json::from_str(settings).map_err(|error| format!("settings: {error}"))?;
    let mut forwarder = Forwarder::new(&settings)?;
    let worked = forwarder.work();
    // Files are also closed if a device disappears: the record up to then is complete.
    let counted = forwarder.finish();
    worked.and(counted)
}

struct Forwarder {
    clock: SystemClock,
    ports: Vec<Port>,
    /// The names of the ports for messages.
    names: Vec<String>,
    /// Time at which the ports were last checked.
    seen: Time,
    directions: Vec<LiveDirection>,
    control: ControlServer,
    stop: std::os::fd::OwnedFd,
    overhead: i64,
    real_time: bool,
    /// Whether the kernel filters system calls of this process.
    filtered: bool,
    /// Whether to wake early, and the last time for which the thread woke early.
    watchful: bool,
    watched: Time,
    buffer: Vec<u8>,
}

impl Forwarder {
    /// Opens devices, files and sockets, asks for priority, and gives up privileges. Settings:
    ///
    /// ```json
    /// {"ports": [{"kind": "tun" | "packet" | "queue", "name": "..", "netns": "..", "number": 0}, ..],
    ///  "links": [forward, back], "names": ["queue/bottleneck", ..], "paths": [..], "seed": 1, "overhead": 0,
    ///  "real_time": true, "control": "socket", "metrics": "127.0.0.1:9100" or null,
    ///  "records": ["file", ..], "captures": ["file", ..], "snap": 128, "sample_ms": 100,
    ///  "watchful": false}
    /// ```
    ///
    /// Links, names, records and captures are by direction, from the first device to the last and back. A `watchful`
    /// forwarder wakes a little before something is due and spins until then; in virtual time, where the clock waits
    /// for processes to sleep, it must not.
    fn new(settings: &Json) -> Result<Forwarder, String> {
        // The settings are checked first, so that a user without rights for the devices sees both problems.
        let paths = config::read_paths(&settings["paths"]).map_err(|problems| problems.join("; "))?;
        let links =
            settings["links"].as_array().map_or(&[][..], Vec::as_slice).iter().map(config::usable_link);
        let links: Vec<LinkSettings> =
            links.collect::<Result<_, _>>().map_err(|problems| problems.join("; "))?;
        let opened = settings["ports"].as_array().map_or(&[][..], Vec::as_slice).iter().map(Port::open);
        let (names, ports): (Vec<String>, Vec<Port>) =
            opened.collect::<Result<Vec<_>, _>>()?.into_iter().unzip();
        if ports.is_empty() {
            return Err("settings: no devices".to_string());
        }
        let clock = SystemClock::default();
        let mut directions = Vec::new();
        for (number, link) in links.into_iter().take(ports.len()).enumerate() {
            let ends = (number, if number == 0 { ports.len() - 1 } else { 0 });
            let layer = ports[number].layer();
            directions.push(LiveDirection::open(settings, link, ends, &paths, (layer, clock.epoch))?);
        }
        let control = ControlServer::open(settings["control"].as_str(), settings["metrics"].as_str())?;
        let stop = sys::stop_signals().map_err(|error| format!("signals: {error}"))?;
        let real_time = sys::be_prompt(settings["real_time"].as_bool().unwrap_or(true));
        sys::drop_capabilities(ports.iter().any(|port| matches!(port, Port::Queue(_))))
            .map_err(|error| format!("privileges cannot be given up: {error}"))?;
        let filtered = sys::filter_calls(FilterScope::Forwarder)
            .map_err(|error| format!("system calls cannot be filtered: {error}"))?;
        let overhead = settings["overhead"].as_i64().unwrap_or(0);
        let watchful = settings["watchful"].as_bool().unwrap_or(false);
        let (watched, buffer) = (Time::ZERO, vec![0; BUFFER]);
        let seen = Time::ZERO;
        Ok(Forwarder {
            clock,
            ports,
            names,
            seen,
            filtered,
            directions,
            control,
            stop,
            overhead,
            real_time,
            watchful,
            watched,
            buffer,
        })
    }

    /// The problem with a port that does not exist any more, if there is one.
    fn vanished(&self) -> Option<String> {
        let gone = self.ports.iter().position(|port| !port.is_present())?;
        Some(format!(
            "{}: has gone, so nothing is forwarded any more; bring it back and run the router again",
            self.names[gone]
        ))
    }

    /// Forwards until it is stopped.
    ///
    /// # Errors
    /// One line for people: a device that has gone or fails.
    fn work(&mut self) -> Result<(), String> {
        let (mut fds, mut ready) = (Vec::new(), vec![true; self.ports.len()]);
        loop {
            let woken = self.clock.now();
            for direction in &mut self.directions {
                direction.series.sample(&mut direction.pump, woken, &mut direction.watchers);
            }
            for (number, _) in ready.iter().enumerate().take(self.ports.len()).filter(|(_, is)| **is) {
                self.read(number).map_err(|error| {
                    self.vanished().unwrap_or_else(|| format!("{}: {error}", self.names[number]))
                })?;
            }
            let now = self.clock.now();
            if now.since(self.seen) >= PRESENCE {
                self.seen = now;
                self.vanished().map_or(Ok(()), Err)?;
            }
            self.deliver(now);
            let due = self.directions.iter().filter_map(|direction| direction.pump.next_due());
            let next = due.chain(self.directions.iter().map(|direction| direction.series.next())).min();
            fds.clear();
            fds.extend(self.ports.iter().map(Port::fd));
            fds.push(self.stop.as_raw_fd());
            self.control.descriptors(&mut fds);
            sys::wait(&fds, next.map(|next| self.timeout_ns(next, now)), &mut ready)
                .map_err(|error| format!("the forwarder cannot wait: {error}"))?;
            let others = &ready[self.ports.len()..];
            let (stop, asked) = (others[0], others[1..].iter().any(|is| *is));
            if stop || (asked && self.serve_requests()) {
                return Ok(());
            }
        }
    }

    /// How many nanoseconds to sleep when something is due at `next`. Waking for each packet of a fast link would take
    /// a whole processor, of which the kernel leaves a real-time thread 95 %: there a few packets share a wake-up.
    fn timeout_ns(&mut self, next: Time, now: Time) -> u64 {
        let ns = next.since(now).0;
        let fast = self.directions.iter().any(|direction| direction.pump.link().rate.0 >= FAST_BPS);
        if ns == 0 || (self.watched == next && ns <= EARLY_NS) {
            0
        } else if self.watchful && ns >= LONG_NS {
            self.watched = next;
            ns - EARLY_NS
        } else if fast {
            ns.max(NAP_NS)
        } else {
            ns
        }
    }

    /// Reads the pending packets of a device, at most a batch.
    fn read(&mut self, number: usize) -> io::Result<()> {
        let Forwarder { ports, directions, buffer, clock, overhead, .. } = self;
        let Some(direction) = directions.iter_mut().find(|direction| direction.from == number) else {
            return Ok(());
        };
        let mtu = ports[direction.to].mtu();
        for _ in 0..BATCH {
            let port = &mut ports[number];
            let rules = FrameRules { layer: port.layer(), mtu, overhead: *overhead };
            match port {
                Port::Tun(tun) => {
                    let Some(length) = tun.read(buffer)? else { return Ok(()) };
                    direction.take(&mut buffer[..length], None, 0, &rules, clock.now());
                }
                Port::Packet(socket) => {
                    let Some((length, vnet)) = socket.read(buffer)? else { return Ok(()) };
                    direction.take(&mut buffer[..length], Some(vnet), 0, &rules, clock.now());
                }
                Port::Queue(queue) => {
                    let Some((length, packet)) = queue.read(buffer)? else { return Ok(()) };
                    if packet == 0 {
                        continue;
                    }
                    let refused = direction.refused;
                    direction.take(&mut buffer[..length], None, u64::from(packet), &rules, clock.now());
                    if direction.refused != refused {
                        queue.verdict(packet, false, None);
                    }
                    report_drops(direction, queue);
                }
            }
        }
        Ok(())
    }

    /// Hands over the packets that are due.
    fn deliver(&mut self, now: Time) {
        let Forwarder { ports, directions, .. } = self;
        for direction in directions {
            direction.pump.advance(now, &mut direction.watchers);
            while let Some(delivery) = direction.pump.deliver(now) {
                let handle = delivery.handle;
                let frame = direction.pump.store.frame(handle.slot);
                let taken = match &mut ports[direction.to] {
                    Port::Tun(tun) => tun.send(frame),
                    Port::Packet(socket) => socket.send(frame),
                    Port::Queue(queue) => {
                        let token = direction.pump.store.tag(handle.slot).token;
                        queue.verdict(token as u32, true, handle.marked.then_some(frame))
                    }
                };
                direction.refused.device += u64::from(!taken);
                direction.pump.delivered(&delivery);
            }
            if let Port::Queue(queue) = &mut ports[direction.to] {
                report_drops(direction, queue);
            }
            direction.sample_device_backlog(&ports[direction.to], now);
        }
    }

    /// Serves the requests on the control socket; returns whether to stop.
    fn serve_requests(&mut self) -> bool {
        let now = self.clock.now();
        let requests = self.control.requests();
        let mut stop = false;
        for (client, request) in requests {
            let known = !matches!(request, Command::Wrong(_));
            let answer = match request {
                Command::Stats { series } => self.stats(series).to_string(),
                Command::Reset => {
                    let before = self.stats(true);
                    for direction in &mut self.directions {
                        direction.series.sample(&mut direction.pump, now, &mut direction.watchers);
                        direction.pump.account(now, true, &mut direction.watchers);
                        direction.series.restart(now);
                    }
                    before.to_string()
                }
                Command::Set(edits) => self.set(&edits, now).to_string(),
                Command::Stop => {
                    stop = true;
                    json!({"stopping": true}).to_string()
                }
                Command::Metrics => {
                    self.update_missed();
                    let rows: Vec<_> = self
                        .directions
                        .iter()
                        .map(|direction| (direction.name, &direction.pump, direction.refused))
                        .collect();
                    report::prometheus(&rows)
                }
                Command::Wrong(why) => json!({"problems": [why]}).to_string(),
            };
            self.control.answer(client, &answer, known);
        }
        stop
    }

    /// Changes the forward link.
    fn set(&mut self, edits: &[(String, Json)], now: Time) -> Json {
        let Some(direction) = self.directions.first_mut() else { return Json::Null };
        match config::edit_link(direction.pump.link(), edits) {
            Ok(link) => {
                direction.pump.change(link, now, &mut direction.watchers);
                json!({"link": config::show_link(direction.pump.link())})
            }
            Err(problems) => json!({ "problems": problems }),
        }
    }

    /// Everything counted. A long series takes a while to serialise, in which nothing is forwarded.
    fn stats(&mut self, series: bool) -> Json {
        self.update_missed();
        let now = self.clock.now();
        let mut all =
            json!({"time_s": now.as_secs(), "real_time": self.real_time, "filtered": self.filtered});
        for direction in &mut self.directions {
            direction.pump.account(now, false, &mut direction.watchers);
            all[direction.name] = direction.stats();
            if series {
                all[direction.name]["series"] = direction.series.show();
            }
        }
        all
    }

    /// Asks the devices for the number of packets they dropped before this process saw them.
    fn update_missed(&mut self) {
        for direction in &mut self.directions {
            direction.refused.missed = self.ports[direction.from].missed();
        }
    }

    /// Sends the packets in flight at once, and closes the files.
    fn finish(mut self) -> Result<String, String> {
        let stats = self.stats(true);
        while let Some(due) = self.directions.iter().filter_map(|direction| direction.pump.next_due()).min() {
            self.deliver(due);
        }
        self.directions.into_iter().try_for_each(LiveDirection::close)?;
        Ok(stats.to_string())
    }
}

/// Reports to the kernel the packets that the discipline dropped.
fn report_drops(direction: &mut LiveDirection, queue: &mut NfQueue) {
    for token in direction.pump.ended.drain(..) {
        queue.verdict(token as u32, false, None);
    }
}
