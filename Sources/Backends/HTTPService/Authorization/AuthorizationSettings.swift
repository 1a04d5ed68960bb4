import OutgoingRequests
import Settings

/// The parsed settings of an `authorization` section, before use.
enum AuthorizationSettings: Sendable {
    case none
    case basic(AccountTemplate)
    case digest(AccountTemplate)
    case bearer(String)
    case clientCredentials(ClientCredentials.Endpoint)

    /// Reads `basic`, `digest`, `bearer` or `oauth2`. Returns nil when the section is missing.
    init?(in settings: SettingsSection) throws(SettingsError) {
        guard settings.has("authorization") else { return nil }
        let section = try settings.section("authorization")
        let forms = "expected one of `basic`, `digest`, `bearer` and `oauth2`"
        guard section.names.count == 1, let form = section.names.first else {
            throw settings.error("authorization", expected: forms)
        }
        switch form {
        case "basic": self = .basic(try AccountTemplate(try section.section(form)))
        case "digest": self = .digest(try AccountTemplate(try section.section(form)))
        case "bearer":
            guard let token = try section.externalSecret(form), BearerAuthorization.isToken(token) else {
                throw section.error(form, expected: "expected {file: PATH} or {env: NAME} with a token")
            }
            self = .bearer(token)
        case "oauth2": self = .clientCredentials(try ClientCredentials.Endpoint(try section.section(form)))
        default: throw settings.error("authorization", expected: forms)
        }
    }

    var names: Set<String> {
        switch self {
        case .basic(let account), .digest(let account): account.names
        default: []
        }
    }

    /// A Boolean value that indicates whether requests carry the service's own account rather than the reader's. A
    /// rejection of the service's own account says nothing about a reader.
    var isServiceAccount: Bool {
        if case .none = self { return false }
        return names.isEmpty
    }

    /// Checks that the account can be sent.
    ///
    /// - Throws: ``UnsendableValue`` for an account that cannot be sent.
    func check(_ values: TemplateValues) throws(UnsendableValue) {
        switch self {
        case .basic(let account), .digest(let account): _ = try account.render(values)
        case .none, .bearer, .clientCredentials: break
        }
    }

    func open(_ services: BackendServices, http: OutgoingHTTP) -> any Authorization {
        switch self {
        case .none: NoAuthorization()
        case .basic(let account): BasicAuthorization(account: account)
        case .digest(let account): DigestAuthorization(account: account, random: services.random)
        case .bearer(let token): BearerAuthorization(token: token)
        case .clientCredentials(let endpoint): ClientCredentials(endpoint, http: http, clock: services.clock)
        }
    }
}
