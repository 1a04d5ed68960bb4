import Accounts
import Gatefold
import Hummingbird
import JSON
import Primitives

extension InPlayerRequestHandler {
    /// Handles `POST /accounts`: creates an account and signs in.
    func register() async throws -> Response {
        let (name, password) = (try username(), try required("password"))
        try confirm(password)
        let details = AccountDetails(
            identifier: name, fullName: field("full_name"), dateOfBirth: try dateOfBirth(),
            referrer: field("referrer"), metadata: metadata)
        for registerField in front.settings.registerFields where registerField.isRequired {
            let isThere = metadata[registerField.name] ?? fields[registerField.name]
            if isThere?.allSatisfy(\.isWhitespace) ?? true {
                throw InPlayerRejection.field(registerField.name, "This field is required.")
            }
        }
        let rule = front.accounts.passwords
        do {
            let token = try await front.accounts.register(
                details, password: password, context(credentials(name, password)))
            return try await authorization(token, identifier: name)
        } catch let rejection as AccountError {
            throw rejection.rejection(identifier: fields["username"] == nil ? "email" : "username", rule)
        }
    }

    /// Handles `GET /accounts`.
    func ownAccount() async throws -> Response {
        InPlayerResponse.make(AccountDocument.value(try await account(of: try await reader()), front.settings))
    }

    /// Handles `PUT /accounts`. Fields that are not sent stay unchanged.
    func update() async throws -> Response {
        let reader = try await reader()
        var details = try await account(of: reader).details
        if let name = fields["full_name"] { details.fullName = name }
        if let referrer = field("referrer") { details.referrer = referrer }
        if let day = try dateOfBirth() { details.dateOfBirth = day }
        // A metadata entry that is sent empty is removed.
        details.metadata.merge(metadata) { $1 }
        details.metadata = details.metadata.filter { !$0.value.isEmpty }
        if let field = details.invalidField {
            throw AccountError.invalidField(field).rejection(front.accounts.passwords)
        }
        guard let account = try await front.accounts.change(details, of: reader.session.subscriber) else {
            throw InPlayerRejection.notSignedIn(.accountMissing)
        }
        return InPlayerResponse.make(AccountDocument.value(account, front.settings))
    }

    /// Handles `DELETE /accounts/erase`.
    func erase() async throws -> Response {
        let reader = try await reader()
        do {
            let account = try await front.signedIn.erase(
                token: reader.token, password: try required("password"), context())
            if let account { front.notify(.accountErased, to: account) }
        } catch let rejection as AccountError {
            throw rejection.rejection(front.signedIn.passwords)
        }
        return InPlayerResponse.done("Account successfully deleted")
    }

    /// Handles the calls for favorites and watch history, which are always empty.
    func noMedia() async throws -> Response {
        _ = try await reader()
        return InPlayerResponse.make(["collection": []])
    }

    func registerFields() -> Response {
        InPlayerResponse.make(RegisterFieldsDocument.value(front.settings.registerFields))
    }

    /// Returns the addresses to which an app sends its user for a social sign-in.
    func socialAddresses() -> Response {
        let state = URLReferenceEncoding.path(String((fields["state"] ?? "").prefix(4096))).replacing("/", with: "%2F")
        return InPlayerResponse.make([
            "social_urls": .array(
                front.settings.social.map { social in
                    .object([
                        .init(
                            name: social.provider,
                            value: .string(social.url.replacing("{{state}}", with: state)))
                    ])
                }), "code": 200,
        ])
    }

    /// The values of `metadata[name]`, with plain or percent-encoded brackets, which are decoded already.
    var metadata: [String: String] {
        var found: [String: String] = [:]
        for (name, value) in fields where name.hasPrefix("metadata[") && name.hasSuffix("]") {
            let key = String(name.dropFirst("metadata[".count).dropLast())
            if !key.isEmpty, !key.contains(where: { $0 == "[" || $0 == "]" }) { found[key] = value }
        }
        return found
    }

    /// Checks the repeated password, if there is one. SDKs always repeat the password; some forms ask for it only
    /// once.
    func confirm(_ password: String) throws(InPlayerRejection) {
        guard let again = fields["password_confirmation"],
            !isEqualInConstantTime(Array(again.utf8), Array(password.utf8))
        else { return }
        throw .field("password_confirmation", "The passwords do not match.")
    }

    private func dateOfBirth() throws(InPlayerRejection) -> String? {
        guard let day = field("date_of_birth") else { return nil }
        guard day.utf8.count == 10, CivilTime.milliseconds(day) != nil else {
            throw .field("date_of_birth", "Please enter the date as 1990-12-31.")
        }
        return day
    }
}
