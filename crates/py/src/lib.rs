//! The Python binding: convert in, call, convert out. Types and docs for Python are in `_core.pyi`.

mod bottleneck;
mod faults;
mod integer_network;
mod json;
mod live;
mod plugin_flows;
mod plugins;
mod pool;
mod reading;
mod rows;
mod runs;
mod scenario;
mod table;

use pyo3::prelude::*;

/// The built part of dropcurve. Its public interface is the package `dropcurve`.
#[pymodule]
fn _core(module: &Bound<'_, PyModule>) -> PyResult<()> {
    plugins::report_once();
    module.add_class::<scenario::PyScenario>()?;
    module.add_class::<runs::PyRun>()?;
    module.add_class::<rows::PyRows>()?;
    module.add_class::<rows::PyRow>()?;
    module.add_class::<bottleneck::Bottleneck>()?;
    module.add_class::<integer_network::IntegerNetwork>()?;
    module.add("ScenarioError", module.py().get_type::<scenario::ScenarioError>())?;
    module.add("PluginError", module.py().get_type::<faults::PluginError>())?;
    module.add_class::<plugins::PluginPacket>()?;
    module.add_class::<plugins::PluginCall>()?;
    module.add_class::<plugin_flows::PluginWindow>()?;
    module.add_class::<plugin_flows::PluginAck>()?;
    module.add_class::<plugin_flows::PluginCongestion>()?;
    module.add_class::<plugin_flows::PluginDraws>()?;
    module.add_function(wrap_pyfunction!(plugin_flows::register_control, module)?)?;
    module.add_function(wrap_pyfunction!(plugin_flows::register_source, module)?)?;
    module.add_function(wrap_pyfunction!(plugin_flows::conformance_control, module)?)?;
    module.add_function(wrap_pyfunction!(plugins::load_plugin, module)?)?;
    module.add_function(wrap_pyfunction!(plugins::register_plugin, module)?)?;
    module.add_function(wrap_pyfunction!(plugins::conformance, module)?)?;
    module.add_function(wrap_pyfunction!(version, module)?)?;
    module.add_function(wrap_pyfunction!(catalogue, module)?)?;
    module.add_function(wrap_pyfunction!(disciplines, module)?)?;
    module.add_function(wrap_pyfunction!(schema, module)?)?;
    module.add_function(wrap_pyfunction!(scenario::line_of, module)?)?;
    module.add_function(wrap_pyfunction!(json::json_line, module)?)?;
    module.add_function(wrap_pyfunction!(reading::read_json, module)?)?;
    module.add_function(wrap_pyfunction!(reading::rows_of_json, module)?)?;
    module.add_function(wrap_pyfunction!(live::live_forward, module)?)?;
    module.add_function(wrap_pyfunction!(live::live_confine, module)?)?;
    module.add_function(wrap_pyfunction!(live::live_replay, module)?)?;
    module.add_function(wrap_pyfunction!(runs::run_many, module)?)
}

/// The version; with scenario and seed it determines every bit of a run.
#[pyfunction]
fn version() -> &'static str {
    env!("CARGO_PKG_VERSION")
}

/// All keys, disciplines, transports and sources of scenarios, as JSON.
#[pyfunction]
fn catalogue() -> String {
    sim::scenario::catalogue().to_string()
}

/// The kinds of all disciplines, those of plug-ins last.
#[pyfunction]
fn disciplines() -> Vec<String> {
    let own = queue::KINDS.iter().map(|kind| kind.to_string());
    own.chain(queue::plugin::registered().iter().map(|one| one.name().to_string())).collect()
}

/// The JSON Schema of scenario files.
#[pyfunction]
fn schema() -> String {
    sim::scenario::schema().to_string()
}
