public import Foundation

/// The status of the fetches of a feed.
public struct FeedStatus: Sendable, Codable, Equatable {
    public enum Outcome: String, Sendable, Codable {
        /// A new feed is in force.
        case replaced
        /// The source still has the feed in force.
        case unchanged
        /// The source sent a feed that was rejected.
        case rejected
        /// The source was unreachable.
        case unreachable
    }

    /// The outcome of the last attempt, or nil before the first attempt.
    public internal(set) var outcome: Outcome?
    /// The time at which the last attempt ended.
    public internal(set) var triedAt: Date?
    /// The reason why the last attempt put no feed into force.
    public internal(set) var reason: String?
    /// The time at which the source last sent a good feed, or reported that the feed in force is unchanged.
    public internal(set) var succeededAt: Date?
    /// The modification time of the source's file, or nil when the source does not report it.
    public internal(set) var sourceModifiedAt: Date?
    /// The number of failed attempts since the last success.
    public internal(set) var failures = 0
    /// The fingerprint of the settings of the last attempt.
    var fingerprint: [UInt8] = []
    /// The SHA-256 of the database in force, if the other nodes have it or have had it.
    var sharedVersion: Data?
    /// The sequence number of the shared document that has this status; nil if this node has made an attempt since.
    var sharedSequence: Int64?

    /// The time from which the age of the feed counts. The modification time that the source reports takes
    /// precedence over the last success.
    public var freshAt: Date? { sourceModifiedAt ?? succeededAt }

    /// Returns whether the attempt of this node has a later result than that of another node. A time of this node in the
    /// future means that its clock was wrong, so it is later than nothing.
    func isLater(than other: FeedStatus, at now: Date) -> Bool {
        func own(_ time: Date?) -> Date { time.flatMap { $0 <= now.addingTimeInterval(60) ? $0 : nil } ?? .distantPast }
        let (success, theirs) = (own(succeededAt), other.succeededAt ?? .distantPast)
        return success == theirs ? own(triedAt) >= other.triedAt ?? .distantPast : success > theirs
    }

    static func read(_ path: String) -> FeedStatus? {
        guard let data = FileManager.default.contents(atPath: path) else { return nil }
        return try? JSONDecoder().decode(FeedStatus.self, from: data)
    }

    /// Writes the status. Ignores errors, because the feed in force does not depend on the status.
    func write(_ path: String) {
        guard let data = try? JSONEncoder().encode(self) else { return }
        let part = "\(path).\(UUID().uuidString)"
        guard FileManager.default.createFile(atPath: part, contents: data, attributes: [.posixPermissions: 0o600]),
            rename(part, path) == 0
        else {
            unlink(part)
            return
        }
    }
}
