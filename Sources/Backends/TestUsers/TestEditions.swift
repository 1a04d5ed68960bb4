import Gatefold

/// The editions of the test publication: a prefix and four digits, from 1 to 100 unless the request has other
/// values.
struct TestEditions {
    /// The maximum number of editions, regardless of the requested range.
    static let limit = 10_000
    private let prefix: String
    private let numbers: Range<Int>

    /// Reads `issue_prefix`, `issue_start` and `issue_end`. A blank value counts as missing, and an invalid range
    /// is empty.
    init(_ fields: [String: String]) {
        func field(_ name: String) -> String? {
            fields[name].flatMap { $0.allSatisfy(\.isWhitespace) ? nil : $0 }
        }
        prefix = field("issue_prefix") ?? "com.pugpig.edition"
        let start = field("issue_start").map { Int($0) } ?? 1
        let end = field("issue_end").map { Int($0) } ?? 100
        if let start, let end, start >= 0, end >= start, end - start < Self.limit {
            numbers = start..<end + 1
        } else {
            numbers = 0..<0
        }
    }

    var all: [EditionID] { numbers.compactMap(edition) }

    /// Every second edition, starting with the first.
    var everySecond: Set<EditionID> {
        Set(stride(from: numbers.lowerBound, to: numbers.upperBound, by: 2).compactMap(edition))
    }

    private func edition(_ number: Int) -> EditionID? {
        let digits = String(number)
        return EditionID(prefix + String(repeating: "0", count: max(0, 4 - digits.count)) + digits)
    }
}
