/// Spellings of a path that name one edition's file to the file server and another edition to a careless gate.
///
/// Source: Pitfall 2, “A path read in two ways”.
enum PathConfusionCases {
    /// - Parameters:
    ///   - edition: The edition in the path.
    ///   - other: The edition of the credentials.
    static func targets(_ path: String, edition: String, other: String) -> [(title: String, target: String)] {
        guard let range = path.range(ofLast: edition) else { return [] }
        let before = String(path[..<range.lowerBound])
        let after = String(path[range.upperBound...])
        let last = edition.last.map { "%" + String($0.asciiValue ?? 0x2D, radix: 16) } ?? ""
        return [
            ("dot segments", "\(before)\(other)/../\(edition)\(after)"),
            ("escaped dots", "\(before)\(other)/%2e%2e/\(edition)\(after)"),
            ("an escaped slash", "\(before)\(other)/..%2f\(edition)\(after)"),
            ("dots escaped twice", "\(before)\(other)/%252e%252e/\(edition)\(after)"),
            ("a backslash", "\(before)\(other)/..%5c\(edition)\(after)"),
            ("a matrix parameter", "\(before)\(other)/..;/\(edition)\(after)"),
            ("overlong UTF-8", "\(before)\(other)/%c0%ae%c0%ae/\(edition)\(after)"),
            ("a NUL", "\(before)\(edition)\(after)%00\(other)"),
            ("two slashes", "\(before)/\(edition)\(after)"),
            ("an escaped letter", "\(before)\(edition.dropLast())\(last)\(after)"),
            ("capital letters", "\(before)\(edition.uppercased())\(after)"),
            ("a dot at the end", "\(before)\(edition)\(after)."),
            ("a space at the end", "\(before)\(edition)\(after)%20"),
            ("the other edition in the query", "\(before)\(edition)\(after)?/\(other)"),
            ("the other edition as a parameter", "\(before)\(edition);\(other)\(after)"),
        ]
    }
}

extension String {
    fileprivate func range(ofLast text: String) -> Range<Index>? {
        ranges(of: text).last
    }
}
