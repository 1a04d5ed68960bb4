public import Foundation
import Transfers

/// The summary of a loaded feed, stored in its database.
public struct FeedSummary: Sendable, Codable, Equatable {
    /// The version of the tables. Other versions cannot be read.
    static let version = 1

    var version = FeedSummary.version
    /// The digest of the settings that decided how the feed was loaded. The feed is not used under other settings.
    var layout: String
    /// The names of the fields by their numbers.
    var fields: [String]
    /// The SHA-256 digest of the file as fetched, in hexadecimal digits.
    var digest: String
    /// The digest of the source. A conditional request goes only to the same source. Nil in feeds of older
    /// versions.
    var source: String?
    var validator: Validator?
    var endsInNewline: Bool
    /// The key of `DummyHashes`, which passes from feed to feed.
    var dummyHashKey: Data

    /// The number of good lines or records.
    public internal(set) var rows: Int
    /// The number of bad lines or records, which were skipped.
    public internal(set) var badRows: Int
    /// The number of distinct readers.
    public internal(set) var readers: Int
    /// The number of identifiers that belong to several readers, or have several proofs. No reader can sign in with
    /// them.
    public internal(set) var ambiguous: Int
    public internal(set) var loadedAt: Date

    /// Returns whether the feed was loaded as these settings would load it.
    func fits(_ plan: FeedPlan) -> Bool { version == FeedSummary.version && layout == plan.layoutDigest }
}
