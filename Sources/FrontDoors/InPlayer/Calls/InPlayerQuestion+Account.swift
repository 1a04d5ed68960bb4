import Gatefold
import Hummingbird
import JSON

extension InPlayerQuestion {
    /// `POST /accounts`: makes an account and signs in.
    func register() async throws -> Response {
        let (name, password) = (try username(), try required("password"))
        try confirm(password)
        let details = AccountDetails(
            identifier: name, fullName: field("full_name"), dateOfBirth: try dateOfBirth(),
            referrer: field("referrer"), metadata: metadata)
        for asked in front.settings.registerFields where asked.isRequired {
            let isThere = metadata[asked.name] ?? fields[asked.name]
            if isThere?.allSatisfy(\.isWhitespace) ?? true {
                throw InPlayerRefusal.field(asked.name, "This field is required.")
            }
        }
        let rule = front.accounts.passwords
        do {
            let token = try await front.accounts.register(
                details, password: password, inquiry(credentials(name, password)))
            return try await authorization(token, identifier: name)
        } catch let refusal as AccountRefusal {
            throw refusal.refusal(identifier: fields["username"] == nil ? "email" : "username", rule)
        }
    }

    /// `GET /accounts`.
    func ownAccount() async throws -> Response {
        InPlayerAnswer.make(AccountDocument.value(try await account(of: try await reader()), front.settings))
    }

    /// `PUT /accounts`: what is not sent stays.
    func update() async throws -> Response {
        let reader = try await reader()
        var details = try await account(of: reader).details
        if let name = fields["full_name"] { details.fullName = name }
        if let referrer = field("referrer") { details.referrer = referrer }
        if let day = try dateOfBirth() { details.dateOfBirth = day }
        // What is sent empty is taken away.
        details.metadata.merge(metadata) { $1 }
        details.metadata = details.metadata.filter { !$0.value.isEmpty }
        if let field = details.unacceptable {
            throw AccountRefusal.unacceptable(field).refusal(front.accounts.passwords)
        }
        guard let account = try await front.accounts.change(details, of: reader.session.subscriber) else {
            throw InPlayerRefusal.notSignedIn
        }
        return InPlayerAnswer.make(AccountDocument.value(account, front.settings))
    }

    /// `DELETE /accounts/erase`.
    func erase() async throws -> Response {
        let reader = try await reader()
        do {
            let account = try await front.signedIn.erase(
                token: reader.token, password: try required("password"), inquiry())
            if let account { front.tell(.accountErased, to: account.uuid) }
        } catch let refusal as AccountRefusal {
            throw refusal.refusal(front.signedIn.passwords)
        }
        return InPlayerAnswer.done("Account successfully deleted")
    }

    /// What the reader likes, or watched.
    func noMedia() async throws -> Response {
        _ = try await reader()
        return InPlayerAnswer.make(["collection": []])
    }

    func registerFields() -> Response {
        InPlayerAnswer.make(RegisterFieldsDocument.value(front.settings.registerFields))
    }

    /// Where an app sends its user for a login elsewhere.
    func socialAddresses() -> Response {
        let state = AddressText.path(String((fields["state"] ?? "").prefix(4096))).replacing("/", with: "%2F")
        return InPlayerAnswer.make([
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

    /// `metadata[name]`, whichever way the brackets were written: they are decoded by now.
    var metadata: [String: String] {
        var found: [String: String] = [:]
        for (name, value) in fields where name.hasPrefix("metadata[") && name.hasSuffix("]") {
            let key = String(name.dropFirst("metadata[".count).dropLast())
            if !key.isEmpty, !key.contains(where: { $0 == "[" || $0 == "]" }) { found[key] = value }
        }
        return found
    }

    /// SDKs send the same twice; a form that does not has its user typed once.
    func confirm(_ password: String) throws(InPlayerRefusal) {
        guard let again = fields["password_confirmation"],
            !isEqualInConstantTime(Array(again.utf8), Array(password.utf8))
        else { return }
        throw .field("password_confirmation", "The passwords are not the same.")
    }

    private func dateOfBirth() throws(InPlayerRefusal) -> String? {
        guard let day = field("date_of_birth") else { return nil }
        guard day.utf8.count == 10, CivilTime.milliseconds(day) != nil else {
            throw .field("date_of_birth", "Please write the day as 1990-12-31.")
        }
        return day
    }
}
