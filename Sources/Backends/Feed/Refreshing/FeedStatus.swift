public import Foundation

/// How the fetching of a feed goes.
public struct FeedStatus: Sendable, Codable, Equatable {
    public enum Outcome: String, Sendable, Codable {
        /// A new feed is in force.
        case swapped
        /// The source still has the one in force.
        case unchanged
        /// The source gave a feed that was not taken.
        case refused
        /// The source could not be asked.
        case unreachable
    }

    /// Of the last try; nil before the first.
    public internal(set) var outcome: Outcome?
    /// When the last try ended.
    public internal(set) var triedAt: Date?
    /// Why the last try put no feed into force.
    public internal(set) var reason: String?
    /// When the source last gave a good feed, or said that it still has the one in force.
    public internal(set) var succeededAt: Date?
    /// When the source's file was last written to; nil when it does not tell.
    public internal(set) var sourceModifiedAt: Date?
    /// Tries without success since the last with one.
    public internal(set) var failures = 0
    /// Of the settings that were tried.
    var fingerprint: [UInt8] = []

    /// The moment from which a feed grows old: what a source says of its file counts for more than that it still has it.
    public var freshAt: Date? { sourceModifiedAt ?? succeededAt }

    static func read(_ path: String) -> FeedStatus? {
        guard let data = FileManager.default.contents(atPath: path) else { return nil }
        return try? JSONDecoder().decode(FeedStatus.self, from: data)
    }

    /// As well as can be: the feed in force does not depend on it.
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
