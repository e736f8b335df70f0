//! Keys of a flow group that have another name now. Scenarios and results of earlier versions hold the former ones.

use units::param::Table;

/// The former name of a key, and its name.
const RENAMED: [(&str, &str); 7] = [
    ("chain_repairs", "chain_recoveries"),
    ("keep_repairs", "keep_retransmissions"),
    ("pace_repairs", "pace_retransmissions"),
    ("repair_all", "retransmit_all"),
    ("repair_partial", "retransmit_at_partial"),
    ("sample_repairs", "sample_retransmissions"),
    ("timer_on_repair", "timer_on_retransmission"),
];

/// A table with keys by their present names. A former name next to the present one stays, to be reported as unknown.
pub fn with_present_names(mut table: Table) -> Table {
    for (former, present) in RENAMED {
        if table.iter().any(|(key, _)| key == present) {
            continue;
        }
        if let Some((key, _)) = table.iter_mut().find(|(key, _)| key == former) {
            *key = present.to_string();
        }
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::keys::part::keys;
    use transport::tcp::Params;
    use units::param::Value;

    #[test]
    fn a_former_name_is_read_as_the_present_one() {
        let entry = |key: &str, value| (key.to_string(), Value::Bool(value));
        let table = vec![entry("ecn", true), entry("pace_repairs", false)];
        assert_eq!(with_present_names(table), [entry("ecn", true), entry("pace_retransmissions", false)]);
        let both = vec![entry("pace_retransmissions", true), entry("pace_repairs", false)];
        assert_eq!(with_present_names(both.clone()), both);
    }

    #[test]
    fn every_present_name_is_an_option_of_tcp_and_no_former_one_is() {
        let options = keys::<Params>();
        for (former, present) in RENAMED {
            assert!(options.contains(&present) && !options.contains(&former), "{former}");
        }
    }
}
