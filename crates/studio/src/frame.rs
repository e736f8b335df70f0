//! The state of a session as doubles, which a host reads without parsing.
//!
//! | Part | Values |
//! |---|---|
//! | head | time in seconds, whether the run is over, then the number of flows, queued packets, samples and values |
//! | flows, four each | congestion window (NaN if none), departed bytes, dropped packets, marked packets |
//! | packets, one each | twice the flow's number, plus one if this queue marked it |
//! | samples, eleven each | time, queue in packets and bytes, average, probability (NaN if none), arrived, dropped, marked and departed packets, departed bytes, mean sojourn time in milliseconds |
//! | values | of the quantities that the discipline reports |
//! | sojourn times | counts by bin |

use sim::session::Session;

/// The state of a session, with its samples since the last call.
pub fn of(session: &mut Session) -> Vec<f64> {
    let samples = session.take_samples();
    let values = session.discipline_values();
    let view = session.view();
    let (flows, queue) = (view.flows(), view.queue());
    let mut frame = vec![session.now().as_secs(), f64::from(u8::from(session.has_ended()))];
    frame.extend([flows.len(), queue.len(), samples.len(), values.len()].map(|n| n as f64));
    for (number, flow) in flows.iter().enumerate() {
        // The last entry is all flows that began during the run.
        let window = (number + 1 < flows.len()).then(|| session.window_of(number)).flatten();
        frame.push(window.unwrap_or(f64::NAN));
        frame.extend([flow.departed_bytes, flow.dropped, flow.marked].map(|n| n as f64));
    }
    let others = flows.len() - 1;
    frame.extend(queue.iter().map(|pkt| {
        let flow = (pkt.flow as usize).min(others);
        (2 * flow + usize::from(pkt.marked)) as f64
    }));
    for sample in &samples {
        frame.extend([sample.time.as_secs(), sample.queue_pkts as f64, sample.queue_bytes as f64]);
        frame.extend([sample.avg, sample.probability].map(|value| value.unwrap_or(f64::NAN)));
        frame.extend(sample.counts.map(f64::from));
        frame.extend([sample.departed_bytes as f64, sample.sojourn.as_millis()]);
    }
    frame.extend(values.iter().map(|(_, value)| value));
    frame.extend(view.sojourns().map(|count| count as f64));
    frame
}
