/// One request of a check, byte for byte, and the reason for it.
package struct Probe: Sendable {
    package var purpose: ProbePurpose
    /// The call; nil for a request that is no call, as at the gate.
    package var call: Call?
    package var requestStyle: RequestStyle = .query
    /// The name of the reader for whom the request is made.
    package var reader: String?
    /// The requested edition.
    package var edition: String?
    package var address: Address
    /// The parameters of a call, before their encoding into the request.
    package var fields: [Field] = []
    package var method = "GET"
    /// The target in the request line.
    package var target: [UInt8]
    /// The header fields in addition to `Host`, `Connection`, `User-Agent` and `Content-Length`.
    package var headers: [Field] = []
    package var body: [UInt8]?
    /// The maximum number of bytes of the response body that are read.
    package var maxBodySize = 1 << 20

    package init(_ purpose: ProbePurpose, _ address: Address, call: Call? = nil) {
        self.purpose = purpose
        self.call = call
        self.address = address
        target = Array(address.target.utf8)
    }

    /// Creates a call with its parameters.
    package init(
        _ purpose: ProbePurpose, _ call: Call, _ fields: [Field], _ requestStyle: RequestStyle = .query,
        at endpoint: Endpoint
    ) {
        let address = endpoint.address(of: call, requestStyle)
        if requestStyle.isForm {
            self.init(purpose, address, call: call)
            sendForm(Array(Field.encoded(fields).utf8))
        } else {
            self.init(purpose, address.adding(fields), call: call)
        }
        self.requestStyle = requestStyle
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

    /// The approximate memory of the request, in bytes.
    var footprint: Int {
        target.count + (address.query?.utf8.count ?? 0) + (body?.count ?? 0)
            + fields.reduce(0) { $0 + $1.value.utf8.count }
    }

    /// The request as a report shows it. Parameters appear by name without their values, which may be secret.
    package var summary: String {
        if case .malformed(let malformedInput) = purpose {
            return "\(method) \(address.path) with \(malformedInput.title)"
        }
        var text = "\(method) \(String(decoding: target.prefix { $0 != UInt8(ascii: "?") }.prefix(200), as: UTF8.self))"
        if let queryStart = target.firstIndex(of: UInt8(ascii: "?")) {
            let names = target[(queryStart + 1)...].split(separator: UInt8(ascii: "&")).map {
                String(decoding: $0.prefix { $0 != UInt8(ascii: "=") }, as: UTF8.self)
            }
            text += "?" + names.map { "\($0)=…" }.joined(separator: "&")
        }
        let requested = [reader, call == .editionCredentials ? edition : nil].compactMap(\.self)
        if !requested.isEmpty { text += " (\(requested.joined(separator: ", ")))" }
        return text
    }
}
