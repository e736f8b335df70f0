//! Small networks evaluated in whole numbers, so that they return the same on every machine.
//!
//! Inputs, weights and activations are multiples of a power of two. All sums stay below 2^53 as whole numbers, which
//! double precision holds exactly, in whichever order they are added.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// A layer: whole-numbered weights, those of one input next to each other, and biases.
struct Layer {
    weights: Vec<f64>,
    biases: Vec<f64>,
}

impl Layer {
    fn apply(&self, state: &[f64]) -> Vec<f64> {
        let mut sums = self.biases.clone();
        for (&input, weights) in state.iter().zip(self.weights.chunks_exact(sums.len())) {
            if input != 0.0 {
                for (sum, weight) in sums.iter_mut().zip(weights) {
                    *sum += input * weight;
                }
            }
        }
        sums
    }
}

/// A network with rectified linear layers.
#[pyclass(frozen, module = "dropcurve._core")]
pub struct IntegerNetwork {
    centre: Vec<f64>,
    width: Vec<f64>,
    offset: Vec<f64>,
    factor: Vec<f64>,
    layers: Vec<Layer>,
}

#[pymethods]
impl IntegerNetwork {
    /// Binary digits after the point of an activation.
    #[classattr]
    const ACTIVATION: i32 = 12;
    /// Binary digits after the point of a weight.
    #[classattr]
    const WEIGHT: i32 = 10;
    /// Standard deviations at which an input is cut.
    #[classattr]
    const CUT: f64 = 6.0;

    /// The network stored in `content`, whose layers have these sizes, from the inputs to the outputs.
    #[new]
    fn new(sizes: Vec<usize>, content: &[u8]) -> PyResult<IntegerNetwork> {
        let (Some(&inputs), Some(&outputs), true) = (sizes.first(), sizes.last(), sizes.len() > 1) else {
            return Err(PyValueError::new_err("a network needs at least two sizes"));
        };
        if sizes.iter().any(|&size| size == 0 || size > 1 << 16) {
            return Err(PyValueError::new_err("each size must be between 1 and 65536"));
        }
        let mut rest = content;
        let centre = numbers::<8>(&mut rest, inputs, f64::from_le_bytes)?;
        let width = numbers::<8>(&mut rest, inputs, f64::from_le_bytes)?;
        let offset = numbers::<8>(&mut rest, outputs, f64::from_le_bytes)?;
        let factor = numbers::<8>(&mut rest, outputs, f64::from_le_bytes)?;
        let mut layers = Vec::new();
        for ends in sizes.windows(2) {
            let weights = numbers::<2>(&mut rest, ends[0] * ends[1], |two| i16::from_le_bytes(two).into())?;
            let biases = numbers::<4>(&mut rest, ends[1], |four| i32::from_le_bytes(four).into())?;
            layers.push(Layer { weights, biases });
        }
        if !rest.is_empty() {
            return Err(PyValueError::new_err("the network has more bytes than its sizes say"));
        }
        Ok(IntegerNetwork { centre, width, offset, factor, layers })
    }

    /// The outputs for rows of inputs.
    fn __call__(&self, rows: Vec<Vec<f64>>) -> PyResult<Vec<Vec<f64>>> {
        if let Some(row) = rows.iter().find(|row| row.len() != self.centre.len()) {
            let (own, wanted) = (row.len(), self.centre.len());
            return Err(PyValueError::new_err(format!("a row has {own} inputs; the network takes {wanted}")));
        }
        Ok(rows.iter().map(|row| self.outputs(row)).collect())
    }
}

impl IntegerNetwork {
    fn outputs(&self, row: &[f64]) -> Vec<f64> {
        let scaled = row.iter().zip(&self.centre).zip(&self.width);
        let mut state: Vec<f64> = scaled
            .map(|((input, centre), width)| ((input - centre) / width).clamp(-Self::CUT, Self::CUT))
            .map(|input| (input * 2f64.powi(Self::ACTIVATION)).round_ties_even())
            .collect();
        let last = self.layers.len() - 1;
        for (number, layer) in self.layers.iter().enumerate() {
            state = layer.apply(&state);
            if number < last {
                state.iter_mut().for_each(|one| *one = (one.max(0.0) * 2f64.powi(-Self::WEIGHT)).floor());
            }
        }
        let learned = state.iter().map(|one| one * 2f64.powi(-(Self::ACTIVATION + Self::WEIGHT)));
        learned
            .zip(&self.factor)
            .zip(&self.offset)
            .map(|((one, factor), offset)| one * factor + offset)
            .collect()
    }
}

/// The next `count` numbers of `N` bytes each.
fn numbers<const N: usize>(
    rest: &mut &[u8],
    count: usize,
    number: impl Fn([u8; N]) -> f64,
) -> PyResult<Vec<f64>> {
    let Some((own, after)) = rest.split_at_checked(count * N) else {
        return Err(PyValueError::new_err("the network has fewer bytes than its sizes say"));
    };
    *rest = after;
    let each = own.chunks_exact(N).map(|bytes| number(bytes.try_into().expect("chunks of N bytes")));
    Ok(each.collect())
}
