import Foundation

/// One segment of a path below a publication's content, decoded: one rule for what the content gate reads in a request and for
/// what a catalogue may name a file by, so that nothing is offered that is refused when it is fetched (PITFALLS row 2).
package enum ContentName {
    /// The longest name, in bytes: what file systems allow.
    package static let longest = 255
    /// The longest path that the gate reads, in bytes and with its escapes.
    package static let longestPath = 2_048

    /// Why a name is none that can be asked for.
    package enum Fault: Error, Sendable, CaseIterable {
        case empty
        case tooLong
        /// `/`, `%`, `?` or `#`, which an escape does not keep from being read as what it is.
        case delimiter
        case backslash
        case matrixParameter
        /// A control character, or one that shows nothing, such as a soft hyphen.
        case invisible
        case dotSegment
        /// White space at either end, or a dot at the end.
        case edge
        /// Not in Unicode normalisation form C.
        case notNormalised
    }

    /// - Returns: nil for a name that can be asked for.
    package static func fault(of name: String) -> Fault? {
        let bytes = name.utf8
        if bytes.isEmpty { return .empty }
        if bytes.count > longest { return .tooLong }
        // Most names are of these alone, and of these only dots can be at fault.
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
        // String's own `==` takes canonical equivalents for equal, hence the comparison of the scalars.
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

    /// How many bytes a path has once everything is escaped that is not unreserved (RFC 3986 section 2.3).
    package static func escapedCount(of path: String) -> Int {
        path.utf8.reduce(0) { $0 + ($1 == UInt8(ascii: "/") || isUnreserved($1) ? 1 : 3) }
    }

    /// Whether a byte never needs an escape (RFC 3986 section 2.3).
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
