//! Rows, or an object from a server → a tool's output, held against its form.
//!
//! Invariant: nothing is cut to fit. Too many rows, or an output of another form, is an error.

use serde_json::{Map, Value};
use vouch_domain::{Fault, PortError, tool::ToolOutput};

use super::{port_name::PORT, schema::Form, value::record_of};

/// A row, by the names of its columns.
pub(super) type Row = Map<String, Value>;

/// How a tool's output is made.
pub(super) struct OutputPlan {
    /// The tool, for what is said of it.
    pub(super) tool: String,
    /// The form it must have.
    pub(super) form: Form,
    /// The name of the list that all rows become.
    pub(super) list: Option<String>,
    /// What is given where there is nothing.
    pub(super) not_found: Option<Row>,
    /// How many rows there may be.
    pub(super) rows_max: usize,
}

impl OutputPlan {
    /// The output that rows become.
    pub(super) fn of_rows(&self, rows: Vec<Row>) -> Result<ToolOutput, PortError> {
        if rows.len() > self.rows_max {
            return Err(self.too_many());
        }
        match (&self.list, &self.not_found) {
            (_, Some(_)) if rows.is_empty() => self.nothing(),
            (Some(list), _) => {
                let rows = rows.into_iter().map(Value::Object).collect();
                self.of_object(Map::from_iter([(list.clone(), Value::Array(rows))]))
            }
            (None, _) => match rows.into_iter().next() {
                Some(row) => self.of_object(row),
                None => self.nothing(),
            },
        }
    }

    /// The output that an object is.
    pub(super) fn of_object(&self, object: Row) -> Result<ToolOutput, PortError> {
        let object = Value::Object(object);
        self.form.check(&object).map_err(|what| self.broken(&format!("its output does not fit its schema: {what}")))?;
        let Value::Object(object) = object else { return Err(self.broken("its output is not an object")) };
        let record = record_of(&object).map_err(|what| self.broken(&what))?;
        Ok(ToolOutput { record, is_found: true })
    }

    /// The output where there is nothing.
    pub(super) fn nothing(&self) -> Result<ToolOutput, PortError> {
        let Some(not_found) = &self.not_found else {
            return Err(self.broken("it found nothing, and the profile does not say what it gives then"));
        };
        Ok(ToolOutput { record: record_of(not_found).map_err(|what| self.broken(&what))?, is_found: false })
    }

    /// More rows came than may.
    pub(super) fn too_many(&self) -> PortError {
        self.broken(&format!("it gives more than the {} rows allowed", self.rows_max))
    }

    /// The output is not what was declared.
    pub(super) fn broken(&self, what: &str) -> PortError {
        self.fault(Fault::Corrupt, what)
    }

    /// No time is left.
    pub(super) fn late(&self) -> PortError {
        self.fault(Fault::Timeout, "it took too long and was stopped")
    }

    /// Something else went wrong.
    pub(super) fn fault(&self, fault: Fault, what: &str) -> PortError {
        PortError::new(PORT, fault, format!("tool `{}`: {what}", self.tool))
    }
}
