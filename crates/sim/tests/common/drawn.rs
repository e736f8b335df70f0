//! Random scenarios over everything the catalogue lists: disciplines and their dialects, transports and their profiles,
//! sources, impairments. For the test `drawn`, and for hours of it in the example `fuzz_runs`.

#![allow(dead_code)] // the test and the example each use a part

use serde_json::{json, Map, Value as Json};
use sim::scenario::{catalogue, Scenario};
use sim::{run, Engine, Options};
use units::{Rng, Stream};

/// Most tries to mend a scenario whose values do not fit together.
const REPAIRS: usize = 40;
/// Chance that a key is set. Most keys stay, or hardly any scenario would fit together.
const SET: f64 = 0.12;

/// The generator of one campaign.
pub struct Drawer {
    catalogue: Json,
    rng: Stream,
}

/// A scenario, with the names of the discipline and of the transports in it.
pub struct Drawn {
    /// The scenario.
    pub scenario: Scenario,
    /// The keys that were set.
    pub object: Json,
    /// Its discipline.
    pub queue: String,
    /// Its transports; of TCP also the congestion control.
    pub transports: Vec<String>,
}

/// The outcome of a run of it.
pub struct Ran {
    /// Events of the plain engine.
    pub events: u64,
    /// Packets that arrived at links.
    pub arrived: u64,
}

impl Drawer {
    /// Returns a generator; the same seed draws the same scenarios.
    pub fn new(seed: u64) -> Drawer {
        Drawer { catalogue: catalogue(), rng: Stream::new(seed, "drawn") }
    }

    /// Returns the next scenario that is valid.
    pub fn next(&mut self) -> Drawn {
        loop {
            let mut object = self.scenario();
            for _ in 0..REPAIRS {
                let problems = match Scenario::from_json(&object) {
                    Ok(scenario) => return drawn(scenario, &object),
                    Err(problems) => problems,
                };
                // Removes the keys named by the problems; if none of them was set, the next scenario is drawn.
                let mut removed = false;
                for problem in &problems {
                    removed |= remove(&mut object, &problem.path);
                }
                if !removed {
                    break;
                }
            }
        }
    }

    fn below(&mut self, n: usize) -> usize {
        (self.rng.uniform() * n as f64) as usize
    }

    fn chance(&mut self, p: f64) -> bool {
        self.rng.uniform() < p
    }

    fn pick<T: Clone>(&mut self, list: &[T]) -> T {
        list[self.below(list.len())].clone()
    }

    fn scenario(&mut self) -> Json {
        let seconds = self.pick(&["0.3 s", "1 s", "2 s", "5 s"]);
        let mut object = json!({
            "run": {"duration": seconds, "warmup": self.pick(&["0 s", "auto"]), "max_events": 400_000},
            "queue": self.queue(),
        });
        let topology = self.pick(&["dumbbell", "dumbbell", "dumbbell", "chain"]);
        let mut link = self.section(topology, &["hops"]);
        link.insert("rate".into(), self.pick(&["200 kbit/s", "1 Mbit/s", "5 Mbit/s", "40 Mbit/s"]).into());
        if topology == "chain" {
            link.insert("hops".into(), json!(2 + self.below(3)));
        }
        if self.chance(0.3) {
            link.insert("back".into(), self.section(&format!("{topology}.back"), &[]).into());
        }
        object[topology] = link.into();
        for group in 0..=self.below(4) {
            object["flows"][format!("g{group}")] = self.flows(topology);
        }
        object
    }

    fn queue(&mut self) -> Json {
        let all = self.catalogue["disciplines"].as_array().cloned().unwrap_or_default();
        let entry = self.pick(&all);
        let mut table = Map::new();
        let share = self.pick(&[0.0, SET, 0.5]);
        self.fields(&entry["fields"], share, &mut table, &["child", "bands"]);
        self.preset(&entry["preset_key"], &entry["dialects"], &mut table);
        table.insert("kind".into(), entry["kind"].clone());
        table.into()
    }

