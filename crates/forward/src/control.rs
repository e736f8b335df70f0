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
    fn read_available(&mut self, received: &mut Vec<u8>) -> Option<()> {
        let mut bytes = [0; 4096];
        let got = match self {
            Stream::Unix(stream) => stream.set_nonblocking(true).and_then(|()| stream.read(&mut bytes)),
            Stream::Tcp(stream) => stream.set_nonblocking(true).and_then(|()| stream.read(&mut bytes)),
        };
        match got {
            Ok(0) => None,
            Ok(count) => {
                received.extend_from_slice(&bytes[..count]);
                Some(())
            }
            Err(error) => (error.kind() == ErrorKind::WouldBlock).then_some(()),
        }
    }

    fn send(&mut self, text: &str) -> std::io::Result<()> {
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

struct Client {
    stream: Stream,
    received: Vec<u8>,
    /// Whether the client has left, or is ignored.
    gone: bool,
}

impl Client {
    /// The next complete line, or HTTP request, received.
    fn next_request(&mut self) -> Option<String> {
        let end: &[u8] = if matches!(self.stream, Stream::Tcp(_)) { b"\r\n\r\n" } else { b"\n" };
        let at = self.received.windows(end.len()).position(|bytes| bytes == end)?;
        let line: Vec<u8> = self.received.drain(..at + end.len()).collect();
        Some(String::from_utf8_lossy(&line).trim().to_string())
    }
}

/// Parses a request.
fn parse_request(line: &str) -> Command {
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
pub struct ControlServer {
    control: Option<UnixListener>,
    metrics: Option<TcpListener>,
    clients: Vec<Client>,
}

impl ControlServer {
    /// Opens a control socket at a path, and metrics at an address such as `127.0.0.1:9100`.
    ///
    /// # Errors
    /// One line for people.
    pub fn open(control: Option<&str>, metrics: Option<&str>) -> Result<ControlServer, String> {
        let mut server = ControlServer::default();
        if let Some(path) = control {
            let failed = |error: std::io::Error| format!("control socket {path}: {error}");
            let listener = UnixListener::bind(path).map_err(failed)?;
            // Anyone who may connect may change and stop the link.
            std::fs::set_permissions(path, Permissions::from_mode(0o600)).map_err(failed)?;
            listener.set_nonblocking(true).map_err(failed)?;
            server.control = Some(listener);
        }
        if let Some(address) = metrics {
            let failed = |error: std::io::Error| format!("metrics at {address}: {error}");
            let listener = TcpListener::bind(address).map_err(failed)?;
            listener.set_nonblocking(true).map_err(failed)?;
            server.metrics = Some(listener);
        }
        Ok(server)
    }

    /// All descriptors to poll for input.
    pub fn descriptors(&mut self, fds: &mut Vec<RawFd>) {
        self.clients.retain(|client| !client.gone);
        fds.extend(self.control.iter().map(AsRawFd::as_raw_fd));
        fds.extend(self.metrics.iter().map(AsRawFd::as_raw_fd));
        fds.extend(self.clients.iter().map(|client| client.stream.fd()));
    }

    /// The pending requests, each with the client that sent it. Clients that disconnected are removed.
    pub fn requests(&mut self) -> Vec<(usize, Command)> {
        self.clients.retain(|client| !client.gone);
        self.admit();
        let mut requests = Vec::new();
        for (number, client) in self.clients.iter_mut().enumerate() {
            client.gone |= client.stream.read_available(&mut client.received).is_none()
                || client.received.len() > LONGEST;
            while let Some(line) = client.next_request() {
                let asked = matches!(client.stream, Stream::Tcp(_));
                requests.push((number, if asked { http(&line) } else { parse_request(&line) }));
            }
        }
        requests
    }

    /// Answers a client; `known` if the request is one of those listed. A client that does not read its answer in time
    /// misses it.
    pub fn answer(&mut self, number: usize, text: &str, known: bool) {
        let Some(client) = self.clients.get_mut(number) else { return };
        let whole = match client.stream {
            Stream::Tcp(_) => {
                let status = if known { "200 OK" } else { "404 Not Found" };
                let kind = "text/plain; version=0.0.4; charset=utf-8";
                let head = format!("HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nConnection: close\r\n");
                format!("{head}Content-Length: {}\r\n\r\n{text}", text.len())
            }
            Stream::Unix(_) => format!("{text}\n"),
        };
        client.gone |= client.stream.send(&whole).is_err() || matches!(client.stream, Stream::Tcp(_));
    }

    fn admit(&mut self) {
        while let Some(Ok((stream, _))) = self.control.as_ref().map(UnixListener::accept) {
            self.add(Stream::Unix(stream));
        }
        while let Some(Ok((stream, _))) = self.metrics.as_ref().map(TcpListener::accept) {
            self.add(Stream::Tcp(stream));
        }
    }

    fn add(&mut self, stream: Stream) {
        if self.clients.len() < MOST {
            self.clients.push(Client { stream, received: Vec::new(), gone: false });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{BufRead, BufReader};

    #[test]
    fn requests_are_read_line_by_line() {
        assert!(matches!(parse_request("{\"do\": \"stats\"}"), Command::Stats { series: false }));
        assert!(matches!(
            parse_request("{\"do\": \"stats\", \"series\": true}"),
            Command::Stats { series: true }
        ));
        assert!(matches!(parse_request("{\"do\": \"dance\"}"), Command::Wrong(_)));
        assert!(matches!(parse_request("nonsense"), Command::Wrong(_)));
        let Command::Set(values) = parse_request("{\"do\": \"set\", \"values\": {\"rate\": \"1 Mbit/s\"}}")
        else {
            panic!("set")
        };
        assert_eq!(values, [("rate".to_string(), Json::from("1 Mbit/s"))]);
        assert!(matches!(http("GET /metrics HTTP/1.1"), Command::Metrics));
        assert!(matches!(http("POST /x HTTP/1.1"), Command::Wrong(_)));
    }

    #[test]
    fn a_client_is_read_and_answered() {
        let (ours, theirs) = UnixStream::pair().unwrap();
        let mut server = ControlServer::default();
        server.add(Stream::Unix(ours));
        assert!(server.requests().is_empty(), "nothing said, and no waiting");
        (&theirs).write_all(b"{\"do\": \"stats\"}\n{\"do\": \"st").unwrap();
        let requests = server.requests();
        assert!(matches!(requests[..], [(0, Command::Stats { series: false })]));
        server.answer(0, "{}", true);
        let mut line = String::new();
        BufReader::new(&theirs).read_line(&mut line).unwrap();
        assert_eq!(line, "{}\n");
        (&theirs).write_all(b"op\"}\n").unwrap();
        assert!(matches!(server.requests()[..], [(0, Command::Stop)]));
        drop(theirs);
        server.requests();
        server.requests();
        assert!(server.clients.is_empty());
    }
}
