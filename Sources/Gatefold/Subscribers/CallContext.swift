/// The context of one call, for backends, policies and protections.
public struct CallContext: Sendable {
    /// The fields of the query and the body of the request. If both contain a field, the body's value applies.
    public let fields: [String: String]
    /// The client's address, or nil if the listener cannot determine it.
    public let client: ClientAddress?
    /// The reader's languages in descending order of preference, as BCP 47 tags in lower case.
    public let languages: [String]

    public init(fields: [String: String] = [:], client: ClientAddress? = nil, languages: [String] = []) {
        self.fields = fields
        self.client = client
        self.languages = languages
    }
}
