/// An unmodified HTTP/1 response: every header field in order, as often as it was sent, and the bytes of the body.
package struct ReceivedResponse: Sendable, Equatable {
    /// A fault in the framing of a response (RFC 9112 sections 6 and 7).
    package enum Flaw: String, Sendable, Equatable {
        case truncated = "the connection was closed before the response was complete"
        case lengthAndCoding = "the response has both Content-Length and Transfer-Encoding"
        case severalLengths = "the response has Content-Length more than once"
        case badLength = "Content-Length is not a number"
        case badChunks = "the chunks cannot be parsed"
        case badField = "a header line is not a field"
        case manyFields = "the response has more than 500 header fields"
    }

    package var status: Int
    package var reason = ""
    package var fields: [Field] = []
    package var body: [UInt8] = []
    package var flaws: [Flaw] = []
    /// The number of bytes after the end of the response, where none are allowed.
    package var strayBytes = 0
    /// A Boolean value that indicates whether the body is longer than the part that the check reads.
    package var isTruncated = false

    package init(status: Int, fields: [Field] = [], body: [UInt8] = []) {
        self.status = status
        self.fields = fields
        self.body = body
    }

    package func values(_ name: String) -> [String] {
        let name = name.lowercased()
        return fields.filter { $0.name.lowercased() == name }.map(\.value)
    }

    /// The combined values of a field (RFC 9110 section 5.2), or nil if there is no such field.
    package subscript(name: String) -> String? {
        let values = values(name)
        return values.isEmpty ? nil : values.joined(separator: ", ")
    }

    /// Returns the items of a list field in lower case.
    package func items(_ name: String) -> [String] {
        values(name).flatMap { $0.split(separator: ",") }
            .map { $0.trimming { $0 == " " || $0 == "\t" }.lowercased() }
    }

    /// The approximate memory of the response, in bytes.
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
