import State

extension FuzzTarget {
    /// The content of a message of another node.
    static let peerMessage = FuzzTarget("peer-message", upTo: 512, of: "PeerMessage") { bytes in
        guard let message = PeerMessage(encoded: bytes) else { return }
        promise(PeerMessage(encoded: message.encoded) == message, "a message does not round-trip")
    }
}
