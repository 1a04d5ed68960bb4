/// What the service says is wrong.
public struct InPlayerFault: Sendable, Hashable, CustomStringConvertible {
    /// The HTTP status.
    public let status: Int
    /// The service's own code, in most cases the status.
    public let code: Int
    /// A sentence for people, as the service words it.
    public let message: String
    /// What is wrong with each field of a form.
    public let fields: [String: String]
    /// More about the cause, where the service says it.
    public let explain: String?
    /// Whether the answer had the form of the service's own errors: an object with a `code` or with `errors` (PROTOCOLS 5.3). Whatever
    /// else has an error status may come from a proxy or a page in between, and says nothing of the reader.
    public let isServicesOwn: Bool

    public init(
        status: Int, code: Int, message: String, fields: [String: String] = [:], explain: String? = nil,
        isServicesOwn: Bool = true
    ) {
        self.status = status
        self.code = code
        self.message = message
        self.fields = fields
        self.explain = explain
        self.isServicesOwn = isServicesOwn
    }

    /// The account has no access to the item: 402 (PROTOCOLS 5.3).
    public var isWithoutAccess: Bool { status == 402 }

    /// At sign-in: name or password are wrong, in the service's own words.
    public var isOfCredentials: Bool { isServicesOwn && (status == 401 || status == 422) }

    public var description: String { "\(code): \(message)" }
}

extension InPlayerFault {
    /// - Parameter body: of an answer with an error status. Whatever it is, there is a fault.
    init(status: Int, body: [UInt8]) {
        self.init(status: status, answer: try? Answer(parsing: body))
    }

    init(status: Int, answer: Answer?) {
        let fields = Self.fields(answer?["errors"])
        self.init(
            status: status, code: answer?["code"]?.integer ?? status,
            message: answer?["message"]?.text ?? fields.sorted { $0.key < $1.key }.first?.value
                ?? "The service answered with status \(status)",
            fields: fields, explain: Self.explain(answer?["explain"]), isServicesOwn: Self.isServicesOwn(answer))
    }

    private static func isServicesOwn(_ answer: Answer?) -> Bool {
        if answer?["code"]?.integer != nil { return true }
        if case .object = answer?["errors"] { return true }
        return false
    }

    /// A text for each field, or several, of which the first says enough.
    private static func fields(_ answer: Answer?) -> [String: String] {
        guard case .object(let members) = answer else { return [:] }
        return members.compactMapValues { $0.text ?? $0.list.lazy.compactMap(\.text).first }
    }

    /// A text, or an object of texts (PROTOCOLS 5.5).
    private static func explain(_ answer: Answer?) -> String? {
        if let text = answer?.text { return text }
        let texts = answer?.texts.sorted { $0.key < $1.key }.map(\.value) ?? []
        return texts.isEmpty ? nil : texts.joined(separator: " ")
    }
}
