/// The circumstances of one question: what a backend, a policy or a protection may want to know beside the subject.
public struct Inquiry: Sendable {
    /// Every field of the request, query and body together, the body's value where both had one.
    public let fields: [String: String]
    /// Who asks, as far as the listener can say; nil when it cannot.
    public let client: ClientAddress?
    /// The reader's languages, most wanted first, as BCP 47 tags in lower case.
    public let languages: [String]

    public init(fields: [String: String] = [:], client: ClientAddress? = nil, languages: [String] = []) {
        self.fields = fields
        self.client = client
        self.languages = languages
    }
}