    fn flows(&mut self, topology: &str) -> Json {
        let transports = self.catalogue["transports"].as_array().cloned().unwrap_or_default();
        // Half of the flows are TCP, whose options outnumber all others.
        let transport = if self.chance(0.5) { transports[0].clone() } else { self.pick(&transports) };
        let fits = |source: &&Json| {
            source["transports"].as_array().is_some_and(|all| all.contains(&transport["name"]))
        };
        let sources: Vec<Json> =
            self.catalogue["sources"].as_array().into_iter().flatten().filter(fits).cloned().collect();
        let source = self.pick(&sources);
        let share = self.pick(&[0.0, SET, SET]);
        let mut table = self.section("flows.NAME", &["from", "to", "source", "transport", "counted_as"]);
        self.fields(&transport["fields"], share, &mut table, &[]);
        self.fields(&source["fields"], share, &mut table, &[]);
        self.preset(&transport["preset_key"], &transport["profiles"], &mut table);
        if transport["name"] == "tcp" {
            let controls = self.catalogue["congestion_controls"].as_array().cloned().unwrap_or_default();
            table.insert("cc".into(), self.pick(&controls)["name"].clone());
        }
        if source["name"] == "replay" {
            let packets = ["0 ms 100 B", "1 ms 1500 B", "1 ms 40 B", "30 ms 576 B"];
            table.insert("packets".into(), json!(packets[..=self.below(4)]));
        }
        if topology == "chain" && self.chance(0.3) {
            table.insert("from".into(), json!(1 + self.below(2)));
        }
        table.insert("transport".into(), transport["name"].clone());
        table.insert("source".into(), source["name"].clone());
        table.insert("count".into(), json!(1 + self.below(4)));
        table.into()
    }

    /// Keys of the sections of a path that apply always, some of them set.
    fn section(&mut self, path: &str, but: &[&str]) -> Map<String, Json> {
        let all = self.catalogue["sections"].as_array().cloned().unwrap_or_default();
        let mut table = Map::new();
        for section in all.iter().filter(|section| section["path"] == path) {
            let when = section["when"].as_str().unwrap_or_default();
            if !when.starts_with("transport") && !when.starts_with("source") {
                self.fields(&section["fields"], SET, &mut table, but);
            }
        }
        table
    }

    fn preset(&mut self, key: &Json, rows: &Json, table: &mut Map<String, Json>) {
        let rows = rows.as_array().cloned().unwrap_or_default();
        if let (Some(key), false, true) = (key.as_str(), rows.is_empty(), self.chance(0.5)) {
            table.insert(key.to_string(), self.pick(&rows)["name"].clone());
        }
    }

    fn fields(&mut self, fields: &Json, share: f64, table: &mut Map<String, Json>, but: &[&str]) {
        for field in fields.as_array().into_iter().flatten() {
            let name = field["name"].as_str().unwrap_or_default();
            if self.chance(share) && !but.contains(&name) {
                if let Some(value) = self.value(field) {
                    table.insert(name.to_string(), value);
                }
            }
        }
    }

    fn value(&mut self, field: &Json) -> Option<Json> {
        if field["list"] == true {
            let n = 1 + self.below(4);
            return (0..n).map(|_| self.one(field)).collect::<Option<Vec<Json>>>().map(Json::from);
        }
        self.one(field)
    }

    fn one(&mut self, field: &Json) -> Option<Json> {
        if field["auto"] == true && self.chance(0.2) {
            return Some("auto".into());
        }
        let choices = field["choices"].as_array().cloned().unwrap_or_default();
        Some(match field["kind"].as_str()? {
            "switch" => self.chance(0.5).into(),
            "choice" if !choices.is_empty() => self.pick(&choices)["name"].clone(),
            "number" => self.pick(&[0.0, 1e-6, 0.002, 0.05, 0.25, 0.5, 0.9, 1.0, 1.5, 3.0, 20.0]).into(),
            "count" | "class" => self.pick(&[0, 1, 2, 3, 4, 7, 8, 16, 31, 64, 255]).into(),
            "bytes" => self.pick(&["1 B", "40 B", "64 B", "536 B", "1500 B", "9000 B", "64 kB"]).into(),
            "span" => self.pick(&["0 s", "1 us", "1 ms", "5 ms", "20 ms", "100 ms", "1 s", "60 s"]).into(),
            "rate" => self.pick(&["8 kbit/s", "300 kbit/s", "2 Mbit/s", "30 Mbit/s", "0 bit/s"]).into(),
            "amount" => {
                self.pick(&["1 pkts", "2 pkts", "5 pkts", "20 pkts", "100 pkts", "3000 B", "60000 B"]).into()
            }
            "spread" => self.pick(&["0 s", "20 ms", "even 1 ms to 50 ms", "uniform 0 s to 1 s"]).into(),
            "time law" => self
                .pick(&["1 ms", "exponential 20 ms", "uniform 0 s to 30 ms", "pareto 50 ms shape 1.5"])
                .into(),
            "size law" => self.pick(&["1 B", "1500 B", "pareto 12 kB shape 1.2", "exponential 30 kB"]).into(),
            "count law" => self.pick(&["1", "3", "pareto from 2 shape 1.1 up to 55 less 2"]).into(),
            "queue" => self.pick(&["plain", "codel", "red", "droptail", "pie"]).into(),
            _ => return None,
        })
    }
}

