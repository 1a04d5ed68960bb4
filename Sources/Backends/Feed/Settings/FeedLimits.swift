import Foundation
import Settings

/// What a feed must be like to be taken for one.
struct FeedLimits: Sendable, Equatable {
    var leastRows = 1
    /// The share of the rows that may be gone since the last good feed, from 0 to 1.
    var mostShrink = 0.2
    /// The share of the rows that may be bad, from 0 to 1.
    var mostBad = 0.001
    /// In bytes, before and after unpacking.
    var size = 1 << 31

    init() {}

    init(_ section: SettingsSection) throws(SettingsError) {
        leastRows = try section.integer("rows_at_least", default: 1, in: 1...1_000_000_000)
        mostShrink = try section.share("shrink_at_most", default: 0.2)
        mostBad = try section.share("bad_rows_at_most", default: 0.001)
        size = try section.size("size_at_most", default: 1 << 31)
        try section.finish()
    }

    /// - Parameters:
    ///   - rows: good ones.
    ///   - last: good rows of the last good feed; nil when there is none.
    func require(rows: Int, bad: Int, last: Int?) throws(FeedRefusal) {
        guard Double(bad) <= mostBad * Double(rows + bad) else { throw .badRows(bad, of: rows + bad) }
        guard rows >= leastRows else { throw .tooFew(rows: rows, least: leastRows) }
        if let last, Double(last - rows) > mostShrink * Double(last) { throw .shrunk(from: last, to: rows) }
    }
}

extension SettingsSection {
    /// A share such as `20%` or `0.1%`.
    fileprivate func share(_ name: String, default standard: Double) throws(SettingsError) -> Double {
        guard let text = try string(name) else { return standard }
        guard text.hasSuffix("%"), let number = Double(text.dropLast()), (0...100).contains(number) else {
            throw error(name, expected: "expected a share such as 20% or 0.1%")
        }
        return number / 100
    }

    /// A number of bytes such as `500MiB`.
    fileprivate func size(_ name: String, default standard: Int) throws(SettingsError) -> Int {
        guard let text = try string(name) else { return standard }
        let units = [("KiB", 10), ("MiB", 20), ("GiB", 30)]
        for (unit, shift) in units where text.hasSuffix(unit) {
            if let number = Int(text.dropLast(3)), (1...1023).contains(number) { return number << shift }
        }
        throw error(name, expected: "expected a size such as 500MiB or 2GiB")
    }
}
