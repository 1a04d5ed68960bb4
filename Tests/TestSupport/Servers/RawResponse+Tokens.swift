import Foundation

extension RawHTTP {
    /// Posts a body.
    public func post(_ target: String, _ fields: [(String, String)] = [], _ body: [UInt8]) async throws -> RawResponse {
        var request = "POST \(target) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nConnection: close\r\n"
        for (name, value) in fields { request += "\(name): \(value)\r\n" }
        request += "Content-Length: \(body.count)\r\n\r\n"
        return try await exchange(Array(request.utf8) + body)
    }
}

extension RawResponse {
    /// Returns the text of the first element with the name.
    public func element(_ name: String) -> String? { elements(name).first }

    public func elements(_ name: String) -> [String] {
        guard let pattern = try? Regex("<\(name)(?: [^>]*)?>([^<]*)</\(name)>", as: (Substring, Substring).self) else {
            return []
        }
        return text.matches(of: pattern).map { String($0.1) }
    }

    /// Returns the value of the first attribute with the name.
    public func attribute(_ name: String) -> String? {
        guard let pattern = try? Regex(" \(name)=\"([^\"]*)\"", as: (Substring, Substring).self) else { return nil }
        return text.firstMatch(of: pattern).map { String($0.1) }
    }

    /// The `status` of an `<error>` element, or nil if there is none.
    public var error: String? { text.contains("<error") ? attribute("status") ?? "" : nil }
}

extension String {
    /// The text as the value of a form field: every byte except letters and digits is escaped.
    public var formEncoded: String {
        utf8.map { byte in
            let letter = Character(Unicode.Scalar(byte))
            return byte < 0x80 && (letter.isLetter || letter.isNumber) ? String(letter) : String(format: "%%%02X", byte)
        }.joined()
    }
}
