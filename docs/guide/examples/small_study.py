"""RED against tail drop: delay of a voice call, and throughput of the transfers."""

import dropcurve as dc
from dropcurve import studies as st


def scenarios():
    """One for each cell of the table."""
    base = dc.Scenario.load("droptail_vs_red").edit([("run.duration", "20 s"), ("run.warmup", "5 s")])
    return {"tail drop": base.queue("droptail"), "RED": base.queue("red", dialect="floyd93")}


def measure(run):
    """The numbers of one run, by name."""
    return {
        "delay_ms": dc.metrics.value(run, "delay_ms_mean", scope="voice"),
        "goodput_bps": dc.metrics.value(run, "goodput_bps", scope="tcp"),
    }


CLAIMS = (
    st.TestedClaim(
        "S1",
        "our question",
        "RED halves the delay of the call",
        (
            st.Test(
                "delay, RED over tail drop",
                lambda x: st.gain(x["RED"]["delay_ms"], x["tail drop"]["delay_ms"]),
                below=-50,
                unit="%",
            ),
        ),
    ),
    st.TestedClaim(
        "S2",
        "our question",
        "the transfers lose less than a seventh",
        (
            st.Test(
                "goodput, RED over tail drop",
                lambda x: st.gain(x["RED"]["goodput_bps"], x["tail drop"]["goodput_bps"]),
                above=-14,
                unit="%",
            ),
        ),
    ),
)


def page(outcome):
    """Your conclusions, tables and figures."""
    cells = outcome["era"]
    rows = [
        [name, st.shown(cell["delay_ms"]), st.shown(cell["goodput_bps"], scale=1e-6)]
        for name, cell in cells.items()
    ]
    return st.Page(
        short=["RED keeps the queue short, and the call gains."],
        choices=[("link", "-", "10 Mbit/s, 20 ms")],
        results=[st.Table(["queue", "delay of the call (ms)", "transfers (Mbit/s)"], rows)],
    )


STUDY = st.Study(
    name="small",
    title="A call among transfers",
    source="nobody",
    question="Does RED spare a voice call the wait that tail drop makes?",
    measure=measure,
    settings={"era": st.Setting("10 Mbit/s", scenarios)},
    claims=CLAIMS,
    page=page,
    tolerance={"delay_ms": 0.5, "goodput_bps": 0},
)
