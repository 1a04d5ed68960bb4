import Crypto
package import Foundation
package import Gatefold
import Primitives

/// The format of the snapshot of all revocations: a header, the time of the last poll, and the revocations.
///
/// The header has a checksum of itself and of the revocations, so that a snapshot is used as a whole or not at all. The
/// time of the last poll is overwritten in place. It has its own checksum, and the earlier time at which the generation
/// was confirmed replaces it if it is damaged.
package enum SnapshotFormat {
    package struct Header: Equatable, Sendable {
        /// The state, with the time at which its generation was confirmed, before the revocations were written.
        package let origin: FileOrigin
        /// The number of bytes of the revocations.
        package let size: Int
        package let checksum: [UInt8]

        package init(origin: FileOrigin, size: Int, checksum: [UInt8]) {
            self.origin = origin
            self.size = size
            self.checksum = checksum
        }
    }

    /// A part of the revocations.
    package enum Item: Equatable, Sendable {
        /// The revocations of a publication follow.
        ///
        /// - Parameters:
        ///   - floor: The time before which all sessions are ended.
        ///   - prunedUntil: The token expiry up to which revocations were discarded.
        case publication(PublicationID, floor: Date, prunedUntil: Date)
        case revocation(UnsequencedRevocation)
    }

    private static let magic = Array("gatefold revoked".utf8)
    private static let version: UInt16 = 1
    private static let checksumSize = 32
    private static let unsealedHeaderSize =
        magic.count + 2 + FileOrigin.identitySize + StateHistory.generationSize + 8 + 8 + checksumSize
    /// The place and the size of the time of the last poll.
    static let pollOffset = unsealedHeaderSize + checksumSize
    private static let pollSize = 8 + checksumSize
    /// The place of the revocations.
    package static let bodyOffset = pollOffset + pollSize

    fileprivate enum Tag: UInt8 {
        case end = 0
        case session = 1
        case all = 2
        case allButOne = 3
        case publication = 4
    }

    // MARK: Writing

    /// Returns the header and the time of the last poll.
    package static func encode(_ header: Header, polledAt: Date) -> [UInt8] {
        var writer = ByteWriter(capacity: bodyOffset)
        writer.write(magic)
        writer.write(version)
        writer.write(header.origin.identity)
        writer.write(header.origin.generation)
        writer.write(header.origin.confirmedAt.timeIntervalSince1970.bitPattern)
        writer.write(UInt64(header.size))
        writer.write(header.checksum)
        writer.write(checksum(writer.bytes))
        writer.write(encode(pollAt: polledAt, in: header))
        return writer.bytes
    }

    static func encode(pollAt timestamp: Date, in header: Header) -> [UInt8] {
        var writer = ByteWriter(capacity: pollSize)
        writer.write(timestamp.timeIntervalSince1970.bitPattern)
        writer.write(checksum(header.checksum + writer.bytes))
        return writer.bytes
    }

    package static func encode(_ item: Item) -> [UInt8] {
        var writer = ByteWriter(capacity: 32)
        switch item {
        case .publication(let publication, let floor, let prunedUntil):
            writer.write(Tag.publication.rawValue)
            writer.write(text: publication.rawValue)
            writer.write(WholeSecond(roundingUp: floor).value)
            writer.write(WholeSecond(roundingUp: prunedUntil).value)
        case .revocation(let record):
            let revocation = record.revocation
            let tag: Tag = revocation.session != nil ? .session : revocation.exempt != nil ? .allButOne : .all
            writer.write(tag.rawValue)
            writer.write(revocation.subscriber.bytes)
            writer.write(WholeSecond(roundingUp: revocation.before).value)
            writer.write(WholeSecond(roundingUp: record.expires).value)
            writer.write(revocation.session?.bytes ?? [])
            if let exempt = revocation.exempt {
                writer.write(exempt.session.bytes)
                writer.write(WholeSecond(roundingUp: exempt.issuedAt).value)
            }
        }
        return writer.bytes
    }

    /// The end of the revocations.
    package static let end = [Tag.end.rawValue]

    private static func checksum(_ bytes: [UInt8]) -> [UInt8] { Array(SHA256.hash(data: bytes)) }

    // MARK: Reading

    /// Parses the header.
    ///
    /// - Returns: The header, and the time of the last poll.
    package static func decodeHeader(_ bytes: [UInt8]) throws(SnapshotProblem) -> (Header, polledAt: Date) {
        let sealed = Array(bytes.prefix(pollOffset))
        guard sealed.starts(with: magic) else { throw .damaged }
        var reader = ByteReader(Array(sealed.dropFirst(magic.count)))
        guard let version = reader.read(UInt16.self) else { throw .damaged }
        guard version == Self.version else { throw .otherVersion }
        guard sealed.count == pollOffset,
            checksum(Array(sealed.prefix(unsealedHeaderSize))) == sealed.suffix(checksumSize),
            let identity = reader.read(count: FileOrigin.identitySize),
            let generation = reader.read(count: StateHistory.generationSize), let confirmedAt = reader.readDate(),
            let size = reader.read(UInt64.self).flatMap({ Int(exactly: $0) }),
            let checksum = reader.read(count: checksumSize)
        else { throw .damaged }
        let header = Header(
            origin: FileOrigin(identity: identity, generation: generation, confirmedAt: confirmedAt), size: size,
            checksum: checksum)
        return (header, pollTime(Array(bytes.dropFirst(pollOffset).prefix(pollSize)), in: header) ?? confirmedAt)
    }

    private static func pollTime(_ bytes: [UInt8], in header: Header) -> Date? {
        var reader = ByteReader(bytes)
        guard let timestamp = reader.readDate(), encode(pollAt: timestamp, in: header) == bytes else { return nil }
        return max(timestamp, header.origin.confirmedAt)
    }

    /// Parses the revocations.
    ///
    /// - Parameters:
    ///   - bytes: The bytes from ``bodyOffset`` on.
    ///   - body: Receives each item, but nothing if a byte is wrong.
    package static func decodeBody(
        _ bytes: [UInt8], of header: Header, _ body: (Item) -> Void
    ) throws(SnapshotProblem) {
        guard bytes.count == header.size, checksum(bytes) == header.checksum else { throw .damaged }
        // The checksum shows that the bytes are those that were written. The first pass shows that they can be read.
        try forEachItem(in: bytes) { _ in }
        try forEachItem(in: bytes, body)
    }

    private static func forEachItem(in bytes: [UInt8], _ body: (Item) -> Void) throws(SnapshotProblem) {
        var reader = ByteReader(bytes)
        var publication: PublicationID?
        while true {
            guard let tag = reader.read(UInt8.self).flatMap({ Tag(rawValue: $0) }) else { throw .damaged }
            switch tag {
            case .end:
                guard reader.isAtEnd else { throw .damaged }
                return
            case .publication:
                guard let named = reader.readText().flatMap({ PublicationID($0) }), let floor = reader.readSecond(),
                    let prunedUntil = reader.readSecond()
                else { throw .damaged }
                publication = named
                body(.publication(named, floor: floor, prunedUntil: prunedUntil))
            case .session, .all, .allButOne:
                guard let publication, let record = reader.readRevocation(tag, of: publication) else { throw .damaged }
                body(.revocation(record))
            }
        }
    }
}

