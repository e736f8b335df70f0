//! The control interface of a running forwarder: a Unix socket that takes one JSON line for each request, and metrics
//! over HTTP.
//!
//! | Request | Answer |
//! |---|---|
//! | `{"do": "stats"}` | all counters; with `"series": true` also the counts of each interval |
//! | `{"do": "reset"}` | the same as `stats` with `series`; then resets the counters |
//! | `{"do": "set", "values": {"queue.max_p": 0.1, "rate": "20 Mbit/s"}}` | the link as it is now, or `problems` |
//! | `{"do": "stop"}` | |

use serde_json::Value as Json;
use std::fs::Permissions;
use std::io::{ErrorKind, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::os::fd::{AsRawFd, RawFd};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::{UnixListener, UnixStream};
use std::time::Duration;

/// Longest request in bytes.
const LONGEST: usize = 1 << 16;
/// Most clients at once.
const MOST: usize = 16;
/// Time within which a client has to read its answer.
const PATIENCE: Duration = Duration::from_millis(20);

/// A request.
#[derive(Debug)]
pub enum Command {
    /// Everything counted.
    Stats {
        /// Also the counts of each interval.
        series: bool,
    },
    /// The statistics, and a reset of the counters.
    Reset,
    /// A change of values of the link.
    Set(Vec<(String, Json)>),
    /// The end of the forwarder.
    Stop,
    /// Metrics.
    Metrics,
    /// An unknown request, with the reason.
    Wrong(String),
}

enum Stream {
    Unix(UnixStream),
    Tcp(TcpStream),
}

impl Stream {
    fn fd(&self) -> RawFd {
        match self {
            Stream::Unix(stream) => stream.as_raw_fd(),
            Stream::Tcp(stream) => stream.as_raw_fd(),
        }
    }

    /// Bytes that can be read now; `None` at the end.
    fn hear(&mut self, heard: &mut Vec<u8>) -> Option<()> {
        let mut bytes = [0; 4096];
        let got = match self {
            Stream::Unix(stream) => stream.set_nonblocking(true).and_then(|()| stream.read(&mut bytes)),
            Stream::Tcp(stream) => stream.set_nonblocking(true).and_then(|()| stream.read(&mut bytes)),
        };
        match got {
            Ok(0) => None,
            Ok(count) => {
                heard.extend_from_slice(&bytes[..count]);
                Some(())
            }
            Err(error) => (error.kind() == ErrorKind::WouldBlock).then_some(()),
        }
    }

    fn say(&mut self, text: &str) -> std::io::Result<()> {
        match self {
            Stream::Unix(stream) => {
                stream.set_nonblocking(false)?;
                stream.set_write_timeout(Some(PATIENCE))?;
                stream.write_all(text.as_bytes())
            }
            Stream::Tcp(stream) => {
                stream.set_nonblocking(false)?;
                stream.set_write_timeout(Some(PATIENCE))?;
                stream.write_all(text.as_bytes())
            }
        }
    }
}

struct Guest {
    stream: Stream,
    heard: Vec<u8>,
    /// Whether the client has left, or is ignored.
    gone: bool,
}

impl Guest {
    /// The next complete line, or HTTP request, received.
    fn wish(&mut self) -> Option<String> {
        let end: &[u8] = if matches!(self.stream, Stream::Tcp(_)) { b"\r\n\r\n" } else { b"\n" };
        let at = self.heard.windows(end.len()).position(|bytes| bytes == end)?;
        let line: Vec<u8> = self.heard.drain(..at + end.len()).collect();
        Some(String::from_utf8_lossy(&line).trim().to_string())
    }
}

/// Parses a request.
fn order(line: &str) -> Command {
    let json: Json = match serde_json::from_str(line) {
        Ok(json) => json,
        Err(error) => return Command::Wrong(format!("not JSON: {error}")),
    };
    match json["do"].as_str() {
        Some("stats") => Command::Stats { series: json["series"] == true },
        Some("reset") => Command::Reset,
        Some("stop") => Command::Stop,
        Some("set") => match json["values"].as_object() {
            Some(values) => {
                Command::Set(values.iter().map(|(key, value)| (key.clone(), value.clone())).collect())
            }
            None => Command::Wrong("set: no values".to_string()),
        },
        _ => Command::Wrong("no such request; there are stats, reset, set and stop".to_string()),
    }
}

/// Parses an HTTP request; only metrics are served.
fn http(head: &str) -> Command {
    let mut words = head.split_whitespace();
    match (words.next(), words.next()) {
        (Some("GET"), Some("/metrics" | "/")) => Command::Metrics,
        _ => Command::Wrong("there is /metrics".to_string()),
    }
}

/// The sockets and their clients.
#[derive(Default)]
pub struct Desk {
    control: Option<UnixListener>,
    metrics: Option<TcpListener>,
    guests: Vec<Guest>,
}

impl Desk {
    /// Opens a control socket at a path, and metrics at an address such as `127.0.0.1:9100`.
    ///
    /// # Errors
    /// One line for people.
    pub fn open(control: Option<&str>, metrics: Option<&str>) -> Result<Desk, String> {
        let mut desk = Desk::default();
        if let Some(path) = control {
            let failed = |error: std::io::Error| format!("control socket {path}: {error}");
            let listener = UnixListener::bind(path).map_err(failed)?;
            // Anyone who may connect may change and stop the link.
            std::fs::set_permissions(path, Permissions::from_mode(0o600)).map_err(failed)?;
            listener.set_nonblocking(true).map_err(failed)?;
            desk.control = Some(listener);
        }
        if let Some(address) = metrics {
            let failed = |error: std::io::Error| format!("metrics at {address}: {error}");
            let listener = TcpListener::bind(address).map_err(failed)?;
            listener.set_nonblocking(true).map_err(failed)?;
            desk.metrics = Some(listener);
        }
        Ok(desk)
    }

    /// All descriptors to poll for input.
    pub fn descriptors(&mut self, fds: &mut Vec<RawFd>) {
        self.guests.retain(|guest| !guest.gone);
        fds.extend(self.control.iter().map(AsRawFd::as_raw_fd));
        fds.extend(self.metrics.iter().map(AsRawFd::as_raw_fd));
        fds.extend(self.guests.iter().map(|guest| guest.stream.fd()));
    }

    /// The pending requests, each with the client that sent it. Clients that disconnected are removed.
    pub fn orders(&mut self) -> Vec<(usize, Command)> {
        self.guests.retain(|guest| !guest.gone);
        self.admit();
        let mut orders = Vec::new();
        for (number, guest) in self.guests.iter_mut().enumerate() {
            guest.gone |= guest.stream.hear(&mut guest.heard).is_none() || guest.heard.len() > LONGEST;
            while let Some(line) = guest.wish() {
                let asked = matches!(guest.stream, Stream::Tcp(_));
                orders.push((number, if asked { http(&line) } else { order(&line) }));
            }
        }
        orders
    }

    /// Answers a client; `known` if the request is one of those listed. A client that does not read its answer in time
    /// misses it.
    pub fn answer(&mut self, number: usize, text: &str, known: bool) {
        let Some(guest) = self.guests.get_mut(number) else { return };
        let whole = match guest.stream {
            Stream::Tcp(_) => {
                let status = if known { "200 OK" } else { "404 Not Found" };
                let kind = "text/plain; version=0.0.4; charset=utf-8";
                let head = format!("HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nConnection: close\r\n");
                format!("{head}Content-Length: {}\r\n\r\n{text}", text.len())
            }
            Stream::Unix(_) => format!("{text}\n"),
        };
        guest.gone |= guest.stream.say(&whole).is_err() || matches!(guest.stream, Stream::Tcp(_));
    }

    fn admit(&mut self) {
        while let Some(Ok((stream, _))) = self.control.as_ref().map(UnixListener::accept) {
            self.seat(Stream::Unix(stream));
        }
        while let Some(Ok((stream, _))) = self.metrics.as_ref().map(TcpListener::accept) {
            self.seat(Stream::Tcp(stream));
        }
    }

    fn seat(&mut self, stream: Stream) {
        if self.guests.len() < MOST {
            self.guests.push(Guest { stream, heard: Vec::new(), gone: false });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{BufRead, BufReader};

    #[test]
    fn wishes_are_read_line_by_line() {
        assert!(matches!(order("{\"do\": \"stats\"}"), Command::Stats { series: false }));
        assert!(matches!(order("{\"do\": \"stats\", \"series\": true}"), Command::Stats { series: true }));
        assert!(matches!(order("{\"do\": \"dance\"}"), Command::Wrong(_)));
        assert!(matches!(order("nonsense"), Command::Wrong(_)));
        let Command::Set(values) = order("{\"do\": \"set\", \"values\": {\"rate\": \"1 Mbit/s\"}}") else {
            panic!("set")
        };
        assert_eq!(values, [("rate".to_string(), Json::from("1 Mbit/s"))]);
        assert!(matches!(http("GET /metrics HTTP/1.1"), Command::Metrics));
        assert!(matches!(http("POST /x HTTP/1.1"), Command::Wrong(_)));
    }

    #[test]
    fn a_guest_is_heard_and_answered() {
        let (ours, theirs) = UnixStream::pair().unwrap();
        let mut desk = Desk::default();
        desk.seat(Stream::Unix(ours));
        assert!(desk.orders().is_empty(), "nothing said, and no waiting");
        (&theirs).write_all(b"{\"do\": \"stats\"}\n{\"do\": \"st").unwrap();
        let orders = desk.orders();
        assert!(matches!(orders[..], [(0, Command::Stats { series: false })]));
        desk.answer(0, "{}", true);
        let mut line = String::new();
        BufReader::new(&theirs).read_line(&mut line).unwrap();
        assert_eq!(line, "{}\n");
        (&theirs).write_all(b"op\"}\n").unwrap();
        assert!(matches!(desk.orders()[..], [(0, Command::Stop)]));
        drop(theirs);
        desk.orders();
        desk.orders();
        assert!(desk.guests.is_empty());
    }
}
