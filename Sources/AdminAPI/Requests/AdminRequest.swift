package import HTTPTypes

/// A request as the listener received it.
package struct AdminRequest: Sendable {
    package let method: HTTPRequest.Method
    /// The path below that of the API, with its percent-escapes.
    package let path: String
    /// The query without the question mark, with its percent-escapes; nil for none.
    package let query: String?
    package let fields: HTTPFields
    /// The address or network of the client, for limits.
    package let address: String
    /// Whether the client is on this machine.
    package let isLocal: Bool
    /// Whether the host that the request names is this server. TLS ensures it otherwise.
    package let isForThisHost: Bool
    /// Reads the whole body; nil if it is longer than the number of bytes.
    package let readBody: @Sendable (_ limit: Int) async throws -> [UInt8]?

    package init(
        method: HTTPRequest.Method, path: String, query: String? = nil, fields: HTTPFields, address: String,
        isLocal: Bool, isForThisHost: Bool = true,
        readBody: @escaping @Sendable (_ limit: Int) async throws -> [UInt8]?
    ) {
        self.method = method
        self.path = path
        self.query = query
        self.fields = fields
        self.address = address
        self.isLocal = isLocal
        self.isForThisHost = isForThisHost
        self.readBody = readBody
    }
}
