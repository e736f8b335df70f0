//! Profiles, implied options, and relations between options.

use super::{feedback, Algorithm, Params};
use crate::segment::require_packet;
use units::param::{require, Check, Param, Preset, Problem};
use units::Bytes;

impl Check for Params {
    const PRESET_KEY: &'static str = "profile";

    fn presets() -> &'static [Preset] {
        crate::profiles::PROFILES
    }

    fn implied(&self) -> &'static [(&'static str, &'static str)] {
        let marks = self.bbr3.bbr3_ecn && self.cc == Algorithm::Bbr3;
        // Marks answered in proportion need what Prague needs.
        let algorithm = if marks { Some(Algorithm::Prague) } else { self.cc.built_in() };
        algorithm.map_or(&[], Algorithm::implied)
    }

    fn relations(&self, problems: &mut Vec<Problem>) {
        require(
            problems,
            self.max_rto >= self.min_rto,
            "max_rto",
            units::quantity::show_span(self.max_rto),
            format!("must be at least min_rto ({})", units::quantity::show_span(self.min_rto)),
            "raise max_rto or lower min_rto",
        );
        let sack = self.recovery.selective();
        require(
            problems,
            !sack || self.sack_blocks > 0,
            "sack_blocks",
            self.sack_blocks,
            "must be at least 1 when recovery uses SACK",
            "",
        );
        require(
            problems,
            self.receive_window() > 0,
            "receive_buffer",
            Param::show(&self.receive_buffer),
            format!("must have room for a segment: 1.6 mss ({})", Param::show(&self.mss)),
            "",
        );
        feedback::check(self, problems);
        require(
            problems,
            self.ecn || !self.bbr3.bbr3_ecn,
            "bbr3_ecn",
            self.bbr3.bbr3_ecn,
            "needs ecn = true",
            "omit ecn or bbr3_ecn",
        );
        for (key, value, least_key, least) in [
            ("vegas_beta", self.vegas_beta, "vegas_alpha", self.vegas_alpha),
            (
                "highspeed_high_window",
                self.highspeed_high_window,
                "highspeed_low_window",
                self.highspeed_low_window,
            ),
            ("htcp_beta_max", self.htcp_beta_max, "htcp_beta_min", self.htcp_beta_min),
            ("bic_s_max", self.bic_s_max, "bic_s_min", self.bic_s_min),
            ("illinois_alpha_max", self.illinois_alpha_max, "illinois_alpha_min", self.illinois_alpha_min),
            ("illinois_beta_max", self.illinois_beta_max, "illinois_beta_min", self.illinois_beta_min),
        ] {
            require(
                problems,
                value >= least,
                key,
                value,
                format!("must be at least {least_key} ({least})"),
                "",
            );
        }
        require(problems, self.sack_blocks <= 4, "sack_blocks", self.sack_blocks, "must be at most 4", "");
        require_packet(self.mss, Bytes(self.headers.0.saturating_add(self.timestamp_size.0)), problems);
    }
}
