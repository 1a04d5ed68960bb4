public import Foundation
import Transfers

/// What a loaded feed says of itself.
public struct FeedSummary: Sendable, Codable, Equatable {
    /// Of the tables; another one can not be read.
    static let version = 1

    var version = FeedSummary.version
    /// Of the settings that decided what was loaded as what; under others it is not used.
    var layout: String
    /// The names of the fields by their numbers.
    var fields: [String]
    /// Of the file as it was fetched: SHA-256 in hexadecimal digits.
    var digest: String
    /// Of the source: another one is not asked what it has changed since this one. Nil in feeds of older versions.
    var source: String?
    var validator: Validator?
    var endsInNewline: Bool
    /// Of ``Decoys``, handed on from feed to feed.
    var decoyKey: Data

    /// Good lines or records.
    public internal(set) var rows: Int
    /// Bad ones, which were left out.
    public internal(set) var badRows: Int
    /// Different readers.
    public internal(set) var readers: Int
    /// Identifiers that stand for more than one reader, or with more than one proof: nobody can sign in with these.
    public internal(set) var ambiguous: Int
    public internal(set) var loadedAt: Date

    /// Whether the feed was loaded as these settings would load it.
    func fits(_ plan: FeedPlan) -> Bool { version == FeedSummary.version && layout == plan.layoutDigest }
}
