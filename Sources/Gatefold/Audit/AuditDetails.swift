/// Further facts about an audited action, as names with values in a fixed order.
package struct AuditDetails: Sendable, Hashable {
    /// Names with values, in their order.
    package typealias Pairs = [(name: StaticString, value: String?)]

    package static let maxCount = 16
    package static let maxValueBytes = 200

    /// The details as they are stored and hashed: lines of `name=value`. A name contains no `=`, and no value contains a
    /// line break, so that different details have different texts.
    package let text: String

    package static let none = AuditDetails([])

    /// - Parameter details: Names of lower-case letters, digits and `_`, with values whose unacceptable characters are
    ///   replaced. Values are pseudonyms, numbers and names of objects, as in ``AuditSubject``. Details without a value,
    ///   and those after ``maxCount``, are left out.
    package init(_ details: Pairs) {
        let lines = details.compactMap { detail in
            detail.value.map { "\(detail.name)=\(AuditText.replacing($0, maxBytes: Self.maxValueBytes))\n" }
        }
        text = lines.prefix(Self.maxCount).joined()
    }

    /// Returns the names with their values. A line that has another format, which only a changed row has, becomes a value
    /// without a name.
    package static func pairs(in text: String) -> [(name: String, value: String)] {
        text.split(separator: "\n").map { line in
            let parts = line.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            return parts.count == 2 ? (parts[0], parts[1]) : ("", parts[0])
        }
    }
}
