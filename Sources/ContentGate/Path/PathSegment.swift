import Gatefold
import Primitives

/// The conversion of one path segment between its wire format and its text, by the rules of ``NormalisedPath`` and
/// `ContentName`.
enum PathSegment {
    static func decode(_ raw: ArraySlice<UInt8>) throws(PathRejection) -> String {
        guard !raw.isEmpty else { throw .emptySegment }
        if raw.allSatisfy(ContentName.isUnreserved) { return try check(String(decoding: raw, as: UTF8.self)) }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(raw.count)
        var rest = raw.makeIterator()
        while let byte = rest.next() {
            guard byte < 0x80, byte != UInt8(ascii: " ") else { throw .illegalByte }
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard let high = rest.next().flatMap(Hexadecimal.value), let low = rest.next().flatMap(Hexadecimal.value)
            else { throw .malformedEscape }
            let decoded = high << 4 | low
            if "/%?#".utf8.contains(decoded) { throw .encodedDelimiter }
            bytes.append(decoded)
        }
        guard let text = String(validating: bytes, as: UTF8.self) else { throw .invalidUTF8 }
        return try check(text)
    }

    private static func check(_ text: String) throws(PathRejection) -> String {
        if let fault = ContentName.fault(of: text) { throw PathRejection(fault) }
        return text
    }

    static func encode(_ segment: String) -> String {
        if segment.utf8.allSatisfy(ContentName.isUnreserved) { return segment }
        var bytes: [UInt8] = []
        for byte in segment.utf8 {
            if ContentName.isUnreserved(byte) {
                bytes.append(byte)
            } else {
                bytes.append(UInt8(ascii: "%"))
                bytes += Hexadecimal.upperCaseDigits(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension PathRejection {
    fileprivate init(_ fault: ContentName.Fault) {
        self =
            switch fault {
            case .empty: .emptySegment
            case .tooLong: .tooLong
            case .delimiter: .encodedDelimiter
            case .backslash: .backslash
            case .matrixParameter: .matrixParameter
            case .invisible: .controlCharacter
            case .dotSegment: .dotSegment
            case .edge: .edgeOfSegment
            case .notNormalised: .notNormalised
            }
    }
}
