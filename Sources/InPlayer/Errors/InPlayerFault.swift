/// An error document of the service.
public struct InPlayerFault: Sendable, Hashable, CustomStringConvertible {
    /// The HTTP status.
    public let status: Int
    /// The service's own code, in most cases equal to the status.
    public let code: Int
    /// A message for readers, unchanged from the service.
    public let message: String
    /// The error of each form field.
    public let fields: [String: String]
    /// Further details of the cause, if the service reports them.
    public let explain: String?
    /// A Boolean value that indicates whether the response has the format of the service's own errors: an object
    /// with a `code` or with `errors`. Any other error response may come from a proxy and says nothing about the
    /// reader.
    ///
    /// Source: InPlayer protocol, “Error document”.
    public let isServiceError: Bool

    public init(
        status: Int, code: Int, message: String, fields: [String: String] = [:], explain: String? = nil,
        isServiceError: Bool = true
    ) {
        self.status = status
        self.code = code
        self.message = message
        self.fields = fields
        self.explain = explain
        self.isServiceError = isServiceError
    }

    /// A Boolean value that indicates whether the account has no access to the item: 402.
    ///
    /// Source: InPlayer protocol, “No access is 402”.
    public var isWithoutAccess: Bool { status == 402 }

    /// A Boolean value that indicates whether the service itself rejected the credentials at sign-in.
    public var concernsCredentials: Bool { isServiceError && (status == 401 || status == 422) }

    public var description: String { "\(code): \(message)" }
}

extension InPlayerFault {
    /// Creates a fault from the body of an error response. Any body produces a fault.
    ///
    /// - Parameter body: The body of the response.
    init(status: Int, body: [UInt8]) {
        self.init(status: status, response: try? ResponseValue(parsing: body))
    }

    init(status: Int, response: ResponseValue?) {
        let fields = Self.fields(response?["errors"])
        self.init(
            status: status, code: response?["code"]?.integer ?? status,
            message: response?["message"]?.text ?? fields.sorted { $0.key < $1.key }.first?.value
                ?? "The service responded with status \(status)",
            fields: fields, explain: Self.explain(response?["explain"]), isServiceError: Self.isServiceError(response))
    }

    private static func isServiceError(_ response: ResponseValue?) -> Bool {
        if response?["code"]?.integer != nil { return true }
        if case .object = response?["errors"] { return true }
        return false
    }

    /// Returns one text for each field. If a field has several texts, the first is used.
    private static func fields(_ response: ResponseValue?) -> [String: String] {
        guard case .object(let members) = response else { return [:] }
        return members.compactMapValues { $0.text ?? $0.list.lazy.compactMap(\.text).first }
    }

    /// Returns the explanation, which is a text or an object of texts.
    ///
    /// Source: InPlayer notifications protocol, “Explanation in samples”.
    private static func explain(_ response: ResponseValue?) -> String? {
        if let text = response?.text { return text }
        let texts = response?.texts.sorted { $0.key < $1.key }.map(\.value) ?? []
        return texts.isEmpty ? nil : texts.joined(separator: " ")
    }
}
