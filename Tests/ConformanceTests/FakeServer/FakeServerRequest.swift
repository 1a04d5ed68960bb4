import Foundation

/// A request as the fake server reads it.
struct FakeServerRequest: Sendable {
    var method = ""
    /// The target of the request line.
    var target = ""
    /// The path without the query, as it was sent.
    var path = ""
    var fields: [(name: String, value: String)] = []
    var headers: [(name: String, value: String)] = []
    var body: [UInt8] = []
    /// A Boolean value that indicates whether the request came by HTTP/2.
    var isStream = false

    subscript(name: String) -> String? { fields.last { $0.name == name }?.value }

    func header(_ name: String) -> String? { headers.first { $0.name.lowercased() == name.lowercased() }?.value }

    /// The last part of the path, without a trailing slash.
    var call: String { path.split(separator: "/").last.map(String.init) ?? "" }

    /// The user name, if it needs neither escaping nor truncation.
    var plainName: String? {
        self["username"].flatMap { name in
            name.wholeMatch(of: #/[A-Za-z0-9@.-]{1,64}/#) == nil ? nil : name
        }
    }

    /// Returns nil while bytes are missing.
    init?(_ bytes: [UInt8]) {
        guard let end = bytes.firstRange(of: Array("\r\n\r\n".utf8)) else { return nil }
        let lines = String(decoding: bytes[..<end.lowerBound], as: UTF8.self).components(separatedBy: "\r\n")
        let words = lines[0].split(separator: " ")
        guard words.count == 3 else { return nil }
        method = String(words[0])
        target = String(words[1])
        let parts = words[1].split(separator: "?", maxSplits: 1)
        path = parts.first.map(String.init) ?? ""
        headers = lines.dropFirst().map { line in
            let parts = line.split(separator: ":", maxSplits: 1)
            return (String(parts[0]), parts.count > 1 ? parts[1].trimmingCharacters(in: .whitespaces) : "")
        }
        let length = header("Content-Length").flatMap { Int($0) } ?? 0
        guard bytes.count >= end.upperBound + length else { return nil }
        body = Array(bytes[end.upperBound..<end.upperBound + length])
        fields = Self.form(parts.count > 1 ? String(parts[1]) : "")
        if header("Content-Type") == "application/x-www-form-urlencoded" {
            fields += Self.form(String(decoding: body, as: UTF8.self))
        }
    }

    private static func form(_ text: String) -> [(name: String, value: String)] {
        text.split(separator: "&").map { pair in
            let parts = pair.split(separator: "=", maxSplits: 1)
            return (String(parts[0]), parts.count > 1 ? parts[1].removingPercentEncoding ?? String(parts[1]) : "")
        }
    }
}

/// A response of the fake server, which a defect can change before it is sent.
struct FakeResponse: Sendable {
    var status = 200
    var headers: [(name: String, value: String)] = [
        ("Content-Type", "text/xml; charset=utf-8"),
        ("Cache-Control", "no-store, no-cache, must-revalidate, private, max-age=0"),
    ]
    var body: [UInt8]
    /// A Boolean value that indicates whether the body is omitted, as in a response to HEAD. Its length is still sent.
    var isHead = false
    /// Bytes that are sent after the body.
    var stray: [UInt8] = []
    /// Replaces the length of the body.
    var length: Int?
    /// The time that the server takes before it responds.
    var delay = Duration.zero
    /// Closes the connection without a response.
    var isNothing = false
    /// Keeps the connection open after the response until the client closes it.
    var isKeepAlive = false
    /// Sends nothing and keeps the connection open until the client closes it.
    var isSilence = false

    init(_ text: String, status: Int = 200) {
        body = Array(text.utf8)
        self.status = status
    }

    static func text(_ status: Int, _ text: String) -> FakeResponse {
        var response = FakeResponse(text, status: status)
        response.set("Content-Type", "text/plain")
        return response
    }

    var text: String {
        get { String(decoding: body, as: UTF8.self) }
        set { body = Array(newValue.utf8) }
    }

    /// Nil removes the field.
    mutating func set(_ name: String, _ value: String?) {
        headers.removeAll { $0.name == name }
        if let value { headers.append((name, value)) }
    }

    var bytes: [UInt8] {
        var head = "HTTP/1.1 \(status) Stand-in\r\n"
        for (name, value) in headers { head += "\(name): \(value)\r\n" }
        head += "Content-Length: \(length ?? body.count)\r\nConnection: close\r\n\r\n"
        return Array(head.utf8) + (isHead ? [] : body) + stray
    }
}
