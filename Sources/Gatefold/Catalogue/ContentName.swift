import Foundation

/// A decoded segment of a path below a publication's content.
///
/// The content gate applies this rule to requests, and catalogues apply it to file names. The gate therefore never
/// rejects a file that a catalogue offers. Source: Pitfall 2, “A path read in two ways”.
package enum ContentName {
    /// The maximum length of a name, in bytes: the limit of file systems.
    package static let maxLength = 255
    /// The maximum length of a path that the gate reads, in bytes, escapes included.
    package static let maxPathLength = 2_048

    /// The reason that a name cannot be requested.
    package enum Fault: Error, Sendable, CaseIterable {
        case empty
        case tooLong
        /// The name contains `/`, `%`, `?` or `#`. A program could read such a character as a delimiter even if it
        /// is escaped.
        case delimiter
        case backslash
        case matrixParameter
        /// The name contains a control character, or an invisible character such as a soft hyphen.
        case invisible
        case dotSegment
        /// The name starts or ends with white space, or ends with a dot.
        case edge
        /// The name is not in Unicode normalisation form C.
        case notNormalised
    }

    /// Returns the fault of a name, or nil if the name can be requested.
    package static func fault(of name: String) -> Fault? {
        let bytes = name.utf8
        if bytes.isEmpty { return .empty }
        if bytes.count > maxLength { return .tooLong }
        // Most names contain only unreserved characters. Among those, only dots can be a fault.
        if bytes.allSatisfy(isUnreserved) { return fault(ofUnreserved: bytes) }
        if bytes.contains(where: { "/%?#".utf8.contains($0) }) { return .delimiter }
        if bytes.contains(UInt8(ascii: "\\")) { return .backslash }
        if bytes.contains(UInt8(ascii: ";")) { return .matrixParameter }
        let characters = name.unicodeScalars
        if characters.contains(where: isInvisible) { return .invisible }
        if bytes.last == UInt8(ascii: ".") || characters.first?.properties.isWhitespace == true
            || characters.last?.properties.isWhitespace == true
        {
            return .edge
        }
        // The comparison uses the scalars because `==` of String treats canonically equivalent text as equal.
        let isASCII = bytes.allSatisfy { $0 < 0x80 }
        if !isASCII, !name.precomposedStringWithCanonicalMapping.unicodeScalars.elementsEqual(characters) {
            return .notNormalised
        }
        return nil
    }

    private static func fault(ofUnreserved bytes: String.UTF8View) -> Fault? {
        guard bytes.last == UInt8(ascii: ".") else { return nil }
        return bytes.elementsEqual(".".utf8) || bytes.elementsEqual("..".utf8) ? .dotSegment : .edge
    }

    /// Returns the length of a path in bytes after every byte that is not unreserved is escaped (RFC 3986 section
    /// 2.3).
    package static func escapedCount(of path: String) -> Int {
        path.utf8.reduce(0) { $0 + ($1 == UInt8(ascii: "/") || isUnreserved($1) ? 1 : 3) }
    }

    /// Returns whether a byte never needs an escape (RFC 3986 section 2.3).
    package static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
            UInt8(ascii: "~"):
            true
        default: false
        }
    }

    private static func isInvisible(_ character: Unicode.Scalar) -> Bool {
        if character.isASCII { return character.value < 0x20 || character.value == 0x7F }
        return switch character.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator: true
        default: false
        }
    }
}
