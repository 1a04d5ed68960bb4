import Foundation

extension AccountService {
    /// Has all that is known of the account sent to its mail address.
    public func exportData(password: String) async throws(InPlayerError) {
        var endpoint = Endpoint(.post, "accounts", "export", authorization: .required)
        endpoint.body.add("password", password)
        endpoint.body.add("branding_id", merchant.brandingID)
        _ = try await calls.answer(endpoint)
    }

    /// What the merchant asks for when an account is made, in the order to be shown.
    public func registrationFields() async throws(InPlayerError) -> [RegistrationField] {
        let page: Page<RegistrationField> = try await calls.model(
            Endpoint(.get, "accounts", "register-fields", merchant.uuid))
        return page.items
    }

    /// Where to sign in with an account of somebody else's, by the provider's name.
    ///
    /// - Parameter redirect: where the provider sends the reader back to, with `#token=…&refresh_token=…&expires=…`.
    public func socialURLs(redirect: String) async throws(InPlayerError) -> [String: String] {
        let state: Data
        do {
            let encoder = JSONEncoder()
            encoder.outputFormatting = .sortedKeys
            state = try encoder.encode(["client_id": merchant.clientID, "redirect": redirect])
        } catch {
            throw .invalid("expected a redirect URL")
        }
        var endpoint = Endpoint(.get, "accounts", "social")
        endpoint.query.add("state", state.base64EncodedString())
        let answer = try await calls.answer(endpoint)
        return (answer["social_urls"]?.list ?? []).reduce(into: [:]) { urls, item in
            urls.merge(item.texts) { first, _ in first }
        }
    }
}
