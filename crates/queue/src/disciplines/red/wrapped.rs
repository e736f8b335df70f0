//! Methods of [`QueueDisc`](crate::disc::QueueDisc) for disciplines with a RED inside, in the field `red`.

/// Methods that forward to the RED in the field `red`; `later`: the discipline also drops queued packets.
macro_rules! as_red {
    () => {
        #[inline]
        fn decides(&self) -> crate::disc::Decides {
            QueueDisc::<P>::decides(&self.red)
        }
        crate::red::wrapped::as_red!(@queue);
    };
    (later) => {
        #[inline]
        fn decides(&self) -> crate::disc::Decides {
            crate::disc::Decides::Later
        }
        crate::red::wrapped::as_red!(@queue);
    };
    (@queue) => {
        crate::red::wrapped::as_red!(@store);
        #[inline]
        fn avg(&self) -> Option<f64> {
            QueueDisc::<P>::avg(&self.red)
        }
        fn avg_unit(&self) -> crate::fifo::Unit {
            QueueDisc::<P>::avg_unit(&self.red)
        }
    };
    (@store) => {
        #[inline]
        fn len(&self) -> usize {
            QueueDisc::<P>::len(&self.red)
        }
        #[inline]
        fn backlog(&self) -> units::Bytes {
            QueueDisc::<P>::backlog(&self.red)
        }
    };
}
pub(crate) use as_red;

/// Methods of [`Discipline`](crate::registry::Discipline) for parameters whose method `red` returns those of the RED
/// inside: its automatic values, and its check against the link.
macro_rules! red_setting {
    () => {
        fn resolved(&self, setting: &Setting) -> units::param::Table {
            crate::red::shared_params::resolved_of::<Params>(&self.red(), setting)
        }

        fn fits(&self, setting: &Setting, problems: &mut Vec<Problem>) {
            self.red().check_in(setting, problems);
        }
    };
}
pub(crate) use red_setting;

/// [`QueueDisc`](crate::disc::QueueDisc) of a discipline that only changes the `red` inside at a timer: `adapt` gets the
/// average at `next`, and again after each `params.interval`.
macro_rules! as_periodic_red {
    () => {
        #[inline]
        fn enqueue(&mut self, pkt: P, cx: &mut crate::disc::Cx<'_, P>) {
            let q = self.red.observe(&pkt, cx);
            self.red.judge(pkt, q, cx);
        }

        #[inline]
        fn dequeue(&mut self, cx: &mut crate::disc::Cx<'_, P>) -> Option<P> {
            self.red.dequeue(cx)
        }

        fn next_deadline(&self) -> Option<units::Time> {
            Some(self.next)
        }

        fn on_deadline(&mut self, _cx: &mut crate::disc::Cx<'_, P>) {
            let avg = self.red.average_at(self.next);
            self.adapt(avg);
            self.next += self.params.interval;
        }

        crate::red::wrapped::as_red!();

        fn probe(&self, out: &mut crate::disc::Probe) {
            self.red.probe(out);
        }
    };
}
pub(crate) use as_periodic_red;