/// The reason that a snapshot cannot be used.
package enum SnapshotProblem: String, Error, Equatable, Sendable {
    case missing = "it does not exist"
    case unreadable = "it cannot be read"
    case damaged = "it is incomplete or damaged"
    case otherVersion = "another release wrote it"
    case otherState = "it belongs to another state"
}

extension ByteReader {
    fileprivate mutating func readSecond() -> Date? {
        read(UInt32.self).map { Date(timeIntervalSince1970: TimeInterval($0)) }
    }

    fileprivate mutating func readPseudonym<Kind>(_ type: Pseudonym<Kind>.Type) -> Pseudonym<Kind>? {
        read(count: Kind.size).flatMap { Pseudonym(bytes: $0) }
    }

    fileprivate mutating func readRevocation(
        _ tag: SnapshotFormat.Tag, of publication: PublicationID
    ) -> UnsequencedRevocation? {
        guard let subscriber = readPseudonym(SubscriberPseudonym.self), let before = readSecond(),
            let expires = readSecond()
        else { return nil }
        var (session, exempt): (SessionPseudonym?, ExemptSession?)
        if tag != .all {
            guard let named = readPseudonym(SessionPseudonym.self) else { return nil }
            if tag == .session {
                session = named
            } else {
                guard let issuedAt = readSecond() else { return nil }
                exempt = ExemptSession(session: named, issuedAt: issuedAt)
            }
        }
        return UnsequencedRevocation(
            revocation: Revocation(
                publication: publication, subscriber: subscriber, session: session, before: before, exempt: exempt),
            expires: expires)
    }
}
