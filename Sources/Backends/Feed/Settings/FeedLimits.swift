import Foundation
import Settings

/// The limits that a feed must respect to be accepted.
struct FeedLimits: Sendable, Equatable {
    var minRows = 1
    /// The maximum share of rows that may be missing compared with the last good feed, from 0 to 1.
    var maxShrink = 0.2
    /// The maximum share of bad rows, from 0 to 1.
    var maxBadRows = 0.001
    /// The maximum size in bytes, before and after decompression. Default: 2 GiB.
    var size = 1 << 31

    init() {}

    init(_ section: SettingsSection) throws(SettingsError) {
        minRows = try section.integer("min_rows", default: 1, in: 1...1_000_000_000)
        maxShrink = try section.share("max_shrink", default: 0.2)
        maxBadRows = try section.share("max_bad_rows", default: 0.001)
        size = try section.size("max_size", default: 1 << 31)
        try section.finish()
    }

    /// Checks the row counts of a feed.
    ///
    /// - Parameters:
    ///   - rows: the number of good rows.
    ///   - last: the number of good rows of the last good feed, or nil when there is none.
    func require(rows: Int, bad: Int, last: Int?) throws(FeedRejection) {
        guard Double(bad) <= maxBadRows * Double(rows + bad) else { throw .badRows(bad, of: rows + bad) }
        guard rows >= minRows else { throw .tooFew(rows: rows, minimum: minRows) }
        if let last, Double(last - rows) > maxShrink * Double(last) { throw .shrunk(from: last, to: rows) }
    }
}

extension SettingsSection {
    /// Reads a share such as `20%` or `0.1%`.
    fileprivate func share(_ name: String, default standard: Double) throws(SettingsError) -> Double {
        guard let text = try string(name) else { return standard }
        guard text.hasSuffix("%"), let number = Double(text.dropLast()), (0...100).contains(number) else {
            throw error(name, expected: "expected a share such as 20% or 0.1%")
        }
        return number / 100
    }

    /// Reads a number of bytes such as `500MiB`.
    fileprivate func size(_ name: String, default standard: Int) throws(SettingsError) -> Int {
        guard let text = try string(name) else { return standard }
        let units = [("KiB", 10), ("MiB", 20), ("GiB", 30)]
        for (unit, shift) in units where text.hasSuffix(unit) {
            if let number = Int(text.dropLast(3)), (1...1023).contains(number) { return number << shift }
        }
        throw error(name, expected: "expected a size such as 500MiB or 2GiB")
    }
}
