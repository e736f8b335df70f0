//! JSON objects of like form, stored by column: a tenth of the memory of maps with their keys.
//!
//! The form of an object is its keys in their order, those of objects in it included. Each form has a column for each
//! value that is not an object, in the narrowest type that holds all of it.

use serde_json::{Map, Number, Value};
use std::collections::BTreeMap;

/// Most forms of a table: objects without common forms are not stored as a table.
const MOST_FORMS: usize = 64;

/// A list of JSON objects.
#[derive(Debug, Default)]
pub struct RowTable {
    forms: Vec<RowForm>,
    /// Rows in a row that have one form.
    stretches: Vec<Stretch>,
    texts: Vec<String>,
    /// The place of each text.
    places: BTreeMap<String, u32>,
    /// Lists, and numbers in none of the types of a [`Cell`].
    others: Vec<Value>,
}

/// Keys and columns of objects that have the same keys.
#[derive(Debug)]
pub struct RowForm {
    keys: Keys,
    columns: Vec<Column>,
}

/// The keys of an object, or the number of the column of a value.
#[derive(Debug)]
pub enum Keys {
    /// The number of a column.
    Cell(usize),
    /// Keys in their order.
    Object(Vec<(String, Keys)>),
}

#[derive(Debug)]
struct Stretch {
    /// The first row.
    start: usize,
    form: usize,
    /// The place of that row in the columns.
    place: usize,
}

/// The place of a row.
#[derive(Clone, Copy, Debug)]
pub struct Row<'a> {
    table: &'a RowTable,
    form: &'a RowForm,
    place: usize,
}

/// A value that is not an object.
#[derive(Clone, Copy, Debug)]
pub enum Cell {
    /// `null`
    Null,
    /// `true` or `false`
    Bool(bool),
    /// A whole number, 0 or above.
    Whole(u64),
    /// A number with a point or an exponent.
    Real(f64),
    /// A place in [`RowTable::texts`].
    Text(u32),
    /// A place in [`RowTable::others`].
    Other(u32),
}

impl Cell {
    /// Whether both are the same to the last bit.
    fn is(self, other: Cell) -> bool {
        match (self, other) {
            (Cell::Null, Cell::Null) => true,
            (Cell::Bool(a), Cell::Bool(b)) => a == b,
            (Cell::Whole(a), Cell::Whole(b)) => a == b,
            (Cell::Real(a), Cell::Real(b)) => a.to_bits() == b.to_bits(),
            (Cell::Text(a), Cell::Text(b)) => a == b,
            _ => false,
        }
    }
}

/// The values of a column.
#[derive(Debug)]
enum Column {
    /// One value and the number of rows that have it.
    Same(Cell, usize),
    Narrow(Vec<u32>),
    Wide(Vec<u64>),
    /// NaN is null: JSON has no NaN.
    Reals(Vec<f64>),
    Mixed(Vec<Cell>),
}

impl Column {
    fn len(&self) -> usize {
        match self {
            Column::Same(_, count) => *count,
            Column::Narrow(values) => values.len(),
            Column::Wide(values) => values.len(),
            Column::Reals(values) => values.len(),
            Column::Mixed(values) => values.len(),
        }
    }

    fn get(&self, place: usize) -> Cell {
        match self {
            Column::Same(cell, _) => *cell,
            Column::Narrow(values) => Cell::Whole(u64::from(values[place])),
            Column::Wide(values) => Cell::Whole(values[place]),
            Column::Reals(values) if values[place].is_nan() => Cell::Null,
            Column::Reals(values) => Cell::Real(values[place]),
            Column::Mixed(values) => values[place],
        }
    }

    fn push(&mut self, cell: Cell) {
        match (&mut *self, cell) {
            (Column::Same(_, 0), cell) => *self = Column::Same(cell, 1),
            (Column::Same(one, count), cell) if one.is(cell) => *count += 1,
            (Column::Narrow(values), Cell::Whole(whole)) if whole <= u64::from(u32::MAX) => {
                values.push(whole as u32);
            }
            (Column::Wide(values), Cell::Whole(whole)) => values.push(whole),
            (Column::Reals(values), Cell::Real(real)) => values.push(real),
            (Column::Reals(values), Cell::Null) => values.push(f64::NAN),
            (Column::Mixed(values), cell) => values.push(cell),
            _ => {
                *self = self.widened(cell);
                self.push(cell);
            }
        }
    }

