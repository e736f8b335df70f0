//! Tests of RED, worked by hand.

use super::*;

#[test]
fn every_dialect_is_usable() {
    let setting =
        Setting { rate: units::Rate(10_000_000), delay: units::Span::from_millis(20), packet: Bytes(1000) };
    for row in dialects::DIALECTS {
        let table = vec![("dialect".to_string(), units::param::Value::Text(row.name.to_string()))];
        let mut problems = Vec::new();
        let params: Params = units::param::read_table("", &table, &mut problems);
        params.check_in(&setting, &mut problems);
        assert_eq!(problems, [], "{}", row.name);
        assert!(Valid::new(params).is_ok());
    }
}
