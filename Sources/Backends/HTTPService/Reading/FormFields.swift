/// A body in `application/x-www-form-urlencoded`, parsed as in the WHATWG URL standard (section 5.1).
struct FormFields: Sendable, Equatable {
    private let fields: [(name: String, value: String)]

    init(_ text: String) {
        fields = text.split(separator: "&").map { pair in
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            return (Self.decoded(parts[0]), parts.count > 1 ? Self.decoded(parts[1]) : "")
        }
    }

    /// Returns the values of a field, in the order of the body.
    func values(_ name: String) -> [String] {
        fields.filter { $0.name == name }.map(\.value)
    }

    static func == (left: FormFields, right: FormFields) -> Bool {
        left.fields.elementsEqual(right.fields) { $0 == $1 }
    }

    /// Decodes a name or a value. A malformed escape stays unchanged.
    private static func decoded(_ text: Substring) -> String {
        let bytes = Array(text.utf8)
        var result: [UInt8] = []
        var index = 0
        func digit(_ index: Int) -> UInt8? {
            index < bytes.count ? Character(Unicode.Scalar(bytes[index])).hexDigitValue.map(UInt8.init) : nil
        }
        while index < bytes.count {
            if bytes[index] == UInt8(ascii: "%"), let high = digit(index + 1), let low = digit(index + 2) {
                result.append(high << 4 | low)
                index += 3
            } else {
                result.append(bytes[index] == UInt8(ascii: "+") ? UInt8(ascii: " ") : bytes[index])
                index += 1
            }
        }
        return String(decoding: result, as: UTF8.self)
    }
}
