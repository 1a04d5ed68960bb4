import Gatefold

/// The editions the test users' world has: a prefix and four digits, one to a hundred unless the request says otherwise.
struct TestEditions {
    /// More are never made, whatever range a request asks for.
    static let most = 10_000
    private let prefix: String
    private let numbers: Range<Int>

    /// Takes `issue_prefix`, `issue_start` and `issue_end`, of which a blank one is as good as none; a range that is no range is empty.
    init(_ fields: [String: String]) {
        func field(_ name: String) -> String? {
            fields[name].flatMap { $0.allSatisfy(\.isWhitespace) ? nil : $0 }
        }
        prefix = field("issue_prefix") ?? "com.pugpig.edition"
        let start = field("issue_start").map { Int($0) } ?? 1
        let end = field("issue_end").map { Int($0) } ?? 100
        if let start, let end, start >= 0, end >= start, end - start < Self.most {
            numbers = start..<end + 1
        } else {
            numbers = 0..<0
        }
    }

    var all: [EditionID] { numbers.compactMap(edition) }

    /// Every second edition, beginning with the first.
    var everySecond: Set<EditionID> {
        Set(stride(from: numbers.lowerBound, to: numbers.upperBound, by: 2).compactMap(edition))
    }

    private func edition(_ number: Int) -> EditionID? {
        let digits = String(number)
        return EditionID(prefix + String(repeating: "0", count: max(0, 4 - digits.count)) + digits)
    }
}
