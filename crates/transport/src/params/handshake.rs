//! The start of a connection.

units::choices! {
    /// How a connection is opened.
    pub enum Handshake {
        /// No handshake: the first data segment is the first packet.
        None = "none",
        /// ns-2: segment 0 is an empty packet that stands for the SYN and is acknowledged like data.
        Ns2Syn = "ns2_syn",
        /// SYN, SYN-ACK, then data.
        ThreeWay = "three_way",
    }
}