fn drawn(scenario: Scenario, object: &Json) -> Drawn {
    let transport = |flow: &Json| match (flow["transport"].as_str(), flow["cc"].as_str()) {
        (Some("tcp"), Some(control)) => format!("tcp {control}"),
        (name, _) => name.unwrap_or("tcp").to_string(),
    };
    let transports = object["flows"].as_object().into_iter().flatten().map(|(_, flow)| transport(flow));
    Drawn {
        transports: transports.collect(),
        queue: object["queue"]["kind"].as_str().unwrap_or("auto").to_string(),
        object: object.clone(),
        scenario,
    }
}

/// Removes the value at a dotted path, or at the nearest level above that is there; never the key that names a part.
fn remove(object: &mut Json, path: &str) -> bool {
    let (parent, key) = path.rsplit_once('.').unwrap_or(("", path));
    let key = key.split('[').next().unwrap_or(key);
    let table =
        parent.split('.').filter(|part| !part.is_empty()).try_fold(&mut *object, |at, part| at.get_mut(part));
    match table.and_then(Json::as_object_mut) {
        Some(table) if key != "kind" => table.remove(key).is_some(),
        _ => false,
    }
}

/// Runs a scenario in the plain and in the fast engine.
///
/// # Panics
/// If the engines differ in a bit of a summary or series, or if a packet was created or lost.
pub fn judge(scenario: &Scenario, seed: u64) -> Ran {
    let plan = scenario.plan();
    let report = |engine| {
        let outcome = run(&plan, seed, &Options { engine, series: true, ..Options::default() });
        let mut summary = outcome.summary(&plan, "");
        let limited = summary["stopped_by"] != "duration";
        summary["events"] = Json::Null;
        let series = if limited { Vec::new() } else { outcome.series(&plan) };
        (outcome.events, limited, summary, series)
    };
    let (events, limited, plain, plain_series) = report(Engine::Plain);
    let links = plain["links"].as_object().into_iter().flatten();
    let arrived = links.map(|(_, link)| link["arrived_pkts"].as_u64().unwrap_or(0)).sum();
    let (_, fast_limited, fast, fast_series) = report(Engine::Fast);
    // A run that hit its limit of events stops elsewhere in each engine.
    if !limited && !fast_limited {
        assert!(plain == fast, "the engines differ in {}", difference("", &plain, &fast).unwrap_or_default());
        for (one, other) in plain_series.iter().zip(&fast_series) {
            let first = one.value.iter().zip(&other.value).position(|(a, b)| a != b);
            let place = first.map(|at| (one.time_s[at], one.value[at], other.value[at]));
            assert!(one == other, "the engines differ in {} of {}: {place:?}", one.name, one.component);
        }
        assert_eq!(plain_series.len(), fast_series.len());
    }
    Ran { events, arrived }
}

/// Path and values of the first difference of two summaries.
fn difference(path: &str, one: &Json, other: &Json) -> Option<String> {
    match (one, other) {
        (Json::Object(a), Json::Object(b)) if a.len() == b.len() => {
            a.iter().find_map(|(key, value)| difference(&format!("{path}.{key}"), value, &b[key]))
        }
        (Json::Array(a), Json::Array(b)) if a.len() == b.len() => {
            a.iter().zip(b).enumerate().find_map(|(i, (x, y))| difference(&format!("{path}[{i}]"), x, y))
        }
        _ => (one != other).then(|| format!("{path}: plain {one}, fast {other}")),
    }
}
