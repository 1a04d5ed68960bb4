/// Writes the subset of DER that receipts use (X.690 section 8).
package enum DERWriter {
    package static func value(_ identifier: UInt8, _ content: [UInt8]) -> [UInt8] {
        [identifier] + length(content.count) + content
    }

    package static func integer(_ number: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        var rest = number
        repeat {
            bytes.insert(UInt8(truncatingIfNeeded: rest), at: 0)
            rest >>= 8
        } while rest != 0 || (bytes[0] & 0x80 != 0 && number >= 0)
        return value(0x02, bytes)
    }

    package static func octets(_ bytes: [UInt8]) -> [UInt8] { value(0x04, bytes) }
    package static func utf8(_ text: String) -> [UInt8] { value(0x0C, Array(text.utf8)) }
    package static func ia5(_ text: String) -> [UInt8] { value(0x16, Array(text.utf8)) }
    package static func sequence(_ parts: [[UInt8]]) -> [UInt8] { value(0x30, parts.flatMap(\.self)) }
    package static func set(_ parts: [[UInt8]]) -> [UInt8] { value(0x31, parts.flatMap(\.self)) }

    private static func length(_ count: Int) -> [UInt8] {
        if count < 0x80 { return [UInt8(count)] }
        var bytes: [UInt8] = []
        var rest = count
        while rest != 0 {
            bytes.insert(UInt8(truncatingIfNeeded: rest), at: 0)
            rest >>= 8
        }
        return [0x80 | UInt8(bytes.count)] + bytes
    }
}
