/// Base64 as apps put it into queries and forms: often without escaping its `+`, which then reads as a space.
enum TypedBase64 {
    /// The text with its spaces made `+` again and its line ends left out, where everything else in it is base64 of either
    /// alphabet, or a signed transaction with its dots; any other text as it is.
    static func repaired(_ text: String) -> String {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count)
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "/"), UInt8(ascii: "="),
                UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."):
                bytes.append(byte)
            case UInt8(ascii: " "): bytes.append(UInt8(ascii: "+"))
            case 0x0D, 0x0A: continue
            default: return text
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
