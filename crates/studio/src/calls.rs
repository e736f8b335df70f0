//! The sessions of a host, and the functions it calls.

use crate::frame;
use serde_json::{json, Value as Json};
use sim::scenario::{catalogue, typed, Scenario};
use sim::session::{Session, SOJOURN_BINS, SOJOURN_FIRST_MS, SOJOURN_PER_DECADE};
use units::param::{Problem, Value};
use units::{Span, Time};

/// Input and output of calls, and the sessions in progress.
#[derive(Default)]
pub struct Calls {
    input: Vec<u8>,
    output: Vec<u8>,
    sessions: Vec<Option<Session>>,
}

/// A request of a host: scenario, edits, seed and observed link.
struct Request {
    scenario: Scenario,
    seed: u64,
    link: usize,
}

impl Calls {
    /// Allocates an input of this length.
    pub fn buffer(&mut self, length: usize) -> *mut u8 {
        self.input.clear();
        self.input.resize(length, 0);
        self.input.as_mut_ptr()
    }

    /// The output of the last call.
    pub fn output(&self) -> &[u8] {
        &self.output
    }

    /// Outputs the version and the catalogue.
    pub fn catalogue(&mut self) {
        let histogram = json!({
            "bins": SOJOURN_BINS, "first_ms": SOJOURN_FIRST_MS, "per_decade": SOJOURN_PER_DECADE,
        });
        let version = env!("CARGO_PKG_VERSION");
        self.write(&json!({ "version": version, "histogram": histogram, "catalogue": catalogue() }));
    }

    /// Outputs the description of the input's scenario, or its problems.
    pub fn describe(&mut self) {
        let answer = match self.request() {
            Ok(request) => description(&request),
            Err(problems) => refusal(&problems),
        };
        self.write(&answer);
    }

    /// Opens a session; zero if the scenario has problems, which are the output then.
    pub fn open(&mut self) -> u32 {
        let request = match self.request() {
            Ok(request) => request,
            Err(problems) => {
                self.write(&refusal(&problems));
                return 0;
            }
        };
        let session = Session::new(request.scenario.plan(), request.seed, request.link);
        let names: Vec<&str> = session.discipline_values().iter().map(|(name, _)| *name).collect();
        self.write(&json!({ "values": names }));
        let free = self.sessions.iter().position(Option::is_none).unwrap_or(self.sessions.len());
        if free == self.sessions.len() {
            self.sessions.push(None);
        }
        self.sessions[free] = Some(session);
        free as u32 + 1
    }

    /// Advances a session; returns the time reached, or zero without such a session.
    pub fn advance(&mut self, session: u32, until: f64, step: f64, most: u32) -> f64 {
        let reached = |run: &mut Session| {
            run.advance(Time::from_secs(until), Span::from_secs(step), u64::from(most)).as_secs()
        };
        self.session(session).map_or(0.0, reached)
    }

    /// Outputs the frame of a session.
    pub fn frame(&mut self, session: u32) {
        let frame = self.session(session).map(frame::of).unwrap_or_default();
        self.output = frame.iter().flat_map(|value| value.to_le_bytes()).collect();
    }

    /// Ends a session and outputs its summary.
    pub fn finish(&mut self, session: u32) {
        let Some(session) = self.slot(session).and_then(Option::take) else { return self.output.clear() };
        let (outcome, plan) = session.into_outcome();
        let digest = format!("{:016x}", outcome.digest(&plan));
        self.write(&json!({ "digest": digest, "summary": outcome.summary(&plan, "") }));
    }

    /// Removes a session.
    pub fn close(&mut self, session: u32) {
        if let Some(slot) = self.slot(session) {
            *slot = None;
        }
    }

    fn slot(&mut self, session: u32) -> Option<&mut Option<Session>> {
        self.sessions.get_mut((session as usize).checked_sub(1)?)
    }

    fn session(&mut self, session: u32) -> Option<&mut Session> {
        self.slot(session)?.as_mut()
    }

    fn write(&mut self, answer: &Json) {
        self.output = answer.to_string().into_bytes();
    }

    /// The input `{"text": …, "edits": [[path, value], …], "seed": …, "link": name}`; values are texts as on the
    /// command line.
    fn request(&self) -> Result<Request, Vec<Problem>> {
        let wrong = |rule: String| vec![Problem::new("input", "", rule, "pass an object with the key text")];
        let input: Json = serde_json::from_slice(&self.input).map_err(|error| wrong(error.to_string()))?;
        let text = input["text"].as_str().ok_or_else(|| wrong("has no text".into()))?;
        let rows = input["edits"].as_array().map(Vec::as_slice).unwrap_or_default();
        let edits: Vec<(&str, Value)> =
            rows.iter().filter_map(|row| Some((row[0].as_str()?, typed(row[1].as_str()?)))).collect();
        let scenario = Scenario::parse(text)?;
        let scenario = if edits.is_empty() { scenario } else { scenario.with(&edits)? };
        let plan = scenario.plan();
        if plan.run.in_doubles() {
            let rule = "is not for the browser, whose engine counts nanoseconds";
            return Err(vec![Problem::new("run.clock", "doubles", rule, "take clock = \"nanoseconds\"")]);
        }
        let name = input["link"].as_str().unwrap_or_default();
        let link = plan.links.iter().position(|link| name.is_empty() || link.name == name);
        let link = link.ok_or_else(|| vec![no_such_link(name, &plan.links)])?;
        Ok(Request { scenario, seed: input["seed"].as_u64().unwrap_or(1), link })
    }
}

