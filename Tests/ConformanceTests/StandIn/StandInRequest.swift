import Foundation

/// A request as the stand-in reads it.
struct StandInRequest: Sendable {
    var method = ""
    /// As it stands in the request line.
    var target = ""
    /// Without the query, as it was sent.
    var path = ""
    var fields: [(name: String, value: String)] = []
    var headers: [(name: String, value: String)] = []
    var body: [UInt8] = []
    /// Whether it came by HTTP/2.
    var isStream = false

    subscript(name: String) -> String? { fields.last { $0.name == name }?.value }

    func header(_ name: String) -> String? { headers.first { $0.name.lowercased() == name.lowercased() }?.value }

    /// The last part of the path, whether or not a slash stands behind it.
    var call: String { path.split(separator: "/").last.map(String.init) ?? "" }

    /// Who signs in, where that is nothing that would have to be escaped or cut.
    var plainName: String? {
        self["username"].flatMap { name in
            name.wholeMatch(of: #/[A-Za-z0-9@.-]{1,64}/#) == nil ? nil : name
        }
    }

    /// Nil while the bytes are not all there.
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

/// An answer of the stand-in, which can be made wrong before it is sent.
struct StandInAnswer: Sendable {
    var status = 200
    var headers: [(name: String, value: String)] = [
        ("Content-Type", "text/xml; charset=utf-8"),
        ("Cache-Control", "no-store, no-cache, must-revalidate, private, max-age=0"),
    ]
    var body: [UInt8]
    /// Whether the body is left out, as in an answer to HEAD; its length is said all the same.
    var isHead = false
    /// Added behind everything.
    var stray: [UInt8] = []
    /// In place of the body's own.
    var length: Int?
    /// Hangs up without a word.
    var isNothing = false
    /// Leaves the connection open behind the answer until the other side has enough.
    var isKeptOpen = false
    /// Says nothing, and leaves the connection open until the other side has enough.
    var isSilence = false

    init(_ text: String, status: Int = 200) {
        body = Array(text.utf8)
        self.status = status
    }

    static func text(_ status: Int, _ text: String) -> StandInAnswer {
        var answer = StandInAnswer(text, status: status)
        answer.set("Content-Type", "text/plain")
        return answer
    }

    var text: String {
        get { String(decoding: body, as: UTF8.self) }
        set { body = Array(newValue.utf8) }
    }

    /// Nil takes the field away.
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
