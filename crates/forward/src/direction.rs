//! One direction of a running forwarder: from a device through a pump to the other, with its files.

use crate::config;
use crate::header::{self, Layer, Refusal};
use crate::link::{LinkPath, LinkSettings};
use crate::offload::{self, oversize};
use crate::pcapng::Capture;
use crate::port::Port;
use crate::pump::{Frame, Pump};
use crate::record::{RecordHead, Recorder};
use crate::report::{self, Refused};
use crate::series::SeriesFile;
use serde_json::Value as Json;
use std::fs::File;
use std::io::{self, BufWriter};
use units::{Span, Time};

/// Period at which the backlog of the device behind the queue is read.
const BACKLOG_PERIOD: Span = Span::from_millis(10);

type Out = BufWriter<File>;
type Watchers = (Option<Recorder<Out>>, Option<Capture<Out>>);

/// One direction of a running forwarder.
pub(crate) struct LiveDirection {
    pub(crate) name: &'static str,
    pub(crate) pump: Pump,
    pub(crate) watchers: Watchers,
    pub(crate) from: usize,
    pub(crate) to: usize,
    pub(crate) refused: Refused,
    pub(crate) series: SeriesFile,
    paths: usize,
    /// Time at which the backlog of the device behind the queue was last read.
    backlog_read_at: Time,
}

impl LiveDirection {
    /// A direction with its files. The return path has the sides of each path exchanged.
    ///
    /// # Errors
    /// A file that cannot be created, as one line for the user.
    pub(crate) fn open(
        settings: &Json,
        link: LinkSettings,
        (from, to): (usize, usize),
        paths: &[LinkPath],
        (layer, epoch): (Layer, u64),
    ) -> Result<LiveDirection, String> {
        let forward = from == 0;
        let turned = paths.iter().map(|path| LinkPath { access: path.exit, exit: path.access });
        let paths: Vec<LinkPath> = if forward { paths.to_vec() } else { turned.collect() };
        let seed = settings["seed"].as_u64().unwrap_or(1);
        let name = settings["names"][from].as_str().unwrap_or("queue/live").to_string();
        let create = |key: &str| match settings[key][from].as_str() {
            Some(path) => File::create(path).map(|file| Some(BufWriter::with_capacity(1 << 20, file))),
            None => Ok(None),
        };
        let not_written =
            |what: &'static str| move |error: io::Error| format!("the {what} cannot be written: {error}");
        let snap = settings["snap"].as_u64().unwrap_or(128) as usize;
        let head = RecordHead { seed, name: name.clone(), link: link.clone() };
        let record = create("records").map_err(not_written("record"))?;
        let recorder =
            record.map(|out| Recorder::new(out, &head)).transpose().map_err(not_written("record"))?;
        let file = create("captures").map_err(not_written("capture"))?;
        let capture = file
            .map(|out| Capture::new(out, layer, snap, epoch))
            .transpose()
            .map_err(not_written("capture"))?;
        let sample = Span::from_millis(settings["sample_ms"].as_u64().unwrap_or(100).max(1));
        Ok(LiveDirection {
            name: if forward { "forward" } else { "back" },
            pump: Pump::new(link, &paths, seed, &name),
            watchers: (recorder, capture),
            from,
            to,
            refused: Refused::default(),
            series: SeriesFile::every(sample),
            paths: paths.len(),
            backlog_read_at: Time::ZERO,
        })
    }

    /// Takes a frame from the device: splits it, passes it to the pump, or refuses it.
    pub(crate) fn take(
        &mut self,
        frame: &mut [u8],
        vnet: Option<offload::Vnet>,
        token: u64,
        rules: &FrameRules,
        now: Time,
    ) {
        let (layer, overhead) = (rules.layer, rules.overhead);
        let LiveDirection { pump, watchers, refused, paths, .. } = self;
        let mut queue = |part: &[u8]| {
            if oversize(part, layer, rules.mtu) {
                refused.oversize += 1;
                return;
            }
            match header::read(part, layer) {
                Ok(header) => {
                    let size = config::with_overhead(part.len(), overhead);
                    let path = path_of(part, *paths);
                    let taken = pump.arrive(&Frame { bytes: part, header, size, path, token }, now, watchers);
                    refused.wire += u64::from(!taken);
                }
                Err(Refusal::Runt) => refused.runt += 1,
                Err(Refusal::Malformed) => refused.malformed += 1,
                Err(Refusal::Oversize) => refused.oversize += 1,
            }
        };
        let done = match vnet.filter(|vnet| !vnet.is_plain()) {
            Some(vnet) => offload::undo(vnet, frame, &mut queue),
            None => {
                queue(frame);
                Ok(())
            }
        };
        if done.is_err() {
            self.refused.oversize += 1;
        }
    }

    /// Records the backlog of the device behind the queue over the link's rate, at most a hundred times a second: a
    /// queue there hides the effect of the discipline.
    pub(crate) fn sample_device_backlog(&mut self, port: &Port, now: Time) {
        if now.since(self.backlog_read_at) < BACKLOG_PERIOD {
            return;
        }
        self.backlog_read_at = now;
        let rate = self.pump.link().rate.as_bps();
        if let Some(bytes) = port.behind().filter(|_| rate > 0.0) {
            self.pump.measure.behind.note(Span::from_secs(8.0 * bytes as f64 / rate));
        }
    }

    pub(crate) fn stats(&self) -> Json {
        report::direction(&self.pump, &self.refused)
    }

    /// Closes the files.
    ///
    /// # Errors
    /// The first failure since the start, as one line for the user.
    pub(crate) fn close(self) -> Result<(), String> {
        let (recorder, capture) = self.watchers;
        let recorded = recorder.map_or(Ok(()), |recorder| recorder.finish().map(|_| ()));
        let captured = capture.map_or(Ok(()), |capture| capture.finish().map(|_| ()));
        recorded.map_err(|error| format!("the record is incomplete: {error}"))?;
        captured.map_err(|error| format!("the capture is incomplete: {error}"))
    }
}

/// Layer, MTU and overhead of the frames of a device.
pub(crate) struct FrameRules {
    pub(crate) layer: Layer,
    pub(crate) mtu: usize,
    pub(crate) overhead: i64,
}

/// The path of a frame, where each has addresses of its own: the last number of the IPv4 source, from 1. Others go
/// straight to the queue.
fn path_of(frame: &[u8], paths: usize) -> usize {
    match frame {
        [0x45..=0x4f, ..] if paths > 0 && frame.len() >= 20 => {
            usize::from(u16::from_be_bytes([frame[14], frame[15]])).wrapping_sub(1)
        }
        _ => usize::MAX,
    }
}
