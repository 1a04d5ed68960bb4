/// One request of a check, byte for byte, and why it is made.
package struct Probe: Sendable {
    package var situation: Situation
    /// Nil where no call is asked, as at the gate.
    package var call: Call?
    package var spelling: Spelling = .query
    /// The name of the reader it is made for.
    package var reader: String?
    /// The edition it asks for.
    package var edition: String?
    package var address: Address
    /// The parameters of a call, before they were put into the request.
    package var fields: [Field] = []
    package var method = "GET"
    /// What stands in the request line.
    package var target: [UInt8]
    /// Besides `Host`, `Connection`, `User-Agent` and `Content-Length`.
    package var headers: [Field] = []
    package var body: [UInt8]?
    /// What is read of the answer's body, in bytes.
    package var longestBody = 1 << 20

    package init(_ situation: Situation, _ address: Address, call: Call? = nil) {
        self.situation = situation
        self.call = call
        self.address = address
        target = Array(address.target.utf8)
    }

    /// A call with its parameters.
    package init(
        _ situation: Situation, _ call: Call, _ fields: [Field], _ spelling: Spelling = .query, at endpoint: Endpoint
    ) {
        let address = endpoint.address(of: call, spelling)
        if spelling.isForm {
            self.init(situation, address, call: call)
            sendForm(Array(Field.encoded(fields).utf8))
        } else {
            self.init(situation, address.adding(fields), call: call)
        }
        self.spelling = spelling
        self.fields = fields
    }

    mutating func sendForm(_ bytes: [UInt8]) {
        method = "POST"
        headers.append(Field("Content-Type", "application/x-www-form-urlencoded"))
        body = bytes
    }

    /// The bytes on the wire.
    package var bytes: [UInt8] {
        var bytes = Array("\(method) ".utf8) + target
        bytes += Array(" HTTP/1.1\r\nHost: \(address.authority)\r\nConnection: close\r\nAccept: */*\r\n".utf8)
        if !headers.contains(where: { $0.name.lowercased() == "user-agent" }) {
            bytes += Array("User-Agent: gatefold-check\r\n".utf8)
        }
        for header in headers { bytes += Array("\(header.name): \(header.value)\r\n".utf8) }
        if let body { bytes += Array("Content-Length: \(body.count)\r\n".utf8) }
        return bytes + Array("\r\n".utf8) + (body ?? [])
    }

    /// About how much it takes to keep, in bytes.
    var footprint: Int {
        target.count + (address.query?.utf8.count ?? 0) + (body?.count ?? 0)
            + fields.reduce(0) { $0 + $1.value.utf8.count }
    }

    /// The request as a report shows it: the names of parameters without their values, which may be anybody's secrets.
    package var summary: String {
        if case .malformed(let malformation) = situation {
            return "\(method) \(address.path) with \(malformation.title)"
        }
        var text = "\(method) \(String(decoding: target.prefix { $0 != UInt8(ascii: "?") }.prefix(200), as: UTF8.self))"
        if let question = target.firstIndex(of: UInt8(ascii: "?")) {
            let names = target[(question + 1)...].split(separator: UInt8(ascii: "&")).map {
                String(decoding: $0.prefix { $0 != UInt8(ascii: "=") }, as: UTF8.self)
            }
            text += "?" + names.map { "\($0)=…" }.joined(separator: "&")
        }
        let asked = [reader, call == .editionCredentials ? edition : nil].compactMap(\.self)
        if !asked.isEmpty { text += " (\(asked.joined(separator: ", ")))" }
        return text
    }
}