    /// The same values in the narrowest type that also holds `new`.
    fn widened(&self, new: Cell) -> Column {
        let cells = || (0..self.len()).map(|place| self.get(place));
        let fits = |holds: fn(Cell) -> bool| holds(new) && cells().all(holds);
        let whole = |cell| if let Cell::Whole(number) = cell { number } else { 0 };
        if fits(|cell| matches!(cell, Cell::Whole(number) if number <= u64::from(u32::MAX))) {
            Column::Narrow(cells().map(|cell| whole(cell) as u32).collect())
        } else if fits(|cell| matches!(cell, Cell::Whole(_))) {
            Column::Wide(cells().map(whole).collect())
        } else if fits(|cell| matches!(cell, Cell::Real(_) | Cell::Null)) {
            Column::Reals(
                cells().map(|cell| if let Cell::Real(real) = cell { real } else { f64::NAN }).collect(),
            )
        } else {
            Column::Mixed(cells().collect())
        }
    }
}

impl Keys {
    fn of(object: &Map<String, Value>, columns: &mut usize) -> Keys {
        let one = |(key, value): (&String, &Value)| {
            let keys = match value {
                Value::Object(inner) => Keys::of(inner, columns),
                _ => {
                    *columns += 1;
                    Keys::Cell(*columns - 1)
                }
            };
            (key.clone(), keys)
        };
        Keys::Object(object.iter().map(one).collect())
    }

    fn fit(&self, value: &Value) -> bool {
        match (self, value) {
            (Keys::Cell(_), Value::Object(_)) => false,
            (Keys::Cell(_), _) => true,
            (Keys::Object(keys), Value::Object(object)) => {
                keys.len() == object.len()
                    && keys
                        .iter()
                        .zip(object)
                        .all(|((key, below), (name, inner))| key == name && below.fit(inner))
            }
            (Keys::Object(_), _) => false,
        }
    }
}

impl RowTable {
    /// Number of rows.
    pub fn len(&self) -> usize {
        self.stretches.last().map_or(0, |last| last.start + self.forms[last.form].rows() - last.place)
    }

    /// Appends an object. Returns `false`, and leaves the table as it was, for anything but an object, for an object
    /// without keys, and if there are too many forms.
    pub fn push(&mut self, row: &Value) -> bool {
        let Value::Object(object) = row else { return false };
        let last = self.stretches.last().map(|last| last.form);
        let form = match last.filter(|last| self.forms[*last].keys.fit(row)) {
            Some(form) => form,
            None => match self.begin(object, row) {
                Some(form) => form,
                None => return false,
            },
        };
        self.add(form, row);
        true
    }

    /// Begins a stretch and returns its form; none if it would be one too many or has no column.
    fn begin(&mut self, object: &Map<String, Value>, row: &Value) -> Option<usize> {
        let start = self.len();
        let form = match self.forms.iter().position(|form| form.keys.fit(row)) {
            Some(form) => form,
            None => {
                let mut count = 0;
                let keys = Keys::of(object, &mut count);
                if count == 0 || self.forms.len() == MOST_FORMS {
                    return None;
                }
                let columns = (0..count).map(|_| Column::Same(Cell::Null, 0)).collect();
                self.forms.push(RowForm { keys, columns });
                self.forms.len() - 1
            }
        };
        self.stretches.push(Stretch { start, form, place: self.forms[form].rows() });
        Some(form)
    }

    fn add(&mut self, form: usize, value: &Value) {
        let (mut left, mut column) = (vec![value], 0);
        while let Some(next) = left.pop() {
            if let Value::Object(object) = next {
                left.extend(object.values().rev());
            } else {
                let cell = self.cell(next);
                self.forms[form].columns[column].push(cell);
                column += 1;
            }
        }
    }

