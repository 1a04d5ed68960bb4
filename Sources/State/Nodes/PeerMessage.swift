package import Foundation
package import Gatefold
import Primitives

/// The revocations that a node announces to the other nodes, besides writing them to their state.
///
/// The message is sealed with the secret of the state. Only a node of the same state can therefore end sessions with it,
/// and nobody between the nodes can read whose sessions end.
package struct PeerMessage: Equatable, Sendable {
    package let revocations: [Revocation]
    /// The time by the clock of the state.
    package let sentAt: Date

    package init(_ revocations: [Revocation], sentAt: Date) {
        self.revocations = revocations
        self.sentAt = sentAt
    }

    /// The maximum age in seconds of a message that a node accepts. Somebody who copies a message
    /// and sends it again can end no other session with it, but makes the node read it. The limit bounds the time for that.
    package static let maxAge: TimeInterval = 300
    /// The maximum number of revocations in a message.
    package static let maxRevocations = 500
    /// The maximum size in bytes of a sealed message.
    package static let maxSize = 64 << 10

    /// The message before it is sealed.
    package var encoded: [UInt8] {
        var writer = ByteWriter()
        writer.write(sentAt.timeIntervalSince1970.bitPattern)
        for revocation in revocations { JournalEntry.revocation(revocation).write(to: &writer) }
        return writer.bytes
    }

    /// Reads a message that was opened. Returns nil if it has another format.
    package init?(encoded: [UInt8]) {
        var reader = ByteReader(encoded)
        guard let sentAt = reader.readDate() else { return nil }
        var revocations: [Revocation] = []
        while !reader.isAtEnd {
            guard case .revocation(let revocation)? = JournalEntry(from: &reader) else { return nil }
            revocations.append(revocation)
        }
        self.init(revocations, sentAt: sentAt)
    }
}

extension PseudonymKey {
    private static let purpose = "gatefold peer message 1"

    /// Seals a message.
    package func seal(_ message: PeerMessage) throws -> [UInt8] { try seal(message.encoded, for: Self.purpose) }

    /// Returns the message, or nil if it was not sealed with this key, is too old, or has another format.
    ///
    /// - Parameter now: The current time by the clock of the state.
    package func open(_ sealed: [UInt8], at now: Date) -> PeerMessage? {
        guard sealed.count <= PeerMessage.maxSize, let plain = open(sealed, for: Self.purpose),
            let message = PeerMessage(encoded: plain),
            abs(now.timeIntervalSince(message.sentAt)) <= PeerMessage.maxAge
        else { return nil }
        return message
    }
}
