//! The transports by which a flow can send.

use units::choices;

choices! {
    /// How a flow sends.
    pub enum Transport {
        /// A TCP connection.
        Tcp = "tcp",
        /// A QUIC connection (RFC 9000, RFC 9002).
        Quic = "quic",
        /// Rate control by the throughput equation (RFC 5348).
        Tfrc = "tfrc",
        /// A rate that grows and falls as TCP's window does (RAP, Rejaie 1999).
        Rap = "rap",
        /// A window emulated at the receiver and averaged (TEAR, Rhee 2000).
        Tear = "tear",
        /// A rate from the losses and delays that RTP reports (LDA+, Sisalem 2000).
        Lda = "lda",
        /// A window as TCP's, without retransmissions (DRS, Jacobs 1998).
        Drs = "drs",
        /// A window and a video rate that follow the queueing delay (SCReAM, RFC 8298).
        Scream = "scream",
        /// A video rate that follows the change of the delay, and losses (GCC, of WebRTC).
        Gcc = "gcc",
        /// Datagrams without any feedback.
        Udp = "udp",
    }
}
