/// An HTTP/1 answer as it came: every header field in order, as often as it was sent, and the bytes of the body.
package struct RawAnswer: Sendable, Equatable {
    /// How an answer's frame can be wrong (RFC 9112 sections 6 and 7).
    package enum Flaw: String, Sendable, Equatable {
        case cutShort = "the connection was closed before the answer was complete"
        case lengthAndCoding = "it has both Content-Length and Transfer-Encoding"
        case severalLengths = "it has Content-Length more than once"
        case badLength = "its Content-Length is no number"
        case badChunks = "its chunks can not be read"
        case badField = "it has a header line that is no field"
        case manyFields = "it has more than 500 header fields"
    }

    package var status: Int
    package var reason = ""
    package var fields: [Field] = []
    package var body: [UInt8] = []
    package var flaws: [Flaw] = []
    /// How many bytes came after its end, where nothing may come.
    package var strayBytes = 0
    /// Whether more of the body was to come than a check reads.
    package var isCut = false

    package init(status: Int, fields: [Field] = [], body: [UInt8] = []) {
        self.status = status
        self.fields = fields
        self.body = body
    }

    package func values(_ name: String) -> [String] {
        let name = name.lowercased()
        return fields.filter { $0.name.lowercased() == name }.map(\.value)
    }

    /// The values of a field put together (RFC 9110 section 5.2); nil where there is none.
    package subscript(name: String) -> String? {
        let values = values(name)
        return values.isEmpty ? nil : values.joined(separator: ", ")
    }

    /// The items of a field that is a list, in lower case.
    package func items(_ name: String) -> [String] {
        values(name).flatMap { $0.split(separator: ",") }
            .map { $0.trimming { $0 == " " || $0 == "\t" }.lowercased() }
    }

    /// About how much it takes to keep, in bytes.
    var footprint: Int {
        body.count + fields.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count + MemoryLayout<Field>.size }
    }

    package var isSuccess: Bool { (200..<300).contains(status) }
}

extension Substring {
    func trimming(_ isSpace: (Character) -> Bool) -> Substring {
        var rest = self
        while let first = rest.first, isSpace(first) { rest.removeFirst() }
        while let last = rest.last, isSpace(last) { rest.removeLast() }
        return rest
    }
}