fn description(request: &Request) -> Json {
    let Request { scenario, link, .. } = request;
    let plan = scenario.plan();
    let flows: Vec<Json> = plan
        .members()
        .map(|(group, index)| json!({ "group": group.name, "name": group.member(index), "class": group.class }))
        .collect();
    let names: Vec<&str> = plan.links.iter().map(|one| one.name.as_str()).collect();
    let observed = &plan.links[*link];
    json!({
        "ok": true,
        "title": scenario.title(),
        "hash": scenario.hash(),
        "duration_s": plan.run.duration.as_secs(),
        "warmup_s": plan.run.warmup.as_secs(),
        "flows": flows,
        "links": names,
        "link": {
            "name": observed.name, "rate_bps": observed.rate.0, "delay_ms": observed.delay.as_millis(),
            "kind": observed.queue.kind(), "packet_bytes": observed.packet.0,
        },
        "automatic": shown(&Value::Table(scenario.automatic())),
        "resolved": scenario.to_json(),
        "toml": scenario.to_toml(),
    })
}

fn no_such_link(name: &str, links: &[sim::plan::LinkPlan]) -> Problem {
    let names: Vec<&str> = links.iter().map(|link| link.name.as_str()).collect();
    Problem::new("link", name, "is not a link of the scenario", format!("take one of {}", names.join(", ")))
}

fn refusal(problems: &[Problem]) -> Json {
    let row = |p: &Problem| json!({ "path": p.path, "value": p.value, "rule": p.rule, "remedy": p.remedy });
    json!({ "ok": false, "problems": problems.iter().map(row).collect::<Vec<_>>() })
}

fn shown(from: &Value) -> Json {
    match from {
        Value::Bool(yes) => (*yes).into(),
        Value::Int(n) => (*n).into(),
        Value::Float(x) => (*x).into(),
        Value::Text(text) => text.as_str().into(),
        Value::List(items) => items.iter().map(shown).collect(),
        Value::Table(rows) => rows.iter().map(|(key, item)| (key.clone(), shown(item))).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sim::{run, Options};

    const TEXT: &str = "[run]\nduration = \"3 s\"\n[dumbbell]\nrate = \"4 Mbit/s\"\n[queue]\nkind = \"red\"\n[flows.tcp]\ncount = 3\n";

    fn ask(calls: &mut Calls, input: &Json) {
        let bytes = input.to_string().into_bytes();
        calls.buffer(bytes.len());
        calls.input.copy_from_slice(&bytes);
    }

    fn answer(calls: &Calls) -> Json {
        serde_json::from_slice(calls.output()).expect("JSON")
    }

    /// A session through the calls has the digest of a run, and its number is free again afterwards.
    #[test]
    fn a_session_has_the_digest_of_the_run() {
        let plan = Scenario::parse(TEXT)
            .expect("sound")
            .set("queue.max_p", Value::Float(0.2))
            .expect("sound")
            .plan();
        let digest = run(&plan, 5, &Options::default()).digest(&plan);
        let mut calls = Calls::default();
        for _ in 0..2 {
            ask(&mut calls, &json!({ "text": TEXT, "edits": [["queue.max_p", "0.2"]], "seed": 5 }));
            assert_eq!(calls.open(), 1);
            assert_eq!(calls.advance(1, 1.5, 0.01, 1_000_000), 1.5);
            calls.frame(1);
            assert_eq!(calls.output().len() % 8, 0);
            calls.advance(1, 9.0, 0.01, u32::MAX);
            calls.finish(1);
            assert_eq!(answer(&calls)["digest"], format!("{digest:016x}"));
        }
    }

    /// The example of the README: its input opens a session, which ends with the digest of the run.
    #[test]
    fn the_example_of_the_readme_runs() {
        let page = include_str!("../README.md");
        let block = page.split("```json\n").nth(1).and_then(|rest| rest.split("```").next());
        let input: Json = serde_json::from_str(block.expect("a block of JSON")).expect("JSON");
        let mut scenario = Scenario::parse(input["text"].as_str().expect("a text")).expect("sound");
        for edit in input["edits"].as_array().expect("edits") {
            let (path, value) = (edit[0].as_str().expect("a path"), edit[1].as_str().expect("a value"));
            scenario = scenario.set(path, typed(value)).expect("sound");
        }
        let plan = scenario.plan();
        let seed = input["seed"].as_u64().expect("a seed");
        let digest = run(&plan, seed, &Options::default()).digest(&plan);

        let mut calls = Calls::default();
        ask(&mut calls, &input);
        let session = calls.open();
        let mut now = 0.0;
        while now < 3.0 {
            now = calls.advance(session, now + 0.5, 0.01, u32::MAX);
        }
        calls.finish(session);
        assert_eq!(answer(&calls)["digest"], format!("{digest:016x}"));
    }

    /// A scenario with problems opens no session and outputs each of them.
    #[test]
    fn problems_are_the_output() {
        let mut calls = Calls::default();
        ask(&mut calls, &json!({ "text": TEXT, "edits": [["queue.max_p", "7"]] }));
        assert_eq!(calls.open(), 0);
        assert_eq!(answer(&calls)["problems"][0]["path"], "queue.max_p");
        ask(&mut calls, &json!({ "text": TEXT, "link": "bottlenek" }));
        assert_eq!(calls.open(), 0);
        assert_eq!(answer(&calls)["problems"][0]["remedy"], "take one of bottleneck, bottleneck.back");
        ask(&mut calls, &json!({ "text": TEXT, "link": "bottleneck.back" }));
        calls.describe();
        assert_eq!(answer(&calls)["link"]["name"], "bottleneck.back");
        ask(&mut calls, &json!({ "text": TEXT }));
        calls.describe();
        assert_eq!(answer(&calls)["flows"].as_array().map(Vec::len), Some(3));
    }
}