    fn cell(&mut self, value: &Value) -> Cell {
        match value {
            Value::Null => Cell::Null,
            Value::Bool(yes) => Cell::Bool(*yes),
            Value::Number(number) if number.is_u64() => Cell::Whole(number.as_u64().unwrap_or_default()),
            Value::Number(number) if number.is_f64() => Cell::Real(number.as_f64().unwrap_or_default()),
            Value::String(text) => {
                let place = self.places.get(text).copied().unwrap_or_else(|| {
                    self.texts.push(text.clone());
                    self.places.insert(text.clone(), (self.texts.len() - 1) as u32);
                    (self.texts.len() - 1) as u32
                });
                Cell::Text(place)
            }
            _ => {
                self.others.push(value.clone());
                Cell::Other((self.others.len() - 1) as u32)
            }
        }
    }

    /// A row, by number.
    pub fn row(&self, number: usize) -> Option<Row<'_>> {
        if number >= self.len() {
            return None;
        }
        let stretch = &self.stretches[self.stretches.partition_point(|one| one.start <= number) - 1];
        let place = stretch.place + number - stretch.start;
        Some(Row { table: self, form: &self.forms[stretch.form], place })
    }

    /// Numbers of rows such that each type of value that a column holds is in one of them, each list among them.
    pub fn rows_of_each_type(&self) -> Vec<usize> {
        let mut rows = Vec::new();
        // Types seen, by form and column.
        let mut seen: Vec<Vec<[bool; 5]>> =
            self.forms.iter().map(|form| vec![[false; 5]; form.columns.len()]).collect();
        let ends = self.stretches.iter().skip(1).map(|next| next.start).chain([self.len()]);
        for (stretch, end) in self.stretches.iter().zip(ends) {
            let columns = &self.forms[stretch.form].columns;
            for (column, kinds) in columns.iter().zip(&mut seen[stretch.form]) {
                for place in stretch.place..stretch.place + end - stretch.start {
                    let kind = match column.get(place) {
                        Cell::Null => 0,
                        Cell::Bool(_) => 1,
                        Cell::Whole(_) => 2,
                        Cell::Real(_) => 3,
                        Cell::Text(_) => 4,
                        Cell::Other(_) => {
                            rows.push(stretch.start + place - stretch.place);
                            continue;
                        }
                    };
                    if !std::mem::replace(&mut kinds[kind], true) {
                        rows.push(stretch.start + place - stretch.place);
                    }
                    if let Column::Same(..) = column {
                        break;
                    }
                }
            }
        }
        rows.sort_unstable();
        rows.dedup();
        rows
    }
}

impl RowForm {
    fn rows(&self) -> usize {
        self.columns.first().map_or(0, Column::len)
    }
}

impl<'a> Row<'a> {
    /// Its keys.
    pub fn keys(&self) -> &'a [(String, Keys)] {
        match &self.form.keys {
            Keys::Object(keys) => keys,
            Keys::Cell(_) => &[],
        }
    }

    /// The value of a column.
    pub fn cell(&self, column: usize) -> Cell {
        self.form.columns[column].get(self.place)
    }

    /// A text of the table.
    pub fn text(&self, place: u32) -> &'a str {
        &self.table.texts[place as usize]
    }

    /// A list of the table.
    pub fn other(&self, place: u32) -> &'a Value {
        &self.table.others[place as usize]
    }

    /// The row as it was pushed.
    pub fn value(&self) -> Value {
        self.value_of(&self.form.keys)
    }

    fn value_of(&self, keys: &Keys) -> Value {
        match keys {
            Keys::Object(keys) => keys
                .iter()
                .map(|(key, keys)| (key.clone(), self.value_of(keys)))
                .collect::<Map<_, _>>()
                .into(),
            Keys::Cell(column) => match self.cell(*column) {
                Cell::Null => Value::Null,
                Cell::Bool(yes) => yes.into(),
                Cell::Whole(whole) => whole.into(),
                Cell::Real(real) => Number::from_f64(real).map_or(Value::Null, Value::Number),
                Cell::Text(place) => self.text(place).into(),
                Cell::Other(place) => self.other(place).clone(),
            },
        }
    }
}
