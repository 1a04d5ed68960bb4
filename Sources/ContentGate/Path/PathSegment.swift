import Foundation
import Gatefold

/// One segment of a path between its wire form and its text; the rules are ``NormalisedPath``'s.
enum PathSegment {
    static func decode(_ raw: some Collection<UInt8>) throws(PathRefusal) -> String {
        guard !raw.isEmpty else { throw .emptySegment }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(raw.count)
        var rest = raw.makeIterator()
        while let byte = rest.next() {
            guard byte < 0x80, byte != UInt8(ascii: " ") else { throw .illegalByte }
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard let high = rest.next().flatMap(hexadecimal), let low = rest.next().flatMap(hexadecimal) else {
                throw .malformedEscape
            }
            let decoded = high << 4 | low
            if "/%?#".utf8.contains(decoded) { throw .encodedDelimiter }
            bytes.append(decoded)
        }
        return try check(bytes)
    }

    private static func check(_ bytes: [UInt8]) throws(PathRefusal) -> String {
        guard bytes.count <= NormalisedPath.longestSegment else { throw .tooLong }
        guard let text = String(validating: bytes, as: UTF8.self) else { throw .invalidUTF8 }
        if bytes.contains(UInt8(ascii: "\\")) { throw .backslash }
        if bytes.contains(UInt8(ascii: ";")) { throw .matrixParameter }
        let characters = text.unicodeScalars
        if characters.contains(where: isInvisible) { throw .controlCharacter }
        if bytes == Array(".".utf8) || bytes == Array("..".utf8) { throw .dotSegment }
        if bytes.last == UInt8(ascii: ".") || characters.first?.properties.isWhitespace == true
            || characters.last?.properties.isWhitespace == true
        {
            throw .edgeOfSegment
        }
        // String's own `==` takes canonical equivalents for equal, hence the comparison of the scalars.
        let isASCII = bytes.allSatisfy { $0 < 0x80 }
        if !isASCII, !text.precomposedStringWithCanonicalMapping.unicodeScalars.elementsEqual(characters) {
            throw .notNormalised
        }
        return text
    }

    private static func isInvisible(_ character: Unicode.Scalar) -> Bool {
        if character.isASCII { return character.value < 0x20 || character.value == 0x7F }
        return switch character.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator: true
        default: false
        }
    }

    static func encode(_ segment: String) -> String {
        var bytes: [UInt8] = []
        for byte in segment.utf8 {
            if isUnreserved(byte) {
                bytes.append(byte)
            } else {
                bytes.append(UInt8(ascii: "%"))
                bytes.append(contentsOf: Hexadecimal.encode([byte]).uppercased().utf8)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
            UInt8(ascii: "~"):
            true
        default: false
        }
    }

    private static func hexadecimal(_ digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
